//! A query for a schema that the caller handed over: written, checked, recorded and charged as any other, and not run.

use text2sql_domain::error::Error;
use text2sql_engine::pipeline;
use text2sql_sql::ddl::GivenSchema;

use super::converse::Conversed;
use super::failure::{answered, failure};
use super::record::ended;
use super::run::{Call, Request, run};

/// Writes the query. An invalid question, and a model that failed, are answers too.
pub(crate) fn generate_sql(request: &Request, schema: &GivenSchema) -> Result<Conversed, Error> {
    let question = match request.question() {
        Ok(question) => question,
        Err(error) => return Ok(Conversed::unasked(failure(&error))),
    };
    let call = Call {
        given: Some(schema),
        ..request.call(&question)
    };
    let ran = run(&call, ended, |run, engines| {
        let answer = pipeline::generate_sql(run, engines, &question, schema);
        answered(run, answer)
    })?;
    let mut answer = ran.value;
    answer.warnings.extend(schema.notes.iter().cloned());
    Ok(Conversed {
        answer,
        trace_id: Some(ran.trace_id),
    })
}
