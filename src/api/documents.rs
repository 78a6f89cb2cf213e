//! `text2sql.add_document(…)` and `share_document(id, readers)`. Many are added by `import_knowledge(…, 'documents')`.

use pgrx::default;
use pgrx::prelude::*;
use serde_json::Value;
use text2sql_domain::error::failure;

use super::array_argument::elements;
use crate::pg::search::documents::{self, NewDocument};
use crate::pg::server::array_argument::Texts;
use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::json_argument::JsonbArgument;
use crate::pg::server::text_argument::{FileText, Text};
use crate::pg::stored::teaching::required;

/// Adds a document; returns its id.
#[pg_extern(volatile, parallel_unsafe)]
fn add_document(
    title: Option<Text<'_>>,
    body: Option<FileText<'_>>,
    source: default!(Option<Text<'_>>, "NULL"),
    metadata: default!(Option<JsonbArgument>, "'{}'"),
    readers: default!(Option<Texts>, "'{}'"),
) -> Result<i64, ErrorReport> {
    let title = title.as_deref();
    let body = body.as_deref();
    let source = source.as_deref();
    let metadata = match metadata.map(|metadata| metadata.0) {
        None => serde_json::Map::new(),
        Some(Value::Object(metadata)) => metadata,
        Some(_) => {
            let error = failure!(Setting, "metadata must be a JSON object");
            return Err(report(error.with_hint("metadata => '{\"author\": \"…\"}'")));
        }
    };
    let document = NewDocument {
        title: required(title, "title").map_err(report)?.to_owned(),
        body: required(body, "body").map_err(report)?.to_owned(),
        source: source.map(str::to_owned),
        metadata,
        readers: elements(readers, "readers")?,
    };
    documents::add(&document).map_err(report)
}

/// Sets who may read a document besides its owner.
#[pg_extern(volatile, parallel_unsafe)]
fn share_document(id: Option<i64>, readers: Option<Texts>) -> Result<(), ErrorReport> {
    let readers = elements(readers, "readers")?;
    documents::share(id, &readers).map_err(report)
}
