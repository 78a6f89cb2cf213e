//! A finding: which check found what, how bad it is, how it is known, and how data could decide it.

use std::fmt;

/// A check. Its [`Check::as_str`] is part of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Check {
    /// A join repeats the rows that an aggregate adds up.
    JoinFanOut,
    /// Tables meet without a condition.
    CartesianProduct,
    /// A literal that the column does not hold.
    UnknownValue,
    /// A filter that silently drops rows without a value.
    DroppedNulls,
    /// A condition that undoes an outer join.
    UndoneOuterJoin,
    /// NOT IN with NULL gives no rows.
    NotInWithNulls,
    /// A quotient of whole numbers loses its fraction.
    IntegerDivision,
    /// LIMIT cuts among rows in no certain order.
    ArbitraryLimit,
    /// A range of dates that cuts off the last day of timestamps.
    TimestampRange,
    /// The result depends on the session's time zone.
    TimeZone,
    /// Values of different types are compared.
    ImplicitCast,
    /// DISTINCT hides rows that a join repeats.
    DistinctHidesFanOut,
    /// An average of averages.
    AverageOfAverages,
    /// Quantities of different units or grains meet.
    MixedUnits,
    /// A table without statistics.
    NotAnalysed,
    /// Row-level security hides rows.
    RowSecurity,
    /// A materialised view shows the state of its last refresh.
    StaleView,
}

impl Check {
    /// Every check, in the order of the report.
    pub const ALL: [Self; 17] = [
        Self::JoinFanOut,
        Self::CartesianProduct,
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

    /// The word that programs match on.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::JoinFanOut => "join_fan_out",
            Self::CartesianProduct => "cartesian_product",
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

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; most often meant so.
    Note,
    /// The result is likely not what was meant.
    Warning,
    /// The result is wrong or empty for a reason that is certain.
    Error,
}

impl Severity {
    /// The word that programs match on.
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

/// How it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// From the query's text, types and keys: it holds for any data.
    Proved,
    /// Measured on the data of this moment.
    Measured,
    /// Keys and statistics allow it; the data may not show it.
    Possible,
}

impl Basis {
    /// The word that programs match on.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Measured => "measured",
            Self::Possible => "possible",
        }
    }
}

/// Something that may be wrong with a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Which check found it.
    pub check: Check,
    /// How bad it is.
    pub severity: Severity,
    /// How it is known.
    pub basis: Basis,
    /// What is wrong, with the evidence: full sentences. Empty where only the probe can say.
    pub evidence: String,
    /// What to do about it; often SQL.
    pub fix: Option<String>,
    /// How the data can decide it.
    pub probe: Option<Probe>,
}

/// A question to the data that decides a finding.
#[derive(Debug, Clone, PartialEq)]
pub enum Probe {
    /// A query that gives a row when the trouble is real.
    Rows {
        /// The query.
        sql: String,
        /// What holds when it gives a row.
        found: Verdict,
        /// What holds when it gives none; `None` takes the finding back.
        none: Option<Verdict>,
    },
    /// Whether a column holds a value, and which values come nearest.
    Value(ValueProbe),
}

/// A value to look for.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueProbe {
    /// The table as SQL names it.
    pub table: String,
    /// The column as SQL names it.
    pub column: String,
    /// The literal as SQL writes it, with its type where the query gives one.
    pub literal: String,
    /// The literal's bare text.
    pub text: String,
    /// Whether the literal is a pattern of LIKE or ILIKE, with the operator.
    pub pattern: Option<&'static str>,
    /// Whether the comparison keeps the rows that differ.
    pub is_negated: bool,
    /// Whether near texts are worth looking for.
    pub is_text: bool,
}

/// What an answer of the data makes of a finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// How bad it then is.
    pub severity: Severity,
    /// What is then said.
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
        }
    }

    pub(super) fn with_fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    pub(super) fn with_probe(mut self, probe: Probe) -> Self {
        self.probe = Some(probe);
        self
    }

    /// Whether it says nothing yet: a question that only data can answer.
    pub fn is_question(&self) -> bool {
        self.evidence.is_empty()
    }

    /// Whether it is beyond doubt that the query does not do what it seems to: a judge may have it
    /// repaired for that alone.
    pub fn is_certain(&self) -> bool {
        self.severity == Severity::Error && self.basis != Basis::Possible
    }
}

/// Puts the worst first and leaves repetitions out.
pub(super) fn tidy(found: &mut Vec<Finding>) {
    found.sort_by(|a, b| b.severity.cmp(&a.severity).then(a.check.cmp(&b.check)));
    found.dedup_by(|a, b| a.check == b.check && a.evidence == b.evidence && a.probe == b.probe);
}
