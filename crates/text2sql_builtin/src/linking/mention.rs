//! What a span of the question may refer to: tables, columns, stored values, a business term.

use crate::linking::names;

/// A column by index: of its table in the list of tables, and within the table.
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
    /// The question spells it the same way, except for case.
    pub(crate) is_exact: bool,
}

/// A span of the question with everything it may refer to.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Mention {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) tables: Vec<(usize, u8)>,
    pub(crate) columns: Vec<(ColumnId, u8)>,
    pub(crate) values: Vec<ValueLink>,
    /// Quoted or capitalised: a proper name.
    pub(crate) is_marked: bool,
    /// The word "name": the label columns of a table.
    pub(crate) is_name_word: bool,
    /// "full name": all label columns.
    pub(crate) is_full_name_word: bool,
    /// A business term of the glossary, by index.
    pub(crate) term: Option<usize>,
}

impl Mention {
    /// The tables of the best match tier.
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
        !self.tables.is_empty()
            || !self.columns.is_empty()
            || self.is_name_word
            || self.term.is_some()
    }

    /// Whether it only matches as a verb with the same root as a name.
    pub(crate) fn is_derived(&self) -> bool {
        let tables = self.tables.iter().map(|(_, tier)| *tier);
        let columns = self.columns.iter().map(|(_, tier)| *tier);
        !self.is_name_word
            && self.has_name()
            && tables.chain(columns).all(|tier| tier == names::DERIVED)
    }
}
