//! Terms that stand for days, in questions.

use super::*;
use crate::understanding::Understanding;
use text2sql_phrases::Language;

fn terms() -> Vec<PeriodTerm> {
    let own = |term: &str, said: &str| PeriodTerm::defined(term, &[], said).unwrap();
    let mut terms = vec![
        own("fiscal year", "year starting in April"),
        own("Geschäftsjahr", "Jahr ab Oktober"),
        own("season", "from 1 October to 31 March"),
        own("Saison", "vom 1. Oktober bis 31. März"),
        own("current", "today"),
        own("campaign", "from 2026-05-01 to 2026-06-15"),
    ];
    terms.extend(defaults(&terms));
    terms
}

/// The days of each term, and the question with the days.
fn read(text: &str) -> String {
    let nouns = || {
        vec![
            vec!["orders".to_owned()],
            vec!["purchase".to_owned(), "order".to_owned()],
            vec!["bestellungen".to_owned()],
        ]
    };
    let question = Understanding::of(text, "2026-11-21");
    let found = find(&question, &terms(), &nouns);
    let days: Vec<String> = found
        .iter()
        .map(|period| match period.days {
            Some((from, before)) => {
                let text = |day: Option<jiff::civil::Date>| {
                    day.map_or("…".to_owned(), |day| day.to_string())
                };
                format!("'{}' {} to {}", period.text, text(from), text(before))
            }
            None => format!("'{}' each", period.text),
        })
        .collect();
    let text = with_days(&question, &found).unwrap_or_else(|| "-".to_owned());
    format!("{} | {text}", days.join(", "))
}

#[test]
fn terms_are_found_with_what_is_around_them() {
    for (text, expect) in [
        (
            "Show recent orders by country",
            "'recent' 2026-10-23 to 2026-11-22 | Show orders from 2026-10-23 to 2026-11-21 by country",
        ),
        (
            "How many recent purchase orders are there?",
            "'recent' 2026-10-23 to 2026-11-22 | How many purchase orders from 2026-10-23 to 2026-11-21 are there?",
        ),
        (
            "How many orders were placed recently?",
            "'recently' 2026-10-23 to 2026-11-22 | How many orders were placed from 2026-10-23 to 2026-11-21?",
        ),
        (
            "How many orders were recently placed?",
            "'recently' 2026-10-23 to 2026-11-22 | How many orders were placed from 2026-10-23 to 2026-11-21?",
        ),
        (
            "Which customers recently ordered?",
            "'recently' 2026-10-23 to 2026-11-22 | Which customers ordered from 2026-10-23 to 2026-11-21?",
        ),
        (
            "How many orders came in lately?",
            "'lately' 2026-10-23 to 2026-11-22 | How many orders came from 2026-10-23 to 2026-11-21?",
        ),
        (
            "Revenue in the last fiscal year",
            "'last fiscal year' 2025-04-01 to 2026-04-01 | Revenue from 2025-04-01 to 2026-03-31",
        ),
        (
            "Revenue of FY2025",
            "'FY2025' 2024-04-01 to 2025-04-01 | Revenue from 2024-04-01 to 2025-03-31",
        ),
        (
            "Revenue before FY25",
            "'FY25' 2024-04-01 to 2025-04-01 | Revenue before 2024-04-01",
        ),
        (
            "Revenue of fiscal year 2025",
            "'fiscal year 2025' 2024-04-01 to 2025-04-01 | Revenue from 2024-04-01 to 2025-03-31",
        ),
        (
            "Revenue of fiscal year 2025/26",
            "'fiscal year 2025/26' 2025-04-01 to 2026-04-01 | Revenue from 2025-04-01 to 2026-03-31",
        ),
        (
            "Revenue of the previous fiscal quarter",
            "'previous fiscal quarter' 2026-07-01 to 2026-10-01 | Revenue from 2026-07-01 to 2026-09-30",
        ),
        (
            "Revenue in Q1 of fiscal year 2026",
            "'Q1 of fiscal year 2026' 2025-04-01 to 2025-07-01 | Revenue from 2025-04-01 to 2025-06-30",
        ),
        (
            "Revenue of the last 3 fiscal years",
            "'last 3 fiscal years' 2023-04-01 to 2026-04-01 | Revenue from 2023-04-01 to 2026-03-31",
        ),
        (
            "Revenue this fiscal year to date",
            "'this fiscal year to date' 2026-04-01 to 2026-11-22 | Revenue from 2026-04-01 to 2026-11-21",
        ),
        (
            "Orders since last season",
            "'last season' 2025-10-01 to 2026-04-01 | Orders since 2025-10-01",
        ),
        (
            "Orders before this season",
            "'this season' 2026-10-01 to 2027-04-01 | Orders before 2026-10-01",
        ),
        (
            "How many of this season's orders are open?",
            "'this season' 2026-10-01 to 2027-04-01 | How many orders from 2026-10-01 to 2027-03-31 are open?",
        ),
        (
            "Orders during the campaign",
            "'campaign' 2026-05-01 to 2026-06-16 | Orders from 2026-05-01 to 2026-06-15",
        ),
        ("Revenue per fiscal year", "'fiscal year' each | -"),
        (
            "Wie viele kürzliche Bestellungen gibt es?",
            "'kürzliche' 2026-10-23 to 2026-11-22 | Wie viele Bestellungen zwischen 2026-10-23 und 2026-11-21 gibt es?",
        ),
        (
            "Wie viele Bestellungen gab es in letzter Zeit?",
            "'in letzter Zeit' 2026-10-23 to 2026-11-22 | Wie viele Bestellungen gab es zwischen 2026-10-23 und 2026-11-21?",
        ),
        (
            "Wie hoch war der Umsatz im letzten Geschäftsjahr?",
            "'letzten Geschäftsjahr' 2025-10-01 to 2026-10-01 | Wie hoch war der Umsatz zwischen 2025-10-01 und 2026-09-30?",
        ),
        (
            "Wie hoch war der Umsatz des vorigen Geschäftsquartals?",
            "'vorigen Geschäftsquartals' 2026-07-01 to 2026-10-01 | Wie hoch war der Umsatz zwischen 2026-07-01 und 2026-09-30?",
        ),
        (
            "Wie viele Bestellungen gab es seit der letzten Saison?",
            "'letzten Saison' 2025-10-01 to 2026-04-01 | Wie viele Bestellungen gab es seit 2025-10-01?",
        ),
        (
            "Show current orders",
            "'current' 2026-11-21 to 2026-11-22 | Show orders on 2026-11-21",
        ),
        // Not the days.
        (
            "Orders of the current month",
            " | Orders of the current month",
        ),
        (
            "What is the most recent order?",
            " | What is the most recent order?",
        ),
        (
            "How many albums are called 'Recent'?",
            " | How many albums are called 'Recent'?",
        ),
        ("How many orders?", " | How many orders?"),
    ] {
        assert_eq!(read(text), expect, "{text}");
    }
}

#[test]
fn a_definition_of_one_word_is_one_of_its_relatives() {
    let own = PeriodTerm::defined("recent", &[], "last 7 days").unwrap();
    assert!(own.names.iter().any(|name| name == "lately"));
    assert_eq!(defaults(&[own]), Vec::new());
    assert_eq!(defaults(&[]).len(), 1);
    let lately = PeriodTerm::defined("lately", &[], "last 7 days").unwrap();
    assert_eq!(defaults(&[lately]), Vec::new());
    assert_eq!(PeriodTerm::defined("recent", &[], "soonish"), None);
}

#[test]
fn what_nobody_defined_is_named() {
    let names = |text: &str, terms: &[PeriodTerm]| -> Vec<String> {
        let question = Understanding::of(text, "2026-11-21");
        let found = undefined(&question, terms);
        found.into_iter().map(|found| found.text).collect()
    };
    assert_eq!(
        names("Revenue of the last fiscal years", &[]),
        ["fiscal years"]
    );
    assert_eq!(
        names("Umsatz des Geschäftsjahres", &[]),
        ["Geschäftsjahres"]
    );
    assert_eq!(
        names("the fiscal quarter of this season", &[]),
        ["fiscal quarter", "season"]
    );
    assert_eq!(
        names("Revenue of the fiscal quarter", &terms()),
        Vec::<String>::new()
    );
    assert_eq!(names("recent orders", &[]), Vec::<String>::new());
    let question = Understanding::of("last fiscal quarter", "2026-11-21");
    assert_eq!(
        undefined(&question, &[])[0].note(Language::ENGLISH, true),
        "nobody has defined which days 'fiscal quarter' is: SELECT text2sql.define('fiscal year', period => 'year starting in April')"
    );
}

#[test]
fn an_assumption_is_said_with_how_to_change_it_to_who_may() {
    let found = find(
        &Understanding::of("recent orders", "2026-11-21"),
        &defaults(&[]),
        &Vec::new,
    );
    let [recent] = found.as_slice() else {
        panic!("{found:?}");
    };
    let file = include_str!("../../../text2sql_phrases/tests/made_up.po");
    assert_eq!(
        recent
            .assumption(Language::of_file("xx", file), false)
            .unwrap(),
        "sei: 'recent' e the last 30 days"
    );
    assert_eq!(
        recent.assumption(Language::ENGLISH, true).unwrap(),
        "assumed: 'recent' means the last 30 days; change it with SELECT text2sql.define('recent', period => 'last 7 days')"
    );
    assert_eq!(
        recent
            .assumption(Language::named("de").unwrap_or_default(), false)
            .unwrap(),
        "angenommen: 'recent' bedeutet die letzten 30 Tage"
    );
}
