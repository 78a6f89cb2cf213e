//! `text2sql.ask_view(name, question, options)`: a view that answers a question, for tools that browse.

use pgrx::prelude::*;
use text2sql_core::ports::{Catalog, Session};
use text2sql_core::question::Question;

use crate::pg::Datum;
use crate::pg::entry::{Call, entry_point, text_result};
use crate::pg::error::Raised;
use crate::pg::execution::database::GuardedDatabase;
use crate::pg::output::views::{NewView, Origin};
use crate::pg::role_catalog::ReaderCatalog;
use crate::pg::session::PgSession;
use crate::pg::settings;
use crate::question;

extension_sql!(
    r#"
CREATE FUNCTION text2sql.ask_view(name text, question text, options jsonb DEFAULT '{}') RETURNS text
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000
    AS 'MODULE_PATHNAME', 'text2sql_ask_view';
"#,
    name = "ask_view"
);
entry_point!(text2sql_ask_view, pg_finfo_text2sql_ask_view, ask_view);

/// Makes the view, or makes it anew; gives its whole name.
fn ask_view(call: &Call) -> Result<Datum, Raised> {
    let mut overrides = question::options::overrides(call.json(2)?)?;
    let view = NewView::named(call.text(0).as_deref())?;
    overrides.without.extend(view.replaced());
    let question = Question::required(call.text(1).as_deref())?;
    let written = question::write("ask_view", &question, &overrides)?;
    let trace_id = written.trace_id;
    let written = written.value.map_err(|answer| Raised::status(*answer))?;
    let database = GuardedDatabase::new(false)?;
    let definitions = ReaderCatalog::new(*database.reader()).definitions(question.as_str())?;
    let origin = Origin {
        question: question.as_str(),
        model: &settings::model(&overrides),
        trace_id,
        definitions: &definitions,
        left_out: &written.left_out.lines(&PgSession::new().user()),
    };
    view.make(
        &written.sql,
        &written.columns,
        &origin,
        &database,
        &settings::limits(&overrides),
    )?;
    text_result(&view.sql_name())
}
