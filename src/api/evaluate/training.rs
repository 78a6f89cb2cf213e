//! Functions used by `text2sql_eval.export_training`: which examples are learned, and the line of one.

use pgrx::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::Value;
use text2sql_domain::error::failure;

use text2sql_learning::training_data::{self, Candidate, Case, Format, Part};

use crate::pg::Datum;
use crate::pg::server::entry::{Call, entry_point};
use crate::pg::server::error::{ErrorReport, Raised, report};
use crate::pg::server::json_argument::JsonbArgument;
use crate::question::options::QUESTION;
use crate::question::{self, Request};

/// What becomes of each candidate, in their order: the part, or why it is left out.
#[pg_extern(
    sql = r"
CREATE FUNCTION text2sql_eval._choose_training(candidates jsonb, cases jsonb, validation double precision)
    RETURNS TABLE (question text, sql text, source text, example bigint, split text, left_out text, same_sql bigint[])
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000
    AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
",
    requires = ["eval_schema"]
)]
#[expect(clippy::type_complexity, reason = "the columns of the result")]
fn _choose_training(
    candidates: JsonbArgument,
    cases: JsonbArgument,
    validation: f64,
) -> Result<
    TableIterator<
        'static,
        (
            name!(question, String),
            name!(sql, Option<String>),
            name!(source, String),
            name!(example, Option<i64>),
            name!(split, Option<&'static str>),
            name!(left_out, Option<&'static str>),
            name!(same_sql, Vec<i64>),
        ),
    >,
    ErrorReport,
> {
    let candidates: Vec<Candidate> = read(candidates.0)?;
    let cases: Vec<Case> = read(cases.0)?;
    let chosen = training_data::choose(&candidates, &cases, validation);
    let rows = candidates
        .into_iter()
        .zip(chosen)
        .map(|(candidate, chosen)| {
            let Candidate {
                question,
                sql,
                source,
                example,
            } = candidate;
            let part = chosen.part.map(Part::name);
            let (split, left_out) = (part.ok(), part.err());
            (
                question,
                sql,
                source,
                example,
                split,
                left_out,
                chosen.same_sql,
            )
        });
    Ok(TableIterator::new(rows))
}

fn read<T: DeserializeOwned>(json: Value) -> Result<T, ErrorReport> {
    serde_json::from_value(json)
        .map_err(|error| report(failure!(Setting, "could not parse examples: {error}")))
}

extension_sql!(
    r#"
CREATE FUNCTION text2sql_eval._training_line(question text, options jsonb, sql text, format text, hidden_examples bigint[])
    RETURNS text
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000
    AS 'MODULE_PATHNAME', 'text2sql_training_line';
"#,
    name = "training_line",
    requires = ["eval_schema"]
);
entry_point!(training_line);

/// The prompt of a question with its reply, without the hidden examples; NULL if the SQL has a constant that the prompt
/// does not show.
fn training_line(call: &Call) -> Result<Datum, Raised> {
    let mut request = Request::alone(call, "export_training", 1, &QUESTION)?;
    let hidden = call.array::<i64>(4)?.unwrap_or_default().into_iter();
    request
        .overrides
        .hidden_examples
        .extend(hidden.filter_map(|id| u32::try_from(id).ok()));
    let format = call.text(3)?.unwrap_or_default();
    let format = Format::named(&format)
        .ok_or_else(|| failure!(Setting, "format must be chat or completion: {format}"))?;
    let (question, sql) = (request.question()?, call.text(2)?);
    let prompts = question::preview(&request)?;
    // The others are about texts, whose replies nobody has verified.
    let line = match prompts.first() {
        Some(prompt) => training_data::line(format, prompt, question.as_str(), sql.as_deref())
            .map_err(|error| failure!(Internal, "could not write a line").with_source(error))?,
        None => None,
    };
    call.text_or_null(line.as_deref())
}
