//! Looks at spans: what they name, and which are read.

use super::*;
use crate::table_names::words_of;
use text2sql_language::words::stem;

impl Composer<'_> {
    pub(super) fn span(&self, at: usize) -> Option<&Span> {
        self.spans.get(at)
    }

    pub(super) fn is(&self, at: usize, concept: Concept) -> bool {
        self.span(at).is_some_and(|span| span.is(concept))
    }

    pub(super) fn take(&mut self, at: usize) {
        if let Some(used) = self.used.get_mut(at) {
            *used = true;
        }
    }

    pub(super) fn is_used(&self, at: usize) -> bool {
        self.used.get(at).copied().unwrap_or(true)
    }

    pub(super) fn is_filler(&self, at: usize) -> bool {
        self.span(at).is_none_or(Span::is_filler)
    }

    /// The next span that says something.
    pub(super) fn after(&self, at: usize) -> Option<usize> {
        (at + 1..self.spans.len()).find(|next| !self.is_filler(*next))
    }

    pub(super) fn before(&self, at: usize) -> Option<usize> {
        (0..at).rev().find(|next| !self.is_filler(*next))
    }

    pub(super) fn find(&self, concept: Concept) -> Option<usize> {
        (0..self.spans.len()).find(|at| self.is(*at, concept) && !self.is_used(*at))
    }

    pub(super) fn has(&self, concept: Concept) -> bool {
        self.spans.iter().any(|span| span.is(concept))
    }

    pub(super) fn names(&self, at: usize) -> &[Name] {
        self.span(at)
            .map(|span| span.names.as_slice())
            .unwrap_or_default()
    }

    /// The term of the glossary that the span is.
    pub(super) fn term_at(&self, at: usize) -> Option<(usize, TermKind)> {
        let term = self.span(at)?.term?;
        Some((term, self.schema.terms.get(term)?.kind))
    }

    pub(super) fn say_term(&mut self, term: usize) {
        if let Some(term) = self.schema.terms.get(term) {
            let says = term.says.clone();
            self.says(says, false);
        }
    }

    /// The table that the span names, if one is clearly meant.
    pub(super) fn table_of(&self, at: usize) -> Option<usize> {
        let mut tables: Vec<(f64, usize)> = self
            .names(at)
            .iter()
            .filter_map(|name| match name.kind {
                NameKind::Table(table) if name.score >= 0.55 => Some((name.score, table)),
                _ => None,
            })
            .collect();
        tables.sort_by(|one, other| other.0.total_cmp(&one.0));
        let column = self
            .names(at)
            .iter()
            .filter(|name| matches!(name.kind, NameKind::Column(..)))
            .map(|name| name.score);
        let column = column.fold(0.0, f64::max);
        if tables
            .first()
            .is_some_and(|(score, _)| column - score > 0.2)
        {
            return None;
        }
        let best = match tables.as_slice() {
            [] => None,
            [(one, first), (other, second), ..] if one - other < 0.04 => {
                // The one that the others belong to: "orders" before "customer_orders".
                let words = |at: usize| self.schema.table_words(at).len();
                match words(*first).cmp(&words(*second)) {
                    std::cmp::Ordering::Less => Some(*first),
                    std::cmp::Ordering::Greater => Some(*second),
                    std::cmp::Ordering::Equal => None,
                }
            }
            [(_, first), ..] => Some(*first),
        };
        let best = best.filter(|table| !self.is_line_of(at, *table));
        best.map(|table| self.schema.thing_of(table))
    }

    /// The table that has just this name.
    pub(super) fn named_table(&self, at: usize) -> Option<usize> {
        let mut named = self.names(at).iter().filter_map(|name| match name.kind {
            NameKind::Table(table) if name.score >= 1.0 => Some(table),
            _ => None,
        });
        named.next().filter(|_| named.next().is_none())
    }

    /// Whether "items" are products in other words, and as well the lines of orders: order_items.
    fn is_line_of(&self, at: usize, table: usize) -> bool {
        let Some(text) = self.span(at).map(|span| stem(&span.text.to_lowercase())) else {
            return false;
        };
        let is_called = |at: usize| {
            let words = self.schema.table(at).map(|table| words_of(&table.name));
            words.is_some_and(|words| words.last().is_some_and(|last| stem(last) == text))
        };
        let own = self.schema.table(table).map(|table| words_of(&table.name));
        let is_own = own.is_some_and(|words| words.iter().any(|word| stem(word) == text));
        !is_own
            && self.names(at).iter().any(|name| match name.kind {
                NameKind::Table(other) => {
                    other != table && is_called(other) && self.schema.reach(other, table).is_some()
                }
                _ => false,
            })
    }

    pub(super) fn columns_of(&self, at: usize) -> Vec<(usize, usize, f64)> {
        let mut columns: Vec<(usize, usize, f64)> = self
            .names(at)
            .iter()
            .filter_map(|name| match name.kind {
                NameKind::Column(table, column) if name.score >= 0.55 => {
                    Some((table, column, name.score))
                }
                _ => None,
            })
            .collect();
        columns.sort_by(|one, other| other.2.total_cmp(&one.2));
        columns
    }

    pub(super) fn numeric_columns(&self, at: usize) -> Vec<(usize, usize)> {
        let columns = self.columns_of(at);
        let best = columns.first().map_or(0.0, |(_, _, score)| *score);
        // "orders" are orders, not units_on_order.
        let tables = self
            .names(at)
            .iter()
            .filter(|name| matches!(name.kind, NameKind::Table(_)))
            .map(|name| name.score);
        if tables.fold(0.0, f64::max) > best + 0.1 {
            return Vec::new();
        }
        let close = columns.into_iter().filter(|(table, column, score)| {
            self.schema.is_numeric(*table, *column) && best - score < 0.12
        });
        close.map(|(table, column, _)| (table, column)).collect()
    }

    pub(super) fn values_of(&self, at: usize) -> Vec<Name> {
        let names = self.names(at).iter();
        names
            .filter(|name| matches!(name.kind, NameKind::Value(..)))
            .cloned()
            .collect()
    }

    /// Among columns with the same name, those of the table that the question names; none if it names several.
    pub(super) fn of_named_tables(&self, columns: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
        let named: Vec<usize> = (0..self.spans.len())
            .filter_map(|at| self.table_of(at))
            .collect();
        let of_named: Vec<(usize, usize)> = columns
            .iter()
            .copied()
            .filter(|(table, _)| named.contains(table))
            .collect();
        let chosen = if of_named.is_empty() {
            columns
        } else {
            of_named
        };
        let mut tables: Vec<usize> = chosen.iter().map(|(table, _)| *table).collect();
        tables.dedup();
        match tables.as_slice() {
            [_] => chosen,
            _ => Vec::new(),
        }
    }

    /// A noun that names a table and is nothing else.
    pub(super) fn is_noun(&self, at: usize) -> bool {
        self.table_of(at).is_some()
            && !self.span(at).is_some_and(|span| {
                span.concept.is_some_and(|concept| {
                    !matches!(
                        concept,
                        Concept::Verb(_)
                            | Concept::Revenue
                            | Concept::Filler
                            | Concept::List
                            | Concept::Times
                    )
                })
            })
    }

    pub(super) fn says(&mut self, text: String, is_default: bool) {
        if !self.said.contains(&(text.clone(), is_default)) {
            self.said.push((text, is_default));
        }
    }

    /// A word is taken for a column of a table.
    pub(super) fn says_by(&mut self, at: usize, table: usize, column: &str) {
        let word = self.span(at).map(|span| span.text.as_str());
        let says = format!(
            "'{}' is by {}.{column}",
            word.unwrap_or_default(),
            self.table_name(table)
        );
        self.says(says, true);
    }

    /// The tables that words name: as nouns, by money that they are about, by columns and values.
    pub(crate) fn named_tables(&self) -> Vec<usize> {
        let all = 0..self.spans.len();
        let nouns = all.clone().filter_map(|at| self.table_of(at));
        let is_money = |at: &usize| self.is(*at, Concept::Revenue) || self.is(*at, Concept::Units);
        let sales = all
            .clone()
            .find(is_money)
            .and_then(|_| sales_table(self.schema));
        let columns = all.clone().filter_map(|at| {
            let is_plain = self.span(at).is_some_and(|span| span.concept.is_none());
            let best = self.columns_of(at).into_iter().next();
            best.filter(|(_, _, score)| is_plain && *score > 0.9)
                .map(|(table, _, _)| table)
        });
        let values = all.filter_map(|at| match self.values_of(at).as_slice() {
            [only] => match only.kind {
                NameKind::Value(table, _, _) => Some(table),
                _ => None,
            },
            _ => None,
        });
        let mut named = Vec::new();
        for table in nouns.chain(sales).chain(columns).chain(values) {
            if !named.contains(&table) && self.schema.is_base(table) {
                named.push(table);
            }
        }
        named
    }

    /// What was read and what was assumed, with whether it is a default.
    pub(crate) fn said(&self) -> &[(String, bool)] {
        &self.said
    }

    pub(super) fn table_name(&self, at: usize) -> String {
        self.schema
            .table(at)
            .map(|table| table.name.clone())
            .unwrap_or_default()
    }
}
