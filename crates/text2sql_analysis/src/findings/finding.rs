//! A finding: the check, its severity, its basis, and how data could confirm it.

use std::fmt;

use super::refutation::Refutation;

/// A check. Its [`Check::as_str`] is part of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Check {
    /// A join repeats the rows that an aggregate sums.
    JoinFanOut,
    /// A join compares a part of a foreign key.
    PartialKey,
    /// A join compares a foreign key with another table than it refers to.
    WrongKey,
    /// The query keeps other days than the question asks for.
    Period,
    /// A comparison or a limit is turned, or has another number of rows, than the question says.
    Direction,
    /// A taught definition that the question uses is not applied.
    Definition,
    /// A value or a number is compared with that the question does not have, in place of one that it has.
    Value,
    /// A value or a number of the question that the query has no condition with.
    LeftOut,
    /// A table or column that the question names in full is not used.
    Name,
    /// A sum where the question asks for an average, or the other way round.
    Aggregate,
    /// Equal rows, or values counted twice, where the question asks for different ones.
    Repeated,
    /// One figure where the question asks for one for each.
    Grouping,
    /// Tables are joined without a condition.
    CartesianProduct,
    /// A word that is a function without quotes, and a column with them.
    NameIsFunction,
    /// A literal that does not occur in the column.
    UnknownValue,
    /// A filter that silently drops rows with NULL.
    DroppedNulls,
    /// A condition that undoes an outer join.
    UndoneOuterJoin,
    /// NOT IN with NULL returns no rows.
    NotInWithNulls,
    /// A quotient of integers loses its fraction.
    IntegerDivision,
    /// LIMIT without a defined order of the rows.
    ArbitraryLimit,
    /// A date range that excludes the last day of timestamps.
    TimestampRange,
    /// The result depends on the session's time zone.
    TimeZone,
    /// Values of different types are compared.
    ImplicitCast,
    /// DISTINCT hides rows repeated by a join.
    DistinctHidesFanOut,
    /// An average of averages.
    AverageOfAverages,
    /// Quantities with different units or grains are combined.
    MixedUnits,
    /// A table without statistics.
    NotAnalysed,
    /// Row-level security hides rows.
    RowSecurity,
    /// A materialised view contains the data of its last refresh.
    StaleView,
}

impl Check {
    /// All checks, in report order.
    pub const ALL: [Self; 29] = [
        Self::JoinFanOut,
        Self::PartialKey,
        Self::WrongKey,
        Self::Period,
        Self::Direction,
        Self::Definition,
        Self::Value,
        Self::LeftOut,
        Self::Name,
        Self::Aggregate,
        Self::Repeated,
        Self::Grouping,
        Self::CartesianProduct,
        Self::NameIsFunction,
        Self::UnknownValue,
        Self::DroppedNulls,
        Self::UndoneOuterJoin,
        Self::NotInWithNulls,
        Self::IntegerDivision,
        Self::ArbitraryLimit,
        Self::TimestampRange,
        Self::TimeZone,
        Self::ImplicitCast,
        Self::DistinctHidesFanOut,
        Self::AverageOfAverages,
        Self::MixedUnits,
        Self::NotAnalysed,
        Self::RowSecurity,
        Self::StaleView,
    ];

    /// The name used in the SQL interface.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::JoinFanOut => "join_fan_out",
            Self::PartialKey => "partial_key",
            Self::WrongKey => "wrong_key",
            Self::Period => "period",
            Self::Direction => "direction",
            Self::Definition => "definition",
            Self::Value => "value",
            Self::LeftOut => "left_out",
            Self::Name => "name",
            Self::Aggregate => "aggregate",
            Self::Repeated => "repeated",
            Self::Grouping => "grouping",
            Self::CartesianProduct => "cartesian_product",
            Self::NameIsFunction => "name_is_function",
            Self::UnknownValue => "unknown_value",
            Self::DroppedNulls => "dropped_nulls",
            Self::UndoneOuterJoin => "undone_outer_join",
            Self::NotInWithNulls => "not_in_with_nulls",
            Self::IntegerDivision => "integer_division",
            Self::ArbitraryLimit => "arbitrary_limit",
            Self::TimestampRange => "timestamp_range",
            Self::TimeZone => "time_zone",
            Self::ImplicitCast => "implicit_cast",
            Self::DistinctHidesFanOut => "distinct_hides_fan_out",
            Self::AverageOfAverages => "average_of_averages",
            Self::MixedUnits => "mixed_units",
            Self::NotAnalysed => "not_analysed",
            Self::RowSecurity => "row_security",
            Self::StaleView => "stale_view",
        }
    }
}

/// Checks whose proof alone is certain enough: rows are combined or lost by the query's text and keys, whatever the
/// data. None of them speaks about any of 637 right practice queries.
const PROVED_WRONG: [Check; 3] = [
    Check::JoinFanOut,
    Check::CartesianProduct,
    Check::DistinctHidesFanOut,
];

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; usually intended.
    Note,
    /// The result is probably not the intended one.
    Warning,
    /// The result is certainly wrong or empty.
    Error,
}

impl Severity {
    /// The name used in the SQL interface.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The basis of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// Proved from the query's text, types and keys: it holds for any data.
    Proved,
    /// Measured on the current data.
    Measured,
    /// Possible according to keys and statistics; the data may not show it.
    Possible,
}

impl Basis {
    /// The name used in the SQL interface.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Measured => "measured",
            Self::Possible => "possible",
        }
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
