//! What is carried upward through CTEs and sub-queries, what keys contradict, and what a question says for certain.

use std::sync::Arc;

use super::super::{Asked, Check, Finding, Probe, Severity, find, find_asked};
use text2sql_domain::schema::{Definition, ForeignKey, Table, TableKind};
use text2sql_domain::schema_fixture::Build;
use text2sql_language::named_periods::{PeriodTerm, find as find_periods};
use text2sql_language::periods::mentioned::MentionedPeriod;
use text2sql_language::understanding::Understanding;
use text2sql_phrases::Language;

/// A shipyard: boats have repairs, repairs have parts; a price list by yard and year; two schemas with "crew".
fn yard() -> Vec<Arc<Table>> {
    let together = |table: &mut Table| {
        table.foreign_keys.push(ForeignKey {
            columns: vec!["yard".to_owned(), "season".to_owned()],
            target: 4,
            target_schema: "public".to_owned(),
            target_name: "tariffs".to_owned(),
            target_columns: vec!["yard".to_owned(), "season".to_owned()],
            is_taught: false,
        });
    };
    vec![
        Build::table(1, "boats")
            .columns("boat_id integer!, value numeric!, berth text, is_sold boolean, user text, current_date date, built_on date, tags text[]!, facts json")
            .key(&["boat_id"])
            .done(),
        Build::table(2, "repairs")
            .columns("repair_id integer!, boat_id integer!, cost numeric!, yard text!, season integer!, done_on date!")
            .key(&["repair_id"])
            .refers("boat_id", 1, "boats", "boat_id")
            .with(together)
            .done(),
        Build::table(3, "parts")
            .columns("part_id integer!, repair_id integer!, weight_grams integer, fee integer")
            .comment("fee", "in euro cents")
            .key(&["part_id"])
            .refers("repair_id", 2, "repairs", "repair_id")
            .done(),
        Build::table(4, "tariffs")
            .columns("yard text!, season integer!, rate numeric!")
            .key(&["yard", "season"])
            .done(),
        Build::table(5, "crew")
            .columns("crew_id integer!, name text!")
            .key(&["crew_id"])
            .with(|table| table.schema = "navy".to_owned())
            .done(),
        Build::table(6, "crew")
            .columns("crew_id integer!, name text!")
            .key(&["crew_id"])
            .with(|table| {
                table.schema = "pier".to_owned();
                table.is_visible = false;
            })
            .done(),
        Build::table(7, "shifts")
            .columns("shift_id integer!, crew_id integer!")
            .key(&["shift_id"])
            .refers("crew_id", 6, "crew", "crew_id")
            .with(|table| {
                if let Some(key) = table.foreign_keys.first_mut() {
                    key.target_schema = "pier".to_owned();
                }
            })
            .done(),
    ]
}

fn found(check: Check, sql: &str) -> Vec<Finding> {
    let findings = find(sql, &yard()).unwrap().expect(sql).into_iter();
    findings.filter(|finding| finding.check == check).collect()
}

/// Whether the finding is an error, by itself or as soon as the data confirm it.
fn can_be_certain(finding: &Finding) -> bool {
    finding.is_certain()
        || matches!(&finding.probe, Some(Probe::Rows { found, none, .. })
            if found.severity == Severity::Error
                || none.as_ref().is_some_and(|none| none.severity == Severity::Error))
}

#[track_caller]
fn speaks(check: Check, sql: &str, expected: bool) {
    let all = found(check, sql);
    assert_eq!(all.iter().any(can_be_certain), expected, "{sql}: {all:#?}");
}

#[test]
fn rows_repeated_below_an_aggregate_are_found() {
    for (sql, expected) in [
        (
            "SELECT sum(v) FROM (SELECT b.value AS v FROM boats b JOIN repairs r ON r.boat_id = b.boat_id) x",
            true,
        ),
        (
            "WITH x AS (SELECT b.value, r.cost FROM boats b JOIN repairs r USING (boat_id)) SELECT sum(value) FROM x",
            true,
        ),
        (
            "WITH x AS (SELECT b.value FROM boats b JOIN repairs r USING (boat_id)), y AS (SELECT value AS v FROM x) SELECT sum(v) FROM y",
            true,
        ),
        (
            "SELECT x.berth, sum(x.value) FROM (SELECT b.* FROM boats b JOIN repairs r ON r.boat_id = b.boat_id) x GROUP BY x.berth",
            true,
        ),
        (
            "SELECT b.boat_id, sum(b.value) OVER (PARTITION BY b.berth) FROM boats b JOIN repairs r ON r.boat_id = b.boat_id",
            true,
        ),
        (
            "SELECT sum(v) FROM (SELECT b.value AS v FROM boats b JOIN repairs r USING (boat_id) UNION ALL SELECT value FROM boats) x",
            true,
        ),
        // The many side, one row for each, and what a group or DISTINCT keeps apart.
        (
            "SELECT sum(cost) FROM (SELECT r.cost FROM boats b JOIN repairs r ON r.boat_id = b.boat_id) x",
            false,
        ),
        (
            "SELECT sum(v) FROM (SELECT DISTINCT b.boat_id, b.value AS v FROM boats b JOIN repairs r USING (boat_id)) x",
            false,
        ),
        (
            "SELECT sum(v) FROM (SELECT b.boat_id, max(b.value) AS v FROM boats b JOIN repairs r USING (boat_id) GROUP BY b.boat_id) x",
            false,
        ),
        (
            "SELECT repair_id, sum(v) FROM (SELECT r.repair_id, b.value AS v FROM boats b JOIN repairs r USING (boat_id)) x GROUP BY repair_id",
            false,
        ),
        (
            "SELECT sum(value * cost) FROM (SELECT b.value, r.cost FROM boats b JOIN repairs r USING (boat_id)) x",
            false,
        ),
        (
            "SELECT max(v) FROM (SELECT b.value AS v FROM boats b JOIN repairs r USING (boat_id)) x",
            false,
        ),
        (
            "SELECT sum(r.cost) OVER (PARTITION BY b.berth) FROM boats b JOIN repairs r USING (boat_id)",
            false,
        ),
        (
            "SELECT sum(b.value) OVER (PARTITION BY r.repair_id) FROM boats b JOIN repairs r USING (boat_id)",
            false,
        ),
    ] {
        speaks(Check::JoinFanOut, sql, expected);
    }
}

#[test]
fn a_join_on_a_part_of_a_foreign_key_is_found() {
    for (sql, expected) in [
        (
            "SELECT sum(r.cost * t.rate) FROM repairs r JOIN tariffs t ON t.yard = r.yard",
            true,
        ),
        (
            "SELECT r.repair_id, t.rate FROM repairs r JOIN tariffs t USING (season)",
            true,
        ),
        (
            "SELECT count(*) FROM repairs r, tariffs t WHERE t.season = r.season",
            true,
        ),
        (
            "SELECT 1 FROM repairs r JOIN tariffs t ON t.yard = r.yard AND t.season = r.season",
            false,
        ),
        (
            "SELECT 1 FROM repairs r JOIN tariffs t USING (yard, season)",
            false,
        ),
        (
            "SELECT 1 FROM repairs r JOIN tariffs t ON t.yard = r.yard AND t.season = 2025",
            false,
        ),
        (
            "SELECT 1 FROM repairs r JOIN tariffs t ON t.yard = r.yard WHERE t.season < r.season",
            false,
        ),
        // The season is that of a third row, not that of the repair.
        (
            "SELECT sum(t.rate) FROM repairs r JOIN tariffs t ON t.yard = r.yard JOIN parts p ON p.fee = t.season",
            true,
        ),
        (
            "SELECT sum(t.rate) FROM repairs r JOIN tariffs t ON t.yard = r.yard JOIN parts p ON p.fee = t.season AND p.fee = r.season",
            false,
        ),
        ("SELECT 1 FROM repairs r CROSS JOIN tariffs t", false),
    ] {
        speaks(Check::PartialKey, sql, expected);
    }
}

#[test]
fn a_join_with_another_table_than_the_key_refers_to_is_found() {
    for (sql, expected) in [
        (
            "SELECT c.name FROM shifts s JOIN crew c ON c.crew_id = s.crew_id",
            true,
        ),
        (
            "SELECT p.part_id FROM parts p JOIN boats b ON b.boat_id = p.repair_id",
            true,
        ),
        (
            "SELECT c.name FROM shifts s JOIN pier.crew c ON c.crew_id = s.crew_id",
            false,
        ),
        (
            "SELECT 1 FROM repairs r JOIN boats b ON b.boat_id = r.boat_id",
            false,
        ),
        (
            "SELECT 1 FROM repairs r JOIN repairs o ON o.boat_id = r.boat_id",
            false,
        ),
        (
            "SELECT 1 FROM parts p JOIN repairs r ON p.repair_id = r.repair_id JOIN boats b ON b.value = p.fee",
            false,
        ),
    ] {
        speaks(Check::WrongKey, sql, expected);
    }
    let finding = &found(
        Check::WrongKey,
        "SELECT c.name FROM shifts s JOIN crew c USING (crew_id)",
    )[0];
    assert_eq!(
        finding.evidence,
        "shifts.crew_id refers to pier.crew, and the join compares it with navy.crew.crew_id."
    );
}

#[test]
fn rows_with_null_are_lost_in_filters_case_and_negations_too() {
    for (sql, expected) in [
        (
            "SELECT count(*) FILTER (WHERE berth <> 'A1') FROM boats",
            true,
        ),
        (
            "SELECT sum(CASE WHEN berth <> 'A1' THEN 1 ELSE 0 END) FROM boats",
            true,
        ),
        ("SELECT count(*) FROM boats WHERE NOT is_sold", true),
        ("SELECT count(*) FROM boats WHERE is_sold = false", true),
        (
            "SELECT count(*) FROM boats WHERE NOT (is_sold = false)",
            true,
        ),
        (
            "SELECT count(*) FROM boats WHERE is_sold IS NULL OR is_sold = false",
            false,
        ),
        ("SELECT count(*) FROM boats WHERE is_sold = true", false),
        (
            "SELECT count(*) FROM boats WHERE NOT (berth = 'A1' OR value > 5)",
            true,
        ),
        (
            "SELECT count(*) FROM boats WHERE berth <> ALL (ARRAY['A1', 'A2'])",
            true,
        ),
        (
            "SELECT count(*) FROM boats WHERE value > 5 AND NOT (berth LIKE 'A%')",
            true,
        ),
        (
            "SELECT count(*) FILTER (WHERE berth <> 'A1' OR berth IS NULL) FROM boats",
            false,
        ),
        (
            "SELECT sum(CASE WHEN berth <> 'A1' THEN 1 ELSE value END) FROM boats",
            false,
        ),
        ("SELECT count(*) FROM boats WHERE is_sold", false),
        (
            "SELECT count(*) FROM boats WHERE NOT (berth <> 'A1')",
            false,
        ),
        ("SELECT count(*) FROM boats WHERE NOT (value = 5)", false),
        (
            "SELECT count(*) FILTER (WHERE is_sold IS NOT TRUE) FROM boats",
            false,
        ),
    ] {
        assert_eq!(
            !found(Check::DroppedNulls, sql).is_empty(),
            expected,
            "{sql}"
        );
    }
    let all = found(
        Check::NotInWithNulls,
        "SELECT 1 FROM boats WHERE berth <> ALL (SELECT berth FROM boats)",
    );
    assert_eq!(all.len(), 1);
}

#[test]
fn words_that_are_functions_without_quotes_are_found() {
    for (sql, expected) in [
        ("SELECT boat_id, user FROM boats", true),
        ("SELECT count(DISTINCT USER) FROM boats b", true),
        ("SELECT 1 FROM boats WHERE user = 'ina' GROUP BY user", true),
        ("SELECT 1 FROM boats WHERE built_on < current_date", true),
        ("SELECT \"user\" FROM boats", false),
        ("SELECT b.user FROM boats b", false),
        (
            "SELECT current_date FROM repairs WHERE done_on < current_date",
            false,
        ),
    ] {
        speaks(Check::NameIsFunction, sql, expected);
    }
}

#[test]
fn keys_and_elements_are_looked_up() {
    for (sql, probe) in [
        (
            "SELECT count(*) FROM boats WHERE facts ->> 'hull' = 'oak'",
            "SELECT 1 FROM boats WHERE facts -> 'hull' IS NOT NULL LIMIT 1",
        ),
        (
            "SELECT count(*) FROM boats WHERE 'fast' = ANY (tags)",
            "SELECT 1 FROM boats WHERE 'fast' = ANY (tags) LIMIT 1",
        ),
    ] {
        let all = found(Check::UnknownValue, sql);
        let probes = all.iter().filter_map(|finding| match &finding.probe {
            Some(Probe::Rows { sql, .. }) => Some(sql.as_str()),
            _ => None,
        });
        assert_eq!(probes.collect::<Vec<_>>(), [probe], "{sql}");
    }
}

#[test]
fn a_result_that_is_called_by_another_unit_is_found() {
    for (sql, expected) in [
        ("SELECT sum(fee) AS euros FROM parts", true),
        ("SELECT avg(p.fee) AS average_eur FROM parts p", true),
        ("SELECT sum(weight_grams) AS total_kg FROM parts", true),
        ("SELECT sum(fee) / 100.0 AS euros FROM parts", false),
        ("SELECT sum(fee) AS cents FROM parts", false),
        ("SELECT count(fee) AS euros FROM parts", false),
        ("SELECT sum(fee) AS total FROM parts", false),
    ] {
        speaks(Check::MixedUnits, sql, expected);
    }
}

pub(super) fn asked(question: &str, sql: &str, definitions: &[Definition]) -> Vec<Finding> {
    let understanding = Understanding::of(question, "2026-11-21");
    let terms: Vec<PeriodTerm> = definitions
        .iter()
        .filter_map(|own| PeriodTerm::defined(&own.term, &own.synonyms, own.period.as_deref()?))
        .collect();
    let periods: Vec<MentionedPeriod> = find_periods(&understanding, &terms, &Vec::new)
        .into_iter()
        .filter_map(|period| {
            let mut own = MentionedPeriod::of(&period.text, period.days?, Language::ENGLISH);
            own.means = Some(period.said);
            Some(own)
        })
        .collect();
    let asked = Asked {
        periods: &periods,
        definitions,
        ..Asked::alone(&understanding)
    };
    find_asked(sql, &yard(), &asked, None)
}

#[test]
fn a_part_of_a_table_for_the_whole_is_looked_up() {
    let mut tables = yard();
    for table in &mut tables {
        if table.name == "repairs" {
            let mut whole = (**table).clone();
            whole.kind = TableKind::PartitionedTable;
            *table = Arc::new(whole);
        }
    }
    for (question, sql, expected) in [
        (
            "What did all repairs cost?",
            "SELECT sum(cost) FROM ONLY repairs",
            true,
        ),
        (
            "What did all repairs cost?",
            "SELECT sum(cost) FROM repairs_north",
            true,
        ),
        (
            "What did repairs cost in 2025?",
            "SELECT sum(cost) FROM repairs_2025",
            false,
        ),
        (
            "What did all repairs cost?",
            "SELECT sum(cost) FROM repairs only",
            false,
        ),
        (
            "How many boats?",
            "SELECT count(*) FROM repairs_north",
            false,
        ),
    ] {
        let understanding = Understanding::of(question, "2026-11-21");
        let asked = Asked::alone(&understanding);
        let all = find_asked(sql, &tables, &asked, None);
        let has = all
            .iter()
            .any(|finding| finding.check == Check::Name && finding.probe.is_some());
        assert_eq!(has, expected, "{question} {sql}: {all:#?}");
    }
}

#[test]
fn a_taught_definition_that_is_written_otherwise_is_found() {
    let definition = Definition {
        term: "dear repair".to_owned(),
        synonyms: vec!["costly repair".to_owned()],
        sql_expression: Some("cost > 900 AND yard = 'North'".to_owned()),
        applies_to: Some(2),
        ..Definition::default()
    };
    for (question, condition, expected) in [
        ("How many dear repairs?", "cost > 900", true),
        ("What did each dear repair cost?", "cost > 900", true),
        (
            "What did each dear repair cost?",
            "cost > 90 AND yard = 'North'",
            true,
        ),
        (
            "What did each costly repair cost?",
            "cost > 900 AND yard = 'South'",
            true,
        ),
        (
            "What did each dear repair cost?",
            "cost > 900 AND yard = 'North'",
            false,
        ),
        ("What did each repair cost?", "cost > 1", false),
    ] {
        let sql = format!("SELECT cost FROM repairs WHERE {condition}");
        let all = asked(question, &sql, std::slice::from_ref(&definition));
        let has = all.iter().any(|finding| finding.check == Check::Definition);
        assert_eq!(has, expected, "{question} {condition}: {all:#?}");
    }
}

#[test]
fn an_amount_in_another_unit_and_a_count_of_repeated_rows_are_found() {
    for (question, sql, check, expected) in [
        (
            "Which parts have a fee over 50 euros?",
            "SELECT part_id FROM parts WHERE fee > 50",
            Check::MixedUnits,
            true,
        ),
        (
            "Which parts have a fee over 50 euros?",
            "SELECT part_id FROM parts WHERE fee > 5000",
            Check::MixedUnits,
            false,
        ),
        (
            "Which parts have a fee over 50 cents?",
            "SELECT part_id FROM parts WHERE fee > 50",
            Check::MixedUnits,
            false,
        ),
        (
            "How many boats were repaired?",
            "SELECT count(*) FROM boats b JOIN repairs r USING (boat_id)",
            Check::JoinFanOut,
            true,
        ),
        (
            "Show each berth and the number of boats",
            "SELECT berth, count(*) FROM boats b JOIN repairs r USING (boat_id) GROUP BY berth",
            Check::JoinFanOut,
            true,
        ),
        (
            "Name and phone number of boats with more than one repair",
            "SELECT b.berth, count(*) FROM boats b JOIN repairs r USING (boat_id) GROUP BY b.berth",
            Check::JoinFanOut,
            false,
        ),
        (
            "The number of boats with more than one repair",
            "SELECT b.boat_id FROM boats b JOIN repairs r USING (boat_id) GROUP BY b.boat_id HAVING count(*) > 1",
            Check::JoinFanOut,
            false,
        ),
        (
            "Show each berth and the number of its repairs",
            "SELECT berth, count(*) FROM boats b JOIN repairs r USING (boat_id) GROUP BY berth",
            Check::JoinFanOut,
            false,
        ),
        (
            "How many repairs were there of boats?",
            "SELECT count(*) FROM boats b JOIN repairs r USING (boat_id)",
            Check::JoinFanOut,
            false,
        ),
        (
            "How many boats were repaired?",
            "SELECT count(DISTINCT boat_id) FROM repairs",
            Check::JoinFanOut,
            false,
        ),
        (
            "How many boats?",
            "SELECT count(*) FROM boats",
            Check::JoinFanOut,
            false,
        ),
    ] {
        let all = asked(question, sql, &[]);
        let has = all
            .iter()
            .any(|finding| finding.check == check && can_be_certain(finding));
        assert_eq!(has, expected, "{question} {sql}: {all:#?}");
    }
}

#[test]
fn a_comparison_the_other_way_round_and_another_limit_are_found() {
    for (question, sql, expected) in [
        (
            "Which repairs cost more than 900?",
            "SELECT 1 FROM repairs WHERE cost < 900",
            true,
        ),
        (
            "Which repairs cost at most 900?",
            "SELECT 1 FROM repairs WHERE 900 <= cost",
            true,
        ),
        (
            "Welche repairs kosten mehr als 900?",
            "SELECT 1 FROM repairs WHERE cost <= 900",
            true,
        ),
        (
            "Yards with at least 3 repairs",
            "SELECT yard FROM repairs GROUP BY yard HAVING count(*) < 3",
            true,
        ),
        (
            "The top 3 repairs by cost",
            "SELECT 1 FROM repairs ORDER BY cost DESC LIMIT 5",
            true,
        ),
        (
            "The top three repairs by cost",
            "SELECT 1 FROM repairs ORDER BY cost DESC LIMIT 3",
            false,
        ),
        (
            "Which repairs cost more than 900?",
            "SELECT 1 FROM repairs WHERE cost > 900",
            false,
        ),
        (
            "Which repairs do not cost more than 900?",
            "SELECT 1 FROM repairs WHERE cost <= 900",
            false,
        ),
        (
            "Which repairs cost more than 900?",
            "SELECT 1 FROM repairs WHERE NOT (cost < 900)",
            false,
        ),
        (
            "Which repairs cost over 10,000?",
            "SELECT 1 FROM repairs WHERE cost < 10",
            false,
        ),
        (
            "Which repairs cost 900?",
            "SELECT 1 FROM repairs WHERE cost < 900",
            false,
        ),
    ] {
        let all = asked(question, sql, &[]);
        let has = all
            .iter()
            .any(|finding| finding.check == Check::Direction && finding.is_certain());
        assert_eq!(has, expected, "{question} {sql}: {all:#?}");
    }
}
