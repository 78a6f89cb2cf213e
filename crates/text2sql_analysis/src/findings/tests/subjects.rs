//! What a question counts, and what it wants a figure for each of.

use super::super::{Asked, Check, find_asked};
use super::asked::{cellar, expect, rows};
use text2sql_language::understanding::Understanding;

#[test]
fn a_figure_for_each_unit_of_time_is_not_one_for_all() {
    use Check::Grouping;
    expect(&[
        (
            Grouping,
            true,
            "Sum of the prices of wines per month",
            "SELECT sum(price) FROM wines",
            1,
        ),
        (
            Grouping,
            true,
            "Wie viele wines wurden je Quartal abgefüllt und wie viele gibt es?",
            "SELECT count(*) FROM wines",
            1,
        ),
        (
            Grouping,
            true,
            "How many wines are bottled each year?",
            "SELECT colour, count(*) FROM wines GROUP BY colour",
            3,
        ),
        (
            Grouping,
            false,
            "How many wines are bottled each year?",
            "SELECT extract(year FROM bottled_on), count(*) FROM wines GROUP BY 1",
            3,
        ),
        (
            Grouping,
            false,
            "How many wines are bottled per year on average?",
            "SELECT count(*) FROM wines",
            1,
        ),
        (
            Grouping,
            false,
            "How many wines were bottled per month in May?",
            "SELECT count(*) FROM wines WHERE bottled_on >= '2025-05-01' AND bottled_on < '2025-06-01'",
            1,
        ),
        (
            Grouping,
            true,
            "How many wines were bottled in each month of 2025?",
            "SELECT count(*) FROM wines WHERE bottled_on >= '2025-01-01' AND bottled_on < '2026-01-01'",
            1,
        ),
        (
            Grouping,
            true,
            "Number of wines by day of the week",
            "SELECT count(*) FROM wines",
            1,
        ),
        (
            Grouping,
            false,
            "Number of wines by year of the village",
            "SELECT count(*) FROM wines",
            1,
        ),
        // Barrels have no days: their litres may be those of a month.
        (
            Grouping,
            false,
            "Sum of the litres of barrels per month",
            "SELECT sum(litres) FROM barrels",
            1,
        ),
    ]);
}

#[test]
fn what_is_counted_is_what_the_question_counts() {
    use Check::Name;
    expect(&[
        (
            Name,
            true,
            "How many wines are there?",
            "SELECT count(*) FROM tastings",
            1,
        ),
        (
            Name,
            true,
            "How many wines are there in total?",
            "SELECT count(tasting_id) AS number FROM tastings",
            1,
        ),
        // Tasted wines may be meant.
        (
            Name,
            false,
            "How many wines were drunk?",
            "SELECT count(DISTINCT wine_id) FROM tastings",
            1,
        ),
    ]);
    let says = |question: &str, sql: &str| {
        let understanding = Understanding::of(question, "2026-11-21");
        let asked = Asked::alone(&understanding);
        let found = find_asked(sql, &cellar(), &asked, Some(&rows(2)));
        let found = found.into_iter().find(|finding| finding.check == Name);
        found.map(|finding| (finding.evidence.clone(), finding.is_certain()))
    };
    let per_village = "SELECT village, count(*) FROM growers GROUP BY village";
    let unknown = "Nothing here is called 'boats': the query counts the rows of growers.";
    for question in [
        "Boats per village",
        "How many boats are there in each village?",
    ] {
        assert_eq!(
            says(question, per_village),
            Some((unknown.to_owned(), false)),
            "{question}"
        );
    }
    for question in [
        "Growers per village",
        "How many old growers are there per village?",
        "How many colours are there per village?",
        "Wie viele Boote gibt es je village?",
    ] {
        assert_eq!(says(question, per_village), None, "{question}");
    }
}
