//! The measures.

use crate::evaluation_data::{AttemptRow, Components};
use crate::reliability::{Attempt, Reliability, reliability};

/// What a measure is, which decides how differences of it are tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Yes or no for an attempt: McNemar's test.
    Rate,
    /// From 0 to 1 for an attempt: Wilcoxon's signed-rank test.
    Share,
    /// Any number from 0, such as tokens: the same test.
    Amount,
}

impl Kind {
    /// Its name in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rate => "rate",
            Self::Share => "share",
            Self::Amount => "amount",
        }
    }
}

/// How the value of a case is computed.
#[derive(Clone, Copy)]
pub(super) enum Of {
    /// The mean over the attempts to which it applies.
    Attempt(fn(&AttemptRow) -> Option<f64>),
    /// From all attempts together.
    Repeats(fn(&Reliability) -> Option<f64>),
}

/// A measure.
#[derive(Clone, Copy)]
pub struct Measure {
    /// Its name in SQL.
    pub name: &'static str,
    /// Its name in a report.
    pub title: &'static str,
    /// What it is.
    pub kind: Kind,
    pub(super) of: Of,
}

impl Measure {
    const fn rate(
        name: &'static str,
        title: &'static str,
        of: fn(&AttemptRow) -> Option<f64>,
    ) -> Self {
        Self {
            name,
            title,
            kind: Kind::Rate,
            of: Of::Attempt(of),
        }
    }

    const fn share(
        name: &'static str,
        title: &'static str,
        of: fn(&AttemptRow) -> Option<f64>,
    ) -> Self {
        Self {
            name,
            title,
            kind: Kind::Share,
            of: Of::Attempt(of),
        }
    }

    const fn amount(
        name: &'static str,
        title: &'static str,
        of: fn(&AttemptRow) -> Option<f64>,
    ) -> Self {
        Self {
            name,
            title,
            kind: Kind::Amount,
            of: Of::Attempt(of),
        }
    }

    const fn repeats(
        name: &'static str,
        title: &'static str,
        of: fn(&Reliability) -> Option<f64>,
    ) -> Self {
        Self {
            name,
            title,
            kind: Kind::Share,
            of: Of::Repeats(of),
        }
    }

    /// The measure with that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        MEASURES.iter().find(|measure| measure.name == name)
    }

    /// The value of one attempt; `None` where it does not apply, or needs several attempts.
    pub fn of_attempt(&self, row: &AttemptRow) -> Option<f64> {
        match self.of {
            Of::Attempt(of) => of(row),
            Of::Repeats(_) => None,
        }
    }

    /// The value of a case, from its attempts.
    pub fn of_case(&self, attempts: &[&AttemptRow]) -> Option<f64> {
        match self.of {
            Of::Attempt(of) => mean(attempts.iter().filter_map(|row| of(row))),
            Of::Repeats(of) => {
                let attempts = attempts.iter().map(|row| Attempt {
                    sql: row.sql.clone(),
                    outcome: row
                        .fingerprint
                        .clone()
                        .or_else(|| row.status.clone())
                        .unwrap_or_default(),
                });
                of(&reliability(&attempts.collect::<Vec<Attempt>>()))
            }
        }
    }
}

/// The mean; `None` of nothing.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u32);
    for value in values {
        sum += value;
        count += 1;
    }
    (count > 0).then(|| sum / f64::from(count))
}

fn truth(value: bool) -> f64 {
    f64::from(u8::from(value))
}

fn element(row: &AttemptRow, read: fn(&Components) -> Option<f64>) -> Option<f64> {
    read(row.em.as_ref()?)
}

/// Every measure, in the order of reports. The names are part of the interface.
pub const MEASURES: &[Measure] = &[
    Measure::rate("accuracy", "accuracy", |row| Some(truth(row.is_right()))),
    Measure::rate("answered", "answered", |row| {
        Some(truth(row.status.as_deref()? == "ok"))
    }),
    Measure::rate("valid_syntax", "valid syntax", |row| {
        row.valid_syntax.map(truth)
    }),
    Measure::rate("valid_names", "valid names", |row| {
        row.valid_names.map(truth)
    }),
    Measure::rate("valid", "valid, runs (VA)", |row| row.valid.map(truth)),
    Measure::rate("ex", "execution accuracy (EX)", |row| row.ex.map(truth)),
    Measure::rate("ex_robust", "EX on perturbed copies", |row| {
        row.robust.map(truth)
    }),
    Measure::rate("test_suite", "test-suite accuracy", |row| {
        row.test_suite.map(truth)
    }),
    Measure::share("ea_share", "EA share", |row| row.ea_share),
    Measure::rate("em_rate", "EM rate", |row| {
        Some(truth(row.em.as_ref()?.is_equal))
    }),
    Measure::share("em_share", "EM share", |row| row.em_share),
    Measure::share("em_tables", "EM of tables", |row| {
        element(row, |em| em.tables)
    }),
    Measure::share("em_columns", "EM of columns", |row| {
        element(row, |em| em.columns)
    }),
    Measure::share("em_operations", "EM of operations", |row| {
        element(row, |em| em.operations)
    }),
    Measure::share("em_dates", "EM of dates", |row| element(row, |em| em.dates)),
    Measure::share("em_sort", "EM of sort directions", |row| {
        element(row, |em| em.sort)
    }),
    Measure::share("em_limit", "EM of the limit", |row| {
        element(row, |em| em.limit)
    }),
    Measure::share("similarity", "lexical similarity", |row| row.similarity),
    Measure::share("columns_identified", "columns identified", |row| {
        row.columns_identified
    }),
    Measure::share("table_precision", "table precision", |row| {
        row.context_tables.as_ref()?.precision
    }),
    Measure::share("table_recall", "table recall", |row| {
        row.context_tables.as_ref()?.recall
    }),
    Measure::share("column_precision", "column precision", |row| {
        row.context_columns.as_ref()?.precision
    }),
    Measure::share("column_recall", "column recall", |row| {
        row.context_columns.as_ref()?.recall
    }),
    Measure::rate("router_accuracy", "router accuracy", |row| {
        row.is_of_its_kind().map(truth)
    }),
    Measure::share("context_precision", "context precision", |row| {
        row.context_precision
    }),
    Measure::share("context_recall", "context recall", |row| row.context_recall),
    Measure::share("lexical_relevancy", "lexical relevancy", |row| {
        row.lexical_relevancy
    }),
    Measure::share("lexical_faithfulness", "lexical faithfulness", |row| {
        row.lexical_faithfulness
    }),
    Measure::share(
        "lexical_text_faithfulness",
        "lexical text faithfulness",
        |row| row.lexical_text_faithfulness,
    ),
    Measure::share("text_relevancy", "text relevancy", |row| row.text_relevancy),
    Measure::share("faithfulness", "faithfulness", |row| row.faithfulness),
    Measure::share("answer_relevancy", "answer relevancy", |row| {
        row.answer_relevancy
    }),
    Measure::repeats("sql_agreement", "SQL agreement of repeats", |found| {
        found.sql_agreement
    }),
    Measure::repeats("result_agreement", "result agreement of repeats", |found| {
        found.result_agreement
    }),
    Measure::repeats(
        "reliability",
        "reliability (mean cosine of repeats)",
        |found| found.mean_cosine,
    ),
    Measure::amount("model_calls", "model calls", |row| {
        row.model_calls.map(|n| n as f64)
    }),
    Measure::amount("tokens", "tokens", |row| {
        Some((row.input_tokens? + row.output_tokens.unwrap_or_default()) as f64)
    }),
    Measure::amount("cost", "cost", |row| row.cost),
    Measure::amount("milliseconds", "milliseconds", |row| row.milliseconds),
];
