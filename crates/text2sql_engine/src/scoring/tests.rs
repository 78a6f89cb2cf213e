//! Scores of queries with known faults.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::*;
use text2sql_analysis::findings::{Basis, Check, Finding, Severity};
use text2sql_domain::schema::{Column, Table};
use text2sql_domain::score::{Fault, Relevance};
use text2sql_domain::sql_result::{Cell, Execution};
use text2sql_domain::validate::{Rejection, Rule};
use text2sql_language::understanding::Understanding;

fn table(name: &str, columns: &[&str]) -> Arc<Table> {
    Arc::new(Table {
        name: name.to_owned(),
        columns: columns
            .iter()
            .map(|name| Column {
                name: (*name).to_owned(),
                ..Column::default()
            })
            .collect(),
        ..Table::default()
    })
}

fn shop() -> Vec<Arc<Table>> {
    vec![
        table(
            "customers",
            &["customer_id", "name", "country", "joined_on"],
        ),
        table("orders", &["order_id", "customer_id", "total", "status"]),
    ]
}

fn rows(count: usize) -> Execution {
    let cell = Cell {
        text: Some("5".to_owned()),
        json: RawValue::from_string("5".to_owned()).expect("JSON"),
    };
    Execution {
        rows: vec![vec![cell]; count],
        plan_cost: 100.0,
        plan_rows: count as f64,
        ..Execution::default()
    }
}

fn scored(question: &str, sql: &str, ending: Ending<'_>, findings: &[Finding]) -> Score {
    scored_over(&shop(), question, sql, ending, findings)
}

fn scored_over(
    tables: &[Arc<Table>],
    question: &str,
    sql: &str,
    ending: Ending<'_>,
    findings: &[Finding],
) -> Score {
    let facts = Facts {
        understanding: &Understanding::of(question, "2026-11-21"),
        sql,
        ending,
        findings,
        tables,
        values: &[],
        definitions: &[],
        is_follow_up: false,
        max_cost: 5.0e6,
    };
    score(&facts, &ScoreConfig::default())
}

/// What is said of the words of a question that are not in the query.
fn unsaid(question: &str, sql: &str, tables: &[Arc<Table>]) -> String {
    let score = scored_over(tables, question, sql, Ending::Ran(&rows(1)), &[]);
    let part = part(&score, Dimension::Completeness);
    assert!(part.score.is_none_or(|score| score == 1.0), "{part:?}");
    part.reason.clone()
}

const ALL_NAMED: &str = "Everything that the question names is in it.";

fn part(score: &Score, dimension: Dimension) -> &Part {
    let mut parts = score.parts.iter();
    parts
        .find(|part| part.dimension == dimension)
        .expect("a part")
}

fn finding(check: Check, severity: Severity) -> Finding {
    Finding {
        check,
        severity,
        basis: Basis::Measured,
        evidence: "something".to_owned(),
        fix: None,
        probe: None,
        refuted_by: None,
    }
}

#[test]
fn a_faultless_query_gets_the_full_score() {
    let sql = "SELECT count(*) AS customers FROM customers WHERE country = 'Germany'";
    let score = scored(
        "How many customers are in Germany?",
        sql,
        Ending::Ran(&rows(1)),
        &[],
    );
    assert!((score.total() - 1.0).abs() < 1e-9, "{:?}", score.parts);
    assert!(score.passes() && score.complaints().is_empty());
}

#[test]
fn words_and_constants_of_one_side_only_are_told_and_cost_nothing() {
    let question = "What is the total of the orders of each customer from Germany in 2024?";
    let sql = "SELECT sum(total) FROM orders WHERE status = 'paid' LIMIT 10";
    let score = scored(question, sql, Ending::Ran(&rows(1)), &[]);
    let complete = part(&score, Dimension::Completeness);
    assert_eq!(complete.score, Some(1.0), "{}", complete.reason);
    assert!(complete.reason.contains("\"customers\"") && complete.reason.contains("\"2024\""));
    let meant = part(&score, Dimension::SemanticAccuracy);
    assert_eq!(meant.score, Some(1.0), "{}", meant.reason);
    assert!(meant.reason.contains("\"paid\"") && meant.reason.contains("\"10\""));
    assert!(score.passes() && score.complaints().is_empty());
}

#[test]
fn years_after_and_numbers_in_words_are_the_same_numbers() {
    let question = "Which five customers joined after 2020?";
    let sql =
        "SELECT name FROM customers WHERE joined_on >= '2021-01-01' ORDER BY joined_on LIMIT 5";
    let score = scored(question, sql, Ending::Ran(&rows(5)), &[]);
    assert_eq!(part(&score, Dimension::Completeness).reason, ALL_NAMED);
    assert_eq!(
        part(&score, Dimension::SemanticAccuracy).reason,
        "The question asks for all that it compares with."
    );
}

#[test]
fn a_question_in_another_language_mentions_nothing() {
    let sql = "SELECT count(*) FROM customers";
    let score = scored("顧客は何人？", sql, Ending::Ran(&rows(1)), &[]);
    assert!((score.total() - 1.0).abs() < 1e-9);
}

#[test]
fn findings_and_empty_results_cost_correctness() {
    let sql = "SELECT name FROM customers";
    let empty = scored("Names of customers", sql, Ending::Ran(&rows(0)), &[]);
    assert_eq!(part(&empty, Dimension::Correctness).score, Some(0.8));
    assert!(empty.passes(), "one fault alone passes");
    let doubtful = [finding(Check::JoinFanOut, Severity::Warning)];
    let doubtful = scored("Names of customers", sql, Ending::Ran(&rows(0)), &doubtful);
    assert_eq!(part(&doubtful, Dimension::Correctness).score, Some(0.4));
    assert!(doubtful.total() < empty.total());
    let two = [
        finding(Check::UnknownValue, Severity::Error),
        finding(Check::JoinFanOut, Severity::Warning),
    ];
    let wrong = scored("Orders of 2024", sql, Ending::Ran(&rows(0)), &two);
    assert!(!wrong.passes(), "{}", wrong.total());
    let said = wrong.complaints().join(" ");
    assert!(
        said.starts_with("A join repeats") || said.starts_with("It compares"),
        "{said}"
    );
}

#[test]
fn a_failed_query_scores_low() {
    let rejection = Rejection {
        rule: Rule::Function,
        reason: "function pg_sleep is not allowed".to_owned(),
        offender: None,
        position: None,
    };
    let score = scored(
        "Wait",
        "SELECT pg_sleep(1)",
        Ending::Rejected(&rejection),
        &[],
    );
    assert_eq!(part(&score, Dimension::Safety).score, Some(0.0));
    assert!(score.total() <= 0.30 && !score.passes());
    assert_eq!(score.faults(), [Fault::NotRun]);
}

#[test]
fn cost_and_estimates_count() {
    let costly = Execution {
        plan_cost: 5.0e6,
        plan_rows: 5_000.0,
        ..rows(2)
    };
    let score = scored(
        "Names",
        "SELECT name FROM customers",
        Ending::Ran(&costly),
        &[],
    );
    assert_eq!(
        (part(&score, Dimension::Efficiency).score.unwrap() * 1_000.0).round() / 1_000.0,
        0.2
    );
    assert_eq!(part(&score, Dimension::PlanQuality).score, Some(0.2));
    let product = [finding(Check::CartesianProduct, Severity::Warning)];
    let score = scored(
        "Names",
        "SELECT name FROM customers",
        Ending::Ran(&rows(2)),
        &product,
    );
    assert_eq!(part(&score, Dimension::Efficiency).score, Some(0.3));
}

#[test]
fn relevance_and_agreement_are_added() {
    let sql = "SELECT name FROM customers";
    let mut score = scored("Names of customers", sql, Ending::Ran(&rows(2)), &[]);
    let opinion = |score| {
        Some(Relevance {
            score,
            reason: "Names of orders were asked for.".to_owned(),
            is_for_asker_only: false,
        })
    };
    score.relevance = opinion(0.6);
    assert!((score.total() - (0.85 + 0.15 * 0.6)).abs() < 1e-9);
    assert!(score.passes());
    score.relevance = opinion(0.4);
    assert!(!score.passes() && score.total() < 0.7, "{}", score.total());
    assert_eq!(
        score.complaints().first(),
        Some(&"Names of orders were asked for.")
    );
    score.relevance = None;
    score.agree(1, 3);
    assert!((score.total() - (1.0 - 0.10 * 2.0 / 3.0)).abs() < 1e-9);
    assert!((score.agreement_share() - 1.0 / 3.0).abs() < 1e-9);
    let summary = score.summary();
    assert_eq!(summary["agreement"]["agreeing"], 1);
    assert_eq!(summary["dimensions"].as_array().map(Vec::len), Some(7));
}

#[test]
fn a_query_off_topic_fails() {
    let question = "How many orders were placed by customers since 2020?";
    let tables = &mut shop();
    tables.push(table("campaigns", &["campaign_id", "name"]));
    let scored = |sql: &str| scored_over(tables, question, sql, Ending::Ran(&rows(3)), &[]);
    // Neither keywords nor aliases count as a mention.
    for sql in [
        "SELECT name FROM campaigns",
        "SELECT name FROM campaigns ORDER BY name",
        "SELECT count(*) AS orders FROM campaigns AS customers",
        "WITH orders AS (SELECT 1) SELECT name FROM campaigns",
    ] {
        let score = scored(sql);
        assert_eq!(score.faults(), [Fault::OffTopic], "{sql}");
        assert!(score.total() < 0.7 && !score.passes(), "{}", score.total());
    }
    // A word that is a table in another form or language says nothing.
    let teaches = &[
        table("teaches", &["id"]),
        table("courses", &["title"]),
        table("clients", &["id"]),
    ];
    for question in [
        "Who wants to teach?",
        "Combien de clients avons-nous dans la ville ?",
    ] {
        let score = scored_over(
            teaches,
            question,
            "SELECT count(*) FROM courses",
            Ending::Ran(&rows(1)),
            &[],
        );
        assert!(score.passes(), "{question}");
    }
    // A follow-up mentions only what is new.
    let facts = Facts {
        understanding: &Understanding::of(question, "2026-11-21"),
        sql: "SELECT name FROM campaigns",
        ending: Ending::Ran(&rows(3)),
        findings: &[],
        tables,
        values: &[],
        definitions: &[],
        is_follow_up: true,
        max_cost: 5.0e6,
    };
    assert!(score(&facts, &ScoreConfig::default()).passes());
    let right = scored("SELECT count(*) FROM orders WHERE placed_on >= '2020-01-01'");
    assert!(right.passes(), "{:?}", right.complaints());
}

#[test]
fn a_column_that_refers_to_a_table_mentions_it() {
    let customers = Arc::new(Table {
        oid: 7,
        ..(*table("customers", &["id"])).clone()
    });
    let orders = Arc::new(Table {
        foreign_keys: vec![text2sql_domain::schema::ForeignKey {
            columns: vec!["buyer".to_owned()],
            target: 7,
            target_schema: "public".to_owned(),
            target_name: "customers".to_owned(),
            target_columns: vec!["id".to_owned()],
            is_taught: false,
        }],
        ..(*table("orders", &["buyer"])).clone()
    });
    let tables = &[customers, orders];
    let says = |sql: &str| unsaid("How many customers have ordered?", sql, tables);
    assert_eq!(says("SELECT count(DISTINCT buyer) FROM orders"), ALL_NAMED);
    assert!(says("SELECT count(*) FROM orders").contains("\"customers\""));
}

#[test]
fn names_that_are_words_of_sql_are_mentions_where_they_are_names() {
    let tables = &[table("groups", &["year", "rows"]), table("sets", &["name"])];
    let says = |question: &str, sql: &str| unsaid(question, sql, tables);
    let question = "How many rows have the groups by year?";
    let by_year = "SELECT year, sum(rows) FROM groups GROUP BY year";
    assert_eq!(says(question, by_year), ALL_NAMED);
    // GROUP is a keyword, `groups` is a table.
    let sets = "SELECT name, count(*) FROM sets GROUP BY name";
    assert!(says("How many groups?", sets).contains("\"groups\""));
}

#[test]
fn a_value_that_no_row_has_and_a_proved_fan_out_fail_alone() {
    let sql = "SELECT count(*) AS customers FROM customers WHERE country = 'Germany'";
    for check in [Check::UnknownValue, Check::JoinFanOut] {
        let certain = [finding(check, Severity::Error)];
        let score = scored(
            "How many customers are in Germany?",
            sql,
            Ending::Ran(&rows(1)),
            &certain,
        );
        assert_eq!(score.faults(), [Fault::Certain(check.as_str())]);
        assert!(score.total() < 0.7 && !score.passes(), "{}", score.total());
    }
    // A low threshold does not hide the fault.
    let facts = Facts {
        understanding: &Understanding::of("How many customers are in Germany?", "2026-11-21"),
        sql,
        ending: Ending::Ran(&rows(1)),
        findings: &[finding(Check::JoinFanOut, Severity::Error)],
        tables: &shop(),
        values: &[],
        definitions: &[],
        is_follow_up: false,
        max_cost: 5.0e6,
    };
    let lenient = ScoreConfig {
        threshold: 0.0,
        ..ScoreConfig::default()
    };
    assert!(!score(&facts, &lenient).passes());
}

#[test]
fn unknown_dimensions_cost_nothing() {
    let sql = "SELECT count(*) FROM customers";
    let score = scored("顧客は何人？", sql, Ending::Ran(&rows(0)), &[]);
    assert_eq!(part(&score, Dimension::Completeness).score, None);
    assert_eq!(part(&score, Dimension::SemanticAccuracy).score, None);
    // Correctness is 0.8 with weight 0.35, the other known ones are 1.
    let expected = 1.0 - 0.35 * 0.2;
    assert!((score.total() - expected).abs() < 1e-9, "{}", score.total());
    assert!(score.summary()["dimensions"][3]["score"].is_null());
}

#[test]
fn what_is_left_out_for_certain_costs_completeness() {
    let sql = "SELECT count(*) FROM customers";
    let question = "How many customers are in Germany?";
    let lacks = [finding(Check::LeftOut, Severity::Error)];
    let score = scored(question, sql, Ending::Ran(&rows(1)), &lacks);
    assert_eq!(part(&score, Dimension::Completeness).score, Some(0.2));
    assert_eq!(part(&score, Dimension::Correctness).score, Some(1.0));
    assert_eq!(score.faults(), [Fault::Certain("left_out")]);
}
