//! "older than 20", "18 years old", "more expensive than the average": an adjective names the
//! measure that is compared.

use crate::linking::column_types::is_number;
use crate::linking::mention::{ColumnId, Mention};
use crate::linking::names;
use crate::no_answer::Stop;
use crate::parsing::parser::Parser;
use crate::parsing::request::{Comparison, ConditionKind, Literal};
use text2sql_language::english::lexicon;

const YEARS: &[&str] = &["years old", "year old", "years of age", "years-old"];
const COSTS: &[&str] = &["cost", "costs", "costing", "priced at"];

/// Further columns that an adjective may refer to.
pub(crate) fn also_measured(nouns: &[&str]) -> &'static [&'static str] {
    match nouns == lexicon::PRICE {
        true => &["rate", "fee", "fare", "charge", "tariff"],
        false => &[],
    }
}

impl Parser<'_> {
    /// The only numeric column of the current table that the nouns name, as an implicit mention.
    pub(crate) fn dimension_of(&self, nouns: &[&str]) -> Option<Mention> {
        let owner = self.owner.or(self.request.subject)?;
        let table = self.tables.get(owner)?;
        let named = |exact: bool| -> Vec<usize> {
            (0..table.columns.len())
                .filter(|&i| {
                    table.columns.get(i).is_some_and(|column| {
                        let words = names::words_of(&column.name);
                        let last = words.last().map_or("", String::as_str);
                        let fits = nouns.contains(&last)
                            || nouns
                                .iter()
                                .any(|noun| last.len() > noun.len() + 2 && last.ends_with(noun));
                        is_number(column) && fits && (!exact || words.len() == 1)
                    })
                })
                .collect()
        };
        let found = match named(true).as_slice() {
            [only] => vec![*only],
            _ => named(false),
        };
        let [column] = found.as_slice() else {
            return None;
        };
        let id = ColumnId {
            table: owner,
            column: *column,
        };
        Some(Mention {
            start: self.at,
            end: self.at,
            columns: vec![(id, names::EXACT)],
            ..Mention::default()
        })
    }

    /// A comparison whose measure is an adjective.
    pub(crate) fn dimension_condition(&mut self, negated: bool) -> Result<bool, Stop> {
        let before = self.at;
        self.skip(&["is", "are", "was", "were"]);
        if let Some((column, comparison)) = self.compared_adjective() {
            if self.compared_with(column, comparison, negated)? {
                return Ok(true);
            }
            self.at = before;
            return Ok(false);
        }
        if self
            .links
            .name_at(self.at)
            .is_none_or(|mention| mention.columns.is_empty())
            && self.eat_any(COSTS)
        {
            if let Some(column) = self.dimension_of(lexicon::PRICE) {
                let comparison = self.comparison().unwrap_or(Comparison::Equal);
                if self.compared_with(column, comparison, negated)? {
                    return Ok(true);
                }
            }
            self.at = before;
            return Ok(false);
        }
        let comparison = self.comparison().unwrap_or(Comparison::Equal);
        let age = self.dimension_of(lexicon::AGE);
        let number = self.token(0).and_then(|token| token.number.clone());
        if let (Some(column), Some(number), true) = (age, number, comparison != Comparison::Between)
        {
            self.at += 1;
            let literals = vec![Literal::number(number)];
            if self.eat_any(YEARS) {
                self.push_compare(negated, column, comparison, literals);
                return Ok(true);
            }
        }
        self.at = before;
        Ok(false)
    }

    fn compared_adjective(&mut self) -> Option<(Mention, Comparison)> {
        let before = self.at;
        let more = usize::from(matches!(self.lower(0), "more" | "less"));
        let (upper, nouns) = lexicon::comparative(self.lower(more))?;
        let upper = upper == (self.lower(0) != "less");
        if (more == 1) != lexicon::needs_more(self.lower(more)) || self.lower(more + 1) != "than" {
            return None;
        }
        let column = self.dimension_of(nouns)?;
        self.at = before + more + 2;
        let or_equal = self.eat("or equal to");
        Some((
            column,
            match (upper, or_equal) {
                (true, false) => Comparison::More,
                (true, true) => Comparison::AtLeast,
                (false, false) => Comparison::Less,
                (false, true) => Comparison::AtMost,
            },
        ))
    }

    /// The number or the aggregate that a measure is compared with.
    pub(crate) fn compared_with(
        &mut self,
        column: Mention,
        comparison: Comparison,
        negated: bool,
    ) -> Result<bool, Stop> {
        let before = self.at;
        if let Some(function) = self.overall_aggregate(&column)? {
            self.push(
                negated,
                ConditionKind::Average {
                    column,
                    comparison,
                    function,
                },
            );
            return Ok(true);
        }
        self.skip(&["$", "€", "£"]);
        if let Some(literals) = self.literals(&column, Some(comparison), true)
            && literals.iter().all(|literal| literal.is_number)
        {
            self.eat_any(YEARS);
            self.skip(lexicon::CURRENCIES);
            self.push_compare(negated, column, comparison, literals);
            return Ok(true);
        }
        self.at = before;
        Ok(false)
    }

    /// "the average", "the overall average price of all products": over all rows of the table.
    pub(crate) fn overall_aggregate(
        &mut self,
        column: &Mention,
    ) -> Result<Option<lexicon::Aggregate>, Stop> {
        let before = self.at;
        self.skip(&["the", "overall", "total", "that", "of"]);
        let Some(function) = lexicon::aggregate(self.lower(0)).filter(|_| !self.is_long_name())
        else {
            self.at = before;
            return Ok(None);
        };
        if function == lexicon::Aggregate::Sum {
            self.at = before;
            return Ok(None);
        }
        self.at += 1;
        self.skip(&["of", "all", "the", "overall", "value", "values"]);
        if let Some(same) = self.links.name_at(self.at)
            && same
                .columns
                .iter()
                .any(|(id, _)| column.columns.iter().any(|(known, _)| known == id))
        {
            self.at = same.end;
        }
        let own = self.owner.or(self.request.subject);
        let start = self.at;
        if self.eat_any(&[
            "of all",
            "of",
            "for all",
            "for",
            "among all",
            "across all",
            "over all",
            "among",
            "across",
        ]) {
            self.skip(lexicon::EMPTY);
            match self.entity_at(self.at) {
                Some((table, end)) if Some(table) == own => self.at = end,
                _ => self.at = start,
            }
        }
        if matches!(
            self.lower(0),
            "of" | "in" | "for" | "from" | "among" | "with" | "per" | "by" | "that" | "who"
        ) {
            return self.unplaced();
        }
        Ok(Some(function))
    }
}
