//! The answer to a question without SQL.

use std::sync::Arc;

use super::withheld::{self, MAX_FORBIDDEN_NAMES};
use crate::answer_texts;
use crate::help::forbidden_tables;
use crate::conversation::Turn;
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::config::ModelConfig;
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::Table;
use text2sql_language::understanding::{Understanding, name_words};

/// The answer to a question without SQL.
pub(super) fn decline(
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
            answer_texts::decline(cx.config, &cx.session.user(), reason, &nearest, &forbidden)
        }
        Proposal::Sql(proposal) => Answer {
            sql: Some(proposal.sql),
            ..Answer::without_rows(Status::Failed, "the query was not run")
        },
    })
}

/// The answer to a follow-up that the built-in engine cannot resolve.
pub(super) fn unresolved_follow_up(turns: &[Turn]) -> Answer {
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
