//! All causes, with a database that returns no rows for certain SQL fragments.

use std::time::Duration;

use super::{Cause, CauseKind, why_empty};
use crate::findings::Effort;
use text2sql_domain::config::Limits;
use text2sql_domain::error::Error;
use text2sql_domain::ports::{Database, Outcome};
use text2sql_domain::schema_fixture::shop;
use text2sql_domain::sql_result::{Cell, DatabaseError, Execution, ResultColumn};
use text2sql_domain::validate::{Rejection, Rule};

/// Returns no row for a statement that contains all fragments of one of the lists, the listed values for one
/// that contains a fragment, and one row otherwise.
#[derive(Default)]
struct Data {
    empties: Vec<Vec<&'static str>>,
    values: Vec<(&'static str, Vec<&'static str>)>,
    refused: Option<Rule>,
}

impl Database for Data {
    fn run(&self, sql: &str, _: &Limits) -> Result<Outcome<Execution>, Error> {
        if let Some(rule) = self.refused {
            return Ok(Outcome::Rejected(Rejection {
                rule,
                reason: "permission denied for table orders".to_owned(),
                offender: Some("public.orders".to_owned()),
                position: None,
            }));
        }
        let holds = |pieces: &Vec<&str>| pieces.iter().all(|piece| sql.contains(piece));
        let values = self.values.iter().find(|(piece, _)| sql.contains(piece));
        let rows = match values {
            Some((_, values)) => values.clone(),
            None if self.empties.iter().any(holds) => Vec::new(),
            None => vec!["1"],
        };
        let cell = |text: &&str| Cell {
            text: Some((*text).to_owned()),
            json: serde_json::value::RawValue::NULL.to_owned(),
        };
        Ok(Outcome::Passed(Execution {
            rows: rows.iter().map(|text| vec![cell(text)]).collect(),
            ..Execution::default()
        }))
    }

    fn check(&self, _: &str, _: &Limits) -> Result<Outcome<Vec<ResultColumn>>, Error> {
        Ok(Outcome::Passed(Vec::new()))
    }
}

fn effort() -> Effort {
    Effort::within(&Limits {
        max_result_rows: 100,
        max_result_bytes: 1_000,
        max_cost: 0.0,
        query_timeout: Duration::from_secs(60),
        memory_limit: 0,
    })
}

fn causes_with(sql: &str, data: &Data) -> Vec<Cause> {
    match why_empty(sql, &shop(), data, &effort()).unwrap() {
        Outcome::Passed(causes) => causes,
        other => panic!("{other:?}"),
    }
}

fn causes(sql: &str, empties: &[&[&'static str]]) -> Vec<Cause> {
    let data = Data {
        empties: empties.iter().map(|pieces| pieces.to_vec()).collect(),
        ..Data::default()
    };
    causes_with(sql, &data)
}

fn kinds(causes: &[Cause]) -> Vec<CauseKind> {
    causes.iter().map(|cause| cause.kind).collect()
}

#[test]
fn the_condition_that_empties_it_is_taken_away() {
    let sql = "SELECT * FROM orders WHERE quantity > 3 AND status = 'lost'";
    let found = causes(sql, &[&["'lost'"]]);
    assert_eq!(kinds(&found), [CauseKind::Filter]);
    assert_eq!(found[0].part.as_deref(), Some("status = 'lost'"));
    assert_eq!(
        found[0].changed.as_deref(),
        Some("SELECT * FROM orders WHERE quantity > 3")
    );
}

#[test]
fn a_literal_that_no_row_holds_has_neighbours() {
    let sql = "SELECT * FROM countries WHERE name = 'germany'";
    let data = Data {
        empties: vec![vec!["'germany'"]],
        values: vec![("SELECT DISTINCT name", vec!["Germany", "France"])],
        ..Data::default()
    };
    let found = causes_with(sql, &data);
    assert_eq!(found[0].nearest, ["Germany"]);
    assert_eq!(
        found[0].changed.as_deref(),
        Some("SELECT * FROM countries WHERE name = 'Germany'")
    );
}

#[test]
fn a_number_or_date_out_of_range_has_its_neighbours() {
    let sql = "SELECT * FROM orders WHERE total > 9000";
    let data = Data {
        empties: vec![vec!["> 9000"]],
        values: vec![("SELECT max(total)", vec!["812.50"])],
        ..Data::default()
    };
    let found = causes_with(sql, &data);
    assert_eq!(found[0].nearest, ["812.50"]);
    assert!(found[0].explanation.ends_with("the largest is 812.50."));
}

#[test]
fn distinguishes_groups_joins_and_limits() {
    let having = "SELECT status, count(*) FROM orders GROUP BY status HAVING count(*) > 999";
    let found = causes(having, &[&["> 999"]]);
    assert_eq!(kinds(&found), [CauseKind::GroupFilter]);
    let join = "SELECT o.total FROM orders o JOIN payments p ON p.order_id = o.order_id";
    let found = causes(join, &[&["orders o JOIN payments"]]);
    assert_eq!(kinds(&found), [CauseKind::Join]);
    assert!(
        found[0]
            .changed
            .as_deref()
            .is_some_and(|sql| sql.contains("LEFT JOIN payments"))
    );
    let limit = "SELECT name FROM customers ORDER BY name LIMIT 5 OFFSET 100";
    let found = causes(limit, &[&["OFFSET 100"]]);
    assert_eq!(kinds(&found), [CauseKind::Limit]);
}

#[test]
fn conditions_that_exclude_each_other_are_a_combination() {
    // Each condition alone leaves rows, but no row meets both and a third.
    let sql = "SELECT * FROM orders WHERE status = 'new' AND total > 5 AND quantity = 3";
    let found = causes(
        sql,
        &[
            &["status = 'new'", "total > 5"],
            &["status = 'new'", "quantity = 3"],
            &["total > 5", "quantity = 3"],
        ],
    );
    assert_eq!(kinds(&found), [CauseKind::Combination]);
    assert!(found[0].changed.is_some());
    // More than two: the first condition that leaves no row.
    let found = causes(
        sql,
        &[&["status = 'new'"], &["total > 5"], &["quantity = 3"]],
    );
    assert_eq!(kinds(&found), [CauseKind::Combination]);
    assert!(found[0].explanation.starts_with("Read in order"));
}

#[test]
fn empty_tables_and_parts_are_named() {
    let found = causes("SELECT * FROM orders", &[&["FROM orders"]]);
    assert_eq!(kinds(&found), [CauseKind::EmptyTable]);
    assert_eq!(found[0].explanation, "orders has no rows.");
    // An empty table on the right of a LEFT JOIN removes no row.
    let sql = "SELECT * FROM customers c LEFT JOIN orders o USING (customer_id) WHERE c.name = 'x'";
    let found = causes(sql, &[&["FROM orders"], &["c.name = 'x'"]]);
    assert_eq!(kinds(&found), [CauseKind::Filter]);
    let sql = "SELECT * FROM (SELECT total FROM orders WHERE status = 'lost') x WHERE total > 1";
    let found = causes(sql, &[&["'lost'"]]);
    assert_eq!(kinds(&found), [CauseKind::Part, CauseKind::Filter]);
    assert_eq!(
        found[1].changed.as_deref(),
        Some("SELECT * FROM (SELECT total FROM orders) x WHERE total > 1")
    );
}

#[test]
fn reports_privileges_and_policies() {
    let data = Data {
        refused: Some(Rule::Permission),
        ..Data::default()
    };
    let found = causes_with("SELECT * FROM orders", &data);
    assert_eq!(kinds(&found), [CauseKind::Privilege]);
    assert!(found[0].explanation.contains("GRANT SELECT"));
    let found = causes("SELECT * FROM notes WHERE body = 'x'", &[&["body = 'x'"]]);
    assert_eq!(kinds(&found), [CauseKind::Filter, CauseKind::RowSecurity]);
    let found = causes("SELECT * FROM notes", &[&["FROM notes"]]);
    assert_eq!(kinds(&found), [CauseKind::RowSecurity]);
    // A rejection for another reason is returned as such.
    let data = Data {
        refused: Some(Rule::Function),
        ..Data::default()
    };
    let refused = why_empty("SELECT pg_sleep(1)", &shop(), &data, &effort()).unwrap();
    assert!(matches!(refused, Outcome::Rejected(_)));
}

#[test]
fn set_operations_say_which_side() {
    let sql = "SELECT name FROM customers INTERSECT SELECT name FROM countries";
    let found = causes(sql, &[&["INTERSECT"]]);
    assert_eq!(kinds(&found), [CauseKind::SetOperation]);
    assert!(found[0].explanation.contains("no row is in both"));
    let sql = "SELECT name FROM customers EXCEPT SELECT name FROM countries";
    let found = causes(sql, &[&["EXCEPT"]]);
    assert!(found[0].explanation.contains("takes every row away"));
    let sql = "SELECT name FROM customers UNION SELECT name FROM countries";
    let found = causes(sql, &[&["UNION"], &["FROM customers"], &["FROM countries"]]);
    assert!(found[0].explanation.contains("No branch"));
}

#[test]
fn a_query_with_rows_and_one_that_cannot_be_read_say_so() {
    let found = causes("SELECT * FROM orders", &[]);
    assert_eq!(kinds(&found), [CauseKind::NotEmpty]);
    let unread = "SELECT 1 WHERE false";
    assert_eq!(causes(unread, &[&["WHERE false"]]).len(), 1);
}

#[test]
fn the_number_of_queries_is_limited() {
    struct Counting(std::cell::Cell<usize>);
    impl Database for Counting {
        fn run(&self, _: &str, _: &Limits) -> Result<Outcome<Execution>, Error> {
            self.0.set(self.0.get() + 1);
            Ok(Outcome::Passed(Execution::default()))
        }
        fn check(&self, _: &str, _: &Limits) -> Result<Outcome<Vec<ResultColumn>>, Error> {
            Ok(Outcome::Failed(DatabaseError {
                sqlstate: "57014".to_owned(),
                message: String::new(),
                detail: None,
                hint: None,
                position: None,
                is_private: false,
            }))
        }
    }
    let filters: Vec<String> = (0..60).map(|n| format!("quantity <> {n}")).collect();
    let sql = format!("SELECT 1 FROM orders WHERE {}", filters.join(" AND "));
    let counting = Counting(std::cell::Cell::new(0));
    why_empty(&sql, &shop(), &counting, &effort()).unwrap();
    assert!(counting.0.get() <= effort().statements + 1);
}
