//! `text2sql.search_text(question, at_most, within)`: passages of documents and text columns.

use pgrx::prelude::*;
use pgrx::{JsonB, default};
use serde_json::{Map, Value};
use text2sql_domain::config::ModelConfig;
use text2sql_domain::error::failure;

use text2sql_domain::passages::{MAX_PASSAGES, Origin, PassageRequest, TextProtection, Within};
use text2sql_domain::ports::PassageSearch;
use text2sql_domain::trace::Trace;

use crate::pg::search::documents::TextSearch;
use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::settings::{self, Overrides};
use crate::pg::server::text_argument::Text;
use crate::pg::stored::models::{self, search_requests::SearchRequests};
use crate::pg::stored::record::audit;
use crate::pg::stored::teaching::{required, visible_table};

/// The passages that fit best, of those that the caller may read.
#[pg_extern(volatile, parallel_unsafe)]
fn search_text(
    question: Option<Text<'_>>,
    at_most: default!(Option<i32>, "10"),
    within: default!(Option<Text<'_>>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(rank, i32),
            name!(citation, String),
            name!(passage, String),
            name!(title, Option<String>),
            name!(place, Option<String>),
            name!(source, Option<String>),
            name!(document_id, Option<i64>),
            name!(table_name, Option<String>),
            name!(row_key, Option<JsonB>),
            name!(score, f64),
            name!(similarity, Option<f32>),
            name!(is_private, bool),
        ),
    >,
    ErrorReport,
> {
    let question = question.as_deref();
    let within = within.as_deref();
    let question = required(question, "question").map_err(report)?;
    let limit = usize::try_from(at_most.unwrap_or(10))
        .ok()
        .filter(|limit| (1..=MAX_PASSAGES).contains(limit))
        .ok_or_else(|| {
            report(failure!(
                Setting,
                "at_most must be between 1 and {MAX_PASSAGES}"
            ))
        })?;
    let search = TextSearch::new().map_err(report)?;
    // A table if there is one that is searched, else a source of documents.
    let table = within
        .and_then(|name| visible_table(Some(name)).ok())
        .and_then(|table| table.relation_oid);
    let within = match (table, within) {
        (Some(table), _) => Within::Rows { table, keys: None },
        (None, Some(source)) => Within::Documents(Some(source)),
        (None, None) => Within::Everywhere,
    };
    let request = PassageRequest {
        question,
        names: &[],
        limit,
        within,
        weights: settings::config(ModelConfig::Builtin, &Overrides::default())
            .texts
            .weights,
    };
    let trace_id = models::new_trace_id();
    let found = audit::with_trace(trace_id, || search.search(&request)).map_err(report)?;
    let sent = SearchRequests {
        trace_id,
        function: "search_text",
        conversation: None,
        question,
        trace: Trace {
            exchanges: found.exchanges,
            ..Trace::default()
        },
    };
    sent.record().map_err(report)?;
    for warning in &found.warnings {
        pgrx::notice!("text2sql: {warning}");
    }
    Ok(TableIterator::new(found.passages.into_iter().zip(1..).map(
        |(passage, rank)| {
            let place = passage.place.headings.join(" › ");
            let citation = passage.citation();
            let (source, document, table, key) = match passage.origin {
                Origin::Document { id, source } => (source, Some(id), None, None),
                Origin::Row {
                    schema, name, key, ..
                } => {
                    let table = format!(
                        "{}.{}",
                        text2sql_domain::schema::quote_identifier(&schema),
                        text2sql_domain::schema::quote_identifier(&name)
                    );
                    let key: Map<String, Value> = key
                        .into_iter()
                        .map(|(name, value)| (name, Value::from(value)))
                        .collect();
                    (None, None, Some(table), Some(JsonB(Value::Object(key))))
                }
            };
            (
                rank,
                citation,
                passage.text,
                passage.title,
                (!place.is_empty()).then_some(place),
                source,
                document,
                table,
                key,
                passage.score,
                passage.similarity,
                passage.protection == TextProtection::Private,
            )
        },
    )))
}
