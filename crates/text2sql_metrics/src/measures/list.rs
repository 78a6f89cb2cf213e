//! The measures.

use crate::evaluation_data::{AttemptRow, Components};
use crate::reliability::{Attempt, Reliability, reliability};
use text2sql_domain::named_enum;

named_enum! {
    /// What a measure is, which decides how differences of it are tested.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Kind {
        /// Yes or no for an attempt: McNemar's test.
        Rate = "rate",
        /// From 0 to 1 for an attempt: Wilcoxon's signed-rank test.
        Share = "share",
        /// Any number from 0, such as tokens: the same test.
        Amount = "amount",
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

/// `Kind "name", "title": where its value is from;`
macro_rules! measures {
    ($($kind:ident $name:literal, $title:literal: $from:ident($of:expr);)+) => {
        /// Every measure, in the order of reports. The names are part of the interface.
        pub const MEASURES: &[Measure] = &[
            $(Measure {
                name: $name,
                title: $title,
                kind: Kind::$kind,
                of: Of::$from($of),
            },)+
        ];
    };
}

measures! {
    Rate "accuracy", "accuracy": Attempt(|row| Some(truth(row.is_right())));
    Rate "answered", "answered": Attempt(|row| Some(truth(row.status.as_deref()? == "ok")));
    Rate "valid_syntax", "valid syntax": Attempt(|row| row.valid_syntax.map(truth));
    Rate "valid_names", "valid names": Attempt(|row| row.valid_names.map(truth));
    Rate "valid", "valid, runs (VA)": Attempt(|row| row.valid.map(truth));
    Rate "ex", "execution accuracy (EX)": Attempt(|row| row.ex.map(truth));
    Rate "ex_robust", "EX on perturbed copies": Attempt(|row| row.robust.map(truth));
    Rate "test_suite", "test-suite accuracy": Attempt(|row| row.test_suite.map(truth));
    Share "ea_share", "EA share": Attempt(|row| row.ea_share);
    Rate "em_rate", "EM rate": Attempt(|row| Some(truth(row.em.as_ref()?.is_equal)));
    Share "em_share", "EM share": Attempt(|row| row.em_share);
    Share "em_tables", "EM of tables": Attempt(|row| element(row, |em| em.tables));
    Share "em_columns", "EM of columns": Attempt(|row| element(row, |em| em.columns));
    Share "em_operations", "EM of operations": Attempt(|row| element(row, |em| em.operations));
    Share "em_dates", "EM of dates": Attempt(|row| element(row, |em| em.dates));
    Share "em_sort", "EM of sort directions": Attempt(|row| element(row, |em| em.sort));
    Share "em_limit", "EM of the limit": Attempt(|row| element(row, |em| em.limit));
    Share "similarity", "lexical similarity": Attempt(|row| row.similarity);
    Share "columns_identified", "columns identified": Attempt(|row| row.columns_identified);
    Share "table_precision", "table precision":
        Attempt(|row| row.context_tables.as_ref()?.precision);
    Share "table_recall", "table recall": Attempt(|row| row.context_tables.as_ref()?.recall);
    Share "column_precision", "column precision":
        Attempt(|row| row.context_columns.as_ref()?.precision);
    Share "column_recall", "column recall": Attempt(|row| row.context_columns.as_ref()?.recall);
    Rate "router_accuracy", "router accuracy": Attempt(|row| row.is_of_its_kind().map(truth));
    Share "context_precision", "context precision": Attempt(|row| row.context_precision);
    Share "context_recall", "context recall": Attempt(|row| row.context_recall);
    Share "lexical_relevancy", "lexical relevancy": Attempt(|row| row.lexical_relevancy);
    Share "lexical_faithfulness", "lexical faithfulness": Attempt(|row| row.lexical_faithfulness);
    Share "lexical_text_faithfulness", "lexical text faithfulness":
        Attempt(|row| row.lexical_text_faithfulness);
    Share "text_relevancy", "text relevancy": Attempt(|row| row.text_relevancy);
    Share "faithfulness", "faithfulness": Attempt(|row| row.faithfulness);
    Share "answer_relevancy", "answer relevancy": Attempt(|row| row.answer_relevancy);
    Share "relevance", "relevance of the result": Attempt(|row| row.relevance);
    Share "sentence_relevancy", "relevancy of the sentence (vectors)":
        Attempt(|row| row.sentence_relevancy);
    Share "vector_similarity", "similarity of the SQL (vectors)":
        Attempt(|row| row.vector_similarity);
    Share "sql_agreement", "SQL agreement of repeats": Repeats(|found| found.sql_agreement);
    Share "result_agreement", "result agreement of repeats":
        Repeats(|found| found.result_agreement);
    Share "reliability", "reliability (mean cosine of repeats)": Repeats(|found| found.mean_cosine);
    Amount "repairs", "repairs": Attempt(|row| row.repairs.map(|n| n as f64));
    Amount "model_calls", "model calls": Attempt(|row| row.model_calls.map(|n| n as f64));
    Amount "tokens", "tokens":
        Attempt(|row| Some((row.input_tokens? + row.output_tokens.unwrap_or_default()) as f64));
    Amount "cost", "cost": Attempt(|row| row.cost);
    Amount "milliseconds", "milliseconds": Attempt(|row| row.milliseconds);
}
