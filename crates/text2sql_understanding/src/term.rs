//! A term of the glossary, as a question may use it.

use text2sql_semantics::{Defined, Step};

/// A definition as a question may use it.
#[derive(Debug, Clone)]
pub(crate) struct Term {
    pub(crate) name: String,
    pub(crate) says: String,
    pub(crate) table: usize,
    pub(crate) kind: TermKind,
    /// The stems of its names.
    pub(crate) keys: Vec<String>,
    pub(crate) expression: String,
    /// From its table to each further one that it reads.
    pub(crate) joins: Vec<Vec<Step>>,
}

/// The kind of a term's expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TermKind {
    Condition,
    Value,
    Aggregate,
}

impl Term {
    /// The expression for rows that reach its table by the path.
    pub(crate) fn defined(&self, path: &[Step]) -> Defined {
        let whole = |join: &Vec<Step>| [path, join.as_slice()].concat();
        Defined {
            expression: self.expression.clone(),
            path: path.to_vec(),
            joins: self.joins.iter().map(whole).collect(),
        }
    }
}
