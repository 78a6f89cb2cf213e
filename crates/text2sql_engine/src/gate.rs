//! The gate: what keeps a query that ran from being the answer, in the words of a repair and in those of a warning.
//!
//! Each trigger acts by itself: a finding that is certain, a query off topic, an opinion below its threshold, a
//! completeness below its own, a low total, a result that holds nothing because of the query.
//! `repair_on` says which of them send a query back. Where no repair is left, or none helped, the caller is
//! warned.

use std::sync::Arc;

use crate::empty_result::{EmptyResult, Nothing};
use crate::query_judge::{Category, Sight, feedback};
use crate::scoring::{Facts, asks_for};
use text2sql_analysis::findings::{Check, Finding, Suspicions};
use text2sql_domain::config::RepairTrigger;
use text2sql_domain::schema::Table;
use text2sql_domain::score::{Dimension, Fault, Score};

/// Maximum number of sentences about a score in a prompt.
const MAX_COMPLAINTS: usize = 3;

/// What is known about a query that ran.
#[derive(Default)]
pub struct Judged {
    /// What the checks found.
    pub findings: Vec<Finding>,
    /// Why no model judged it, where one should have.
    pub unjudged: Vec<String>,
    /// Its score.
    pub score: Option<Score>,
    /// Why it found nothing, if so.
    pub empty: Option<EmptyResult>,
    /// What the reason for that is.
    pub reason: EmptyReason,
    /// What a model may be told of the rows.
    pub sight: Sight,
    /// What speaks against a query of a small model, without proof.
    pub suspicions: Suspicions,
}

/// What the reason for an empty result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EmptyReason {
    /// Not known.
    #[default]
    Unknown,
    /// The query: a join that matches nothing, or a condition that nobody asked for.
    Query,
    /// The question: it asks for what does not occur, or not together.
    Question,
    /// The data: a table without rows, or without rows that the caller may see.
    Data,
}

impl EmptyReason {
    /// The reason for a result, as far as it can be told.
    pub fn of(empty: &EmptyResult, facts: &Facts<'_>) -> Self {
        let asks = |condition: &str| asks_for(facts, condition);
        if empty.is_of_data() {
            Self::Data
        } else if facts.is_follow_up {
            // Its conditions may come from an earlier question.
            Self::Unknown
        } else if empty.is_of_query(|condition| asks(condition) == Some(false)) {
            Self::Query
        } else if empty.is_as_asked(|condition| asks(condition) == Some(true)) {
            Self::Question
        } else {
            Self::Unknown
        }
    }
}

/// One reason why a query does not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The name of the trigger, for the trace.
    pub trigger: &'static str,
    /// The kind of problem.
    pub category: Category,
    /// The lowest value of `repair_on` at which it sends a query back.
    pub from: RepairTrigger,
    /// The problem, for the model.
    pub problem: String,
    /// The problem, for the caller.
    pub warning: String,
}

impl Judged {
    /// Whether a check is certain that the figures of the result are wrong. A value that does not occur is not meant:
    /// its result says rightly that nothing was found.
    pub fn is_wrong(&self) -> bool {
        let distorts = |finding: &Finding| finding.check != Check::UnknownValue;
        self.findings
            .iter()
            .any(|finding| finding.is_certain() && distorts(finding))
    }

    /// The warnings about findings that are not certain, and about what was not judged; the certain ones are failures.
    pub fn doubts(&self) -> Vec<String> {
        let doubtful = self.findings.iter().filter(|finding| !finding.is_certain());
        let mut doubts = crate::query_judge::warnings(doubtful);
        doubts.extend(self.unjudged.iter().cloned());
        doubts
    }

    /// Everything that keeps the query from passing, worst first.
    pub fn failures(&self, tables: &[Arc<Table>]) -> Vec<Failure> {
        let mut failures: Vec<Failure> = self
            .findings
            .iter()
            .filter(|finding| finding.is_certain())
            .map(|finding| self.of_finding(finding, tables))
            .collect();
        if let Some(score) = &self.score {
            let faults = score.failures().into_iter();
            failures.extend(faults.filter_map(|fault| self.of_fault(fault, score)));
        }
        failures.extend(self.of_empty_result());
        failures
    }

    fn of_finding(&self, finding: &Finding, tables: &[Arc<Table>]) -> Failure {
        let name = finding.check.as_str();
        let prefix = match finding.check {
            Check::UnknownValue => "this result",
            _ => "do not rely on this result: it",
        };
        Failure {
            trigger: name,
            category: Category::of_finding(finding, self.has_no_rows()),
            from: RepairTrigger::Findings,
            problem: feedback(finding, &self.sight, tables),
            warning: format!(
                "{prefix} did not pass the check {name}. {}",
                finding.evidence
            ),
        }
    }

    fn of_fault(&self, fault: Fault, score: &Score) -> Option<Failure> {
        let reason = |dimension| score.reason_of(dimension).unwrap_or_default();
        let lacking = reason(Dimension::Completeness);
        let (problem, warning) = match fault {
            // The findings tell more.
            Fault::NotRun | Fault::Certain(_) => return None,
            Fault::OffTopic => (
                format!("it hardly answers the question. {lacking}"),
                format!("this result may answer another question. {lacking}"),
            ),
            Fault::Irrelevant => (
                complaint("it hardly answers the question", score),
                format!(
                    "the model finds that this result hardly answers the question. {}",
                    score
                        .relevance
                        .as_ref()
                        .map_or("", |relevance| relevance.reason.as_str())
                ),
            ),
            Fault::Incomplete => (
                complaint("it leaves out a part of the question", score),
                format!("this result may leave out a part of the question. {lacking}"),
            ),
            Fault::LowTotal => (
                complaint("it hardly answers the question", score),
                format!(
                    "the score of this result is {:.2}, and {:.2} is the threshold. {}",
                    score.total(),
                    score.threshold(),
                    score.complaints().first().copied().unwrap_or_default()
                ),
            ),
        };
        Some(Failure {
            trigger: fault.as_str(),
            category: Category::Relevance,
            from: fault.repaired_from(),
            problem,
            warning: warning.trim_end().to_owned(),
        })
    }

    /// A result that holds nothing, unless data or question are the reason: then another query finds no more. The
    /// number 0 is often right, so it needs certainty.
    fn of_empty_result(&self) -> Option<Failure> {
        let empty = self.empty.as_ref()?;
        let from = match (self.reason, empty.nothing) {
            (EmptyReason::Query, _) => RepairTrigger::Findings,
            (EmptyReason::Unknown, Nothing::NoRows | Nothing::OnlyNulls) => RepairTrigger::Gate,
            (EmptyReason::Unknown, Nothing::Zero)
            | (EmptyReason::Question | EmptyReason::Data, _) => return None,
        };
        let what = match empty.nothing {
            Nothing::NoRows => "it gives no rows",
            Nothing::OnlyNulls => "it gives only NULL",
            Nothing::Zero => "it counts nothing",
        };
        let told = empty.for_model(self.sight.egress);
        let own = empty.for_caller().map(|cause| cause.explanation);
        Some(Failure {
            trigger: match from {
                RepairTrigger::Findings => "empty_by_query",
                _ => "empty",
            },
            category: Category::EmptyResult,
            from,
            problem: match told {
                Some(cause) => format!("{what}. {cause}"),
                None => format!("{what}; check its conditions and joins"),
            },
            warning: match own {
                Some(cause) => {
                    format!(
                        "nothing was found, perhaps because of how the query is written. {cause}"
                    )
                }
                None => "nothing was found, perhaps because of how the query is written".to_owned(),
            },
        })
    }

    fn has_no_rows(&self) -> bool {
        let nothing = self.empty.as_ref().map(|empty| empty.nothing);
        nothing == Some(Nothing::NoRows)
    }
}

/// The failures that count with this value of `repair_on`.
pub fn in_force(failures: &[Failure], trigger: RepairTrigger) -> impl Iterator<Item = &Failure> {
    failures
        .iter()
        .filter(move |failure| failure.from <= trigger)
}

/// The warnings about a result that is shown although it did not pass. What fails a query by default is
/// among them, whatever `repair_on` sends back.
pub fn failure_warnings(failures: &[Failure], trigger: RepairTrigger) -> Vec<String> {
    in_force(failures, trigger.max(RepairTrigger::Findings))
        .map(|failure| failure.warning.clone())
        .collect()
}

/// A problem with the sentences of the score that explain it.
fn complaint(problem: &str, score: &Score) -> String {
    let complaints: Vec<&str> = score
        .complaints()
        .into_iter()
        .take(MAX_COMPLAINTS)
        .collect();
    format!("{problem}. {}", complaints.join(" "))
        .trim_end()
        .to_owned()
}
