//! A possible join.

use super::facts::{Kind, Pair};
use super::names::Stands;

/// A possible join, judged by names alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its two sides.
    pub pair: Pair,
    /// How sure the names are, 0 to 1.
    pub(super) by_name: f32,
    /// What they say.
    pub(super) reason: Reason,
    /// The kind of the (first) column.
    pub(super) kind: Kind,
    /// Whether the target's key is declared.
    pub(super) is_key_declared: bool,
    /// Whether statistics say that the target is unique.
    pub(super) is_key_distinct: bool,
    /// Whether the target's columns are its primary key.
    pub(super) is_first: bool,
    /// How the referenced table is named by the column, for ties.
    pub(super) stands: Option<Stands>,
}

impl Candidate {
    /// Whether the target is known to be unique, without counting.
    pub fn is_key(&self) -> bool {
        self.is_key_declared || self.is_key_distinct
    }
}

/// What the name of a column says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It is the name of the key.
    SameName,
    /// It is the name of the table and its key.
    TableAndKey,
    /// It is the name of the table.
    Table,
    /// It is the key's word alone, `id`: only values can tell.
    KeyWord,
    /// It is short for the table.
    Short,
    /// It is a word for a row of the same table: `parent_id`.
    OwnTable,
    /// It is a word for a person: `manager_id`.
    Person,
    /// All columns of the key have the same names.
    AllOfKey,
}
