//! A benchmark in one form, whatever files it was published in.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;

use crate::kind::Kind;

/// A benchmark.
#[derive(Debug)]
pub(crate) struct Benchmark {
    pub(crate) kind: Kind,
    pub(crate) databases: Vec<Database>,
    pub(crate) questions: Vec<Question>,
    /// How the benchmark compares results, in the words of the extension.
    pub(crate) comparison: Value,
}

/// One of its databases.
#[derive(Debug)]
pub(crate) struct Database {
    pub(crate) id: String,
    pub(crate) source: Source,
    /// What the benchmark says about columns.
    pub(crate) comments: Vec<Comment>,
    /// Keys that the benchmark names beside the database file.
    pub(crate) keys: Keys,
}

/// Where the rows are.
#[derive(Debug)]
pub(crate) enum Source {
    /// A database of SQLite.
    Sqlite(PathBuf),
    /// Statements of PostgreSQL.
    Statements(PathBuf),
    /// Tables that are described, and a file of rows for each that has one.
    Described(Vec<DescribedTable>),
}

/// A table that is described beside its rows.
#[derive(Debug)]
pub(crate) struct DescribedTable {
    pub(crate) name: String,
    /// Names and declared types.
    pub(crate) columns: Vec<(String, String)>,
    pub(crate) rows: Option<PathBuf>,
}

/// What is said about a column.
#[derive(Debug)]
pub(crate) struct Comment {
    pub(crate) table: String,
    pub(crate) column: String,
    pub(crate) text: String,
}

/// Keys of a database.
#[derive(Debug, Default, Clone)]
pub(crate) struct Keys {
    pub(crate) primary: Vec<Key>,
    pub(crate) foreign: Vec<ForeignKey>,
}

/// A primary key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) table: String,
    pub(crate) columns: Vec<String>,
}

/// A foreign key; without columns it references the primary key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ForeignKey {
    pub(crate) from: Key,
    pub(crate) to: Key,
}

/// A question.
#[derive(Debug)]
pub(crate) struct Question {
    /// Identifies it in the benchmark.
    pub(crate) key: String,
    pub(crate) database: String,
    pub(crate) question: String,
    /// The gold queries as they were published.
    pub(crate) gold: Vec<String>,
    /// The questions of the same conversation before it.
    pub(crate) previous: Vec<String>,
    pub(crate) evidence: Option<String>,
    pub(crate) level: Option<String>,
    pub(crate) tags: Vec<String>,
    /// Whether the order of rows counts, where the benchmark says so.
    pub(crate) ordered: Option<bool>,
}

impl Benchmark {
    /// Databases of questions that have no file.
    pub(crate) fn without_database(&self) -> Vec<String> {
        let known: BTreeSet<&str> = self.databases.iter().map(|one| one.id.as_str()).collect();
        let asked: BTreeSet<&str> = self
            .questions
            .iter()
            .map(|one| one.database.as_str())
            .filter(|id| !known.contains(id))
            .collect();
        asked.into_iter().map(str::to_owned).collect()
    }
}
