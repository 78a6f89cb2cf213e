//! A question whose query waits until a person has approved it: what is stored for that person.

use serde_json::{Value, json};
use text2sql_analysis::{explain, findings};
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::sql_result::DatabaseError;

use super::approval_texts::{hint, with_id};
use super::run::{Call, RunOutcome};
use crate::pg::server::spi::owner::can_write;
use crate::pg::stored::record::approvals::{self, Waiting};
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
    let inspection = given.database.inspect(&given.sql, &given.limits)?;
    let estimate = inspection.estimate;
    let relations = inspection
        .contents
        .map(|contents| contents.all_relation_oids);
    let id = approvals::record(&Waiting {
        trace_id: ran.trace_id,
        question: call.question.as_str(),
        standalone: ran.standalone.as_deref(),
        conversation: call.conversation,
        model: &ran.model,
        sql: &given.sql,
        relations: relations.unwrap_or_default(),
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
    // The model may have said it in its own words.
    answer.plan.get_or_insert(explanation);
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
