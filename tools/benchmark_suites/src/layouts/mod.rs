//! The published layouts: one file for each benchmark.

mod beaver;
mod bird;
mod defog;
mod hardness;
mod spider;
mod tables_json;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::benchmark::{Benchmark, Database, Keys, Source};
use crate::options::Options;
use crate::{Failure, files};

/// A benchmark that can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Spider (Yu et al. 2018).
    Spider,
    /// BIRD (Li et al. 2023).
    Bird,
    /// The sets of Defog's sql-eval.
    Defog,
    /// BEAVER (Chen et al. 2024).
    Beaver,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Spider, Self::Bird, Self::Defog, Self::Beaver];

    /// The kind of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Spider => "spider",
            Self::Bird => "bird",
            Self::Defog => "defog",
            Self::Beaver => "beaver",
        }
    }
}

/// Reads the files of a benchmark. Of its databases those are kept that questions are about.
pub(crate) fn read(kind: Kind, directory: &Path, options: &Options) -> Result<Benchmark, Failure> {
    if !directory.is_dir() {
        return Err(format!("{} is not a directory", directory.display()).into());
    }
    let mut benchmark = match kind {
        Kind::Spider => spider::read(directory, options)?,
        Kind::Bird => bird::read(directory, options)?,
        Kind::Defog => defog::read(directory, options)?,
        Kind::Beaver => beaver::read(directory, options)?,
    };
    if !options.only.is_empty() {
        benchmark
            .questions
            .retain(|question| options.only.contains(&question.database));
    }
    if benchmark.questions.is_empty() {
        return Err(format!("there are no questions in {}", directory.display()).into());
    }
    let questions = &benchmark.questions;
    benchmark
        .databases
        .retain(|one| questions.iter().any(|asked| asked.database == one.id));
    if benchmark.databases.is_empty() {
        return Err(format!(
            "there is no database in {} for the questions",
            directory.display()
        )
        .into());
    }
    Ok(benchmark)
}

/// The files of questions: those that were named, else those of these names that exist.
fn question_files(
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
fn sqlite_databases(directory: &Path, names: &[&str]) -> Result<Vec<Database>, Failure> {
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
fn text(object: &Value, name: &str, number: usize, file: &Path) -> Result<String, Failure> {
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
