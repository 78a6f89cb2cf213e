//! A glossary or examples: what the extension's functions import, and the lines that they refuse.

use tokio_postgres::Client;
use tokio_postgres::types::Type;

use super::messages::say;
use crate::config::{Knowledge, LoadOptions};
use crate::convert::Kind;
use crate::problem::Problem;

const IMPORT: &str = "SELECT l.line, l.name, l.outcome, l.reason \
    FROM text2sql.import_knowledge($1, $5, $2, $3, on_error => $4) AS l ORDER BY l.line NULLS LAST";

/// Imports a file under its name, or the one that was given.
pub(super) async fn load(
    client: &mut Client,
    kind: Kind,
    text: &str,
    name: &str,
    what: Knowledge,
    options: &LoadOptions,
) -> Result<(), Problem> {
    let source = options.source.as_deref().unwrap_or(name);
    let format = match (kind, options.values.delimiter) {
        (Kind::Json, _) => "jsonl",
        (_, Some(b'\t')) => "tsv",
        _ => "csv",
    };
    let on_error = if options.skips { "skip" } else { "abort" };
    let what = match what {
        Knowledge::Glossary => "glossary",
        Knowledge::Examples => "examples",
    };
    let parameters: [(&(dyn tokio_postgres::types::ToSql + Sync), Type); 5] = [
        (&text, Type::TEXT),
        (&source, Type::TEXT),
        (&format, Type::TEXT),
        (&on_error, Type::TEXT),
        (&what, Type::TEXT),
    ];
    let transaction = client.transaction().await?;
    let rows = transaction.query_typed(IMPORT, &parameters).await?;
    let mut counts = [0_i64; 4];
    for row in &rows {
        let outcome: &str = row.try_get(2)?;
        let place = ["taken", "known", "refused", "dropped"]
            .iter()
            .position(|known| *known == outcome);
        if let Some(count) = place.and_then(|place| counts.get_mut(place)) {
            *count += 1;
        }
        if !matches!(outcome, "taken" | "known") {
            let line: Option<i64> = row.try_get(0)?;
            let line = line
                .map(|line| format!("line {line}: "))
                .unwrap_or_default();
            let (name, reason): (&str, Option<&str>) = (row.try_get(1)?, row.try_get(3)?);
            say(&format!(
                "{line}\"{name}\" {outcome}: {}",
                reason.unwrap_or_default()
            ));
        }
    }
    let [taken, known, refused, dropped] = counts;
    let counted = format!(
        "{taken} taken, {known} known, {refused} refused, {dropped} dropped as \"{source}\""
    );
    if options.values.dry_run {
        transaction.rollback().await?;
        say(&format!("would be: {counted}"));
        return Ok(());
    }
    transaction.commit().await?;
    say(&counted);
    Ok(())
}
