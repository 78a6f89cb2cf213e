//! `text2sql.ask_view(question, view_name, conversation, options)`: creates a view that answers a question, for
//! BI tools.

use pgrx::prelude::*;
use text2sql_domain::ports::{Catalog, Session};

use crate::pg::Datum;
use crate::pg::access::execution::database::GuardedDatabase;
use crate::pg::access::output::answer_views::{NewView, Origin};
use crate::pg::search::role_catalog::RoleCatalog;
use crate::pg::server::entry::{Call, entry_point, text_result};
use crate::pg::server::error::Raised;
use crate::pg::server::session::PgSession;
use crate::pg::server::settings;
use crate::question::options::QUESTION;
use crate::question::{self, Request};

extension_sql!(
    r#"
CREATE FUNCTION text2sql.ask_view(
    question text, view_name text, conversation text DEFAULT NULL, options jsonb DEFAULT '{}')
    RETURNS text
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000
    AS 'MODULE_PATHNAME', 'text2sql_ask_view';
"#,
    name = "ask_view"
);
entry_point!(ask_view);

/// Creates or replaces the view; returns its qualified name.
fn ask_view(call: &Call) -> Result<Datum, Raised> {
    let mut request = Request::read(call, "ask_view", 2, &QUESTION)?;
    let view = NewView::named(call.text(1)?.as_deref())?;
    request.overrides.without.extend(view.replaced());
    let question = request.question()?;
    let ran = question::write(&request)?;
    let trace_id = ran.trace_id;
    // Readers of the view have not seen the conversation.
    let question = ran.standalone.as_deref().unwrap_or(question.as_str());
    let written = ran.value.map_err(|answer| Raised::status(*answer))?;
    if let Some(reason) = written.must_wait.first() {
        return Err(question::must_wait(reason));
    }
    let database = GuardedDatabase::new()?;
    let definitions = RoleCatalog::new(*database.role())
        .definitions(question, false)?
        .used;
    let origin = Origin {
        question,
        model: &ran.model,
        trace_id,
        definitions: &definitions,
        left_out: &written.left_out.lines(&PgSession::new().user()),
    };
    view.make(
        &written.sql,
        &written.columns,
        &origin,
        &database,
        &settings::limits(&request.overrides),
    )?;
    text_result(&view.sql_name())
}
