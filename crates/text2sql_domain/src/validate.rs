//! The verdicts of the guard on a generated statement.
//!
//! The check itself needs PostgreSQL's own parse tree and is part of the extension
//! (`src/pg/access/guard/`); these are its verdicts, as the pipeline and the caller see them. `sqlparser`
//! is not involved.

use crate::named_enum;
use std::fmt;

use crate::missing_privilege::grant_hint;

named_enum! {
    listed:
    /// The rule that a rejected statement violated. [`Rule::as_str`] is part of the interface.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Rule {
        /// The text itself: empty, too long, a NUL byte, not in the server's encoding.
        Input = "input",
        /// Not exactly one SELECT: several statements, DML, DDL, utility, INTO, locking clause.
        Statement = "statement",
        /// SQL syntax that is not on the list of permitted constructs.
        Node = "node",
        /// A function, operator, cast or aggregate that is not on the list of permitted ones.
        Function = "function",
        /// A type whose construction would run user code, or an object-identifier constant.
        Type = "type",
        /// A relation out of scope: catalog, foreign table, sequence, protected or hidden.
        Relation = "relation",
        /// The caller lacks a privilege.
        Permission = "permission",
        /// A view whose definition violates a rule.
        View = "view",
        /// Too many nodes, tables, CTEs or levels.
        Limit = "limit",
        /// The estimated cost exceeds `text2sql.max_cost`.
        Cost = "cost",
    }
}

impl Rule {
    /// The rule of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.as_str() == name)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why the guard rejected a statement. It is a value, because rejections are expected: the
/// repair and the answer's status use it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// The violated rule.
    pub rule: Rule,
    /// The reason: lower case, names the construct, contains no row value.
    pub reason: String,
    /// The rejected object or construct, such as the name of a function or relation, or `relation (column)`.
    pub offender: Option<String>,
    /// Character position in the statement, from 1, if known.
    pub position: Option<usize>,
}

/// Prefix of the reason if row-level security would hide rows from the role that stands in for a superuser.
pub const HIDDEN_ROWS: &str = "row-level security hides rows of";

/// Prefix of the reason if the simulated clock of an evaluation would decide which rows are visible.
pub const CLOCK_REFUSED: &str = "the clock of an evaluation cannot be set here";

impl Rejection {
    /// The GRANT that would permit `user` to read the rejected object, if a privilege is missing.
    pub fn remedy(&self, user: &str) -> Option<String> {
        if self.rule != Rule::Permission {
            return None;
        }
        if self.reason.starts_with(HIDDEN_ROWS) {
            return Some("Use SET ROLE to become the role whose rows are meant.".to_owned());
        }
        let relation = self.offender.as_deref()?;
        let columns = relation.strip_suffix(')');
        let privilege = match columns.and_then(|relation| relation.rsplit_once(" (")) {
            Some((relation, columns)) => format!("SELECT ({columns}) ON {relation}"),
            None => format!("SELECT ON {relation}"),
        };
        Some(grant_hint(&privilege, user))
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
        let of_column = Rejection {
            offender: Some("hr.\"Pay (old)\" (\"Net\")".to_owned()),
            ..rejection(Rule::Permission, "permission denied for column Net")
        };
        assert_eq!(
            of_column.remedy("ana").as_deref(),
            Some("Ask the owner to run: GRANT SELECT (\"Net\") ON hr.\"Pay (old)\" TO ana;")
        );
        let hidden = format!("{HIDDEN_ROWS} hr.salaries");
        assert_eq!(
            remedy(Rule::Permission, &hidden).as_deref(),
            Some("Use SET ROLE to become the role whose rows are meant.")
        );
        assert_eq!(remedy(Rule::Relation, "it is not available"), None);
    }
}
