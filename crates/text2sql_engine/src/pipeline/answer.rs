//! The last stage: builds the answer from the SQL that passed.

use serde_json::json;

use super::asked::{Asked, Ended};
use super::in_order;
use super::prepare::{Prepared, Understood};
use crate::answer_texts::{self, filled_sentence, states_a_value, with_extent};
use crate::narrate::{narrate, narrator};
use crate::query_judge::{judge_error, judge_rejection, who_says};
use crate::stages::row_notes::Noted;
use crate::stages::withheld::{self, Omitted};
use crate::stages::{hold, interpret, not_followed, row_notes};
use crate::statement::{Statement, Tried};
use text2sql_builtin as builtin;
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::approval::Held;
use text2sql_domain::confidence::Signal;
use text2sql_domain::config::ModelConfig;
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::Outcome;
use text2sql_domain::progress::FirstRows;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::question::Question;
use text2sql_domain::score::Fault;
use text2sql_domain::sql_result::{Execution, ResultColumn};
use text2sql_language::sentences::doubt::{probably_wrong, seldom_right};
use text2sql_language::sentences::result;
use text2sql_language::understanding::Understanding;
use text2sql_phrases::say_in;
use text2sql_retrieval::Context;

/// SQL that passed the guard but was not run, or the answer that explains why there is none.
pub type Written = Result<WrittenSql, Box<Answer>>;

/// SQL that passed the guard, and the parts of the question that it does not answer.
#[derive(Debug)]
pub struct WrittenSql {
    /// The query.
    pub sql: String,
    /// Its result columns.
    pub columns: Vec<ResultColumn>,
    /// The parts of the question that it does not answer.
    pub left_out: Omitted,
    /// Why it would have to wait for approval before it runs; empty if it may run.
    pub must_wait: Vec<String>,
}

/// The answer to a question, with the assumptions made: the rows of its query, or that the query waits for approval.
pub(super) fn with_rows(
    cx: &Run<'_>,
    asked: &Asked<'_>,
    ended: Ended,
    assumptions: Vec<String>,
) -> Result<Answer, Error> {
    let solved = match ended.solved() {
        Ok(solved) => solved,
        Err(answer) => return Ok(noted(cx, *answer, assumptions)),
    };
    let (understanding, context) = (&solved.understanding, &solved.context);
    match solved.tried {
        Tried::Ran(execution) => {
            let answer = finish(cx, understanding, context, solved.proposal, execution)?;
            Ok(noted(cx, answer, assumptions))
        }
        Tried::Checked(_) => {
            let reasons = asked.waits_because();
            waiting(
                cx,
                understanding,
                context,
                solved.proposal,
                assumptions,
                reasons,
            )
        }
    }
}

/// Answers a question with the rows of a query that was written for it before and approved since. The guard judges it
/// again.
pub fn answer_approved(
    cx: &Run<'_>,
    question: &Question,
    approved: SqlProposal,
) -> Result<Answer, Error> {
    let Prepared {
        understanding,
        context,
        ..
    } = Understood::of(cx, question, &[])?.prepare(cx, false)?;
    cx.note(|news| news.sql = Some(approved.sql.clone()));
    let stage = cx.stage("execute");
    let outcome = cx.database.run(&approved.sql, &cx.config.limits)?;
    stage.end(
        json!({"sql": approved.sql}),
        outcome.summary_of_run(|execution| Some(execution)),
    );
    let finding = match outcome {
        Outcome::Passed(execution) => {
            cx.note(|news| {
                news.rows = Some(execution.rows.len());
                news.first_rows = FirstRows::of(&execution);
            });
            let answer = finish(cx, &understanding, &context, approved, execution)?;
            return Ok(noted(cx, answer, Vec::new()));
        }
        Outcome::Rejected(rejection) => judge_rejection(rejection, &approved.sql, &context.tables),
        Outcome::Failed(error) => {
            judge_error(error, cx.egress(), &context.tables, who_says(cx.config))
        }
    };
    let answer = answer_texts::refuse(finding, Some(approved.sql), &cx.session.user());
    Ok(noted(cx, answer, Vec::new()))
}

/// The answer with the assumptions made, and what to know about the engines that did not answer.
pub(super) fn noted(cx: &Run<'_>, mut answer: Answer, assumptions: Vec<String>) -> Answer {
    answer.links.splice(0..0, assumptions);
    answer.warnings.extend(in_order::notes(cx));
    answer.trace = cx.trace.borrow().clone();
    answer
}

/// The SQL for a question, with the assumptions made.
pub(super) fn with_sql(
    cx: &Run<'_>,
    ended: Ended,
    assumptions: Vec<String>,
) -> Result<Written, Error> {
    let solved = match ended.solved() {
        Ok(solved) => solved,
        Err(answer) => return Ok(Err(Box::new(noted(cx, *answer, Vec::new())))),
    };
    let (understanding, context) = (&solved.understanding, &solved.context);
    let statement = Statement {
        proposal: &solved.proposal,
        understanding,
        context,
        tables: &context.tables,
    };
    offer_follow_ups(cx, understanding, context, &solved.proposal);
    let must_wait = hold::reasons(cx, &statement, !assumptions.is_empty())?;
    let mut left_out = withheld::find_omitted(cx, understanding, context, &solved.proposal)?;
    left_out.missing.splice(0..0, assumptions);
    left_out.missing.extend(in_order::notes(cx));
    Ok(Ok(WrittenSql {
        columns: solved.tried.columns().to_vec(),
        sql: solved.proposal.sql,
        left_out,
        must_wait,
    }))
}

/// The answer for a query that waits for approval, with what its answer will need.
fn waiting(
    cx: &Run<'_>,
    understanding: &Understanding,
    context: &Context,
    mut proposal: SqlProposal,
    assumptions: Vec<String>,
    reasons: Vec<String>,
) -> Result<Answer, Error> {
    offer_follow_ups(cx, understanding, context, &proposal);
    interpret::state(&context.facts, understanding, &mut proposal);
    let left_out = withheld::find_omitted(cx, understanding, context, &proposal)?;
    proposal.links.splice(0..0, assumptions);
    proposal.notes.extend(left_out.missing);
    proposal.notes.extend(context.notes.iter().cloned());
    let said = say_in!(understanding.language(), "the query waits for approval");
    let mut answer = Answer::without_rows(Status::Waiting, said);
    answer.sql = Some(proposal.sql);
    answer.links.clone_from(&proposal.links);
    answer.warnings.clone_from(&proposal.notes);
    answer.withheld = left_out.withheld;
    answer.held = Some(Box::new(Held {
        reasons,
        sentence: proposal.sentence,
        notes: proposal.notes,
        links: proposal.links,
    }));
    answer.trace = cx.trace.borrow().clone();
    Ok(answer)
}

/// The answer with rows, with the implicit facts of the question.
fn finish(
    cx: &Run<'_>,
    understanding: &Understanding,
    context: &Context,
    mut proposal: SqlProposal,
    execution: Execution,
) -> Result<Answer, Error> {
    offer_follow_ups(cx, understanding, context, &proposal);
    interpret::state(&context.facts, understanding, &mut proposal);
    not_followed::note(cx, understanding.language(), context, &mut proposal);
    // The built-in engine was asked about days, and its sentence has them; and it has no typing errors.
    let reworded = proposal.corrected_question.as_ref();
    let reworded = reworded.or(context.facts.in_days.as_ref());
    let reworded = reworded.map(|text| Understanding::of(text, understanding.today()));
    let asked = reworded.as_ref().unwrap_or(understanding);
    let noted = row_notes::add(cx, asked, context, &mut proposal, &execution)?;
    let left_out = withheld::find_omitted(cx, understanding, context, &proposal)?;
    let mut unsaid = Vec::new();
    let mut sentence = sentence(cx, asked, &proposal, &execution, &noted, &mut unsaid)?;
    if proposal.is_wrong {
        let language = understanding.language();
        sentence = sentence.map(|sentence| probably_wrong(&sentence, language));
    }
    // The confidence was measured on answers with rows. An empty result may also mean that the question
    // was misread.
    let is_empty = matches!(cx.config.model, ModelConfig::Builtin) && result::is_empty(&execution);
    let confidence = confidence(cx, &proposal).filter(|_| !is_empty);
    proposal.notes.extend(execution.notes.iter().cloned());
    let read = execution.relations.clone();
    let mut answer = Answer {
        confidence,
        ..answer_texts::answer(proposal, execution, sentence)
    };
    answer.withheld = left_out.withheld;
    let language = understanding.language();
    answer
        .withheld
        .extend(withheld::by_policy(&read, &context.tables, language));
    // The built-in engine answers only what it is certain of.
    let of_model = confidence.filter(|_| !matches!(cx.config.model, ModelConfig::Builtin));
    let doubt = of_model.and_then(|confidence| seldom_right(confidence, language));
    answer.warnings.extend(doubt);
    answer.warnings.extend(left_out.missing);
    answer.warnings.extend(context.notes.iter().cloned());
    answer.warnings.extend(unsaid);
    if !matches!(cx.config.model, ModelConfig::Builtin) {
        let problems = cx.config.side_models.problems().map(str::to_owned);
        answer.warnings.extend(problems);
    }
    Ok(answer)
}

/// Keeps what the answer means, which a follow-up changes, and what may be asked next.
fn offer_follow_ups(
    cx: &Run<'_>,
    understanding: &Understanding,
    context: &Context,
    proposal: &SqlProposal,
) {
    let (tables, definitions) = (&context.tables, &context.definitions);
    let mut trace = cx.trace.borrow_mut();
    trace.meaning = proposal.meaning.as_deref().cloned();
    (trace.follow_ups, trace.meaning_parts) = match &proposal.meaning {
        Some(meaning) => (
            builtin::next_questions(meaning, understanding, tables, definitions),
            builtin::meaning_parts(meaning, understanding, tables, definitions),
        ),
        None => Default::default(),
    };
}

/// The measured probability that the answer is right, if there is one. Not computed for a query that a
/// person verified.
pub(super) fn confidence(cx: &Run<'_>, proposal: &SqlProposal) -> Option<f64> {
    if proposal.verified_by.is_some() {
        return None;
    }
    if matches!(cx.config.model, ModelConfig::Builtin) {
        return builtin::confidence::confidence(&proposal.sql);
    }
    let (fit, score) = (cx.config.confidence?, proposal.score.as_ref()?);
    Some(fit.probability(Signal {
        score: score.total(),
        agreement: score.agreement_share(),
    }))
}

/// Whether the gate found that the query is about something else than the question. Its rows are then told in the
/// words of the query: those of the question, in a sentence of the model as well, would claim what it did not compute.
fn is_off_topic(proposal: &SqlProposal) -> bool {
    let faults = proposal.score.as_ref().map(|score| score.failures());
    let is_elsewhere = |fault: &Fault| matches!(fault, Fault::OffTopic | Fault::Irrelevant);
    faults.is_some_and(|faults| faults.iter().any(is_elsewhere))
}

/// The sentence for an answer with rows: that of the model if it states a value of the rows, else the one made from the
/// rows. Where no rules know the language of the question, that of the model comes first in any case. `unsaid` gets the
/// reason why a model that should have written it did not.
fn sentence(
    cx: &Run<'_>,
    understanding: &Understanding,
    proposal: &SqlProposal,
    execution: &Execution,
    noted: &Noted,
    unsaid: &mut Vec<String>,
) -> Result<Option<String>, Error> {
    if !cx.config.enable_narration {
        return Ok(None);
    }
    let stage = cx.stage("answer");
    let is_off_topic = is_off_topic(proposal);
    let reaches_beyond =
        |sentence: &str| noted.is_cut(execution) && noted.reaches_beyond(sentence, execution);
    let own = proposal.sentence.as_deref().unwrap_or_default();
    let filled = filled_sentence(understanding, proposal, execution)
        .filter(|_| !noted.is_tied() && !is_off_topic && !reaches_beyond(own));
    let states = filled.is_some() && states_a_value(proposal);
    stage.end(
        json!({"rows": execution.rows.len(), "truncated": execution.is_truncated}),
        json!({"sentence": proposal.sentence, "usable": filled.is_some(), "states_a_value": states}),
    );
    if let Some(sentence) = filled.as_ref().filter(|_| states) {
        return Ok(Some(with_extent(sentence.clone(), execution)));
    }
    if filled.is_none()
        && !is_off_topic
        && let Some(endpoint) = narrator(cx, execution)
    {
        let stage = cx.stage("narrate");
        let narrated = narrate(cx, endpoint, understanding, execution, unsaid)?;
        let narrated = narrated.filter(|sentence| !reaches_beyond(sentence));
        stage.end(
            json!({"rows": execution.rows.len()}),
            json!({"supported": narrated.is_some(), "failure": unsaid.first()}),
        );
        if let Some(sentence) = narrated {
            return Ok(Some(with_extent(sentence, execution)));
        }
    }
    let own = noted.sentence(understanding, execution, is_off_topic);
    Ok(Some(
        match filled.filter(|_| !result::has_rules(understanding)) {
            Some(sentence) => format!("{} {own}", with_extent(sentence, execution)),
            None => own,
        },
    ))
}
