//! What a stretch of the question may name: tables, columns, stored values, a business term.

use crate::linking::names;

/// A column by position: index of the table in the call's tables, index in its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ColumnId {
    pub(crate) table: usize,
    pub(crate) column: usize,
}

/// A stored value that the question names.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ValueLink {
    pub(crate) column: ColumnId,
    /// As it is stored.
    pub(crate) text: String,
    /// Spelled as asked, but for case.
    pub(crate) is_exact: bool,
}

/// What one stretch of the question may name.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Mention {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) tables: Vec<(usize, u8)>,
    pub(crate) columns: Vec<(ColumnId, u8)>,
    pub(crate) values: Vec<ValueLink>,
    /// In quotes or with a capital: a proper name.
    pub(crate) is_marked: bool,
    /// "name": the columns by which rows are known.
    pub(crate) says_name: bool,
    /// "full name": all of them.
    pub(crate) says_full_name: bool,
    /// A term of the house.
    pub(crate) term: Option<usize>,
}

impl Mention {
    /// The tables of the best tier.
    pub(crate) fn best_tables(&self) -> Vec<usize> {
        let best = self.tables.iter().map(|(_, tier)| *tier).min();
        let names_column = self.columns.iter().any(|(_, tier)| *tier == names::EXACT);
        if names_column && best.is_some_and(|tier| tier > names::WITH_TABLE) {
            return Vec::new();
        }
        self.tables
            .iter()
            .filter(|(_, tier)| Some(*tier) == best)
            .map(|(table, _)| *table)
            .collect()
    }

    pub(crate) fn has_name(&self) -> bool {
        !self.tables.is_empty() || !self.columns.is_empty() || self.says_name || self.term.is_some()
    }

    /// A verb that has the root of a name, and is not that name.
    pub(crate) fn is_derived(&self) -> bool {
        let tables = self.tables.iter().map(|(_, tier)| *tier);
        let columns = self.columns.iter().map(|(_, tier)| *tier);
        !self.says_name
            && self.has_name()
            && tables.chain(columns).all(|tier| tier == names::DERIVED)
    }
}
