//! Reads files; an error names the file.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::failure::Failure;

/// The text of a file. What is not UTF-8 is read as Latin-1: some published descriptions are in it.
pub(crate) fn text(file: &Path) -> Result<String, Failure> {
    let bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => error
            .into_bytes()
            .iter()
            .map(|byte| char::from(*byte))
            .collect(),
    };
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

/// The JSON of a file.
pub(crate) fn json(file: &Path) -> Result<Value, Failure> {
    serde_json::from_str(&text(file)?)
        .map_err(|error| format!("{}: {error}", file.display()).into())
}

/// The objects of a list in a JSON file.
pub(crate) fn list(file: &Path) -> Result<Vec<Value>, Failure> {
    match json(file)? {
        Value::Array(list) => Ok(list),
        _ => Err(format!("{}: not a list", file.display()).into()),
    }
}

/// The objects of a file that has one in each line.
pub(crate) fn lines(file: &Path) -> Result<Vec<Value>, Failure> {
    let text = text(file)?;
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| {
            serde_json::from_str(line)
                .map_err(|error| format!("{}, line {}: {error}", file.display(), number + 1).into())
        })
        .collect()
}

/// The records of a CSV file, by the names of its first line.
pub(crate) fn records(file: &Path) -> Result<Vec<Vec<(String, String)>>, Failure> {
    let text = text(file)?;
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .from_reader(text.as_bytes());
    let wrong = |error: csv::Error| format!("{}: {error}", file.display());
    let names: Vec<String> = reader
        .headers()
        .map_err(wrong)?
        .iter()
        .map(|name| name.trim().to_owned())
        .collect();
    reader
        .records()
        .map(|record| {
            let record = record.map_err(wrong)?;
            Ok(names
                .iter()
                .cloned()
                .zip(record.iter().map(str::to_owned))
                .collect())
        })
        .collect()
}

/// The value of a name in a record, without spaces around it; `None` where it is empty.
pub(crate) fn field<'a>(record: &'a [(String, String)], name: &str) -> Option<&'a str> {
    record
        .iter()
        .find(|(own, _)| own == name)
        .map(|(_, value)| value.trim())
        .filter(|value| !value.is_empty())
}

/// All files below a directory, sorted.
pub(crate) fn below(directory: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        let entries = std::fs::read_dir(&directory)
            .map_err(|error| format!("{}: {error}", directory.display()))?;
        for entry in entries {
            let path = entry?.path();
            let is_hidden = path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with(['.', '_']));
            if is_hidden {
                continue;
            }
            match path.is_dir() {
                true => open.push(path),
                false => found.push(path),
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Whether a file has that ending, in any case.
pub(crate) fn ends_with(file: &Path, ending: &str) -> bool {
    file.extension()
        .is_some_and(|own| own.to_string_lossy().eq_ignore_ascii_case(ending))
}

/// The name of a file without its ending.
pub(crate) fn stem(file: &Path) -> String {
    file.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
