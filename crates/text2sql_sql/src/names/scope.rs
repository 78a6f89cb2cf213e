//! The names that a part of a query can use.

use std::collections::HashSet;

use super::checker::{Output, Outputs};

/// A table, sub-query or function in FROM.
#[derive(Debug, Clone)]
pub(super) struct Source {
    /// Its alias or name, as names are compared.
    pub(super) key: String,
    /// The schema of a table without an alias.
    pub(super) schema: Option<String>,
    pub(super) columns: Outputs,
    /// Whether it is a table, which has pseudo-columns.
    pub(super) is_table: bool,
}

impl Source {
    pub(super) fn column(&self, key: &str) -> Option<&Output> {
        self.columns
            .as_ref()?
            .iter()
            .find(|output| output.key == key)
    }
}

/// The sources of a SELECT, and what is around it.
#[derive(Clone, Copy)]
pub(super) struct Scope<'p> {
    pub(super) sources: &'p [Source],
    /// Columns that USING or NATURAL merged: naming them is not ambiguous.
    pub(super) merged: &'p HashSet<String>,
    /// Names of outputs that may be used here.
    pub(super) aliases: &'p [String],
    pub(super) parent: Option<&'p Scope<'p>>,
}

/// What a name stands for.
pub(super) enum Meaning {
    /// A column, or something that cannot be known better.
    Known(Option<(usize, usize)>),
    /// Columns of several sources.
    Ambiguous,
    /// Nothing.
    Unknown,
}

impl Scope<'_> {
    /// What a name without a qualifier stands for.
    pub(super) fn column(&self, key: &str, pseudo: &[&str]) -> Meaning {
        let mut scope = Some(self);
        while let Some(current) = scope {
            let mut found = current
                .sources
                .iter()
                .filter_map(|source| source.column(key));
            let first = found.next();
            let is_alias = current.aliases.iter().any(|alias| alias == key);
            if let Some(first) = first {
                let is_settled = is_alias || current.merged.contains(key);
                return match found.next() {
                    Some(_) if !is_settled => Meaning::Ambiguous,
                    _ => Meaning::Known(first.origin),
                };
            }
            let is_open = current
                .sources
                .iter()
                .any(|source| source.columns.is_none());
            let is_pseudo =
                pseudo.contains(&key) && current.sources.iter().any(|source| source.is_table);
            if is_alias || is_open || is_pseudo {
                return Meaning::Known(None);
            }
            scope = current.parent;
        }
        Meaning::Unknown
    }

    /// The nearest source of that name.
    pub(super) fn source(&self, key: &str, schema: Option<&str>) -> Option<&Source> {
        let mut scope = Some(self);
        while let Some(current) = scope {
            let found = current.sources.iter().find(|source| {
                source.key == key
                    && schema.is_none_or(|schema| source.schema.as_deref() == Some(schema))
            });
            if found.is_some() {
                return found;
            }
            scope = current.parent;
        }
        None
    }
}
