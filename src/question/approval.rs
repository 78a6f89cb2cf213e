//! The answer to a question whose query had to wait for approval.

use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::error::Error;
use text2sql_domain::kept_answer::KeptAnswer;
use text2sql_domain::question::Question;
use text2sql_engine::pipeline;

use super::approval_texts::{hint, with_id};
use super::converse::Conversed;
use super::failure::answered;
use super::record::ended;
use super::run::{Call, run};
use crate::pg::server::settings::{self, Overrides};
use crate::pg::stored::record::approvals::{self, Asked};
use crate::pg::stored::record::kept_answers;
use crate::statement::submitted_sql::SubmittedSql;

/// Answers a question of the caller whose query was approved: the query runs with the caller's privileges, and the
/// guard judges it again.
pub(crate) fn answer(id: Option<i64>, overrides: &Overrides) -> Result<Conversed, Error> {
    let (id, asked) = approvals::asked(id)?;
    if asked.status != "approved" {
        return Ok(Conversed::unasked(undecided(id, asked)));
    }
    if means_others(&asked, overrides)? {
        return Ok(Conversed::unasked(of_others(asked)));
    }
    let question = Question::new(asked.standalone.as_deref().unwrap_or(&asked.question))?;
    let call = Call::of("answer", &question, overrides);
    let ran = run(&call, ended, |cx, engines| {
        let answer = pipeline::answer_approved(cx, &question, asked.proposal());
        let answer = answer.and_then(|rows| pipeline::with_texts(cx, engines, &question, rows));
        answered(cx, answer)
    })?;
    if let (Some(max_rows), Some(conversation)) = (settings::kept_rows(), &asked.conversation) {
        let kept = KeptAnswer::of(&ran.value, max_rows);
        kept_answers::keep_late(conversation, &asked.trace_id, &kept)?;
    }
    Ok(Conversed {
        answer: Answer {
            verified_by: asked.decided_by,
            ..ran.value
        },
        trace_id: Some(ran.trace_id),
    })
}

/// Whether the names in the query mean other relations than those for which it was approved. A query that may not run
/// any more fails with its own reason.
fn means_others(asked: &Asked, overrides: &Overrides) -> Result<bool, Error> {
    let given = SubmittedSql::read(asked.sql.clone(), overrides)?;
    let relations = given.database.relations_read(&given.sql, &given.limits)?;
    Ok(relations.is_some_and(|relations| relations != asked.relations))
}

/// The answer where nobody has approved what the query would read.
fn of_others(asked: Asked) -> Answer {
    Answer {
        hint: Some(format!(
            "Ask again, or set the path under which it was approved: SET search_path = {};",
            asked.search_path
        )),
        sql: Some(asked.sql),
        plan: Some(asked.explanation),
        ..Answer::without_rows(
            Status::Blocked,
            "the query was approved for other tables than its names mean now",
        )
    }
}

/// The answer for a question that cannot be answered now.
fn undecided(id: i64, asked: Asked) -> Answer {
    let by = asked.decided_by.unwrap_or_default();
    let mut answer = match asked.status.as_str() {
        "waiting" => Answer {
            hint: Some(hint(id)),
            ..Answer::without_rows(Status::Waiting, with_id("the query waits for approval", id))
        },
        "rejected" => {
            let reason = asked.reason.map(|reason| format!(": {reason}"));
            let said = format!(
                "the query was rejected by {by}{}",
                reason.unwrap_or_default()
            );
            Answer {
                hint: Some("Ask in other words.".to_owned()),
                ..Answer::without_rows(Status::Blocked, said)
            }
        }
        _ => Answer {
            hint: Some("Ask the question again.".to_owned()),
            ..Answer::without_rows(
                Status::Failed,
                with_id("the query waited too long, or its approval has expired", id),
            )
        },
    };
    answer.sql = Some(asked.sql);
    answer.plan = Some(asked.explanation);
    answer
}
