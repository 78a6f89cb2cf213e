//! The figures of an evaluation: shares of its cases with intervals, means over its attempts, groups,
//! reasons, times; and the comparison of two evaluations. The same figures as in the views of
//! `sql/schema/text2sql_eval/figures.sql`, for programs that process evaluations of several databases.

use std::collections::BTreeMap;
use text2sql_domain::words;

use serde::Serialize;

use super::calibration::{Calibration, Ending, Refusals, calibration, refusals};
use super::evaluation_data::{AttemptRow, EvaluationData};
use super::reliability::{Attempt, Reliability, mean, reliability};
use crate::significance::mcnemar;
use text2sql_domain::interval::wilson;

/// A share of cases with its interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Share {
    /// Number of cases.
    pub cases: usize,
    /// Number of correct ones; a case that is correct in half of its repeats counts half.
    pub right: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Share {
    fn of(rights: &[f64]) -> Self {
        let right = rights.iter().sum();
        let (low, high) = wilson(right, rights.len() as f64).unwrap_or((0.0, 1.0));
        Self {
            cases: rights.len(),
            right,
            low,
            high,
        }
    }

    /// The share as a fraction.
    pub fn value(&self) -> f64 {
        if self.cases == 0 {
            0.0
        } else {
            self.right / self.cases as f64
        }
    }
}

/// The figures of an evaluation.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Summary {
    /// The share of correct cases.
    pub accuracy: Share,
    /// The share of correct answers (status ok).
    pub precision: Share,
    /// Share of attempts that were answered.
    pub answered: Option<f64>,
    /// Cases whose gold no longer runs: reported but not counted.
    pub broken: usize,
    /// Number of waiting attempts.
    pub waiting: usize,
    /// Means over the attempts, by name, in display order.
    pub means: Vec<(&'static str, Option<f64>)>,
    /// Refusals.
    pub refusals: Refusals,
    /// Agreement over repeats, averaged over the cases.
    pub reliability: Reliability,
    /// Calibration, if there is a confidence.
    pub calibration: Option<Calibration>,
    /// Accuracy by database, level, style, expected status, tag and kind.
    pub groups: Vec<(&'static str, String, Share)>,
    /// Number of attempts by verdict.
    pub verdicts: BTreeMap<String, usize>,
    /// Reasons, most frequent first.
    pub reasons: Vec<(String, usize)>,
    /// Mean and 95th percentile of the milliseconds by stage.
    pub stages: Vec<(String, f64, f64)>,
    /// Mean milliseconds of an attempt.
    pub milliseconds: Option<f64>,
    /// Number of completions requested.
    pub model_calls: i64,
    /// Input and output tokens.
    pub tokens: (i64, i64),
    /// What they cost, if the models have prices in one currency.
    pub cost: Option<(f64, String)>,
}

type Cases<'a> = BTreeMap<(String, String), Vec<&'a AttemptRow>>;

fn cases(data: &EvaluationData) -> Cases<'_> {
    let mut cases = Cases::new();
    for row in data.results.iter().filter(|row| row.state == "done") {
        cases.entry(row.full_key()).or_default().push(row);
    }
    cases
}

fn share_right(attempts: &[&AttemptRow]) -> f64 {
    let right = attempts.iter().filter(|row| row.is_right()).count();
    right as f64 / attempts.len().max(1) as f64
}

/// Computes the figures of an evaluation.
pub fn summarise(data: &EvaluationData) -> Summary {
    let done: Vec<&AttemptRow> = data
        .results
        .iter()
        .filter(|row| row.state == "done")
        .collect();
    let cases = cases(data);
    let rights: Vec<f64> = cases
        .values()
        .map(|attempts| share_right(attempts))
        .collect();
    let of = |read: &dyn Fn(&AttemptRow) -> Option<f64>| {
        mean(
            &done
                .iter()
                .filter_map(|row| read(row))
                .collect::<Vec<f64>>(),
        )
    };
    let truth = |value: Option<bool>| value.map(|value| f64::from(u8::from(value)));
    let answered: Vec<f64> = done
        .iter()
        .filter(|row| row.status.as_deref() == Some("ok"))
        .map(|row| f64::from(u8::from(row.is_right())))
        .collect();
    let count = |state: &str| data.results.iter().filter(|row| row.state == state).count();
    let means: Vec<(&'static str, Option<f64>)> = vec![
        ("valid syntax", of(&|row| truth(row.valid_syntax))),
        ("valid names", of(&|row| truth(row.valid_names))),
        ("VA", of(&|row| truth(row.valid))),
        ("EX", of(&|row| truth(row.ex))),
        ("EX robust", of(&|row| truth(row.robust))),
        ("test-suite accuracy", of(&|row| truth(row.test_suite))),
        ("EA share", of(&|row| row.ea_share)),
        ("EM share", of(&|row| row.em_share)),
        (
            "EM rate",
            of(&|row| truth(row.em.as_ref().map(|em| em.is_equal))),
        ),
        ("lexical similarity", of(&|row| row.similarity)),
        ("columns identified", of(&|row| row.columns_identified)),
        (
            "table precision",
            of(&|row| row.context_tables.as_ref()?.precision),
        ),
        (
            "table recall",
            of(&|row| row.context_tables.as_ref()?.recall),
        ),
        (
            "column precision",
            of(&|row| row.context_columns.as_ref()?.precision),
        ),
        (
            "column recall",
            of(&|row| row.context_columns.as_ref()?.recall),
        ),
        ("lexical relevancy", of(&|row| row.lexical_relevancy)),
        ("lexical faithfulness", of(&|row| row.lexical_faithfulness)),
        ("router accuracy", of(&|row| truth(row.is_of_its_kind()))),
        ("context precision", of(&|row| row.context_precision)),
        ("context recall", of(&|row| row.context_recall)),
        (
            "lexical text faithfulness",
            of(&|row| row.lexical_text_faithfulness),
        ),
        ("text relevancy", of(&|row| row.text_relevancy)),
        ("faithfulness", of(&|row| row.faithfulness)),
        ("answer relevancy", of(&|row| row.answer_relevancy)),
        ("relevance of the result", of(&|row| row.relevance)),
        (
            "relevancy of the sentence (vectors)",
            of(&|row| row.sentence_relevancy),
        ),
        (
            "similarity of the SQL (vectors)",
            of(&|row| row.vector_similarity),
        ),
    ];
    let endings: Vec<Ending<'_>> = done
        .iter()
        .map(|row| Ending {
            expected: &row.expected_status,
            found: row.status.as_deref().unwrap_or_default(),
        })
        .collect();
    let confidences: Vec<(f64, bool)> = done
        .iter()
        .filter_map(|row| {
            row.confidence
                .map(|confidence| (confidence, row.is_right()))
        })
        .collect();
    let sum =
        |read: &dyn Fn(&AttemptRow) -> Option<i64>| done.iter().filter_map(|row| read(row)).sum();
    let mut verdicts = BTreeMap::new();
    for row in &done {
        *verdicts
            .entry(row.verdict.clone().unwrap_or_default())
            .or_default() += 1;
    }
    Summary {
        accuracy: Share::of(&rights),
        precision: Share::of(&answered),
        answered: (!done.is_empty()).then(|| answered.len() as f64 / done.len() as f64),
        broken: count("broken"),
        waiting: count("waiting"),
        means,
        refusals: refusals(&endings),
        reliability: agreement(&cases),
        calibration: calibration(&confidences),
        groups: groups(&cases),
        verdicts,
        reasons: reasons(&done),
        stages: stages(&done),
        milliseconds: of(&|row| row.milliseconds),
        model_calls: sum(&|row| row.model_calls),
        tokens: (sum(&|row| row.input_tokens), sum(&|row| row.output_tokens)),
        cost: cost(&done),
    }
}

/// The sum of the costs; `None` if there are none, or in several currencies.
fn cost(rows: &[&AttemptRow]) -> Option<(f64, String)> {
    let mut costs = rows
        .iter()
        .filter_map(|row| Some((row.cost?, row.currency.as_deref()?)));
    let (first, currency) = costs.next()?;
    let sum = costs.try_fold(first, |sum, (cost, other)| {
        (other == currency).then_some(sum + cost)
    })?;
    Some((sum, currency.to_owned()))
}

/// A cost in words; empty if there is none.
pub fn cost_in_words(cost: Option<&(f64, String)>) -> String {
    match cost {
        Some((amount, currency)) => format!(", {amount:.4} {currency}"),
        None => String::new(),
    }
}

fn agreement(cases: &Cases<'_>) -> Reliability {
    let each: Vec<Reliability> = cases
        .values()
        .map(|attempts| {
            let attempts = attempts.iter().map(|row| Attempt {
                sql: row.sql.clone(),
                outcome: row
                    .fingerprint
                    .clone()
                    .or_else(|| row.status.clone())
                    .unwrap_or_default(),
            });
            reliability(&attempts.collect::<Vec<Attempt>>())
        })
        .collect();
    let of = |read: fn(&Reliability) -> Option<f64>| {
        mean(&each.iter().filter_map(read).collect::<Vec<f64>>())
    };
    Reliability {
        sql_agreement: of(|found| found.sql_agreement),
        result_agreement: of(|found| found.result_agreement),
        mean_cosine: of(|found| found.mean_cosine),
    }
}

fn groups(cases: &Cases<'_>) -> Vec<(&'static str, String, Share)> {
    let mut rights: BTreeMap<(usize, String), Vec<f64>> = BTreeMap::new();
    for attempts in cases.values() {
        let Some(row) = attempts.first() else {
            continue;
        };
        let mut add = |kind: usize, value: &str| {
            rights
                .entry((kind, value.to_owned()))
                .or_default()
                .push(share_right(attempts));
        };
        for (kind, value) in [&row.database, &row.level, &row.style]
            .into_iter()
            .enumerate()
        {
            if let Some(value) = value {
                add(kind, value);
            }
        }
        add(3, &row.expected_status);
        for tag in &row.tags {
            add(4, tag);
        }
        if let Some(kind) = &row.expected_kind {
            add(5, kind);
        }
    }
    const KINDS: [&str; 6] = *words!("database, level, style, expected status, tag, kind");
    rights
        .into_iter()
        .filter_map(|((kind, value), rights)| Some((*KINDS.get(kind)?, value, Share::of(&rights))))
        .collect()
}

fn reasons(done: &[&AttemptRow]) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for row in done.iter().filter(|row| !row.is_right()) {
        for reason in row.reasons.iter().flatten() {
            // "wrong table: without orders" is counted by its kind; "error: unknown column" as a whole.
            let kind = match reason.split_once(": ") {
                Some((kind, _)) if kind.starts_with("wrong ") => kind,
                _ => reason,
            };
            *counts.entry(kind.to_owned()).or_default() += 1;
        }
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    counts
}

fn stages(done: &[&AttemptRow]) -> Vec<(String, f64, f64)> {
    let mut times: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (stage, milliseconds) in done.iter().flat_map(|row| row.stages.iter().flatten()) {
        times.entry(stage).or_default().push(*milliseconds);
    }
    let mut stages: Vec<(String, f64, f64)> = times
        .into_iter()
        .map(|(stage, mut times)| {
            times.sort_by(f64::total_cmp);
            let place = (times.len().saturating_sub(1) as f64 * 0.95).round() as usize;
            let high = times.get(place).copied().unwrap_or_default();
            (stage.to_owned(), mean(&times).unwrap_or_default(), high)
        })
        .collect();
    // In the order of the pipeline for known stages.
    const ORDER: [&str; 7] =
        *words!("interpret, retrieve, prompt, generate, execute, judge, answer");
    stages.sort_by_key(|(stage, _, _)| {
        ORDER
            .iter()
            .position(|known| known == stage)
            .unwrap_or(ORDER.len())
    });
    stages
}

/// Compares two evaluations of the same cases.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Difference {
    /// Number of cases in both.
    pub cases: usize,
    /// Accuracy of the earlier evaluation over them.
    pub before: f64,
    /// Accuracy of the later evaluation over them.
    pub after: f64,
    /// Cases that are correct only in the earlier evaluation: database, key, question.
    pub lost: Vec<(String, String, String)>,
    /// Cases that are correct only in the later evaluation.
    pub won: Vec<(String, String, String)>,
    /// McNemar's mid-p.
    pub p_mid: f64,
    /// McNemar's exact p.
    pub p_exact: f64,
}

/// Compares two evaluations, case by case.
pub fn compare(before: &EvaluationData, after: &EvaluationData) -> Difference {
    let (before, after) = (cases(before), cases(after));
    let mut found = Difference::default();
    let (mut rights_before, mut rights_after) = (Vec::new(), Vec::new());
    for (key, attempts) in &after {
        let Some(earlier) = before.get(key) else {
            continue;
        };
        let (one, other) = (share_right(earlier), share_right(attempts));
        rights_before.push(one);
        rights_after.push(other);
        let question = attempts
            .first()
            .map(|row| row.question.clone())
            .unwrap_or_default();
        let case = (key.0.clone(), key.1.clone(), question);
        match (one >= 0.5, other >= 0.5) {
            (true, false) => found.lost.push(case),
            (false, true) => found.won.push(case),
            _ => {}
        }
    }
    let count = |cases: &[(String, String, String)]| u32::try_from(cases.len()).unwrap_or(u32::MAX);
    let test = mcnemar(count(&found.lost), count(&found.won));
    found.cases = rights_after.len();
    found.before = mean(&rights_before).unwrap_or_default();
    found.after = mean(&rights_after).unwrap_or_default();
    (found.p_mid, found.p_exact) = (test.mid_p, test.exact);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(key: &str, attempt: i64, verdict: &str, status: &str) -> AttemptRow {
        AttemptRow {
            key: key.into(),
            attempt,
            state: "done".into(),
            expected_status: "ok".into(),
            status: Some(status.into()),
            verdict: Some(verdict.into()),
            level: Some("easy".into()),
            reasons: Some(vec!["wrong table: without t".into()]),
            ..AttemptRow::default()
        }
    }

    fn run(results: Vec<AttemptRow>) -> EvaluationData {
        EvaluationData {
            results,
            ..EvaluationData::default()
        }
    }

    #[test]
    fn repeats_count_by_their_share() {
        let broken = AttemptRow {
            key: "z".into(),
            state: "broken".into(),
            ..AttemptRow::default()
        };
        let found = summarise(&run(vec![
            row("a", 1, "right", "ok"),
            row("a", 2, "wrong", "ok"),
            row("b", 1, "right", "ok"),
            row("b", 2, "right", "ok"),
            row("c", 1, "declined", "unanswerable"),
            row("c", 2, "declined", "unanswerable"),
            broken,
        ]));
        assert_eq!(
            (found.accuracy.cases, found.accuracy.right, found.broken),
            (3, 1.5, 1)
        );
        assert_eq!((found.precision.cases, found.precision.right), (4, 3.0));
        assert_eq!(found.answered, Some(4.0 / 6.0));
        assert_eq!(found.reasons, [("wrong table".to_owned(), 3)]);
        let levels: Vec<_> = found
            .groups
            .iter()
            .filter(|group| group.0 == "level")
            .collect();
        assert_eq!((levels.len(), levels[0].2.right), (1, 1.5));
    }

    #[test]
    fn runs_are_compared_over_the_cases_of_both() {
        let before = run(vec![
            row("a", 1, "right", "ok"),
            row("b", 1, "wrong", "ok"),
            row("x", 1, "right", "ok"),
        ]);
        let after = run(vec![
            row("a", 1, "wrong", "ok"),
            row("b", 1, "right", "ok"),
            row("c", 1, "right", "ok"),
        ]);
        let found = compare(&before, &after);
        assert_eq!((found.cases, found.before, found.after), (2, 0.5, 0.5));
        assert_eq!(
            (found.lost.len(), found.won.len(), found.p_exact),
            (1, 1, 1.0)
        );
    }
}
