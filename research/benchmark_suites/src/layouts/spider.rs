//! Spider: `tables.json`, `dev.json`, `train_spider.json`, `train_others.json`, `database/NAME/NAME.sqlite`.

use std::path::Path;

use serde_json::json;

use super::published_files::{question_files, sqlite_databases, text};
use super::{hardness, tables_json};
use crate::benchmark::{Benchmark, Question};
use crate::failure::Failure;
use crate::files;
use crate::kind::Kind;
use crate::options::Options;

pub(super) fn read(directory: &Path, options: &Options) -> Result<Benchmark, Failure> {
    let mut databases = sqlite_databases(directory, &["database", "test_database"])?;
    let tables = directory.join("tables.json");
    if tables.is_file() {
        tables_json::add(&mut databases, &tables)?;
    }
    let mut questions = Vec::new();
    // The development set alone: what models were trained on measures their memory.
    for file in question_files(directory, options, &["dev.json"])? {
        let set = files::stem(&file);
        for (number, asked) in files::list(&file)?.iter().enumerate() {
            questions.push(Question {
                key: format!("{set}-{number}"),
                database: text(asked, "db_id", number, &file)?,
                question: text(asked, "question", number, &file)?,
                gold: vec![text(asked, "query", number, &file)?],
                previous: Vec::new(),
                evidence: None,
                level: asked
                    .get("sql")
                    .and_then(hardness::level)
                    .map(str::to_owned),
                tags: vec![set.clone()],
                ordered: None,
            });
        }
    }
    Ok(Benchmark {
        kind: Kind::Spider,
        databases,
        questions,
        comparison: json!({}),
    })
}
