//! A given query or script, changed as requested: checked, sent to the model, and compared with the original.

use text2sql_domain::answer::Status;
use text2sql_domain::config::BUILTIN;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::question::Question;
use text2sql_engine::pipeline::{Problems, Revised, ScriptRevised, revise, revise_script};

use super::failure::answered;
use super::record::ended;
use super::run::{Call, RunOutcome, run};
use crate::pg::server::settings::{self, Overrides};
use crate::pg::stored::models;
use crate::pg::stored::record::history::Ended;
use crate::statement::submitted_sql::SubmittedSql;

fn misuse(kind: ErrorKind, message: &str) -> Error {
    Error::new(kind, message).with_hint(
        "Describe the change: SELECT * FROM text2sql.revise('SELECT …', 'by quarter instead');",
    )
}

/// Changes a query that the guard has accepted.
pub(crate) fn revised(
    given: &SubmittedSql,
    request: Option<&str>,
    overrides: &Overrides,
) -> Result<RunOutcome<Revised>, Error> {
    let request = requested(request, overrides)?;
    let revised_ended = |revised: &Revised| match revised {
        Ok(proposal) => ended_with(&proposal.sql),
        Err(answer) => ended(answer),
    };
    run(
        &Call::of("revise", &request, overrides),
        revised_ended,
        |cx, engines| match revise(cx, engines, &request, &given.sql, &given.tables) {
            Err(error) => answered(cx, Err(error)).map(|answer| Err(Box::new(answer))),
            revised => revised,
        },
    )
}

/// Changes a script. `problems` are what the server says about one that is changed.
pub(crate) fn revised_script(
    given: &SubmittedSql,
    request: Option<&str>,
    overrides: &Overrides,
    problems: &Problems<'_>,
) -> Result<RunOutcome<ScriptRevised>, Error> {
    let request = requested(request, overrides)?;
    let revised_ended = |revised: &ScriptRevised| match revised {
        Ok((script, _)) => ended_with(&script.sql),
        Err(answer) => ended(answer),
    };
    run(
        &Call::of("revise", &request, overrides),
        revised_ended,
        |cx, engines| match revise_script(
            cx,
            engines,
            &request,
            &given.sql,
            &given.tables,
            problems,
        ) {
            Err(error) => answered(cx, Err(error)).map(|answer| Err(Box::new(answer))),
            revised => revised,
        },
    )
}

fn ended_with(sql: &str) -> Ended {
    Ended {
        status: Status::Ok.as_str(),
        sql: Some(sql.to_owned()),
        ..Ended::default()
    }
}

/// The error for a request that says nothing.
pub(crate) fn without_request(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Setting => misuse(ErrorKind::Setting, "request must not be empty"),
        ErrorKind::Missing => misuse(ErrorKind::Missing, "request must not be null"),
        _ => error,
    }
}

/// The request, for a model that can fulfil it.
fn requested(request: Option<&str>, overrides: &Overrides) -> Result<Question, Error> {
    let request = Question::required(request).map_err(without_request)?;
    if settings::models(overrides)?
        .iter()
        .all(|name| name == BUILTIN)
    {
        return Err(models::needs_a_model(
            "the built-in engine cannot revise queries",
        ));
    }
    Ok(request)
}
