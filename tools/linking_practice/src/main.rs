//! Measures how well the tables and columns of a question are found in a large catalog.
//!
//! `linking_practice SCHEMAS.sql QUESTIONS.jsonl [BUDGET [MODEL]]` prints, for each variant
//! of retrieval, the share of questions with all gold tables within the first 5, 10 and 20, and with
//! all gold columns in a prompt of BUDGET characters: over all questions, then over those of either
//! half of the schemas, so that an idea that suits one half shows. MODEL is the file of the embedder
//! `multilingual` (`make setup` puts it into `target/encoder`), or with the feature `local` a directory;
//! without it the embedder is `hash`.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod cached;
mod figures;
mod questions;
mod schemas;
mod variants;

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use cached::CachedEmbedder;
use figures::Figures;
use questions::Question;
use text2sql_domain::config::{Egress, RetrievalConfig};
use text2sql_domain::ports::Embedder;
use text2sql_domain::ports::search_index::{IndexState, SearchIndex};
use text2sql_domain::schema::Table;
use text2sql_language::terms::Analyzer;
use text2sql_language::understanding::Understanding;
use text2sql_models::prompt::table_chars;
use text2sql_retrieval::index::memory_index::MemoryIndex;
use text2sql_retrieval::lexical::term_matches::Overlay;
use text2sql_retrieval::schema_budget;
use text2sql_retrieval::tables::search::{MAX_TABLES_FOUND, Search};
use text2sql_retrieval::vectors::hash_embedder::HashEmbedder;
use text2sql_sentence_encoder::SentenceEncoder;
use text2sql_sentence_encoder::embedder::MultilingualEmbedder;

/// The default size of a prompt's schema part.
const DEFAULT_BUDGET: usize = 30_000;

/// No search depends on the day.
const TODAY: &str = "2026-01-15";

fn main() -> ExitCode {
    match run(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), String> {
    let [schemas, questions, rest @ ..] = arguments else {
        return Err("usage: linking_practice SCHEMAS QUESTIONS [BUDGET [MODEL]]".into());
    };
    let read = |path: &str| fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
    let tables = schemas::read(&read(schemas)?);
    let (questions, unknown) = questions::read(&read(questions)?, &tables);
    let budget = match rest.first() {
        Some(text) => text.parse().map_err(|_| format!("{text} is no number"))?,
        None => DEFAULT_BUDGET,
    };
    let embedder = CachedEmbedder::new(embedder(rest.get(1).map(String::as_str))?);
    let mut index = MemoryIndex::new(Analyzer::default());
    let start = Instant::now();
    index
        .add_tables(&tables, Some(&embedder))
        .map_err(|error| error.to_string())?;
    println!(
        "{} tables, {} questions ({unknown} left out), embedder {}, indexed in {:.1} s, {} kB of postings, budget {budget}",
        tables.len(),
        questions.len(),
        embedder.name(),
        start.elapsed().as_secs_f64(),
        index.posting_bytes() / 1_000,
    );
    println!(
        "{:28}   in 5  in 10  in 20 columns | one half of the schemas     | the other half              | ms",
        ""
    );
    let state = index.state().map_err(|error| error.to_string())?;
    let practice = Practice {
        tables: tables
            .into_iter()
            .map(|table| (table.oid, Arc::new(table)))
            .collect(),
        state: state.unwrap_or_default(),
        index,
        embedder,
        questions,
        budget,
    };
    for (name, config) in variants::all() {
        println!("{name:28} {}", practice.measure(&config)?);
    }
    Ok(())
}

fn embedder(model: Option<&str>) -> Result<Box<dyn Embedder>, String> {
    match model {
        None => Ok(Box::new(HashEmbedder::default())),
        Some(directory) if Path::new(directory).is_dir() => local(Path::new(directory)),
        Some(file) => {
            let bytes = fs::read(file).map_err(|error| format!("{file}: {error}"))?;
            let encoder =
                SentenceEncoder::open(bytes).map_err(|error| format!("{file}: {error}"))?;
            Ok(Box::new(MultilingualEmbedder(Box::new(encoder))))
        }
    }
}

#[cfg(feature = "local")]
fn local(directory: &Path) -> Result<Box<dyn Embedder>, String> {
    let model = text2sql_local::LocalEmbedder::load(directory);
    Ok(Box::new(model.map_err(|error| error.to_string())?))
}

#[cfg(not(feature = "local"))]
fn local(_: &Path) -> Result<Box<dyn Embedder>, String> {
    Err("a directory needs the feature \"local\"".into())
}

struct Practice {
    tables: HashMap<u32, Arc<Table>>,
    state: IndexState,
    index: MemoryIndex,
    embedder: CachedEmbedder,
    questions: Vec<Question>,
    budget: usize,
}

impl Practice {
    /// One line of figures.
    fn measure(&self, config: &RetrievalConfig) -> Result<String, String> {
        let (analyzer, overlay) = (Analyzer::default(), Overlay::default());
        let search = Search {
            index: &self.index,
            state: &self.state,
            embedder: Some(&self.embedder),
            overlay: &overlay,
            analyzer: &analyzer,
            config,
        };
        let mut all = Figures::default();
        let mut halves = [Figures::default(), Figures::default()];
        let mut searching = 0.0;
        for question in &self.questions {
            let start = Instant::now();
            let found = search
                .find(
                    &Understanding::of(&question.text, TODAY),
                    &[],
                    MAX_TABLES_FOUND,
                )
                .map_err(|error| error.to_string())?;
            searching += start.elapsed().as_secs_f64();
            let tables: Vec<Arc<Table>> = found
                .tables
                .iter()
                .filter_map(|entry| self.tables.get(&entry.table).cloned())
                .collect();
            let size = |table: &Arc<Table>| table_chars(table, &tables, Egress::Schema);
            let shown =
                schema_budget::fit(&tables, &found.tables, &found.joins, &size, self.budget);
            all.add(question, &found, &shown);
            let sum: usize = question.schema.bytes().map(usize::from).sum();
            if let Some(half) = halves.get_mut(sum % 2) {
                half.add(question, &found, &shown);
            }
        }
        let [one, other] = halves;
        let milliseconds = 1_000.0 * searching / self.questions.len().max(1) as f64;
        Ok(format!(
            "{} | {} | {} | {milliseconds:.2}",
            all.line(),
            one.line(),
            other.line()
        ))
    }
}
