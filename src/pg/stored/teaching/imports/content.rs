//! From the text of a file to what its lines say.

use pgrx::check_for_interrupts;
use text2sql_domain::error::{Error, ErrorKind, failure};
use text2sql_files::{FileError, Options, records};
use text2sql_knowledge::mapping::{self, Columns, Lines};

use super::file::File;

/// How many lines show whether a file is JSON.
const FIRST_LINES: usize = 5;

/// What each line says, or why it says nothing.
pub(super) fn read(content: &str, file: &File<'_>) -> Result<Lines, Error> {
    let delimiter = match file.format {
        None if is_json(content) => return of_json(content, file),
        Some("jsonl" | "json") => return of_json(content, file),
        None | Some("csv") => None,
        Some("tsv") => Some(b'\t'),
        Some(other) => {
            return Err(failure!(Setting, "unknown format \"{other}\"")
                .with_hint("Use format => 'csv', 'tsv' or 'jsonl', or leave it to be found."));
        }
    };
    let options = Options {
        delimiter,
        ..Options::default()
    };
    of_csv(content, &options, file)
}

/// Whether one of the first lines begins as JSON does: the very first may be wrong.
fn is_json(content: &str) -> bool {
    let lines = content.trim_start_matches('\u{feff}').lines();
    let mut said = lines
        .map(str::trim_start)
        .filter(|line| !line.is_empty())
        .take(FIRST_LINES);
    said.any(|line| line.starts_with(['{', '[']))
}

fn of_json(content: &str, file: &File<'_>) -> Result<Lines, Error> {
    mapping::of_json(content, file.is_glossary).map_err(|message| {
        Error::new(ErrorKind::Setting, message).with_detail("Nothing was imported.")
    })
}

fn of_csv(content: &str, options: &Options, file: &File<'_>) -> Result<Lines, Error> {
    let mut lines = Lines::new();
    let mut columns: Option<Columns> = None;
    records::<FileError>(content, options, |line, row| {
        check_for_interrupts!();
        let number = i64::try_from(line).unwrap_or(i64::MAX);
        let read = match (row, &columns) {
            (Err(reason), _) => Err(format!("it {reason}")),
            (Ok(values), Some(columns)) => columns.read(values),
            (Ok(values), None) => {
                let (found, is_header) = Columns::of(values, file.is_glossary);
                let first = found.read(values);
                columns = Some(found);
                if is_header {
                    return Ok(());
                }
                first
            }
        };
        lines.push((number, read));
        Ok(())
    })
    .map_err(|error| {
        Error::new(ErrorKind::Setting, error.message).with_detail("Nothing was imported.")
    })?;
    Ok(lines)
}
