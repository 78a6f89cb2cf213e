//! Filters: a column compared, a stored value, related rows.

use crate::linking::mention::Mention;
use crate::no_answer::Stop;
use crate::parsing::alternatives::is_size;
use crate::parsing::parser::Parser;
use crate::parsing::request::{Comparison, Condition, ConditionKind, Literal, Request, Target};
use text2sql_domain::schema::TypeCategory;
use text2sql_language::english::lexicon;
use text2sql_language::words::TokenKind;

impl Parser<'_> {
    pub(crate) fn push(&mut self, is_negated: bool, kind: ConditionKind) {
        self.request.conditions.push(Condition {
            owner: self.owner,
            is_negated,
            kind,
        });
    }

    pub(crate) fn push_compare(
        &mut self,
        is_negated: bool,
        column: Mention,
        comparison: Comparison,
        literals: Vec<Literal>,
    ) {
        let kind = ConditionKind::Compare {
            column,
            comparison,
            literals,
        };
        self.push(is_negated, kind);
    }

    /// "with …", "whose …", "that have …".
    pub(crate) fn relative(&mut self) -> Result<bool, Stop> {
        let before = self.at;
        self.eat("such");
        let says_whose = matches!(self.lower(0), "whose" | "that" | "which");
        if !self.eat_one_of(lexicon::RELATIVES) {
            return Ok(false);
        }
        let after_column = matches!(self.request.targets.last(), Some(Target::Named { mention, owner: None }) if mention.end == before && mention.best_tables().is_empty());
        if says_whose && after_column {
            return self.unplaced();
        }
        self.skip(&["they", "we", "you"]);
        if !says_whose && self.label_contains()? {
            return Ok(true);
        }
        let negated = self.relative_verbs();
        if self.period()? {
            return Ok(true);
        }
        if !negated {
            let start = self.at;
            if self.preposition()? {
                return Ok(true);
            }
            self.at = start;
        }
        if negated {
            self.eat_one_of(&["in", "from", "at", "on"]);
        }
        if self.condition_with(negated)? {
            return Ok(true);
        }
        if self.at > before + 1 && !negated && self.lower(0) != "not" {
            return Ok(true);
        }
        self.at = before;
        Ok(false)
    }

    pub(crate) fn relative_verbs(&mut self) -> bool {
        let mut negated = false;
        loop {
            if self.eat("not") || self.eat("never") {
                negated = true;
            } else if !(self.eat_one_of(lexicon::AUXILIARIES) || self.verb_is_free()) {
                return negated;
            }
        }
    }

    pub(crate) fn verb_is_free(&mut self) -> bool {
        if lexicon::LITERAL_WORDS.contains(&self.lower(0))
            || matches!(self.lower(0), "contain" | "contains" | "containing")
        {
            return false;
        }
        if self.is_free_verb() {
            self.verbs.push(self.at);
            self.at += 1;
            return true;
        }
        false
    }

    /// "in Germany", "of the customer 'Smith'", "for products with …".
    pub(crate) fn preposition(&mut self) -> Result<bool, Stop> {
        let before = self.at;
        if self.lower(0) == "per" || !self.eat_one_of(lexicon::PREPOSITIONS) {
            return Ok(false);
        }
        let negated = self.eat("not");
        if self.condition_with(negated)? {
            if self
                .tokens
                .get(before)
                .is_some_and(|token| token.lower == "by")
            {
                self.refuse_grouping(before)?;
            }
            return Ok(true);
        }
        self.at = before;
        Ok(false)
    }

    /// "by country" asks for groups, "placed by customers in Germany" does not.
    fn refuse_grouping(&self, by: usize) -> Result<(), Stop> {
        let is_related = matches!(
            self.request.conditions.last(),
            Some(Condition {
                kind: ConditionKind::Related { .. }
                    | ConditionKind::Boolean { .. }
                    | ConditionKind::Null { .. },
                ..
            }) | None
        );
        let after_verb = by
            .checked_sub(1)
            .and_then(|before| self.tokens.get(before))
            .is_some_and(|token| lexicon::EVENT_VERBS.contains(&token.lower.as_str()));
        let is_plural = self
            .tokens
            .get(self.at.wrapping_sub(1))
            .is_some_and(|token| token.lower.ends_with('s') && !token.lower.ends_with("ss"));
        if is_related && !(after_verb && is_plural && !self.is_sentence_end()) {
            return Err(Stop::Unplaced(by));
        }
        Ok(())
    }

    pub(crate) fn condition(&mut self) -> Result<bool, Stop> {
        let negated = self.eat("not");
        let found = self.condition_with(negated)?;
        if !found && negated {
            self.at -= 1;
        }
        Ok(found)
    }

    pub(crate) fn condition_with(&mut self, mut negated: bool) -> Result<bool, Stop> {
        let before = self.at;
        self.skip(lexicon::EMPTY);
        if self.eat("no") {
            negated = !negated;
            self.skip(lexicon::EMPTY);
        }
        self.eat("either");
        if self.term_condition(negated)
            || self.both(negated)?
            || self.aggregate_condition(negated)?
            || self.extreme_entity(negated)?
            || self.dimension_condition(negated)?
            || self.quantity(negated)?
            || self.column_condition(negated)?
        {
            return Ok(true);
        }
        if self.label_literal(negated) || self.value_or_entity(negated)? {
            return Ok(true);
        }
        self.at = before;
        Ok(false)
    }

    /// "named 'X'", "called 'X'" were skipped as verbs: a quoted text that is no stored value names the row.
    pub(crate) fn label_literal(&mut self, negated: bool) -> bool {
        let Some(token) = self
            .token(0)
            .filter(|token| token.kind == TokenKind::Quoted)
        else {
            return false;
        };
        if self.links.value_at(self.at).is_some() || self.owner.is_none() {
            return false;
        }
        let text = token.text.clone();
        self.at += 1;
        self.push(negated, ConditionKind::Label { text });
        true
    }

    /// A column, how it compares, and with what.
    pub(crate) fn column_condition(&mut self, negated: bool) -> Result<bool, Stop> {
        let before = self.at;
        let Some(mention) = self
            .links
            .name_at(self.at)
            .filter(|mention| !mention.columns.is_empty() || mention.is_name_word)
            .cloned()
        else {
            return self.value_then_column(negated);
        };
        self.at = mention.end;
        let mut negated = negated;
        let linked = {
            let start = self.at;
            self.skip(&[
                "is", "are", "was", "were", "of", "be", "being", "has", "value", "equal", "equals",
                "to", "=",
            ]);
            negated ^= self.eat("not");
            self.skip(&["a", "an", "equal", "to"]);
            self.at > start
        };
        if self.eat_any(&["null", "missing", "empty", "unknown"]) {
            self.push(negated, ConditionKind::Null { column: mention });
            return Ok(true);
        }
        if let Some((from, to)) = self.date_range_of(&mention) {
            if self.integer_year(from, to, Some(&mention))? {
                return Ok(true);
            }
            let at = mention.start;
            self.push(
                negated,
                ConditionKind::Period {
                    column: Some(mention),
                    at,
                    from,
                    to,
                },
            );
            return Ok(true);
        }
        let comparison = self.comparison();
        if let Some(comparison) = comparison
            && let Some(function) = self.overall_aggregate(&mention)?
        {
            self.push(
                negated,
                ConditionKind::Average {
                    column: mention,
                    comparison,
                    function,
                },
            );
            return Ok(true);
        }
        self.skip(&["the", "$", "€", "£"]);
        if let Some(comparison) = comparison.filter(|comparison| is_size(*comparison)) {
            let start = self.at;
            self.skip(lexicon::PRONOUNS);
            if let Some(right) = self.links.name_at(self.at).cloned()
                && self.is_measure(&mention)
                && self.is_measure(&right)
            {
                self.at = right.end;
                self.push(
                    negated,
                    ConditionKind::Columns {
                        left: mention,
                        comparison,
                        right,
                    },
                );
                return Ok(true);
            }
            self.at = start;
        }
        let is_compared = comparison.is_some() || linked;
        if let Some(literals) = self.literals(&mention, comparison, is_compared) {
            let comparison = comparison.unwrap_or(Comparison::Equal);
            self.push_compare(negated, mention, comparison, literals);
            return Ok(true);
        }
        let boolean = mention.columns.iter().any(|(id, _)| {
            self.tables
                .get(id.table)
                .and_then(|table| table.columns.get(id.column))
                .is_some_and(|column| column.category == TypeCategory::Boolean)
        });
        if boolean && comparison.is_none() && !linked {
            self.push(negated, ConditionKind::Boolean { column: mention });
            return Ok(true);
        }
        self.at = before;
        Ok(false)
    }

    /// "red color", "'F' sex": the value precedes its column.
    pub(crate) fn value_then_column(&mut self, negated: bool) -> Result<bool, Stop> {
        let Some(value) = self.links.value_at(self.at) else {
            return Ok(false);
        };
        let Some(name) = self.links.name_at(value.end) else {
            return Ok(false);
        };
        let both = name
            .columns
            .iter()
            .any(|(id, _)| value.values.iter().any(|link| link.column == *id));
        if !both || !name.best_tables().is_empty() {
            return Ok(false);
        }
        let text = value
            .values
            .first()
            .map(|link| link.text.clone())
            .unwrap_or_default();
        let literals = vec![Literal {
            text,
            is_number: false,
            links: value.values.clone(),
        }];
        self.at = name.end;
        self.push_compare(negated, name.clone(), Comparison::Equal, literals);
        Ok(true)
    }
}

/// The end of the last named target: a noun directly after it is not its owner.
pub(crate) fn end_of_last(request: &Request) -> Option<usize> {
    match request.targets.last() {
        Some(Target::Named { mention, .. }) => Some(mention.end),
        _ => None,
    }
}
