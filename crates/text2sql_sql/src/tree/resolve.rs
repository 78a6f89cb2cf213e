//! Which source a name stands for.

use sqlparser::ast::Expr;

use super::{Reference, Rows, Tree};
use crate::tree::syntax::{fold, without_parentheses};

impl Tree<'_> {
    /// The column that an expression is, as seen from a block; `None` when it is anything else or
    /// the name is not clear.
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

    /// The same for names already folded.
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
            // A source whose columns are not known may have it.
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

    /// Whether USING makes the column of both one.
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

    /// Every column of this very block that an expression names, sub-queries left closed.
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

    /// How a sentence names the column: with its source where the block has several.
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

    /// How the SQL itself names the column.
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
