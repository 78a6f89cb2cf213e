//! Measures which examples a prompt gets: each practice question is asked of a search index that holds other
//! questions of its database as verified examples. An example is useful when its query has the shape of the
//! gold, or reads the same tables. What is sought is the similarity below which examples are not worth their
//! place: the table shows, for each, how many useful and how many useless pairs have at least that much.
//! Needs no server.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::error::Error;

use port_contracts::memory_index::MemoryIndex;
use text2sql_domain::ports::search_index::{Example, SearchIndex};
use text2sql_domain::ports::{Embedder, Purpose};
use text2sql_language::terms::Analyzer;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::few_shot_examples;
use text2sql_retrieval::sql_skeleton::skeleton;
use text2sql_retrieval::vectors::hash_embedder::HashEmbedder;

use crate::TODAY;
use crate::questions::Case;

/// Every n-th question of a database is an example: about ten for most of them, as when a curator starts.
const EVERY: usize = 7;

/// The similarities that are tried.
const STEPS: [f64; 11] = [0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6];

/// Useful and useless ones.
#[derive(Default, Clone, Copy)]
struct Count {
    useful: usize,
    useless: usize,
}

impl Count {
    fn add(&mut self, is_useful: bool) {
        match is_useful {
            true => self.useful += 1,
            false => self.useless += 1,
        }
    }
}

/// Prints what each least similarity keeps, and what the prompt gets.
pub(crate) fn measure(by_database: &BTreeMap<String, Vec<Case>>) -> Result<(), Box<dyn Error>> {
    let analyzer = Analyzer::default();
    let embedder = HashEmbedder::default();
    let mut by_words = [Count::default(); STEPS.len()];
    let mut by_vectors = [Count::default(); STEPS.len()];
    let mut by_either = [Count::default(); STEPS.len()];
    let (mut shown, mut asked, mut without, mut served, mut servable) =
        (Count::default(), 0_usize, 0_usize, 0_usize, 0_usize);
    for cases in by_database.values() {
        for (place, case) in cases.iter().enumerate() {
            let Some(gold) = case.gold.first() else {
                continue;
            };
            // A paraphrase of the question would be found by any measure.
            let chosen = cases.iter().enumerate().filter(|(other, _)| {
                other % EVERY == place % EVERY || (other + 3) % EVERY == place % EVERY
            });
            let store: Vec<Example> = chosen
                .filter_map(|(number, other)| {
                    let sql = other.gold.first().filter(|sql| *sql != gold)?;
                    Some(Example {
                        id: u32::try_from(number).unwrap_or_default() + 1,
                        question: other.question.clone(),
                        sql: sql.clone(),
                        verified_by: String::new(),
                    })
                })
                .collect();
            if store.is_empty() {
                continue;
            }
            let is_useful = |example: &Example| {
                skeleton(&example.sql) == skeleton(gold) || tables(&example.sql) == tables(gold)
            };
            let terms = analyzer.question_terms(&case.question);
            let own = vector(&embedder, &case.question)?;
            let mut index = MemoryIndex::new(Analyzer::default());
            for example in &store {
                let words = few_shot_examples::likeness(
                    &terms,
                    &analyzer.question_terms(&example.question),
                );
                let vectors = cosine(&own, &vector(&embedder, &example.question)?);
                let useful = is_useful(example);
                let counts = by_words.iter_mut().zip(&mut by_vectors).zip(&mut by_either);
                for (step, ((words_at, vectors_at), either_at)) in STEPS.iter().zip(counts) {
                    if words >= *step {
                        words_at.add(useful);
                    }
                    if vectors >= *step {
                        vectors_at.add(useful);
                    }
                    if words >= *step || vectors >= *step {
                        either_at.add(useful);
                    }
                }
                index.add_example(example.clone(), Some(&embedder))?;
            }
            let totals = index.state()?.unwrap_or_default().examples;
            let found = few_shot_examples::select(
                &index,
                &totals,
                Some(&embedder),
                &analyzer,
                &Understanding::of(&case.question, TODAY),
                &HashSet::new(),
            )?;
            asked += 1;
            without += usize::from(found.is_empty());
            servable += usize::from(store.iter().any(is_useful));
            served += usize::from(found.iter().any(is_useful));
            for example in &found {
                shown.add(is_useful(example));
            }
        }
    }
    for (name, counts) in [
        ("words in common", by_words),
        ("vectors of hash", by_vectors),
        ("either", by_either),
    ] {
        println!(
            "{name:<18}{:>18}{:>18}{:>12}",
            "useful kept", "useless kept", "useful"
        );
        let all = counts.first().copied().unwrap_or_default();
        for (step, count) in STEPS.iter().zip(counts) {
            println!(
                "  at least {step:<7.2}{}{}{}",
                share(count.useful, all.useful),
                share(count.useless, all.useless),
                share(count.useful, count.useful + count.useless)
            );
        }
    }
    println!("{asked} questions; {without} of them get no example");
    println!(
        "examples shown: {} useful, {} useless ({} useful); a useful one is shown to {served} of {servable} questions that have one",
        shown.useful,
        shown.useless,
        share(shown.useful, shown.useful + shown.useless).trim()
    );
    Ok(())
}

fn share(part: usize, whole: usize) -> String {
    format!("{:>16.1} %", 100.0 * part as f64 / whole.max(1) as f64)
}

fn vector(embedder: &HashEmbedder, text: &str) -> Result<Vec<f32>, Box<dyn Error>> {
    let vectors = embedder.embed(&[text], Purpose::Question)?;
    Ok(vectors.into_iter().next().unwrap_or_default())
}

fn cosine(one: &[f32], other: &[f32]) -> f64 {
    let product: f32 = one.iter().zip(other).map(|(a, b)| a * b).sum();
    f64::from(product)
}

/// The names after FROM and JOIN.
fn tables(sql: &str) -> BTreeSet<String> {
    let words: Vec<String> = sql
        .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | ';'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words
        .windows(2)
        .filter_map(|pair| match pair {
            [keyword, name] if keyword == "from" || keyword == "join" => Some(name.clone()),
            _ => None,
        })
        .collect()
}
