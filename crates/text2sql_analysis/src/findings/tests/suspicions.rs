//! What speaks against a query of a small model, with what becomes of it where that can be left out.

use super::super::{Asked, Suspicions, find_suspicions};
use super::asked::{cellar, rows, stored};
use text2sql_domain::sql_result::{Cell, Execution};
use text2sql_language::understanding::Understanding;

fn suspicions(question: &str, sql: &str, execution: &Execution) -> Suspicions {
    let understanding = Understanding::of(question, "2026-11-21");
    let values = stored(question);
    let asked = Asked {
        values: &values,
        ..Asked::alone(&understanding)
    };
    find_suspicions(sql, &cellar(), &asked, execution)
}

/// A result of these texts, one row each.
fn list(texts: &[Option<&str>]) -> Execution {
    let row = |text: &Option<&str>| {
        vec![Cell {
            text: text.map(str::to_owned),
            json: serde_json::value::to_raw_value(text).unwrap(),
        }]
    };
    Execution {
        rows: texts.iter().map(row).collect(),
        ..Execution::default()
    }
}

#[test]
fn what_the_question_does_not_say_is_suspected() {
    for (question, sql, said) in [
        (
            "How many wines did we bottle each year?",
            "SELECT count(*) FROM wines",
            "the question asks for a figure 'each year', and the query gives one for all",
        ),
        (
            "litres by colour",
            "SELECT sum(litres) FROM wines",
            "the question asks for a figure 'by colour', and the query gives one for all",
        ),
        (
            "How many growers are there in Podersdorf?",
            "SELECT count(*) FROM growers",
            "the question names 'Podersdorf', and the query does not",
        ),
        (
            "How many growers have more than 7 hectares?",
            "SELECT count(hectares) FROM growers",
            "the question says 7, and the query does not",
        ),
        (
            "How many wines are there?",
            "SELECT count(*) FROM wines WHERE colour = 'red'",
            "the question says nothing of `colour = 'red'`",
        ),
        // The letter is in "are".
        (
            "How many wines are there?",
            "SELECT count(*) FROM wines WHERE colour = 'R'",
            "the question says nothing of `colour = 'R'`",
        ),
        ("List the growers", "SELECT 1", "it reads no table"),
        (
            "How many growers are there?",
            "SELECT count(*) FROM growers WHERE village IS NULL",
            "the question says nothing of `village IS NULL`",
        ),
        (
            "What is the average price of wines?",
            "SELECT sum(price) FROM wines",
            "the question asks for an average, and the query takes none",
        ),
        (
            "Which growers have two wines?",
            "SELECT count(*) FROM wines GROUP BY grower_id HAVING count(*) = 2",
            "the question asks which ones, and the query shows figures only",
        ),
        (
            "How many barrels are there?",
            "SELECT count(*) FROM growers",
            "the question counts barrels, and the query something else",
        ),
        (
            "Average price per grower",
            "SELECT avg(price) FROM wines",
            "the question asks for a figure 'per grower', and the query gives one for all",
        ),
        (
            "Average hectares per wine",
            "SELECT avg(g.hectares) FROM growers g JOIN wines w ON w.grower_id = g.grower_id",
            "the question asks for a figure 'per wine', and the query gives one for all",
        ),
        (
            "Compare the wines bottled in 2023 and 2025",
            "SELECT count(*) FROM wines WHERE bottled_on BETWEEN '2023-01-01' AND '2023-12-31'",
            "the question says 2025, and the query does not",
        ),
        (
            "How many wines are ready?",
            "SELECT count(*) FROM wines WHERE litres = 1",
            "the question says nothing of `litres = 1`",
        ),
        (
            "How many growers are not from Rust?",
            "SELECT count(*) FROM growers WHERE village = 'Rust'",
            "the question excludes something, and the query does not",
        ),
        (
            "What share of the wines is red?",
            "SELECT 100.0 * count(*) / (SELECT count(*) FROM wines WHERE colour = 'red') FROM wines",
            "a share cannot be more than the whole",
        ),
        (
            "Which growers make rosé?",
            "SELECT colour FROM wines WHERE colour = 'rosé'",
            "it shows nothing but what it was told to look for",
        ),
        (
            "Wines dearer than 7 euros",
            "SELECT count(*) FROM wines WHERE price > 7",
            "the question asks which ones, and the query shows figures only",
        ),
        (
            "Are there wines of 7 litres, and which?",
            "SELECT count(*) FROM wines WHERE litres = 7",
            "the question asks which ones, and the query shows figures only",
        ),
        (
            "What is our dearest wine?",
            "SELECT max(price) FROM wines",
            "the question asks for a wine, and the query shows a figure only",
        ),
        (
            "How many litres are there of each colour?",
            "SELECT colour, count(*) FROM wines GROUP BY colour",
            "the question counts litres, and the query counts rows that have their number in litres",
        ),
        (
            "Which grower comes first most often?",
            "SELECT grower_id FROM growers GROUP BY grower_id ORDER BY count(*) DESC LIMIT 1",
            "it counts the rows of growers in groups of one row each",
        ),
        (
            "What is the average price of wines?",
            "SELECT avg(price) / count(*) FROM wines",
            "`avg(price) / count(*)` divides an average by a number once more",
        ),
        (
            "Which barrels are full?",
            "SELECT title FROM wines",
            "the question names barrels, and the query does not read it",
        ),
    ] {
        let found = suspicions(question, sql, &list(&[Some("500")]));
        assert_eq!(found.said, [said], "{question}");
        assert_eq!(found.simpler, None, "{question}");
    }
}

#[test]
fn what_it_says_is_not() {
    for (question, sql) in [
        (
            "How many wines did we bottle each year?",
            "SELECT extract(year FROM bottled_on), count(*) FROM wines GROUP BY 1",
        ),
        (
            "How many litres per wine on average?",
            "SELECT avg(litres) FROM wines",
        ),
        (
            "How many bottles were filled in February 2025?",
            "SELECT count(*) FROM wines WHERE extract(month FROM bottled_on) = 2 AND extract(year FROM bottled_on) = 2025",
        ),
        (
            "How many B+ wines are there?",
            "SELECT count(*) FROM wines WHERE colour = 'B+'",
        ),
        (
            "How many red wines are there?",
            "SELECT count(*) FROM wines WHERE colour = 'R'",
        ),
        (
            "How many growers are women?",
            "SELECT count(*) FROM growers WHERE village = 'F'",
        ),
        (
            "Wie viele Weine sind rot?",
            "SELECT count(*) FROM wines WHERE colour = 'red'",
        ),
        (
            "How many growers are there in Podersdorf?",
            "SELECT count(*) FROM growers WHERE village ILIKE '%podersdorf%'",
        ),
        (
            "How many growers have more than 7 hectares?",
            "SELECT count(*) FROM growers WHERE hectares > 7",
        ),
        (
            "Which wines were bottled in 2025?",
            "SELECT title FROM wines WHERE bottled_on >= '2025-01-01' AND bottled_on < '2026-01-01'",
        ),
        (
            "Which growers never made a wine?",
            "SELECT g.name FROM growers g LEFT JOIN wines w ON w.grower_id = g.grower_id WHERE w.wine_id IS NULL",
        ),
        (
            "The 3 dearest wines",
            "SELECT title FROM wines ORDER BY price DESC LIMIT 3",
        ),
        (
            "Which wines were bottled between 2023 and 2025?",
            "SELECT title FROM wines WHERE bottled_on >= '2023-01-01' AND bottled_on < '2026-01-01'",
        ),
        (
            "Which wines were not bottled since 2025?",
            "SELECT title FROM wines WHERE bottled_on < '2025-01-01'",
        ),
        (
            "Which growers never made a wine?",
            "SELECT name FROM growers WHERE grower_id NOT IN (SELECT grower_id FROM wines)",
        ),
        (
            "What is the highest price of a wine?",
            "SELECT max(price) FROM wines",
        ),
        (
            "When was the latest wine bottled?",
            "SELECT max(bottled_on) FROM wines",
        ),
        (
            "Which growers have two wines?",
            "SELECT grower_id FROM wines GROUP BY grower_id HAVING count(*) = 2",
        ),
        (
            "Which villages have tastings?",
            "SELECT DISTINCT g.village FROM growers g JOIN wines w ON w.grower_id = g.grower_id JOIN tastings t ON t.wine_id = w.wine_id",
        ),
    ] {
        let found = suspicions(question, sql, &list(&[Some("5"), Some("6")]));
        assert_eq!(found, Suspicions::default(), "{question}");
    }
}

#[test]
fn all_rows_in_place_of_the_first_of_each_are_suspected() {
    let question = "The dearest wine of every grower";
    let sql = "SELECT title FROM wines ORDER BY price DESC";
    let found = suspicions(question, sql, &list(&[Some("a"), Some("b")]));
    assert_eq!(
        found.said,
        ["the question asks for one of 'every', and the query takes none apart"]
    );
}

#[test]
fn a_list_of_one_column_apart_by_it_is_suspected() {
    let found = suspicions("wines by colour", "SELECT colour FROM wines", &rows(2));
    assert_eq!(found.said, ["it shows the same rows several times"]);
    assert_eq!(found.simpler, None);
}

#[test]
fn a_result_of_nothing_is_suspected() {
    let question = "How many wines are there?";
    let sql = "SELECT count(*) FROM wines";
    for nothing in [list(&[]), list(&[None]), list(&[Some("0")])] {
        assert_eq!(
            suspicions(question, sql, &nothing).said,
            ["it finds nothing"]
        );
    }
}

#[test]
fn figures_of_groups_without_a_name_are_suspected() {
    let found = suspicions(
        "How many wines has each grower?",
        "SELECT count(*) FROM wines GROUP BY grower_id",
        &list(&[Some("5"), Some("6")]),
    );
    assert_eq!(
        found.said,
        ["its figures do not say of which group they are"]
    );
}

#[test]
fn a_join_that_nothing_needs_is_left_out() {
    for (sql, simpler) in [
        (
            "SELECT g.name FROM growers AS g JOIN wines AS w ON w.grower_id = g.grower_id WHERE g.hectares > 7",
            "SELECT g.name FROM growers AS g WHERE g.hectares > 7",
        ),
        (
            "SELECT g.name FROM wines AS w JOIN growers AS g ON w.grower_id = g.grower_id WHERE g.hectares > 7",
            "SELECT g.name FROM growers AS g WHERE g.hectares > 7",
        ),
    ] {
        let found = suspicions(
            "Which growers have more than 7 hectares?",
            sql,
            &list(&[Some("a"), Some("b")]),
        );
        let said = "it joins wines, of which the question says nothing";
        assert_eq!(found.said, [said]);
        assert_eq!(found.simpler.as_deref(), Some(simpler));
    }
    // What another part uses stays, and so does an outer join.
    for sql in [
        "SELECT g.name FROM growers AS g JOIN wines AS w ON w.grower_id = g.grower_id WHERE w.litres > 7",
        "SELECT g.name FROM growers AS g LEFT JOIN wines AS w ON w.grower_id = g.grower_id WHERE g.hectares > 7",
        "SELECT g.name FROM growers AS g JOIN wines AS w ON w.grower_id = g.grower_id WHERE g.hectares > 7 AND EXISTS (SELECT FROM tastings AS t WHERE t.wine_id = w.wine_id)",
    ] {
        let question = "Which growers have more than 7 hectares?";
        let found = suspicions(question, sql, &list(&[Some("a"), Some("b")]));
        assert_eq!(found, Suspicions::default(), "{sql}");
    }
}

#[test]
fn rows_that_a_join_repeats_are_shown_once() {
    let found = suspicions(
        "Which growers made a rosé?",
        "SELECT g.name FROM growers AS g JOIN wines AS w ON w.grower_id = g.grower_id WHERE w.colour = 'rosé'",
        &rows(2),
    );
    assert_eq!(found.said, ["it shows the same rows several times"]);
    let once = "SELECT DISTINCT g.name FROM growers AS g JOIN wines AS w ON w.grower_id = g.grower_id WHERE w.colour = 'rosé'";
    assert_eq!(found.simpler.as_deref(), Some(once));
}
