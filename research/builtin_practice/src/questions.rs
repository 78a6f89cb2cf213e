//! Sets of questions: one JSON object a line.

use std::collections::BTreeMap;
use std::error::Error;

use postgres::{Client, NoTls};
use serde_json::Value;

/// The current date, for relative dates in questions.
pub(crate) const TODAY: &str = "2026-01-15";

/// One question; without gold it should be declined.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) question: String,
    pub(crate) gold: Vec<String>,
    pub(crate) ordered: bool,
    pub(crate) kind: String,
    /// What should become of it, where it is not an answer at once.
    pub(crate) expect: String,
    /// The day of the question.
    pub(crate) today: String,
}

/// The questions of a file by their databases.
pub(crate) fn read(text: &str) -> Result<BTreeMap<String, Vec<Case>>, Box<dyn Error>> {
    let mut by_database: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line)?;
        let text = |key: &str| {
            case.get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        by_database.entry(text("database")).or_default().push(Case {
            id: text("id"),
            question: text("question"),
            gold: case
                .get("gold")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            ordered: case
                .get("ordered")
                .and_then(Value::as_bool)
                .unwrap_or(false),
            kind: text("kind"),
            expect: text("expect"),
            today: match text("today") {
                day if day.is_empty() => TODAY.to_owned(),
                day => day,
            },
        });
    }
    Ok(by_database)
}

/// The same queries with the questions of another file, which say them in other words: each names the first one by its
/// `id`.
pub(crate) fn in_other_words(
    by_database: &BTreeMap<String, Vec<Case>>,
    text: &str,
) -> Result<BTreeMap<String, Vec<Case>>, Box<dyn Error>> {
    let mut others = read(text)?;
    for (database, cases) in &mut others {
        for case in cases {
            let mut known = by_database.get(database).into_iter().flatten();
            let first = known
                .find(|first| first.id == case.id)
                .ok_or_else(|| format!("there is no question {} of {database}", case.id))?;
            case.gold.clone_from(&first.gold);
            case.ordered = first.ordered;
            case.kind = "in other words".to_owned();
        }
    }
    Ok(others)
}

/// Connects to the database in the cluster that PGHOST, PGPORT and PGUSER name.
pub(crate) fn connect(database: &str) -> Result<Client, Box<dyn Error>> {
    let from_env =
        |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_owned());
    let mut config = Client::configure();
    config
        .host(&from_env("PGHOST", "localhost"))
        .port(from_env("PGPORT", "5432").parse()?)
        .user(&from_env("PGUSER", "postgres"))
        .dbname(database);
    Ok(config.connect(NoTls)?)
}
