//! What the guard may say about a generated statement.
//!
//! The judgement itself needs the server's own parse tree and lives in the extension
//! (`src/pg/guard/`); these are its verdicts, as the pipeline and the caller see them. `sqlparser`
//! has no say here.

use std::fmt;

use crate::missing_privilege::grant_hint;

/// The rule that a refused statement broke. Its [`Rule::as_str`] is part of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The text itself: empty, too long, a NUL byte, not in the server's encoding.
    Input,
    /// Not exactly one SELECT: several statements, DML, DDL, utility, INTO, locking clause.
    Statement,
    /// A part of SQL that is not on the list of what a question needs.
    Node,
    /// A function, operator, cast or aggregate that is not reviewed as harmless.
    Function,
    /// A type whose construction would run user code, or an object-identifier constant.
    Type,
    /// A relation out of scope: catalog, foreign table, sequence, protected or hidden.
    Relation,
    /// The caller lacks a privilege.
    Permission,
    /// A view whose body does what a query may not.
    View,
    /// Too many nodes, tables, CTEs or levels.
    Limit,
    /// The planner expects it to cost more than `text2sql.max_cost`.
    Cost,
}

impl Rule {
    /// The word that programs match on.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Statement => "statement",
            Self::Node => "node",
            Self::Function => "function",
            Self::Type => "type",
            Self::Relation => "relation",
            Self::Permission => "permission",
            Self::View => "view",
            Self::Limit => "limit",
            Self::Cost => "cost",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why the guard refused a statement. A value, because refusing is normal here: it feeds the
/// repair and the answer's status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// The rule broken.
    pub rule: Rule,
    /// The reason in words: lower case, names the piece, holds no row value.
    pub reason: String,
    /// The offending piece, such as a function's or relation's name.
    pub offender: Option<String>,
    /// Character position in the statement, from 1, where known.
    pub position: Option<usize>,
}

/// How the reason begins where row-level security would hide rows from a superuser's stand-in.
pub const HIDDEN_ROWS: &str = "row-level security hides rows of";

/// How the reason begins where the clock of an evaluation would decide which rows are seen.
pub const CLOCK_REFUSED: &str = "the clock of an evaluation cannot be set here";

impl Rejection {
    /// What would let `user` read what is refused for lack of a privilege.
    pub fn remedy(&self, user: &str) -> Option<String> {
        if self.rule != Rule::Permission {
            return None;
        }
        if self.reason.starts_with(HIDDEN_ROWS) {
            return Some("Use SET ROLE to become the role whose rows are meant.".to_owned());
        }
        let relation = self.offender.as_deref()?;
        Some(grant_hint(&format!("SELECT ON {relation}"), user))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_missing_privilege_has_a_remedy() {
        let rejection = |rule, reason: &str| Rejection {
            rule,
            reason: reason.to_owned(),
            offender: Some("hr.salaries".to_owned()),
            position: None,
        };
        let remedy = |rule, reason| rejection(rule, reason).remedy("ana");
        assert_eq!(
            remedy(Rule::Permission, "permission denied for table salaries").as_deref(),
            Some("Ask the owner to run: GRANT SELECT ON hr.salaries TO ana;")
        );
        let hidden = format!("{HIDDEN_ROWS} hr.salaries");
        assert_eq!(
            remedy(Rule::Permission, &hidden).as_deref(),
            Some("Use SET ROLE to become the role whose rows are meant.")
        );
        assert_eq!(remedy(Rule::Relation, "it is not available"), None);
    }
}
