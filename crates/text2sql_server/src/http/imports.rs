//! `/imports`: glossaries and examples from files, which can be listed and taken back. Each route is one call of the
//! function of the extension, whose privileges decide who may.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::{IntoParams, ToSchema};

use super::App;
use super::body::Parameters;
use super::file_body;
use super::page_of::AtMost;
use super::routes::{Reply, Routes};
use crate::convert::Kind;
use crate::identity::Identity;
use crate::problem::Problem;

const LIST: &str = include_str!("../../sql/imports/list.sql");
const LINES: &str = include_str!("../../sql/imports/lines.sql");
const IMPORT: &str = include_str!("../../sql/imports/import.sql");
const TAKE_BACK: &str = include_str!("../../sql/imports/take_back.sql");
const VERIFY: &str = include_str!("../../sql/imports/verify.sql");

/// Routes of this family.
pub fn routes(routes: Routes) -> Routes {
    routes
        .family("Knowledge")
        .reads(
            "/imports",
            "Imported glossaries and files of examples",
            LIST,
        )
        .post(
            "/imports",
            "Import a glossary or examples from a file, which is the body",
            import,
            |about| about.query::<ImportParameters>().gives_object(),
        )
        .removes_with::<TakenBack>("/imports", "Take an import back", TAKE_BACK)
        .reads_with::<Lines>(
            "/imports/lines",
            "What became of the lines of an import",
            LINES,
        )
        .does_with::<Verification>(
            "/imports/verify",
            "Verify the examples of an import that are sound",
            VERIFY,
        )
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct ImportParameters {
    /// Name of the file: its end says what it is (csv, tsv, txt, json, jsonl, ndjson, xlsx, ods).
    file: String,
    /// `glossary` or `examples`.
    #[param(inline)]
    kind: ImportKind,
    /// The name under which it is listed and taken back; without one, that of the file.
    source: Option<String>,
    /// `abort`: a line that cannot be taken ends it, and nothing is stored; `skip`: the others are.
    on_error: Option<String>,
    /// Sheet of a workbook; without one, the first that has cells.
    sheet: Option<String>,
    /// Encoding of a text; without one, it is found.
    encoding: Option<String>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum ImportKind {
    Glossary,
    Examples,
}

async fn import(
    State(app): State<Arc<App>>,
    identity: Identity,
    Parameters(said): Parameters<ImportParameters>,
    request: Request,
) -> Reply {
    let kind = file_body::kind_of(&said.file)?;
    let (sheet, encoding) = (said.sheet.as_deref(), said.encoding.as_deref());
    let turn = file_body::turn_to_import(&app, &identity).await?;
    let limits = app.config.limits.file;
    let converted = file_body::text_of(&turn, kind, limits, sheet, encoding, request).await?;
    let what = match said.kind {
        ImportKind::Glossary => "glossary",
        ImportKind::Examples => "examples",
    };
    let format = match kind {
        Kind::Json => "jsonl",
        _ => "csv",
    };
    let source = said.source.as_deref().unwrap_or(&said.file);
    let on_error = said.on_error.as_deref().unwrap_or("abort");
    let parameters = [
        Some(converted.text.as_str()),
        Some(source),
        Some(format),
        Some(on_error),
        Some(what),
    ];
    let imported = app.database.json(&identity, IMPORT, &parameters).await?;
    if converted.notes.is_empty() {
        return Ok(Json(imported));
    }
    let mut imported: Map<String, Value> =
        serde_json::from_str(imported.get()).map_err(|_| Problem::internal())?;
    imported.insert("notes".to_owned(), json!(converted.notes));
    let imported = serde_json::value::to_raw_value(&imported).map_err(|_| Problem::internal())?;
    Ok(Json(imported))
}

#[derive(Deserialize, Serialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct TakenBack {
    source: String,
    /// Whether verified examples are dropped, too.
    #[serde(default)]
    include_verified: bool,
}

#[derive(Deserialize, Serialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct Lines {
    source: String,
    /// `taken`, `known`, `refused` or `kept`; without one, all.
    outcome: Option<String>,
    /// How many lines were listed before.
    #[serde(default)]
    after: u32,
    #[serde(default)]
    #[param(value_type = Option<u32>)]
    limit: AtMost<200, 1000>,
}

#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Verification {
    source: String,
    /// Whether only examples are verified that a model has found to answer their question. None: yes.
    needs_opinion: Option<bool>,
}
