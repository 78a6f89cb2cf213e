//! `text2sql.revise(sql, request, options)`: changes a query or a script as requested, and shows the difference.
//!
//! The given query passes the guard first: a query that the effective role may not run reveals nothing and is
//! not sent to a model. The changed query is run for its first row only, to check it. Of a script nothing is run.
//!
//! If no query is given, the request changes what is in the database: the views, functions and procedures that it concerns
//! are found, and are the script.

use pgrx::IntoDatum;
use pgrx::prelude::*;
use serde_json::json;
use text2sql_analysis::explain;
use text2sql_analysis::revision::script::{RevisedScript, is_script};
use text2sql_analysis::revision::{changes, line_difference, whole_difference};
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::config::BUILTIN;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_phrases::{Language, in_language};

use crate::pg::Datum;
use crate::pg::server::entry::{Call, entry_point, text_array, text_datum};
use crate::pg::server::error::Raised;
use crate::pg::server::settings::{self, Overrides};
use crate::question;
use crate::question::Request;
use crate::question::options::QUESTION;
use crate::statement::places;
use crate::statement::reader_language::in_reader_language;
use crate::statement::script_checks;
use crate::statement::submitted_sql::SubmittedSql;

extension_sql!(
    r#"
CREATE FUNCTION text2sql.revise(sql text DEFAULT NULL, request text DEFAULT NULL, options jsonb DEFAULT '{}')
    RETURNS TABLE (
        status text, sql text, changes text[], diff text, answer text, warnings text[],
        clarification json, trace_id uuid, statement integer)
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1
    AS 'MODULE_PATHNAME', 'text2sql_revise';
"#,
    name = "revise"
);
entry_point!(revise);

/// The values of a row.
type Values = [Option<Datum>; 9];

/// Changes a query, in one row: the status first, then the query and its differences. Of a script, a row for each
/// statement that differs follows.
fn revise(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let overrides = QUESTION.read(call.json(2)?)?.overrides;
    let request = call.text(1)?;
    let rows = match call.text(0)? {
        None => in_reader_language(|| change(request, overrides))?,
        Some(sql) => match is_script_of(&sql)? {
            true => in_reader_language(|| script(sql, request.as_deref(), &overrides))?,
            false => vec![query(sql, request.as_deref(), &overrides)?],
        },
    };
    set.hand_over_rows(rows)
}

/// How many tables that mean what the request says help to find its places.
const NEAR_TABLES: usize = 5;

/// Finds what a request concerns in the database, and proposes how each of it changes. The first row lists the places.
fn change(request: Option<String>, overrides: Overrides) -> Result<Vec<Values>, Raised> {
    let wanted = Request::of_text("revise", request, overrides);
    let asked = wanted
        .question()
        .map_err(question::revise::without_request)?;
    let near = question::find(&wanted)?;
    let near: Vec<String> = near
        .tables
        .iter()
        .filter(|(_, hit)| hit.is_some())
        .take(NEAR_TABLES)
        .map(|(table, _)| table.name.clone())
        .collect();
    let found = places::found(asked.as_str(), &near, &wanted.overrides)?;
    let listed = json!({ "places": found.places }).to_string();
    let is_builtin = |name: &String| name == BUILTIN;
    let no_model = settings::models(&wanted.overrides)?.iter().all(is_builtin);
    let why = match (found.places.len(), no_model) {
        (0, _) => Some(
            "no view, function or procedure that you may read or execute has the words of the request"
                .to_owned(),
        ),
        (count, true) => Some(format!(
            "places that may have to change: {count} (see clarification); the built-in engine proposes no change"
        )),
        (count, false) if found.script.is_empty() => Some(format!(
            "places that may have to change: {count} (see clarification); the model may see none of them"
        )),
        _ => None,
    };
    let mut rows = match why {
        Some(why) => vec![[
            Status::Unanswerable.as_str().into_datum(),
            None,
            text_array(&[]),
            None,
            text_datum(&why),
            text_array(&[]),
            None,
            None,
            None,
        ]],
        None => script(found.script, Some(asked.as_str()), &wanted.overrides)?,
    };
    if let Some([.., clarification, _, _]) = rows.first_mut()
        && clarification.is_none()
    {
        *clarification = text_datum(&listed);
    }
    Ok(rows)
}

/// Whether it is a script; a text that is too long or cannot be read is treated as a query, whose errors are better.
fn is_script_of(sql: &str) -> Result<bool, Error> {
    match is_script(sql) {
        Err(error) if error.kind() == ErrorKind::Setting => Ok(false),
        is_script => is_script,
    }
}

fn query(sql: String, request: Option<&str>, overrides: &Overrides) -> Result<Values, Raised> {
    let given = SubmittedSql::allowed(sql, overrides)?;
    let ran = question::revise::revised(&given, request, overrides)?;
    let trace_id = ran.trace_id;
    let proposal = match ran.value {
        Ok(proposal) => proposal,
        Err(answer) => return Ok(without_sql(*answer, trace_id)),
    };
    // Named by the changed query as well as by the given one.
    let tables = given.tables_beside(&proposal.sql)?;
    let told = changes(&given.sql, &proposal.sql, &tables);
    let answer = match told.as_slice() {
        [] => "the query is unchanged".to_owned(),
        told => told.join("; "),
    };
    Ok([
        Status::Ok.as_str().into_datum(),
        text_datum(&proposal.sql),
        text_array(&told),
        text_datum(&line_difference(&given.sql, &proposal.sql)),
        text_datum(&answer),
        text_array(&proposal.notes),
        None,
        trace_id.into_datum(),
        None,
    ])
}

fn script(
    sql: String,
    request: Option<&str>,
    overrides: &Overrides,
) -> Result<Vec<Values>, Raised> {
    let mut given = SubmittedSql::read(sql, overrides)?;
    given.tables = given.named(explain::names_in_script(&given.sql)?)?;
    let problems = |script: &RevisedScript| {
        // A model reads English.
        in_language(Language::ENGLISH, || {
            script_checks::mistakes(&given, script)
        })
    };
    let ran = question::revise::revised_script(&given, request, overrides, &problems)?;
    let trace_id = ran.trace_id;
    let (script, assumptions) = match ran.value {
        Ok(revised) => revised,
        Err(answer) => return Ok(vec![without_sql(*answer, trace_id)]),
    };
    let mut rows = Vec::new();
    let (mut all_changes, mut all_warnings) = (Vec::new(), assumptions);
    for statement in &script.statements {
        let number = statement.number;
        let mut warnings = statement.beyond.clone();
        let remarks = script_checks::remarks(&given, &script, statement)?;
        warnings.extend(remarks.into_iter().map(|remark| remark.sentence));
        let numbered = |text: &String| format!("{number}: {text}");
        all_changes.extend(statement.changes.iter().map(numbered));
        all_warnings.extend(warnings.iter().map(numbered));
        rows.push([
            Status::Ok.as_str().into_datum(),
            statement.after.as_deref().and_then(text_datum),
            text_array(&statement.changes),
            text_datum(&statement.diff),
            text_datum(&statement.changes.join("; ")),
            text_array(&warnings),
            None,
            trace_id.into_datum(),
            i32::try_from(number).ok().into_datum(),
        ]);
    }
    let answer = match all_changes.as_slice() {
        [] => "the script is unchanged".to_owned(),
        told => told.join("; "),
    };
    let whole = [
        Status::Ok.as_str().into_datum(),
        text_datum(&script.sql),
        text_array(&all_changes),
        text_datum(&whole_difference(&given.sql, &script.sql)),
        text_datum(&answer),
        text_array(&all_warnings),
        None,
        trace_id.into_datum(),
        None,
    ];
    rows.insert(0, whole);
    Ok(rows)
}

fn without_sql(answer: Answer, trace_id: pgrx::Uuid) -> Values {
    let clarification = answer.clarification();
    let mut warnings = answer.warnings;
    warnings.extend(answer.hint);
    [
        answer.status.as_str().into_datum(),
        None,
        text_array(&[]),
        None,
        answer.sentence.into_datum(),
        text_array(&warnings),
        clarification.and_then(|text| text_datum(&text)),
        trace_id.into_datum(),
        None,
    ]
}
