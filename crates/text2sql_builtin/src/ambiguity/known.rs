//! The columns and dates that a span may mean, as questions back.

use std::sync::Arc;

use crate::joins::paths::Joins;
use crate::linking::column_types::is_date;
use crate::linking::mention::{ColumnId, Mention, ValueLink};
use crate::linking::names;
use crate::linking::readable_names::{readable, singular};
use crate::no_answer::Stop;
use text2sql_domain::schema::{Column, Table, quote_identifier};
use text2sql_domain::words;
use text2sql_language::names::beginning;
use text2sql_language::words::Token;

/// Maximum number of readings of one span.
const MOST_READINGS: usize = 4;

/// The tables with their join paths, and the question.
pub(super) struct Known<'a> {
    pub(super) tables: &'a [Arc<Table>],
    pub(super) joins: Joins<'a>,
    pub(super) tokens: &'a [Token],
}

impl<'a> Known<'a> {
    pub(super) fn table(&self, index: usize) -> Result<&'a Table, Stop> {
        self.tables
            .get(index)
            .map(Arc::as_ref)
            .ok_or_else(|| Stop::Unanswerable("a table is out of reach".to_owned()))
    }

    pub(super) fn column(&self, id: ColumnId) -> Result<&'a Column, Stop> {
        let column = self.table(id.table)?.columns.get(id.column);
        column.ok_or_else(|| Stop::Unanswerable("a column is out of reach".to_owned()))
    }

    /// The words of the mention in the question.
    pub(super) fn surface_text(&self, mention: &Mention) -> String {
        let words = self.tokens.get(mention.start..mention.end);
        let words = words.unwrap_or_default().iter();
        let words: Vec<&str> = words.map(|token| token.surface.as_str()).collect();
        words.join(" ")
    }

    /// Whether the column refers to another table.
    pub(super) fn is_foreign(&self, id: ColumnId) -> bool {
        self.table(id.table).is_ok_and(|table| {
            let name = table.columns.get(id.column).map(|column| &column.name);
            table
                .foreign_keys
                .iter()
                .any(|key| name.is_some_and(|name| key.columns.contains(name)))
        })
    }

    pub(super) fn ambiguous_column(&self, mention: &Mention, ids: &[ColumnId]) -> Stop {
        let first = ids.first().map(|id| id.table);
        let one_table = ids.iter().all(|id| Some(id.table) == first);
        let ids = ids.get(..MOST_READINGS).unwrap_or(ids);
        let name = |id: &ColumnId, row: &str| {
            let words = readable(&self.column(*id).ok()?.name);
            let says_table = words
                .strip_prefix(row)
                .is_some_and(|rest| rest.starts_with(' '));
            Some(match one_table || (says_table && !row.contains('.')) {
                true => words,
                false => format!("{row} {words}"),
            })
        };
        let replacements = self.told_apart(ids, &name);
        Stop::Ambiguous {
            question: format!("which column is meant: {}?", replacements.join(" or ")),
            start: mention.start,
            end: mention.end,
            replacements,
        }
    }

    pub(super) fn ambiguous_value(&self, mention: &Mention, links: &[&ValueLink]) -> Stop {
        // The surface form: a reading may go to a model, which need not learn the stored value.
        let phrase = self.surface_text(mention);
        let phrase = phrase.trim();
        let ids = links.iter().take(MOST_READINGS).map(|link| link.column);
        let ids: Vec<ColumnId> = ids.collect();
        let name = |id: &ColumnId, row: &str| {
            let column = self.column(*id).ok()?;
            Some(format!("{row} {} '{phrase}'", readable(&column.name)))
        };
        Stop::Ambiguous {
            question: format!("'{phrase}' is a value of several columns: which one is meant?"),
            start: mention.start,
            end: mention.end,
            replacements: self.told_apart(&ids, &name),
        }
    }

    /// What `name` says of each column after the words for a row of its table. Where it says the same of two, tables of
    /// one name are in several schemas: these are written with their schemas, as a question can do.
    fn told_apart(
        &self,
        ids: &[ColumnId],
        name: &dyn Fn(&ColumnId, &str) -> Option<String>,
    ) -> Vec<String> {
        let row = |id: &ColumnId| Some(readable(&singular(&self.table(id.table).ok()?.name)));
        let said: Vec<Option<String>> = ids.iter().map(|id| name(id, &row(id)?)).collect();
        let is_repeated = |text: &String| {
            let same = said.iter().flatten().filter(|other| *other == text);
            same.count() > 1
        };
        let said = ids.iter().zip(&said).filter_map(|(id, text)| {
            let text = text.as_ref()?;
            if !is_repeated(text) {
                return Some(text.clone());
            }
            let table = self.table(id.table).ok()?;
            let address = format!("{}.{}", table.schema, table.name);
            let is_plain = |name: &str| quote_identifier(name) == name;
            match is_plain(&table.schema) && is_plain(&table.name) {
                true => name(id, &address),
                false => name(id, &format!("\"{address}\"")),
            }
        });
        said.collect()
    }

    /// The owner has a column of the same name, and its values are not known.
    pub(super) fn has_same_named_column(&self, owner: usize, id: ColumnId) -> bool {
        let (Ok(table), Ok(column)) = (self.table(owner), self.column(id)) else {
            return false;
        };
        let words = names::words_of(&column.name);
        let label = names::label_columns(table);
        (0..table.columns.len()).any(|i| {
            !label.contains(&i)
                && !self.is_foreign(ColumnId {
                    table: owner,
                    column: i,
                })
                && table
                    .columns
                    .get(i)
                    .is_some_and(|column| names::words_of(&column.name) == words)
        })
    }

    /// The date column that a period is about.
    pub(super) fn date_column(&self, owner: usize, at: usize) -> Result<ColumnId, Stop> {
        let table = self.table(owner)?;
        let dates: Vec<usize> = (0..table.columns.len())
            .filter(|&i| table.columns.get(i).is_some_and(is_date))
            .collect();
        let is_kept_by_hand = |at: &usize| {
            let column = table.columns.get(*at);
            column.is_some_and(|column| !is_audit_column(&column.name))
        };
        if let [first, second] = dates.as_slice()
            && let Some(column) = beginning_of(table, *first, *second)
        {
            return Ok(ColumnId {
                table: owner,
                column,
            });
        }
        match dates.as_slice() {
            // The date of the last change does not describe the row, and its creation date does not
            // describe rows of other tables.
            [only] if !is_kept_by_hand(only) && records_change(table, *only) => Err(
                Stop::Unanswerable(format!("{} has no date column for the period", table.name)),
            ),
            [only] => Ok(ColumnId {
                table: owner,
                column: *only,
            }),
            [] => Err(Stop::Unanswerable(format!(
                "{} has no date column for the period",
                table.name
            ))),
            several => {
                let word = table.primary_key.is_empty();
                let own: Vec<usize> = several
                    .iter()
                    .copied()
                    .filter(|&i| {
                        let key = names::words_of(&table.name);
                        table.columns.get(i).is_some_and(|column| {
                            let words = names::words_of(&column.name);
                            key.last().is_some_and(|last| {
                                words.iter().any(|word| word.starts_with(last.as_str()))
                            })
                        })
                    })
                    .collect();
                if let ([only], false) = (own.as_slice(), word)
                    && is_kept_by_hand(only)
                {
                    return Ok(ColumnId {
                        table: owner,
                        column: *only,
                    });
                }
                let replacements = several
                    .iter()
                    .take(4)
                    .filter_map(|&i| table.columns.get(i))
                    .map(|column| format!("with {}", readable(&column.name)))
                    .collect();
                Err(Stop::Ambiguous {
                    question: format!("{} has several dates: which one is meant?", table.name),
                    start: at,
                    end: at,
                    replacements,
                })
            }
        }
    }
}

/// The column at which the rows begin, where they end at the other.
fn beginning_of(table: &Table, first: usize, second: usize) -> Option<usize> {
    let name = |at: usize| table.columns.get(at).map(|column| column.name.as_str());
    let at = beginning([name(first)?, name(second)?])?;
    [first, second].get(at).copied()
}

/// Words in names of columns with the date of the last change.
const CHANGE_WORDS: &[&str] = words!("update, updated, modified, modification, changed, synced");

/// Words in names of columns with the creation date.
const CREATION_WORDS: &[&str] = &[
    "created", "create", "creation", "inserted", "loaded", "imported",
];

/// Whether the column records when the row itself was created or changed: `last_update`, `modified_on`,
/// `created_at`.
pub(crate) fn is_audit_column(name: &str) -> bool {
    let words = readable(name);
    let mut words = words.split(' ');
    words.any(|word| CHANGE_WORDS.contains(&word) || CREATION_WORDS.contains(&word))
}

fn records_change(table: &Table, column: usize) -> bool {
    table.columns.get(column).is_some_and(|column| {
        let words = readable(&column.name);
        words.split(' ').any(|word| CHANGE_WORDS.contains(&word))
    })
}
