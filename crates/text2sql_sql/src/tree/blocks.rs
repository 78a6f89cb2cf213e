//! An analysed query: one block for each SELECT level, with its sources and their columns.

use std::collections::HashMap;
use std::sync::Arc;

use sqlparser::ast::{BinaryOperator, Cte, Expr, Query, Select, TableFactor};

use super::syntax;
use text2sql_domain::schema::{Column, Table, TypeCategory};

/// An analysed query.
pub struct Tree<'q> {
    /// All SELECT levels. A block comes before the blocks in its conditions and outputs, and after
    /// the CTEs and derived tables that it reads.
    pub blocks: Vec<Block<'q>>,
    pub(super) results: HashMap<usize, Rows>,
}

/// One SELECT level.
pub struct Block<'q> {
    /// The SELECT.
    pub select: &'q Select,
    /// The query whose body it is, which holds ORDER BY and LIMIT.
    pub query: Option<&'q Query>,
    /// Its place in the statement.
    pub place: Place,
    /// The enclosing block, whose names it may use.
    pub parent: Option<usize>,
    /// The FROM list, flattened.
    pub sources: Vec<Source<'q>>,
    /// Common table expressions in scope, outermost first.
    pub helpers: Vec<&'q Cte>,
    /// Whether any of them is recursive.
    pub is_recursive: bool,
}

/// The place of a block in the statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The result of the statement.
    Top,
    /// A common table expression.
    Helper,
    /// A sub-query in FROM.
    Derived,
    /// A sub-query in an expression.
    Expression,
    /// A branch of a set operation.
    Branch,
}

/// How a source is joined to the sources before it.
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
    /// The qualifier of its columns.
    pub name: String,
    /// Where its rows come from.
    pub rows: Rows,
    /// The kind of join to the sources before it.
    pub join: JoinKind,
    /// The conjuncts of the ON condition.
    pub conditions: Vec<&'q Expr>,
    /// Columns equated by USING or NATURAL: position of the earlier source, and the name.
    pub shared: Vec<(usize, String)>,
    /// Whether it is LATERAL.
    pub is_lateral: bool,
    /// Whether it is part of a parenthesised join.
    pub is_nested: bool,
    /// The SQL.
    pub factor: &'q TableFactor,
}

/// The origin of a source's rows.
#[derive(Clone)]
pub enum Rows {
    /// A table of the catalog.
    Table(Arc<Table>),
    /// A CTE or sub-query.
    Result(Arc<ResultRows>),
    /// A function or a list of values.
    Function,
    /// Unknown.
    Unknown,
}

/// The result of a query.
#[derive(Default)]
pub struct ResultRows {
    /// Its columns, in order.
    pub columns: Vec<Output>,
    /// Sets of columns that are unique.
    pub keys: Vec<Vec<String>>,
    /// Whether there is at most one row.
    pub is_single_row: bool,
}

/// A column of a result.
#[derive(Clone, Default)]
pub struct Output {
    /// Its name; `None` if the query assigns no useful name.
    pub name: Option<String>,
    /// The table column that it passes through.
    pub origin: Option<(Arc<Table>, String)>,
    /// Its type category, if known.
    pub category: Option<TypeCategory>,
    /// The aggregate that computes it, such as `avg`.
    pub aggregate: Option<String>,
    /// Whether it is known never to be NULL.
    pub is_never_null: bool,
    /// The unit to which `date_trunc` truncated it, such as `month`.
    pub grain: Option<String>,
    /// The sources, as block and position, whose rows stand behind the value and occur several times in the result:
    /// a join repeats them.
    pub repeated: Vec<(usize, usize)>,
}

/// The column that a name refers to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reference {
    /// The block of the source.
    pub block: usize,
    /// The position of the source in the block.
    pub source: usize,
    /// The column's name.
    pub column: String,
}

impl<'q> Tree<'q> {
    /// The block at a position.
    pub fn block(&self, block: usize) -> Option<&Block<'q>> {
        self.blocks.get(block)
    }

    /// The source of a reference.
    pub fn source(&self, reference: &Reference) -> Option<&Source<'q>> {
        self.block(reference.block)?.sources.get(reference.source)
    }

    /// The result of a query inside this tree.
    pub fn result_of(&self, query: &Query) -> Option<&Arc<ResultRows>> {
        match self.results.get(&address(query))? {
            Rows::Result(result) => Some(result),
            _ => None,
        }
    }

    /// The table column of a reference, also through CTEs and sub-queries that pass it on.
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

    /// The unit to which a CTE or sub-query truncated the column, such as `month`.
    pub fn grain_of(&self, reference: &Reference) -> Option<String> {
        match &self.source(reference)?.rows {
            Rows::Result(result) => result.output(&reference.column)?.grain.clone(),
            _ => None,
        }
    }

    /// What the CTE or sub-query says of the column that it passes on.
    pub fn passed_on(&self, reference: &Reference) -> Option<&Output> {
        match &self.source(reference)?.rows {
            Rows::Result(result) => result.output(&reference.column),
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

    /// Whether the stored column can be NULL, ignoring outer joins; `None` if nothing is known.
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
    /// The column with this name.
    pub fn output(&self, name: &str) -> Option<&Output> {
        self.columns
            .iter()
            .find(|output| output.name.as_deref() == Some(name))
    }
}

impl Source<'_> {
    /// Whether it has such a column; `None` if its columns are not known.
    pub fn has_column(&self, column: &str) -> Option<bool> {
        match &self.rows {
            Rows::Table(table) => Some(table.column(column).is_some()),
            Rows::Result(result) => Some(result.output(column).is_some()),
            Rows::Function | Rows::Unknown => None,
        }
    }

    /// The table of the catalog.
    pub fn table(&self) -> Option<&Arc<Table>> {
        match &self.rows {
            Rows::Table(table) => Some(table),
            _ => None,
        }
    }
}

impl<'q> Block<'q> {
    /// The conjuncts of WHERE.
    pub fn filters(&self) -> Vec<&'q Expr> {
        self.select
            .selection
            .as_ref()
            .map_or_else(Vec::new, |all| syntax::flatten(all, &BinaryOperator::And))
    }

    /// FROM as SQL, preceded by the CTEs that it may need: the text before and the text
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

/// Identifies a query of the tree by its address, which is stable while the tree lives.
pub(super) fn address(query: &Query) -> usize {
    std::ptr::from_ref(query).addr()
}
