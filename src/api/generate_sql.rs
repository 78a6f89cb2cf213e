//! `text2sql.generate_sql(question, schema_ddl, dialect, options)`: a query for a schema that is not in this database.

use pgrx::IntoDatum;
use pgrx::prelude::*;
use text2sql_domain::answer::Status;
use text2sql_domain::dialect::Dialect;
use text2sql_domain::results::all_warnings;
use text2sql_sql::ddl;

use crate::pg::Datum;
use crate::pg::server::entry::{Call, entry_point, text_array, text_datum};
use crate::pg::server::error::Raised;
use crate::pg::server::spi::encoding::for_client;
use crate::pg::server::sqlstate;
use crate::question::Request;
use crate::question::generate_sql::generate_sql as generated;
use crate::question::options::QUESTION;

extension_sql!(
    r#"
CREATE FUNCTION text2sql.generate_sql(
        question text, schema_ddl text, dialect text DEFAULT 'postgresql', options jsonb DEFAULT '{}')
    RETURNS TABLE (
        status text, answer text, sql text, reasoning text, assumptions text[], confidence double precision,
        engine text, warnings text[], clarification json, trace_id uuid, sqlstate text)
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1
    AS 'MODULE_PATHNAME', 'text2sql_generate_sql';
"#,
    name = "generate_sql"
);
entry_point!(generate_sql);

/// Writes a query for the schema that the DDL text defines. It is checked against that schema and not run.
fn generate_sql(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let request = Request::alone(call, "generate_sql", 3, &QUESTION)?;
    let text = call.required_text(1, "schema_ddl")?;
    let dialect = call
        .text(2)?
        .map(|name| Dialect::named(&name))
        .transpose()?;
    let schema = ddl::read(&text, dialect.unwrap_or_default())?;
    drop(text);
    let generated = generated(&request, &schema)?;
    let answer = generated.answer;
    let sqlstate = (answer.status != Status::Ok).then(|| sqlstate::of_answer(&answer).to_owned());
    let prose = |text: String| for_client(&text).into_owned();
    let prose_list = |texts: Vec<String>| texts.into_iter().map(prose).collect::<Vec<_>>();
    let assumptions = text_array(&prose_list(answer.links.clone()));
    let mut warned = answer.clone();
    // They are a column of their own.
    warned.links.clear();
    set.hand_over_row(&[
        answer.status.as_str().into_datum(),
        answer.sentence.clone().map(prose).into_datum(),
        answer.sql.clone().into_datum(),
        answer.plan.clone().map(prose).into_datum(),
        assumptions,
        answer.confidence.into_datum(),
        answer.engine().and_then(text_datum),
        text_array(&prose_list(all_warnings(&warned))),
        answer
            .clarification()
            .and_then(|clarification| text_datum(&prose(clarification))),
        generated.trace_id.into_datum(),
        sqlstate.into_datum(),
    ])
}
