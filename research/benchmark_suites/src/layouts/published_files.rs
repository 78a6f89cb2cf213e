//! What the layouts have in common: files of questions, databases of SQLite, texts of objects.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::benchmark::{Database, Keys, Source};
use crate::failure::Failure;
use crate::files;
use crate::options::Options;

/// The files of questions: those that were named, else those of these names that exist.
pub(super) fn question_files(
    directory: &Path,
    options: &Options,
    names: &[&str],
) -> Result<Vec<PathBuf>, Failure> {
    if !options.questions.is_empty() {
        return Ok(options.questions.clone());
    }
    let found: Vec<PathBuf> = names
        .iter()
        .map(|name| directory.join(name))
        .filter(|file| file.is_file())
        .collect();
    match found.is_empty() {
        true => Err(format!(
            "{} has none of {}\n  name a file: --questions FILE",
            directory.display(),
            names.join(", ")
        )
        .into()),
        false => Ok(found),
    }
}

/// The databases of SQLite in one of these directories: `NAME/NAME.sqlite`.
pub(super) fn sqlite_databases(directory: &Path, names: &[&str]) -> Result<Vec<Database>, Failure> {
    let mut databases: Vec<Database> = Vec::new();
    for name in names {
        let directory = directory.join(name);
        if !directory.is_dir() {
            continue;
        }
        for file in files::below(&directory)? {
            let id = files::stem(&file);
            let is_database = ["sqlite", "db", "sqlite3"]
                .iter()
                .any(|ending| files::ends_with(&file, ending))
                && file
                    .parent()
                    .and_then(Path::file_name)
                    .is_some_and(|parent| parent.to_string_lossy() == id.as_str());
            if is_database && databases.iter().all(|known| known.id != id) {
                databases.push(Database {
                    id,
                    source: Source::Sqlite(file),
                    comments: Vec::new(),
                    keys: Keys::default(),
                });
            }
        }
    }
    match databases.is_empty() {
        true => Err(format!(
            "{} has no databases in {}",
            directory.display(),
            names.join(", ")
        )
        .into()),
        false => Ok(databases),
    }
}

/// A text of an object; an error names the question.
pub(super) fn text(
    object: &Value,
    name: &str,
    number: usize,
    file: &Path,
) -> Result<String, Failure> {
    object
        .get(name)
        .and_then(Value::as_str)
        .map(|text| text.trim().to_owned())
        .ok_or_else(|| {
            format!(
                "{}: question {} has no text \"{name}\"",
                file.display(),
                number + 1
            )
            .into()
        })
}
