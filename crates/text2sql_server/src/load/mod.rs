//! `text2sql-server load`: files become tables through COPY, documents, or with `--as` definitions and examples, with the
//! rights of whoever runs it.
//!
//! What a file means is decided by `text2sql_files`; the server proves it: a row that it does not take is found by
//! halves, and named by its line and column. One transaction for each file: nothing is half loaded.

pub(crate) mod document;
mod flags;
mod knowledge;
mod messages;
mod table;

use std::path::Path;

use tokio_postgres::Client;

use crate::config::{LoadAs, LoadOptions};
use crate::convert::{self, Kind};
use crate::database::Target;
use crate::problem::Problem;

use messages::say;

/// The largest file that is read, in bytes.
const MAX_FILE: u64 = 2 << 30;

/// Loads files, one after another. The first that fails ends it; those before it stay.
///
/// # Errors
///
/// What is wrong with which file.
pub async fn load(database: &str, options: &LoadOptions) -> Result<(), Problem> {
    let target = Target::of_process(database).map_err(Problem::bad_request)?;
    let credentials = target.own_credentials(None).map_err(Problem::bad_request)?;
    let (mut client, connection, _) = target
        .connect(&credentials.user, credentials.password(), "text2sql/load")
        .await
        .map_err(|failure| Problem::unavailable(failure.to_string()))?;
    let reader = tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!("connection to the database: {error}");
        }
    });
    for path in &options.files {
        let name = path.display().to_string();
        one(&mut client, path, options)
            .await
            .map_err(|mut problem| {
                problem.title = format!("{name}: {}", problem.title);
                problem.hint = problem.hint.as_deref().map(flags::of_hint);
                problem
            })?;
    }
    drop(client);
    drop(reader.await);
    Ok(())
}

async fn one(client: &mut Client, path: &Path, options: &LoadOptions) -> Result<(), Problem> {
    let name = path.to_string_lossy();
    let kind = Kind::of_name(&name).ok_or_else(|| {
        Problem::bad_request("the kind of the file is not known by its name").with_hint(
            "There are .csv .tsv .txt .json .jsonl .ndjson .xlsx .ods .pdf .docx .html .md",
        )
    })?;
    let is_document = match options.load_as {
        None => !kind.is_table(),
        Some(LoadAs::Knowledge(_)) if !kind.is_table() => {
            return Err(Problem::bad_request("a glossary or examples have rows")
                .with_hint("There are .csv .tsv .txt .json .jsonl .ndjson .xlsx .ods"));
        }
        Some(LoadAs::Documents) if matches!(kind, Kind::Xlsx | Kind::Ods | Kind::Json) => {
            return Err(Problem::bad_request("the file has rows, and is no document")
                .with_hint("There are .txt .md .html .docx .pdf; JSON lines with title and body are for text2sql.import_knowledge(…, 'documents')"));
        }
        Some(what) => what == LoadAs::Documents,
    };
    if !is_document
        && (options.load_as.is_none() && options.source.is_some() || !options.readers.is_empty())
    {
        return Err(Problem::bad_request(
            "--source and --reader are for documents, and the file becomes a table",
        )
        .with_hint("text2sql-server load --as documents notes.txt"));
    }
    let size = tokio::fs::metadata(path).await.map_err(unreadable)?.len();
    if size > MAX_FILE {
        return Err(Problem::bad_request(format!(
            "the file is larger than {} GB",
            MAX_FILE >> 30
        )));
    }
    let bytes = tokio::fs::read(path).await.map_err(unreadable)?;
    let converted = convert::convert(
        kind,
        bytes,
        options.limits,
        options.sheet.as_deref(),
        options.encoding.as_deref(),
    )
    .await
    .map_err(Problem::bad_request)?;
    for note in &converted.notes {
        say(&format!("note: {note}"));
    }
    let stem = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default();
    if let Some(LoadAs::Knowledge(what)) = options.load_as {
        converted.without_nul().map_err(Problem::bad_request)?;
        let file = path
            .file_name()
            .map(|file| file.to_string_lossy().into_owned())
            .unwrap_or_default();
        return knowledge::load(client, kind, &converted.text, &file, what, options).await;
    }
    match is_document {
        true => document::load(client, &converted.text, &name, options).await,
        false => table::load(client, kind, &converted.text, &stem, options).await,
    }
}

fn unreadable(error: std::io::Error) -> Problem {
    Problem::bad_request(format!("cannot be read: {error}"))
}
