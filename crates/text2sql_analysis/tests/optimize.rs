//! Which rewrites and indexes are proposed, and which are not.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use port_contracts::World;
use text2sql_analysis::execution_plan::Plan;
use text2sql_analysis::findings::Effort;
use text2sql_analysis::optimize::{
    ExistingIndex, ImaginedPlan, Inserted, Planner, ProposalKind, Rewrite, Storage, optimize,
    rewrites,
};
use text2sql_domain::config::Limits;
use text2sql_domain::error::Error;
use text2sql_domain::ports::{Database, Outcome};
use text2sql_domain::schema::Table;
use text2sql_domain::schema_fixture::shop;
use text2sql_domain::sql_result::{Execution, ResultColumn};

fn storage() -> Vec<Storage> {
    shop()
        .iter()
        .map(|table| Storage {
            table: table.oid,
            ..Storage::default()
        })
        .collect()
}

fn of_rule(rule: &str, sql: &str) -> Option<Rewrite> {
    let found = rewrites(sql, &shop(), &storage()).unwrap();
    found.into_iter().find(|rewrite| rewrite.rule == rule)
}

/// The rule rewrites the query to the expected SQL.
fn writes(rule: &str, sql: &str, expect: &str) {
    let rewrite = of_rule(rule, sql).unwrap_or_else(|| panic!("{rule} does not apply to {sql}"));
    assert_eq!(rewrite.sql, expect);
}

/// The rule does not apply.
fn leaves(rule: &str, queries: &[&str]) {
    for sql in queries {
        assert_eq!(of_rule(rule, sql), None, "{sql}");
    }
}

#[test]
fn not_in_becomes_not_exists_when_nothing_is_null() {
    writes(
        "not_in_to_not_exists",
        "SELECT name FROM customers c WHERE customer_id NOT IN (SELECT customer_id FROM orders)",
        "SELECT name FROM customers c WHERE NOT EXISTS (SELECT 1 FROM (SELECT customer_id FROM \
         orders) AS given (value) WHERE given.value = c.customer_id)",
    );
    leaves(
        "not_in_to_not_exists",
        &[
            "SELECT name FROM customers WHERE customer_id NOT IN (SELECT referred_by FROM customers)",
            "SELECT name FROM customers WHERE referred_by NOT IN (SELECT customer_id FROM orders)",
            "SELECT c.name FROM orders o LEFT JOIN customers c USING (customer_id) WHERE c.customer_id NOT IN (SELECT customer_id FROM orders)",
            "SELECT name FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM orders) OR name = 'x'",
            "SELECT name FROM customers WHERE customer_id NOT IN (SELECT max(referred_by) FROM customers)",
        ],
    );
}

#[test]
fn distinct_goes_where_a_key_is_shown() {
    writes(
        "distinct_removal",
        "SELECT DISTINCT customer_id, name FROM customers WHERE country_id = 1",
        "SELECT customer_id, name FROM customers WHERE country_id = 1",
    );
    writes(
        "distinct_removal",
        "SELECT DISTINCT o.order_id, c.name FROM orders o JOIN customers c USING (customer_id)",
        "SELECT o.order_id, c.name FROM orders o JOIN customers c USING(customer_id)",
    );
    leaves(
        "distinct_removal",
        &[
            "SELECT DISTINCT name FROM customers",
            "SELECT DISTINCT c.customer_id FROM customers c JOIN orders o USING (customer_id)",
            // A unique column may hold several NULLs.
            "SELECT DISTINCT email FROM customers",
            "SELECT DISTINCT o.order_id FROM customers c LEFT JOIN orders o USING (customer_id)",
            "SELECT DISTINCT ON (customer_id) customer_id FROM customers",
            "SELECT DISTINCT kind FROM events",
        ],
    );
}

#[test]
fn functions_of_dates_become_ranges() {
    for (condition, low, high) in [
        (
            "ordered_at::date = '2025-01-31'",
            "2025-01-31",
            "2025-02-01",
        ),
        (
            "date(ordered_at) = '2024-02-28'",
            "2024-02-28",
            "2024-02-29",
        ),
        (
            "date_trunc('month', ordered_at) = '2025-12-01'",
            "2025-12-01",
            "2026-01-01",
        ),
        (
            "date_trunc('year', ordered_at) = DATE '2025-01-01'",
            "2025-01-01",
            "2026-01-01",
        ),
        (
            "extract(year FROM ordered_at) = 2025",
            "2025-01-01",
            "2026-01-01",
        ),
    ] {
        writes(
            "function_to_range",
            &format!("SELECT * FROM orders WHERE {condition}"),
            &format!(
                "SELECT * FROM orders WHERE (ordered_at >= DATE '{low}' AND ordered_at < DATE '{high}')"
            ),
        );
    }
    leaves(
        "function_to_range",
        &[
            "SELECT * FROM orders WHERE date_trunc('month', ordered_at) = '2025-12-02'",
            "SELECT * FROM orders WHERE ordered_at::date > '2025-01-31'",
            "SELECT * FROM orders WHERE ordered_at::date = '2025-02-30'",
            "SELECT * FROM orders WHERE ordered_at::date = due",
            "SELECT * FROM orders WHERE extract(month FROM ordered_at) = 5",
        ],
    );
}

#[test]
fn removes_a_join_guaranteed_by_a_foreign_key() {
    writes(
        "foreign_key_join",
        "SELECT o.total FROM orders o JOIN customers c ON c.customer_id = o.customer_id WHERE o.total > 5",
        "SELECT o.total FROM orders o WHERE o.total > 5",
    );
    leaves(
        "foreign_key_join",
        &[
            "SELECT o.total, c.name FROM orders o JOIN customers c ON c.customer_id = o.customer_id",
            "SELECT o.total FROM orders o JOIN customers c ON c.customer_id = o.customer_id WHERE c.name = 'x'",
            "SELECT * FROM orders o JOIN customers c ON c.customer_id = o.customer_id",
            // The referring column may be NULL.
            "SELECT a.name FROM customers a JOIN customers b ON b.customer_id = a.referred_by",
            "SELECT c.name FROM customers c JOIN orders o ON c.customer_id = o.customer_id",
            "SELECT o.total FROM orders o JOIN customers c ON c.customer_id = o.customer_id AND o.total > 5",
            "SELECT o.total FROM payments p LEFT JOIN orders o USING (order_id) JOIN customers c ON c.customer_id = o.customer_id",
            "SELECT count(*) FROM orders o JOIN customers c USING (customer_id) JOIN countries n ON n.country_id = c.country_id WHERE EXISTS (SELECT 1)",
        ],
    );
    let unproven = vec![Storage {
        table: 3,
        unproven_keys: vec![vec!["customer_id".to_owned()]],
        ..Storage::default()
    }];
    let sql = "SELECT o.total FROM orders o JOIN customers c ON c.customer_id = o.customer_id";
    assert!(rewrites(sql, &shop(), &unproven).unwrap().is_empty());
}

#[test]
fn sub_queries_of_outputs_become_joins() {
    writes(
        "scalar_subquery_to_join",
        "SELECT c.name, (SELECT count(*) FROM orders o WHERE o.customer_id = c.customer_id AND o.status = 'paid') AS paid FROM customers c ORDER BY paid",
        "SELECT c.name, coalesce(looked_up.found_value, 0) AS paid FROM customers c LEFT JOIN \
         (SELECT customer_id, count(*) AS found_value FROM orders o WHERE o.status = 'paid' GROUP \
         BY customer_id) AS looked_up ON looked_up.customer_id = c.customer_id ORDER BY paid",
    );
    writes(
        "scalar_subquery_to_join",
        "SELECT o.order_id, (SELECT c.name FROM customers c WHERE c.customer_id = o.customer_id) FROM orders o",
        "SELECT o.order_id, looked_up.found_value AS name FROM orders o LEFT JOIN (SELECT \
         customer_id, c.name AS found_value FROM customers c) AS looked_up ON \
         looked_up.customer_id = o.customer_id",
    );
    leaves(
        "scalar_subquery_to_join",
        &[
            "SELECT (SELECT c.name FROM customers c WHERE c.country_id = n.country_id) FROM countries n",
            "SELECT (SELECT max(total) FROM orders)",
            "SELECT (SELECT count(*) FROM orders o WHERE o.total > c.credit_limit) FROM customers c",
            "SELECT c.name, (SELECT count(*) FROM orders o WHERE o.customer_id = c.customer_id) FROM customers c GROUP BY c.name, c.customer_id",
            "SELECT (SELECT o.total FROM orders o WHERE o.customer_id = c.customer_id LIMIT 1) FROM customers c",
            "SELECT (SELECT count(*) + c.country_id FROM orders o WHERE o.customer_id = c.customer_id) FROM customers c",
        ],
    );
}

#[test]
fn counts_and_lists_become_exists() {
    writes(
        "count_to_exists",
        "SELECT name FROM customers c WHERE (SELECT count(*) FROM orders o WHERE o.customer_id = c.customer_id) > 0",
        "SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.customer_id)",
    );
    writes(
        "count_to_exists",
        "SELECT name FROM customers c WHERE (SELECT count(*) FROM orders o WHERE o.customer_id = c.customer_id) = 0",
        "SELECT name FROM customers c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.customer_id)",
    );
    leaves(
        "count_to_exists",
        &[
            "SELECT name FROM customers c WHERE (SELECT count(*) FROM orders o WHERE o.customer_id = c.customer_id) > 1",
            "SELECT name FROM customers c WHERE (SELECT count(due) FROM orders o WHERE o.customer_id = c.customer_id) > 0",
            "SELECT name FROM customers c WHERE (SELECT sum(total) FROM orders o WHERE o.customer_id = c.customer_id) > 0",
            "SELECT name FROM customers c WHERE (SELECT count(*) FROM orders o GROUP BY status) > 0",
        ],
    );
    writes(
        "in_to_exists",
        "SELECT name FROM customers WHERE country_id IN (SELECT country_id FROM countries)",
        "SELECT name FROM customers WHERE EXISTS (SELECT 1 FROM (SELECT country_id FROM countries) \
         AS given (value) WHERE given.value = customers.country_id)",
    );
    leaves(
        "in_to_exists",
        &[
            "SELECT name, country_id IN (SELECT country_id FROM countries) FROM customers",
            "SELECT name FROM customers WHERE country_id IN (1, 2)",
            "SELECT name FROM customers WHERE NOT (country_id IN (SELECT country_id FROM countries))",
        ],
    );
}

#[test]
fn keys_are_counted_without_distinct_and_or_is_split() {
    writes(
        "count_distinct_key",
        "SELECT count(DISTINCT o.order_id) FROM orders o JOIN customers c USING (customer_id)",
        "SELECT count(o.order_id) FROM orders o JOIN customers c USING(customer_id)",
    );
    leaves(
        "count_distinct_key",
        &[
            "SELECT count(DISTINCT c.customer_id) FROM orders o JOIN customers c USING (customer_id)",
            "SELECT count(DISTINCT status) FROM orders",
            "SELECT sum(DISTINCT order_id) FROM orders",
        ],
    );
    writes(
        "or_to_union",
        "SELECT order_id FROM orders WHERE customer_id = 1 OR due = DATE '2025-01-01'",
        "SELECT order_id FROM orders WHERE customer_id = 1 UNION ALL SELECT order_id FROM orders \
         WHERE (due = DATE '2025-01-01' AND (customer_id = 1) IS NOT TRUE)",
    );
    leaves(
        "or_to_union",
        &[
            "SELECT order_id FROM orders WHERE customer_id = 1 OR customer_id = 2",
            "SELECT count(*) FROM orders WHERE customer_id = 1 OR due = DATE '2025-01-01'",
            "SELECT order_id FROM orders WHERE customer_id = 1 OR due = DATE '2025-01-01' LIMIT 5",
            "SELECT DISTINCT status FROM orders WHERE customer_id = 1 OR due = DATE '2025-01-01'",
            "SELECT order_id, random() FROM orders WHERE customer_id = 1 OR due = DATE '2025-01-01'",
        ],
    );
}

/// Statements without a plan in the planner below, as for invalid or forbidden ones on the server.
const UNKNOWN: [&str; 3] = ["nothing", "shop.nowhere", "shop.wages"];

/// A planner for which every hypothetical index halves the cost.
struct Halving {
    can_imagine: bool,
    asked: RefCell<Vec<String>>,
    indexes: Vec<ExistingIndex>,
}

impl Planner for Halving {
    fn plan(&self, sql: &str, imagined: &[String]) -> Result<Option<ImaginedPlan>, Error> {
        self.asked.borrow_mut().extend(imagined.iter().cloned());
        let is_query = sql.starts_with("SELECT") || sql.starts_with("WITH");
        let is_unknown = |text: &str| UNKNOWN.iter().any(|name| text.contains(name));
        let mut all = imagined.iter().map(String::as_str).chain([sql]);
        if !is_query || all.any(is_unknown) || !imagined.is_empty() && !self.can_imagine {
            return Ok(None);
        }
        let cost = 1_000.0 / (1.0 + imagined.len() as f64);
        let names: Vec<String> = (0..imagined.len()).map(|n| format!("<{n}>btree")).collect();
        let nodes: Vec<String> = names
            .iter()
            .map(|name| {
                format!(r#"{{"Node Type": "Index Scan", "Index Name": "{name}", "Total Cost": 1}}"#)
            })
            .collect();
        let json = format!(
            r#"[{{"Plan": {{"Node Type": "Result", "Total Cost": {cost}, "Plan Rows": 1, "Plans": [{}]}}}}]"#,
            nodes.join(", ")
        );
        Ok(Some(ImaginedPlan {
            plan: Plan::read(&json)?,
            sizes: vec![8192.0; names.len()],
            names,
        }))
    }

    fn can_imagine(&self) -> bool {
        self.can_imagine
    }

    fn storage(&self, tables: &[Arc<Table>]) -> Result<Vec<Storage>, Error> {
        Ok(tables
            .iter()
            .map(|table| Storage {
                table: table.oid,
                indexes: self.indexes.clone(),
                ..Storage::default()
            })
            .collect())
    }
}

#[test]
fn the_planner_for_tests_keeps_the_contract() {
    let world = World {
        tables: (1..).take(port_contracts::tables(&[]).len()).collect(),
        ..World::default()
    };
    for can_imagine in [true, false] {
        let planner = Halving {
            can_imagine,
            asked: RefCell::default(),
            indexes: Vec::new(),
        };
        port_contracts::planner(&planner, &world);
    }
}

struct Nothing;

impl Database for Nothing {
    fn run(&self, _: &str, _: &Limits) -> Result<Outcome<Execution>, Error> {
        Ok(Outcome::Passed(Execution::default()))
    }

    fn check(&self, _: &str, _: &Limits) -> Result<Outcome<Vec<ResultColumn>>, Error> {
        Ok(Outcome::Passed(Vec::new()))
    }
}

fn thought_of(sql: &str, indexes: Vec<ExistingIndex>) -> Vec<String> {
    let planner = Halving {
        can_imagine: true,
        asked: RefCell::default(),
        indexes,
    };
    optimize(sql, &shop(), &planner, &Nothing, &effort()).unwrap();
    let mut asked = planner.asked.take();
    asked.dedup();
    asked
}

fn effort() -> Effort {
    Effort::within(&Limits {
        max_result_rows: 100,
        max_result_bytes: 1_000,
        max_cost: 0.0,
        query_timeout: Duration::from_secs(1),
        memory_limit: 0,
    })
}

#[test]
fn conditions_joins_and_orders_suggest_indexes() {
    let first = |sql: &str| {
        thought_of(sql, Vec::new())
            .first()
            .cloned()
            .unwrap_or_default()
    };
    assert_eq!(
        first("SELECT * FROM orders WHERE customer_id = 5"),
        "CREATE INDEX ON public.orders (customer_id)"
    );
    assert_eq!(
        first("SELECT * FROM orders WHERE status = 'paid' AND due > DATE '2025-01-01'"),
        "CREATE INDEX ON public.orders (status, due)"
    );
    assert_eq!(
        first("SELECT * FROM customers WHERE lower(name) = 'x'"),
        "CREATE INDEX ON public.customers (lower(name))"
    );
    assert_eq!(
        first("SELECT * FROM customers WHERE name LIKE 'Mc%'"),
        "CREATE INDEX ON public.customers (name text_pattern_ops)"
    );
    assert_eq!(
        first("SELECT * FROM orders WHERE customer_id = 5 ORDER BY due DESC LIMIT 3"),
        "CREATE INDEX ON public.orders (customer_id, due)"
    );
    assert!(thought_of("SELECT * FROM orders", Vec::new()).is_empty());
    assert!(thought_of("SELECT * FROM customers WHERE name LIKE '%x'", Vec::new()).is_empty());
}

#[test]
fn an_index_that_is_there_is_not_proposed_again() {
    let index = ExistingIndex {
        name: "orders_customer".to_owned(),
        columns: vec![Some("customer_id".to_owned()), Some("due".to_owned())],
        method: "btree".to_owned(),
        ..ExistingIndex::default()
    };
    let sql = "SELECT * FROM orders WHERE customer_id = 5";
    assert!(thought_of(sql, vec![index.clone()]).is_empty());
    let partial = ExistingIndex {
        is_partial: true,
        ..index.clone()
    };
    assert_eq!(thought_of(sql, vec![partial]).len(), 1);
    let longer =
        "SELECT * FROM orders WHERE customer_id = 5 AND due = DATE '2025-01-01' AND quantity = 3";
    let planner = Halving {
        can_imagine: true,
        asked: RefCell::default(),
        indexes: vec![index],
    };
    let proposals = optimize(longer, &shop(), &planner, &Nothing, &effort()).unwrap();
    assert!(proposals.iter().any(|one| one.kind == ProposalKind::Index));
}

#[test]
fn without_hypopg_indexes_come_without_a_price() {
    let planner = Halving {
        can_imagine: false,
        asked: RefCell::default(),
        indexes: Vec::new(),
    };
    let sql = "SELECT * FROM orders WHERE customer_id = 5";
    let proposals = optimize(sql, &shop(), &planner, &Nothing, &effort()).unwrap();
    let index = proposals
        .iter()
        .find(|one| one.kind == ProposalKind::Index)
        .unwrap();
    assert_eq!(index.cost_after, None);
    assert!(
        proposals
            .iter()
            .any(|one| one.explanation.starts_with("hypopg is not installed"))
    );
}

#[test]
fn a_left_join_of_which_nothing_is_used_is_left_out() {
    writes(
        "foreign_key_join",
        "SELECT a.name FROM customers a LEFT JOIN customers b ON b.customer_id = a.referred_by",
        "SELECT a.name FROM customers a",
    );
    leaves(
        "foreign_key_join",
        &[
            // An order has several payments: its row would come once instead of several times.
            "SELECT o.total FROM orders o LEFT JOIN payments p ON p.order_id = o.order_id",
            "SELECT a.name FROM customers a LEFT JOIN customers b ON b.customer_id > a.referred_by",
            "SELECT a.name FROM customers a LEFT JOIN customers b ON b.customer_id = a.referred_by WHERE b.name IS NULL",
            "SELECT a.name FROM customers a RIGHT JOIN customers b ON b.customer_id = a.referred_by",
        ],
    );
}

#[test]
fn what_is_grouped_by_is_tested_in_where() {
    writes(
        "having_to_where",
        "SELECT customer_id, count(*) FROM orders WHERE total > 5 GROUP BY customer_id HAVING customer_id = 5 AND count(*) > 1",
        "SELECT customer_id, count(*) FROM orders WHERE total > 5 AND customer_id = 5 GROUP BY customer_id HAVING count(*) > 1",
    );
    leaves(
        "having_to_where",
        &[
            "SELECT customer_id, count(*) FROM orders GROUP BY customer_id HAVING count(*) > 1",
            "SELECT customer_id, count(*) FROM orders GROUP BY ROLLUP (customer_id) HAVING customer_id = 5",
            "SELECT customer_id FROM orders GROUP BY customer_id HAVING customer_id = max(order_id)",
            "SELECT count(*) FROM orders HAVING count(*) > 1",
            "SELECT customer_id FROM orders GROUP BY customer_id HAVING EXISTS (SELECT 1 FROM customers)",
        ],
    );
}

#[test]
fn with_a_time_zone_the_server_confirms_a_range() {
    let sql = "SELECT * FROM events WHERE date_trunc('month', at) = '2025-03-01'";
    let rewrite = of_rule("function_to_range", sql).unwrap();
    assert_eq!(
        rewrite.sql,
        "SELECT * FROM events WHERE (at >= TIMESTAMPTZ '2025-03-01' AND at < TIMESTAMPTZ '2025-04-01')"
    );
    // `Nothing` returns no row: midnight comes twice there, so nothing is proposed.
    assert!(rewrite.proviso.is_some());
    let planner = Halving {
        can_imagine: false,
        asked: RefCell::default(),
        indexes: Vec::new(),
    };
    let proposals = optimize(sql, &shop(), &planner, &Nothing, &effort()).unwrap();
    let is_rewrite =
        |one: &&text2sql_analysis::optimize::Proposal| one.kind == ProposalKind::Rewrite;
    assert_eq!(proposals.iter().find(is_rewrite), None);
}

#[test]
fn a_simpler_query_is_proposed_at_the_same_cost() {
    let planner = Halving {
        can_imagine: false,
        asked: RefCell::default(),
        indexes: Vec::new(),
    };
    let simpler = |sql: &str| {
        let proposals = optimize(sql, &shop(), &planner, &Nothing, &effort()).unwrap();
        proposals
            .into_iter()
            .filter(|one| one.kind == ProposalKind::Rewrite)
            .filter_map(|one| one.sql)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        simpler(
            "SELECT a.name FROM customers a LEFT JOIN customers b ON b.customer_id = a.referred_by"
        ),
        ["SELECT a.name FROM customers a"]
    );
    // Equal cost, and no simpler to read.
    assert!(
        simpler(
            "SELECT name FROM customers WHERE country_id IN (SELECT country_id FROM countries)"
        )
        .is_empty()
    );
}

#[test]
fn what_a_null_does_to_not_in_is_said() {
    let planner = Halving {
        can_imagine: false,
        asked: RefCell::default(),
        indexes: Vec::new(),
    };
    let said = |sql: &str| {
        let proposals = optimize(sql, &shop(), &planner, &Nothing, &effort()).unwrap();
        proposals
            .into_iter()
            .find(|one| one.explanation.contains("anti-join"))
    };
    let inside = said(
        "SELECT name FROM customers WHERE customer_id NOT IN (SELECT referred_by FROM customers)",
    )
    .unwrap();
    assert!(inside.explanation.starts_with("Once the sub-query"));
    assert!(inside.sql.unwrap().contains("NOT EXISTS"));
    let outside = said(
        "SELECT name FROM customers WHERE referred_by NOT IN (SELECT customer_id FROM orders)",
    )
    .unwrap();
    assert!(
        outside
            .explanation
            .starts_with("A row whose customers.referred_by")
    );
    assert_eq!(
        said(
            "SELECT name FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM orders)"
        ),
        None
    );
}

#[test]
fn the_query_of_an_insert_is_looked_at() {
    let read = |sql: &str| Inserted::read(sql).unwrap();
    let insert = read("INSERT INTO t (a) SELECT b FROM u ON CONFLICT DO NOTHING").unwrap();
    assert_eq!(insert.query().unwrap(), "SELECT b FROM u");
    assert_eq!(
        insert.with("SELECT b FROM v").unwrap().unwrap(),
        "INSERT INTO t (a) SELECT b FROM v ON CONFLICT DO NOTHING"
    );
    for other in [
        "INSERT INTO t VALUES (1)",
        "SELECT 1",
        "DELETE FROM t",
        "INSERT INTO t SELECT 1; SELECT 2",
    ] {
        assert!(read(other).is_none(), "{other}");
    }
}
