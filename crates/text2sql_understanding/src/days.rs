//! The dates of a table, and which of them is the day on which its rows happened.

use crate::schema::Schema;
use crate::table_names::words_of;
use text2sql_domain::schema::{Column, TypeCategory};
use text2sql_domain::words;
use text2sql_language::names::beginning;
use text2sql_language::words::stem;

/// Words of dates on which something was over.
const ENDED: &[&str] = words!(
    "closed, resolved, completed, finished, ended, end, left, returned, settled, terminated, discontinued"
);

impl Schema<'_> {
    /// Columns with days, in order.
    pub(crate) fn dates(&self, at: usize) -> Vec<usize> {
        let columns = self
            .table(at)
            .map(|table| table.columns.as_slice())
            .unwrap_or_default();
        let is_day = |column: &Column| {
            matches!(
                column.category,
                TypeCategory::Date | TypeCategory::Timestamp
            )
        };
        // When a change was made is the day of its row.
        let is_of_changes = self.names(at).is_some_and(|names| {
            let mut words = names.table_words.iter();
            words.any(|word| words!("chang, change, updat, update").contains(&word.as_str()))
        });
        columns
            .iter()
            .enumerate()
            .filter(|(place, column)| {
                is_day(column)
                    && (is_of_changes
                        || !self.column_words(at, *place).iter().any(|word| {
                            words!("update, updated, modified, modification, changed, synced")
                                .contains(&word.as_str())
                        }))
            })
            .map(|(at, _)| at)
            .collect()
    }

    /// The day on which a row happened, if it is clear.
    pub(crate) fn main_date(&self, at: usize) -> Option<usize> {
        if let Some(known) = self.main_dates.borrow().get(&at) {
            return *known;
        }
        let found = self.find_main_date(at);
        self.main_dates.borrow_mut().insert(at, found);
        found
    }

    fn find_main_date(&self, at: usize) -> Option<usize> {
        let dates = self.dates(at);
        if let [only] = dates.as_slice() {
            return Some(*only);
        }
        if let [first, second] = dates.as_slice()
            && let (Some(one), Some(other)) = (self.column(at, *first), self.column(at, *second))
            && let Some(beginning) = beginning([&one.name, &other.name])
        {
            return dates.get(beginning).copied();
        }
        // "opened" beside "closed", which may be empty.
        if let [first, second] = dates.as_slice() {
            let ends = |date: &usize| {
                let words = self.column_words(at, *date);
                let is_open = self
                    .column(at, *date)
                    .is_some_and(|column| !column.not_null);
                is_open && words.iter().any(|word| ENDED.contains(&word.as_str()))
            };
            match (ends(first), ends(second)) {
                (false, true) => return Some(*first),
                (true, false) => return Some(*second),
                _ => {}
            }
        }
        let own = self
            .table(at)
            .map(|table| words_of(&table.name))
            .unwrap_or_default();
        let root = |word: &str| -> String { stem(word).chars().take(4).collect() };
        let named: Vec<usize> = dates
            .iter()
            .copied()
            .filter(|date| {
                let words = self.column_words(at, *date);
                words.iter().any(|word| {
                    word.len() > 3
                        && own
                            .iter()
                            .any(|own| own.len() > 3 && root(own) == root(word))
                })
            })
            .collect();
        let is_entered = |date: &&usize| {
            let words = self.column_words(at, **date);
            words
                .iter()
                .any(|word| matches!(word.as_str(), "created" | "inserted" | "entered"))
        };
        if let Some(first) = named.iter().find(|date| !is_entered(date)) {
            return Some(*first);
        }
        if let [first, ..] = named.as_slice() {
            return Some(*first);
        }
        let is_plain = |date: &usize| {
            let words = self.column_words(at, *date);
            matches!(
                words
                    .iter()
                    .map(String::as_str)
                    .collect::<Vec<_>>()
                    .as_slice(),
                ["date"] | ["created", ..] | ["day"] | ["timestamp"]
            )
        };
        let is_called_date = |date: &usize| {
            let words = self.column_words(at, *date);
            let is_other = |word: &String| {
                words!("due, birth, end, expiry, until, delivery, payment").contains(&word.as_str())
            };
            words.last().is_some_and(|last| last == "date") && !words.iter().any(is_other)
        };
        let mut called = dates.iter().copied().filter(is_called_date);
        let only = called.next().filter(|_| called.next().is_none());
        dates.iter().copied().find(is_plain).or(only)
    }
}
