//! A value that several columns hold.

use super::linked_question::{LinkedQuestion, Stretch, distinct_tables};
use crate::linking::mention::{ColumnId, Mention, ValueLink};
use crate::linking::names;
use crate::no_answer::Stop;
use text2sql_understanding::is_state;

impl LinkedQuestion<'_> {
    pub(crate) fn ambiguity_of_value(&self, mention: &Mention) -> Option<Stop> {
        let mut links: Vec<&ValueLink> = Vec::new();
        for link in mention.values.iter().filter(|link| link.is_exact) {
            if !links.iter().any(|known| known.column == link.column) {
                links.push(link);
            }
        }
        let ids: Vec<ColumnId> = links.iter().map(|link| link.column).collect();
        let ids = self.without_references(ids);
        links.retain(|link| ids.contains(&link.column));
        let is_mentioned = |id: ColumnId| {
            self.stretches.iter().any(|stretch| match stretch {
                Stretch::Name(name) => name.columns.iter().any(|(other, _)| *other == id),
                Stretch::Value(_) => false,
            })
        };
        let owner = self.owner_at(mention.start);
        // "open tickets", where invoices have that status: the word says it of tickets as well.
        let said = self
            .tokens
            .get(mention.start..mention.end)
            .unwrap_or_default();
        let is_state = matches!(said, [only] if is_state(&only.lower));
        if is_state && owner.is_some_and(|owner| ids.iter().all(|id| id.table != owner)) {
            return None;
        }
        // How the question may point at a candidate, in order of weight.
        let preferences: [&dyn Fn(ColumnId) -> bool; 3] = [
            &|id| is_mentioned(id),
            &|id| Some(id.table) == owner,
            &|id| self.is_named(id.table),
        ];
        for prefers in preferences {
            let preferred: Vec<&ValueLink> = links
                .iter()
                .copied()
                .filter(|link| prefers(link.column))
                .collect();
            match preferred.len() {
                0 => {}
                1 if links.len() > 1 => return None,
                _ => {
                    links = preferred;
                    break;
                }
            }
        }
        let ids: Vec<ColumnId> = links.iter().map(|link| link.column).collect();
        let has_same_named_column = owner.is_some_and(|owner| {
            ids.iter().all(|id| id.table != owner)
                && ids
                    .iter()
                    .any(|id| self.known.has_same_named_column(owner, *id))
        });
        let is_label = |id: &ColumnId| {
            self.tables
                .get(id.table)
                .is_some_and(|table| names::label_columns(table).contains(&id.column))
        };
        // Within one row, prefer the column that identifies it.
        let is_row_known =
            distinct_tables(&ids) == 1 && ids.iter().filter(|id| is_label(id)).count() == 1;
        if links.len() > 1
            && (has_same_named_column || is_row_known || self.singled_out(&ids).is_some())
        {
            return None;
        }
        match (links.as_slice(), owner) {
            ([], _) => None,
            ([only], Some(owner)) => {
                let table = only.column.table;
                let is_named = self.named.iter().any(|(named, _)| *named == table);
                (table != owner && !is_named)
                    .then(|| self.path_replacements(owner, table, mention))
                    .flatten()
            }
            ([_], None) => None,
            _ => Some(self.known.ambiguous_value(mention, &links)),
        }
    }
}
