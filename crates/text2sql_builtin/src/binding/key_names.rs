//! A word for a key to another table, such as "manager" for `manager_staff_id`: who it is, not which number.

use crate::binding::binder::{Binder, is_audit_column};
use crate::binding::select::Named;
use crate::linking::mention::{ColumnId, Mention};
use crate::linking::names::{self, label_columns};
use crate::no_answer::Stop;
use text2sql_domain::schema::{Table, TypeCategory};

/// Words that ask for the key itself.
const KEY_WORDS: &[&str] = &[
    "id", "ids", "key", "number", "numbers", "code", "codes", "no", "nr",
];

impl Binder<'_> {
    /// The row that the column refers to, if the question calls it by a word that is not the column's name.
    pub(crate) fn row_of_key(&self, mention: &Mention, id: ColumnId) -> Named {
        self.referenced_row(mention, id)
            .map_or(Named::Column(id), Named::Table)
    }

    fn referenced_row(&self, mention: &Mention, id: ColumnId) -> Option<usize> {
        let (table, column) = (self.table(id.table).ok()?, self.column(id).ok()?);
        let tier = mention.columns.iter().find(|(known, _)| *known == id)?.1;
        let words = self.tokens.get(mention.start..mention.end)?;
        let asks_for_key = words
            .iter()
            .any(|token| KEY_WORDS.contains(&token.lower.as_str()));
        if tier < names::WITHOUT_KIND
            || asks_for_key
            || !column.not_null
            || !matches!(column.category, TypeCategory::Integer | TypeCategory::Uuid)
        {
            return None;
        }
        let mut steps = self.joins.parents(id.table).filter(|step| {
            !step.is_assumed && matches!(step.pairs.as_slice(), [(own, _)] if *own == column.name)
        });
        let step = steps.next()?;
        let is_named = !label_columns(self.table(step.to).ok()?).is_empty();
        let is_path = self
            .joins
            .path(id.table, step.to)
            .is_ok_and(|path| matches!(path.as_slice(), [only] if only == step));
        (is_named && is_path && !table.primary_key.contains(&column.name)).then_some(step.to)
    }

    /// "Who is the manager?" is not answered with a number of which no foreign key says whose it is.
    pub(crate) fn refuse_number_for_name(&self, named: &Named) -> Result<(), Stop> {
        let Named::Column(id) = named else {
            return Ok(());
        };
        let (table, column) = (self.table(id.table)?, self.column(*id)?);
        let asks_who = self
            .tokens
            .first()
            .is_some_and(|token| matches!(token.lower.as_str(), "who" | "whom"));
        let is_number = matches!(column.category, TypeCategory::Integer | TypeCategory::Uuid);
        if asks_who && is_number && !self.is_foreign(*id) {
            return Err(Stop::Unanswerable(format!(
                "{}.{} is a number, and no foreign key says whose",
                table.name, column.name
            )));
        }
        Ok(())
    }

    /// The columns that name a row of a table which only connects others: those of the rows it connects.
    pub(crate) fn names_of_connected(&self, index: usize) -> Option<Vec<ColumnId>> {
        let table = self.table(index).ok()?;
        if !connects_only(table) {
            return None;
        }
        let mut columns = Vec::new();
        for key in &table.foreign_keys {
            let target = self
                .tables
                .iter()
                .position(|table| table.oid == key.target)?;
            self.joins.path(index, target).ok()?;
            let labels = label_columns(self.table(target).ok()?);
            if labels.is_empty() {
                return None;
            }
            columns.extend(labels.into_iter().map(|column| ColumnId {
                table: target,
                column,
            }));
        }
        Some(columns)
    }
}

/// Whether the table holds nothing but references to at least two others, and the time of the last change.
pub(crate) fn connects_only(table: &Table) -> bool {
    let is_reference = |name: &String| {
        let mut keys = table.foreign_keys.iter();
        keys.any(|key| key.columns.contains(name))
    };
    table.foreign_keys.len() > 1
        && !table.primary_key.is_empty()
        && table.primary_key.iter().all(is_reference)
        && table
            .columns
            .iter()
            .all(|column| is_reference(&column.name) || is_audit_column(&column.name))
}
