//! A document: its text becomes one of the documents that questions search.

use std::path::Path;

use serde_json::json;
use tokio_postgres::Client;
use tokio_postgres::types::Type;

use super::messages::say;
use crate::config::LoadOptions;
use crate::problem::Problem;

/// One that was loaded before is replaced.
const ADD: &str = "SELECT count(*)::text FROM text2sql.import_knowledge($1, 'documents', source => $2, mode => 'replace', readers => $3)";

/// The most characters of a title.
const MAX_TITLE: usize = 500;
const EXISTS: &str = "SELECT EXISTS (SELECT FROM pg_catalog.pg_proc p \
    JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = 'text2sql' AND p.proname = 'add_document')";

/// The title of a document, its first heading, else the name of its file; and the line that imports it.
pub(crate) fn line_of(text: &str, name: &str) -> Result<(String, String), Problem> {
    let text = text.replace('\0', "");
    if text.trim().is_empty() {
        return Err(Problem::bad_request("the document has no text").with_hint(
            "A scanned document has pictures of its pages; recognise the text first (OCR).",
        ));
    }
    let stem = Path::new(name)
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default();
    let heading = text
        .lines()
        .find_map(|line| line.strip_prefix("# "))
        .map(str::trim);
    let title = heading
        .filter(|heading| !heading.is_empty())
        .unwrap_or(&stem);
    let title: String = title.chars().take(MAX_TITLE).collect();
    let line = json!({ "title": title, "body": text, "metadata": { "file": name } }).to_string();
    Ok((title, line))
}

/// The document is one line of what is sent: nobody who sent it counts lines.
pub(crate) fn without_line(mut problem: Problem) -> Problem {
    if let Some(rest) = problem.title.strip_prefix("line 1: ") {
        problem.title = rest.to_owned();
    }
    problem
}

/// Adds a document, in the place of one that the role has loaded under the same source and title.
pub(super) async fn load(
    client: &mut Client,
    text: &str,
    name: &str,
    options: &LoadOptions,
) -> Result<(), Problem> {
    let (title, line) = line_of(text, name)?;
    let said = format!("document \"{title}\": {} characters", text.chars().count());
    if options.values.dry_run {
        say(&said);
        return Ok(());
    }
    let row = client.query_typed_one(EXISTS, &[]).await?;
    if !row.try_get::<_, bool>(0)? {
        return Err(Problem::bad_request(
            "this database has no documents: text2sql.add_document() does not exist",
        )
        .with_hint("Update the extension: ALTER EXTENSION pg_text2sql UPDATE;"));
    }
    let source = options.source.as_deref().unwrap_or(name);
    client
        .query_typed(
            ADD,
            &[
                (&line, Type::TEXT),
                (&source, Type::TEXT),
                (&options.readers, Type::TEXT_ARRAY),
            ],
        )
        .await
        .map_err(Problem::from)
        .map_err(without_line)?;
    say(&said);
    Ok(())
}
