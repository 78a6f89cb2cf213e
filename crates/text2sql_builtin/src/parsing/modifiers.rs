//! What follows the things asked for: filters, groups, ranks, order.

use crate::linking::column_types::is_date;
use crate::linking::mention::{ColumnId, Mention};
use crate::linking::names::{DERIVED, WITHOUT_KIND, words_of};
use crate::no_answer::Stop;
use crate::parsing::parser::Parser;
use crate::parsing::request::Target;
use crate::parsing::request::{Condition, ConditionKind};
use std::sync::Arc;
use text2sql_domain::schema::Table;
use text2sql_language::english::lexicon;
use text2sql_language::words::TokenKind;

impl Parser<'_> {
    /// Parses one modifier; the position is unchanged if there is none.
    pub(crate) fn modifier(&mut self) -> Result<(), Stop> {
        if self
            .token(0)
            .is_some_and(|token| matches!(token.kind, TokenKind::Stop))
        {
            return self.next_sentence();
        }
        if self.repeats_phrase()
            || self.dangling_preposition()
            || self.but_not()?
            || self.alternative()?
        {
            return Ok(());
        }
        if self.is_distinct_note()
            || self.name_filter()?
            || self.order()?
            || self.group()?
            || self.is_common()?
            || self.rank_after_entity()?
            || self.period()?
        {
            return Ok(());
        }
        if self.separator() {
            let negated = self.request.conditions.iter().any(|condition| {
                condition.is_negated && matches!(condition.kind, ConditionKind::Related { .. })
            });
            if negated {
                return self.unplaced();
            }
            if self.alternative()? {
                return Ok(());
            }
            return self.after_separator();
        }
        if self.eat_any(&[
            "in total",
            "in all",
            "in the database",
            "in our database",
            "are there",
            "there are",
            "do we have",
            "that exist",
            "yet",
        ]) {
            return Ok(());
        }
        if self.label_contains()? || self.without_rows()? {
            return Ok(());
        }
        if self.relative()? || self.preposition()? {
            return Ok(());
        }
        if self.eat_one_of(lexicon::AUXILIARIES)
            || (lexicon::LINKING_VERBS.contains(&self.lower(0)) && self.skip_verbs())
            || self.event_verb()
        {
            return Ok(());
        }
        self.condition()?;
        Ok(())
    }

    /// "… without orders", "… that never placed one": no rows, or no value.
    fn without_rows(&mut self) -> Result<bool, Stop> {
        if self.eat_any(&[
            "do not have",
            "does not have",
            "did not have",
            "have not",
            "has not",
            "had not",
            "who have no",
            "without",
            "with no",
            "have no",
            "has no",
            "having no",
            "that have no",
            "do not",
            "did not",
            "does not",
            "never",
        ]) {
            self.skip(lexicon::EMPTY);
            self.skip(&["had", "have", "been", "any", "ever", "one", "single"]);
            let of_verb = self.rows_of_verb();
            self.skip_verbs();
            self.skip(&["in", "any", "a", "an"]);
            if let Some(mention) = self.own_column().or_else(|| self.own_date_of_verb()) {
                self.at = mention.end;
                // "no town Graz" is another town than Graz, which is no missing one.
                if self.links.value_at(self.at).is_some()
                    || self.token(0).is_some_and(|token| token.number.is_some())
                {
                    return Err(Stop::Unplaced(self.at));
                }
                self.request.conditions.push(Condition {
                    owner: self.owner,
                    is_negated: false,
                    kind: ConditionKind::Null { column: mention },
                });
                return Ok(true);
            }
            let table = match of_verb {
                Some(table) => table,
                None => self.related_table()?,
            };
            self.request.conditions.push(Condition {
                owner: self.owner,
                is_negated: true,
                kind: ConditionKind::Related { table },
            });
            self.note_table(table);
            self.owner = Some(table);
            return Ok(true);
        }
        Ok(false)
    }

    /// "… never ordered": the rows of the table that the verb names, at the end of the question.
    fn rows_of_verb(&mut self) -> Option<usize> {
        let verb = self.lower(0);
        let ends = self
            .token(1)
            .is_none_or(|token| matches!(token.kind, TokenKind::Stop | TokenKind::Comma));
        if !ends
            || self.own_column().is_some()
            || !lexicon::LINKING_VERBS.contains(&verb)
            || !verb.ends_with("ed")
        {
            return None;
        }
        let root = lexicon::verb_root(verb);
        let is_named = |table: &Arc<Table>| words_of(&table.name) == [root.clone()];
        let table = self.tables.iter().position(is_named)?;
        self.at += 1;
        Some(table)
    }

    /// "… do students live in?", "… does it belong to?"
    fn dangling_preposition(&mut self) -> bool {
        let after_verb = self
            .at
            .checked_sub(1)
            .and_then(|at| self.tokens.get(at))
            .is_some_and(|token| lexicon::LINKING_VERBS.contains(&token.lower.as_str()));
        let ends = self
            .tokens
            .get(self.at + 1)
            .is_none_or(|token| matches!(token.kind, TokenKind::Stop | TokenKind::Comma));
        let found = after_verb && ends && lexicon::PREPOSITIONS.contains(&self.lower(0));
        self.at += usize::from(found);
        found
    }

    pub(crate) fn after_separator(&mut self) -> Result<(), Stop> {
        let start = self.at;
        if self.entity_at(start).is_some()
            && self.links.value_at(start).is_none()
            && !self
                .links
                .name_at(start)
                .is_some_and(|mention| mention.columns.iter().any(|(_, tier)| *tier < 3))
        {
            return self.unplaced();
        }
        let speaks_of_subject = lexicon::AUXILIARIES.contains(&self.lower(0))
            || matches!(
                self.lower(0),
                "who" | "that" | "which" | "whose" | "without" | "never"
            );
        let owner = self.owner;
        if speaks_of_subject && let Some(subject) = self.request.subject {
            self.owner = Some(subject);
        }
        if self.name_filter()?
            || self.order()?
            || self.group()?
            || self.without_rows()?
            || self.period()?
            || self.relative()?
            || (speaks_of_subject && self.subject_condition()?)
            || self.preposition()?
            || self.condition()?
        {
            return Ok(());
        }
        self.owner = owner;
        self.unplaced()
    }

    /// "… and have an invoice", "… and are not in Berlin".
    fn subject_condition(&mut self) -> Result<bool, Stop> {
        let before = self.at;
        let negated = self.relative_verbs();
        self.skip(&["also"]);
        if self.at > before {
            // Parsing its own preposition would lose the "not" before it.
            if negated {
                self.eat_one_of(&["in", "from", "at", "on"]);
            } else if self.preposition()? {
                return Ok(true);
            }
            if self.condition_with(negated)? {
                return Ok(true);
            }
        }
        self.at = before;
        Ok(false)
    }

    /// A column of the current table, if no table has that name.
    pub(crate) fn own_column(&self) -> Option<Mention> {
        let mention = self.links.name_at(self.at)?;
        let own = mention.columns.iter().any(|(id, tier)| {
            Some(id.table) == self.owner
                && (*tier <= 2 || (*tier == WITHOUT_KIND && mention.tables.is_empty()))
        });
        (own && mention.best_tables().is_empty()).then(|| mention.clone())
    }

    /// "… not returned" for a date `return_date` that may be missing.
    fn own_date_of_verb(&self) -> Option<Mention> {
        let mention = self
            .links
            .name_at(self.at)
            .filter(|found| found.is_derived())?;
        let is_own_date = |(id, tier): &&(ColumnId, u8)| {
            let column = self
                .tables
                .get(id.table)
                .and_then(|table| table.columns.get(id.column));
            *tier == DERIVED
                && Some(id.table) == self.owner
                && column.is_some_and(|column| is_date(column) && !column.not_null)
        };
        let mut dates = mention.columns.iter().filter(is_own_date);
        let date = *dates.next()?;
        dates.next().is_none().then(|| Mention {
            columns: vec![date],
            tables: Vec::new(),
            ..mention.clone()
        })
    }

    pub(crate) fn related_table(&mut self) -> Result<usize, Stop> {
        self.skip(lexicon::EMPTY);
        match self.entity_at(self.at) {
            Some((table, end)) => {
                self.at = end;
                Ok(table)
            }
            None => self.unplaced(),
        }
    }

    /// "placed" after an event noun only states that the row exists.
    pub(crate) fn event_verb(&mut self) -> bool {
        let is_event = self
            .owner
            .and_then(|table| self.tables.get(table))
            .is_some_and(|table| table.columns.iter().any(is_date));
        let after_measure = self.at > 0
            && matches!(
                self.request.targets.last(),
                Some(Target::Aggregate { .. } | Target::Defined { .. } | Target::Named { .. })
            );
        let at = self.at;
        let is_free = (is_event || after_measure)
            && (self.lower(0) != "came" || self.lower(1) == "in")
            && !self.names_date()
            && !self.is_stored_word()
            && self.entity_at(self.at).is_none()
            && self.eat_one_of(lexicon::EVENT_VERBS);
        if is_free {
            self.verbs.push(at);
        }
        is_free
    }

    pub(crate) fn is_distinct_note(&mut self) -> bool {
        self.eat_any(&[
            "without duplicates",
            "without repetition",
            "without repeats",
        ]) && {
            self.request.is_distinct = true;
            true
        }
    }
}
