//! `/tables`: a file becomes a table, with the rights of whoever sends it. The function of the extension decides and
//! loads; only workbooks are converted before, in a process of their own.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use text2sql_files::{Bounds, Options, Source};
use tokio::task::block_in_place;
use utoipa::IntoParams;

use super::App;
use super::body::{Parameters, Part};
use super::file_body;
use super::routes::Routes;
use crate::config::FileLimits;
use crate::convert::Kind;
use crate::identity::Identity;
use crate::problem::Problem;

const WHERE: &str = include_str!("../../sql/tables.sql");
const LOAD: &str = concat!(
    "SELECT pg_catalog.json_build_object('table', pg_catalog.min(t.table_name), 'rows', pg_catalog.min(t.rows_loaded), ",
    "'rejected', pg_catalog.min(t.rows_rejected), 'columns', pg_catalog.json_agg(pg_catalog.json_build_object(",
    "'name', t.column_name, 'type', t.data_type, 'original', t.original_name, 'note', t.note)), ",
    "'oids', pg_catalog.array_remove(ARRAY[pg_catalog.to_regclass(pg_catalog.min(t.table_name))::pg_catalog.oid::bigint, ",
    "CASE WHEN pg_catalog.min(t.rows_rejected) > 0 THEN pg_catalog.to_regclass(coalesce($3::text::json ->> 'rejected_table', pg_catalog.format('%I.%I', ",
    "(pg_catalog.parse_ident(pg_catalog.min(t.table_name)))[1], (pg_catalog.parse_ident(pg_catalog.min(t.table_name)))[2] || '_rejected')))::pg_catalog.oid::bigint END], NULL))::text ",
    "FROM text2sql.load_file($1::text, $2::text, $3::text::jsonb) AS t"
);

/// Drops those of the tables that are still there.
fn drop_of(oids: &[String]) -> String {
    let oids = oids.join(", ");
    format!(
        "DO $$ DECLARE found text := (SELECT pg_catalog.string_agg(c.oid::pg_catalog.regclass::text, ', ') \
            FROM pg_catalog.pg_class c WHERE c.oid IN ({oids})); \
         BEGIN IF found IS NOT NULL THEN EXECUTE 'DROP TABLE ' || found; END IF; END $$"
    )
}

/// Routes of this family.
pub fn routes(routes: Routes) -> Routes {
    routes
        .family("Files")
        .get(
            "/tables",
            "Where may I make tables of files, and how large may a file be?",
            show,
            |about| about.gives_object(),
        )
        .post(
            "/tables",
            "Make a table of a file, which is the body",
            load,
            |about| about.query::<FileParameters>().gives_object(),
        )
        .delete(
            "/tables/{undo}",
            "Take back a table that was just made of a file",
            undo,
            |about| {
                about
                    .path_parameter(
                        "undo",
                        "As the load said it; the server forgets it when it ends",
                    )
                    .gives_nothing()
            },
        )
}

/// The schemas in which the role may create a table, that of a plain name first, and the limits of a file.
async fn show(
    State(app): State<Arc<App>>,
    identity: Identity,
) -> Result<Json<Map<String, Value>>, Problem> {
    let found = app.database.json(&identity, WHERE, &[]).await?;
    let mut shown: Map<String, Value> =
        serde_json::from_str(found.get()).map_err(|_| Problem::internal())?;
    let limits = app.config.limits.file;
    shown.insert(
        "limits".to_owned(),
        json!({
            "bytes": limits.bytes,
            "unpacked_bytes": limits.conversion.bytes,
            "columns": limits.columns,
            "line_bytes": limits.line_bytes,
        }),
    );
    Ok(Json(shown))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct FileParameters {
    /// Name of the file: its end says what it is (csv, tsv, txt, json, jsonl, ndjson, xlsx, ods).
    file: String,
    /// Name of the table, as SQL writes it; without one, the file's.
    name: Option<String>,
    /// Sheet of a workbook; without one, the first that has cells.
    sheet: Option<String>,
    /// Encoding of a text; without one, it is found.
    encoding: Option<String>,
    /// Options of `text2sql.load_file`, a JSON object.
    options: Option<String>,
}

async fn load(
    State(app): State<Arc<App>>,
    identity: Identity,
    Parameters(said): Parameters<FileParameters>,
    request: Request,
) -> Result<Json<Box<RawValue>>, Problem> {
    let kind = file_body::kind_of(&said.file)?;
    let limits = app.config.limits.file;
    let options = options(said.options.as_deref(), kind)?;
    let stem = said
        .file
        .rsplit_once('.')
        .map_or(said.file.as_str(), |(stem, _)| stem);
    let name = match &said.name {
        Some(name) => name.clone(),
        None => text2sql_files::quoted(&text2sql_files::clean_name(stem)),
    };
    let turn = file_body::turn(&app, &identity).await?;
    let converted = file_body::text_of(
        &turn,
        kind,
        limits,
        said.sheet.as_deref(),
        said.encoding.as_deref(),
        request,
    )
    .await?;
    check(kind, &converted.text, &options, limits)?;
    let is_trial = options
        .get("dry_run")
        .is_some_and(|wanted| *wanted != json!(false));
    let options = options.to_string();
    let loaded = app
        .database
        .json(
            &identity,
            LOAD,
            &[Some(&name), Some(&converted.text), Some(&options)],
        )
        .await?;
    // A trial run makes no table: one of that name is not ours to drop.
    let undo = match is_trial {
        true => None,
        false => Some(app.loaded.remember(&identity, &loaded)?),
    };
    let mut loaded: Map<String, Value> =
        serde_json::from_str(loaded.get()).map_err(|_| Problem::internal())?;
    loaded.remove("oids");
    if let Some(undo) = undo {
        loaded.insert("undo".to_owned(), json!(undo));
    }
    if !converted.notes.is_empty() {
        loaded.insert("notes".to_owned(), json!(converted.notes));
    }
    let loaded = serde_json::value::to_raw_value(&loaded).map_err(|_| Problem::internal())?;
    Ok(Json(loaded))
}

/// `DELETE /tables/{undo}`: as DROP TABLE, which an object that uses the table prevents.
async fn undo(
    State(app): State<Arc<App>>,
    identity: Identity,
    Part(undo): Part<String>,
) -> Result<StatusCode, Problem> {
    let oids = app.loaded.of(&identity, &undo);
    let oids: Vec<String> = oids.iter().flatten().map(u32::to_string).collect();
    if oids.is_empty() {
        return Err(Problem::new(
            StatusCode::NOT_FOUND,
            "this table cannot be taken back any more",
        ));
    }
    app.database.json(&identity, &drop_of(&oids), &[]).await?;
    app.loaded.forget(&undo);
    Ok(StatusCode::NO_CONTENT)
}

/// Refuses what PostgreSQL cannot store or this server does not take, before it is sent on.
fn check(kind: Kind, text: &str, options: &Value, limits: FileLimits) -> Result<(), Problem> {
    let options = Options::read(options).map_err(Problem::from)?;
    let source = match kind {
        Kind::Json => Source::Json(text),
        _ => Source::Csv(text),
    };
    let bounds = Bounds {
        columns: limits.columns,
        line_bytes: limits.line_bytes,
    };
    block_in_place(|| source.is_within(bounds, &options)).map_err(Problem::from)
}

/// The options of the caller. The table is one that stays: a temporary one would be gone with the request.
fn options(text: Option<&str>, kind: Kind) -> Result<Value, Problem> {
    let said = text.unwrap_or("{}");
    let mut options: Map<String, Value> = serde_json::from_str(said)
        .map_err(|error| Problem::bad_request(format!("options must be a JSON object: {error}")))?;
    options.insert("temporary".to_owned(), json!(false));
    let format = match kind {
        Kind::Json => "json",
        _ => "csv",
    };
    options.insert("format".to_owned(), json!(format));
    Ok(Value::Object(options))
}
