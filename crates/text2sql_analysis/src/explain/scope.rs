//! Name resolution at one level of a statement: the tables in scope, their columns, and their
//! names in sentences.

use std::sync::Arc;

use sqlparser::ast::NamedWindowDefinition;

use text2sql_domain::schema::{Table, TypeCategory, quote_identifier};

/// A column of a CTE or sub-query.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OutputColumn {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its type category, if known.
    pub category: Option<TypeCategory>,
}

/// The origin of a relation's rows.
#[derive(Debug, Clone)]
pub(super) enum Source {
    /// A table of the catalog.
    Table(Arc<Table>),
    /// A CTE or sub-query with these columns.
    Result(Vec<OutputColumn>),
    /// Unknown columns.
    Unknown,
}

impl Source {
    /// Its columns; empty if they are not known.
    pub fn columns(&self) -> Vec<OutputColumn> {
        match self {
            Self::Table(table) => table
                .columns
                .iter()
                .map(|column| OutputColumn {
                    name: Some(column.name.clone()),
                    category: Some(column.category),
                })
                .collect(),
            Self::Result(columns) => columns.clone(),
            Self::Unknown => Vec::new(),
        }
    }
}

/// One item of a FROM list.
#[derive(Debug, Clone)]
pub(super) struct Relation {
    /// The qualifier of its columns in the SQL: the alias, else the table's name.
    pub qualifier: String,
    /// The table's own name; the same as `qualifier` for a sub-query.
    pub base_name: String,
    /// The table's name in the SQL, with its schema if given.
    pub full_name: String,
    /// Its name in sentences: the table's name, or the alias if that name would be ambiguous.
    pub label: String,
    /// The origin of its rows.
    pub source: Source,
}

/// A common table expression in scope.
#[derive(Debug, Clone)]
pub(super) struct KnownCte {
    /// Its name.
    pub name: String,
    /// Its columns.
    pub columns: Vec<OutputColumn>,
}

/// The names in scope at one level of a statement; the parent is the enclosing level.
#[derive(Default)]
pub(super) struct Scope<'s> {
    /// The enclosing level.
    pub parent: Option<&'s Scope<'s>>,
    /// The FROM list, in order.
    pub relations: Vec<Relation>,
    /// Common table expressions defined at this level.
    pub ctes: Vec<KnownCte>,
    /// Named windows of this level.
    pub windows: &'s [NamedWindowDefinition],
}

/// The column that a name refers to.
pub(super) struct Found<'f> {
    /// The relation that has it.
    pub relation: &'f Relation,
    /// Position of that relation in its FROM list.
    pub index: usize,
    /// How many levels up the relation is.
    pub level: usize,
    /// Whether the unqualified column name is unambiguous at its level.
    pub is_alone: bool,
}

impl Relation {
    /// The column's type category if known; `None` if there is no such column.
    pub fn category(&self, column: &str) -> Option<Option<TypeCategory>> {
        match &self.source {
            Source::Table(table) => table.column(column).map(|found| Some(found.category)),
            Source::Result(columns) => columns
                .iter()
                .find(|output| output.name.as_deref() == Some(column))
                .map(|output| output.category),
            Source::Unknown => None,
        }
    }

    /// The table of the catalog.
    pub fn table(&self) -> Option<&Arc<Table>> {
        match &self.source {
            Source::Table(table) => Some(table),
            _ => None,
        }
    }
}

impl<'s> Scope<'s> {
    /// An empty level inside `parent`.
    pub fn inside(parent: &'s Scope<'s>) -> Self {
        Self {
            parent: Some(parent),
            ..Self::default()
        }
    }

    /// Sets the FROM list and determines the names of its members in sentences.
    pub fn set_relations(&mut self, relations: Vec<Relation>) {
        self.relations = relations;
        let labels: Vec<String> = self
            .relations
            .iter()
            .map(|relation| {
                let same_name = |other: &&Relation| other.base_name == relation.base_name;
                let here = self.relations.iter().filter(same_name).count();
                let around = self
                    .levels()
                    .skip(1)
                    .flat_map(|level| level.relations.iter())
                    .filter(same_name)
                    .count();
                let is_clear = here + around < 2;
                quote_identifier(if is_clear {
                    &relation.base_name
                } else {
                    &relation.qualifier
                })
            })
            .collect();
        for (relation, label) in self.relations.iter_mut().zip(labels) {
            relation.label = label;
        }
    }

    /// This level and the enclosing ones, innermost first.
    pub fn levels(&self) -> impl Iterator<Item = &Scope<'s>> {
        std::iter::successors(Some(self), |scope| scope.parent)
    }

    /// The CTE with this name.
    pub fn cte(&self, name: &str) -> Option<&KnownCte> {
        self.levels()
            .flat_map(|level| level.ctes.iter().rev())
            .find(|cte| cte.name == name)
    }

    /// The relation and column that a name refers to: by its qualifier, or because exactly one
    /// relation of a level has such a column.
    pub fn find(&self, qualifier: Option<&str>, column: &str) -> Option<Found<'_>> {
        for (level, scope) in self.levels().enumerate() {
            let mut matches = scope.relations.iter().enumerate().filter(|(_, relation)| {
                qualifier.map_or_else(
                    || relation.category(column).is_some(),
                    |qualifier| relation.qualifier == qualifier,
                )
            });
            let Some((index, relation)) = matches.next() else {
                // A relation with unknown columns may have it.
                let is_open = |relation: &Relation| matches!(relation.source, Source::Unknown);
                if qualifier.is_none() && scope.relations.iter().any(is_open) {
                    return None;
                }
                continue;
            };
            if matches.next().is_some() {
                return None;
            }
            return Some(Found {
                relation,
                index,
                level,
                is_alone: scope.relations.len() == 1,
            });
        }
        None
    }

    /// Whether a level nearer than `level` uses the same label, which would be ambiguous.
    pub fn is_label_taken(&self, label: &str, level: usize) -> bool {
        self.levels()
            .take(level)
            .flat_map(|scope| scope.relations.iter())
            .any(|relation| relation.label == label)
    }
}
