//! What a question says for certain, against its query: values, numbers, ends of an order, names, aggregates, groups.

use std::sync::Arc;

use super::super::{Asked, Check, find_asked};
use text2sql_domain::ports::search_index::ValueHit;
use text2sql_domain::schema::Table;
use text2sql_domain::schema_fixture::Build;
use text2sql_domain::sql_result::{Cell, Execution};
use text2sql_language::understanding::Understanding;

/// A cellar: growers make wines, which are tasted.
pub(super) fn cellar() -> Vec<Arc<Table>> {
    vec![
        Build::table(1, "growers")
            .columns("grower_id integer!, name text!, village text, hectares numeric")
            .key(&["grower_id"])
            .done(),
        Build::table(2, "wines")
            .columns("wine_id integer!, grower_id integer!, title text!, colour text, price numeric, bottled_on date, litres integer")
            .key(&["wine_id"])
            .refers("grower_id", 1, "growers", "grower_id")
            .values("colour", &["rosé", "red"], 0.0)
            .done(),
        Build::table(3, "tastings")
            .columns("tasting_id integer!, wine_id integer!, points integer, place text")
            .key(&["tasting_id"])
            .refers("wine_id", 2, "wines", "wine_id")
            .done(),
        Build::table(4, "barrels")
            .columns("barrel_id integer!, title text, litres integer, price numeric")
            .key(&["barrel_id"])
            .done(),
    ]
}

/// The stored values of a question: village Rust and Mörbisch, colour red and white.
pub(super) fn stored(question: &str) -> Vec<(String, ValueHit)> {
    let known = [
        (1_u32, 3_i16, "Rust"),
        (1, 3, "Podersdorf"),
        (1, 2, "Heidi"),
        (2, 4, "orange wine"),
        (2, 4, "rosé"),
    ];
    known
        .into_iter()
        .filter(|(.., value)| question.contains(value))
        .map(|(table, column, value)| {
            let hit = ValueHit {
                phrase: 0,
                table,
                column,
                value: value.to_owned(),
                similarity: 1.0,
            };
            (value.to_owned(), hit)
        })
        .collect()
}

pub(super) fn rows(count: usize) -> Execution {
    let cell = || Cell {
        text: Some("same".to_owned()),
        json: serde_json::value::to_raw_value("same").unwrap(),
    };
    Execution {
        rows: (0..count).map(|_| vec![cell()]).collect(),
        ..Execution::default()
    }
}

/// The checks that are certain about a query that gave so many rows, or would be as soon as the data confirm it.
fn certain(question: &str, sql: &str, count: usize) -> Vec<Check> {
    let understanding = Understanding::of(question, "2026-11-21");
    let values = stored(question);
    let asked = Asked {
        values: &values,
        ..Asked::alone(&understanding)
    };
    find_asked(sql, &cellar(), &asked, Some(&rows(count)))
        .into_iter()
        .filter(|finding| finding.is_certain() || finding.probe.is_some())
        .map(|finding| finding.check)
        .collect()
}

#[track_caller]
pub(super) fn expect(cases: &[(Check, bool, &str, &str, usize)]) {
    for (check, is_wrong, question, sql, count) in cases {
        let found = certain(question, sql, *count);
        match is_wrong {
            true => assert!(found.contains(check), "{question}\n{sql}\n{found:?}"),
            false => assert!(found.is_empty(), "{question}\n{sql}\n{found:?}"),
        }
    }
}

#[test]
fn values_and_numbers_are_those_of_the_question() {
    use Check::{Direction, LeftOut, Value};
    expect(&[
        (
            Value,
            true,
            "Which growers live in Rust?",
            "SELECT name FROM growers WHERE village = 'Podersdorf'",
            1,
        ),
        (
            Value,
            false,
            "Which growers live in Rust?",
            "SELECT name FROM growers WHERE village = 'Rust'",
            1,
        ),
        // Another word of the question may mean the constant, but then its column has no other value of the question.
        (
            Value,
            false,
            "Which growers live by the lake?",
            "SELECT name FROM growers WHERE village = 'Podersdorf'",
            1,
        ),
        (
            Value,
            true,
            "Which growers live in Rust?",
            "SELECT name FROM growers WHERE name = 'Rust'",
            1,
        ),
        (
            Value,
            true,
            "Wines that cost more than 40",
            "SELECT title FROM wines WHERE price > 83",
            1,
        ),
        (
            Value,
            false,
            "Wines that cost more than 40",
            "SELECT title FROM wines WHERE price > 4000",
            1,
        ),
        (
            Value,
            false,
            "Wines of the 90s",
            "SELECT title FROM wines WHERE litres > 1990",
            1,
        ),
        (
            Value,
            true,
            "How many wines are there?",
            "SELECT count(*) FROM wines WHERE title = 'Blaufränkisch'",
            1,
        ),
        (
            Value,
            false,
            "How many wines are on offer?",
            "SELECT count(*) FROM wines WHERE title = 'Blaufränkisch'",
            1,
        ),
        (
            Direction,
            true,
            "Growers in Rust",
            "SELECT name FROM growers WHERE village <> 'Rust'",
            1,
        ),
        (
            Direction,
            false,
            "Growers outside Rust",
            "SELECT name FROM growers WHERE village <> 'Rust'",
            1,
        ),
        (
            Direction,
            false,
            "Growers außerhalb von Rust",
            "SELECT name FROM growers WHERE village <> 'Rust'",
            1,
        ),
        (
            Direction,
            false,
            "Growers who do not live in Rust",
            "SELECT name FROM growers WHERE village <> 'Rust'",
            1,
        ),
        (
            LeftOut,
            true,
            "How many growers are in Rust?",
            "SELECT count(*) FROM growers",
            1,
        ),
        (
            LeftOut,
            false,
            "How many growers are in Rust?",
            "SELECT village, count(*) FROM growers GROUP BY village",
            3,
        ),
        (
            LeftOut,
            false,
            "How many growers are in Rust?",
            "SELECT count(*) FROM growers WHERE grower_id = 77",
            1,
        ),
        // A table away, unless a key or another column of that row may stand for it.
        (
            LeftOut,
            true,
            "How many wines come from Rust?",
            "SELECT count(*) FROM wines",
            1,
        ),
        (
            LeftOut,
            true,
            "How many wines come from Rust?",
            "SELECT count(*) FROM wines WHERE colour = 'rosé'",
            1,
        ),
        (
            LeftOut,
            false,
            "How many wines come from Rust?",
            "SELECT count(*) FROM wines WHERE grower_id = 77",
            1,
        ),
        (
            LeftOut,
            false,
            "How many barrels were there in Rust?",
            "SELECT count(*) FROM barrels",
            1,
        ),
        // A word that is a value of one column, and no name.
        (
            LeftOut,
            true,
            "How many rosé bottles are there?",
            "SELECT count(*) FROM wines",
            1,
        ),
        (
            LeftOut,
            false,
            "How many rosé bottles are there?",
            "SELECT colour, count(*) FROM wines GROUP BY colour",
            3,
        ),
        (
            LeftOut,
            false,
            "How many rosé bottles are there?",
            "SELECT count(*) FROM wines WHERE litres > 7",
            1,
        ),
        (
            LeftOut,
            true,
            "How many wines keep longer than 90 minutes?",
            "SELECT count(*) FROM wines",
            1,
        ),
        (
            LeftOut,
            false,
            "How many wines keep longer than 90 minutes?",
            "SELECT count(*) FROM wines WHERE litres > 5400",
            1,
        ),
        (
            LeftOut,
            true,
            "Wines with more than 12 litres",
            "SELECT title FROM wines",
            9,
        ),
        (
            LeftOut,
            false,
            "Wines of the 50 villages",
            "SELECT title FROM wines",
            9,
        ),
        (
            Direction,
            true,
            "Wines between 10 and 20 euros",
            "SELECT title FROM wines WHERE price <= 10 AND price <= 20",
            1,
        ),
        (
            Direction,
            false,
            "Wines between 10 and 20 euros",
            "SELECT title FROM wines WHERE price >= 10 AND price <= 20",
            1,
        ),
    ]);
}

#[test]
fn words_that_only_look_like_a_negation_or_a_whole_do_not_hide_a_fault() {
    use Check::{Direction, Grouping, LeftOut, Name};
    let having = |than: &str| {
        format!("SELECT grower_id FROM wines GROUP BY grower_id HAVING count(*) {than} 2")
    };
    let (less, more) = (having("<"), having(">"));
    expect(&[
        (
            Direction,
            true,
            "How many different growers live in Rust?",
            "SELECT count(DISTINCT name) FROM growers WHERE village <> 'Rust'",
            1,
        ),
        (
            Direction,
            false,
            "Growers of villages different from Rust",
            "SELECT name FROM growers WHERE village <> 'Rust'",
            1,
        ),
        (
            Direction,
            true,
            "Which growers have more than two wines?",
            &less,
            1,
        ),
        (
            Direction,
            false,
            "Which growers have more than two wines?",
            &more,
            1,
        ),
        (
            Grouping,
            true,
            "Show all colours and the number of wines",
            "SELECT count(*) FROM wines GROUP BY colour",
            3,
        ),
        (
            Grouping,
            false,
            "Show all colours and the number of wines",
            "SELECT colour, count(*) FROM wines GROUP BY colour",
            3,
        ),
        (
            Name,
            true,
            "What are the hectares of each grower?",
            "SELECT name FROM growers",
            3,
        ),
        (
            LeftOut,
            true,
            "How many wines are 12 years old?",
            "SELECT count(*) FROM wines",
            1,
        ),
    ]);
}

#[test]
fn an_average_over_rows_that_are_repeated_for_nothing_is_looked_up() {
    let sql = "SELECT avg(w.price) FROM wines w JOIN tastings t ON t.wine_id = w.wine_id";
    expect(&[
        (
            Check::JoinFanOut,
            true,
            "What is the average price of the wines?",
            sql,
            1,
        ),
        // Each tasting may be meant once.
        (
            Check::JoinFanOut,
            false,
            "What is the average price of the wines of all tastings?",
            sql,
            1,
        ),
    ]);
}

#[test]
fn a_part_of_a_name_stands_for_it() {
    let sql = "SELECT village FROM growers WHERE name = 'Schröck'";
    assert_eq!(certain("Where does Heidi Schröck live?", sql, 1), []);
}

#[test]
fn the_asked_end_of_an_order_comes_first_and_alone() {
    use Check::Direction;
    let first =
        |order: &str, rows: u64| format!("SELECT title FROM wines ORDER BY {order} LIMIT {rows}");
    let (up, down) = (first("price", 1), first("price DESC", 1));
    let (two, three) = (first("price DESC", 2), first("price DESC", 3));
    let all = "SELECT title FROM wines ORDER BY price DESC";
    expect(&[
        (Direction, true, "Which wine has the highest price?", &up, 1),
        (
            Direction,
            false,
            "Which wine has the highest price?",
            &down,
            1,
        ),
        (
            Direction,
            true,
            "Which wine has the lowest price?",
            &down,
            1,
        ),
        (
            Direction,
            true,
            "Welcher Wein hat den höchsten Preis?",
            &up,
            1,
        ),
        (
            Direction,
            true,
            "Which wine has the highest price?",
            &two,
            2,
        ),
        (
            Direction,
            false,
            "Which wines have the highest price?",
            &two,
            2,
        ),
        (Direction, true, "The 3 most expensive wines", &two, 2),
        (Direction, false, "The 3 most expensive wines", &three, 3),
        (Direction, true, "What is the most expensive wine?", all, 9),
        (
            Direction,
            false,
            "List the wines from the most expensive to the cheapest",
            all,
            9,
        ),
        (Direction, true, "The top 5 wines by price", all, 9),
        (
            Direction,
            true,
            "The greatest price of all wines",
            "SELECT min(price) FROM wines",
            1,
        ),
        (
            Direction,
            false,
            "The greatest and the smallest price",
            "SELECT min(price), max(price) FROM wines",
            1,
        ),
        (
            Direction,
            true,
            "Which wine was bottled at the latest date?",
            &first("bottled_on", 1),
            1,
        ),
        (
            Direction,
            true,
            "Which wine was bottled most recently?",
            &first("bottled_on", 1),
            1,
        ),
        (
            Direction,
            false,
            "Which wine was bottled most recently?",
            &first("bottled_on DESC", 1),
            1,
        ),
        // The place of an output is no number of the question.
        (
            Direction,
            true,
            "The top 3 wines by price",
            "SELECT title, price FROM wines ORDER BY 2 DESC LIMIT 5",
            5,
        ),
        (
            Direction,
            false,
            "The top 3 wines by price",
            "SELECT title, price FROM (SELECT title, price, rank() OVER (ORDER BY price DESC) AS place FROM wines) AS w WHERE place <= 3 ORDER BY 2 DESC LIMIT 5",
            5,
        ),
        (
            Direction,
            true,
            "Wines sorted by price in descending order",
            "SELECT title FROM wines ORDER BY price",
            9,
        ),
        (
            Direction,
            false,
            "Wines sorted by price in descending order",
            all,
            9,
        ),
    ]);
}

#[test]
fn names_in_full_are_used() {
    use Check::Name;
    expect(&[
        (
            Name,
            true,
            "What is the colour of wine 7?",
            "SELECT title FROM wines WHERE wine_id = 7",
            1,
        ),
        (
            Name,
            false,
            "What is the colour of wine 7?",
            "SELECT colour FROM wines WHERE wine_id = 7",
            1,
        ),
        (
            Name,
            true,
            "Show the title and colour of each of the wines",
            "SELECT title FROM wines",
            3,
        ),
        // Another word for a column is nobody's name.
        (
            Name,
            false,
            "What is the shade of wine 7?",
            "SELECT colour FROM wines WHERE wine_id = 7",
            1,
        ),
        (
            Name,
            false,
            "What is the name of every village?",
            "SELECT village FROM growers",
            3,
        ),
        (
            Name,
            true,
            "How many barrels are there?",
            "SELECT count(*) FROM tastings",
            1,
        ),
        (
            Name,
            true,
            "Titles of the barrels",
            "SELECT title FROM wines",
            3,
        ),
        (
            Name,
            false,
            "How many sessions were there?",
            "SELECT count(*) FROM tastings",
            1,
        ),
    ]);
}

#[test]
fn aggregates_and_groups_are_those_of_the_question() {
    use Check::{Aggregate, Grouping, Repeated};
    expect(&[
        (
            Aggregate,
            true,
            "What is the average price of wines?",
            "SELECT sum(price) FROM wines",
            1,
        ),
        (
            Aggregate,
            false,
            "What is the average price of wines?",
            "SELECT sum(price) / count(*) FROM wines",
            1,
        ),
        (
            Aggregate,
            true,
            "What is the total price of wines?",
            "SELECT avg(price) FROM wines",
            1,
        ),
        (
            Aggregate,
            true,
            "How do points of tastings sum up?",
            "SELECT sum(wine_id) FROM tastings",
            1,
        ),
        (
            Aggregate,
            true,
            "How many litres are there?",
            "SELECT avg(litres) FROM wines",
            1,
        ),
        (
            Aggregate,
            true,
            "How many wines are there of each colour?",
            "SELECT colour FROM wines GROUP BY colour",
            3,
        ),
        (
            Grouping,
            true,
            "How many wines are there for each colour?",
            "SELECT count(*) FROM wines",
            1,
        ),
        (
            Grouping,
            true,
            "How many wines are there for each colour?",
            "SELECT count(*) FROM wines GROUP BY colour",
            3,
        ),
        (
            Grouping,
            false,
            "How many wines are there for each colour?",
            "SELECT colour, count(*) FROM wines GROUP BY colour",
            3,
        ),
        (
            Repeated,
            true,
            "List the different villages of growers",
            "SELECT village FROM growers",
            3,
        ),
        (
            Repeated,
            false,
            "List the villages of growers",
            "SELECT village FROM growers",
            3,
        ),
        // Two growers may have one name.
        (
            Repeated,
            false,
            "Which growers make wines of different colours?",
            "SELECT name FROM growers",
            3,
        ),
        (
            Grouping,
            false,
            "How many wines does each grower make?",
            "SELECT count(*) / count(DISTINCT grower_id) FROM wines",
            1,
        ),
        (
            Repeated,
            true,
            "How many different villages are there?",
            "SELECT count(village) FROM growers",
            1,
        ),
        (
            Repeated,
            true,
            "First and last price",
            "SELECT price, price FROM wines",
            3,
        ),
        (
            Repeated,
            true,
            "Red and white",
            "SELECT title FROM wines WHERE colour = 'red' INTERSECT SELECT title FROM wines WHERE colour = 'red'",
            3,
        ),
    ]);
}
