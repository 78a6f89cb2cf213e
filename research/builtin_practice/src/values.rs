//! Measures the values that a question is linked to: against the literals that the gold queries compare columns
//! with, over each database alone and over all of them in one catalog.

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::sync::Arc;

use port_contracts::memory_index::MemoryIndex;
use postgres::Client;
use text2sql_domain::config::RetrievalConfig;
use text2sql_domain::ports::search_index::{SearchIndex, ValueHit};
use text2sql_domain::schema::{Table, TypeCategory, quote_identifier};
use text2sql_language::terms::Analyzer;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::lexical::term_matches::Overlay;
use text2sql_retrieval::tables::search::{Found, MAX_TABLES_FOUND, Search};
use text2sql_retrieval::values::{MAX_VALUE_CHARS, Phrases, Scene, choose};
use text2sql_retrieval::vectors::hash_embedder::HashEmbedder;
use text2sql_sql::tree::relations::table_names;

use crate::questions::{self, Case, TODAY};
use crate::replay;

/// Maximum number of distinct values of an indexed column, and of values of one phrase, as on a server.
const MAX_VALUES: i64 = 5_000;
const PER_PHRASE: usize = 8;

/// OIDs of one database after those of another.
const OID_STEP: u32 = 1_000_000;

/// What was linked to some questions.
#[derive(Default)]
struct Links {
    questions: u32,
    /// Literals of the gold queries that are in the index, and those of them that were linked.
    wanted: u32,
    linked: u32,
    /// Values shown, and those of them that a gold query needs.
    shown: u32,
    needed: u32,
    /// Values shown for questions that need none.
    idle: u32,
    /// Questions with all their tables among the first 5 and 10, with and without values.
    within: [[u32; 2]; 2],
}

impl Links {
    fn line(&self) -> String {
        let percent = |part: u32, all: u32| 100.0 * f64::from(part) / f64::from(all.max(1));
        let [with, without] = self
            .within
            .map(|of| of.map(|count| percent(count, self.questions)));
        format!(
            "{} questions: {:.1} % of {} literals linked, {:.1} % of {} links needed, {} links of questions that need none; tables in 5 / 10: {:.1} / {:.1}, without values {:.1} / {:.1}",
            self.questions,
            percent(self.linked, self.wanted),
            self.wanted,
            percent(self.needed, self.shown),
            self.shown,
            self.idle,
            with[0],
            with[1],
            without[0],
            without[1],
        )
    }
}

/// A catalog with its index.
struct World {
    tables: Vec<Arc<Table>>,
    index: MemoryIndex,
    analyzer: Analyzer,
}

/// Prints the figures of both halves of the databases; shows what was linked wrongly.
pub(crate) fn measure(
    by_database: &BTreeMap<String, Vec<Case>>,
    prefix: &str,
    shows: bool,
) -> Result<(), Box<dyn Error>> {
    let mut all = Vec::new();
    let mut halves: [Links; 2] = Default::default();
    for (place, (database, cases)) in by_database.iter().enumerate() {
        let mut client = questions::connect(&format!("{prefix}{database}"))?;
        let first = OID_STEP * u32::try_from(place + 1)?;
        let tables = moved(practice_catalog::read_tables(&mut client)?, database, first);
        let values = values_of(&mut client, &tables, first)?;
        let world = World::new(tables, &values)?;
        if let Some(links) = halves.get_mut(place % 2) {
            for case in cases {
                world.add(case, database, false, links, shows);
            }
        }
        all.push((world.tables, values));
    }
    println!("each database alone");
    halves
        .iter()
        .for_each(|links| println!("  {}", links.line()));
    let (tables, values): (Vec<_>, Vec<_>) = all.into_iter().unzip();
    let world = World::new(tables.concat(), &values.concat())?;
    let mut halves: [Links; 2] = Default::default();
    for (place, (database, cases)) in by_database.iter().enumerate() {
        if let Some(links) = halves.get_mut(place % 2) {
            for case in cases {
                world.add(case, database, true, links, false);
            }
        }
    }
    println!("all in one catalog of {} tables", world.tables.len());
    halves
        .iter()
        .for_each(|links| println!("  {}", links.line()));
    Ok(())
}

/// The tables in a schema named after their database, with OIDs of their own.
fn moved(tables: Vec<Arc<Table>>, database: &str, first: u32) -> Vec<Arc<Table>> {
    let places: HashMap<u32, u32> = tables.iter().map(|table| table.oid).zip(first..).collect();
    let place = |oid: u32| places.get(&oid).copied().unwrap_or(oid);
    let moved = tables.iter().map(|table| {
        let mut table = Table::clone(table);
        table.oid = place(table.oid);
        table.schema = database.to_owned();
        for key in &mut table.foreign_keys {
            key.target = place(key.target);
        }
        Arc::new(table)
    });
    moved.collect()
}

type Values = Vec<(u32, i16, String)>;

/// An index of the values of a database.
pub(crate) fn index_of(
    client: &mut Client,
    tables: &[Arc<Table>],
) -> Result<MemoryIndex, Box<dyn Error>> {
    let mut index = MemoryIndex::new(Analyzer::default());
    for (table, column, value) in values_of(client, tables, 0)? {
        index.add_value(table, column, &value);
    }
    Ok(index)
}

/// The distinct values of text columns, as `refresh()` reads them.
fn values_of(
    client: &mut Client,
    tables: &[Arc<Table>],
    first: u32,
) -> Result<Values, Box<dyn Error>> {
    let mut values = Vec::new();
    let _ = first;
    for table in tables {
        let columns = table.columns.iter();
        for column in columns.filter(|column| column.category == TypeCategory::Text) {
            let name = quote_identifier(&column.name);
            let rows = client.query(
                &format!(
                    "SELECT DISTINCT {name}::text FROM {} WHERE {name} IS NOT NULL ORDER BY 1 LIMIT {MAX_VALUES}",
                    quote_identifier(&table.name)
                ),
                &[],
            )?;
            let texts = rows.iter().map(|row| row.get::<_, String>(0));
            let short = texts
                .filter(|text| text.chars().count() <= MAX_VALUE_CHARS && !text.trim().is_empty());
            values.extend(short.map(|text| (table.oid, column.number, text)));
        }
    }
    Ok(values)
}

impl World {
    fn new(tables: Vec<Arc<Table>>, values: &Values) -> Result<Self, Box<dyn Error>> {
        let mut index = MemoryIndex::new(Analyzer::default());
        let plain: Vec<Table> = tables.iter().map(|table| Table::clone(table)).collect();
        index
            .add_tables(&plain, Some(&HashEmbedder::default()))
            .map_err(|error| error.to_string())?;
        for (table, column, value) in values {
            index.add_value(*table, *column, value);
        }
        Ok(Self {
            tables,
            index,
            analyzer: Analyzer::default(),
        })
    }

    fn search(&self, understanding: &Understanding, hits: &[ValueHit]) -> Option<Found> {
        let search = Search {
            index: &self.index,
            state: &self.index.state().ok()??,
            embedder: Some(&HashEmbedder::default()),
            overlay: &Overlay::default(),
            analyzer: &self.analyzer,
            config: &RetrievalConfig::ALL,
        };
        search.find(understanding, hits, MAX_TABLES_FOUND).ok()
    }

    fn add(&self, case: &Case, database: &str, searches: bool, links: &mut Links, shows: bool) {
        let understanding = Understanding::of(&case.question, TODAY);
        let phrases = Phrases::of(&understanding, &self.analyzer);
        let hits = self
            .index
            .values(&phrases.wanted, PER_PHRASE)
            .unwrap_or_default();
        let gold = case.gold.first().map_or("", String::as_str);
        let named = table_names(gold);
        let is_gold = |table: &Table| table.schema == database && named.contains(&table.name);
        let (mut tables, mut found) = (self.tables.clone(), Vec::new());
        links.questions += 1;
        if searches {
            let runs = [
                self.search(&understanding, &hits),
                self.search(&understanding, &[]),
            ];
            for (run, within) in runs.iter().zip(&mut links.within) {
                for (count, depth) in within.iter_mut().zip([5, 10]) {
                    let first = run.iter().flat_map(|run| run.tables.iter().take(depth));
                    let first: Vec<u32> = first.map(|entry| entry.table).collect();
                    let mut wanted = self.tables.iter().filter(|table| is_gold(table));
                    *count += u32::from(wanted.all(|table| first.contains(&table.oid)));
                }
            }
            let [with, _] = runs;
            found = with.map(|run| run.tables).unwrap_or_default();
            let place = |oid: u32| self.tables.iter().find(|table| table.oid == oid).cloned();
            tables = found
                .iter()
                .filter_map(|entry| place(entry.table))
                .collect();
        }
        let scene = Scene::new(&understanding, &tables, &found, &self.analyzer);
        let chosen = choose(&phrases, &hits, &scene);
        let column = |hit: &ValueHit| {
            let table = self.tables.iter().find(|table| table.oid == hit.table)?;
            let column = table
                .columns
                .iter()
                .find(|column| column.number == hit.column)?;
            Some((table, column.name.clone()))
        };
        // A literal that the index has for a column of that name in a table of the query.
        let wanted: Vec<(String, String)> = replay::compared(gold)
            .into_iter()
            .filter_map(|(column, literal)| {
                let text = literal
                    .strip_prefix('\'')?
                    .strip_suffix('\'')?
                    .replace("''", "'");
                Some((column.name, text))
            })
            .filter(|(name, text)| {
                let mut owners = self.tables.iter().filter(|table| is_gold(table));
                owners.any(|table| {
                    let number = table.column(name).map_or(0, |column| column.number);
                    self.index
                        .value_of(table.oid, number, text)
                        .is_ok_and(|known| known.is_some_and(|known| known.occurs))
                })
            })
            .collect();
        let is_needed = |hit: &&ValueHit| {
            column(hit).is_some_and(|(table, column)| {
                is_gold(table)
                    && wanted
                        .iter()
                        .any(|(name, text)| *name == column && *text == hit.value)
            })
        };
        let needed = chosen.iter().filter(is_needed).count();
        let is_linked = |(name, text): &&(String, String)| {
            chosen.iter().any(|hit| {
                let names =
                    column(hit).is_some_and(|(table, column)| is_gold(table) && column == *name);
                names && hit.value == *text
            })
        };
        let linked = wanted.iter().filter(is_linked).count();
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        links.wanted += count(wanted.len());
        links.linked += count(linked);
        links.shown += count(chosen.len());
        links.needed += count(needed);
        if wanted.is_empty() {
            links.idle += count(chosen.len());
        }
        if shows && (linked < wanted.len() || needed < chosen.len()) {
            println!("{database}: {}\n   wanted {wanted:?}", case.question);
            for hit in &chosen {
                let said = phrases.of_hit(hit).map_or("", |phrase| &phrase.text);
                let (table, column) =
                    column(hit).map_or(("", String::new()), |(table, name)| (&table.name, name));
                println!("   \"{said}\": {table}.{column} = '{}'", hit.value);
            }
        }
    }
}
