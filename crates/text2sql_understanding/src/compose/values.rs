//! Conditions by stored values, flags and what is missing.

use super::*;
use text2sql_domain::words;

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
            if let Some((term, TermKind::Condition)) = self.term_at(at) {
                let is_negated = self.negation(at);
                self.take(at);
                self.say_term(term);
                self.asked.push(Asked::Term { term, is_negated });
                at += 1;
                continue;
            }
            let values = self.values_of(at);
            let columns = self.columns_of(at);
            // "orders that were cancelled", where invoices have a flag of that name.
            let is_elsewhere = subject.is_some_and(|subject| {
                columns.iter().all(|(table, column, _)| {
                    self.is_flag(*table, *column)
                        && *table != subject
                        && self.schema.reach(subject, *table).is_none()
                })
            });
            let is_name = self.table_of(at).is_some() || !columns.is_empty() && !is_elsewhere;
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
                // When parcels became sold is not said by whether they are.
                self.is_undated_state |= is_verb && !self.periods.is_empty();
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
        self.schema.is_flag(table, column)
    }

    /// Whether the column has first or last names.
    fn is_part_of_name(&self, table: usize, column: usize) -> bool {
        let words = self.schema.column_words(table, column);
        let parts = [
            "first", "last", "given", "family", "fname", "lname", "surname", "forename",
        ];
        words.iter().any(|word| parts.contains(&word.as_str()))
    }

    /// The tables in which somebody has one of the values as first or last name.
    fn people_called(&self, values: &[Name]) -> Vec<usize> {
        let all = values.iter().filter_map(|name| match name.kind {
            NameKind::Value(table, column, _) => {
                self.is_part_of_name(table, column).then_some(table)
            }
            _ => None,
        });
        all.collect()
    }

    pub(super) fn read_value(&mut self, at: usize, mut values: Vec<Name>) {
        // A first name is no place to be from.
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
        // "Mary Smith" is one person, and not an actor's first name with the surname of somebody else.
        let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
        for of in beside.map(|beside| self.people_called(&self.values_of(beside))) {
            if !of.is_empty() && !self.people_called(&values).is_empty() {
                values.retain(|name| match name.kind {
                    NameKind::Value(table, column, _) => {
                        !self.is_part_of_name(table, column) || of.contains(&table)
                    }
                    _ => true,
                });
            }
        }
        if values.is_empty() {
            return;
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
        // "Prague city": the column after.
        let after = self.columns_of(at + 1);
        let of_column = |name: &&Name| match name.kind {
            NameKind::Value(table, column, _) => {
                after.iter().any(|(t, c, _)| (*t, *c) == (table, column))
            }
            _ => false,
        };
        let named: Vec<Name> = values.iter().filter(of_column).cloned().collect();
        if !named.is_empty() && !self.is_used(at + 1) && self.table_of(at + 1).is_none() {
            values = named;
            self.take(at + 1);
        }
        // "clients with VIP status", whatever the column is called.
        let is_status = self
            .span(at + 1)
            .is_some_and(|span| span.text.eq_ignore_ascii_case("status") && named_is_free(span));
        if is_status && !self.is_used(at + 1) && self.table_of(at + 1).is_none() {
            self.take(at + 1);
        }
        let is_passive = at
            .checked_sub(1)
            .and_then(|before| self.span(before))
            .is_some_and(|span| {
                words!("were, was, been, wurden, wurde, got")
                    .contains(&span.text.to_lowercase().as_str())
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
        // "albums by Iron Maiden" are not the album of that name, nor are "tracks of Iron Maiden".
        let is_of = at > 1
            && self.is_noun(at - 2)
            && self
                .span(at - 1)
                .is_some_and(|span| matches!(span.text.as_str(), "of" | "von"));
        if is_of || at > 0 && self.is(at - 1, Concept::By) {
            values.retain(|name| match name.kind {
                NameKind::Value(table, column, _) => {
                    Some(table) != near || !self.schema.shown(table).contains(&column)
                }
                _ => false,
            });
            let is_reached = |name: &Name| match (near, &name.kind) {
                (Some(near), NameKind::Value(table, _, _)) => {
                    self.schema.reach(near, *table).is_some()
                }
                _ => false,
            };
            if values.iter().any(is_reached) {
                values.retain(is_reached);
            }
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
        self.keep_person(at, &mut values);
        self.take(at);
        let both = (0..at)
            .rev()
            .take(4)
            .find(|before| self.is(*before, Concept::Both));
        let mut all = vec![values];
        let mut last = at;
        while let Some(joint) = self
            .after(last)
            .filter(|joint| self.is(*joint, Concept::And) || self.is(*joint, Concept::Or))
            && let Some(next) = self.after(joint)
            && let Some(next) = self.behind_column(next, &all)
            && !self.is_used(next)
            && !self.values_of(next).is_empty()
            && self.table_of(next).is_none()
        {
            // "allergic to milk and eggs": to both or to one of them.
            self.is_of_both |= self.is(joint, Concept::And) && self.has_relating_verb();
            self.take(joint);
            self.take(next);
            all.push(self.values_of(next));
            last = next;
        }
        // "Accounting or Biology departments", "a Ph.D. or MA degree": what they are is said after the last.
        let mut near = near;
        let is_of = |name: &Name, of: &dyn Fn(usize, usize) -> bool| matches!(name.kind, NameKind::Value(table, column, _) if of(table, column));
        if last > at && !self.is_used(last + 1) {
            let columns = self.columns_of(last + 1);
            let noun = self.table_of(last + 1);
            let first = all.first().map(Vec::as_slice).unwrap_or_default();
            let in_column = |table: usize, column: usize| {
                columns.iter().any(|(t, c, _)| (*t, *c) == (table, column))
            };
            if noun.is_some()
                && first
                    .iter()
                    .any(|name| is_of(name, &|table, _| Some(table) == noun))
            {
                near = noun;
                self.take(last + 1);
            } else if noun.is_none() && first.iter().any(|name| is_of(name, &in_column)) {
                for names in &mut all {
                    names.retain(|name| is_of(name, &in_column));
                }
                self.take(last + 1);
            }
        }
        let happens = self
            .verbs()
            .iter()
            .any(|(_, verb)| !matches!(*verb, "live" | "work" | "cost"));
        let values = |names: Vec<Vec<Name>>, is_each: bool| Asked::Values {
            names,
            is_negated,
            near,
            happens,
            is_each,
        };
        self.is_of_both &= both.is_none();
        match both.filter(|_| all.len() > 1 && !is_negated) {
            Some(both) => {
                self.take(both);
                self.asked
                    .extend(all.into_iter().map(|one| values(vec![one], true)));
            }
            None => self.asked.push(values(all, false)),
        }
    }

    /// "color Black or color Yellow": the value behind the column of the values before.
    fn behind_column(&mut self, at: usize, values: &[Vec<Name>]) -> Option<usize> {
        if self.columns_of(at).is_empty() || !self.values_of(at).is_empty() || self.is_noun(at) {
            return Some(at);
        }
        let columns = self.columns_of(at);
        let first = values.first()?.iter();
        let is_own = first.into_iter().any(|name| match name.kind {
            NameKind::Value(table, column, _) => {
                columns.iter().any(|(t, c, _)| (*t, *c) == (table, column))
            }
            _ => false,
        });
        let next = self
            .after(at)
            .filter(|next| is_own && !self.values_of(*next).is_empty())?;
        self.take(at);
        Some(next)
    }

    /// "Steve Johnson" is one person: first and last name are of one table.
    fn keep_person(&self, at: usize, values: &mut Vec<Name>) {
        let part_of = |name: &Name, part: &str| match name.kind {
            NameKind::Value(table, column, _) => {
                let words = self.schema.column_words(table, column);
                let is_part = words.iter().any(|word| word.contains(part));
                is_part.then_some(table)
            }
            _ => None,
        };
        for (other, own_part, other_part) in [
            (Some(at + 1), "first", "last"),
            (at.checked_sub(1), "last", "first"),
        ] {
            let others = other.map(|other| self.values_of(other)).unwrap_or_default();
            let is_of_one = |name: &Name| {
                let own = part_of(name, own_part);
                own.is_some() && others.iter().any(|other| part_of(other, other_part) == own)
            };
            if values.iter().any(is_of_one) {
                values.retain(is_of_one);
                return;
            }
        }
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

/// Whether no other rows are said to have a status of that name.
fn named_is_free(span: &Span) -> bool {
    span.names
        .iter()
        .all(|name| !matches!(name.kind, NameKind::Table(_)))
}
