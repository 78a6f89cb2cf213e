//! Finding tables in a catalog, over an index in memory: BM25 against a reference, what always comes
//! in, what nobody may see, and what a prompt shows of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use expect_test::expect;
use port_contracts::memory_index::MemoryIndex;
use text2sql_domain::config::RetrievalConfig;
use text2sql_domain::ports::search_index::{Collection, IndexState, SearchIndex, ValueHit};
use text2sql_domain::schema::{Column, ForeignKey, Table};
use text2sql_language::names::name_reader::NameReader;
use text2sql_language::names::vocabulary::Vocabulary;
use text2sql_language::terms::Analyzer;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::found_table::Reason;
use text2sql_retrieval::index::document::{self, Document};
use text2sql_retrieval::lexical::bm25::{ItemScorer, PartScorer};
use text2sql_retrieval::lexical::term_matches::{Matches, Overlay, Visible};
use text2sql_retrieval::tables::search::{Found, Search};
use text2sql_retrieval::vectors::hash_embedder::HashEmbedder;

fn table(oid: u32, schema: &str, name: &str, columns: &[&str], targets: &[&Table]) -> Table {
    Table {
        oid,
        schema: schema.into(),
        name: name.into(),
        columns: columns
            .iter()
            .zip(1..)
            .map(|(name, number)| Column {
                number,
                name: (*name).into(),
                ..Column::default()
            })
            .collect(),
        foreign_keys: targets
            .iter()
            .map(|target| ForeignKey {
                columns: vec![format!("{}_id", target.name)],
                target: target.oid,
                target_schema: target.schema.clone(),
                target_name: target.name.clone(),
                target_columns: vec!["id".into()],
                ..ForeignKey::default()
            })
            .collect(),
        ..Table::default()
    }
}

fn index(tables: &[Table]) -> MemoryIndex {
    let mut index = MemoryIndex::new(Analyzer::default());
    index
        .add_tables(tables, Some(&HashEmbedder::default()))
        .unwrap();
    index
}

fn document_of(table: &Table) -> Document {
    let (analyzer, vocabulary) = (Analyzer::default(), Vocabulary::default());
    document::of_table(table, &analyzer, &NameReader::new(&vocabulary, &analyzer))
}

fn search(index: &MemoryIndex, question: &str, values: &[ValueHit], overlay: &Overlay) -> Found {
    let state: IndexState = index.state().unwrap().unwrap();
    let search = Search {
        index,
        state: &state,
        embedder: Some(&HashEmbedder::default()),
        overlay,
        analyzer: &Analyzer::default(),
        config: &RetrievalConfig::ALL,
    };
    search
        .find(&Understanding::of(question, "2026-11-21"), values, 10)
        .unwrap()
}

fn find(index: &MemoryIndex, question: &str) -> Vec<u32> {
    let found = search(index, question, &[], &Overlay::default());
    found.tables.iter().map(|entry| entry.table).collect()
}

/// A school with three tables of the same kind in another schema.
fn school() -> Vec<Table> {
    let student = table(1, "school", "student", &["id", "first_name", "age"], &[]);
    let course = table(2, "school", "course", &["id", "title", "credits"], &[]);
    let enrolment = table(
        3,
        "school",
        "enrolled",
        &["student_id", "course_id", "since"],
        &[&student, &course],
    );
    let other = table(4, "club", "student", &["id", "nickname", "joined"], &[]);
    vec![student, course, enrolment, other]
}

/// The numbers were computed in Python, from the formula with the idf of Lucene as `bm25s` has it
/// (`method="lucene"`, times `k1 + 1`), over documents written out by hand.
#[test]
fn bm25_equals_a_reference_implementation() {
    let tables = [
        table(
            1,
            "s",
            "orders",
            &["id", "customer_name", "order_date"],
            &[],
        ),
        table(2, "s", "customers", &["id", "name"], &[]),
        table(3, "s", "log", &["id", "name", "name_of_log", "at"], &[]),
    ];
    let index = index(&tables);
    let totals = index.state().unwrap().unwrap().schema;
    let terms = Analyzer::default().terms("customer name");
    let matches =
        Matches::read(&index, Collection::Schema, 3, &terms, &Overlay::default()).unwrap();
    let items = ItemScorer::new(&matches, &totals);
    let parts = PartScorer::new(&matches, &totals);
    let mut shown = String::new();
    for entries in matches.items() {
        let item = items.score(&matches, entries, Visible::ALL);
        shown += &format!("{} {item:.6}", entries[0].item);
        for part in parts.scores(&matches, entries, Visible::ALL) {
            shown += &format!(" {:?}={:.6}", part.unit.unwrap_or(0), part.score);
        }
        shown += "\n";
    }
    expect![[r#"
        1 0.540374 2=1.616829 0=0.000000
        2 0.706801 2=1.927169 0=1.094601
        3 0.179990 2=0.832567 3=0.698496 0=0.000000
    "#]]
    .assert_eq(&shown);
}

#[test]
fn joins_that_were_taught_since_the_index_was_built_connect_tables() {
    let [student, course, enrolment, other] = <[Table; 4]>::try_from(school()).unwrap();
    let before = Table {
        foreign_keys: Vec::new(),
        ..enrolment.clone()
    };
    let index = index(&[student, course, before, other]);
    let question = "first names of students in courses of 3 credits";
    let joins = |overlay: &Overlay| search(&index, question, &[], overlay).joins.len();
    assert_eq!(joins(&Overlay::default()), 0);
    let document = document_of(&enrolment);
    assert_eq!(joins(&Overlay::new(vec![(3, document)], vec![3])), 2);
}

#[test]
fn joins_that_are_gone_since_the_index_was_built_connect_nothing() {
    let [.., enrolment, _] = <[Table; 4]>::try_from(school()).unwrap();
    let index = index(&school());
    let now = Table {
        foreign_keys: Vec::new(),
        ..enrolment
    };
    let document = document_of(&now);
    let overlay = Overlay::new(vec![(3, document)], vec![3]);
    let question = "first names of students in courses of 3 credits";
    assert!(search(&index, question, &[], &overlay).joins.is_empty());
}

#[test]
fn the_bridge_between_two_tables_comes_along() {
    let index = index(&school());
    let found = search(
        &index,
        "first names of students in courses of 3 credits",
        &[],
        &Overlay::default(),
    );
    let bridge = found.tables.iter().find(|entry| entry.table == 3).unwrap();
    assert!(
        bridge
            .reasons
            .iter()
            .any(|reason| matches!(reason, Reason::Connects(_) | Reason::Matched)),
        "{bridge:?}"
    );
    assert_eq!(found.joins.len(), 2);
}

#[test]
fn tables_that_belong_together_come_before_a_namesake() {
    let index = index(&school());
    let order = find(&index, "How many credits do the students have?");
    let place = |table: u32| order.iter().position(|known| *known == table).unwrap();
    assert!(place(1) < place(4), "{order:?}");
}

#[test]
fn a_named_table_is_always_in() {
    let mut tables = school();
    // Fifty tables that explain more of the question than the one it names.
    for number in 0..50 {
        let columns = ["id", "total_amount", "average_amount", "amount_per_month"];
        tables.push(table(
            100 + number,
            "sums",
            &format!("amount{number}x"),
            &columns,
            &[],
        ));
    }
    tables.push(table(900, "far", "invoice", &["nr"], &[]));
    let index = index(&tables);
    let found = search(
        &index,
        "total and average amount per month of each invoice",
        &[],
        &Overlay::default(),
    );
    let invoice = found
        .tables
        .iter()
        .find(|entry| entry.table == 900)
        .unwrap();
    assert_eq!(invoice.reasons, [Reason::Named]);
}

#[test]
fn who_sees_few_tables_finds_them_as_if_there_were_no_others() {
    let mut tables: Vec<Table> = (0..600)
        .map(|number| {
            let columns = ["id", "customer_name", "customer_city", "created"];
            table(
                1_000 + 10 * number,
                "many",
                &format!("customer{number}x"),
                &columns,
                &[],
            )
        })
        .collect();
    tables.push(table(50_000, "mine", "client", &["id", "city"], &[]));
    let mut index = index(&tables);
    for number in 0..600 {
        index.hide(1_000 + 10 * number);
    }
    assert_eq!(find(&index, "In which city do customers live?"), [50_000]);
}

#[test]
fn stale_tables_are_read_live() {
    let index = index(&school());
    let renamed = table(1, "school", "pupil", &["id", "nick"], &[]);
    let new = table(77, "school", "teacher", &["id", "nick"], &[]);
    let live = [&renamed, &new]
        .map(|table| (table.oid, document_of(table)))
        .to_vec();
    // The third was dropped.
    let overlay = Overlay::new(live, vec![1, 77, 4]);
    let found = |question: &str| -> BTreeSet<u32> {
        let found = search(&index, question, &[], &overlay);
        found.tables.iter().map(|entry| entry.table).collect()
    };
    assert!(found("pupils").contains(&1));
    assert!(!found("nickname of the student").contains(&4));
}

#[test]
fn a_value_brings_in_its_table() {
    let index = index(&school());
    let hit = ValueHit {
        phrase: 0,
        table: 2,
        column: 2,
        value: "Algebra".into(),
        similarity: 1.0,
    };
    let found = search(
        &index,
        "How old are those in Algebra?",
        &[hit],
        &Overlay::default(),
    );
    let course = found.tables.iter().find(|entry| entry.table == 2).unwrap();
    assert_eq!(course.reasons, [Reason::Value]);
}

#[test]
fn hidden_columns_do_not_find_their_table() {
    let tables: Vec<Arc<Table>> = school().into_iter().map(Arc::new).collect();
    let index = index(&school());
    let terms = Analyzer::default().terms("age");
    let matches =
        Matches::read(&index, Collection::Schema, 3, &terms, &Overlay::default()).unwrap();
    let totals = index.state().unwrap().unwrap().schema;
    let parts = PartScorer::new(&matches, &totals);
    let entries = matches.item(tables[0].oid);
    assert!(parts.scores(&matches, entries, Visible::ALL)[0].score > 0.0);
    let seen = parts.scores(&matches, entries, Visible(Some(&[1, 2])));
    assert!(seen.iter().all(|part| part.score == 0.0), "{seen:?}");
}

#[test]
fn names_are_found_by_the_words_that_they_are_read_as() {
    let index = index(&[
        table(1, "shop", "sbtransaction", &["id", "sbAmt"], &[]),
        table(2, "shop", "custaddr", &["id", "zipcode"], &[]),
        table(3, "shop", "tblOrdHdr", &["OrdNo", "CustNo"], &[]),
        table(4, "shop", "country", &["id", "gnp", "gnpold"], &[]),
        table(5, "shop", "employee_leave", &["id", "reason"], &[]),
    ]);
    let first = |question: &str| find(&index, question).first().copied();
    assert_eq!(first("How many transactions failed?"), Some(1));
    assert_eq!(first("Where are the customer addresses?"), Some(2));
    assert_eq!(first("Count the order headers"), Some(3));
    assert_eq!(first("Which had the highest old GNP?"), Some(4));
    // The question may abbreviate as well, and write words together.
    assert_eq!(first("show the emp leave"), Some(5));
    assert_eq!(first("orderheader of today"), Some(3));
}

#[test]
fn of_names_with_the_same_words_the_one_in_the_order_of_the_question_is_first() {
    let columns = &["id", "status"];
    let index = index(&[
        table(1, "a", "item_order_customer", columns, &[]),
        table(2, "a", "customer_item_order", columns, &[]),
        table(3, "a", "order_customer_item", columns, &[]),
        table(4, "a", "order_item", columns, &[]),
    ]);
    let found = find(&index, "How many customer item orders are active?");
    assert_eq!(found.first(), Some(&2), "{found:?}");
}
