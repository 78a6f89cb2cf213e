//! The contract of [`Database`], and a test double.

use std::cell::RefCell;

use serde_json::value::RawValue;

use text2sql_domain::config::Limits;
use text2sql_domain::error::Error;
use text2sql_domain::ports::{Database, Outcome};
use text2sql_domain::sql_result::{Cell, DatabaseError, Execution, ResultColumn};
use text2sql_domain::validate::{Rejection, Rule};

/// Returns the outcome of a statement.
type Answers = dyn Fn(&str) -> Outcome<Execution>;

/// A database whose outcomes are computed by a function of the statement's text. It records what was run.
pub struct ScriptedDatabase {
    answers: Box<Answers>,
    functions: Vec<String>,
    ran: RefCell<Vec<String>>,
}

impl ScriptedDatabase {
    /// A database that returns the outcomes of `answers`.
    pub fn new(answers: impl Fn(&str) -> Outcome<Execution> + 'static) -> Self {
        Self {
            answers: Box::new(answers),
            functions: Vec::new(),
            ran: RefCell::default(),
        }
    }

    /// The same, with a list of permitted functions.
    pub fn with_functions(self, names: &[&str]) -> Self {
        Self {
            functions: names.iter().map(|name| (*name).to_owned()).collect(),
            ..self
        }
    }

    /// The statements that were run, in order, without those that were only checked.
    pub fn ran(&self) -> Vec<String> {
        self.ran.borrow().clone()
    }

    /// One row of one column.
    pub fn one_row(column: &str, type_name: &str, value: &str) -> Outcome<Execution> {
        let json = RawValue::from_string(value.to_owned());
        let cell = Cell {
            text: Some(value.to_owned()),
            json: json.expect("a value that is JSON"),
        };
        Outcome::Passed(Execution {
            columns: vec![ResultColumn {
                name: column.to_owned(),
                type_name: type_name.to_owned(),
            }],
            rows: vec![vec![cell]],
            ..Execution::default()
        })
    }

    /// An error raised by the database.
    pub fn failed(sqlstate: &str, message: &str) -> Outcome<Execution> {
        Outcome::Failed(DatabaseError {
            sqlstate: sqlstate.to_owned(),
            message: message.to_owned(),
            detail: None,
            hint: None,
            position: Some(1),
            is_private: false,
        })
    }

    /// A rejection by the guard.
    pub fn refused(rule: Rule, reason: &str) -> Outcome<Execution> {
        Outcome::Rejected(Rejection {
            rule,
            reason: reason.to_owned(),
            offender: None,
            position: None,
        })
    }
}

impl Database for ScriptedDatabase {
    fn run(&self, sql: &str, _limits: &Limits) -> Result<Outcome<Execution>, Error> {
        self.ran.borrow_mut().push(sql.to_owned());
        Ok((self.answers)(sql))
    }

    fn functions_like(&self, _name: &str) -> Result<Vec<String>, Error> {
        Ok(self.functions.clone())
    }

    fn varies_by(&self, sql: &str, _limits: &Limits) -> Result<Option<String>, Error> {
        Ok(sql.contains("random()").then(|| "random()".to_owned()))
    }

    fn check(&self, sql: &str, _limits: &Limits) -> Result<Outcome<Vec<ResultColumn>>, Error> {
        Ok(match (self.answers)(sql) {
            Outcome::Passed(execution) => Outcome::Passed(execution.columns),
            Outcome::Rejected(rejection) => Outcome::Rejected(rejection),
            // An error that only occurs on execution is an error of the data, not of the statement.
            Outcome::Failed(error) if error.sqlstate.starts_with("22") => {
                Outcome::Passed(vec![ResultColumn {
                    name: "n".to_owned(),
                    type_name: "integer".to_owned(),
                }])
            }
            Outcome::Failed(error) => Outcome::Failed(error),
        })
    }
}

/// What any database must do when called by `contract_caller`.
pub fn database(database: &dyn Database) {
    let limits = Limits::default();
    let run = |sql: &str| database.run(sql, &limits).expect("run");
    let check = |sql: &str| database.check(sql, &limits).expect("check");

    let right = "SELECT 42 AS n";
    match run(right) {
        Outcome::Passed(execution) => {
            assert_eq!(execution.columns.len(), 1);
            assert_eq!(execution.columns[0].name, "n");
            assert_eq!(execution.rows.len(), 1);
            assert_eq!(execution.rows[0][0].text.as_deref(), Some("42"));
            assert!(!execution.is_truncated);
        }
        other => panic_about(right, &other.summary()),
    }
    match check(right) {
        Outcome::Passed(columns) => assert_eq!(columns[0].name, "n", "the columns it would give"),
        other => panic_about(right, &other.summary()),
    }
    // Invalid and forbidden statements are values, and checking returns the same as running.
    for (sql, sqlstate) in [
        ("SELECT nothing FROM shop.regions", "42703"),
        ("SELECT * FROM shop.nowhere", "42P01"),
    ] {
        for summary in [run(sql).summary(), check(sql).summary()] {
            assert_eq!(summary["sqlstate"], sqlstate, "{sql}: {summary}");
        }
    }
    for sql in ["DELETE FROM shop.regions", "SELECT * FROM shop.wages"] {
        for summary in [run(sql).summary(), check(sql).summary()] {
            assert_eq!(summary["outcome"], "rejected", "{sql}: {summary}");
        }
    }
    // An error of the data occurs only on execution.
    let by_data = "SELECT 1 / (count(*) - count(*)) AS n FROM shop.regions";
    assert_eq!(run(by_data).summary()["sqlstate"], "22012");
    assert_eq!(check(by_data).summary()["outcome"], "passed");
    // The error does not affect the next statement.
    assert_eq!(run(right).summary()["outcome"], "passed");
    let varies = |sql: &str| database.varies_by(sql, &limits).expect("varies_by");
    assert_eq!(varies(right), None);
    let reason = varies("SELECT random() AS n");
    assert!(reason.is_some_and(|reason| reason.contains("random")));
}

#[allow(clippy::panic, reason = "for tests")]
fn panic_about(sql: &str, summary: &serde_json::Value) {
    panic!("{sql}: {summary}");
}
