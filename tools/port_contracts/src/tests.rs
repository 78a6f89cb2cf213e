//! The test doubles fulfil the contracts.

use std::sync::Arc;

use super::world::{World, tables};
use super::{MemoryCatalog, MemoryPassages, ScriptedDatabase, passages_of_world};
use crate::memory_index::MemoryIndex;
use text2sql_domain::ports::search_index::Example;
use text2sql_domain::schema::Definition;
use text2sql_domain::validate::Rule;
use text2sql_language::terms::Analyzer;
use text2sql_retrieval::vectors::hash_embedder::HashEmbedder;

fn world() -> World {
    World {
        tables: tables(&[]).iter().map(|table| table.oid).collect(),
        definitions: vec![11, 12],
        examples: vec![21, 22, 23],
    }
}

#[test]
fn the_catalog_in_memory() {
    let world = world();
    let mut catalog = MemoryCatalog::new(tables(&[]).into_iter().map(Arc::new).collect());
    catalog.hide(world.table("wages"));
    super::catalog(&catalog, &world);
}

#[test]
fn the_index_in_memory() {
    let world = world();
    let embedder = HashEmbedder::default();
    let mut index = MemoryIndex::new(Analyzer::default());
    index.add_tables(&tables(&[]), Some(&embedder)).unwrap();
    let terms = [
        ("net sales", "what clients paid", "sales"),
        ("payroll", "what is paid out", "wages"),
    ];
    for (id, (term, meaning, table)) in world.definitions.iter().zip(terms) {
        let definition = Definition {
            term: term.to_owned(),
            meaning: meaning.to_owned(),
            sql_expression: Some("sum(amount)".to_owned()),
            applies_to: Some(world.table(table)),
            ..Definition::default()
        };
        index
            .add_definition(*id, definition, Some(&embedder))
            .unwrap();
    }
    let pairs = [
        (
            "How many sales are there?",
            "SELECT count(*) FROM shop.sales",
        ),
        ("Names of regions", "SELECT name FROM shop.regions"),
        ("Sum of wages", "SELECT sum(amount) FROM shop.wages"),
    ];
    for (id, (question, sql)) in world.examples.iter().zip(pairs) {
        let example = Example {
            id: *id,
            question: question.to_owned(),
            sql: sql.to_owned(),
            verified_by: "curator".to_owned(),
        };
        index.add_example(example, Some(&embedder)).unwrap();
    }
    for value in ["Österreich", "Südtirol"] {
        index.add_value(world.table("regions"), 2, value);
    }
    index.hide(world.table("wages"));
    super::search_index(&index, &world);
}

#[test]
fn the_embedder_that_needs_nothing() {
    super::embedder(&HashEmbedder::default());
}

#[test]
fn the_passages_in_memory() {
    super::passage_search(&MemoryPassages::new(passages_of_world()));
}

#[test]
fn the_scripted_database() {
    let database = ScriptedDatabase::new(|sql| match sql {
        sql if sql.starts_with("DELETE") => {
            ScriptedDatabase::refused(Rule::Statement, "only SELECT is allowed")
        }
        sql if sql.contains("wages") => {
            ScriptedDatabase::refused(Rule::Permission, "permission denied")
        }
        sql if sql.contains("nowhere") => {
            ScriptedDatabase::failed("42P01", "relation does not exist")
        }
        sql if sql.contains("nothing") => {
            ScriptedDatabase::failed("42703", "column does not exist")
        }
        sql if sql.contains("1 /") => ScriptedDatabase::failed("22012", "division by zero"),
        _ => ScriptedDatabase::one_row("n", "integer", "42"),
    });
    super::database(&database);
    assert_eq!(database.ran().len(), 7, "what is checked does not run");
}
