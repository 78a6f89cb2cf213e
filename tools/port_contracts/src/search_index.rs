//! The contract of [`SearchIndex`].
//!
//! Its test double is [`MemoryIndex`](crate::memory_index::MemoryIndex).

use std::collections::BTreeSet;

use super::world::World;
use text2sql_domain::ports::search_index::{Collection, DESCRIPTION, NAME, Near, SearchIndex};
use text2sql_domain::ports::{Embedder, Purpose, is_embedded};
use text2sql_language::terms::Analyzer;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::values::Phrases;
use text2sql_retrieval::vectors::hash_embedder::HashEmbedder;

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// What any search index built with the embedder `hash` must do when called by `contract_caller`.
pub fn search_index(index: &dyn SearchIndex, world: &World) {
    state_and_postings(index);
    vectors(index, world);
    catalog_words(index);
    tables(index, world);
    curated(index, world);
    values(index, world);
}

fn state_and_postings(index: &dyn SearchIndex) {
    let state = index.state().expect("state").expect("an index");
    assert!(!state.embedder.is_empty() && state.dimensions > 0);
    assert_eq!((state.definitions.items, state.examples.items), (2, 3));
    assert!(state.schema.items >= 6, "the readable tables at least");

    let analyzer = Analyzer::new(&state.language);
    let region = analyzer.stem("regions");
    let find = |terms: &[&str]| {
        index
            .postings(Collection::Schema, &words(terms))
            .expect("postings")
    };
    assert!(find(&[]).is_empty() && find(&["nothinglikeit"]).is_empty());
    let found = find(&["nothinglikeit", &region]);
    assert!(
        !found.is_empty() && found.iter().all(|segment| segment.term == 1),
        "the term's place in the call"
    );
    assert!(
        find(&[&region.to_uppercase()]).is_empty(),
        "terms are stems, in lower case"
    );
    let twice = find(&[&region, &region]);
    assert!(
        twice.iter().all(|segment| segment.term == 0),
        "of equal terms the first"
    );
    assert_eq!(twice.len(), find(&[&region]).len());
    let great = analyzer.terms("Größen");
    assert!(
        !index
            .postings(Collection::Schema, &great)
            .expect("postings")
            .is_empty(),
        "{great:?}"
    );
    // A collection returns only its own items.
    let payroll = [analyzer.stem("payroll")];
    assert!(
        index
            .postings(Collection::Schema, &payroll)
            .expect("postings")
            .is_empty()
    );
    assert!(
        !index
            .postings(Collection::Definitions, &payroll)
            .expect("postings")
            .is_empty()
    );
}

fn catalog_words(index: &dyn SearchIndex) {
    let similar = index
        .similar_words(&words(&["regiones", "zzzz"]), 3)
        .expect("similar words");
    assert_eq!(similar.len(), 2, "a list for each word");
    assert!(
        similar[0].len() <= 3 && similar[1].is_empty(),
        "{similar:?}"
    );
    assert!(
        similar[0]
            .iter()
            .any(|near| near.word.starts_with("region")),
        "{similar:?}"
    );
    assert!(similar[0].is_sorted_by(|one, other| one.similarity >= other.similarity));
    // The vectors of `hash` know no meaning: words have none.
    let near = index.near_words(&[vec![0.5; 3]], 3).expect("near words");
    assert_eq!(near, [Vec::new()]);
}

fn vectors(index: &dyn SearchIndex, world: &World) {
    let language = index.state().expect("state").expect("an index").language;
    let embedder = HashEmbedder::new(Analyzer::new(&language));
    let vector = |text: &str| {
        let vectors = embedder
            .embed(&[text], Purpose::Question)
            .expect("a vector");
        vectors.into_iter().next().unwrap_or_default()
    };
    let near = |collection, text: &str, limit| {
        index
            .nearest(collection, &vector(text), limit)
            .expect("nearest")
    };
    let all = [
        Collection::Schema,
        Collection::Definitions,
        Collection::Examples,
    ];
    for collection in all {
        let found = near(collection, "names of regions", 100);
        let is_sorted = found.is_sorted_by(|one, other| one.similarity >= other.similarity);
        assert!(is_sorted, "best first: {found:?}");
        let in_range = |near: &Near| (-1.001..=1.001).contains(&near.similarity);
        assert!(found.iter().all(in_range), "cosines: {found:?}");
        assert!(
            found
                .iter()
                .all(|near| is_embedded(&embedder, collection, near.unit)),
            "only what the rule embeds: {found:?}"
        );
        let units: BTreeSet<(u32, i16)> = found.iter().map(|near| (near.item, near.unit)).collect();
        assert_eq!(units.len(), found.len(), "each unit once");
        assert_eq!(
            near(collection, "names of regions", 100),
            found,
            "the same each time"
        );
        assert_eq!(
            near(collection, "names of regions", 2),
            found[..found.len().min(2)],
            "a limit takes the best"
        );
        assert!(
            near(collection, "names of regions", 0).is_empty(),
            "a limit of 0"
        );
        for odd in [Vec::new(), vec![1.0]] {
            let found = index.nearest(collection, &odd, 10).expect("nearest");
            assert!(
                found.is_empty(),
                "nothing is near a vector of another length"
            );
        }
    }
    // Both halves of each example; tables only if readable.
    let examples = near(Collection::Examples, "names of regions", 100);
    for example in &world.examples {
        for unit in [NAME, DESCRIPTION] {
            assert!(
                examples
                    .iter()
                    .any(|near| (near.item, near.unit) == (*example, unit)),
                "{example} {unit}"
            );
        }
    }
    assert_eq!(
        examples.first().map(|near| near.item),
        world.examples.get(1).copied()
    );
    let tables = near(Collection::Schema, "wages of clients", 100);
    assert_eq!(tables.len(), 6, "each readable table: {tables:?}");
    assert!(tables.iter().all(|near| near.item != world.table("wages")));
}

fn tables(index: &dyn SearchIndex, world: &World) {
    let oid = |name: &str| world.table(name);
    let readable = index
        .readable(&[oid("sales"), oid("wages"), 0, oid("Größen")])
        .expect("readable");
    let mut found: Vec<u32> = readable.iter().map(|one| one.table).collect();
    found.sort_unstable();
    let mut expected = [oid("sales"), oid("Größen")];
    expected.sort_unstable();
    assert_eq!(
        found, expected,
        "neither what may not be read nor what is not there"
    );
    assert!(
        readable.iter().all(|one| one.columns.is_none()),
        "all columns"
    );
    assert!(index.readable(&[]).expect("readable").is_empty());

    let joins = |tables: &[u32], most| index.joins(tables, most).expect("joins");
    let of_sales = joins(&[oid("sales")], 100);
    assert_eq!(of_sales.len(), 2, "{of_sales:?}");
    let both_ends = joins(&[oid("sales"), oid("regions"), oid("clients")], 100);
    assert_eq!(
        both_ends.len(),
        3,
        "each once, found from either end: {both_ends:?}"
    );
    assert!(
        both_ends.iter().all(|join| join.from != oid("wages")),
        "none of what may not be read"
    );
    assert!(joins(&[], 100).is_empty() && joins(&[0, oid("Größen")], 100).is_empty());

    let bridges = |tables: &[u32], most| index.bridges(tables, most).expect("bridges");
    let between = bridges(&[oid("regions"), oid("clients")], 10);
    assert_eq!(
        between,
        [oid("sales")],
        "and not wages, which joins both as well"
    );
    assert!(
        bridges(&[oid("regions")], 10).is_empty(),
        "one table has nothing between"
    );
    assert!(
        bridges(&[], 10).is_empty() && bridges(&[oid("regions"), oid("clients")], 0).is_empty()
    );

    let siblings = |tables: &[u32], most| index.siblings(tables, most).expect("siblings");
    let of_visits = siblings(&[oid("visits_2023")], 10);
    let members: BTreeSet<(u32, &str)> = of_visits
        .iter()
        .map(|one| (one.table, one.part.as_str()))
        .collect();
    let expected = BTreeSet::from([(oid("visits_2023"), "2023"), (oid("visits_2024"), "2024")]);
    assert_eq!(members, expected, "itself included: {of_visits:?}");
    assert!(of_visits.iter().all(|one| one.of == oid("visits_2023")));
    assert_eq!(
        siblings(&[oid("visits_2023")], 1).len(),
        1,
        "at most so many of a key"
    );
    assert!(siblings(&[oid("regions"), 0], 10).is_empty() && siblings(&[], 10).is_empty());
}

fn curated(index: &dyn SearchIndex, world: &World) {
    let definitions = |ids: &[u32]| index.definitions(ids).expect("definitions");
    let found = definitions(&world.definitions);
    let terms: Vec<&str> = found.iter().map(|(_, one)| one.term.as_str()).collect();
    assert_eq!(terms, ["net sales"], "what is over wages is left out");
    assert_eq!(found[0].1.applies_to, Some(world.table("sales")));
    assert!(definitions(&[]).is_empty() && definitions(&[u32::from(u16::MAX)]).is_empty());

    let examples = |ids: &[u32]| index.examples(ids).expect("examples");
    let mut found: Vec<String> = examples(&world.examples)
        .into_iter()
        .map(|one| one.question)
        .collect();
    found.sort_unstable();
    assert_eq!(
        found,
        ["How many sales are there?", "Names of regions"],
        "what reads wages is left out"
    );
    assert!(examples(&[]).is_empty() && examples(&[u32::from(u16::MAX)]).is_empty());
    // Some of them may be in the index already: callers that read both skip those.
    for example in index.unindexed_examples(10).expect("unindexed") {
        assert!(found.contains(&example.question), "{}", example.question);
    }
    for example in examples(&world.examples) {
        assert!(index.accepts(&example).expect("accepts"), "{}", example.sql);
    }
}

fn values(index: &dyn SearchIndex, world: &World) {
    let language = index.state().expect("state").expect("an index").language;
    let analyzer = Analyzer::new(&language);
    let find = |question: &str, most| {
        let hits = index
            .values(
                &Phrases::of(&Understanding::of(question, "2026-11-21"), &analyzer).wanted,
                most,
            )
            .expect("values");
        hits.into_iter()
            .map(|hit| (hit.table, hit.value, hit.similarity))
            .collect::<Vec<_>>()
    };
    assert!(index.values(&[], 5).expect("values").is_empty());
    for question in [
        "sales in Österreich",
        "sales in österreich",
        "sales in OSTERREICH",
    ] {
        let found = find(question, 5);
        let expected = (world.table("regions"), "Österreich".to_owned(), 1.0);
        assert!(found.contains(&expected), "{question}: {found:?}");
    }
    assert!(find("sales in Portugal", 5).is_empty());
    assert!(find("sales in Österreich", 0).is_empty(), "a limit of 0");
    let regions = world.table("regions");
    let known = |value: &str| index.value_of(regions, 2, value).expect("value_of");
    assert!(known("Österreich").is_some_and(|known| known.occurs && known.nearest.is_empty()));
    let misspelt = known("Osterreich").expect("the values are known");
    assert_eq!(
        (
            misspelt.occurs,
            misspelt.nearest.first().map(String::as_str)
        ),
        (false, Some("Österreich"))
    );
    assert!(
        index.value_of(0, 1, "x").expect("value_of").is_none(),
        "a column that is not there"
    );
}
