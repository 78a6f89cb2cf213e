//! `text2sql.trust_report(sql)`: what may be wrong with a query that runs.

use pgrx::prelude::*;
use text2sql_analysis::findings::{self, Effort};
use text2sql_phrases::say;

use crate::pg::Datum;
use crate::pg::server::entry::{Call, entry_point, text_datum};
use crate::pg::server::error::Raised;
use crate::pg::server::settings::Overrides;
use crate::statement::reader_language::in_reader_language;
use crate::statement::submitted_sql::SubmittedSql;

extension_sql!(
    r#"
CREATE FUNCTION text2sql.trust_report(sql text)
    RETURNS TABLE (finding text, severity text, basis text, evidence text, fix text)
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 ROWS 5
    AS 'MODULE_PATHNAME', 'text2sql_trust_report';
"#,
    name = "trust_report"
);
entry_point!(trust_report);

/// Finds what may be wrong, and checks it against the data where possible.
fn trust_report(call: &Call) -> Result<Datum, Raised> {
    in_reader_language(|| report(call))
}

fn report(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let given = SubmittedSql::allowed(call.required_text(0, "statement")?, &Overrides::default())?;
    let Some(mut found) = findings::find(&given.sql, &given.tables)? else {
        return set.hand_over_row(&[
            text_datum("not_checked"),
            text_datum("note"),
            text_datum("possible"),
            text_datum(&say!(
                "The query uses SQL syntax that these checks do not support."
            )),
            None,
        ]);
    };
    for (view, query) in given.view_definitions()? {
        findings::compare_view(&mut found, &view, &query);
    }
    let effort = Effort::within(&given.limits);
    let decided = findings::measure(found, &given.database, &effort)?;
    set.hand_over_rows(decided.iter().map(|finding| {
        [
            text_datum(finding.check.as_str()),
            text_datum(finding.severity.as_str()),
            text_datum(finding.basis.as_str()),
            text_datum(&finding.evidence),
            finding.fix.as_deref().and_then(text_datum),
        ]
    }))
}
