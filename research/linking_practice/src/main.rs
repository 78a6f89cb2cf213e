//! Measures how well the tables and columns of a question are found in a large catalog.
//!
//! `linking_practice [OPTION ...] SCHEMAS.sql QUESTIONS.jsonl [BUDGET [MODEL]]` prints, for each variant
//! of retrieval, the share of questions with all gold tables within the first 5, 10 and 20, and with
//! all gold columns in a prompt of BUDGET characters: over all questions, then over those of either
//! half of the schemas, so that an idea that suits one half shows. MODEL is the file of the embedder
//! `multilingual` (`make setup` puts it into `target/encoder`), or with the feature `local` a directory;
//! without it the embedder is `hash`.
//!
//! | option | |
//! |---|---|
//! | `--catalog-tables=90` | merges the schemas into catalogs of about so many tables, instead of one of all |
//! | `--garbled` | abbreviates names and writes their words together, see `garbled.rs` |
//! | `--without-keys` | with `--garbled`: removes all keys |
//! | `--only=everything` | measures one variant |
//! | `--misses` | prints the questions whose tables are not all within the first 10 |
//!
//! `linking_practice --prompts SCHEMAS.sql QUESTIONS.jsonl TABLES [MODEL]` measures what prompts show: see
//! `prompts.rs`.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod cached;
mod catalogs;
mod figures;
mod garbled;
mod prompts;
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
use port_contracts::memory_index::MemoryIndex;
use questions::Question;
use text2sql_domain::config::{Egress, RetrievalConfig};
use text2sql_domain::ports::Embedder;
use text2sql_domain::ports::search_index::{IndexState, SearchIndex};
use text2sql_domain::schema::Table;
use text2sql_language::terms::Analyzer;
use text2sql_language::understanding::Understanding;
use text2sql_models::prompt::table_chars;
use text2sql_retrieval::lexical::term_matches::Overlay;
use text2sql_retrieval::schema_budget::{Budget, ShownTable};
use text2sql_retrieval::tables::search::{Found, MAX_TABLES_FOUND, Search};
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
    if let [flag, arguments @ ..] = arguments
        && flag == "--prompts"
    {
        return prompts::run(arguments, embedder, TODAY);
    }
    let (options, arguments): (Vec<&String>, Vec<&String>) = arguments
        .iter()
        .partition(|argument| argument.starts_with("--"));
    let option = |name: &str| options.iter().find_map(|option| option.strip_prefix(name));
    let [schemas, questions, rest @ ..] = arguments.as_slice() else {
        return Err(
            "usage: linking_practice [OPTION ...] SCHEMAS QUESTIONS [BUDGET [MODEL]]".into(),
        );
    };
    let read = |path: &str| fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
    let number = |text: &str| text.parse().map_err(|_| format!("{text} is no number"));
    let mut tables = schemas::read(&read(schemas)?);
    let (questions, unknown) = questions::read(&read(questions)?, &tables);
    if option("--garbled").is_some() {
        garbled::garble(&mut tables, option("--without-keys").is_some());
    }
    let budget = match rest.first() {
        Some(text) => number(text)?,
        None => DEFAULT_BUDGET,
    };
    let size = match option("--catalog-tables=") {
        Some(text) => number(text)?,
        None => 0,
    };
    let embedder = CachedEmbedder::new(embedder(rest.get(1).map(|path| path.as_str()))?);
    println!(
        "{} tables, {} questions ({unknown} left out), embedder {}, budget {budget}",
        tables.len(),
        questions.len(),
        embedder.name(),
    );
    let start = Instant::now();
    let mut practices = Vec::new();
    for tables in catalogs::of_size(tables, size) {
        practices.push(Practice::new(tables, &questions, &embedder, budget)?);
    }
    let bytes: usize = practices.iter().map(|one| one.index.posting_bytes()).sum();
    println!(
        "{} catalogs, indexed in {:.1} s, {} kB of postings",
        practices.len(),
        start.elapsed().as_secs_f64(),
        bytes / 1_000,
    );
    println!(
        "{:28}   in 5  in 10  in 20 columns | one half of the schemas     | the other half              | ms",
        ""
    );
    for (name, config) in variants::all() {
        if option("--only=").is_some_and(|only| only != name) {
            continue;
        }
        let mut figures = Measured::default();
        for practice in &practices {
            practice.measure(&config, &mut figures)?;
        }
        println!("{name:28} {}", figures.line());
        if option("--misses").is_some() {
            figures.misses.iter().for_each(|miss| println!("{miss}"));
        }
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

/// Figures over all questions and over those of either half of the schemas.
#[derive(Default)]
struct Measured {
    all: Figures,
    halves: [Figures; 2],
    milliseconds: Vec<f64>,
    misses: Vec<String>,
}

impl Measured {
    fn line(&mut self) -> String {
        self.milliseconds.sort_by(f64::total_cmp);
        let count = self.milliseconds.len();
        let mean = self.milliseconds.iter().sum::<f64>() / count.max(1) as f64;
        let late = self.milliseconds.get(count * 95 / 100).copied();
        let [one, other] = &self.halves;
        format!(
            "{} | {} | {} | {mean:.2}, p95 {:.2}",
            self.all.line(),
            one.line(),
            other.line(),
            late.unwrap_or_default(),
        )
    }
}

/// A catalog with its questions.
struct Practice<'a> {
    tables: HashMap<u32, Arc<Table>>,
    state: IndexState,
    index: MemoryIndex,
    embedder: &'a CachedEmbedder,
    questions: Vec<&'a Question>,
    budget: usize,
}

impl<'a> Practice<'a> {
    fn new(
        tables: Vec<Table>,
        questions: &'a [Question],
        embedder: &'a CachedEmbedder,
        budget: usize,
    ) -> Result<Self, String> {
        let mut index = MemoryIndex::new(Analyzer::default());
        index
            .add_tables(&tables, Some(embedder))
            .map_err(|error| error.to_string())?;
        let state = index.state().map_err(|error| error.to_string())?;
        let has_schema =
            |question: &&Question| tables.iter().any(|table| table.schema == question.schema);
        Ok(Self {
            state: state.unwrap_or_default(),
            index,
            embedder,
            questions: questions.iter().filter(has_schema).collect(),
            budget,
            tables: tables
                .into_iter()
                .map(|table| (table.oid, Arc::new(table)))
                .collect(),
        })
    }

    /// Adds the questions to the figures.
    fn measure(&self, config: &RetrievalConfig, figures: &mut Measured) -> Result<(), String> {
        let (analyzer, overlay) = (Analyzer::default(), Overlay::default());
        let search = Search {
            index: &self.index,
            state: &self.state,
            embedder: Some(self.embedder),
            overlay: &overlay,
            analyzer: &analyzer,
            config,
        };
        for question in &self.questions {
            let start = Instant::now();
            let found = search
                .find(
                    &Understanding::of(&question.text, TODAY),
                    &[],
                    MAX_TABLES_FOUND,
                )
                .map_err(|error| error.to_string())?;
            let took = 1_000.0 * start.elapsed().as_secs_f64();
            figures.milliseconds.push(took);
            let tables: Vec<Arc<Table>> = found
                .tables
                .iter()
                .filter_map(|entry| self.tables.get(&entry.table).cloned())
                .collect();
            let size =
                |shown: &ShownTable| table_chars(&shown.table, &tables, Egress::Schema.into());
            let whole = tables.iter().map(ShownTable::from).collect();
            let mut fitting = Budget::new(whole, &found.tables, &found.joins, &[], &size);
            fitting.cut(self.budget);
            let shown = fitting.into_shown();
            figures.all.add(question, &found, &shown);
            let sum: usize = question.schema.bytes().map(usize::from).sum();
            if let Some(half) = figures.halves.get_mut(sum % 2) {
                half.add(question, &found, &shown);
            }
            figures.misses.extend(self.miss(question, &found, sum % 2));
        }
        Ok(())
    }

    /// The question with the places of its tables, if they are not all within the first ten.
    fn miss(&self, question: &Question, found: &Found, half: usize) -> Option<String> {
        let name = |table: u32| self.tables.get(&table).map_or("?", |known| &known.name);
        let place = |wanted: u32| found.tables.iter().position(|entry| entry.table == wanted);
        let is_late = |table: &u32| place(*table).is_none_or(|place| place >= 10);
        question.tables.iter().any(is_late).then(|| {
            let wanted = question.tables.iter().map(|table| {
                let place = place(*table).map_or("-".to_owned(), |place| (place + 1).to_string());
                format!("{} {place}", name(*table))
            });
            let first = found.tables.iter().take(6).map(|entry| name(entry.table));
            format!(
                "  half {half} {}: {} [{}] first: {}",
                question.schema,
                question.text,
                wanted.collect::<Vec<_>>().join(", "),
                first.collect::<Vec<_>>().join(" "),
            )
        })
    }
}
