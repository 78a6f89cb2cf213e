//! A query taken apart: one block for each SELECT level, with its sources and what they give.

use std::collections::HashMap;
use std::sync::Arc;

use sqlparser::ast::{BinaryOperator, Cte, Expr, Query, Select, TableFactor};

use super::syntax;
use text2sql_domain::schema::{Column, Table, TypeCategory};

/// A query, taken apart.
pub struct Tree<'q> {
    /// Every SELECT level, a block before the blocks inside its conditions and outputs, and after
    /// the helper results and derived tables that it reads.
    pub blocks: Vec<Block<'q>>,
    pub(super) results: HashMap<usize, Rows>,
}

/// One SELECT level.
pub struct Block<'q> {
    /// The SELECT itself.
    pub select: &'q Select,
    /// The query whose whole body it is, which holds ORDER BY and LIMIT.
    pub query: Option<&'q Query>,
    /// Its place in the statement.
    pub place: Place,
    /// The block around it, whose names it may use.
    pub parent: Option<usize>,
    /// The FROM list, flattened.
    pub sources: Vec<Source<'q>>,
    /// Helper results (common table expressions) in reach, outermost first.
    pub helpers: Vec<&'q Cte>,
    /// Whether any of them is recursive.
    pub is_recursive: bool,
}

/// The place of a block in the statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The statement's own result.
    Top,
    /// A helper result.
    Helper,
    /// A sub-query in FROM.
    Derived,
    /// A sub-query in an expression.
    Expression,
    /// A branch of a set operation.
    Branch,
}

/// How the rows of a source meet those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinKind {
    /// The first of the FROM list.
    First,
    /// After a comma.
    Comma,
    /// JOIN … ON or USING.
    Inner,
    /// LEFT JOIN.
    Left,
    /// RIGHT JOIN.
    Right,
    /// FULL JOIN.
    Full,
    /// CROSS JOIN, or ON true.
    Cross,
}

/// One member of a FROM list.
pub struct Source<'q> {
    /// The name that qualifies its columns.
    pub name: String,
    /// Where its rows come from.
    pub rows: Rows,
    /// How they meet the rows before.
    pub join: JoinKind,
    /// Members of the ON condition.
    pub conditions: Vec<&'q Expr>,
    /// Columns that USING or NATURAL makes equal: position of the earlier source, and the name.
    pub shared: Vec<(usize, String)>,
    /// Whether it may use the sources before it.
    pub is_lateral: bool,
    /// Whether it is part of a parenthesised join.
    pub is_nested: bool,
    /// The SQL.
    pub factor: &'q TableFactor,
}

/// Where rows come from.
#[derive(Clone)]
pub enum Rows {
    /// A table of the catalog.
    Table(Arc<Table>),
    /// A helper result or sub-query.
    Result(Arc<ResultRows>),
    /// A function or a list of values.
    Function,
    /// Nothing is known.
    Unknown,
}

/// What a query gives.
#[derive(Default)]
pub struct ResultRows {
    /// Its columns, in order.
    pub columns: Vec<Output>,
    /// Sets of columns whose values never repeat.
    pub keys: Vec<Vec<String>>,
    /// Whether there is never more than one row.
    pub is_single_row: bool,
}

/// A column of a result.
#[derive(Clone, Default)]
pub struct Output {
    /// Its name; `None` where the query gives none worth having.
    pub name: Option<String>,
    /// The column of a table that it hands through.
    pub origin: Option<(Arc<Table>, String)>,
    /// What is known of its type.
    pub category: Option<TypeCategory>,
    /// The aggregate that made it, such as `avg`.
    pub aggregate: Option<String>,
    /// Whether it is known never to be NULL.
    pub is_never_null: bool,
    /// The grain to which `date_trunc` cut it, such as `month`.
    pub grain: Option<String>,
}

/// What a column name stands for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reference {
    /// The block that has the source.
    pub block: usize,
    /// The source's position in it.
    pub source: usize,
    /// The column's name.
    pub column: String,
}

impl<'q> Tree<'q> {
    /// The block at a position.
    pub fn block(&self, block: usize) -> Option<&Block<'q>> {
        self.blocks.get(block)
    }

    /// The source that a reference points at.
    pub fn source(&self, reference: &Reference) -> Option<&Source<'q>> {
        self.block(reference.block)?.sources.get(reference.source)
    }

    /// What a query inside this tree gives.
    pub fn result_of(&self, query: &Query) -> Option<&Arc<ResultRows>> {
        match self.results.get(&address(query))? {
            Rows::Result(result) => Some(result),
            _ => None,
        }
    }

    /// The column of a table behind a reference, through helper results that hand it on.
    pub fn column(&self, reference: &Reference) -> Option<(&Arc<Table>, &Column)> {
        match &self.source(reference)?.rows {
            Rows::Table(table) => Some((table, table.column(&reference.column)?)),
            Rows::Result(result) => {
                let (table, column) = result.output(&reference.column)?.origin.as_ref()?;
                Some((table, table.column(column)?))
            }
            _ => None,
        }
    }

    /// The grain to which a helper result cut the column, such as `month`.
    pub fn grain_of(&self, reference: &Reference) -> Option<String> {
        match &self.source(reference)?.rows {
            Rows::Result(result) => result.output(&reference.column)?.grain.clone(),
            _ => None,
        }
    }

    /// Whether outer joins can fill the source's columns with NULL.
    pub fn is_optional(&self, block: usize, source: usize) -> bool {
        let Some(block) = self.block(block) else {
            return false;
        };
        let own = block.sources.get(source).map(|source| source.join);
        matches!(own, Some(JoinKind::Left | JoinKind::Full))
            || block
                .sources
                .iter()
                .skip(source + 1)
                .any(|later| matches!(later.join, JoinKind::Right | JoinKind::Full))
    }

    /// Whether the column can hold NULL as stored, outer joins aside; `None` when nothing is known.
    pub fn can_be_null(&self, reference: &Reference) -> Option<bool> {
        match &self.source(reference)?.rows {
            Rows::Table(table) => table
                .column(&reference.column)
                .map(|column| !column.not_null && !table.primary_key.contains(&column.name)),
            Rows::Result(result) => {
                let output = result.output(&reference.column)?;
                if output.is_never_null {
                    return Some(false);
                }
                output.origin.as_ref().map(|_| true)
            }
            _ => None,
        }
    }
}

impl ResultRows {
    /// The column of that name.
    pub fn output(&self, name: &str) -> Option<&Output> {
        self.columns
            .iter()
            .find(|output| output.name.as_deref() == Some(name))
    }
}

impl Source<'_> {
    /// Whether it has such a column; `None` when its columns are not known.
    pub fn has_column(&self, column: &str) -> Option<bool> {
        match &self.rows {
            Rows::Table(table) => Some(table.column(column).is_some()),
            Rows::Result(result) => Some(result.output(column).is_some()),
            Rows::Function | Rows::Unknown => None,
        }
    }

    /// The table of the catalog behind it.
    pub fn table(&self) -> Option<&Arc<Table>> {
        match &self.rows {
            Rows::Table(table) => Some(table),
            _ => None,
        }
    }
}

impl<'q> Block<'q> {
    /// The members of WHERE.
    pub fn filters(&self) -> Vec<&'q Expr> {
        self.select
            .selection
            .as_ref()
            .map_or_else(Vec::new, |all| syntax::flatten(all, &BinaryOperator::And))
    }

    /// FROM as SQL, with the helper results that it may need in front: the text before and the text
    /// after `SELECT …`.
    pub fn frame(&self) -> (String, String) {
        let mut with = String::new();
        if !self.helpers.is_empty() {
            let helpers: Vec<String> = self.helpers.iter().map(ToString::to_string).collect();
            let recursive = if self.is_recursive { "RECURSIVE " } else { "" };
            with = format!("WITH {recursive}{} ", helpers.join(", "));
        }
        let from: Vec<String> = self.select.from.iter().map(ToString::to_string).collect();
        (with, format!("FROM {}", from.join(", ")))
    }
}

/// Names a query of the tree: its place in memory, which does not move while the tree lives.
pub(super) fn address(query: &Query) -> usize {
    std::ptr::from_ref(query).addr()
}
