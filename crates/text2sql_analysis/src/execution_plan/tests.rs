//! Plans as printed by PostgreSQL, and their descriptions.

use super::{Plan, PlanStep, describe, summary};
use text2sql_domain::schema_fixture::shop;

fn plan(json: &str) -> Plan {
    Plan::read(&format!("[{{\"Plan\": {json}, \"Execution Time\": 12.5}}]")).unwrap()
}

fn described(json: &str) -> Vec<PlanStep> {
    describe(&plan(json), &shop(), 4096.0)
}

fn problem(json: &str) -> String {
    described(json)[0].problem.clone().unwrap_or_default()
}

#[test]
fn describes_steps_in_plain_words() {
    let check = |json: &str, expect: &str| assert_eq!(described(json)[0].explanation, expect);
    check(
        r#"{"Node Type": "Seq Scan", "Relation Name": "orders", "Schema": "public", "Alias": "o",
            "Filter": "(o.status = 'paid'::text)"}"#,
        "Reads every row of orders (as o); keeps the rows where o.status = 'paid'.",
    );
    check(
        r#"{"Node Type": "Index Scan", "Relation Name": "orders", "Alias": "orders",
            "Index Name": "orders_pkey", "Index Cond": "(order_id = 7)"}"#,
        "Finds rows of orders by the index orders_pkey: order_id = 7.",
    );
    check(
        r#"{"Node Type": "Aggregate", "Strategy": "Hashed", "Group Key": ["status", "currency"]}"#,
        "Groups by status, currency with a hash table.",
    );
    check(
        r#"{"Node Type": "Hash Join", "Join Type": "Anti", "Hash Cond": "(a.id = b.id)"}"#,
        "Joins by a hash table of the second input, where a.id = b.id, keeping rows of the first that have no match.",
    );
    check(
        r#"{"Node Type": "Hash Join", "Join Type": "Right Anti", "Hash Cond": "(a.id = b.id)"}"#,
        "Joins by a hash table of the second input, where a.id = b.id, keeping rows of the second that have no match.",
    );
    check(
        r#"{"Node Type": "Gather", "Workers Planned": 2}"#,
        "Collects the rows of helper processes; 2 helper processes share the work.",
    );
    check(
        r#"{"Node Type": "Custom Scan"}"#,
        "Runs the step Custom Scan.",
    );
    check(
        r#"{"Node Type": "Seq Scan", "Relation Name": "t", "Schema": "Other One"}"#,
        "Reads every row of \"Other One\".t.",
    );
}

#[test]
fn a_scan_for_few_rows_is_a_problem_and_one_for_many_is_none() {
    let scan = |kept: u32, removed: u32| {
        problem(&format!(
            r#"{{"Node Type": "Seq Scan", "Relation Name": "orders", "Schema": "public",
                "Filter": "(lower(status) = 'x'::text)", "Plan Rows": {kept}, "Actual Rows": {kept},
                "Actual Loops": 1, "Rows Removed by Filter": {removed}}}"#
        ))
    };
    let slow = scan(40, 20_000);
    assert!(slow.starts_with("It reads 20040 rows to keep 40"), "{slow}");
    assert!(slow.contains("wraps a column in a function"), "{slow}");
    assert_eq!(scan(15_000, 5_000), "");
    assert_eq!(scan(1, 100), "", "a small table is read in no time");
}

#[test]
fn reports_what_does_not_fit_into_memory() {
    let sort = r#"{"Node Type": "Sort", "Sort Space Type": "Disk", "Sort Space Used": 9000,
        "Actual Loops": 1, "Actual Rows": 10, "Plan Rows": 10}"#;
    assert!(
        problem(sort).contains("SET work_mem = '18MB'"),
        "{}",
        problem(sort)
    );
    let hash = r#"{"Node Type": "Hash", "Hash Batches": 8, "Actual Loops": 1}"#;
    assert!(problem(hash).contains("cut into 8 pieces"));
    let expected = r#"{"Node Type": "Sort", "Plan Rows": 1000000, "Plan Width": 100}"#;
    assert!(problem(expected).contains("will write to disk"));
    let fits = r#"{"Node Type": "Sort", "Plan Rows": 1000, "Plan Width": 100}"#;
    assert_eq!(problem(fits), "");
}

#[test]
fn reports_wrong_estimates_where_they_begin() {
    let scan = |expected: u32, above: &str| {
        format!(
            r#"{{"Node Type": "{above}", "Plans": [{{"Node Type": "Seq Scan",
                "Relation Name": "orders", "Schema": "public", "Plan Rows": {expected},
                "Actual Rows": 50000, "Actual Loops": 1}}]}}"#
        )
    };
    let below = |json: &str| described(json)[1].problem.clone().unwrap_or_default();
    assert!(below(&scan(10, "Aggregate")).contains("ANALYZE orders"));
    assert_eq!(below(&scan(40_000, "Aggregate")), "");
    assert_eq!(below(&scan(10, "Limit")), "", "LIMIT stops a step early");
}

#[test]
fn reports_unanalysed_tables_repeated_scans_and_missing_workers() {
    let fresh = r#"{"Node Type": "Seq Scan", "Relation Name": "fresh", "Schema": "public"}"#;
    assert!(problem(fresh).contains("never analysed"));
    let nested = r#"{"Node Type": "Nested Loop", "Plans": [
        {"Node Type": "Seq Scan", "Relation Name": "customers", "Plan Rows": 5000},
        {"Node Type": "Seq Scan", "Relation Name": "orders", "Plan Rows": 8000}]}"#;
    assert!(problem(nested).contains("all of orders about 5000 times"));
    let workers = r#"{"Node Type": "Gather", "Workers Planned": 2, "Workers Launched": 0}"#;
    assert!(problem(workers).starts_with("Only 0 of 2"));
    let discarded = r#"{"Node Type": "Index Scan", "Relation Name": "orders", "Actual Loops": 1,
        "Actual Rows": 3, "Rows Removed by Filter": 90000, "Plan Rows": 3}"#;
    assert!(problem(discarded).contains("gave 90000 rows"));
}

#[test]
fn the_summary_names_the_costliest_step() {
    let json = r#"{"Node Type": "Sort", "Total Cost": 110, "Plan Rows": 5, "Plans": [
        {"Node Type": "Seq Scan", "Relation Name": "orders", "Total Cost": 100, "Plan Rows": 5}]}"#;
    assert_eq!(
        summary(&plan(json)),
        "The planner expects 5 rows and a cost of 110; step 2 (Seq Scan on orders) makes 91 % of it. It ran for 12.5 ms."
    );
}

#[test]
fn what_is_no_plan_is_an_error() {
    for text in [
        "",
        "[]",
        "{}",
        "[{\"Plan\": 3}]",
        "[{\"Plan\": {\"Plans\": [1]}}]",
    ] {
        assert!(Plan::read(text).is_err(), "{text}");
    }
}
