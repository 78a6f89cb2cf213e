//! The answer to a question without SQL.

use std::sync::Arc;

use super::withheld::{self, MAX_FORBIDDEN_NAMES};
use crate::answer_texts;
use crate::conversation::Turn;
use crate::help::forbidden_tables;
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::config::ModelConfig;
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::Outcome;
use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::Table;
use text2sql_language::understanding::{Understanding, name_words};
use text2sql_phrases::{Language, say_in};

/// The answer to a question without SQL.
pub(crate) fn decline(
    cx: &Run<'_>,
    understanding: &Understanding,
    proposal: Proposal,
    tables: &[Arc<Table>],
) -> Result<Answer, Error> {
    Ok(match proposal {
        Proposal::Ambiguous { question, readings } => Answer {
            readings,
            ..Answer::without_rows(Status::Ambiguous, question)
        },
        Proposal::Unanswerable {
            reason,
            missing,
            nearest,
        } => {
            let mut words = name_words(&missing.join(" "));
            if words.is_empty() && !matches!(cx.config.model, ModelConfig::Builtin) {
                words = understanding.name_words().to_vec();
            }
            let forbidden = forbidden_tables(cx, tables, &mut words, MAX_FORBIDDEN_NAMES)?;
            if forbidden.is_empty()
                && let Some(answer) = withheld::forbidden_columns(
                    cx,
                    &withheld::names_of(understanding, words),
                    tables,
                )?
            {
                return Ok(answer);
            }
            let is_builtin = matches!(cx.config.model, ModelConfig::Builtin);
            let advice = || is_builtin.then(|| cx.session.model_advice()).flatten();
            let (user, language) = (cx.session.user(), understanding.language());
            let answer =
                answer_texts::decline(&user, language, reason, &nearest, &forbidden, advice);
            match answer.status {
                Status::Unanswerable if is_builtin => Answer {
                    missing,
                    ..with_offer(cx, language, answer)?
                },
                Status::Unanswerable => with_offer(cx, language, answer)?,
                _ => answer,
            }
        }
        Proposal::Sql(proposal) => Answer {
            sql: Some(proposal.sql),
            ..Answer::without_rows(Status::Failed, "the query was not run")
        },
    })
}

/// The refusal with what was understood, and with questions near it that have an answer.
fn with_offer(cx: &Run<'_>, language: Language, answer: Answer) -> Result<Answer, Error> {
    let Some(offer) = cx.trace.borrow_mut().offer.take() else {
        return Ok(answer);
    };
    let mut readings = Vec::new();
    for suggestion in offer.questions {
        let checked = cx.database.check(&suggestion.sql, &cx.config.limits)?;
        if matches!(checked, Outcome::Passed(_)) {
            readings.push(suggestion.question);
        }
    }
    Ok(Answer {
        links: offer.understood,
        introduction: (!readings.is_empty()).then(|| answer_texts::introduction(language)),
        readings,
        ..answer
    })
}

/// The answer to a follow-up that the built-in engine cannot resolve.
pub(crate) fn unresolved_follow_up(
    cx: &Run<'_>,
    understanding: &Understanding,
    turns: &[Turn],
) -> Answer {
    let language = understanding.language();
    let advice = cx.session.model_advice();
    let last = turns.iter().rev().find(|turn| turn.sql.is_some());
    let before = last.or(turns.last()).map_or("", Turn::whole);
    let is_known = last.is_some_and(|turn| turn.meaning.is_some());
    let reason = match is_known {
        true => say_in!(
            language,
            "the built-in engine cannot tell how this goes on from \"{before}\""
        ),
        false => say_in!(
            language,
            "the built-in engine knows only of its own answers what they mean, and \"{before}\" was answered otherwise"
        ),
    };
    let hint = say_in!(language, "ask the whole question");
    let more = advice.map(|advice| answer_texts::model_hint(&advice, language));
    let hints: Vec<String> = std::iter::once(hint).chain(more).collect();
    Answer {
        hint: Some(hints.join("; ")),
        ..Answer::without_rows(Status::Unanswerable, reason)
    }
}
