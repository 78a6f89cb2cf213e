//! SParC: `dev.json` and `train.json` have interactions, whose questions refer back to those before them; databases and
//! `tables.json` are Spider's.

use std::path::Path;

use serde_json::{Value, json};

use super::published_files::{question_files, sqlite_databases, text};
use super::{hardness, tables_json};
use crate::benchmark::{Benchmark, Question};
use crate::failure::Failure;
use crate::files;
use crate::kind::Kind;
use crate::options::Options;

pub(super) fn read(directory: &Path, options: &Options) -> Result<Benchmark, Failure> {
    let mut databases = sqlite_databases(directory, &["database"])?;
    let tables = directory.join("tables.json");
    if tables.is_file() {
        tables_json::add(&mut databases, &tables)?;
    }
    let mut questions = Vec::new();
    for file in question_files(directory, options, &["dev.json"])? {
        let set = files::stem(&file);
        for (number, interaction) in files::list(&file)?.iter().enumerate() {
            let turns = interaction.get("interaction").and_then(Value::as_array);
            let mut previous: Vec<String> = Vec::new();
            for (turn, asked) in turns.into_iter().flatten().enumerate() {
                let question = text(asked, "utterance", number, &file)?;
                questions.push(Question {
                    key: format!("{set}-{number}-{turn}"),
                    database: text(interaction, "database_id", number, &file)?,
                    question: question.clone(),
                    gold: vec![text(asked, "query", number, &file)?],
                    previous: previous.clone(),
                    evidence: None,
                    level: asked
                        .get("sql")
                        .and_then(hardness::level)
                        .map(str::to_owned),
                    // The authors give figures for each turn.
                    tags: vec![set.clone(), format!("turn {}", turn + 1)],
                    ordered: None,
                });
                previous.push(question);
            }
        }
    }
    Ok(Benchmark {
        kind: Kind::Sparc,
        databases,
        questions,
        comparison: json!({}),
    })
}
