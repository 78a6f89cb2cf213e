//! The effect of data on findings.

use std::cell::RefCell;
use std::time::Duration;

use super::super::{Basis, Check, Effort, Finding, Severity, find, measure};
use text2sql_domain::config::Limits;
use text2sql_domain::error::Error;
use text2sql_domain::ports::{Database, Outcome};
use text2sql_domain::schema_fixture::shop;
use text2sql_domain::sql_result::{Cell, DatabaseError, Execution, ResultColumn};

/// Answers depending on the prefix or content of a statement.
struct Scripted {
    answers: Vec<(&'static str, Vec<&'static str>)>,
    asked: RefCell<Vec<String>>,
}

impl Database for Scripted {
    fn run(&self, sql: &str, _: &Limits) -> Result<Outcome<Execution>, Error> {
        self.asked.borrow_mut().push(sql.to_owned());
        let answer = self.answers.iter().find(|(part, _)| sql.contains(part));
        Ok(match answer {
            Some((_, rows)) => Outcome::Passed(Execution {
                rows: rows
                    .iter()
                    .map(|text| {
                        vec![Cell {
                            text: Some((*text).to_owned()),
                            json: serde_json::value::RawValue::NULL.to_owned(),
                        }]
                    })
                    .collect(),
                ..Execution::default()
            }),
            None => Outcome::Failed(DatabaseError {
                sqlstate: "57014".to_owned(),
                message: "too slow".to_owned(),
                detail: None,
                hint: None,
                position: None,
                is_private: false,
            }),
        })
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

fn decided(sql: &str, answers: &[(&'static str, Vec<&'static str>)]) -> Vec<Finding> {
    let database = Scripted {
        answers: answers.to_vec(),
        asked: RefCell::default(),
    };
    let effort = effort();
    measure(find(sql, &shop()).unwrap().unwrap(), &database, &effort).unwrap()
}

#[test]
fn a_value_that_no_row_holds_is_certain_and_has_neighbours() {
    let sql = "SELECT * FROM customers WHERE name = 'germny'";
    let findings = decided(
        sql,
        &[
            ("SELECT 1 FROM customers WHERE name =", vec![]),
            ("SELECT DISTINCT name", vec!["Germany", "France", "Georgia"]),
        ],
    );
    let [finding] = findings.as_slice() else {
        panic!("{findings:#?}");
    };
    assert_eq!(finding.check, Check::UnknownValue);
    assert!(finding.is_certain());
    assert_eq!(
        finding.evidence,
        "No value of customers.name that you may see is 'germny', so the condition is never true. \
         Nearest: 'Germany'."
    );
    assert_eq!(finding.fix.as_deref(), Some("name = 'Germany'"));
    // A value that occurs, or that could not be looked up, is no finding.
    assert!(decided(sql, &[("SELECT 1", vec!["1"])]).is_empty());
    assert!(decided(sql, &[]).is_empty());
}

#[test]
fn a_fan_out_is_measured() {
    let sql = "SELECT sum(l.pieces) FROM order_lines l JOIN payments p ON p.order_id = l.order_id";
    let severity = |answers: &[(&'static str, Vec<&'static str>)]| {
        let findings = decided(sql, answers);
        (findings[0].severity, findings[0].basis)
    };
    assert_eq!(
        severity(&[("HAVING count(*) > 1", vec!["1"])]),
        (Severity::Error, Basis::Measured)
    );
    assert_eq!(
        severity(&[("HAVING count(*) > 1", vec![])]),
        (Severity::Note, Basis::Measured)
    );
    assert_eq!(severity(&[]), (Severity::Warning, Basis::Possible));
}

#[test]
fn nulls_and_ties_are_looked_for() {
    let of = |sql: &str, answer: Vec<&'static str>| decided(sql, &[("SELECT 1", answer)]);
    let not_in =
        "SELECT * FROM orders WHERE customer_id NOT IN (SELECT referred_by FROM customers)";
    assert_eq!(of(not_in, vec!["1"])[0].severity, Severity::Error);
    assert!(of(not_in, vec![]).is_empty());
    let differs = "SELECT * FROM events WHERE kind <> 'x'";
    let lost = "SELECT count(*) FROM events WHERE (kind <> 'x') IS NULL HAVING count(*) > 0";
    let found = decided(differs, &[(lost, vec!["7"])]);
    assert_eq!(
        found[0].evidence,
        "`kind <> 'x'` also drops the rows where events.kind is NULL, 7 here: a comparison with NULL is never true."
    );
    let found = decided(differs, &[(lost, vec![])]);
    assert!(found.iter().all(|f| f.check != Check::DroppedNulls));
    let cut = "SELECT name FROM customers ORDER BY signed_up LIMIT 3";
    assert_eq!(of(cut, vec!["1"])[0].severity, Severity::Warning);
    assert!(of(cut, vec![]).is_empty());
}

#[test]
fn probes_keep_to_their_caps() {
    let list: Vec<String> = (0..60).map(|n| format!("'v{n}'")).collect();
    let sql = format!(
        "SELECT * FROM customers WHERE name IN ({})",
        list.join(", ")
    );
    let database = Scripted {
        answers: vec![("SELECT", vec![])],
        asked: RefCell::default(),
    };
    let effort = effort();
    measure(find(&sql, &shop()).unwrap().unwrap(), &database, &effort).unwrap();
    assert_eq!(database.asked.borrow().len(), effort.statements);
    assert!(effort.limits.query_timeout <= Duration::from_secs(2));
}
