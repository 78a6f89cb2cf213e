//! Measures what a prompt shows of a catalog: how many characters and tables, and whether all gold tables are
//! among them.
//!
//! `--prompts SCHEMAS.sql QUESTIONS.jsonl TABLES [MODEL]` merges the schemas into catalogs of about TABLES tables
//! (0 for one of all), and prints a line for the prompts that are sent, which show the whole catalog where it fits, one
//! for prompts that follow the certainty of the search, and one for each level of certainty. `database:NAME` instead of
//! a file reads a database with the statistics of its rows, which take most of a prompt. "named" counts gold tables
//! whose name is listed as well: a model can ask for those.

use std::collections::{BTreeMap, HashMap};
use std::env;
use std::fs;
use std::sync::Arc;

use crate::cached::CachedEmbedder;
use crate::questions::{self, Question};
use crate::{catalogs, schemas};
use port_contracts::memory_index::MemoryIndex;
use text2sql_domain::config::{Config, ModelConfig, RetrievalConfig};
use text2sql_domain::ports::Embedder;
use text2sql_domain::ports::search_index::{IndexState, SearchIndex};
use text2sql_domain::schema::{Table, TableName};
use text2sql_domain::shown::Shows;
use text2sql_language::terms::Analyzer;
use text2sql_language::understanding::Understanding;
use text2sql_models::prompt::{render, table_chars};
use text2sql_retrieval::certainty::Level;
use text2sql_retrieval::lexical::term_matches::Overlay;
use text2sql_retrieval::tables::search::{Found, Mentioned, Search};
use text2sql_retrieval::{Context, prompt_size};

/// Gives the embedder of a model.
type Open = fn(Option<&str>) -> Result<Box<dyn Embedder>, String>;

/// Measures and prints, as of the day `today`.
pub(crate) fn run(arguments: &[String], open: Open, today: &'static str) -> Result<(), String> {
    let [schemas, questions, size, rest @ ..] = arguments else {
        return Err("usage: linking_practice --prompts SCHEMAS QUESTIONS TABLES [MODEL]".into());
    };
    let read = |path: &str| fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
    let tables = match schemas.strip_prefix("database:") {
        Some(database) => of_database(database)?,
        None => schemas::read(&read(schemas)?),
    };
    let (questions, _) = questions::read(&read(questions)?, &tables);
    let size = size.parse().map_err(|_| format!("{size} is no number"))?;
    let embedder = CachedEmbedder::new(open(rest.first().map(String::as_str))?);
    let mut lines: BTreeMap<&'static str, Figures> = BTreeMap::new();
    for tables in catalogs::of_size(tables, size) {
        let mut index = MemoryIndex::new(Analyzer::default());
        index
            .add_tables(&tables, Some(&embedder))
            .map_err(|error| error.to_string())?;
        let state = index.state().map_err(|error| error.to_string())?;
        let catalog = Catalog {
            order: tables.iter().map(|table| table.oid).collect(),
            tables: tables
                .into_iter()
                .map(|table| (table.oid, Arc::new(table)))
                .collect(),
            state: state.unwrap_or_default(),
            index,
            embedder: &embedder,
            today,
        };
        for question in &questions {
            if question
                .tables
                .iter()
                .all(|gold| catalog.tables.contains_key(gold))
            {
                catalog.measure(question, &mut lines)?;
            }
        }
    }
    println!(
        "                 questions   shown   named | characters: median    mean     p90 | tables: median | as in the prompt before, %"
    );
    for (name, figures) in &mut lines {
        println!("{name:16} {}", figures.line());
    }
    Ok(())
}

/// The tables of a database, with what ANALYZE found in their rows. The server is the one of PGHOST, PGPORT and PGUSER.
fn of_database(database: &str) -> Result<Vec<Table>, String> {
    let setting = |name: &str, or: &str| env::var(name).unwrap_or_else(|_| or.to_owned());
    let connection = format!(
        "host={} port={} user={} dbname={database}",
        setting("PGHOST", "/var/run/postgresql"),
        setting("PGPORT", "5432"),
        setting("PGUSER", "postgres"),
    );
    let client = postgres::Client::connect(&connection, postgres::NoTls);
    let mut client = client.map_err(|error| error.to_string())?;
    let tables = practice_catalog::read_tables(&mut client).map_err(|error| error.to_string())?;
    Ok(tables.into_iter().map(Arc::unwrap_or_clone).collect())
}

struct Catalog<'a> {
    order: Vec<u32>,
    tables: HashMap<u32, Arc<Table>>,
    state: IndexState,
    index: MemoryIndex,
    embedder: &'a CachedEmbedder,
    today: &'static str,
}

impl Catalog<'_> {
    fn measure(
        &self,
        question: &Question,
        lines: &mut BTreeMap<&'static str, Figures>,
    ) -> Result<(), String> {
        let understanding = Understanding::of(&question.text, self.today);
        let search = Search {
            index: &self.index,
            state: &self.state,
            embedder: Some(self.embedder),
            overlay: &Overlay::default(),
            analyzer: &Analyzer::default(),
            config: &RetrievalConfig::ALL,
        };
        let config = config();
        let find = |limit: &dyn Fn(&_) -> usize| {
            let found = search.find_by_certainty(&understanding, Mentioned::default(), limit);
            found.map_err(|error| error.to_string())
        };
        let chars = config.schema_chars();
        let found = find(&|certainty| prompt_size::tables(certainty, chars))?;
        let level = found.certainty.level;
        let name = match level {
            Level::Certain => "  certain",
            Level::Likely => "  likely",
            Level::Uncertain => "  uncertain",
        };
        let most = match level {
            Level::Uncertain => chars.largest,
            Level::Certain | Level::Likely => 0,
        };
        let whole = self.context(None, chars.usual);
        let context = self.context(Some(found), most);
        for line in ["by certainty", name] {
            let figures = lines.entry(line).or_default();
            figures.add(question, &understanding, &context, &config);
        }
        let sent = if whole.is_whole { &whole } else { &context };
        let figures = lines.entry("sent").or_default();
        figures.add(question, &understanding, sent, &config);
        Ok(())
    }

    /// The whole catalog if it fits into this many characters, else the tables found.
    fn context(&self, found: Option<Found>, whole_chars: usize) -> Context {
        let described = |oids: &[u32]| -> Vec<Arc<Table>> {
            let tables = oids.iter().filter_map(|oid| self.tables.get(oid));
            tables.map(Arc::clone).collect()
        };
        let all = described(&self.order);
        let size = |table: &Arc<Table>| table_chars(table, &all, Shows::of(&config()));
        if all.iter().map(size).sum::<usize>() <= whole_chars {
            return Context {
                tables: all,
                is_whole: true,
                certainty: found.as_ref().map(|found| found.certainty.clone()),
                found: found.map(|found| found.tables).unwrap_or_default(),
                ..Context::default()
            };
        }
        let found = found.unwrap_or_default();
        let oids: Vec<u32> = found.tables.iter().map(|entry| entry.table).collect();
        let mut others = found.others;
        others.extend(&self.order);
        let mut known = oids.clone();
        others.retain(|oid| {
            let is_new = !known.contains(oid);
            known.push(*oid);
            is_new
        });
        Context {
            tables: described(&oids),
            others: described(&others)
                .iter()
                .map(|table| TableName::of(table))
                .collect(),
            found: found.tables,
            joins: found.joins,
            families: found.families,
            certainty: Some(found.certainty),
            ..Context::default()
        }
    }
}

/// As for a model that may be sent values.
fn config() -> Config {
    Config {
        model: ModelConfig::Replay(Vec::new()),
        ..Config::default()
    }
}

#[derive(Default)]
struct Figures {
    shown: usize,
    named: usize,
    chars: Vec<usize>,
    tables: Vec<usize>,
    /// The last prompt, and how many bytes of all but the first are as in the one before, from its beginning on.
    last: String,
    repeated: usize,
    bytes: usize,
}

impl Figures {
    fn add(
        &mut self,
        question: &Question,
        understanding: &Understanding,
        context: &Context,
        config: &Config,
    ) {
        let prompt = render(understanding, context, config, "18");
        let is_among = |tables: &mut dyn Iterator<Item = u32>| {
            let tables: Vec<u32> = tables.collect();
            question.tables.iter().all(|gold| tables.contains(gold))
        };
        let shown = context.tables.iter().map(|table| table.oid);
        self.shown += usize::from(is_among(&mut shown.clone()));
        let others = context.others.iter().map(|table| table.oid);
        self.named += usize::from(is_among(&mut shown.chain(others)));
        self.chars.push(prompt.chars());
        let text = format!("{}{}", prompt.system, prompt.user);
        if !self.last.is_empty() {
            let alike = text.bytes().zip(self.last.bytes());
            self.repeated += alike.take_while(|(one, other)| one == other).count();
            self.bytes += text.len();
        }
        self.last = text;
        self.tables.push(context.tables.len());
    }

    fn line(&mut self) -> String {
        let count = self.chars.len().max(1);
        let share = |part: usize| 100.0 * part as f64 / count as f64;
        let mean = self.chars.iter().sum::<usize>() / count;
        self.chars.sort_unstable();
        self.tables.sort_unstable();
        let at = |list: &[usize], part: usize| list.get(count * part / 100).copied().unwrap_or(0);
        format!(
            "{:9} {:7.1} {:7.1} | {:18} {mean:7} {:7} | {:14} | {:26}",
            self.chars.len(),
            share(self.shown),
            share(self.named),
            at(&self.chars, 50),
            at(&self.chars, 90),
            at(&self.tables, 50),
            100 * self.repeated / self.bytes.max(1),
        )
    }
}
