//! Verbs between two nouns: skipped if the join path implies them, else the name of the rows in between.

use crate::joins::paths::Joins;
use crate::linking::mention::Mention;
use crate::linking::names;
use crate::no_answer::Stop;
use crate::parsing::parser::Parser;
use crate::parsing::request::{Condition, ConditionKind, Group, Target};
use text2sql_language::english::lexicon;
use text2sql_language::words::{Token, TokenKind};

/// Maximum distance between a verb and its noun, in tokens.
const MAX_NOUN_DISTANCE: usize = 7;

impl Parser<'_> {
    /// Whether the current word is a verb that may be skipped.
    pub(crate) fn is_free_verb(&self) -> bool {
        let lower = self.lower(0);
        let is_verb =
            lexicon::LINKING_VERBS.contains(&lower) || lexicon::EVENT_VERBS.contains(&lower);
        // "came in last month", but "came from Berlin" says who is there.
        if lower == "came" && self.lower(1) != "in" {
            return false;
        }
        let names = self.links.name_at(self.at);
        // A stored value is not a verb, and "released in 2010" refers to a date of its own.
        if self.links.value_at(self.at).is_some()
            || (is_verb && !lexicon::EVENT_VERBS.contains(&lower) && self.period_follows())
        {
            return false;
        }
        match names {
            None => is_verb,
            Some(mention) if mention.end > mention.start + 1 => false,
            Some(mention) => {
                let tables: Vec<usize> = mention.tables.iter().map(|(table, _)| *table).collect();
                if !is_verb && !mention.is_derived() {
                    return false;
                }
                let own_column = mention.columns.iter().any(|(id, tier)| {
                    *tier <= names::HEAD && Some(id.table) == self.owner.or(self.request.subject)
                });
                if own_column {
                    return false;
                }
                if self.chooses_key(mention) {
                    return false;
                }
                if is_verb && tables.is_empty() && self.noun_ahead().is_some() {
                    return true;
                }
                match self.noun_ahead() {
                    // "orders" is a noun if it refers to its own rows.
                    Some(noun) if tables.contains(&noun) => mention.is_derived(),
                    Some(noun) => {
                        let after_relative = self
                            .at
                            .checked_sub(1)
                            .and_then(|before| self.tokens.get(before))
                            .is_some_and(|before| {
                                lexicon::RELATIVES.contains(&before.lower.as_str())
                                    || lexicon::AUXILIARIES.contains(&before.lower.as_str())
                                    || matches!(before.lower.as_str(), "not" | "never")
                            });
                        (mention.is_derived() || after_relative) && self.lies_between(&tables, noun)
                    }
                    None => is_verb && tables.is_empty(),
                }
            }
        }
    }

    /// Whether the current word is a stored value, a meaning, or a column: "paid" is not a skippable verb
    /// if orders have a status 'paid' or a column `paid`.
    pub(crate) fn is_stored_word(&self) -> bool {
        let owner = self.owner.or(self.request.subject);
        let is_own_column = |mention: &Mention| {
            let mut columns = mention.columns.iter();
            columns.any(|(id, tier)| *tier <= names::HEAD && Some(id.table) == owner)
        };
        self.links.value_at(self.at).is_some()
            || self.links.name_at(self.at).is_some_and(is_own_column)
    }

    /// "How many products are sold?": a verb on its own may restrict the rows. A second noun, a period or
    /// what follows shows what it refers to; otherwise it must be redundant.
    pub(crate) fn refuse_lone_verbs(&self) -> Result<(), Stop> {
        let request = &self.request;
        let says_period = request
            .conditions
            .iter()
            .any(|condition| matches!(condition.kind, ConditionKind::Period { .. }));
        if says_period || request.rank.is_some() || self.names_second_table() {
            return Ok(());
        }
        let word = |at: Option<usize>| {
            let token = at.and_then(|at| self.tokens.get(at));
            token.map_or("", |token| token.lower.as_str())
        };
        let is_lone = |at: usize| {
            // "come in" ends with its verb.
            let particle = usize::from(matches!(word(Some(at + 1)), "in" | "out" | "up" | "over"));
            let is_end =
                |next: Option<&Token>| next.is_none_or(|next| next.kind == TokenKind::Stop);
            let ends = is_end(self.tokens.get(at + 1 + particle))
                || matches!(word(Some(at + 1)), "by" | "per") && !request.groups.is_empty();
            ends && !lexicon::EXISTENCE_VERBS.contains(&word(Some(at)))
                && !matches!(word(at.checked_sub(1)), "we" | "you")
                && !self.follows_measure(at)
        };
        let shows_column = request.targets.iter().any(|target| match target {
            Target::Named { mention, .. } | Target::CountDistinct { mention } => {
                !mention.columns.is_empty()
            }
            _ => false,
        });
        let is_said_by_column =
            |at: usize| shows_column && lexicon::LOCATING_VERBS.contains(&word(Some(at)));
        let mut verbs = self.verbs.iter().copied();
        match verbs.find(|at| is_lone(*at) && !is_said_by_column(*at)) {
            Some(at) => Err(Stop::Unplaced(at)),
            None => Ok(()),
        }
    }

    /// "quantity sold", "which quantity was sold".
    fn follows_measure(&self, verb: usize) -> bool {
        let mut end = verb;
        while let Some(before) = end.checked_sub(1).and_then(|at| self.tokens.get(at))
            && lexicon::AUXILIARIES.contains(&before.lower.as_str())
        {
            end -= 1;
        }
        self.request.targets.iter().any(|target| match target {
            Target::Aggregate { mention, .. } => mention.end == end,
            Target::Named { mention, .. } => mention.end == end && mention.best_tables().is_empty(),
            Target::Defined { .. } => true,
            _ => false,
        })
    }

    /// Whether the request is about rows of a second table.
    fn names_second_table(&self) -> bool {
        let request = &self.request;
        let subject = request.subject;
        let is_other = |table: usize| Some(table) != subject;
        let names_other = |mention: &Mention| {
            let tables = mention.best_tables();
            match tables.is_empty() {
                true => {
                    !mention.columns.is_empty()
                        && mention.columns.iter().all(|(id, _)| is_other(id.table))
                }
                false => tables.into_iter().all(is_other),
            }
        };
        let related = |condition: &Condition| {
            matches!(condition.kind, ConditionKind::Related { .. })
                || condition.owner.is_some_and(is_other)
        };
        request.tables.iter().copied().any(is_other)
            || request.conditions.iter().any(related)
            || request
                .groups
                .iter()
                .any(|group| matches!(group, Group::Named(mention) if names_other(mention)))
            || request.targets.iter().any(|target| match target {
                Target::Aggregate { mention, .. } | Target::Named { mention, .. } => {
                    names_other(mention)
                }
                _ => false,
            })
    }

    /// "employees who manage a department": the verb selects one of several foreign keys between the two
    /// tables.
    fn chooses_key(&self, verb: &Mention) -> bool {
        let (Some(owner), Some(noun)) = (self.owner.or(self.request.subject), self.noun_ahead())
        else {
            return false;
        };
        let oid = |table: usize| self.tables.get(table).map(|table| table.oid);
        let between: usize = [(owner, noun), (noun, owner)]
            .iter()
            .filter_map(|(from, to)| {
                let keys = &self.tables.get(*from)?.foreign_keys;
                Some(
                    keys.iter()
                        .filter(|key| Some(key.target) == oid(*to))
                        .count(),
                )
            })
            .sum();
        between > 1
            && verb
                .columns
                .iter()
                .any(|(id, _)| id.table == owner || id.table == noun)
    }

    fn period_follows(&self) -> bool {
        let preposition = usize::from(matches!(
            self.lower(1),
            "in" | "on" | "since" | "after" | "before" | "between" | "during" | "from" | "until"
        ));
        self.tokens
            .get(self.at + 1 + preposition..)
            .is_some_and(|rest| {
                text2sql_language::periods::dates::read_period(rest, self.today).is_some()
            })
    }

    /// Consumes verbs that the joins already imply.
    pub(crate) fn skip_verbs(&mut self) -> bool {
        let before = self.at;
        while !self.is_end() && self.is_free_verb() {
            self.verbs.push(self.at);
            self.at += 1;
        }
        self.at > before
    }

    /// The next noun that is a table, with nothing but quantities before it.
    fn noun_ahead(&self) -> Option<usize> {
        for offset in 1..=MAX_NOUN_DISTANCE {
            let token = self.token(offset)?;
            if token.kind == TokenKind::Stop {
                return None;
            }
            if let Some((table, _)) = self.entity_at(self.at + offset) {
                return Some(table);
            }
        }
        None
    }

    /// Whether the rows that the verb names are on the only path from the owner to the noun.
    fn lies_between(&self, tables: &[usize], noun: usize) -> bool {
        let Some(owner) = self.owner.or(self.request.subject) else {
            return false;
        };
        if owner == noun {
            return false;
        }
        Joins::of(self.tables).path(owner, noun).is_ok_and(|path| {
            path.iter()
                .any(|step| tables.contains(&step.to) && step.to != noun)
        })
    }
}
