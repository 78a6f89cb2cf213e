//! `text2sql.explain(sql)`: explains in plain words what a query does, clause by clause, what another statement
//! would change, or what is wrong with an invalid one. Runs nothing but row counts, and calls a model only when
//! a summary is requested. A query of another dialect is explained by its PostgreSQL form.

use pgrx::IntoDatum;
use pgrx::prelude::*;
use text2sql_domain::dialect::Dialect;

use crate::pg::Datum;
use crate::pg::server::entry::{Call, entry_point, text_datum};
use crate::pg::server::error::Raised;
use crate::statement::explanation::{self, Wanted};

extension_sql!(
    r#"
CREATE FUNCTION text2sql.explain(
        sql text, summary boolean DEFAULT false, language text DEFAULT NULL, dialect text DEFAULT 'postgresql')
    RETURNS TABLE (step integer, clause text, explanation text)
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 ROWS 10
    AS 'MODULE_PATHNAME', 'text2sql_explain';
"#,
    name = "explain"
);
entry_point!(explain);

/// Explains a statement without running it; a summary is step 0.
fn explain(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let sql = call.required_text(0, "statement")?;
    let wanted = Wanted {
        has_summary: call.boolean(1),
        language: call.text(2)?,
        dialect: call
            .text(3)?
            .map(|name| Dialect::named(&name))
            .transpose()?
            .unwrap_or_default(),
    };
    let explained = explanation::explain(sql, &wanted)?;
    if let Some(warning) = &explained.warning {
        pgrx::warning!("{warning}");
    }
    let first = if explained.summary.is_some() { 0 } else { 1 };
    let steps = explained.summary.iter().chain(&explained.steps);
    set.hand_over_rows((first..).zip(steps).map(|(number, step): (i32, _)| {
        [
            number.into_datum(),
            text_datum(&step.clause),
            text_datum(&step.explanation),
        ]
    }))
}
