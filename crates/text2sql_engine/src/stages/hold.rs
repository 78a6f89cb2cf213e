//! Which queries wait until a person has approved them.
//!
//! A query that waits is judged by the guard and planned, but not run, and nothing is looked up in the data for
//! it. So what is known about it comes from its text, the schema and its statistics.

use std::cell::RefCell;
use std::sync::Arc;

use super::interpret;
use crate::conversation::needs_earlier;
use crate::query_judge::rule_of;
use crate::scoring::{self, Ending, Facts};
use crate::statement::{Statement, Tried};
use text2sql_analysis::findings::{self, Basis, Finding, Severity};
use text2sql_builtin as builtin;
use text2sql_domain::approval::ApprovalRule;
use text2sql_domain::confidence::Signal;
use text2sql_domain::config::ModelConfig;
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::Outcome;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::schema::Table;
use text2sql_domain::score::Fault;
use text2sql_retrieval::describe_named_in;

/// The reason where the rule is `always`.
const RULE_SAYS_SO: &str = "every question of this role waits";

/// Lets the queries of one question run, or holds them back.
#[derive(Default)]
pub(crate) struct Gate {
    /// Why a query was held back. From then on none of that engine runs: a later step contains the earlier ones.
    reasons: RefCell<Vec<String>>,
    /// The engine that wrote it.
    engine: RefCell<String>,
}

impl Gate {
    /// Runs a statement if it may run now, else only checks it.
    pub(crate) fn run_or_check(
        &self,
        cx: &Run<'_>,
        statement: &Statement<'_>,
        is_chosen_reading: bool,
    ) -> Result<Outcome<Tried>, Error> {
        let (database, limits) = (cx.database, &cx.config.limits);
        let engine = cx.config.model.name();
        if *self.engine.borrow() != engine {
            self.engine.replace(engine.to_owned());
            self.reasons.take();
        }
        let reasons = reasons(cx, statement, is_chosen_reading)?;
        if reasons.is_empty() && self.reasons.borrow().is_empty() {
            let outcome = database.run(statement.sql(), limits)?;
            return Ok(outcome.map(Tried::Ran));
        }
        let outcome = database.check(statement.sql(), limits)?;
        if matches!(outcome, Outcome::Passed(_)) && !reasons.is_empty() {
            self.reasons.replace(reasons);
        }
        Ok(outcome.map(Tried::Checked))
    }

    /// Why the query waits.
    pub(crate) fn reasons(&self) -> Vec<String> {
        self.reasons.borrow().clone()
    }
}

/// Why a query has to wait; none if it may run. `is_chosen_reading` says whether the pipeline chose among several readings
/// of the question.
pub(crate) fn reasons(
    cx: &Run<'_>,
    statement: &Statement<'_>,
    is_chosen_reading: bool,
) -> Result<Vec<String>, Error> {
    let approval = &cx.config.approval;
    // Another person has seen it already.
    let verified_by = statement.proposal.verified_by.as_deref();
    let is_verified = verified_by.is_some_and(|name| approval.is_other(name));
    if is_verified || is_approved(cx, statement.sql())? {
        return Ok(Vec::new());
    }
    match approval.rule {
        ApprovalRule::Never => Ok(Vec::new()),
        ApprovalRule::Always => Ok(vec![RULE_SAYS_SO.to_owned()]),
        ApprovalRule::Uncertain { least_confidence } => {
            doubts(cx, statement, is_chosen_reading, least_confidence)
        }
    }
}

/// Whether the query was approved, and its names still mean the relations that they meant then.
fn is_approved(cx: &Run<'_>, sql: &str) -> Result<bool, Error> {
    let mut approvals = cx.config.approval.approvals_of(sql).peekable();
    if approvals.peek().is_none() {
        return Ok(false);
    }
    let relations = cx.database.relations_of(sql, &cx.config.limits)?;
    Ok(approvals.any(|approved| *approved == relations))
}

/// What is doubtful about a query before it has run.
fn doubts(
    cx: &Run<'_>,
    statement: &Statement<'_>,
    is_chosen_reading: bool,
    least_confidence: f64,
) -> Result<Vec<String>, Error> {
    let mut doubts = Vec::new();
    if is_chosen_reading {
        doubts.push("one of several readings of the question was chosen".to_owned());
    }
    if !statement.context.facts.readings.is_empty() {
        doubts.push("a word of the question has several meanings".to_owned());
    }
    let missing = statement.proposal.missing.iter();
    doubts
        .extend(missing.map(|missing| format!("part of the question is not answered: {missing}")));
    let mut stated = SqlProposal {
        sql: statement.proposal.sql.clone(),
        // Those of the built-in engine say how it read the question, which it does only where it is certain.
        notes: match cx.config.model {
            ModelConfig::Builtin => Vec::new(),
            _ => statement.proposal.notes.clone(),
        },
        ..SqlProposal::default()
    };
    interpret::state(
        &statement.context.facts,
        statement.understanding,
        &mut stated,
    );
    // The questions of earlier steps are notes, too, but no assumptions.
    let assumptions = stated
        .notes
        .iter()
        .filter(|note| !note.starts_with("step_"));
    doubts.extend(assumptions.map(|note| format!("it assumes: {note}")));
    let tables = &describe_named_in(cx, statement.sql(), statement.tables)?;
    let Ok(Some(findings)) = findings::find(statement.sql(), tables) else {
        doubts.push("the checks do not support the syntax of the query".to_owned());
        return Ok(doubts);
    };
    let proved = findings.iter().filter(|finding| is_proved(finding));
    doubts.extend(proved.map(|finding| rule_of(finding.check).to_owned()));
    doubts.extend(weak(cx, statement, &findings, tables, least_confidence));
    Ok(doubts)
}

/// Whether it is certain that the query has a fault, or at least that it does what is rarely intended.
fn is_proved(finding: &Finding) -> bool {
    let is_warning = finding.severity >= Severity::Warning && finding.basis == Basis::Proved;
    finding.is_certain() || is_warning
}

/// A sentence as part of another one.
fn in_sentence(sentence: &str) -> String {
    let mut letters = sentence.trim_end_matches('.').chars();
    match letters.next() {
        Some(first) => format!("{}{}", first.to_lowercase(), letters.as_str()),
        None => String::new(),
    }
}

/// Whether score or confidence are too low. The built-in engine answers only when it is certain, so its queries
/// are not scored, as they are not where they run at once.
fn weak(
    cx: &Run<'_>,
    statement: &Statement<'_>,
    findings: &[Finding],
    tables: &[Arc<Table>],
    least_confidence: f64,
) -> Vec<String> {
    let mut weak = Vec::new();
    let confidence = if matches!(cx.config.model, ModelConfig::Builtin) {
        builtin::confidence::confidence(statement.sql())
    } else {
        let facts = Facts {
            understanding: statement.understanding,
            sql: statement.sql(),
            ending: Ending::Checked,
            findings,
            tables,
            values: &statement.context.values,
            definitions: &statement.context.definitions,
            is_follow_up: needs_earlier(
                !statement.context.earlier.is_empty(),
                statement.understanding,
            ),
            max_cost: cx.config.limits.max_cost,
        };
        let score = scoring::score(&facts, &cx.config.score);
        weak.extend(
            score
                .failures()
                .into_iter()
                .filter_map(|fault| match fault {
                    // It is among the findings.
                    Fault::Certain(_) => None,
                    Fault::LowTotal => Some(format!(
                        "its score is {:.2}, and {:.2} is needed",
                        score.total(),
                        score.threshold()
                    )),
                    fault => Some(in_sentence(&fault.reason())),
                }),
        );
        cx.config.confidence.map(|fit| {
            fit.probability(Signal {
                score: score.total(),
                agreement: score.agreement_share(),
            })
        })
    };
    if let Some(confidence) = confidence.filter(|confidence| *confidence < least_confidence) {
        weak.push(format!(
            "its confidence is {confidence:.2}, and {least_confidence:.2} is needed"
        ));
    }
    weak
}
