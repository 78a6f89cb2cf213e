//! Questions whose outcome is reported in a row, and the consecutive questions of an evaluation case.

use std::cell::Cell;

use text2sql_domain::answer::Answer;
use text2sql_domain::approval::ApprovalRule;
use text2sql_domain::config::Egress;
use text2sql_domain::error::{Error, failure};
use text2sql_domain::question::Question;
use text2sql_engine::conversation::Turn;
use text2sql_engine::{pipeline, plan_in_words};
use text2sql_phrases::in_language;

use super::failure::{answered, failure};
use super::record::ended;
use super::run::{Call, Request, RunOutcome, egress_of_answer, kept, run, run_in_conversation};
use super::waiting;
use crate::pg::server::settings::Overrides;
use crate::pg::stored::record::approvals;
use crate::statement::reader_language::reader_language;

/// An answer for a function that reports the outcome of a question, and the trace id; an invalid question has
/// none and is not recorded.
pub(crate) struct Conversed {
    pub(crate) answer: Answer,
    pub(crate) trace_id: Option<pgrx::Uuid>,
}

impl Conversed {
    /// The answer of a question that was not asked.
    pub(super) fn unasked(answer: Answer) -> Self {
        let trace_id = None;
        Self { answer, trace_id }
    }
}

/// Answers a question that may continue a conversation.
///
/// An invalid question, and a model that failed or could not be asked, are answers too, so that they do not end a batch of questions.
pub(crate) fn converse(request: &Request) -> Result<Conversed, Error> {
    let question = match request.question() {
        Ok(question) => question,
        Err(error) => return Ok(Conversed::unasked(failure(&error))),
    };
    let call = request.call(&question);
    let mut ran = run_in_conversation(request, &call, (ended, kept), |run, engines, turns| {
        let answer = pipeline::ask_all(run, engines, &question, turns, &failure);
        answered(run, answer)
    })?;
    waiting::keep(&call, &mut ran)?;
    let mut answer = ran.value;
    let language = reader_language(Some(&question))?;
    in_language(language, || plan_in_words::add(&mut answer));
    Ok(Conversed {
        answer,
        trace_id: Some(ran.trace_id),
    })
}

/// Answers the last of several questions, each of which may continue those before it; stores nothing. The
/// figures of its trace cover all of them.
pub(crate) fn ask_in_turn(
    function: &'static str,
    questions: &[String],
    overrides: &Overrides,
) -> Result<RunOutcome<Answer>, Error> {
    if approvals::of_caller()?.rule == ApprovalRule::Always {
        return Err(failure!(Setup, "this role cannot be evaluated: each of its questions waits for approval")
        .with_hint("Evaluate as a role whose questions do not wait: text2sql.access lists those that do, with wait."));
    }
    let mut turns: Vec<Turn> = Vec::new();
    let mut exchanges = Vec::new();
    let (mut model_calls, mut requests, mut input_tokens, mut output_tokens) = (0, 0, 0, 0);
    let (last, earlier) = match questions.split_last() {
        Some((last, earlier)) => (Some(last.as_str()), earlier),
        None => (None, questions),
    };
    for question in earlier.iter().map(String::as_str).map(Some).chain([last]) {
        let question = Question::required(question)?;
        let call = Call::of(function, &question, overrides);
        let egress = Cell::new(Egress::Rows);
        let mut ran = run(&call, ended, |run, engines| {
            let answer = pipeline::ask_all_as_one(run, engines, &question, &turns, &failure);
            egress.set(egress_of_answer(run));
            answer
        })?;
        let trace = &mut ran.value.trace;
        model_calls += trace.model_calls;
        requests += trace.requests;
        input_tokens += trace.input_tokens;
        output_tokens += trace.output_tokens;
        exchanges.append(&mut trace.exchanges);
        if turns.len() == earlier.len() {
            trace.exchanges = exchanges;
            trace.model_calls = model_calls;
            trace.requests = requests;
            trace.input_tokens = input_tokens;
            trace.output_tokens = output_tokens;
            return Ok(ran);
        }
        turns.push(Turn::of(question.as_str(), &ran.value, egress.get()));
    }
    Err(failure!(Internal, "no question was asked"))
}
