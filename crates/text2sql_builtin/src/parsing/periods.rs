//! Periods and dates in a question.

use crate::linking::column_types::is_date;
use crate::linking::column_types::is_year;
use crate::linking::mention::{ColumnId, Mention};
use crate::linking::names;
use crate::linking::readable_names::readable;
use crate::no_answer::Stop;
use crate::parsing::parser::Parser;
use crate::parsing::request::{Comparison, Condition, ConditionKind, Literal};
use jiff::civil::Date;
use text2sql_language::calendar::is_first_of_year;
use text2sql_language::english::lexicon;
use text2sql_language::periods::{dates, spans};
use text2sql_language::words::TokenKind;

impl Parser<'_> {
    pub(crate) fn date_range_of(
        &mut self,
        mention: &Mention,
    ) -> Option<(Option<Date>, Option<Date>)> {
        let dated = mention.columns.iter().any(|(id, _)| {
            self.tables
                .get(id.table)
                .and_then(|table| table.columns.get(id.column))
                .is_some_and(is_date)
        }) || self.names_year(mention);
        let range = if dated { self.date_range() } else { None };
        range.or_else(|| {
            let before = self.at;
            let (period, taken) =
                dates::read_period(self.tokens.get(self.at..)?, self.today).filter(|_| dated)?;
            self.at = before + taken;
            Some((Some(period.start), Some(period.end)))
        })
    }

    /// "hired in 2020" for a numeric column `hired_year`.
    fn push_year_condition(
        &mut self,
        from: Option<Date>,
        to: Option<Date>,
        column: &Mention,
    ) -> bool {
        if !self.names_year(column) {
            return false;
        }
        self.push_years(column.clone(), from, to)
    }

    /// A condition on a numeric year column; false if the period has no limits.
    fn push_years(&mut self, column: Mention, from: Option<Date>, to: Option<Date>) -> bool {
        let number = |year: i16| Literal::number(year.to_string());
        let (comparison, literals) = match (from, to) {
            (Some(from), Some(to)) if to.year() == from.year() + 1 => {
                (Comparison::Equal, vec![number(from.year())])
            }
            (Some(from), Some(to)) => (
                Comparison::Between,
                vec![number(from.year()), number(to.year() - 1)],
            ),
            (Some(from), None) => (Comparison::AtLeast, vec![number(from.year())]),
            (None, Some(to)) => (Comparison::Less, vec![number(to.year())]),
            (None, None) => return false,
        };
        self.push_compare(false, column, comparison, literals);
        true
    }

    /// Whether the mention only refers to numeric year columns.
    fn names_year(&self, column: &Mention) -> bool {
        !column.columns.is_empty()
            && column.columns.iter().all(|(id, _)| {
                self.tables
                    .get(id.table)
                    .and_then(|table| table.columns.get(id.column))
                    .is_some_and(|column| {
                        is_year(column) && names::words_of(&column.name).len() > 1
                    })
            })
    }

    /// A year as a condition on an integer column "year", if the current table has no date column.
    pub(crate) fn integer_year(
        &mut self,
        from: Option<Date>,
        to: Option<Date>,
        column: Option<&Mention>,
    ) -> Result<bool, Stop> {
        if let Some(column) = column {
            return Ok(self.push_year_condition(from, to, column));
        }
        let whole = |date: Option<Date>| date.is_none_or(is_first_of_year);
        let Some(owner) = self.owner.or(self.request.subject) else {
            return Ok(false);
        };
        let Some(table) = self.tables.get(owner) else {
            return Ok(false);
        };
        if table.columns.iter().any(is_date) || !whole(from) || !whole(to) {
            return Ok(false);
        }
        let year = table.columns.iter().position(is_year);
        let Some(position) = year else {
            return Ok(false);
        };
        let id = ColumnId {
            table: owner,
            column: position,
        };
        let mention = Mention {
            columns: vec![(id, names::EXACT)],
            ..Mention::default()
        };
        Ok(self.push_years(mention, from, to))
    }

    /// "issued" for a date column `issued_on`: the verb selects the date.
    pub(crate) fn names_date(&self) -> bool {
        self.links.name_at(self.at).is_some_and(|mention| {
            mention.columns.iter().any(|(id, _)| {
                Some(id.table) == self.owner
                    && self
                        .tables
                        .get(id.table)
                        .and_then(|table| table.columns.get(id.column))
                        .is_some_and(is_date)
            })
        })
    }

    /// "in March 2025", "since 2024", "between 2020 and 2022".
    pub(crate) fn period(&mut self) -> Result<bool, Stop> {
        let before = self.at;
        self.skip(lexicon::AUXILIARIES);
        if !self.names_date() && !self.is_stored_word() && self.entity_at(self.at).is_none() {
            self.eat_one_of(lexicon::EVENT_VERBS);
        }
        let start = self.at;
        match self.date_range() {
            Some((from, to)) if !self.names_other_number() => {
                let is_verb = before
                    .checked_sub(1)
                    .and_then(|at| self.tokens.get(at))
                    .is_some_and(|token| lexicon::EVENT_VERBS.contains(&token.lower.as_str()));
                let after_value =
                    self.request
                        .conditions
                        .last()
                        .is_some_and(|condition| match &condition.kind {
                            ConditionKind::Value { alternatives } => alternatives
                                .last()
                                .is_some_and(|value| value.end == before && !value.is_marked),
                            ConditionKind::Boolean { column } => is_verb && column.end == before,
                            _ => false,
                        });
                if after_value {
                    return Err(self.when_of_state(before, start));
                }
                if self.integer_year(from, to, None)? {
                    return Ok(true);
                }
                self.request.conditions.push(Condition {
                    owner: self.owner,
                    is_negated: false,
                    kind: ConditionKind::Period {
                        column: None,
                        at: start,
                        from,
                        to,
                    },
                });
                Ok(true)
            }
            _ => {
                self.at = before;
                Ok(false)
            }
        }
    }

    /// "cancelled in 2025" may mean rows of 2025 that are cancelled, or rows that were cancelled in 2025.
    /// If no column records when the state began, the alternative offered is all rows in that state.
    fn when_of_state(&self, value_end: usize, period_start: usize) -> Stop {
        let unclear = || {
            Stop::Unanswerable(
                "it is not clear whether the period is that of the row or of its state".to_owned(),
            )
        };
        let value = self
            .request
            .conditions
            .last()
            .and_then(|condition| match &condition.kind {
                ConditionKind::Value { alternatives } => alternatives.last(),
                _ => None,
            });
        let owner = self.owner.or(self.request.subject);
        let (Some(value), Some(owner)) = (value, owner) else {
            return unclear();
        };
        let mut own = value
            .values
            .iter()
            .filter(|link| link.column.table == owner);
        let (Some(link), None, Some(table)) = (own.next(), own.next(), self.tables.get(owner))
        else {
            return unclear();
        };
        let Some(column) = table.columns.get(link.column.column) else {
            return unclear();
        };
        let word = |at: usize| self.tokens.get(at).map_or("", |token| token.lower.as_str());
        let has_verb =
            value.start > 0 && matches!(word(value.start - 1), "were" | "was" | "are" | "is");
        let phrase = |from: usize, to: usize| -> String {
            let tokens = self.tokens.get(from..to).unwrap_or_default();
            let phrase: Vec<&str> = tokens.iter().map(|token| token.surface.as_str()).collect();
            phrase.join(" ")
        };
        let period = phrase(period_start.min(value_end), self.at);
        let state = format!("with {} '{}'", readable(&column.name), link.text);
        let (placed, all) = match has_verb {
            true => (" were placed", " are there"),
            false => (" placed", ""),
        };
        Stop::Ambiguous {
            question: format!(
                "the data do not say when {} became '{}': are those of the period meant, or all of them?",
                readable(&table.name),
                link.text
            ),
            start: value.start - usize::from(has_verb),
            end: self.at,
            replacements: vec![format!("{state}{placed} {period}"), format!("{state}{all}")],
        }
    }

    /// "in 2000 dollars" does not name a year.
    pub(crate) fn names_other_number(&self) -> bool {
        self.tokens
            .get(self.at.wrapping_sub(1))
            .is_some_and(|token| token.kind == TokenKind::Number)
            && self.links.name_at(self.at).is_some()
    }

    /// A range of days at the current position, with its preposition.
    pub(crate) fn date_range(&mut self) -> Option<(Option<Date>, Option<Date>)> {
        let (span, taken) = spans::read(self.tokens.get(self.at..)?, self.today)?;
        self.at += taken;
        Some(span)
    }
}
