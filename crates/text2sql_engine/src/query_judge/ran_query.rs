//! Judges an executed query: is it certain that it does something else than intended?
//!
//! The checks are those of [`text2sql_analysis::findings`]. They use the query text, types and keys and,
//! where needed, queries on the data through the guard. Repairing a correct query makes results worse, so
//! only certain findings send a query back; the others become warnings.

use std::sync::Arc;
use std::time::Duration;
use text2sql_domain::with_defaults;

use text2sql_analysis::findings::{
    self, Asked, Basis, Check, Effort, Finding, Probe, Severity, ValueProbe,
};
use text2sql_domain::config::{Egress, Limits};
use text2sql_domain::error::Error;
use text2sql_domain::ports::Database;
use text2sql_domain::ports::search_index::{KnownValue, SearchIndex};
use text2sql_domain::schema::{Table, quote_identifier};
use text2sql_domain::sql_result::Execution;

/// Maximum number of probe queries for one query, because the user is waiting.
const MAX_PROBES: usize = 6;

/// Maximum time for one probe query.
const MAX_PROBE_TIME: Duration = Duration::from_millis(500);

with_defaults! {
    /// What a model may be told of rows.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Sight {
        /// The egress level of its endpoint.
        pub egress: Egress = Egress::Schema,
        /// Whether the query reads a private column: then no value is sent, whatever the level.
        pub is_private: bool = true,
    }
}

/// Possible problems of an executed query, worst first. A query that the checks cannot parse has no
/// findings. What the result itself refutes is not measured. `asked` is the question, where the query is to answer all of
/// it.
pub fn judge_result(
    sql: &str,
    execution: &Execution,
    tables: &[Arc<Table>],
    index: &dyn SearchIndex,
    database: &dyn Database,
    limits: &Limits,
    asked: Option<&Asked<'_>>,
) -> Result<Vec<Finding>, Error> {
    let Ok(Some(mut found)) = findings::find(sql, tables) else {
        return Ok(Vec::new());
    };
    if let Some(asked) = asked {
        findings::allow_repetition(sql, tables, asked, &mut found);
        found.extend(findings::find_asked(sql, tables, asked, Some(execution)));
    }
    findings::remove_refuted(&mut found, execution);
    if found.is_empty() {
        return Ok(found);
    }
    let usual = Effort::within(limits);
    let effort = Effort {
        statements: MAX_PROBES,
        limits: Limits {
            query_timeout: usual.limits.query_timeout.min(MAX_PROBE_TIME),
            ..usual.limits
        },
    };
    let known = |value: &ValueProbe| known_value(value, tables, index);
    findings::measure_unknown(found, &known, database, &effort)
}

/// What the search index knows about a value. The same lookup links phrases of a question to values.
fn known_value(
    value: &ValueProbe,
    tables: &[Arc<Table>],
    index: &dyn SearchIndex,
) -> Option<KnownValue> {
    if !value.is_text {
        return None;
    }
    let table = tables
        .iter()
        .find(|table| table.sql_name() == value.table)?;
    let column = table
        .columns
        .iter()
        .find(|column| quote_identifier(&column.name) == value.column)?;
    // If the index cannot be read, nothing is known.
    index
        .value_of(table.oid, column.number, &value.text)
        .ok()
        .flatten()
}

/// The warnings for the user about an executed query. Notes are left out, because they are usually
/// intended.
pub fn warnings<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Vec<String> {
    findings
        .into_iter()
        .filter(|finding| finding.severity > Severity::Note)
        .map(|finding| finding.evidence.clone())
        .collect()
}

/// The text about a finding for the model. The evidence may contain values of rows, so it is sent
/// unchanged only to an endpoint that may see rows. Similar values are sent only to an endpoint that may
/// see values. Where the query reads a private column, neither is sent.
pub fn feedback(finding: &Finding, sight: &Sight, tables: &[Arc<Table>]) -> String {
    match (&finding.probe, sight.egress) {
        (_, Egress::Rows) if !sight.is_private => finding.evidence.clone(),
        // A value that the question names is a stored one: whoever may not see values is not told.
        (_, egress)
            if matches!(finding.check, Check::Value | Check::LeftOut)
                && (egress == Egress::Schema || sight.is_private) =>
        {
            rule_of(finding.check).to_owned()
        }
        // Names, keys and the query itself prove it, without a row.
        _ if finding.basis == Basis::Proved
            || matches!(finding.check, Check::PartialKey | Check::Name) =>
        {
            finding.evidence.clone()
        }
        (Some(Probe::Value(value)), egress) => {
            let is_private = sight.is_private
                || tables.iter().any(|table| {
                    table.columns.iter().any(|column| {
                        column.is_private && quote_identifier(&column.name) == value.column
                    })
                });
            if egress == Egress::Values && !is_private {
                finding.evidence.clone()
            } else {
                format!(
                    "no row of {} holds {} in {}",
                    value.table, value.literal, value.column
                )
            }
        }
        _ => rule_of(finding.check).to_owned(),
    }
}

/// What a check means, without any value.
pub(crate) fn rule_of(check: Check) -> &'static str {
    match check {
        Check::JoinFanOut => {
            "a join repeats the rows that an aggregate adds up: aggregate before joining, or count distinct keys"
        }
        Check::PartialKey => "a join compares a part of a foreign key: compare all of its columns",
        Check::WrongKey => "a join compares a foreign key with another table than it refers to",
        Check::NameIsFunction => "a word without quotes is a function here, and a column with them",
        Check::Period => "it keeps other days than the question asks for",
        Check::Direction => {
            "it compares in another direction, or keeps another number of rows, than the question says"
        }
        Check::Definition => "it does not apply a definition that the question uses",
        Check::Value => "it compares with another value or number than the question says",
        Check::LeftOut => "it leaves out a value or a number that the question names",
        Check::Name => "it does not use a table or column that the question names",
        Check::Aggregate => "it takes another aggregate than the question asks for",
        Check::Repeated => "it repeats what the question wants once",
        Check::Grouping => "it gives one figure where the question asks for one for each",
        Check::CartesianProduct => "two tables meet without a join condition",
        Check::UnknownValue => "it compares with a value that does not occur",
        Check::DroppedNulls => "a filter drops the rows without a value",
        Check::UndoneOuterJoin => {
            "a condition in WHERE undoes the outer join: move it into the join's ON"
        }
        Check::NotInWithNulls => "NOT IN over a list with NULL gives no rows: use NOT EXISTS",
        Check::IntegerDivision => {
            "the division of whole numbers loses its fraction: cast to numeric"
        }
        Check::ArbitraryLimit => "LIMIT cuts among rows in no certain order: complete the ORDER BY",
        Check::TimestampRange => {
            "BETWEEN cuts off the last day of timestamps: use a half-open range"
        }
        Check::TimeZone => "the result depends on the session's time zone",
        Check::ImplicitCast => "values of different types are compared",
        Check::DistinctHidesFanOut => "DISTINCT hides rows that a join repeats: use EXISTS",
        Check::AverageOfAverages => "it takes an average of averages",
        Check::MixedUnits => "it puts quantities of different units together",
        Check::NotAnalysed | Check::RowSecurity | Check::StaleView => {
            "what it reads may be partial"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_domain::schema::Column;

    fn finding() -> Finding {
        Finding {
            check: Check::UnknownValue,
            severity: Severity::Error,
            basis: Basis::Measured,
            evidence: "No row has name = 'Germani'; nearest: 'Germany'.".to_owned(),
            fix: None,
            probe: Some(Probe::Value(ValueProbe {
                table: "countries".to_owned(),
                column: "name".to_owned(),
                literal: "'Germani'".to_owned(),
                text: "Germani".to_owned(),
                pattern: None,
                is_negated: false,
                is_text: true,
            })),
            refuted_by: None,
        }
    }

    fn tables(is_private: bool) -> [Arc<Table>; 1] {
        let column = Column {
            name: "name".to_owned(),
            is_private,
            ..Column::default()
        };
        [Arc::new(Table {
            name: "countries".to_owned(),
            columns: vec![column],
            ..Table::default()
        })]
    }

    #[test]
    fn similar_values_are_sent_only_where_egress_allows_values() {
        let says = |egress, is_private| {
            let sight = Sight {
                egress,
                is_private: false,
            };
            feedback(&finding(), &sight, &tables(is_private))
        };
        assert!(says(Egress::Values, false).contains("Germany"));
        assert!(says(Egress::Rows, false).contains("Germany"));
        for (egress, is_private) in [(Egress::Schema, false), (Egress::Values, true)] {
            assert_eq!(
                says(egress, is_private),
                "no row of countries holds 'Germani' in name"
            );
        }
        // The guard may know of a private column behind a view.
        for egress in [Egress::Schema, Egress::Values, Egress::Rows] {
            let sight = Sight {
                egress,
                is_private: true,
            };
            assert_eq!(
                feedback(&finding(), &sight, &tables(false)),
                "no row of countries holds 'Germani' in name"
            );
        }
    }

    #[test]
    fn notes_are_no_warnings() {
        let note = Finding {
            severity: Severity::Note,
            ..finding()
        };
        assert_eq!(warnings(&[finding(), note]).len(), 1);
    }
}
