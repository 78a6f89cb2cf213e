//! Questions whose query waits until a person has approved it: what is stored for that person, and the answer
//! after the approval.

use serde_json::{Value, json};
use text2sql_analysis::{explain, findings};
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::question::Question;
use text2sql_domain::sql_result::DatabaseError;
use text2sql_engine::pipeline;

use super::converse::Conversed;
use super::failure::answered;
use super::record::ended;
use super::run::{Call, RunOutcome, run};
use crate::pg::error::Raised;
use crate::pg::record::approvals::{self, Asked, Waiting};
use crate::pg::settings::Overrides;
use crate::pg::spi::owner::can_write;
use crate::statement::submitted_sql::SubmittedSql;

/// Stores the query of an answer that waits, and says in the answer under which id; any other answer stays as it is.
pub(super) fn keep(call: &Call<'_>, ran: &mut RunOutcome<Answer>) -> Result<(), Error> {
    if ran.value.status != Status::Waiting {
        return Ok(());
    }
    let (Some(sql), Some(held)) = (ran.value.sql.clone(), ran.value.held.take()) else {
        return Ok(());
    };
    if !can_write() {
        ran.value = unrecorded();
        return Ok(());
    }
    let given = SubmittedSql::read(sql, call.overrides)?;
    let explanation = explanation(&given)?;
    let estimate = given.database.inspect(&given.sql, &given.limits)?.estimate;
    let id = approvals::record(&Waiting {
        trace_id: ran.trace_id,
        question: call.question.as_str(),
        standalone: ran.standalone.as_deref(),
        conversation: call.conversation,
        model: &ran.model,
        sql: &given.sql,
        held: &held,
        explanation: &explanation,
        trust_report: trust_report(&given),
        estimate: estimate.map(|estimate| (estimate.cost, estimate.rows)),
    })?;
    let answer = &mut ran.value;
    answer.sentence = answer.sentence.take().map(|said| with_id(&said, id));
    answer.hint = Some(hint(id));
    let reasons = held
        .reasons
        .iter()
        .map(|reason| format!("it waits because {reason}"));
    answer.warnings.splice(0..0, reasons);
    answer
        .warnings
        .extend(explanation.lines().map(str::to_owned));
    Ok(())
}

/// The error's answer where a query would have to wait and cannot be stored.
fn unrecorded() -> Answer {
    let message = "the query would have to wait for approval, which cannot be recorded on a standby or in a read-only transaction";
    Answer {
        hint: Some("Ask on the primary server, outside a read-only transaction.".to_owned()),
        error: Some(DatabaseError {
            // read_only_sql_transaction
            sqlstate: "25006".to_owned(),
            message: message.to_owned(),
            detail: None,
            hint: None,
            position: None,
            is_private: false,
        }),
        ..Answer::without_rows(Status::Failed, message)
    }
}

/// The hint of functions whose errors undo what they stored: another one asks for the approval. It does not repeat
/// the question, because errors go to the server log.
pub(super) const HINT_TO_ASK: &str = "Ask with text2sql.ask(), which asks for the approval, and call this function again when it is given.";

/// The error of a function that would make something of a query that has to wait.
pub(crate) fn must_wait(reason: &str) -> Raised {
    Raised::status(Answer {
        hint: Some(HINT_TO_ASK.to_owned()),
        warnings: vec![format!("it waits because {reason}")],
        ..Answer::without_rows(Status::Waiting, "the query waits for approval")
    })
}

fn with_id(said: &str, id: i64) -> String {
    format!("{said} (id {id})")
}

fn hint(id: i64) -> String {
    format!("When it is approved: SELECT * FROM text2sql.answer({id});")
}

/// What the query does, a line for each clause. A query that the explanation does not support has none.
fn explanation(given: &SubmittedSql) -> Result<String, Error> {
    let steps = match explain::explain(&given.sql, &given.tables) {
        Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
        steps => steps.unwrap_or_default(),
    };
    let lines: Vec<String> = steps
        .iter()
        .map(|step| format!("{}: {}", step.clause, step.explanation))
        .collect();
    Ok(lines.join("\n"))
}

/// What may be wrong, as far as text, keys and statistics show.
fn trust_report(given: &SubmittedSql) -> Value {
    let found = findings::find(&given.sql, &given.tables);
    let found = found.ok().flatten().unwrap_or_default();
    found
        .iter()
        .filter(|finding| !finding.is_question())
        .map(|finding| {
            json!({
                "finding": finding.check.as_str(),
                "severity": finding.severity.as_str(),
                "basis": finding.basis.as_str(),
                "evidence": finding.evidence,
                "fix": finding.fix,
            })
        })
        .collect()
}

/// Answers a question of the caller whose query was approved: the query runs with the caller's privileges, and the
/// guard judges it again.
pub(crate) fn answer(id: Option<i64>, overrides: &Overrides) -> Result<Conversed, Error> {
    let (id, asked) = approvals::asked(id)?;
    if asked.status != "approved" {
        return Ok(Conversed {
            answer: undecided(id, asked),
            trace_id: None,
        });
    }
    let question = Question::new(asked.standalone.as_deref().unwrap_or(&asked.question))?;
    let call = Call {
        function: "answer",
        question: &question,
        conversation: None,
        overrides,
        keep_rows: false,
        commits: false,
    };
    let ran = run(&call, ended, |cx, _| {
        let answer = pipeline::answer_approved(cx, &question, asked.proposal());
        answered(cx, answer)
    })?;
    Ok(Conversed {
        answer: Answer {
            verified_by: asked.decided_by,
            ..ran.value
        },
        trace_id: Some(ran.trace_id),
    })
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
    answer.warnings = asked.explanation.lines().map(str::to_owned).collect();
    answer
}
