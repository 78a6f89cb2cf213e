//! Definitions that a question may mean though it uses none of their words: "turnover" for "net sales".
//!
//! Definitions whose words occur in the question come from
//! [`Catalog::definitions`](text2sql_domain::ports::Catalog::definitions). Those found here are shown in the prompt
//! as possible meanings only.

use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::{Collection, IndexState, SearchIndex};
use text2sql_domain::ports::{Embedder, Purpose};
use text2sql_domain::schema::Definition;
use text2sql_language::understanding::Understanding;

/// Maximum number in a prompt: each further one is less likely to be meant.
pub const MAX_RELATED: usize = 5;

/// How many of the nearest are read: the caller may not be allowed to read all of them.
const DEPTH: usize = 20;

/// The definitions whose vectors are near the question's, best first. Does nothing if there are no
/// definitions, or if the embedder compares letters only.
pub fn by_vectors(
    index: &dyn SearchIndex,
    state: &IndexState,
    embedder: Option<&dyn Embedder>,
    understanding: &Understanding,
) -> Result<Vec<Definition>, Error> {
    let Some(embedder) = embedder.filter(|embedder| embedder.knows_meaning()) else {
        return Ok(Vec::new());
    };
    if state.definitions.items == 0 {
        return Ok(Vec::new());
    }
    let vectors = embedder.embed(&[understanding.text()], Purpose::Question)?;
    let vector = vectors.first().map(Vec::as_slice).unwrap_or_default();
    let near = index.nearest(Collection::Definitions, vector, DEPTH)?;
    let least = embedder.least_similarity();
    let ids: Vec<u32> = near
        .iter()
        .filter(|near| near.similarity >= least)
        .map(|near| near.item)
        .collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut found = index.definitions(&ids)?;
    found.sort_by_key(|(id, _)| ids.iter().position(|near| near == id));
    Ok(found
        .into_iter()
        .map(|(_, definition)| definition)
        .collect())
}

/// Adds definitions that are neither used nor present already, up to [`MAX_RELATED`].
pub fn add(related: &mut Vec<Definition>, used: &[Definition], found: Vec<Definition>) {
    for definition in found {
        let is_known = |known: &Definition| {
            (&known.term, known.applies_to) == (&definition.term, definition.applies_to)
        };
        if related.len() < MAX_RELATED
            && !used.iter().any(is_known)
            && !related.iter().any(is_known)
        {
            related.push(definition);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::hash_embedder::HashEmbedder;
    use port_contracts::memory_index::MemoryIndex;
    use text2sql_language::terms::Analyzer;

    /// Knows three meanings.
    struct Meanings;

    impl Embedder for Meanings {
        fn name(&self) -> String {
            "meanings".to_owned()
        }
        fn dimensions(&self) -> usize {
            3
        }
        fn embeds_columns(&self) -> bool {
            true
        }
        fn embed(&self, texts: &[&str], _: Purpose) -> Result<Vec<Vec<f32>>, Error> {
            let of = |text: &&str| {
                let text = text.to_lowercase();
                match () {
                    () if text.contains("turnover") || text.contains("net sales") => {
                        vec![1.0, 0.0, 0.0]
                    }
                    () if text.contains("churn") => vec![0.0, 1.0, 0.0],
                    () => vec![0.0, 0.0, 1.0],
                }
            };
            Ok(texts.iter().map(of).collect())
        }
    }

    fn found(embedder: &dyn Embedder, question: &str) -> Vec<String> {
        let mut index = MemoryIndex::new(Analyzer::default());
        for (id, term) in [(1, "churn"), (2, "net sales")] {
            let definition = Definition {
                term: term.to_owned(),
                meaning: "as finance counts".to_owned(),
                ..Definition::default()
            };
            index
                .add_definition(id, definition, Some(embedder))
                .unwrap();
        }
        let state = index.state().unwrap().unwrap();
        let found = by_vectors(
            &index,
            &state,
            Some(embedder),
            &Understanding::of(question, "2026-11-21"),
        )
        .unwrap();
        found
            .into_iter()
            .map(|definition| definition.term)
            .collect()
    }

    #[test]
    fn a_definition_is_found_by_what_it_means() {
        assert_eq!(
            found(&Meanings, "What was the turnover in May?"),
            ["net sales"]
        );
        assert!(found(&Meanings, "How many employees live in Graz?").is_empty());
        // Letters say nothing about meaning.
        assert!(found(&HashEmbedder::default(), "net sales").is_empty());
    }

    #[test]
    fn what_the_question_uses_is_not_related_to_it_as_well() {
        let of = |term: &str| Definition {
            term: term.to_owned(),
            ..Definition::default()
        };
        let mut related = vec![of("churn")];
        let found = ["net sales", "churn", "a", "b", "c", "d", "e"].map(of);
        add(&mut related, &[of("net sales")], found.to_vec());
        let terms: Vec<&str> = related.iter().map(|one| one.term.as_str()).collect();
        assert_eq!(terms, ["churn", "a", "b", "c", "d"]);
    }
}
