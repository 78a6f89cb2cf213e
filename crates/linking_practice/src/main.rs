//! Experiments.
#![allow(missing_docs, clippy::all, clippy::print_stdout, clippy::unwrap_used, clippy::indexing_slicing)]
mod questions;
mod schemas;
use text2sql_core::config::RetrievalConfig;
use text2sql_core::retrieve::embed::{Embedder, hash::HashEmbedder};
use text2sql_core::retrieve::index::*;
use text2sql_core::retrieve::matches::*;
use text2sql_core::retrieve::memory::MemoryIndex;
use text2sql_core::retrieve::search::Search;
use text2sql_core::retrieve::words::Analyzer;

fn main() {
    let tables = schemas::read(&std::fs::read_to_string("/work/shared/data/linking/train.schemas.sql").unwrap());
    let (qs, _) = questions::read(&std::fs::read_to_string("/work/shared/data/linking/train.jsonl").unwrap(), &tables);
    let mut index = MemoryIndex::new(Analyzer::default());
    #[cfg(feature = "local")]
    let local = std::env::args().nth(1).map(|d| text2sql_local::LocalEmbedder::load(std::path::Path::new(&d)).unwrap());
    #[cfg(feature = "local")]
    let embedder: Box<dyn Embedder> = match local { Some(l) => Box::new(l), None => Box::new(HashEmbedder::default()) };
    #[cfg(not(feature = "local"))]
    let embedder: Box<dyn Embedder> = Box::new(HashEmbedder::default());
    let embedder = &*embedder;
    index.add_tables(&tables, Some(embedder)).unwrap();
    let analyzer = Analyzer::default();
    let state = index.state().unwrap().unwrap();
    let all = RetrievalConfig::ALL;
    let variants = [
        ("all", all.clone()),
        ("- names", RetrievalConfig { names: false, ..all.clone() }),
        ("- columns", RetrievalConfig { columns: false, ..all.clone() }),
        ("- tables", RetrievalConfig { tables: false, ..all.clone() }),
        ("- vectors", RetrievalConfig { vectors: false, ..all.clone() }),
        ("- coherence", RetrievalConfig { coherence: false, ..all.clone() }),
        ("- rerank", RetrievalConfig { rerank: false, coherence: false, ..all.clone() }),
        ("- closure", RetrievalConfig { closure: false, ..all.clone() }),
        ("- families", RetrievalConfig { families: false, ..all.clone() }),
        ("bm25 cols", RetrievalConfig { names: false, tables: false, vectors: false, rerank: false, coherence: false, closure: false, families: false, ..all.clone() }),
        ("bm25 cols+closure", RetrievalConfig { names: false, tables: false, vectors: false, rerank: false, coherence: false, families: false, ..all.clone() }),
        ("vectors", RetrievalConfig { names: false, tables: false, columns: false, rerank: false, coherence: false, closure: false, families: false, ..all.clone() }),
    ];
    let overlay = Overlay::default();
    for (name, config) in variants {
        let search = Search { index: &index, state: &state, embedder: Some(embedder), overlay: &overlay, analyzer: &analyzer, config: &config };
        let mut r = [[0usize; 4]; 2];
        let mut n = [0usize; 2];
        let start = std::time::Instant::now();
        let mut missed = Vec::new();
        for q in &qs {
            let half = q.schema.bytes().map(usize::from).sum::<usize>() % 2;
            n[half] += 1;
            let found = search.find(&q.text, &[], 40).unwrap();
            let order: Vec<u32> = found.tables.iter().map(|t| t.table).collect();
            for (i, k) in [5, 10, 20, 40].iter().enumerate() {
                if q.tables.iter().all(|g| order.iter().take(*k).any(|x| x == g)) { r[half][i] += 1; }
                else if i == 2 { missed.push(q); }
            }
        }
        let p = |h: usize, i: usize| r[h][i] as f64 * 100. / n[h] as f64;
        let t = |i: usize| (r[0][i] + r[1][i]) as f64 * 100. / qs.len() as f64;
        println!("{name:20} {:.1} {:.1} {:.1} {:.1} | {:.1} {:.1} | {:.1} {:.1}   {:.2} ms", t(0), t(1), t(2), t(3), p(0, 1), p(0, 2), p(1, 1), p(1, 2), start.elapsed().as_secs_f64() * 1000. / qs.len() as f64);
        if name == "all" && std::env::var("MISSED").is_ok() {
            for q in missed.iter().step_by(missed.len() / 40 + 1) {
                println!("   {} | {} | {:?}", q.schema, q.text, q.tables.iter().map(|o| tables.iter().find(|t| t.oid == *o).unwrap().name.clone()).collect::<Vec<_>>());
            }
        }
    }
}
