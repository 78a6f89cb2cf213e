//! A document: its text becomes one of the documents that questions search.

use serde_json::json;
use tokio_postgres::Client;
use tokio_postgres::types::Type;

use super::messages::say;
use crate::config::LoadOptions;
use crate::problem::Problem;

const ADD: &str = "SELECT text2sql.add_document(title => $1, body => $2, source => $3, metadata => $4::text::jsonb)::text";
const EXISTS: &str = "SELECT EXISTS (SELECT FROM pg_catalog.pg_proc p \
    JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = 'text2sql' AND p.proname = 'add_document')";

/// Adds a document. Its title is its first heading, else the name of the file.
pub(super) async fn load(
    client: &mut Client,
    text: &str,
    name: &str,
    stem: &str,
    options: &LoadOptions,
) -> Result<(), Problem> {
    let text = text.replace('\0', "");
    if text.trim().is_empty() {
        return Err(Problem::bad_request("the document has no text").with_hint(
            "A scanned document has pictures of its pages; recognise the text first (OCR).",
        ));
    }
    let heading = text
        .lines()
        .find_map(|line| line.strip_prefix("# "))
        .map(str::trim);
    let title = heading
        .filter(|heading| !heading.is_empty())
        .unwrap_or(stem);
    if options.values.dry_run {
        say(&format!(
            "document \"{title}\": {} characters",
            text.chars().count()
        ));
        return Ok(());
    }
    let row = client.query_typed_one(EXISTS, &[]).await?;
    if !row.try_get::<_, bool>(0)? {
        return Err(Problem::bad_request(
            "this database has no documents: text2sql.add_document() does not exist",
        )
        .with_hint("Update the extension: ALTER EXTENSION pg_text2sql UPDATE;"));
    }
    let metadata = json!({ "file": name }).to_string();
    let metadata = metadata.as_str();
    client
        .query_typed(
            ADD,
            &[
                (&title, Type::TEXT),
                (&text, Type::TEXT),
                (&name, Type::TEXT),
                (&metadata, Type::TEXT),
            ],
        )
        .await?;
    say(&format!(
        "document \"{title}\": {} characters",
        text.chars().count()
    ));
    Ok(())
}
