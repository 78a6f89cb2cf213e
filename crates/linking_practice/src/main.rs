//! Experiments.
#![allow(missing_docs, clippy::all, clippy::print_stdout, clippy::unwrap_used, clippy::indexing_slicing)]
mod schemas;
use std::collections::HashMap;
use text2sql_core::retrieve::bm25::*;
use text2sql_core::retrieve::embed::{Embedder, Purpose, hash::HashEmbedder};
use text2sql_core::retrieve::index::*;
use text2sql_core::retrieve::matches::*;
use text2sql_core::retrieve::memory::MemoryIndex;
use text2sql_core::retrieve::words::Analyzer;

struct Q { db: String, text: String, gold: Vec<u32> }

fn main() {
    let tables = schemas::read(&std::fs::read_to_string("/work/shared/data/linking/train.schemas.sql").unwrap());
    eprintln!("{} tables {} columns {} fks", tables.len(), tables.iter().map(|t| t.columns.len()).sum::<usize>(), tables.iter().map(|t| t.foreign_keys.len()).sum::<usize>());
    let mut by: HashMap<(String, String), u32> = HashMap::new();
    for t in &tables { by.insert((t.schema.clone(), t.name.clone()), t.oid); }
    let mut qs = Vec::new();
    let mut bad = 0;
    for l in std::fs::read_to_string("/work/shared/data/linking/train.jsonl").unwrap().lines() {
        let v: serde_json::Value = serde_json::from_str(l).unwrap();
        let db = v["db"].as_str().unwrap().to_string();
        let gold: Vec<Option<u32>> = v["gold_tables"].as_array().unwrap().iter().map(|t| by.get(&(db.clone(), t.as_str().unwrap().to_string())).copied()).collect();
        if gold.iter().any(|g| g.is_none()) { bad += 1; }
        qs.push(Q { db, text: v["question"].as_str().unwrap().to_string(), gold: gold.into_iter().flatten().collect() });
    }
    eprintln!("{} questions, {} bad", qs.len(), bad);
    let mut index = MemoryIndex::new(Analyzer::default());
    let hash = HashEmbedder::default();
    index.add_tables(&tables, Some(&hash)).unwrap();
    let analyzer = Analyzer::default();
    let state = index.state().unwrap().unwrap();
    let mut rows: Vec<(&str, [usize; 3])> = Vec::new();
    for q in &qs {
        let terms = analyzer.question_terms(&q.text);
        let m = Matches::read(&index, Collection::Schema, &terms, &Overlay::default()).unwrap();
        let parts = PartScorer::new(&m, &state.schema);
        let items = ItemScorer::new(&m, &state.schema);
        let mut col: Vec<(u32, f64)> = m.items().map(|e| (e[0].item, parts.scores(&m, e)[0].score)).collect();
        let mut tab: Vec<(u32, f64)> = m.items().map(|e| (e[0].item, items.score(&m, e))).collect();
        col.sort_by(|a, b| b.1.total_cmp(&a.1));
        tab.sort_by(|a, b| b.1.total_cmp(&a.1));
        let v = hash.embed(&[&q.text], Purpose::Question).unwrap().remove(0);
        let near = index.nearest(Collection::Schema, &v, 200).unwrap();
        let vec: Vec<(u32, f64)> = near.iter().map(|n| (n.item, f64::from(n.similarity))).collect();
        let legs = [("col", &col), ("tab", &tab), ("vec", &vec)];
        for (name, l) in legs { note(&mut rows, name, &q.gold, &l.iter().map(|x| x.0).collect::<Vec<_>>()); }
        note(&mut rows, "col+vec", &q.gold, &rrf(&[&col, &vec]));
        note(&mut rows, "col+tab", &q.gold, &rrf(&[&col, &tab]));
        note(&mut rows, "col+tab+vec", &q.gold, &rrf(&[&col, &tab, &vec]));
    }
    for (n, r) in rows { println!("{n:20} {:.1} {:.1} {:.1}", r[0] as f64 / 70., r[1] as f64 / 70., r[2] as f64 / 70.); }
}
fn rrf(l: &[&Vec<(u32, f64)>]) -> Vec<u32> {
    let mut s: HashMap<u32, f64> = HashMap::new();
    for l in l { for (r, (t, _)) in l.iter().enumerate().take(200) { *s.entry(*t).or_default() += 1.0 / (61.0 + r as f64); } }
    let mut v: Vec<_> = s.into_iter().collect();
    v.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    v.into_iter().map(|x| x.0).collect()
}
fn note<'a>(rows: &mut Vec<(&'a str, [usize; 3])>, name: &'a str, gold: &[u32], ranked: &[u32]) {
    let at = rows.iter().position(|r| r.0 == name).unwrap_or_else(|| { rows.push((name, [0; 3])); rows.len() - 1 });
    for (i, k) in [5, 10, 20].iter().enumerate() {
        if gold.iter().all(|g| ranked.iter().take(*k).any(|r| r == g)) { rows[at].1[i] += 1; }
    }
}
