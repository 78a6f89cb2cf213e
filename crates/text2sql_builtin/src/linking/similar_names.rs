//! Existing names that are most similar to unknown words.

use std::collections::HashMap;
use std::sync::Arc;

use crate::linking::names::words_of;
use text2sql_domain::schema::Table;
use text2sql_language::words::stem;

/// The existing names most similar to the words, for the text of a refusal.
pub(crate) fn nearest_names(words: &[String], tables: &[Arc<Table>]) -> Vec<String> {
    let wanted: Vec<Vec<u32>> = words
        .iter()
        .map(|word| trigrams(&stem(&word.to_lowercase())))
        .collect();
    let mut scores: HashMap<String, f64> = HashMap::new();
    let mut ranked: Vec<(f64, String)> = Vec::new();
    for table in tables {
        let columns = table
            .columns
            .iter()
            .map(|column| (column.name.as_str(), true));
        for (name, is_column) in std::iter::once((table.name.as_str(), false)).chain(columns) {
            let known = scores.get(name).copied();
            let score = known.unwrap_or_else(|| {
                let parts: Vec<Vec<u32>> =
                    words_of(name).iter().map(|part| trigrams(part)).collect();
                let pairs = wanted
                    .iter()
                    .flat_map(|word| parts.iter().map(move |part| similarity(word, part)));
                pairs.fold(0.0, f64::max)
            });
            if known.is_none() {
                scores.insert(name.to_owned(), score);
            }
            if score >= SIMILAR {
                let shown = if is_column {
                    format!("{}.{name}", table.name)
                } else {
                    name.to_owned()
                };
                ranked.push((score, shown));
            }
        }
    }
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    ranked.into_iter().take(5).map(|(_, name)| name).collect()
}

/// Minimum share of common trigrams.
const SIMILAR: f64 = 0.34;

fn similarity(left: &[u32], right: &[u32]) -> f64 {
    let common = left.iter().filter(|gram| right.contains(gram)).count();
    let all = left.len() + right.len() - common;
    if all == 0 {
        0.0
    } else {
        common as f64 / all as f64
    }
}

fn trigrams(word: &str) -> Vec<u32> {
    let mut grams = Vec::with_capacity(word.len() + 1);
    let mut window = 0x2020_u32;
    for byte in word.bytes().chain(std::iter::once(b' ')) {
        window = (window << 8 | u32::from(byte)) & 0x00FF_FFFF;
        grams.push(window);
    }
    grams.sort_unstable();
    grams.dedup();
    grams
}
