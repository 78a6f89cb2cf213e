//! Requests that the grammar accepts although they may mean something else: they are refused.

use crate::linking::mention::Mention;
use crate::no_answer::Stop;
use crate::parsing::parser::Parser;
use crate::parsing::request::RankBy;
use crate::parsing::request::{Condition, ConditionKind, Target};
use text2sql_language::english::lexicon;
use text2sql_language::periods::spans::Span;
use text2sql_language::words::TokenKind;

impl Parser<'_> {
    /// Refuses a request if a part of it is uncertain.
    pub(crate) fn refuse_uncertain(&self) -> Result<(), Stop> {
        self.refuse_lost_groups()?;
        self.refuse_lone_verbs()?;
        self.refuse_doers()?;
        self.refuse_two_entities()?;
        self.refuse_two_periods()?;
        self.refuse_or_beside_and()?;
        self.refuse_beside_count()
    }

    /// A grouping word must have produced groups, or a list of one row for each.
    fn refuse_lost_groups(&self) -> Result<(), Stop> {
        let request = &self.request;
        let aggregated = request.targets.iter().any(Target::is_aggregate);
        if !request.groups.is_empty() && !aggregated {
            return Err(Stop::Unanswerable(
                "a list for each group needs a model".to_owned(),
            ));
        }
        let shows_rows = !request.targets.iter().all(Target::is_aggregate);
        for (i, token) in self.tokens.iter().enumerate() {
            let says_group = token.kind == TokenKind::Word
                && matches!(token.lower.as_str(), "each" | "every" | "per" | "grouped");
            let explained = if matches!(token.lower.as_str(), "per" | "grouped") {
                !request.groups.is_empty()
            } else {
                !request.groups.is_empty() || (shows_rows && request.rank.is_none())
            };
            if says_group && !explained {
                return Err(Stop::Unplaced(i));
            }
        }
        Ok(())
    }

    /// "What do customers order?" asks for what they order, not for customers; "Who rented …?" for persons, not for
    /// the rows that the verb names.
    fn refuse_doers(&self) -> Result<(), Stop> {
        let word = |at: usize| self.tokens.get(at).map_or("", |token| token.lower.as_str());
        let [Target::Entity(_) | Target::Named { .. }] = self.request.targets.as_slice() else {
            return Ok(());
        };
        let asks_what =
            matches!(word(0), "what" | "whom") && matches!(word(1), "do" | "does" | "did");
        let mut noun = 2;
        while lexicon::EMPTY.contains(&word(noun)) {
            noun += 1;
        }
        let shows = |at: usize| {
            let table = self.entity_at(at).map(|(table, _)| table);
            table.is_some() && table == self.request.subject
        };
        if asks_what && shows(noun) {
            return Err(Stop::Unplaced(noun));
        }
        let is_verb = |word: &str| {
            lexicon::LINKING_VERBS.contains(&word) || lexicon::EVENT_VERBS.contains(&word)
        };
        let is_derived = self.links.name_at(1).is_some_and(Mention::is_derived);
        if word(0) == "who" && is_verb(word(1)) && is_derived && shows(1) {
            return Err(Stop::Unplaced(1));
        }
        Ok(())
    }

    /// "number of stores and employees" may be two numbers, or one for each of the others.
    fn refuse_two_entities(&self) -> Result<(), Stop> {
        let targets = &self.request.targets;
        let first = targets.iter().position(Target::is_aggregate);
        let table_after = first.is_some_and(|first| {
            targets.iter().skip(first + 1).any(|target| match target {
                Target::Entity(_) => true,
                Target::Named { mention, .. } => !mention.best_tables().is_empty(),
                _ => false,
            })
        });
        if table_after {
            return Err(Stop::Unanswerable(
                "it is not clear whether two numbers are asked for, or one for each of the others"
                    .to_owned(),
            ));
        }
        Ok(())
    }

    /// Two periods of one date are compatible only if one contains the other or they form a range.
    fn refuse_two_periods(&self) -> Result<(), Stop> {
        let mut known: Vec<(Option<usize>, Option<&Mention>, Span)> = Vec::new();
        for condition in &self.request.conditions {
            let ConditionKind::Period {
                column, from, to, ..
            } = &condition.kind
            else {
                continue;
            };
            let owner = condition.owner.or(self.request.subject);
            let column = column.as_ref();
            let span = (*from, *to);
            let clash = known.iter().any(|(other, named, before)| {
                let same_column = match (named, column) {
                    (Some(named), Some(column)) => named.columns == column.columns,
                    _ => true,
                };
                *other == owner && same_column && !holds_together(*before, span)
            });
            if clash {
                return Err(Stop::Unanswerable(
                    "the question has two periods for one date".to_owned(),
                ));
            }
            known.push((owner, column, span));
        }
        Ok(())
    }

    /// "a and b or c" has two readings.
    fn refuse_or_beside_and(&self) -> Result<(), Stop> {
        let conditions = &self.request.conditions;
        let has_any = conditions
            .iter()
            .any(|condition| matches!(condition.kind, ConditionKind::Any { .. }));
        let by_itself = conditions
            .iter()
            .any(|condition| matches!(condition.kind, ConditionKind::Aggregated { .. }));
        let measures = self
            .request
            .targets
            .iter()
            .any(|target| matches!(target, Target::Aggregate { .. }));
        let is_one_number =
            self.request.groups.is_empty() && self.request.targets.iter().all(Target::is_aggregate);
        if by_itself && measures && is_one_number {
            return Err(Stop::Unanswerable(
                "it is not clear whether one number is asked for or one for each".to_owned(),
            ));
        }
        let is =
            |at: usize, word: &str| self.tokens.get(at).is_some_and(|token| token.lower == word);
        let asks_one_number = is(0, "how") && is(1, "high");
        let says_row = conditions.iter().any(|condition| {
            matches!(
                condition.kind,
                ConditionKind::Label { .. }
                    | ConditionKind::Key { .. }
                    | ConditionKind::Value { .. }
                    | ConditionKind::Compare { .. }
            )
        }) || self.request.rank.is_some();
        if asks_one_number && !says_row && !self.request.targets.iter().any(Target::is_aggregate) {
            return Err(Stop::Unanswerable(
                "the question does not say how several values are combined".to_owned(),
            ));
        }
        let ranked = match self.request.rank.as_ref().map(|rank| &rank.by) {
            Some(RankBy::Count(table)) => Some(*table),
            _ => None,
        };
        let beside_rank = conditions.iter().any(|condition| {
            ranked.is_some()
                && condition.owner == ranked
                && matches!(condition.kind, ConditionKind::Related { .. })
        });
        if beside_rank {
            return Err(Stop::Unanswerable(
                "it is not clear which rows are counted for the superlative".to_owned(),
            ));
        }
        if has_any && conditions.len() > 1 {
            return Err(Stop::Unanswerable(
                "it is not clear how \"and\" and \"or\" go together".to_owned(),
            ));
        }
        Ok(())
    }

    /// A condition beside a row count may apply to the counted rows.
    fn refuse_beside_count(&self) -> Result<(), Stop> {
        let counts: Vec<(Option<usize>, usize)> = self
            .request
            .conditions
            .iter()
            .filter_map(|condition| match condition.kind {
                ConditionKind::Count { table, .. } => Some((condition.owner, table)),
                _ => None,
            })
            .collect();
        let doubtful = |condition: &Condition| {
            counts.iter().any(|(owner, table)| match &condition.kind {
                ConditionKind::Period { column: None, .. } => condition.owner == *owner,
                ConditionKind::Compare { column, .. } => {
                    condition.owner == *owner
                        && column.columns.iter().any(|(id, _)| id.table == *table)
                        && !column
                            .columns
                            .iter()
                            .any(|(id, _)| Some(id.table) == *owner)
                }
                _ => false,
            })
        };
        if self.request.conditions.iter().any(doubtful) {
            return Err(Stop::Unanswerable(
                "it is not clear whether a condition is on the rows that are counted".to_owned(),
            ));
        }
        Ok(())
    }
}

fn holds_together(first: Span, second: Span) -> bool {
    let starts_before = |a: Span, b: Span| match (a.0, b.0) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(a), Some(b)) => a <= b,
    };
    let ends_after = |a: Span, b: Span| match (a.1, b.1) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(a), Some(b)) => a >= b,
    };
    let contains = |a: Span, b: Span| starts_before(a, b) && ends_after(a, b);
    let closes = |a: Span, b: Span| match (a, b) {
        ((Some(from), None), (None, Some(to))) => from < to,
        _ => false,
    };
    contains(first, second)
        || contains(second, first)
        || closes(first, second)
        || closes(second, first)
}
