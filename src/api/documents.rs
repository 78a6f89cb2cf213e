//! `text2sql.add_document(…)`, which also says who may read one that is there. Many are added by
//! `import_knowledge(…, 'documents')`.

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

/// Adds a document, or sets the readers of the one with that id; returns its id.
#[pg_extern(volatile, parallel_unsafe)]
fn add_document(
    title: default!(Option<Text<'_>>, "NULL"),
    body: default!(Option<FileText<'_>>, "NULL"),
    source: default!(Option<Text<'_>>, "NULL"),
    metadata: default!(Option<JsonbArgument>, "'{}'"),
    readers: default!(Option<Texts>, "'{}'"),
    language: default!(Option<Text<'_>>, "NULL"),
    id: default!(Option<i64>, "NULL"),
) -> Result<i64, ErrorReport> {
    let title = title.as_deref();
    let body = body.as_deref();
    let source = source.as_deref();
    let readers = elements(readers, "readers")?;
    if id.is_some() {
        if title.or(body).or(source).is_some() {
            let error = failure!(Setting, "a document that is there changes its readers only");
            return Err(report(error.with_hint(
                "Its text: SELECT * FROM text2sql.import_knowledge(…, 'documents', mode => 'replace');",
            )));
        }
        return documents::share(id, &readers).map_err(report);
    }
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
        readers,
        language: language.as_deref().map(str::to_owned),
    };
    documents::add(&document).map_err(report)
}
