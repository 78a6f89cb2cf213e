//! Measures what a question's search costs with catalogs of 100, 1,000 and 10,000 tables of 20
//! columns, over the index in memory: what is left when storage costs nothing.
//!
//! `cargo run --release -p text2sql_engine --example retrieval_speed`

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a measurement: what goes wrong shall end it"
)]

use std::time::Instant;

use port_contracts::memory_index::MemoryIndex;
use text2sql_domain::config::RetrievalConfig;
use text2sql_domain::ports::search_index::SearchIndex;
use text2sql_domain::schema::{Column, ForeignKey, Table};
use text2sql_language::terms::Analyzer;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::lexical::term_matches::Overlay;
use text2sql_retrieval::tables::search::Search;
use text2sql_retrieval::vectors::hash_embedder::HashEmbedder;

/// Columns that every table has.
const USUAL: &[&str] = &[
    "id",
    "name",
    "created_at",
    "updated_by",
    "status",
    "description",
];

const COLUMNS: usize = 20;
const QUESTIONS: usize = 400;

/// A word of a made vocabulary: small numbers are frequent, as in Zipf's law.
fn word(random: &mut u64) -> String {
    let share = (next(random) % 1_000_000) as f64 / 1_000_000.0;
    let rank = (4_000f64.powf(share)) as usize;
    let syllables = ["ka", "lo", "mi", "ru", "se", "to", "va", "ne", "di", "pu"];
    let digits = format!("{rank:04}");
    let digits = digits
        .bytes()
        .map(|digit| syllables[usize::from(digit - b'0')]);
    digits.collect()
}

fn next(random: &mut u64) -> u64 {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    *random
}

fn tables(count: usize, random: &mut u64) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    for number in 0..count {
        let mut names: Vec<String> = USUAL.iter().map(|name| (*name).to_owned()).collect();
        while names.len() < COLUMNS {
            names.push(format!("{}_{}", word(random), word(random)));
        }
        let target = next(random) as usize % tables.len().max(1);
        let keys = tables.get(target).map(|target| ForeignKey {
            columns: vec![names[COLUMNS - 1].clone()],
            target: target.oid,
            target_name: target.name.clone(),
            target_columns: vec!["id".into()],
            ..ForeignKey::default()
        });
        tables.push(Table {
            oid: 20_000 + 10 * u32::try_from(number).unwrap(),
            schema: format!("s{}", number / 100),
            name: format!("{}_{}", word(random), word(random)),
            columns: names
                .into_iter()
                .zip(1..)
                .map(|(name, number)| Column {
                    number,
                    name,
                    ..Column::default()
                })
                .collect(),
            foreign_keys: keys.into_iter().collect(),
            ..Table::default()
        });
    }
    tables
}

fn main() {
    for count in [100, 1_000, 10_000] {
        let mut random = 0x9e37_79b9_7f4a_7c15;
        let tables = tables(count, &mut random);
        let mut index = MemoryIndex::new(Analyzer::default());
        let start = Instant::now();
        index.add_tables(&tables, None).unwrap();
        let built = start.elapsed();
        let state = index.state().unwrap().unwrap();
        let embedder = HashEmbedder::default();
        let (analyzer, overlay) = (Analyzer::default(), Overlay::default());
        let search = Search {
            index: &index,
            state: &state,
            embedder: Some(&embedder),
            overlay: &overlay,
            analyzer: &analyzer,
            config: &RetrievalConfig::ALL,
        };
        let mut times: Vec<f64> = (0..QUESTIONS)
            .map(|_| {
                let words = [word(&mut random), word(&mut random), word(&mut random)];
                let question = format!(
                    "Which name and status of each {} {} was created by {}?",
                    words[0], words[1], words[2]
                );
                let start = Instant::now();
                let found = search
                    .find(&Understanding::of(&question, "2026-11-21"), &[], 40)
                    .unwrap();
                assert!(!found.tables.is_empty());
                1_000.0 * start.elapsed().as_secs_f64()
            })
            .collect();
        times.sort_by(f64::total_cmp);
        println!(
            "{count:6} tables: built in {:.1} s, {} kB of postings; search median {:.2} ms, p95 {:.2} ms",
            built.as_secs_f64(),
            index.posting_bytes() / 1_000,
            times[QUESTIONS / 2],
            times[QUESTIONS * 95 / 100],
        );
    }
}
