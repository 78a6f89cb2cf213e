//! A finding: the check, its severity, its basis, and how data could confirm it.

use std::fmt;

use text2sql_domain::named_enum;

use super::refutation::Refutation;

named_enum! {
    listed:
    /// A check. Its [`Check::as_str`] is part of the interface.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Check {
        /// A join repeats the rows that an aggregate sums.
        JoinFanOut = "join_fan_out",
        /// A join compares a part of a foreign key.
        PartialKey = "partial_key",
        /// A join compares a foreign key with another table than it refers to.
        WrongKey = "wrong_key",
        /// The query keeps other days than the question asks for.
        Period = "period",
        /// A comparison or a limit is turned, or has another number of rows, than the question says.
        Direction = "direction",
        /// A taught definition that the question uses is not applied.
        Definition = "definition",
        /// A value or a number is compared with that the question does not have, in place of one that it has.
        Value = "value",
        /// A value or a number of the question that the query has no condition with.
        LeftOut = "left_out",
        /// A table or column that the question names in full is not used.
        Name = "name",
        /// A sum where the question asks for an average, or the other way round.
        Aggregate = "aggregate",
        /// Equal rows, or values counted twice, where the question asks for different ones.
        Repeated = "repeated",
        /// One figure where the question asks for one for each.
        Grouping = "grouping",
        /// Tables are joined without a condition.
        CartesianProduct = "cartesian_product",
        /// A word that is a function without quotes, and a column with them.
        NameIsFunction = "name_is_function",
        /// A literal that does not occur in the column.
        UnknownValue = "unknown_value",
        /// A filter that silently drops rows with NULL.
        DroppedNulls = "dropped_nulls",
        /// A condition that undoes an outer join.
        UndoneOuterJoin = "undone_outer_join",
        /// NOT IN with NULL returns no rows.
        NotInWithNulls = "not_in_with_nulls",
        /// A quotient of integers loses its fraction.
        IntegerDivision = "integer_division",
        /// LIMIT without a defined order of the rows.
        ArbitraryLimit = "arbitrary_limit",
        /// A date range that excludes the last day of timestamps.
        TimestampRange = "timestamp_range",
        /// The result depends on the session's time zone.
        TimeZone = "time_zone",
        /// Values of different types are compared.
        ImplicitCast = "implicit_cast",
        /// DISTINCT hides rows repeated by a join.
        DistinctHidesFanOut = "distinct_hides_fan_out",
        /// An average of averages.
        AverageOfAverages = "average_of_averages",
        /// Quantities with different units or grains are combined.
        MixedUnits = "mixed_units",
        /// A table without statistics.
        NotAnalysed = "not_analysed",
        /// Row-level security hides rows.
        RowSecurity = "row_security",
        /// A materialised view contains the data of its last refresh.
        StaleView = "stale_view",
    }
}

/// Checks whose proof alone is certain enough: rows are combined or lost by the query's text and keys, whatever the
/// data. None of them speaks about any of 637 right practice queries.
const PROVED_WRONG: [Check; 3] = [
    Check::JoinFanOut,
    Check::CartesianProduct,
    Check::DistinctHidesFanOut,
];

named_enum! {
    /// The severity of a finding.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Severity {
        /// Worth knowing; usually intended.
        Note = "note",
        /// The result is probably not the intended one.
        Warning = "warning",
        /// The result is certainly wrong or empty.
        Error = "error",
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

named_enum! {
    /// The basis of a finding.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Basis {
        /// Proved from the query's text, types and keys: it holds for any data.
        Proved = "proved",
        /// Measured on the current data.
        Measured = "measured",
        /// Possible according to keys and statistics; the data may not show it.
        Possible = "possible",
    }
}

/// A possible fault of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The check.
    pub check: Check,
    /// The severity.
    pub severity: Severity,
    /// The basis.
    pub basis: Basis,
    /// The fault, with the evidence, in full sentences. Empty if only the probe can decide.
    pub evidence: String,
    /// How to fix it; often SQL.
    pub fix: Option<String>,
    /// How the data can confirm it.
    pub probe: Option<Probe>,
    /// What in the result of the query removes it without a probe.
    pub refuted_by: Option<Refutation>,
}

/// A query on the data that confirms or removes a finding.
#[derive(Debug, Clone, PartialEq)]
pub enum Probe {
    /// A query that returns a row if the fault is real.
    Rows {
        /// The query.
        sql: String,
        /// The verdict if it returns a row.
        found: Verdict,
        /// The verdict if it returns none; `None` removes the finding.
        none: Option<Verdict>,
    },
    /// Whether a column contains a value, and which values are most similar.
    Value(ValueProbe),
}

/// A value to look up.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueProbe {
    /// The SQL name of the table.
    pub table: String,
    /// The SQL name of the column.
    pub column: String,
    /// The literal in SQL form, with its type if the query gives one.
    pub literal: String,
    /// The literal's unquoted text.
    pub text: String,
    /// The operator, if the literal is a pattern of LIKE or ILIKE.
    pub pattern: Option<&'static str>,
    /// Whether the comparison is negated.
    pub is_negated: bool,
    /// Whether to search for similar texts.
    pub is_text: bool,
}

/// Stands in the evidence of a verdict for what the probe counted.
pub(super) const COUNTED: &str = "\u{fffc}";

/// The verdict on a finding after running its probe.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The new severity.
    pub severity: Severity,
    /// The new evidence.
    pub evidence: String,
}

impl Check {
    /// The result is certainly wrong, whatever the data.
    pub(super) fn error(self, evidence: impl Into<String>) -> Finding {
        Finding::new(self, Severity::Error, Basis::Proved, evidence)
    }

    /// The query's text proves something that is probably not intended.
    pub(super) fn warning(self, evidence: impl Into<String>) -> Finding {
        Finding::new(self, Severity::Warning, Basis::Proved, evidence)
    }

    /// The result is probably wrong, if the data are as keys and statistics let expect.
    pub(super) fn doubt(self, evidence: impl Into<String>) -> Finding {
        Finding::new(self, Severity::Warning, Basis::Possible, evidence)
    }

    /// The query's text proves something that is worth knowing.
    pub(super) fn note(self, evidence: impl Into<String>) -> Finding {
        Finding::new(self, Severity::Note, Basis::Proved, evidence)
    }
}

impl Finding {
    pub(super) fn new(
        check: Check,
        severity: Severity,
        basis: Basis,
        evidence: impl Into<String>,
    ) -> Self {
        Self {
            check,
            severity,
            basis,
            evidence: evidence.into(),
            fix: None,
            probe: None,
            refuted_by: None,
        }
    }

    pub(super) fn refuted_by(mut self, refutation: Option<Refutation>) -> Self {
        self.refuted_by = refutation;
        self
    }

    /// One that only the data can make a fault: `sql` returns a row where they do.
    pub(super) fn asked_of_data(check: Check, sql: String, evidence: String, fix: String) -> Self {
        Self::new(check, Severity::Note, Basis::Possible, String::new())
            .with_fix(fix)
            .with_probe(Probe::Rows {
                sql,
                found: Verdict {
                    severity: Severity::Error,
                    evidence,
                },
                none: None,
            })
    }

    pub(super) fn with_fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    pub(super) fn with_probe(mut self, probe: Probe) -> Self {
        self.probe = Some(probe);
        self
    }

    /// Whether it has no evidence yet, so that only data can decide.
    pub fn is_question(&self) -> bool {
        self.evidence.is_empty()
    }

    /// Whether it is certain that the query does not do what it appears to do: this alone justifies
    /// a repair.
    pub fn is_certain(&self) -> bool {
        let is_proved = self.basis == Basis::Proved && self.severity == Severity::Warning;
        (self.severity == Severity::Error && self.basis != Basis::Possible)
            || (is_proved && PROVED_WRONG.contains(&self.check))
    }
}

/// Sorts by severity, worst first, and says nothing twice.
pub(super) fn tidy(found: &mut Vec<Finding>) {
    found.sort_by(|a, b| b.severity.cmp(&a.severity).then(a.check.cmp(&b.check)));
    let mut told: Vec<Finding> = Vec::with_capacity(found.len());
    for finding in found.drain(..) {
        let is_same = |known: &Finding| {
            known.check == finding.check
                && known.evidence == finding.evidence
                && (known.probe == finding.probe || !finding.is_question())
        };
        if !told.iter().any(is_same) {
            told.push(finding);
        }
    }
    *found = told;
}
