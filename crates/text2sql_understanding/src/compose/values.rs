//! Conditions by stored values, flags and what is missing.

use super::*;

impl Composer<'_> {
    pub(super) fn negation(&mut self, at: usize) -> bool {
        let mut before = at;
        for _ in 0..3 {
            let Some(previous) = before.checked_sub(1) else {
                return false;
            };
            before = previous;
            if [Concept::Not, Concept::Without, Concept::Never]
                .iter()
                .any(|concept| self.is(before, *concept))
            {
                self.take(before);
                return true;
            }
            if !self.is_filler(before)
                && self.columns_of(before).is_empty()
                && !matches!(
                    self.span(before).and_then(|span| span.concept),
                    Some(Concept::Verb(_))
                )
            {
                return false;
            }
        }
        false
    }

    /// Conditions that are named by values, flags and what is missing, for rows of `subject`.
    pub(super) fn read_conditions(&mut self, subject: Option<usize>) -> Result<(), Stop> {
        let mut at = 0;
        while at < self.spans.len() {
            if self.is_used(at) {
                at += 1;
                continue;
            }
            let values = self.values_of(at);
            let is_name = self.table_of(at).is_some() || !self.columns_of(at).is_empty();
            let is_verb = matches!(
                self.span(at).and_then(|span| span.concept),
                Some(Concept::Verb(_))
            );
            let is_event = match self.span(at).and_then(|span| span.concept) {
                Some(Concept::Verb(verb)) => subject.zip(self.event_of(verb)).is_some_and(|(subject, event)| {
                    let is_own = values.iter().any(|name| matches!(name.kind, NameKind::Value(table, _, _) if table == subject));
                    !is_own && self.schema.reach(event, subject).is_some()
                }),
                _ => false,
            };
            if !values.is_empty()
                && !is_name
                && !is_event
                && (self.span(at).is_some_and(|span| span.concept.is_none()) || is_verb)
            {
                self.read_value(at, values);
                at += 1;
                continue;
            }
            let flags: Vec<(usize, usize)> = self
                .columns_of(at)
                .into_iter()
                .map(|(table, column, _)| (table, column))
                .filter(|(table, column)| self.is_flag(*table, *column))
                .filter(|(table, _)| {
                    subject.is_none_or(|subject| {
                        subject == *table || self.schema.reach(subject, *table).is_some()
                    })
                })
                .collect();
            let own = flags.iter().find(|(table, _)| Some(*table) == subject).or(
                match flags.as_slice() {
                    [only] => Some(only),
                    _ => None,
                },
            );
            if let Some((table, column)) = own.copied() {
                let is_negated = self.negation(at);
                self.take(at);
                let text = self
                    .span(at)
                    .map(|span| span.text.clone())
                    .unwrap_or_default();
                let name = self
                    .schema
                    .column(table, column)
                    .map(|column| column.name.clone())
                    .unwrap_or_default();
                let says = format!("'{text}' is {}.{name}", self.table_name(table));
                self.says(says, false);
                self.asked.push(Asked::Flag {
                    table,
                    column,
                    is_negated,
                });
            }
            at += 1;
        }
        Ok(())
    }

    pub(super) fn is_flag(&self, table: usize, column: usize) -> bool {
        let Some(described) = self.schema.column(table, column) else {
            return false;
        };
        if described.category == TypeCategory::Boolean {
            return true;
        }
        let values = described
            .statistics
            .as_ref()
            .map(|one| one.most_common_values.as_slice())
            .unwrap_or_default();
        described.category == TypeCategory::Integer
            && !values.is_empty()
            && values.iter().all(|value| value == "0" || value == "1")
    }

    pub(super) fn read_value(&mut self, at: usize, mut values: Vec<Name>) {
        // Nobody is from a first name.
        let is_place = at
            .checked_sub(1)
            .and_then(|before| self.span(before))
            .is_some_and(|span| matches!(span.text.to_lowercase().as_str(), "from" | "in" | "aus"));
        if is_place {
            values.retain(|name| match name.kind {
                NameKind::Value(table, column, _) => {
                    let words = self.schema.column_words(table, column);
                    words.last().is_none_or(|last| last != "name")
                        || !words
                            .iter()
                            .any(|word| matches!(word.as_str(), "first" | "last"))
                }
                _ => true,
            });
            if values.is_empty() {
                return;
            }
        }
        let is_negated = self.negation(at);
        // "town Graz": the column before names where it is.
        let is_negation = |at: usize| {
            [Concept::Not, Concept::Without, Concept::Never]
                .iter()
                .any(|concept| self.is(at, *concept))
        };
        let before = self.before(at);
        let before = match before {
            Some(negation) if is_negation(negation) => self.before(negation),
            before => before,
        };
        if let Some(before) = before.filter(|before| *before + 4 > at && !self.is_used(*before)) {
            let columns = self.columns_of(before);
            let of_column: Vec<Name> = values
                .iter()
                .filter(|name| {
                    matches!(name.kind, NameKind::Value(table, column, _) if columns.iter().any(|(t, c, _)| (*t, *c) == (table, column)))
                })
                .cloned()
                .collect();
            if !of_column.is_empty() && self.table_of(before).is_none() {
                values = of_column;
                self.take(before);
            }
        }
        let is_passive = at
            .checked_sub(1)
            .and_then(|before| self.span(before))
            .is_some_and(|span| {
                matches!(
                    span.text.to_lowercase().as_str(),
                    "were" | "was" | "been" | "wurden" | "wurde" | "got"
                )
            });
        self.is_undated_state |= is_passive
            && !self.periods.is_empty()
            && values.iter().any(|name| match name.kind {
                NameKind::Value(table, column, _) => self
                    .schema
                    .column_words(table, column)
                    .iter()
                    .any(|word| matches!(word.as_str(), "status" | "state" | "stage")),
                _ => false,
            });
        let near = self.near_table(at);
        // "albums by Iron Maiden" are not the album of that name.
        if at > 0 && self.is(at - 1, Concept::By) {
            values.retain(|name| match name.kind {
                NameKind::Value(table, column, _) => {
                    Some(table) != near || !self.schema.shown(table).contains(&column)
                }
                _ => false,
            });
            let mut columns: Vec<(usize, usize)> = values
                .iter()
                .filter_map(|name| match name.kind {
                    NameKind::Value(table, column, _) => Some((table, column)),
                    _ => None,
                })
                .collect();
            columns.dedup();
            if columns.len() != 1 {
                return;
            }
        }
        self.take(at);
        let mut all = vec![values];
        let mut last = at;
        while let Some(joint) = self
            .after(last)
            .filter(|joint| self.is(*joint, Concept::And) || self.is(*joint, Concept::Or))
            && let Some(next) = self.after(joint)
            && !self.is_used(next)
            && !self.values_of(next).is_empty()
            && self.table_of(next).is_none()
        {
            self.take(joint);
            self.take(next);
            all.push(self.values_of(next));
            last = next;
        }
        let happens = self
            .verbs()
            .iter()
            .any(|(_, verb)| !matches!(*verb, "live" | "work" | "cost"));
        self.asked.push(Asked::Values {
            names: all,
            is_negated,
            near,
            happens,
        });
    }

    /// The noun that a value stands beside: "US customers", "stores in Germany".
    pub(super) fn near_table(&self, at: usize) -> Option<usize> {
        let right = (at + 1 < self.spans.len())
            .then(|| self.table_of(at + 1))
            .flatten();
        if right.is_some() && self.span(at + 1).is_some_and(|span| span.concept.is_none()) {
            return right;
        }
        let left = (0..at)
            .rev()
            .filter(|before| !self.is_filler(*before))
            .take(2);
        left.filter(|before| {
            self.span(*before)
                .is_some_and(|span| !span.is(Concept::Revenue))
        })
        .find_map(|before| self.table_of(before))
    }
}
