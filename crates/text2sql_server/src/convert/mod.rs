//! Files of other programs become text: workbooks become CSV, documents become plain text.
//!
//! Such a file may be malicious, so it is read in a process of its own, which this program
//! starts as `text2sql-server convert-file`: with little memory and time, without the connection to the database, and
//! with an output that is cut off.

mod archive;
mod child;
mod docx;
mod html;
#[cfg(test)]
mod tests;
mod workbook;

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

pub use child::{ARGUMENT, run};

/// How much is done for one file.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The most bytes that an archive unpacks to, and that the text of a file has.
    pub bytes: u64,
    /// How long a conversion may take.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 512 << 20,
            time: Duration::from_secs(60),
        }
    }
}

/// What a file is, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Values with a delimiter between them.
    Csv,
    /// An array of objects, or one object a line.
    Json,
    /// A workbook of Excel.
    Xlsx,
    /// A workbook of LibreOffice.
    Ods,
    /// A document.
    Pdf,
    /// A document of Word.
    Docx,
    /// A page of the web.
    Html,
    /// A text with headings.
    Markdown,
}

impl Kind {
    /// What a file is, by the end of its name.
    pub fn of_name(name: &str) -> Option<Self> {
        let end = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
        Some(match end.as_str() {
            "csv" | "tsv" | "tab" | "txt" => Self::Csv,
            "json" | "jsonl" | "ndjson" => Self::Json,
            "xlsx" | "xlsm" => Self::Xlsx,
            "ods" => Self::Ods,
            "pdf" => Self::Pdf,
            "docx" => Self::Docx,
            "html" | "htm" => Self::Html,
            "md" | "markdown" => Self::Markdown,
            _ => return None,
        })
    }

    /// Whether it becomes a table, and not a document.
    pub fn is_table(self) -> bool {
        matches!(self, Self::Csv | Self::Json | Self::Xlsx | Self::Ods)
    }

    /// Its name for the process that converts; `None` for what is text already.
    fn converter(self) -> Option<&'static str> {
        match self {
            Self::Csv | Self::Json | Self::Markdown => None,
            Self::Xlsx => Some("xlsx"),
            Self::Ods => Some("ods"),
            Self::Pdf => Some("pdf"),
            Self::Docx => Some("docx"),
            Self::Html => Some("html"),
        }
    }
}

/// The text of a file.
#[derive(Debug)]
pub struct Converted {
    /// CSV, JSON, or the text of a document.
    pub text: String,
    /// What the reader should know.
    pub notes: Vec<String>,
}

impl Converted {
    /// Checks that the database can store the text.
    ///
    /// # Errors
    ///
    /// The line with a NUL character.
    pub fn without_nul(&self) -> Result<(), String> {
        let Some(at) = self.text.find('\0') else {
            return Ok(());
        };
        let before = self.text.get(..at).unwrap_or_default();
        let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
        Err(format!(
            "line {line}: the file has a NUL character, which PostgreSQL cannot store"
        ))
    }
}

/// Converts a file within `limits`. `sheet` names the sheet of a workbook, else it is the first
/// that has cells. Whoever drops the future ends the process.
///
/// # Errors
///
/// Why there is no text, as a sentence.
pub async fn convert(
    kind: Kind,
    bytes: Vec<u8>,
    limits: Limits,
    sheet: Option<&str>,
    encoding: Option<&str>,
) -> Result<Converted, String> {
    let Some(converter) = kind.converter() else {
        return decode(&bytes, encoding);
    };
    let (text, mut notes) = in_process(converter, bytes, limits, sheet).await?;
    let mut converted = decode(&text, Some("utf-8"))?;
    notes.append(&mut converted.notes);
    converted.notes = notes;
    Ok(converted)
}

fn decode(bytes: &[u8], encoding: Option<&str>) -> Result<Converted, String> {
    let (text, guess) = text2sql_files::encoding::decoded(bytes, encoding).map_err(|error| {
        let hint = error
            .hint
            .map(|hint| format!(" {hint}"))
            .unwrap_or_default();
        format!("{}.{hint}", error.message)
    })?;
    let notes = guess.map(|name| format!("the file is not in UTF-8, and was read as {name}"));
    Ok(Converted {
        text: text.into_owned(),
        notes: notes.into_iter().collect(),
    })
}

async fn in_process(
    converter: &str,
    bytes: Vec<u8>,
    limits: Limits,
    sheet: Option<&str>,
) -> Result<(Vec<u8>, Vec<String>), String> {
    let program =
        std::env::current_exe().map_err(|error| format!("cannot start a process: {error}"))?;
    let mut child = Command::new(program)
        .arg(ARGUMENT)
        .arg(converter)
        .args([limits.bytes, limits.time.as_secs()].map(|limit| limit.to_string()))
        .args(sheet)
        // Neither the password nor the address of the database is of use to it.
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("cannot start a process: {error}"))?;
    let (Some(mut input), Some(output), Some(complaints)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err("cannot talk to the process that converts".to_owned());
    };
    let (mut text, mut said) = (Vec::new(), Vec::new());
    let work = async {
        let write = async {
            // A process that has seen enough reads no more.
            let _ = input.write_all(&bytes).await;
            drop(input);
            Ok(0)
        };
        let mut output = output.take(limits.bytes + 1);
        let mut complaints = complaints.take(64 << 10);
        let read = output.read_to_end(&mut text);
        let complain = complaints.read_to_end(&mut said);
        tokio::try_join!(write, read, complain)
    };
    let too_long = || {
        format!(
            "the file took longer than {} seconds to read",
            limits.time.as_secs()
        )
    };
    let done = tokio::time::timeout(limits.time, work).await;
    match done {
        Err(_) => return Err(too_long()),
        Ok(Err(error)) => return Err(format!("the process that converts failed: {error}")),
        Ok(Ok(_)) if text.len() as u64 > limits.bytes => {
            return Err(format!(
                "the file has more than {} MB of text",
                limits.bytes >> 20
            ));
        }
        Ok(Ok(_)) => {}
    }
    let status = tokio::time::timeout(limits.time, child.wait())
        .await
        .map_err(|_| too_long())?
        .map_err(|error| format!("the process that converts failed: {error}"))?;
    let said = String::from_utf8_lossy(&said);
    let lines = |prefix: &str| {
        said.lines()
            .filter_map(|line| line.strip_prefix(prefix).map(str::to_owned))
            .collect::<Vec<_>>()
    };
    if status.success() {
        return Ok((text, lines("note: ")));
    }
    Err(match lines("error: ").into_iter().next() {
        Some(error) => error,
        // A signal: of a limit, or of a stack that was too small.
        None => "the file needs too much memory or time, or is damaged".to_owned(),
    })
}
