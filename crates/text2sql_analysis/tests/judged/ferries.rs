//! What a question names for certain and a query has otherwise, tried with the tables of a ferry line.

use std::sync::Arc;

use text2sql_analysis::findings::{Asked, Check, Finding, Probe, find, find_asked};
use text2sql_domain::schema::{Definition, Table};
use text2sql_domain::schema_fixture::Build;
use text2sql_domain::sql_result::Execution;
use text2sql_language::understanding::Understanding;

use crate::{against, rows_of};

fn line() -> Vec<Arc<Table>> {
    vec![
        Build::table(1, "harbours")
            .columns("harbour_id integer!, name text!, country text!")
            .key(&["harbour_id"])
            .done(),
        Build::table(2, "boats")
            .columns("boat_id integer!, harbour_id integer!, name text!, kind text!, tons integer, price integer!, draught double precision, fittings jsonb, tags text[]!, crossed_on date!, decks integer, decktype text")
            .comment("price", "in euro cents")
            .key(&["boat_id"])
            .refers("harbour_id", 1, "harbours", "harbour_id")
            .done(),
        Build::table(3, "crews")
            .columns("crew_id integer!, boat_id integer!, rank text!, wage numeric!")
            .key(&["crew_id"])
            .refers("boat_id", 2, "boats", "boat_id")
            .done(),
        Build::table(4, "old_harbours")
            .columns("harbour_id integer!, name text!, country text!, closed text")
            .key(&["harbour_id"])
            .done(),
        Build::table(6, "engine_kinds")
            .columns("engine text!, fuel text!")
            .key(&["engine"])
            .done(),
        Build::table(7, "has_engine")
            .columns("boat_id integer!, engine text!")
            .key(&["boat_id", "engine"])
            .refers("engine", 6, "engine_kinds", "engine")
            .done(),
        Build::table(8, "boatrepairs")
            .columns("repair_id integer!, boat_id integer!, cost numeric!")
            .key(&["repair_id"])
            .refers("boat_id", 2, "boats", "boat_id")
            .done(),
        Build::table(5, "dockings")
            .columns("docking_id integer!, boat_id integer!, due_on date!, left_on date")
            .key(&["docking_id"])
            .refers("boat_id", 2, "boats", "boat_id")
            .done(),
    ]
}

fn all(question: &str, sql: &str) -> Vec<Finding> {
    let mut found = find(sql, &line()).unwrap().expect(sql);
    found.extend(against(question, sql, &line(), &["60"]));
    found
}

fn has(question: &str, sql: &str, check: Check) -> bool {
    all(question, sql)
        .iter()
        .any(|finding| finding.check == check)
}

/// The statements that decide about a check.
fn probes(question: &str, sql: &str, check: Check) -> Vec<String> {
    let found = all(question, sql).into_iter();
    found
        .filter(|finding| finding.check == check)
        .filter_map(|finding| match finding.probe {
            Some(Probe::Rows { sql, .. }) => Some(sql),
            Some(Probe::Value(value)) => Some(format!("{} = {}", value.column, value.literal)),
            None => None,
        })
        .collect()
}

#[test]
fn what_is_called_so_in_another_schema_is_not_what_is_grouped_by() {
    let sql = "SELECT kind, count(*) FROM boats GROUP BY kind";
    let is_found = |schema: &str| {
        let styles = Build::table(20, "styles").columns("style_id integer!, name text!");
        let mut styles = (*styles.key(&["style_id"]).done()).clone();
        styles.schema = schema.to_owned();
        let mut tables = line();
        tables.push(Arc::new(styles));
        let found = against("Boats per style", sql, &tables, &["60", "61"]);
        found.iter().any(|finding| finding.check == Check::Grouping)
    };
    assert!(is_found(&line()[0].schema));
    assert!(!is_found("music"));
}

#[test]
fn a_figure_for_each_of_what_is_named_needs_groups() {
    for (question, sql) in [
        ("Boats per harbour", "SELECT count(*) FROM boats"),
        ("Number of boats by kind", "SELECT count(*) FROM boats"),
        ("boats je harbour", "SELECT count(*) FROM boats"),
        ("Anzahl boats pro kind", "SELECT count(*) FROM boats"),
        ("Total wage by rank", "SELECT sum(wage) FROM crews"),
        ("Average wage per rank", "SELECT avg(wage) FROM crews"),
        ("Crews by boat", "SELECT count(*) FROM crews"),
        // Groups of something else.
        (
            "Boats per harbour",
            "SELECT kind, count(*) FROM boats GROUP BY kind",
        ),
    ] {
        assert!(has(question, sql, Check::Grouping), "{question}: {sql}");
    }
    for (question, sql) in [
        (
            "Boats per harbour",
            "SELECT harbour_id, count(*) FROM boats GROUP BY harbour_id",
        ),
        (
            "Boats per harbour",
            "SELECT h.name, count(*) FROM boats b JOIN harbours h USING (harbour_id) GROUP BY h.name",
        ),
        (
            "Boats per harbour in Almvik",
            "SELECT count(*) FROM boats b JOIN harbours h USING (harbour_id) WHERE h.name = 'Almvik'",
        ),
        (
            "Boats per harbour 7",
            "SELECT count(*) FROM boats WHERE harbour_id = 7",
        ),
        (
            "Crews of the boats by boat 7",
            "SELECT count(*) FROM crews WHERE boat_id = 7",
        ),
        (
            "Average number of crews per boat",
            "SELECT avg(n) FROM (SELECT boat_id, count(*) AS n FROM crews GROUP BY boat_id) AS x",
        ),
        (
            "Average number of crews per boat",
            "SELECT count(*)::numeric / count(DISTINCT boat_id) FROM crews",
        ),
        (
            "What is the highest price per boat?",
            "SELECT max(price) FROM boats",
        ),
        (
            "How many crews are paid by boat?",
            "SELECT count(*) FROM crews",
        ),
        (
            "How many passengers travel by boat?",
            "SELECT count(*) FROM crews",
        ),
    ] {
        assert!(!has(question, sql, Check::Grouping), "{question}: {sql}");
    }
}

#[test]
fn a_limit_that_nobody_asks_for_is_no_part_of_a_figure() {
    let sql = "SELECT count(*) FROM (SELECT * FROM crews WHERE rank = 'captain' LIMIT 50) AS x";
    assert_eq!(
        probes("How many crews are captains?", sql, Check::Direction),
        ["SELECT 1 FROM (SELECT * FROM crews WHERE rank = 'captain') AS whole OFFSET 50 LIMIT 1"]
    );
    let best = "SELECT avg(wage) FROM (SELECT wage FROM crews ORDER BY wage DESC LIMIT 50) AS x";
    for question in [
        "What is the average of the 50 highest wages?",
        "What is the average of the highest wages?",
    ] {
        assert!(!has(question, best, Check::Direction), "{question}");
    }
    let any = "SELECT rank, count(*) FROM crews GROUP BY rank LIMIT 5";
    assert!(has(
        "Which ranks are the most common?",
        any,
        Check::Direction
    ));
    assert!(!has("What are the ranks?", any, Check::Direction));
}

#[test]
fn what_is_inside_of_values_is_looked_up() {
    for (sql, probe) in [
        (
            "SELECT count(*) FROM boats WHERE fittings -> 'engine' ->> 'fuel' = 'disel'",
            "fittings -> 'engine' ->> 'fuel' = 'disel'",
        ),
        (
            "SELECT count(*) FROM boats WHERE fittings @> '{\"engine\": {\"fuel\": \"disel\"}}'",
            "fittings -> 'engine' ->> 'fuel' = 'disel'",
        ),
        (
            "SELECT count(*) FROM boats WHERE tags @> ARRAY['fst']",
            "SELECT 1 FROM boats WHERE 'fst' = ANY (tags) LIMIT 1",
        ),
    ] {
        let looked_up = probes("How many boats are there?", sql, Check::UnknownValue);
        assert!(looked_up.iter().any(|own| own == probe), "{looked_up:?}");
    }
}

#[test]
fn numbers_that_are_cast_to_text_are_compared_both_ways() {
    for (sql, probe) in [
        (
            "SELECT count(*) FROM boats WHERE tons::text > '900'",
            "SELECT 1 FROM boats WHERE (tons::text > '900') <> (tons > 900) LIMIT 1",
        ),
        (
            "SELECT max(tons::text) FROM boats",
            "SELECT 1 FROM boats HAVING max(tons::text) <> max(tons)::text",
        ),
        (
            "SELECT name FROM boats ORDER BY tons::text LIMIT 1",
            "SELECT 1 FROM boats HAVING min(tons::text) <> min(tons)::text",
        ),
    ] {
        assert_eq!(
            probes("Which boats are heavy?", sql, Check::ImplicitCast),
            [probe]
        );
    }
}

#[test]
fn an_amount_is_told_in_the_unit_that_is_asked_for() {
    for (question, sql, is_wrong) in [
        (
            "What is the average price of a boat in euros?",
            "SELECT avg(price) FROM boats",
            true,
        ),
        (
            "How many euros does boat 7 cost?",
            "SELECT price FROM boats WHERE boat_id = 7",
            true,
        ),
        (
            "What is the average price of a boat in euros?",
            "SELECT avg(price) / 100.0 FROM boats",
            false,
        ),
        (
            "What is the average price of a boat in cents?",
            "SELECT avg(price) FROM boats",
            false,
        ),
        (
            "What is the average price of a boat?",
            "SELECT avg(price) FROM boats",
            false,
        ),
    ] {
        assert_eq!(
            has(question, sql, Check::MixedUnits),
            is_wrong,
            "{question}: {sql}"
        );
    }
}

#[test]
fn a_share_of_each_group_is_not_averaged() {
    let sql = "WITH p AS (SELECT harbour_id, 100.0 * count(*) FILTER (WHERE tons > 5) / count(*) AS pct FROM boats GROUP BY harbour_id) SELECT avg(pct) FROM p";
    assert!(has(
        "What share of the boats is heavy?",
        sql,
        Check::AverageOfAverages
    ));
}

#[test]
fn a_table_that_may_inherit_from_the_named_one_is_asked_for_the_others() {
    let asked = |question: &str| probes(question, "SELECT count(*) FROM old_harbours", Check::Name);
    assert_eq!(
        asked("How many harbours are there?"),
        [
            "SELECT 1 FROM harbours WHERE tableoid = (SELECT tableoid FROM old_harbours LIMIT 1) AND EXISTS (SELECT 1 FROM harbours AS other WHERE other.tableoid <> (SELECT tableoid FROM old_harbours LIMIT 1)) LIMIT 1"
        ]
    );
    assert!(asked("How many old harbours are there?").is_empty());
}

#[test]
fn rows_of_a_sub_query_are_counted_once() {
    let sql = "WITH x AS (SELECT b.boat_id FROM boats b JOIN crews c USING (boat_id)) SELECT count(*) FROM x";
    assert!(has("How many boats are there?", sql, Check::JoinFanOut));
    let asked = "How many boats are there with their crews?";
    let distinct = "WITH x AS (SELECT DISTINCT b.boat_id FROM boats b JOIN crews c USING (boat_id)) SELECT count(*) FROM x";
    assert!(!has(asked, distinct, Check::JoinFanOut));
}

#[test]
fn what_a_key_or_a_compound_is_called_is_counted_once() {
    for (question, sql) in [
        // The key is called like what is counted.
        (
            "How many engines run on diesel?",
            "SELECT count(*) FROM engine_kinds k JOIN has_engine h USING (engine) WHERE k.fuel = 'diesel'",
        ),
        (
            "How many different boats are there?",
            "SELECT count(*) FROM boats b JOIN crews c USING (boat_id)",
        ),
        // Boats are no repairs of them.
        (
            "What is the average tons of the boats?",
            "SELECT avg(b.tons) FROM boats b JOIN boatrepairs r USING (boat_id)",
        ),
    ] {
        assert!(has(question, sql, Check::JoinFanOut), "{question}: {sql}");
    }
    let sql = "SELECT count(*) FROM engine_kinds WHERE fuel = 'diesel'";
    assert!(!has(
        "How many engines run on diesel?",
        sql,
        Check::JoinFanOut
    ));
}

#[test]
fn nan_is_above_every_number() {
    for (sql, values) in [
        ("SELECT max(draught) FROM boats", &["NaN"][..]),
        (
            "SELECT draught FROM boats ORDER BY draught DESC LIMIT 1",
            &["NaN"][..],
        ),
    ] {
        let found = find_asked_of("Which boat has the highest draught?", sql, &[], values);
        assert!(found.contains(&Check::Aggregate), "{sql}");
    }
    let rising = "SELECT draught FROM boats ORDER BY draught";
    let found = find_asked_of("What are the draughts?", rising, &[], &["1", "NaN"]);
    assert!(!found.contains(&Check::Aggregate));
}

fn find_asked_of(
    question: &str,
    sql: &str,
    definitions: &[Definition],
    values: &[&str],
) -> Vec<Check> {
    checks(question, sql, definitions, &[], values)
}

fn checks(
    question: &str,
    sql: &str,
    definitions: &[Definition],
    groups: &[(String, String)],
    values: &[&str],
) -> Vec<Check> {
    let understanding = Understanding::of(question, "2026-11-21");
    let asked = Asked {
        definitions,
        groups,
        ..Asked::alone(&understanding)
    };
    let execution = Execution {
        rows: rows_of(values),
        ..Execution::default()
    };
    let found = find_asked(sql, &line(), &asked, Some(&execution)).into_iter();
    found.map(|finding| finding.check).collect()
}

#[test]
fn a_definition_is_applied_as_it_is() {
    let late = Definition {
        term: "late".to_owned(),
        sql_expression: Some("left_on > due_on".to_owned()),
        applies_to: Some(5),
        ..Definition::default()
    };
    let is_wrong = |question: &str, condition: &str| {
        let sql = format!("SELECT count(*) FROM dockings d WHERE {condition}");
        find_asked_of(question, &sql, std::slice::from_ref(&late), &["7"])
            .contains(&Check::Definition)
    };
    let asked = "How many late dockings are there?";
    for condition in [
        "d.due_on > d.left_on",
        "left_on >= due_on",
        "left_on > due_on + 1",
        "left_on > current_date",
    ] {
        assert!(is_wrong(asked, condition), "{condition}");
    }
    for condition in [
        "left_on > due_on",
        "d.due_on < d.left_on",
        "left_on::date > due_on AND boat_id = 7",
        "left_on - due_on > 0",
    ] {
        assert!(!is_wrong(asked, condition), "{condition}");
    }
    assert!(!is_wrong(
        "How many dockings were not late?",
        "left_on <= due_on"
    ));
    assert!(!is_wrong(
        "How many dockings were late by 3 days?",
        "left_on > due_on + 3"
    ));
}

#[test]
fn years_that_begin_in_another_month_are_no_calendar_years() {
    let year = [("fiscal year".to_owned(), "year starting in July".to_owned())];
    let is_wrong = |question: &str, year_of: &str| {
        let sql = format!("SELECT {year_of} AS year, count(*) FROM boats GROUP BY 1");
        let groups = match question.contains("fiscal") {
            true => &year[..],
            false => &[],
        };
        checks(question, &sql, &[], groups, &["2024", "2025"]).contains(&Check::Period)
    };
    assert!(is_wrong(
        "boats by fiscal year",
        "extract(year FROM crossed_on)"
    ));
    assert!(is_wrong(
        "boats per fiscal year",
        "date_trunc('year', crossed_on)"
    ));
    assert!(!is_wrong(
        "boats by fiscal year",
        "extract(year FROM crossed_on + interval '6 months')"
    ));
    assert!(!is_wrong("boats by year", "extract(year FROM crossed_on)"));
}
