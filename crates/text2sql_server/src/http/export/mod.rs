//! `POST /export`: the rows of a query as a file, CSV or JSON.

mod csv;

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use serde::Deserialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::App;
use super::attachment::{self, Attachment};
use super::body::Body;
use super::routes::Routes;
use crate::identity::Identity;
use crate::problem::Problem;

/// Says that the file does not have all rows.
const TRUNCATED: HeaderName = HeaderName::from_static("x-text2sql-truncated");

/// The route.
pub fn routes(routes: Routes) -> Routes {
    routes.family("SQL").post(
        "/export",
        "The rows of a query as a file",
        export,
        |about| {
            about
                .takes::<Export>()
                .gives_text("text/csv")
                .gives_text("application/json")
        },
    )
}

/// A query whose rows are wanted as a file.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Export {
    /// One SELECT.
    #[schema(min_length = 1)]
    sql: String,
    /// What kind of file.
    format: Format,
    /// Name of the file, without its ending.
    #[serde(default)]
    name: Option<String>,
    /// Between the cells of CSV: a comma, or a semicolon, as spreadsheets with a decimal comma want it.
    #[serde(default)]
    separator: csv::Separator,
    /// Begin CSV with a byte order mark, without which spreadsheets take umlauts for something else.
    #[serde(default)]
    byte_order_mark: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    Csv,
    Json,
}

/// What `run_json` returns.
#[derive(Deserialize)]
struct Result<'a> {
    result_columns: Vec<csv::Column>,
    #[serde(borrow)]
    result_rows: &'a RawValue,
    row_count: u64,
    truncated: bool,
}

const STATEMENT: &str = include_str!("../../../sql/export.sql");

async fn export(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(export): Body<Export>,
) -> std::result::Result<Response, Problem> {
    let value = app
        .database
        .json(&identity, STATEMENT, &[Some(&export.sql)])
        .await?;
    let result: Result<'_> = serde_json::from_str(value.get()).map_err(unreadable)?;
    let mut name = export.name.unwrap_or_else(|| "answer".to_owned());
    if result.truncated {
        // The name says it, because the HTTP header is gone when the file is opened later.
        name.push_str(&format!("-first-{}-rows", result.row_count));
    }
    let (media_type, ending, content) = match export.format {
        Format::Json => (
            "application/json",
            "json",
            result.result_rows.get().to_owned(),
        ),
        Format::Csv => {
            let mut text = String::new();
            if export.byte_order_mark {
                text.push('\u{feff}');
            }
            let rows = result.result_rows.get();
            text.push_str(
                &csv::write(&result.result_columns, rows, export.separator).map_err(unreadable)?,
            );
            ("text/csv; charset=utf-8", "csv", text)
        }
    };
    let mut response = attachment::response(Attachment {
        media_type,
        name: &format!("{name}.{ending}"),
        content,
    });
    if result.truncated {
        response
            .headers_mut()
            .insert(TRUNCATED, HeaderValue::from_static("true"));
    }
    Ok(response)
}

fn unreadable(error: impl std::fmt::Display) -> Problem {
    tracing::error!("rows of an export: {error}");
    Problem::internal()
}
