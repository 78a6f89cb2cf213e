//! Grades one attempt at one case from facts alone. The extension collects the facts (it runs gold and
//! candidate), this module computes all metrics.

use std::collections::BTreeSet;

use serde::Serialize;

use super::case_context::{Retrieved, columns_identified, retrieved};
use super::components::components;
use super::element_accuracy::element_accuracy;
use super::exact_match::{ExactMatch, exact_match};
use super::execution_accuracy::{RowOrder, equal_results};
use super::passages::{FromTexts, GoldText, TextFigures, cites_gold, figures};
use super::reasons::{Ended, reasons_for_rows, reasons_for_sql, reasons_without_rows};
use super::result_table::{Comparison, ResultTable};
use super::sentences::{lexical_faithfulness, lexical_relevancy};
use super::similarity::similarity;
use super::validity::Validity;

/// A gold statement that ran.
#[derive(Debug, Clone)]
pub struct Gold {
    /// Its text.
    pub sql: String,
    /// Its rows.
    pub rows: ResultTable,
    /// Tables that it reads, as `schema.name`.
    pub tables: BTreeSet<String>,
    /// Columns that it reads, as `schema.name.column`.
    pub columns: BTreeSet<String>,
}

/// The answer to a question.
#[derive(Debug, Clone, Default)]
pub struct Candidate {
    /// The status of the answer.
    pub status: String,
    /// The last statement, if there was one.
    pub sql: Option<String>,
    /// Its rows.
    pub rows: Option<ResultTable>,
    /// The sentence of the answer.
    pub sentence: Option<String>,
    /// The statement in words.
    pub explanation: Option<String>,
    /// SQLSTATE of the database's error, if there was one.
    pub sqlstate: Option<String>,
    /// Tables shown to the model, best first; `None` if no model was called.
    pub shown_tables: Option<Vec<String>>,
    /// Columns shown to the model.
    pub shown_columns: Option<Vec<String>>,
    /// What it has from texts.
    pub texts: FromTexts,
}

/// What a case expects.
#[derive(Debug, Clone)]
pub struct Expected<'a> {
    /// The question.
    pub question: &'a str,
    /// The expected status.
    pub status: &'a str,
    /// Accepted statements; empty if the expected status is not `ok`.
    pub gold: &'a [Gold],
    /// Whether the order of rows counts; `None` derives it from the gold: it counts if the gold sorts.
    pub ordered: Option<bool>,
    /// How results are compared.
    pub comparison: &'a Comparison,
    /// The texts that answer the question; empty if it is one to the tables.
    pub texts: &'a [GoldText],
}

/// The verdict on an attempt. The words are part of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The expected rows, or the expected refusal.
    Right,
    /// Other rows, or rows where a refusal was expected.
    Wrong,
    /// No answer, although one exists.
    Declined,
    /// A statement was written but could not run.
    Failed,
}

/// The figures of one attempt. `None` means "does not apply".
#[derive(Debug, Clone, Serialize)]
pub struct Grade {
    /// How it ended.
    pub verdict: Verdict,
    /// Whether the statement is one of PostgreSQL's grammar; `None` without one.
    pub valid_syntax: Option<bool>,
    /// Whether all names in it are found as well.
    pub valid_names: Option<bool>,
    /// VA: whether it passed the guard and ran as well.
    pub valid: Option<bool>,
    /// EX: whether the rows are correct; `None` where no rows are expected.
    pub ex: Option<bool>,
    /// Number of matching elements.
    pub ea_matching: Option<usize>,
    /// Number of expected elements.
    pub ea_expected: Option<usize>,
    /// EA share.
    pub ea_share: Option<f64>,
    /// The shares of the six components.
    pub em: Option<ExactMatch>,
    /// EM share.
    pub em_share: Option<f64>,
    /// Cosine of gold and candidate.
    pub similarity: Option<f64>,
    /// Share of the gold's result columns that the candidate has.
    pub columns_identified: Option<f64>,
    /// Context precision and recall of tables.
    pub context_tables: Retrieved,
    /// Context precision and recall of columns.
    pub context_columns: Retrieved,
    /// Similarity of the answer to the question.
    pub lexical_relevancy: Option<f64>,
    /// Share of the sentence's claims supported by the rows.
    pub lexical_faithfulness: Option<f64>,
    /// Figures about texts.
    #[serde(flatten)]
    pub texts: TextFigures,
    /// The reasons, if it is not correct, most significant first.
    pub reasons: Vec<String>,
    /// Fingerprint of the candidate's rows, to measure agreement over repeats.
    pub fingerprint: Option<String>,
    /// Number of rows of the candidate.
    pub row_count: Option<usize>,
    /// Number of rows of the gold.
    pub gold_row_count: Option<usize>,
    /// Index of the accepted statement that was used, from 0.
    pub gold_number: Option<usize>,
}

/// Grades an attempt.
pub fn grade(expected: &Expected<'_>, candidate: &Candidate) -> Grade {
    let mut grade = measure_by_gold(expected, candidate);
    if candidate.sql.is_some() {
        let validity = Validity::of(candidate.sqlstate.as_deref(), candidate.rows.is_some());
        grade.valid_syntax = Some(validity.syntax);
        grade.valid_names = Some(validity.names);
        grade.valid = Some(validity.execution);
    }
    if let Some(rows) = &candidate.rows {
        grade.row_count = Some(rows.rows.len());
        let words = [
            candidate.explanation.as_deref(),
            candidate.sentence.as_deref(),
        ];
        let words: Vec<&str> = words.into_iter().flatten().collect();
        if !words.is_empty() {
            grade.lexical_relevancy = Some(lexical_relevancy(expected.question, &words.join(" ")));
        }
        grade.lexical_faithfulness = candidate
            .sentence
            .as_deref()
            .and_then(|sentence| lexical_faithfulness(sentence, expected.question, rows));
    }
    let rows = candidate.rows.as_ref().map(ResultTable::as_text);
    grade.texts = figures(
        expected.question,
        candidate.sentence.as_deref(),
        &candidate.texts,
        expected.texts,
        rows.as_deref(),
    );
    grade.verdict = verdict(expected, candidate, &mut grade.reasons, grade.ex);
    grade
}

/// The verdict; `reasons` are those of rows and statement, and become those of the verdict.
fn verdict(
    expected: &Expected<'_>,
    candidate: &Candidate,
    reasons: &mut Vec<String>,
    ex: Option<bool>,
) -> Verdict {
    let is_ok = candidate.status == "ok";
    if expected.status != "ok" {
        if candidate.status == expected.status {
            return Verdict::Right;
        }
        *reasons = vec![match is_ok {
            true => format!("answered: {} is right", expected.status),
            false => format!(
                "refused: {}, {} is right",
                candidate.status, expected.status
            ),
        }];
        return match is_ok {
            true => Verdict::Wrong,
            false => Verdict::Declined,
        };
    }
    let has_texts = expected.texts.is_empty() || cites_gold(&candidate.texts.cited, expected.texts);
    let has_rows = expected.gold.is_empty() || ex == Some(true);
    if has_rows {
        reasons.clear();
    }
    if is_ok && has_rows && has_texts {
        return Verdict::Right;
    }
    if candidate.rows.is_some() || (is_ok && !candidate.texts.cited.is_empty()) {
        if candidate.rows.is_none() && !expected.gold.is_empty() {
            *reasons = vec!["no rows".to_owned()];
        }
        if !has_texts {
            reasons.push("no gold text".to_owned());
        }
        return Verdict::Wrong;
    }
    let mut found = reasons_without_rows(Ended {
        status: &candidate.status,
        sqlstate: candidate.sqlstate.as_deref(),
    });
    found.append(reasons);
    *reasons = found;
    match candidate.status.as_str() {
        "failed" | "blocked" => Verdict::Failed,
        _ => Verdict::Declined,
    }
}

/// The figures that need a gold statement: compared with the one that matches, else with the nearest.
fn measure_by_gold(expected: &Expected<'_>, candidate: &Candidate) -> Grade {
    let measured = expected.gold.iter().enumerate().map(|(number, gold)| {
        let mut grade = measure(expected, gold, candidate);
        grade.gold_number = Some(number);
        grade
    });
    let rank = |grade: &Grade| {
        (
            grade.ex == Some(true),
            grade.ea_share.unwrap_or(0.0),
            grade.em_share.unwrap_or(0.0),
        )
    };
    let best = measured.reduce(|best, other| {
        if rank(&other).partial_cmp(&rank(&best)) == Some(std::cmp::Ordering::Greater) {
            other
        } else {
            best
        }
    });
    best.unwrap_or_else(|| Grade {
        fingerprint: candidate.rows.as_ref().map(|rows| rows.fingerprint(false)),
        ..Grade::empty()
    })
}

fn measure(expected: &Expected<'_>, gold: &Gold, candidate: &Candidate) -> Grade {
    let parts = components(&gold.sql);
    let sort_keys = parts
        .as_ref()
        .map(|parts| parts.sort_keys.clone())
        .unwrap_or_default();
    let sorts = parts.as_ref().is_some_and(|parts| !parts.sort.is_empty());
    let order = RowOrder {
        // Sort keys that are not in the result cannot be checked in the rows: then the order counts only if the
        // case requires it.
        counts: expected.ordered.unwrap_or(sorts && !sort_keys.is_empty()),
        keys: sort_keys,
    };
    let mut grade = Grade {
        ex: Some(false),
        gold_row_count: Some(gold.rows.rows.len()),
        ..Grade::empty()
    };
    if let Some(rows) = &candidate.rows {
        let comparison = expected.comparison;
        let is_equal = equal_results(&gold.rows, rows, &order, comparison).is_some();
        grade.ex = Some(is_equal);
        let elements = element_accuracy(
            &gold.rows,
            rows,
            order.counts && order.keys.is_empty(),
            comparison,
        );
        grade.ea_matching = Some(if is_equal {
            elements.expected
        } else {
            elements.matching
        });
        grade.ea_expected = Some(elements.expected);
        grade.ea_share = Some(if is_equal {
            1.0
        } else {
            elements.share(rows.rows.is_empty())
        });
        grade.columns_identified = columns_identified(&gold.rows, rows, comparison);
        grade.fingerprint = Some(rows.fingerprint(order.counts));
        if !is_equal {
            grade.reasons = reasons_for_rows(&gold.rows, rows, &order, comparison);
            if gold.rows.is_truncated || rows.is_truncated {
                grade.reasons.push("cut result".to_owned());
            }
        }
    } else {
        grade.ea_matching = Some(0);
        grade.ea_expected = Some(gold.rows.rows.len() * gold.rows.width());
        grade.ea_share = Some(0.0);
        grade.columns_identified = Some(0.0);
    }
    if let Some(sql) = &candidate.sql {
        grade.similarity = Some(similarity(&gold.sql, sql));
        if let (Some(ours), Some(theirs)) = (&parts, components(sql)) {
            let found = exact_match(ours, &theirs);
            grade.em_share = Some(found.share());
            grade.em = Some(found);
            if grade.ex != Some(true) {
                grade.reasons.extend(reasons_for_sql(ours, &theirs));
            }
        }
    }
    if let Some(shown) = &candidate.shown_tables {
        grade.context_tables = retrieved(shown, &gold.tables);
    }
    if let Some(shown) = &candidate.shown_columns {
        grade.context_columns = retrieved(shown, &gold.columns);
    }
    grade
}

impl Grade {
    fn empty() -> Self {
        Self {
            verdict: Verdict::Wrong,
            valid_syntax: None,
            valid_names: None,
            valid: None,
            ex: None,
            ea_matching: None,
            ea_expected: None,
            ea_share: None,
            em: None,
            em_share: None,
            similarity: None,
            columns_identified: None,
            context_tables: Retrieved::default(),
            context_columns: Retrieved::default(),
            lexical_relevancy: None,
            lexical_faithfulness: None,
            texts: TextFigures::default(),
            reasons: Vec::new(),
            fingerprint: None,
            row_count: None,
            gold_row_count: None,
            gold_number: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::result_table::tests::table;
    use super::*;

    fn gold(sql: &str, rows: ResultTable) -> Gold {
        Gold {
            sql: sql.into(),
            rows,
            tables: BTreeSet::from(["public.t".to_owned()]),
            columns: BTreeSet::from(["public.t.a".to_owned()]),
        }
    }

    fn answered(sql: &str, rows: ResultTable) -> Candidate {
        Candidate {
            status: "ok".into(),
            sql: Some(sql.into()),
            rows: Some(rows),
            shown_tables: Some(vec!["public.t".into(), "public.u".into()]),
            ..Candidate::default()
        }
    }

    fn graded(gold: &[Gold], status: &str, candidate: &Candidate) -> Grade {
        let comparison = Comparison::default();
        grade(
            &Expected {
                question: "Which?",
                status,
                gold,
                ordered: None,
                comparison: &comparison,
                texts: &[],
            },
            candidate,
        )
    }

    #[test]
    fn the_gold_that_is_met_counts() {
        let golds = [
            gold("SELECT b FROM t", table("b", &["7"])),
            gold("SELECT a FROM t", table("a", &["1", "2"])),
        ];
        let found = graded(
            &golds,
            "ok",
            &answered("SELECT a FROM t", table("a", &["2", "1"])),
        );
        assert_eq!(
            (found.verdict, found.ex, found.gold_number),
            (Verdict::Right, Some(true), Some(1))
        );
        assert_eq!(
            (found.em_share, found.ea_share, found.valid),
            (Some(1.0), Some(1.0), Some(true))
        );
        assert_eq!(found.context_tables.precision, Some(0.5));
        assert!(found.reasons.is_empty());
    }

    #[test]
    fn wrong_rows_have_reasons_about_rows_and_statement() {
        let golds = [gold(
            "SELECT a FROM t WHERE c = 'x'",
            table("a", &["1", "2"]),
        )];
        let found = graded(
            &golds,
            "ok",
            &answered("SELECT a FROM t WHERE c = 'y'", table("a", &["1"])),
        );
        assert_eq!(found.verdict, Verdict::Wrong);
        assert_eq!(found.reasons, ["missing rows", "wrong literal"]);
        assert_eq!(found.ea_share, Some(0.5));
    }

    #[test]
    fn the_order_of_the_gold_counts_unless_the_case_overrides_it() {
        let golds = [gold("SELECT a FROM t ORDER BY a", table("a", &["1", "2"]))];
        let turned = answered("SELECT a FROM t", table("a", &["2", "1"]));
        assert_eq!(
            graded(&golds, "ok", &turned).reasons.first().unwrap(),
            "order differs"
        );
        let comparison = Comparison::default();
        let lenient = Expected {
            question: "Which?",
            status: "ok",
            gold: &golds,
            ordered: Some(false),
            comparison: &comparison,
            texts: &[],
        };
        assert_eq!(grade(&lenient, &turned).verdict, Verdict::Right);
    }

    #[test]
    fn refusals_are_right_where_they_are_due() {
        let refused = |status: &str| Candidate {
            status: status.into(),
            ..Candidate::default()
        };
        assert_eq!(
            graded(&[], "ambiguous", &refused("ambiguous")).verdict,
            Verdict::Right
        );
        let other = graded(&[], "ambiguous", &refused("unanswerable"));
        assert_eq!((other.verdict, other.reasons.len()), (Verdict::Declined, 1));
        let wrongly = graded(
            &[],
            "unanswerable",
            &answered("SELECT 1", table("a", &["1"])),
        );
        assert_eq!(wrongly.verdict, Verdict::Wrong);
        assert_eq!(wrongly.reasons, ["answered: unanswerable is right"]);
        let golds = [gold("SELECT a FROM t", table("a", &["1"]))];
        let declined = graded(&golds, "ok", &refused("unanswerable"));
        assert_eq!(
            (declined.verdict, declined.ea_share),
            (Verdict::Declined, Some(0.0))
        );
        let failed = Candidate {
            sql: Some("SELECT x FROM t".into()),
            sqlstate: Some("42703".into()),
            ..refused("failed")
        };
        let failed = graded(&golds, "ok", &failed);
        assert_eq!(
            (failed.verdict, failed.valid),
            (Verdict::Failed, Some(false))
        );
        assert_eq!(
            failed.reasons,
            ["error: unknown column", "wrong column: without t.a"]
        );
    }
}
