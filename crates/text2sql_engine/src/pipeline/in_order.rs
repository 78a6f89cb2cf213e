//! Asks the engines in order: the first that is sure answers, and the next one takes over where one declines, fails
//! or cannot be asked.
//!
//! What was understood of the question is shared, and what was retrieved for it where two engines may be shown the
//! same. Prompts are not: what may be sent is a matter of each endpoint, so the next engine gets nothing that the
//! one before it was sent or has written.

use serde_json::json;

use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::config::{BUILTIN, ModelConfig};
use text2sql_domain::engines::{Cause, Engine, Engines, GaveUp};
use text2sql_domain::error::{Error, ErrorKind, failure};
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::progress::GaveUpNews;

/// What an engine gave.
pub(super) trait Given {
    /// The answer that another engine may improve; `None` if the engine is sure.
    fn unsure(&self) -> Option<&Answer>;

    /// Whether an engine was asked; otherwise names alone decided.
    fn is_of_engine(&self) -> bool;
}

impl<T> Given for Result<T, Box<Answer>> {
    fn unsure(&self) -> Option<&Answer> {
        let answer = self.as_ref().err()?;
        may_be_improved(answer.status).then_some(answer)
    }

    fn is_of_engine(&self) -> bool {
        true
    }
}

/// Whether another engine may do better. Privileges are the same for all of them.
pub(super) fn may_be_improved(status: Status) -> bool {
    match status {
        Status::Unanswerable | Status::Blocked | Status::Failed => true,
        Status::Ok | Status::Ambiguous | Status::NotPermitted | Status::Waiting => false,
    }
}

/// What an engine gave, and the engine, to finish the answer with it.
pub(super) struct Chosen<R> {
    pub(super) given: R,
    pub(super) engine: Engine,
}

/// What is kept of an engine that was not sure, while others are asked.
struct Kept<R> {
    place: usize,
    rank: Rank,
    outcome: Result<Chosen<R>, Error>,
}

/// What is best where no engine is sure, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// The built-in engine declines: it answers simple questions only.
    BuiltinDeclines,
    /// A model could not be asked, so nobody knows whether there is an answer.
    Failure,
    /// A model declines.
    ModelDeclines,
    /// The asker can go on with one of the readings.
    Readings,
}

/// Asks the engines at `places`, with whether another one follows. At least one.
pub(super) fn in_order<R: Given>(
    cx: &Run<'_>,
    engines: &dyn Engines,
    places: &[usize],
    mut ask: impl FnMut(&Run<'_>, bool) -> Result<R, Error>,
) -> Result<Chosen<R>, Error> {
    {
        let mut trace = cx.trace.borrow_mut();
        trace.engines = engines.names().to_vec();
        trace.engine = None;
        trace.gave_up.clear();
    }
    let name = |place: usize| engines.names().get(place).map_or("", String::as_str);
    let mut best: Option<Kept<R>> = None;
    for (turn, &place) in places.iter().enumerate() {
        let next = places.get(turn + 1);
        let mut is_started = false;
        cx.note(|news| news.engine = Some(name(place).to_owned()));
        let outcome = engines.start(place).and_then(|engine| {
            is_started = true;
            let given = cx.with_engine(&engine, |cx| ask(cx, next.is_some()))?;
            Ok(Chosen { given, engine })
        });
        let (rank, mut reason) = match &outcome {
            Ok(chosen) => match chosen.given.unsure() {
                None => return Ok(answered(cx, name(place), outcome?)),
                Some(answer) => declined(chosen, answer),
            },
            Err(error) if error.is_of_endpoint() => (Rank::Failure, gave_up(error, is_started)),
            Err(_) => return outcome,
        };
        reason.engine = name(place).to_owned();
        if let Some(next) = next {
            cx.note(|news| {
                news.engine = Some(name(*next).to_owned());
                news.gave_up = Some(GaveUpNews::from(&reason));
            });
            let stage = cx.stage("hand_over");
            stage.end(
                json!({"from": reason.engine, "to": name(*next)}),
                reason.summary(),
            );
        }
        if places.len() > 1 {
            cx.trace.borrow_mut().gave_up.push(reason);
        }
        let kept = Kept {
            place,
            rank,
            outcome,
        };
        best = match best {
            Some(before) if before.is_better_than(&kept) => Some(before),
            _ => Some(kept),
        };
    }
    let best = best.ok_or_else(|| failure!(Internal, "no engine was asked"))?;
    Ok(answered(cx, name(best.place), best.outcome?))
}

impl<R> Kept<R> {
    /// The first failure is that of the engine that the owner prefers; of several models that decline, the last.
    fn is_better_than(&self, other: &Self) -> bool {
        match self.rank == other.rank {
            true => self.rank == Rank::Failure,
            false => self.rank > other.rank,
        }
    }
}

/// Records which engine the answer is from.
fn answered<R: Given>(cx: &Run<'_>, name: &str, chosen: Chosen<R>) -> Chosen<R> {
    let mut trace = cx.trace.borrow_mut();
    trace.engine_egress = Some(chosen.engine.model.egress());
    if chosen.given.is_of_engine() {
        trace.engine = Some(name.to_owned());
    }
    chosen
}

fn declined<R>(chosen: &Chosen<R>, answer: &Answer) -> (Rank, GaveUp) {
    let is_builtin = matches!(chosen.engine.model, ModelConfig::Builtin);
    let rank = match (answer.status, is_builtin) {
        (Status::Ambiguous, _) => Rank::Readings,
        (_, true) => Rank::BuiltinDeclines,
        (_, false) => Rank::ModelDeclines,
    };
    let (cause, reason) = match answer.status {
        Status::Ambiguous => (
            Cause::Declined,
            Some("the question has several readings".to_owned()),
        ),
        Status::Failed => {
            let error = answer.error.as_ref();
            let reason =
                error.map(|error| format!("its query failed (SQLSTATE {})", error.sqlstate));
            (Cause::Failed, reason)
        }
        Status::Blocked => (
            Cause::Failed,
            Some("the guard refused its query".to_owned()),
        ),
        // A model may repeat values of rows in its own words; the built-in engine names words of the question.
        Status::Ok | Status::Unanswerable | Status::NotPermitted | Status::Waiting => (
            Cause::Declined,
            answer.sentence.clone().filter(|_| is_builtin),
        ),
    };
    let engine = String::new();
    (
        rank,
        GaveUp {
            engine,
            cause,
            reason,
        },
    )
}

fn gave_up(error: &Error, is_started: bool) -> GaveUp {
    let is_unasked = !is_started || error.kind() == ErrorKind::Limit;
    GaveUp {
        engine: String::new(),
        cause: match is_unasked {
            true => Cause::NotAsked,
            false => Cause::Failed,
        },
        reason: Some(error.message().to_owned()),
    }
}

/// The answer where no engine could answer because of that error, and what to know about the other engines. The failure
/// is recorded, also where texts or other parts of the question are still answered.
pub fn failed_answer(cx: &Run<'_>, error: &Error, failed: &dyn Fn(&Error) -> Answer) -> Answer {
    let mut answer = failed(error);
    let mut trace = cx.trace.borrow_mut();
    trace.endpoint_failure = Some(error.message().to_owned());
    let others = trace.engines_that_failed();
    let others = others.filter(|other| other.reason.as_deref() != Some(error.message()));
    answer.warnings.extend(others.map(GaveUp::to_string));
    answer.trace = trace.clone();
    answer
}

/// What the asker should know about the engines that did not answer.
pub(super) fn notes(cx: &Run<'_>) -> Vec<String> {
    let trace = cx.trace.borrow();
    trace.engines_that_failed().map(GaveUp::to_string).collect()
}

/// All engines, or only those that are models.
pub(super) fn places(engines: &dyn Engines, with_builtin: bool) -> Vec<usize> {
    let names = engines.names().iter().enumerate();
    let asked = names.filter(|(_, name)| with_builtin || *name != BUILTIN);
    asked.map(|(place, _)| place).collect()
}
