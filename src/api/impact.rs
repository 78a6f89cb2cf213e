//! `text2sql.impact(object)`: what reads a table, column, view or function, through views of views too.

use pgrx::IntoDatum;
use pgrx::prelude::*;

use crate::impact;
use crate::pg::Datum;
use crate::pg::server::entry::{Call, entry_point, text_array, text_datum};
use crate::pg::server::error::Raised;

extension_sql!(
    r#"
CREATE FUNCTION text2sql.impact(object text)
    RETURNS TABLE (kind text, object_name text, columns text[], via text, depth integer, certainty text)
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 ROWS 20
    AS 'MODULE_PATHNAME', 'text2sql_impact';
"#,
    name = "impact"
);
entry_point!(impact);

/// Lists what reads an object, the nearest first.
fn impact(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let found = impact::of(&call.required_text(0, "object")?)?;
    set.hand_over_rows(found.iter().map(|one| {
        let via = (!one.via.is_empty()).then(|| one.via.join(" > "));
        let columns = (!one.columns.is_empty()).then(|| text_array(&one.columns));
        [
            text_datum(&one.kind),
            text_datum(&one.object),
            columns.flatten(),
            via.as_deref().and_then(text_datum),
            i32::try_from(one.depth).ok().into_datum(),
            text_datum(one.certainty.as_str()),
        ]
    }))
}
