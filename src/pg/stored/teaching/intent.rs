//! Asks the model whether the SQL of examples answers their questions, and stores the verdict. It is only
//! advice: an example is verified by a user.

use pgrx::check_for_interrupts;
use text2sql_domain::error::Error;
use text2sql_domain::ports::{Catalog, Session};
use text2sql_knowledge::intent::{Verdict, json_schema, read};
use text2sql_knowledge::pair::Pair;
use text2sql_models::prompt::{Prompt, render_check};

use super::adviser::Adviser;
use super::as_owner;
use super::examples;
use crate::pg::access::catalog::read_as;
use crate::pg::access::execution::database::GuardedDatabase;
use crate::pg::server::session::PgSession;
use crate::pg::server::spi;
use crate::pg::server::spi::sandbox::keep_no_locks;
use crate::pg::stored::knowledge::glossary;
use crate::pg::stored::knowledge::stored_sql::SqlCheck;

const UNCHECKED: &str = "
    SELECT e.id FROM text2sql._examples e
    WHERE e.intent_checked_at IS NULL
      AND ($2 IS NULL OR EXISTS (
          SELECT FROM text2sql._import_lines l WHERE l.source = $2 AND l.entry = 'example' AND l.entry_id = e.id))
    ORDER BY e.id LIMIT $1";
const KEEP: &str = "
    UPDATE text2sql._examples
    SET intent = $2, intent_reason = $3, intent_model = $4, intent_checked_at = now()
    WHERE id = $1";

/// An example with the model's verdict.
pub(crate) struct Checked {
    pub(crate) id: i64,
    pub(crate) question: String,
    pub(crate) verdict: Verdict,
}

/// Examples that no model has checked yet.
pub(crate) fn unchecked(max_examples: i32, source: Option<&str>) -> Result<Vec<i64>, Error> {
    let arguments = [i64::from(max_examples.max(0)).into(), source.into()];
    let ids = keep_no_locks(|| spi::read_rows(UNCHECKED, &arguments, 0, |row| row.read::<i64>(1)))?;
    Ok(ids.into_iter().flatten().collect())
}

/// Asks the model about these examples, if the caller can see all of them.
pub(crate) fn check_these(ids: &[i64]) -> Result<Vec<Checked>, Error> {
    for id in ids {
        keep_no_locks(|| examples::read(*id))?;
    }
    check(ids)
}

/// Asks the model about each of the examples. Written when all are done, so that no lock is held during a model
/// call.
pub(crate) fn check(ids: &[i64]) -> Result<Vec<Checked>, Error> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let adviser = Adviser::new()?;
    let mut checked = Vec::new();
    for &id in ids {
        check_for_interrupts!();
        let (pair, prompt) = keep_no_locks(|| prompt_for(id, &adviser))?;
        let verdict = match prompt {
            Err(problem) => Verdict {
                intent: "no",
                reason: format!("the SQL is no longer valid: {problem}"),
            },
            Ok(prompt) => read(&adviser.ask(&pair.question, prompt, json_schema())?)?,
        };
        checked.push(Checked {
            id,
            question: pair.question,
            verdict,
        });
    }
    for Checked { id, verdict, .. } in &checked {
        let arguments = [
            (*id).into(),
            verdict.intent.into(),
            verdict.reason.clone().into(),
            adviser.name().into(),
        ];
        as_owner(|| spi::write(KEEP, &arguments, |_| Ok(())))?;
    }
    Ok(checked)
}

/// The example with the input of the model, or why its SQL cannot be used.
fn prompt_for(id: i64, adviser: &Adviser) -> Result<(Pair, Result<Prompt, String>), Error> {
    let pair = examples::read(id)?;
    let objects = match SqlCheck::new()?.reads(&pair.sql)? {
        Err(problem) => return Ok((pair, Err(problem.message))),
        Ok(objects) => objects,
    };
    let mut oids: Vec<u32> = Vec::new();
    for oid in objects.iter().filter_map(|object| object.relation_oid) {
        if !oids.contains(&oid) {
            oids.push(oid);
        }
    }
    let database = GuardedDatabase::new()?;
    let tables = read_as(database.role(), |catalog| catalog.describe(&oids))?;
    let known = keep_no_locks(|| glossary::definitions_for(&pair.question, false, &database))?;
    let prompt = render_check(
        (&pair.question, &pair.sql),
        &tables,
        &known.used,
        adviser.egress(),
        adviser.budget(),
        &PgSession::new().server_version(),
    );
    Ok((pair, Ok(prompt)))
}
