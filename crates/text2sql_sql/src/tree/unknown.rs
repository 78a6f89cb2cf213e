//! The columns that a query takes from a table which has no such column.

use std::sync::Arc;
use text2sql_domain::words;

use sqlparser::ast::{Expr, SelectItem};

use super::{Rows, Tree};
use crate::tree::syntax::{fold, without_parentheses};
use crate::tree::walk::{expressions, walk};
use text2sql_domain::schema::Table;

/// A column that does not exist, and the tables that it was looked for in.
#[derive(Debug, Clone)]
pub struct UnknownColumn {
    /// The name, folded.
    pub name: String,
    /// The tables that could have it: that of its qualifier, or all that it can name.
    pub tables: Vec<Arc<Table>>,
}

/// Names without a qualifier that are no columns although nothing declares them, and columns that every table has.
const BUILT_IN: [&str; 18] = *words!(
    "current_catalog, current_date, current_role, current_schema, current_time, \
     current_timestamp, current_user, localtime, localtimestamp, session_user, user, default, \
     ctid, tableoid, xmin, xmax, cmin, cmax"
);

impl Tree<'_> {
    /// All columns that certainly do not exist: every source that could have them is a table that is known.
    pub fn unknown_columns(&self) -> Vec<UnknownColumn> {
        let mut found: Vec<UnknownColumn> = Vec::new();
        for (position, block) in self.blocks.iter().enumerate() {
            let aliases: Vec<String> = block
                .select
                .projection
                .iter()
                .filter_map(|item| match item {
                    SelectItem::ExprWithAlias { alias, .. } => Some(fold(alias)),
                    _ => None,
                })
                .collect();
            for expression in expressions(block.select, block.query) {
                walk(expression, &mut |part| {
                    let unknown = match without_parentheses(part) {
                        Expr::Identifier(name) if name.quote_style.is_some() => {
                            self.unqualified(position, fold(name), &aliases, false)
                        }
                        Expr::Identifier(name) => {
                            self.unqualified(position, fold(name), &aliases, true)
                        }
                        Expr::CompoundIdentifier(names) => match names.as_slice() {
                            [.., qualifier, column] => {
                                self.qualified(position, &fold(qualifier), fold(column))
                            }
                            _ => None,
                        },
                        _ => None,
                    };
                    if let Some(unknown) = unknown
                        && found.iter().all(|known| known.name != unknown.name)
                    {
                        found.push(unknown);
                    }
                });
            }
        }
        found
    }

    fn qualified(&self, block: usize, qualifier: &str, column: String) -> Option<UnknownColumn> {
        let reference = self.find(block, Some(qualifier), &column)?;
        let table = self.source(&reference)?.table()?;
        let is_unknown = table.column(&column).is_none() && !BUILT_IN.contains(&column.as_str());
        is_unknown.then(|| UnknownColumn {
            name: column,
            tables: vec![Arc::clone(table)],
        })
    }

    fn unqualified(
        &self,
        block: usize,
        column: String,
        aliases: &[String],
        may_be_built_in: bool,
    ) -> Option<UnknownColumn> {
        let is_named =
            aliases.contains(&column) || (may_be_built_in && BUILT_IN.contains(&column.as_str()));
        let mut tables: Vec<Arc<Table>> = Vec::new();
        let mut level = Some(block);
        while let Some(at) = level {
            let here = self.block(at)?;
            for source in &here.sources {
                // A name may stand for the row of a source.
                if source.name == column {
                    return None;
                }
                match &source.rows {
                    Rows::Table(table) => tables.push(Arc::clone(table)),
                    Rows::Result(_) => {}
                    Rows::Function | Rows::Unknown => return None,
                }
                if source.has_column(&column) != Some(false) {
                    return None;
                }
            }
            level = here.parent;
        }
        (!is_named && !tables.is_empty()).then_some(UnknownColumn {
            name: column,
            tables,
        })
    }
}
