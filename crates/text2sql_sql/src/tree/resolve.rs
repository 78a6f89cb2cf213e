//! Name resolution.

use sqlparser::ast::Expr;

use super::{Reference, Rows, Tree};
use crate::tree::syntax::{fold, without_parentheses};

impl Tree<'_> {
    /// The column that an expression refers to in a block; `None` if it is not a column or
    /// the name is ambiguous.
    pub fn resolve(&self, block: usize, expression: &Expr) -> Option<Reference> {
        match without_parentheses(expression) {
            Expr::Identifier(name) => self.find(block, None, &fold(name)),
            Expr::CompoundIdentifier(names) => match names.as_slice() {
                [.., qualifier, column] => self.find(block, Some(&fold(qualifier)), &fold(column)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The same for folded names.
    pub fn find(&self, block: usize, qualifier: Option<&str>, column: &str) -> Option<Reference> {
        let mut level = Some(block);
        while let Some(at) = level {
            let here = self.block(at)?;
            let matching = |(position, source): (usize, &super::Source<'_>)| {
                let fits = match qualifier {
                    Some(qualifier) => source.name == qualifier,
                    None => source.has_column(column) == Some(true),
                };
                fits.then_some(position)
            };
            let mut matches = here.sources.iter().enumerate().filter_map(matching);
            if let Some(source) = matches.next() {
                if let Some(second) = matches.next()
                    && !self.is_shared(at, source, second, column)
                {
                    return None;
                }
                return Some(Reference {
                    block: at,
                    source,
                    column: column.to_owned(),
                });
            }
            // A source with unknown columns may have it.
            let is_open = here
                .sources
                .iter()
                .any(|source| matches!(source.rows, Rows::Unknown | Rows::Function));
            if qualifier.is_none() && is_open {
                return None;
            }
            level = here.parent;
        }
        None
    }

    /// Whether USING merges the column of both sources.
    fn is_shared(&self, block: usize, first: usize, second: usize, column: &str) -> bool {
        self.block(block)
            .and_then(|block| block.sources.get(second))
            .is_some_and(|source| {
                source
                    .shared
                    .iter()
                    .any(|(left, name)| *left == first && name == column)
            })
    }

    /// All columns of this block that an expression uses, without those in sub-queries.
    pub fn columns_in(&self, block: usize, expression: &Expr) -> Vec<Reference> {
        let mut found = Vec::new();
        super::walk(expression, &mut |part| {
            if matches!(part, Expr::Identifier(_) | Expr::CompoundIdentifier(_))
                && let Some(reference) = self.resolve(block, part)
                && !found.contains(&reference)
            {
                found.push(reference);
            }
        });
        found
    }

    /// The column's name in a sentence: qualified if the block has several sources.
    pub fn label(&self, reference: &Reference) -> String {
        let column = text2sql_domain::schema::quote_identifier(&reference.column);
        match self.source(reference) {
            Some(source) => {
                let name = source.table().map_or_else(
                    || text2sql_domain::schema::quote_identifier(&source.name),
                    |table| table.sql_name(),
                );
                format!("{name}.{column}")
            }
            None => column,
        }
    }

    /// The column's name in SQL.
    pub fn sql(&self, reference: &Reference) -> String {
        let column = text2sql_domain::schema::quote_identifier(&reference.column);
        match self.source(reference) {
            Some(source) => format!(
                "{}.{column}",
                text2sql_domain::schema::quote_identifier(&source.name)
            ),
            None => column,
        }
    }
}
