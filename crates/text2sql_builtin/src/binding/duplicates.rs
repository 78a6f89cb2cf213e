//! "patients who made an appointment" may list each patient once, or once for each appointment.

use crate::binding::binder::Binder;
use crate::linking::mention::ColumnId;
use crate::linking::names::WITHOUT_KIND;
use crate::linking::readable_names::readable;
use crate::linking::readable_names::singular;
use crate::no_answer::Stop;
use crate::parsing::request::Comparison;
use crate::parsing::request::Repeats;
use crate::parsing::request::{Condition, ConditionKind, Target};

impl Binder<'_> {
    /// Asks which is meant, if there may be several related rows and the question does not decide.
    pub(crate) fn refuse_repeats(
        &self,
        root: usize,
        table: usize,
        conditions: &[Condition],
    ) -> Result<(), Stop> {
        let asks_for_rows = matches!(
            self.tokens.first().map(|token| token.lower.as_str()),
            Some("which" | "who")
        ) && matches!(self.request.targets.as_slice(), [Target::Entity(_)]);
        let is_settled = asks_for_rows
            || self.request.is_distinct
            || self.request.repeats != Repeats::Unspecified;
        if is_settled
            || !self.lists.get()
            || self.depth.get() > 0
            || self.is_pinned(table, conditions)
        {
            return Ok(());
        }
        let mut is_unique = true;
        for step in self.path(root, table)? {
            let Some((_, other)) = step.pairs.first() else {
                continue;
            };
            let position = self
                .table(step.to)?
                .columns
                .iter()
                .position(|column| column.name == *other);
            let unique = step.is_to_one
                || step.pairs.len() == 1
                    && position.is_some_and(|column| {
                        self.is_unique(ColumnId {
                            table: step.to,
                            column,
                        })
                    });
            is_unique &= unique;
        }
        if is_unique {
            return Ok(());
        }
        let rows = singular(&self.table(root)?.name);
        let other = singular(&self.table(table)?.name);
        Err(Stop::Ambiguous {
            question: format!(
                "is each {rows} listed once, or once for each {}?",
                readable(&other)
            ),
            start: usize::MAX,
            end: usize::MAX,
            replacements: vec![
                "each once".to_owned(),
                format!("once for each {}", readable(&other)),
            ],
        })
    }

    /// Whether it is a junction table: its key consists of foreign keys.
    fn is_bridge(&self, table: usize) -> bool {
        self.table(table).is_ok_and(|table| {
            let refers = |key: &&text2sql_domain::schema::ForeignKey| {
                key.columns
                    .iter()
                    .any(|column| table.primary_key.contains(column))
            };
            table.primary_key.len() > 1 && table.foreign_keys.iter().filter(refers).count() > 1
        })
    }

    /// Whether the conditions identify a single related row.
    fn is_pinned(&self, table: usize, conditions: &[Condition]) -> bool {
        conditions.iter().any(|condition| {
            if condition.is_negated {
                return false;
            }
            let names_row = |id: ColumnId| {
                (id.table == table || self.is_bridge(table))
                    && (self.is_unique(id) || self.is_label(id))
            };
            match &condition.kind {
                ConditionKind::Key { .. }
                | ConditionKind::Label { .. }
                | ConditionKind::Extreme { .. } => true,
                ConditionKind::Value { alternatives } => match alternatives.as_slice() {
                    [only] => only.values.iter().any(|link| names_row(link.column)),
                    _ => false,
                },
                ConditionKind::Compare {
                    column,
                    literals,
                    comparison,
                } => {
                    literals.len() == 1
                        && *comparison == Comparison::Equal
                        && column
                            .columns
                            .iter()
                            .any(|(id, tier)| *tier <= WITHOUT_KIND && names_row(*id))
                }
                _ => false,
            }
        })
    }
}
