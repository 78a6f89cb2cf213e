//! Decides what a refusal or an error of a generated query means: whether a repair can help, what to send
//! to the model, and the status of the answer otherwise.
//!
//! Only parser errors are free of row values. For any other error, only the SQLSTATE and a fixed sentence
//! go to the model if the egress level is below `rows` or if a private column is involved.

mod category;
pub(crate) mod existence;
mod near_names;
mod ran_query;

pub use self::category::Category;
use self::existence::ShownError;
use self::near_names::nearest_names;
pub(crate) use self::near_names::{Unknown, unknown_in, unknown_name};
pub(crate) use self::ran_query::rule_of;
pub use self::ran_query::{Sight, feedback, judge_result, warnings};

use std::sync::Arc;

use text2sql_domain::answer::Status;
use text2sql_domain::config::{Config, Egress};
use text2sql_domain::schema::Table;
use text2sql_domain::sql_result::DatabaseError;
use text2sql_domain::validate::{Rejection, Rule};

/// What is wrong with a query, for the model and for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The problem as sent to the model.
    pub problem: String,
    /// Existing names closest to an unknown one.
    pub names: Vec<String>,
    /// The status of the answer if no repair helps.
    pub status: Status,
    /// The message for the user in that case.
    pub message: String,
    /// The database error, if there was one.
    pub error: Option<DatabaseError>,
    /// The guard's refusal, if there was one.
    pub rejection: Option<Rejection>,
    /// The error sent to the model in place of the real one.
    pub shown_error: Option<DatabaseError>,
}

/// Judges a refusal of `sql` by the guard.
pub fn judge_rejection(rejection: Rejection, sql: &str, tables: &[Arc<Table>]) -> Finding {
    let (status, reason) = match rejection.rule {
        Rule::Permission => (Status::NotPermitted, rejection.reason.clone()),
        rule => (
            Status::Blocked,
            format!("it may not run here (rule {rule}): {}", rejection.reason),
        ),
    };
    let (problem, shown_error) = match existence::of_rejection(&rejection, sql) {
        None => (reason, None),
        Some(ShownError::Nameless) => (existence::HIDDEN_OBJECT_PROBLEM.to_owned(), None),
        Some(ShownError::Unknown(error)) => (server_message(&error, POSTGRESQL_SAYS), Some(error)),
    };
    Finding {
        problem,
        names: shown_error
            .as_ref()
            .map(|error| nearest_names(error, tables))
            .unwrap_or_default(),
        shown_error,
        status,
        message: match status {
            Status::NotPermitted => rejection.reason.clone(),
            _ => format!(
                "the guard refused the query (rule {}): {}",
                rejection.rule, rejection.reason
            ),
        },
        error: None,
        rejection: Some(rejection),
    }
}

/// Judges a database error.
pub fn judge_error(
    error: DatabaseError,
    egress: Egress,
    tables: &[Arc<Table>],
    says: &str,
) -> Finding {
    // Parser errors have a position. A class-42 error without one was raised by a function that read a
    // value ("syntax error in tsquery").
    let is_about_names = error.sqlstate.starts_with("42") && error.position.is_some();
    let names = if is_about_names {
        nearest_names(&error, tables)
    } else {
        Vec::new()
    };
    let problem = if is_about_names || (egress == Egress::Rows && !error.is_private) {
        server_message(&error, says)
    } else {
        format!(
            "{} (SQLSTATE {})",
            fixed_sentence(&error.sqlstate),
            error.sqlstate
        )
    };
    let status = if error.sqlstate == "42501" {
        Status::NotPermitted
    } else {
        Status::Failed
    };
    Finding {
        problem,
        names,
        status,
        message: format!("the query failed: {}", error.message),
        error: Some(error),
        rejection: None,
        shown_error: None,
    }
}

/// Replaces the error sent to the model, for a statement that also contains names the caller may not
/// read.
pub(crate) fn replace_shown_error(
    finding: &mut Finding,
    error: DatabaseError,
    tables: &[Arc<Table>],
) {
    finding.problem = server_message(&error, POSTGRESQL_SAYS);
    finding.names = nearest_names(&error, tables);
    finding.shown_error = Some(error);
}

/// How a message of the server begins.
const POSTGRESQL_SAYS: &str = "PostgreSQL says";

/// Names the judge of this run's statements, as the beginning of a message.
pub fn who_says(config: &Config) -> &'static str {
    match config.given_schema {
        Some(_) => "A check against the schema says",
        None => POSTGRESQL_SAYS,
    }
}

fn server_message(error: &DatabaseError, says: &str) -> String {
    let also = error.detail.as_deref().filter(|_| says != POSTGRESQL_SAYS);
    let also = also.map_or_else(String::new, |detail| format!(". {detail}"));
    format!(
        "{says}: {} (SQLSTATE {}){also}",
        error.message, error.sqlstate
    )
}

/// The meaning of an SQLSTATE, without any text of the error.
fn fixed_sentence(sqlstate: &str) -> &'static str {
    match sqlstate {
        "22012" => "it divides by zero for some row; use NULLIF on the divisor",
        "22003" => "a number is out of range for its type",
        "22007" | "22008" => "a date or time value has a bad format or is out of range",
        "22P02" => "a text value cannot be read as the type it is cast to",
        "21000" => "a sub-query used as a value returns more than one row",
        "53200" | "53400" => "it needs too much memory",
        "57014" => "it takes too long; read less or aggregate earlier",
        _ => match sqlstate.get(..2) {
            Some("22") => "a value does not fit the operation applied to it",
            Some("0A") => "it uses a feature that is not supported",
            Some("54") => "it is too complex",
            _ => "it failed when it ran",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_domain::schema::Column;

    fn error(sqlstate: &str, message: &str) -> DatabaseError {
        DatabaseError {
            sqlstate: sqlstate.into(),
            message: message.into(),
            detail: None,
            hint: None,
            position: sqlstate.starts_with("42").then_some(1),
            is_private: false,
        }
    }

    #[test]
    fn a_value_in_a_run_time_syntax_error_is_not_sent() {
        let mut leak = error("42601", "syntax error in tsquery: \"Alice\"");
        leak.position = None;
        assert!(
            !judge_error(leak, Egress::Schema, &[], POSTGRESQL_SAYS)
                .problem
                .contains("Alice")
        );
    }

    #[test]
    fn row_values_in_errors_are_not_sent() {
        let leak = error(
            "22P02",
            "invalid input syntax for type integer: \"c7@ex.com\"",
        );
        let finding = judge_error(leak.clone(), Egress::Values, &[], POSTGRESQL_SAYS);
        assert!(
            !finding.problem.contains("c7@ex.com"),
            "{}",
            finding.problem
        );
        assert!(finding.problem.contains("22P02"));
        assert!(
            judge_error(leak, Egress::Rows, &[], POSTGRESQL_SAYS)
                .problem
                .contains("c7@ex.com")
        );
    }

    #[test]
    fn row_values_of_private_columns_are_never_sent() {
        let mut leak = error(
            "22P02",
            "invalid input syntax for type integer: \"c7@ex.com\"",
        );
        leak.is_private = true;
        let finding = judge_error(leak, Egress::Rows, &[], POSTGRESQL_SAYS);
        assert!(!finding.problem.contains("c7@ex.com"));
        assert!(finding.message.contains("c7@ex.com"), "the caller sees it");
    }

    #[test]
    fn unknown_names_get_similar_names() {
        let column = Column {
            name: "customer_name".into(),
            ..Column::default()
        };
        let table = Table {
            name: "customers".into(),
            is_visible: true,
            columns: vec![column],
            ..Table::default()
        };
        let tables = [Arc::new(table)];
        let names = |message: &str| {
            judge_error(
                error("42703", message),
                Egress::Schema,
                &tables,
                POSTGRESQL_SAYS,
            )
            .names
        };
        assert_eq!(names("relation \"custmers\" does not exist"), ["customers"]);
        assert_eq!(
            names("column c.custmer_name does not exist"),
            ["customers.customer_name"]
        );
        assert!(names("column \"zzz\" does not exist").is_empty());
        assert!(names("relation \"consumption\" does not exist").is_empty());
    }
}
