//! Selects verified examples for the prompt: those whose question is similar, and those whose SQL has
//! the same skeleton as the most similar ones.

use std::collections::HashSet;
use text2sql_domain::ports::search_index::Example;

use crate::lexical::bm25::{idf, saturation};
use crate::lexical::term_matches::{Matches, Overlay};
use crate::ranking::rank_fusion::{Leg, Ranked, fuse};
use crate::sql_skeleton::skeleton;
use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::{Collection, DESCRIPTION, NAME, SearchIndex, Totals};
use text2sql_domain::ports::{Embedder, Purpose};
use text2sql_language::terms::Analyzer;
use text2sql_language::understanding::Understanding;

/// Maximum number of examples in a prompt. More of them help less than they cost.
pub const MAX_EXAMPLES: usize = 5;

/// Maximum number of examples with the same skeleton: repetition adds nothing.
const MAX_OF_ONE_SHAPE: usize = 2;

/// How many of the best are read at once, until enough similar ones are found.
const MAX_LOOKED_AT: usize = 4 * MAX_EXAMPLES;

/// Minimum share of common words, of the example or of the question. An
/// example below it is shown only if its question's vector is near ([`Embedder::least_similarity`]).
///
/// Measured on 1,469 practice questions with some twenty examples each, an example being useful when its
/// query reads the same tables or has the same shape (`builtin_practice QUESTIONS.jsonl --examples`): with
/// 0.2, and 0.25 for the vectors of `hash`, 15 % of the useless examples are no longer shown, 3.0 % of the
/// useful ones are lost, and 1.4 % of the questions lose their last useful one.
const MIN_COMMON: f64 = 0.2;

/// Depth of each leg, and how many are read at once until enough are readable.
const DEPTH: usize = 200;
const BATCH: usize = 20;

/// The weight of the skeleton's ranks, relative to those of the meaning.
const SHAPE_WEIGHT: f64 = 0.5;

/// The words of a question, by which it is the same in any punctuation and case.
fn words(question: &str) -> Vec<String> {
    let words = question.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Removes examples of a question for which there is a newer one: the later verification may correct it.
pub fn leave_out_superseded(examples: &mut Vec<Example>) {
    let all: Vec<(u32, Vec<String>)> = examples
        .iter()
        .map(|example| (example.id, words(&example.question)))
        .collect();
    examples.retain(|example| {
        let own = words(&example.question);
        !all.iter()
            .any(|(id, other)| *id > example.id && *other == own)
    });
}

/// Selects the examples for a question, best first: similar ones, and those whose SQL has exactly the
/// skeleton of the most similar one. Those of the IDs `hidden` take no place.
pub fn select(
    index: &dyn SearchIndex,
    totals: &Totals,
    embedder: Option<&dyn Embedder>,
    analyzer: &Analyzer,
    understanding: &Understanding,
    hidden: &HashSet<u32>,
) -> Result<Vec<Example>, Error> {
    if totals.items == 0 {
        return Ok(Vec::new());
    }
    let asked = understanding.terms(analyzer);
    let mut legs = vec![leg(index, totals, &asked, NAME)?];
    let mut near_by_vectors: HashSet<u32> = HashSet::new();
    if let Some(embedder) = embedder {
        let vectors = embedder.embed(&[understanding.text()], Purpose::Question)?;
        let vector = vectors.first().map(Vec::as_slice).unwrap_or_default();
        let near = index.nearest(Collection::Examples, vector, DEPTH)?;
        let of_questions = near.iter().filter(|near| near.unit == NAME);
        let least = embedder.least_similarity();
        near_by_vectors = of_questions
            .clone()
            .filter(|near| near.similarity >= least)
            .map(|near| near.item)
            .collect();
        legs.push(Ranked {
            leg: Leg::Vectors,
            weight: embedder.weight(),
            items: of_questions
                .map(|near| (near.item, f64::from(near.similarity)))
                .collect(),
        });
    }
    let is_near = |example: &Example| {
        near_by_vectors.contains(&example.id)
            || likeness(&asked, &analyzer.question_terms(&example.question)) >= MIN_COMMON
    };
    let ranked = |legs: &[Ranked]| -> Vec<u32> {
        let items = fuse(legs).into_iter().map(|entry| entry.item);
        items.filter(|item| !hidden.contains(item)).collect()
    };
    let by_meaning = ranked(&legs);
    let mut nearest = None;
    for example in visible(index, &by_meaning, MAX_LOOKED_AT)? {
        if nearest.is_none() && is_near(&example) && index.accepts(&example)? {
            nearest = Some(example);
        }
    }
    let Some(nearest) = nearest else {
        return Ok(Vec::new());
    };
    let nearest_shape = skeleton(&nearest.sql);
    let mut shape = leg(
        index,
        totals,
        &distinct(analyzer.terms(&nearest_shape)),
        DESCRIPTION,
    )?;
    shape.weight = SHAPE_WEIGHT;
    legs.push(shape);
    let fused = ranked(&legs);
    let mut chosen: Vec<(Example, String)> = Vec::new();
    for example in visible(index, &fused, MAX_LOOKED_AT)? {
        let shape = skeleton(&example.sql);
        let alike = chosen.iter().filter(|(_, known)| *known == shape).count();
        let has_room = alike < MAX_OF_ONE_SHAPE && chosen.len() < MAX_EXAMPLES;
        if !is_near(&example) && shape != nearest_shape {
            continue;
        }
        if has_room && index.accepts(&example)? {
            chosen.push((example, shape));
        }
    }
    Ok(chosen.into_iter().map(|(example, _)| example).collect())
}

/// Maximum number of unindexed examples that are read: more of them need a `refresh()`.
const MAX_UNINDEXED: usize = 200;

/// Minimum share of common words for an example to come before those that the index found.
const NEAR: f64 = 0.5;

/// The similarity of two questions by their terms ([`Analyzer::question_terms`]): the common terms as a
/// share of the longer question.
pub fn likeness(one: &[String], other: &[String]) -> f64 {
    let common = other.iter().filter(|term| one.contains(term)).count();
    common as f64 / one.len().max(other.len()).max(1) as f64
}

/// Merges unindexed examples into those from the index: first those of this very question, then by the words in common
/// with it, best first. Only those that the server still accepts and whose IDs are not `hidden`.
pub fn with_unindexed(
    index: &dyn SearchIndex,
    analyzer: &Analyzer,
    understanding: &Understanding,
    indexed: Vec<Example>,
    hidden: &HashSet<u32>,
) -> Result<Vec<Example>, Error> {
    let unindexed = index.unindexed_examples(MAX_UNINDEXED)?;
    if unindexed.is_empty() {
        return Ok(indexed);
    }
    let asked = understanding.terms(analyzer);
    let own_words = words(understanding.text());
    let is_other = |example: &Example| words(&example.question) != own_words;
    let mut alike: Vec<(bool, f64, Example)> = unindexed
        .into_iter()
        .filter(|example| {
            !hidden.contains(&example.id) && indexed.iter().all(|known| known.id != example.id)
        })
        .map(|example| {
            let own = analyzer.question_terms(&example.question);
            (is_other(&example), likeness(&asked, &own), example)
        })
        .filter(|(is_other, likeness, _)| !is_other || *likeness >= MIN_COMMON)
        .collect();
    alike.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let mut accepted: Vec<(bool, f64, Example)> = Vec::new();
    for entry in alike {
        if accepted.len() < MAX_EXAMPLES && index.accepts(&entry.2)? {
            accepted.push(entry);
        }
    }
    let place = accepted.partition_point(|(is_other, likeness, _)| !is_other || *likeness >= NEAR);
    let mut examples: Vec<Example> = accepted
        .into_iter()
        .map(|(_, _, example)| example)
        .collect();
    examples.splice(place..place, indexed);
    examples.sort_by_key(is_other);
    examples.truncate(MAX_EXAMPLES);
    Ok(examples)
}

/// Examples whose SQL has a skeleton similar to that of `sql`, best first: found by the words of the
/// skeleton and, with an embedder, by its vector.
pub fn of_shape(
    index: &dyn SearchIndex,
    totals: &Totals,
    embedder: Option<&dyn Embedder>,
    analyzer: &Analyzer,
    sql: &str,
) -> Result<Vec<Example>, Error> {
    let shape = skeleton(sql);
    if totals.items == 0 || shape.is_empty() {
        return Ok(Vec::new());
    }
    let terms = distinct(analyzer.terms(&shape));
    let mut legs = vec![leg(index, totals, &terms, DESCRIPTION)?];
    if let Some(embedder) = embedder {
        let vectors = embedder.embed(&[shape.as_str()], Purpose::Document)?;
        let vector = vectors.first().map(Vec::as_slice).unwrap_or_default();
        let near = index.nearest(Collection::Examples, vector, DEPTH)?;
        let of_shapes = near.iter().filter(|near| near.unit == DESCRIPTION);
        legs.push(Ranked {
            leg: Leg::Vectors,
            weight: embedder.weight(),
            items: of_shapes
                .map(|near| (near.item, f64::from(near.similarity)))
                .collect(),
        });
    }
    let fused: Vec<u32> = fuse(&legs).iter().map(|entry| entry.item).collect();
    visible(index, &fused, DEPTH)
}

/// The first `limit` of the examples that the caller may read.
fn visible(index: &dyn SearchIndex, ids: &[u32], limit: usize) -> Result<Vec<Example>, Error> {
    let mut seen: Vec<Example> = Vec::new();
    for batch in ids.chunks(BATCH) {
        let mut read = index.examples(batch)?;
        read.sort_by_key(|example| batch.iter().position(|id| *id == example.id));
        seen.extend(read);
        if seen.len() >= limit {
            break;
        }
    }
    seen.truncate(limit);
    Ok(seen)
}

/// BM25 over one unit of the examples.
fn leg(
    index: &dyn SearchIndex,
    totals: &Totals,
    terms: &[String],
    unit: i16,
) -> Result<Ranked, Error> {
    let matches = Matches::read(
        index,
        Collection::Examples,
        totals.items,
        terms,
        &Overlay::default(),
    )?;
    // Both units of an example are one item; half of its terms approximates the length of a unit.
    let average = totals.item_terms as f64 / totals.items.max(1) as f64 / 2.0;
    let mut items: Vec<(u32, f64)> = Vec::new();
    for entries in matches.items() {
        let Some(item) = entries.first().map(|entry| entry.item) else {
            continue;
        };
        let mut score = 0.0;
        for entry in entries {
            for hit in matches.hits(entry).iter().filter(|hit| hit.unit == unit) {
                let weight = idf(totals.items, matches.item_count(entry.term));
                score += weight * saturation(f64::from(hit.count), f64::from(hit.length), average);
            }
        }
        if score > 0.0 {
            items.push((item, score));
        }
    }
    items.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    items.truncate(DEPTH);
    Ok(Ranked {
        leg: Leg::Tables,
        weight: 1.0,
        items,
    })
}

fn distinct(mut terms: Vec<String>) -> Vec<String> {
    terms.sort_unstable();
    terms.dedup();
    terms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::hash_embedder::HashEmbedder;
    use port_contracts::memory_index::MemoryIndex;

    fn selected(examples: &[(&str, &str)], question: &str) -> Vec<u32> {
        selected_without(examples, question, &[])
    }

    fn selected_without(examples: &[(&str, &str)], question: &str, hidden: &[u32]) -> Vec<u32> {
        let embedder = HashEmbedder::default();
        let mut index = MemoryIndex::new(Analyzer::default());
        for (id, (question, sql)) in (1..).zip(examples) {
            let example = Example {
                id,
                question: (*question).into(),
                sql: (*sql).into(),
                verified_by: String::new(),
            };
            index.add_example(example, Some(&embedder)).unwrap();
        }
        let totals = index.state().unwrap().unwrap().examples;
        let analyzer = Analyzer::default();
        let asked = Understanding::of(question, "2026-11-21");
        let hidden = hidden.iter().copied().collect();
        let found = select(&index, &totals, Some(&embedder), &analyzer, &asked, &hidden).unwrap();
        found.iter().map(|example| example.id).collect()
    }

    #[test]
    fn near_questions_come_first_and_like_shapes_follow() {
        let examples = [
            (
                "How many invoices per country?",
                "SELECT country, count(*) FROM invoice GROUP BY 1",
            ),
            (
                "Which tracks are long?",
                "SELECT name FROM track WHERE ms > 300000",
            ),
            (
                "Number of staff in each town",
                "SELECT town, count(*) FROM employee GROUP BY 1",
            ),
            ("Titles of albums", "SELECT title FROM album"),
        ];
        let found = selected(&examples, "How many invoices does each country have?");
        assert_eq!(found, [1, 3]);
    }

    #[test]
    fn unrelated_examples_are_not_selected() {
        let examples = [
            (
                "Revenue by category",
                "SELECT category, sum(total) FROM sale GROUP BY 1",
            ),
            (
                "Titles of albums in alphabetical order",
                "SELECT title FROM album ORDER BY 1",
            ),
        ];
        assert!(selected(&examples, "How many employees live in Graz?").is_empty());
        let near = (
            "How many employees are there in Linz?",
            "SELECT count(*) FROM employee WHERE town = 'Linz'",
        );
        let examples = [examples[0], near, examples[1]];
        assert_eq!(selected(&examples, "How many employees live in Graz?"), [2]);
    }

    #[test]
    fn hidden_examples_leave_their_places_to_others() {
        let examples: Vec<(String, String)> = (0..12)
            .map(|n| {
                let question = format!("How many orders in {}?", 2010 + n);
                (question, format!("SELECT count(*), {n} + a{n} FROM orders"))
            })
            .collect();
        let examples: Vec<(&str, &str)> = examples
            .iter()
            .map(|(question, sql)| (question.as_str(), sql.as_str()))
            .collect();
        let question = "How many orders in 2015?";
        let all = selected(&examples, question);
        let without = selected_without(&examples, question, &all);
        assert!(!all.is_empty() && without.len() == all.len(), "{without:?}");
        assert!(without.iter().all(|id| !all.contains(id)));
    }

    #[test]
    fn an_example_of_the_very_question_stays_beside_new_ones_that_are_nearly_it() {
        let example = |id, question: &str| Example {
            id,
            question: question.to_owned(),
            sql: "SELECT count(*) FROM orders".to_owned(),
            verified_by: String::new(),
        };
        let new: Vec<Example> = (10..16)
            .map(|id| example(id, &format!("How many open orders are there in {id}?")))
            .collect();
        let (question, same) = (
            "How many open orders are there?",
            "how many open  orders are there",
        );
        let merged = |indexed: Vec<Example>, unindexed: &[Example]| {
            let mut index = MemoryIndex::new(Analyzer::default());
            for example in unindexed {
                index.add_unindexed_example(example.clone());
            }
            let asked = Understanding::of(question, "2026-11-21");
            let analyzer = Analyzer::default();
            let all = with_unindexed(&index, &analyzer, &asked, indexed, &HashSet::new()).unwrap();
            let ids: Vec<u32> = all.iter().map(|example| example.id).collect();
            ids
        };
        let indexed = vec![example(2, "Orders by year"), example(1, same)];
        assert_eq!(merged(indexed.clone(), &new), [1, 10, 11, 12, 13]);
        assert_eq!(merged(indexed.clone(), &new[..1]), [1, 10, 2]);
        let mut newest = new.clone();
        newest.push(example(20, same));
        assert_eq!(merged(indexed, &newest), [20, 1, 10, 11, 12]);
        assert_eq!(merged(Vec::new(), &newest), [20, 10, 11, 12, 13]);
    }

    #[test]
    fn shapes_are_found_by_the_sql_alone() {
        let embedder = HashEmbedder::default();
        let mut index = MemoryIndex::new(Analyzer::default());
        let sqls = [
            "SELECT title FROM album",
            "SELECT town, count(*) FROM employee GROUP BY 1",
        ];
        for (id, sql) in (1..).zip(sqls) {
            let example = Example {
                id,
                sql: sql.into(),
                ..Example::default()
            };
            index.add_example(example, Some(&embedder)).unwrap();
        }
        let totals = index.state().unwrap().unwrap().examples;
        let sql = "SELECT country, count(*) FROM invoice GROUP BY country";
        for embedder in [Some(&embedder as &dyn Embedder), None] {
            let found = of_shape(&index, &totals, embedder, &Analyzer::default(), sql).unwrap();
            assert_eq!(found.first().map(|example| example.id), Some(2));
        }
    }

    #[test]
    fn one_shape_does_not_fill_the_prompt() {
        let same = (
            "How many orders in 2024?",
            "SELECT count(*) FROM orders WHERE y = 2024",
        );
        let mut examples = vec![same; 8];
        examples.push(("List orders", "SELECT * FROM orders"));
        let found = selected(&examples, "How many orders in 2025?");
        assert_eq!(found.len(), 3);
        assert!(found.contains(&9));
        assert!(selected(&[], "How many orders?").is_empty());
    }
}
