//! The kind of problem that sends a query back to the model. It selects the repair text and is recorded
//! in the trace. Decided by rules, without a model.

use text2sql_analysis::findings::{Check, Finding};
use text2sql_domain::named_enum;
use text2sql_domain::validate::{Rejection, Rule};

named_enum! {
    /// The kinds, by priority: if several apply, the first is repaired. The names are part of the trace.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Category {
        /// The database raised an error.
        ExecutionError = "execution_error",
        /// It names a table, column or function that does not exist.
        UnknownName = "unknown_name",
        /// The guard refused it.
        Safety = "safety",
        /// It runs, but does not seem to answer the question.
        Relevance = "relevance",
        /// It returns no rows.
        EmptyResult = "empty_result",
        /// Anything else.
        Generic = "generic",
    }
}

/// SQLSTATEs of names that do not exist: table, column, function, schema, type.
const UNKNOWN_NAMES: [&str; 5] = ["42P01", "42703", "42883", "3F000", "42704"];

impl Category {
    /// The category of a database error.
    pub fn of_sqlstate(sqlstate: &str) -> Self {
        if UNKNOWN_NAMES.contains(&sqlstate) {
            Self::UnknownName
        } else {
            Self::ExecutionError
        }
    }

    /// The category of a refusal by the guard. Exceeding the cost limit is not a safety problem.
    pub fn of_rejection(rejection: &Rejection) -> Self {
        match rejection.rule {
            Rule::Cost | Rule::Limit => Self::Generic,
            _ => Self::Safety,
        }
    }

    /// The category of a finding about an executed query.
    pub fn of_finding(finding: &Finding, is_empty: bool) -> Self {
        match finding.check {
            Check::UnknownValue | Check::NotInWithNulls if is_empty => Self::EmptyResult,
            _ => Self::Generic,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_problem_has_its_category() {
        for (sqlstate, category) in [
            ("42P01", "unknown_name"),
            ("42703", "unknown_name"),
            ("42883", "unknown_name"),
            ("42601", "execution_error"),
            ("22012", "execution_error"),
        ] {
            assert_eq!(Category::of_sqlstate(sqlstate).as_str(), category);
        }
        let rejection = |rule| Rejection {
            rule,
            reason: String::new(),
            offender: None,
            position: None,
        };
        let kind = |rule| Category::of_rejection(&rejection(rule)).as_str();
        assert_eq!(kind(Rule::Function), "safety");
        assert_eq!(kind(Rule::Cost), "generic");
        assert!(Category::ExecutionError < Category::UnknownName);
        assert!(Category::Relevance < Category::EmptyResult);
    }
}
