//! What happens to a question before anybody writes SQL for it: what was asked before is recalled, the
//! catalog is searched, the question is made explicit, answered from a verified example, or sent back.

use serde_json::json;

use super::dialogue::{Attempt, Task};
use super::{gather, replayed};
use crate::conversation::{self, Following, Turn};
use crate::rewrite::rewrite;
use crate::route::{Route, route};
use text2sql_builtin as builtin;
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::config::{ModelConfig, WhenAmbiguous};
use text2sql_domain::context::Run;
use text2sql_domain::error::Error;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::question::Question;
use text2sql_language::interpretation::Facts;
use text2sql_models::prompt::table_chars;
use text2sql_retrieval::{Context, search_always};

/// Most tables that are named to whoever asked for something else than data.
const MAX_SUBJECTS: usize = 6;

/// What became of the question.
pub(super) enum Read<T> {
    /// There is nothing to write.
    Answered(Box<Answer>),
    /// A verified example answers it.
    Replayed(Question, Context, SqlProposal, T),
    /// It is ready for whoever writes the SQL, with what that needs.
    Clear(Question, Context),
}

/// Reads the question, which may go on from the turns.
pub(super) fn read<T>(
    cx: &Run<'_>,
    question: &Question,
    turns: &[Turn],
    trial: &Attempt<'_, T>,
) -> Result<Read<T>, Error> {
    let Understood {
        question,
        context,
        turns,
        is_lost,
    } = understand(cx, question, turns)?;
    if is_lost {
        return Ok(Read::Answered(Box::new(lost(&turns))));
    }
    let task = Task {
        question: &question,
        context: &context,
    };
    if let Some((proposal, result)) = replayed(cx, task, trial)? {
        return Ok(Read::Replayed(question, context, proposal, result));
    }
    Ok(match routed(cx, &question, &context, turns.is_empty()) {
        Some(answer) => Read::Answered(Box::new(answer)),
        None => Read::Clear(question, context),
    })
}

/// A question with what it means and what was found for it.
pub(super) struct Understood {
    /// The whole question.
    pub(super) question: Question,
    pub(super) context: Context,
    /// The earlier turns that the caller may still read.
    turns: Vec<Turn>,
    /// Whether it goes on from a turn in a way that nobody can follow.
    is_lost: bool,
}

/// Recalls what was asked before, searches the catalog and makes the question whole.
pub(super) fn understand(
    cx: &Run<'_>,
    question: &Question,
    turns: &[Turn],
) -> Result<Understood, Error> {
    let turns = recalled(cx, turns)?;
    let picked = conversation::picked(&turns, question);
    let is_picked = picked.is_some();
    let mut question = picked.unwrap_or_else(|| question.clone());
    let mut context = gather(cx, &conversation::searched(&turns, &question))?;
    let is_builtin = matches!(cx.config.model, ModelConfig::Builtin);
    let today = cx.session.today();
    let asked = question.clone();
    let is_lost = cx.stage("interpret", || {
        if is_builtin && !turns.is_empty() && !is_picked {
            match conversation::follow(&turns, &question, &context, &today) {
                Following::Alone => {}
                Following::Whole(whole) => question = whole,
                Following::Lost => return true,
            }
        }
        context.facts = facts(cx, &question, &context);
        context.facts.whole =
            (question != asked).then(|| builtin::read_as(asked.as_str(), question.as_str()));
        false
    });
    cx.note(
        json!({"question": asked.as_str(), "earlier": turns.len()}),
        json!({"question": question.as_str(), "facts": context.facts.statements()}),
    );
    if is_picked || question != asked {
        cx.trace.borrow_mut().standalone = Some(question.as_str().to_owned());
    }
    if !is_builtin {
        context.earlier = conversation::shown(&turns, &question, cx.egress());
    }
    Ok(Understood {
        question,
        context,
        turns,
        is_lost,
    })
}

/// What is found for a question that may go on from earlier ones, as if the schema did not fit a prompt.
pub fn find(cx: &Run<'_>, question: &Question, turns: &[Turn]) -> Result<Context, Error> {
    let turns = recalled(cx, turns)?;
    let question = conversation::picked(&turns, question).unwrap_or_else(|| question.clone());
    search_always(cx, &conversation::searched(&turns, &question), table_chars)
}

/// A question that may go on from earlier ones, made whole, with what was found for it.
pub fn whole(
    cx: &Run<'_>,
    question: &Question,
    turns: &[Turn],
) -> Result<(Question, Context), Error> {
    let understood = understand(cx, question, turns)?;
    Ok((understood.question, understood.context))
}

/// What the question takes for granted. The built-in engine explains words itself.
pub(super) fn facts(cx: &Run<'_>, question: &Question, context: &Context) -> Facts {
    if !cx.config.reading.enable_interpretation {
        return Facts::default();
    }
    let facts = rewrite(question, context, &cx.session.today());
    match cx.config.model {
        ModelConfig::Builtin => Facts {
            periods: facts.periods,
            ..Facts::default()
        },
        _ => facts,
    }
}

/// The reading to answer when an answer would have been a question back.
pub(super) fn chosen(cx: &Run<'_>, answer: &Answer) -> Option<Question> {
    let chooses = cx.config.reading.on_ambiguity == WhenAmbiguous::Choose;
    let first = answer
        .readings
        .first()
        .filter(|_| chooses && answer.status == Status::Ambiguous)?;
    Question::new(first).ok()
}

fn recalled(cx: &Run<'_>, turns: &[Turn]) -> Result<Vec<Turn>, Error> {
    if turns.is_empty() {
        return Ok(Vec::new());
    }
    let kept = cx.stage("recall", || conversation::recall(cx, turns))?;
    cx.note(
        json!({"turns": turns.len()}),
        json!({"readable": kept.len()}),
    );
    Ok(kept)
}

/// The answer of a question that nobody needs to write SQL for. Names and values are those of one
/// question: what goes on from another may mean something else by them.
fn routed(cx: &Run<'_>, question: &Question, context: &Context, is_alone: bool) -> Option<Answer> {
    if !cx.config.reading.enable_routing {
        return None;
    }
    // The built-in engine finds readings itself, where it needs them.
    let may_ask_back = is_alone && !matches!(cx.config.model, ModelConfig::Builtin);
    let found = cx.stage("route", || {
        route(question, context, &cx.session.today(), may_ask_back)
    });
    cx.note(json!({}), json!({"route": found.as_str()}));
    match found {
        Route::Onward => None,
        Route::NoData(reason) => {
            let names: Vec<String> = context
                .tables
                .iter()
                .take(MAX_SUBJECTS)
                .map(|table| table.sql_name())
                .collect();
            let hint =
                (!names.is_empty()).then(|| format!("there is data in {}", names.join(", ")));
            Some(Answer {
                hint,
                ..Answer::without_rows(Status::Unanswerable, reason)
            })
        }
        Route::Ambiguous { question, readings } => Some(Answer {
            readings,
            ..Answer::without_rows(Status::Ambiguous, question)
        }),
    }
}

fn lost(turns: &[Turn]) -> Answer {
    let before = turns.last().map_or("", Turn::whole);
    Answer {
        hint: Some(
            "ask the whole question, or configure a model: SELECT text2sql.add_model(…); SET text2sql.model = '…'"
                .to_owned(),
        ),
        ..Answer::without_rows(
            Status::Unanswerable,
            format!("the built-in engine cannot tell how this goes on from \"{before}\""),
        )
    }
}
