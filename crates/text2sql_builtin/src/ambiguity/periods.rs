//! A period of rows that have several dates.

use super::linked_question::{LinkedQuestion, Stretch};
use crate::linking::column_types::is_date;
use crate::linking::mention::ColumnId;
use crate::no_answer::Stop;
use text2sql_domain::words;
use text2sql_language::english::lexicon;
use text2sql_language::periods::spans;
use text2sql_language::words::TokenKind;

impl LinkedQuestion<'_> {
    /// A period over a table with several dates, where the question names none of them.
    pub(crate) fn ambiguity_of_period(&self) -> Option<Stop> {
        let (start, taken) = (0..self.tokens.len()).find_map(|at| {
            let rest = self.tokens.get(at..)?;
            spans::read(rest, self.today).map(|(_, taken)| (at, taken))
        })?;
        let owner = self.owner_at(start)?;
        let is_date_of_owner = |id: &ColumnId| {
            let table = self.tables.get(id.table);
            id.table == owner
                && table
                    .and_then(|table| table.columns.get(id.column))
                    .is_some_and(is_date)
        };
        let names_date = self.stretches.iter().any(|stretch| match stretch {
            Stretch::Name(mention) => mention.columns.iter().any(|(id, _)| is_date_of_owner(id)),
            Stretch::Value(_) => false,
        });
        // An event verb selects a date even if no column name matches.
        let says_event = self.tokens.iter().take(start + taken).any(|token| {
            token.kind == TokenKind::Word
                && (lexicon::EVENT_VERBS.contains(&token.lower.as_str())
                    || token.lower.ends_with("ed"))
        });
        // "How did our stores perform in 2024?" is not about a date of theirs.
        let word = |at: usize| {
            self.tokens
                .get(at)
                .map(|token| token.surface.to_lowercase())
        };
        let asks_how = matches!(word(0).as_deref(), Some("how" | "wie"))
            && word(1).is_some_and(|verb| {
                words!("did, do, does, has, have, are, is, were, was, haben, hat, lief, liefen, ist, sind, war")
                    .contains(&verb.as_str())
            });
        if names_date || says_event || asks_how {
            return None;
        }
        match self.known.date_column(owner, start) {
            Err(stop @ Stop::Ambiguous { .. }) => Some(stop),
            _ => None,
        }
    }

    pub(crate) fn dates_of(&self, table: usize) -> Vec<ColumnId> {
        let columns = self.tables.get(table).map(|table| &table.columns);
        let columns = columns.into_iter().flatten().enumerate();
        columns
            .filter(|(_, column)| is_date(column))
            .map(|(column, _)| ColumnId { table, column })
            .collect()
    }
}
