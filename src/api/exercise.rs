//! `text2sql.exercise(level, seed)` and `text2sql.grade(exercise, attempt)`: questions to practise SQL on the caller's
//! own tables, and marks with hints.

use pgrx::IntoDatum;
use pgrx::prelude::*;
use text2sql_learning::exercises::Level;

use crate::learning::exercises;
use crate::pg::Datum;
use crate::pg::server::entry::{Call, entry_point, text_array, text_datum};
use crate::pg::server::error::Raised;
use crate::statement::reader_language::in_language_named;

extension_sql!(
    r#"
CREATE FUNCTION text2sql.exercise(level text DEFAULT 'easy', seed bigint DEFAULT NULL, language text DEFAULT NULL)
    RETURNS TABLE (exercise text, question text, tables text[])
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1
    AS 'MODULE_PATHNAME', 'text2sql_exercise';

CREATE FUNCTION text2sql.grade(exercise text, attempt text, language text DEFAULT NULL)
    RETURNS TABLE (mark text, score double precision, hint text)
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1
    AS 'MODULE_PATHNAME', 'text2sql_grade_attempt';
"#,
    name = "exercise"
);
entry_point!(exercise);
entry_point!(grade_attempt);

/// Gives an exercise.
fn exercise(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let level = Level::named(&call.required_text(0, "level")?)?;
    let seed = call.bigint(1).unwrap_or_else(exercises::any_seed);
    let (exercise, tables) = in_language_named(call.text(2)?.as_deref(), || {
        exercises::exercise(level, seed)
    })?;
    set.hand_over_row(&[
        text_datum(&exercise.id()),
        text_datum(&exercise.question),
        text_array(&tables),
    ])
}

/// Marks an attempt at an exercise.
fn grade_attempt(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let id = call.required_text(0, "exercise")?;
    let attempt = call.required_text(1, "attempt")?;
    let marked = in_language_named(call.text(2)?.as_deref(), || exercises::grade(&id, attempt))?;
    set.hand_over_row(&[
        text_datum(marked.mark.as_str()),
        marked.score.into_datum(),
        marked.hint.as_deref().and_then(text_datum),
    ])
}
