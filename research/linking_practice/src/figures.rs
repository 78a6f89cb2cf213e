//! Counts how often everything that a question needs was found.

use text2sql_retrieval::schema_budget::ShownTable;
use text2sql_retrieval::tables::search::Found;

use crate::questions::Question;

/// The depths that are looked at.
const DEPTHS: [usize; 3] = [5, 10, 20];

/// Counts over some questions.
#[derive(Default)]
pub(crate) struct Figures {
    questions: usize,
    within: [usize; DEPTHS.len()],
    columns: usize,
}

impl Figures {
    /// Adds a question; `shown` is what a prompt would hold.
    pub(crate) fn add(&mut self, question: &Question, found: &Found, shown: &[ShownTable]) {
        self.questions += 1;
        for (count, depth) in self.within.iter_mut().zip(DEPTHS) {
            let mut first = found.tables.iter().take(depth).map(|entry| entry.table);
            let first: Vec<u32> = first.by_ref().collect();
            *count += usize::from(question.tables.iter().all(|table| first.contains(table)));
        }
        let is_shown = |(table, column): &(u32, i16)| {
            shown.iter().any(|entry| {
                let columns = &entry.table.columns;
                entry.table.oid == *table && columns.iter().any(|known| known.number == *column)
            })
        };
        self.columns += usize::from(question.columns.iter().all(is_shown));
    }

    /// Shares in percent: within 5, 10 and 20 tables, all columns in the prompt.
    pub(crate) fn line(&self) -> String {
        let share = |count: usize| 100.0 * count as f64 / self.questions.max(1) as f64;
        let mut cells: Vec<String> = self.within.iter().map(|&c| cell(share(c))).collect();
        cells.push(cell(share(self.columns)));
        cells.join(" ")
    }
}

fn cell(share: f64) -> String {
    format!("{share:6.1}")
}
