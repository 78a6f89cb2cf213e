//! Verified examples that a model may learn from: those whose question is near to the one asked, and
//! those whose SQL has the shape that the nearest ones have.

use std::collections::HashSet;

use super::bm25::{idf, saturation};
use super::document::Totals;
use super::embed::{Embedder, Purpose};
use super::fuse::{Leg, Ranked, fuse};
use super::index::{Collection, SearchIndex};
use super::matches::{Matches, Overlay};
use super::postings::{DESCRIPTION, NAME};
use super::skeleton::skeleton;
use super::words::Analyzer;
use crate::error::Error;

/// Most examples in a prompt. More of them help less than they cost.
pub const MOST_EXAMPLES: usize = 5;

/// Most examples of one shape: five times the same teaches once.
const MOST_OF_ONE_SHAPE: usize = 2;

/// How far down each leg goes, and how many are read at once until enough may be seen.
const DEPTH: usize = 200;
const BATCH: usize = 20;

/// What the shape's ranks weigh beside the meaning's.
const SHAPE_WEIGHT: f64 = 0.5;

/// A verified pair of question and SQL.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Example {
    /// Its id.
    pub id: u32,
    /// The question as it was asked.
    pub question: String,
    /// The SQL that answers it.
    pub sql: String,
    /// Who says that it does.
    pub verified_by: String,
}

/// Selects the examples for a question, best first.
pub fn select(
    index: &dyn SearchIndex,
    totals: &Totals,
    embedder: Option<&dyn Embedder>,
    analyzer: &Analyzer,
    question: &str,
) -> Result<Vec<Example>, Error> {
    if totals.items == 0 {
        return Ok(Vec::new());
    }
    let mut legs = vec![leg(
        index,
        totals,
        &analyzer.question_terms(question),
        NAME,
    )?];
    if let Some(embedder) = embedder {
        let vectors = embedder.embed(&[question], Purpose::Question)?;
        let vector = vectors.first().map(Vec::as_slice).unwrap_or_default();
        let near = index.nearest(Collection::Examples, vector, DEPTH)?;
        let of_questions = near.iter().filter(|near| near.unit == NAME);
        legs.push(Ranked {
            leg: Leg::Vectors,
            weight: embedder.weight(),
            items: of_questions
                .map(|near| (near.item, f64::from(near.similarity)))
                .collect(),
        });
    }
    let by_meaning: Vec<u32> = fuse(&legs).iter().map(|entry| entry.item).collect();
    let mut nearest = None;
    for example in visible(index, &by_meaning, MOST_EXAMPLES)? {
        if nearest.is_none() && index.accepts(&example)? {
            nearest = Some(example);
        }
    }
    let Some(nearest) = nearest else {
        return Ok(Vec::new());
    };
    let mut shape = leg(
        index,
        totals,
        &distinct(analyzer.terms(&skeleton(&nearest.sql))),
        DESCRIPTION,
    )?;
    shape.weight = SHAPE_WEIGHT;
    legs.push(shape);
    let fused: Vec<u32> = fuse(&legs).iter().map(|entry| entry.item).collect();
    let mut chosen: Vec<(Example, String)> = Vec::new();
    for example in visible(index, &fused, 4 * MOST_EXAMPLES)? {
        let shape = skeleton(&example.sql);
        let alike = chosen.iter().filter(|(_, known)| *known == shape).count();
        let has_room = alike < MOST_OF_ONE_SHAPE && chosen.len() < MOST_EXAMPLES;
        if has_room && index.accepts(&example)? {
            chosen.push((example, shape));
        }
    }
    Ok(chosen.into_iter().map(|(example, _)| example).collect())
}

/// Most examples read that no index holds: a store that is larger is worth a `refresh()`.
const MOST_UNINDEXED: usize = 200;

/// Least share of its words that an example has in common with the question, or the other way round.
const LEAST_COMMON: f64 = 0.25;

/// Puts examples that the index does not hold among those that it gave: by the words that they have
/// in common with the question, best first.
pub fn with_unindexed(
    index: &dyn SearchIndex,
    analyzer: &Analyzer,
    question: &str,
    indexed: Vec<Example>,
) -> Result<Vec<Example>, Error> {
    let unindexed = index.unindexed_examples(MOST_UNINDEXED)?;
    if unindexed.is_empty() {
        return Ok(indexed);
    }
    let asked = analyzer.question_terms(question);
    let likeness = |example: &Example| {
        let own = analyzer.question_terms(&example.question);
        let common = own.iter().filter(|term| asked.contains(term)).count();
        common as f64 / own.len().max(asked.len()).max(1) as f64
    };
    let mut all: Vec<(f64, Example)> = unindexed
        .into_iter()
        .map(|example| (likeness(&example), example))
        .filter(|(likeness, _)| *likeness >= LEAST_COMMON)
        .collect();
    let accepted: HashSet<u32> = indexed.iter().map(|example| example.id).collect();
    let is_new = |known: &Example| all.iter().all(|(_, example)| example.id != known.id);
    let indexed: Vec<Example> = indexed.into_iter().filter(is_new).collect();
    all.extend(
        indexed
            .into_iter()
            .map(|example| (likeness(&example), example)),
    );
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut chosen = Vec::new();
    for (_, example) in all {
        if chosen.len() == MOST_EXAMPLES {
            break;
        }
        if accepted.contains(&example.id) || index.accepts(&example)? {
            chosen.push(example);
        }
    }
    Ok(chosen)
}

/// Examples whose SQL has a shape like that of `sql`, best first: found by the words of its skeleton
/// and, with an embedder, by the skeleton's vector.
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

/// The first `most` of the examples that the caller may see.
fn visible(index: &dyn SearchIndex, ids: &[u32], most: usize) -> Result<Vec<Example>, Error> {
    let mut seen: Vec<Example> = Vec::new();
    for batch in ids.chunks(BATCH) {
        let mut read = index.examples(batch)?;
        read.sort_by_key(|example| batch.iter().position(|id| *id == example.id));
        seen.extend(read);
        if seen.len() >= most {
            break;
        }
    }
    seen.truncate(most);
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
    // Both units of an example are one item; half of its terms is near enough to a unit's length.
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
    use super::super::embed::hash::HashEmbedder;
    use super::super::memory::MemoryIndex;
    use super::*;

    fn selected(examples: &[(&str, &str)], question: &str) -> Vec<u32> {
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
        let found = select(&index, &totals, Some(&embedder), &analyzer, question).unwrap();
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
        assert_eq!(found.first(), Some(&1));
        assert!(found.iter().position(|id| *id == 3) < found.iter().position(|id| *id == 2));
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
