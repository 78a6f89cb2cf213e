//! Business terms in a question: conditions and measures that the glossary defines.

use crate::linking::business_terms::{Term, TermKind};
use crate::linking::mention::Mention;
use crate::no_answer::Stop;
use crate::parsing::parser::Parser;
use crate::parsing::request::{Condition, ConditionKind, Target};
use text2sql_language::english::lexicon::{self, Aggregate};

impl Parser<'_> {
    pub(crate) fn term_at(&self, at: usize) -> Option<(usize, &Term, &Mention)> {
        let mention = self.links.name_at(at)?;
        let index = mention.term?;
        Some((index, self.links.terms.get(index)?, mention))
    }

    /// The term at this place that is a condition, its table and where it ends.
    fn condition_term(&self) -> Option<(usize, usize, usize)> {
        self.term_at(self.at)
            .filter(|(_, term, _)| term.kind == TermKind::Condition)
            .map(|(index, term, mention)| (index, term.table, mention.end))
    }

    /// "active customers": a term that is a condition, with or without its noun behind.
    pub(crate) fn term_before_entity(&mut self) -> bool {
        let Some((term, table, end)) = self.condition_term() else {
            return false;
        };
        self.at = end;
        if let Some((noun, end)) = self.entity_at(self.at)
            && noun == table
        {
            self.at = end;
        }
        self.enter(table);
        self.request.targets.push(Target::Entity(table));
        self.request.conditions.push(Condition {
            owner: Some(table),
            is_negated: false,
            kind: ConditionKind::Defined { term },
        });
        true
    }

    /// "… that are active", "… with active customers".
    pub(crate) fn term_condition(&mut self, negated: bool) -> bool {
        let Some((term, table, end)) = self.condition_term() else {
            return false;
        };
        self.at = end;
        let owner = self.owner.or(self.request.subject);
        let mut negated = negated;
        if let Some((noun, end)) = self.entity_at(self.at)
            && noun == table
        {
            self.at = end;
        }
        if owner != Some(table) {
            self.note_table(table);
            self.push(negated, ConditionKind::Related { table });
            negated = false;
            self.owner = Some(table);
        }
        self.push(negated, ConditionKind::Defined { term });
        true
    }

    /// "revenue", "average margin": a term that is a number.
    pub(crate) fn term_measure(&mut self) -> Result<bool, Stop> {
        let before = self.at;
        let function =
            lexicon::aggregate(self.lower(0)).filter(|_| self.term_at(self.at).is_none());
        if function.is_some() {
            self.at += 1;
            self.skip(&["of", "the"]);
        }
        let found = self
            .term_at(self.at)
            .filter(|(_, term, _)| term.kind != TermKind::Condition)
            .map(|(index, term, mention)| (index, term.table, term.kind, mention.end));
        let Some((term, table, kind, end)) = found else {
            self.at = before;
            return Ok(false);
        };
        self.at = end;
        let function = match (kind, function) {
            (TermKind::Value, Some(function)) => Some(function),
            // "total revenue" is the revenue of all rows.
            (TermKind::Aggregate, None | Some(Aggregate::Sum)) => None,
            (TermKind::Value, None) => {
                return Err(Stop::Unanswerable(
                    "the question does not say how several values are combined".to_owned(),
                ));
            }
            _ => {
                return Err(Stop::Unanswerable(
                    "an aggregate of an aggregate needs a model".to_owned(),
                ));
            }
        };
        self.note_table(table);
        self.owner = Some(table);
        self.request.subject.get_or_insert(table);
        self.request
            .targets
            .push(Target::Defined { term, function });
        Ok(true)
    }
}
