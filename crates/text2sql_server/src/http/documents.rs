//! `/documents`: what questions search besides tables. A file becomes one, and each can be taken away again. The functions
//! of the extension decide who may.

use std::sync::Arc;

use axum::extract::{Request, State};
use serde::Deserialize;
use utoipa::IntoParams;

use super::App;
use super::body::Parameters;
use super::file_body;
use super::routes::{Reply, Routes};
use crate::convert::Kind;
use crate::identity::Identity;
use crate::load::document;
use crate::problem::Problem;

const LIST: &str = "\
SELECT pg_catalog.json_build_object('documents', coalesce(pg_catalog.json_agg(pg_catalog.json_build_object( \
    'id', d.id, 'title', d.title, 'source', d.source, 'characters', d.characters, 'owner_name', d.owner_name, 'added_at', d.added_at) \
    ORDER BY d.added_at DESC, d.id), '[]'))::text \
  FROM (SELECT * FROM text2sql.documents WHERE kind = 'document' ORDER BY added_at DESC LIMIT 500) AS d";
const ADD: &str = "\
SELECT pg_catalog.json_build_object('source', $2::text, 'taken', pg_catalog.count(*))::text \
  FROM text2sql.import_knowledge($1::text, 'documents', source => $2::text, mode => 'replace')";
const FORGET: &str = "\
SELECT pg_catalog.json_build_object('outcome', f.outcome)::text FROM text2sql.forget('document', $1::text::bigint) AS f";

/// Routes of this family.
pub fn routes(routes: Routes) -> Routes {
    routes
        .family("Knowledge")
        .reads("/documents", "Documents that questions search", LIST)
        .post(
            "/documents",
            "Make a document of a file, which is the body; one of the same name and title is replaced",
            add,
            |about| about.query::<DocumentParameters>().gives_object(),
        )
        .removes("/documents/{id}", "Take a document away", FORGET)
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct DocumentParameters {
    /// Name of the file: its end says what it is (md, txt, html, docx, pdf).
    file: String,
    /// Encoding of a text; without one, it is found.
    encoding: Option<String>,
}

async fn add(
    State(app): State<Arc<App>>,
    identity: Identity,
    Parameters(said): Parameters<DocumentParameters>,
    request: Request,
) -> Reply {
    let kind = Kind::of_name(&said.file)
        .filter(|kind| !kind.is_table() || *kind == Kind::Csv)
        .ok_or_else(|| {
            Problem::bad_request("the end of the name of the file says no kind of document")
                .with_hint("There are .md .txt .html .docx .pdf")
        })?;
    let encoding = said.encoding.as_deref();
    let limits = app.config.limits.file;
    let turn = file_body::turn_to_import(&app, &identity).await?;
    let converted = file_body::text_of(&turn, kind, limits, None, encoding, request).await?;
    let (_, line) = document::line_of(&converted.text, &said.file)?;
    let parameters = [Some(line.as_str()), Some(said.file.as_str())];
    let added = app.database.json(&identity, ADD, &parameters).await;
    added.map(axum::Json).map_err(document::without_line)
}
