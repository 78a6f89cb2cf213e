//! "per country", "for each category", "by year".

use crate::joins::paths::Joins;
use crate::linking::mention::Mention;
use crate::no_answer::Stop;
use crate::parsing::parser::Parser;
use crate::parsing::request::Group;
use crate::parsing::request::Target;
use text2sql_language::english::lexicon;
use text2sql_language::words::{Token, TokenKind};

impl Parser<'_> {
    /// "per country", "for each category", "by year".
    pub(crate) fn group(&mut self) -> Result<bool, Stop> {
        let before = self.at;
        let opened = self.eat_any(&[
            "for each of the",
            "in each of the",
            "of each of the",
            "for each",
            "in each",
            "of each",
            "at each",
            "by each",
            "from each",
            "on each",
            "with each",
            "to each",
            "for every",
            "in every",
            "of every",
            "per",
            "each",
            "grouped by",
            "group by",
            "broken down by",
            "by",
            "for the different",
            "for different",
        ]);
        if !opened {
            return Ok(false);
        }
        self.eat_any(&["the different", "different", "the", "distinct"]);
        self.count_bare_rows(before);
        let aggregated = self.request.targets.iter().any(|target| {
            matches!(
                target,
                Target::Count(_)
                    | Target::Aggregate { .. }
                    | Target::Defined { .. }
                    | Target::CountDistinct { .. }
            )
        });
        let by_value = matches!(
            self.tokens.get(before).map(|token| token.lower.as_str()),
            Some("by")
        );
        if aggregated
            && !by_value
            && (self.is_end()
                || self
                    .token(0)
                    .is_some_and(|token| token.kind == TokenKind::Stop))
        {
            let shows_rows = self
                .request
                .targets
                .iter()
                .any(|target| matches!(target, Target::Entity(_) | Target::Named { .. }));
            return Ok(shows_rows);
        }
        if by_value && self.is_agent(before) {
            self.at = before;
            return Ok(false);
        }
        if aggregated {
            let part = match self.lower(0) {
                "year" | "years" => Some("year"),
                "month" | "months" => Some("month"),
                "quarter" | "quarters" => Some("quarter"),
                _ => None,
            };
            if let Some(part) = part
                && !self.links.name_at(self.at).is_some_and(|mention| {
                    mention.columns.iter().any(|(id, tier)| {
                        *tier == 0
                            && (Some(id.table) == self.owner
                                || Some(id.table) == self.request.subject)
                    })
                })
            {
                self.at += 1;
                self.request.groups.push(Group::Date(part));
                return Ok(true);
            }
            if let Some(mention) = self.links.name_at(self.at) {
                let followed_by_value = by_value && self.links.value_at(mention.end).is_some();
                if !followed_by_value {
                    let mention = &self.head_of_key(mention)?;
                    self.at = mention.end;
                    if self.repeats_target(mention) {
                        return Ok(true);
                    }
                    self.request.groups.push(Group::Named(mention.clone()));
                    let joined = self.at;
                    if self.separator() {
                        self.eat_any(&["each", "every", "per", "for each", "by"]);
                        if let Some(next) = self.links.name_at(self.at) {
                            self.at = next.end;
                            self.request.groups.push(Group::Named(next.clone()));
                            return Ok(true);
                        }
                    }
                    self.at = joined;
                    return Ok(true);
                }
            }
        }
        self.at = before;
        Ok(false)
    }

    /// "product category": the last of two tables is what the groups are, if the first one's rows belong to it.
    fn head_of_key(&self, first: &Mention) -> Result<Mention, Stop> {
        let Some(next) = self.links.name_at(first.end) else {
            return Ok(first.clone());
        };
        let (first_tables, next_tables) = (first.best_tables(), next.best_tables());
        let ([of], [head]) = (first_tables.as_slice(), next_tables.as_slice()) else {
            return Ok(first.clone());
        };
        if of == head {
            return Ok(first.clone());
        }
        let root = self.request.subject.or(self.owner);
        let path = root.and_then(|root| Joins::of(self.tables).path(root, *head).ok());
        let leads_through = path.is_some_and(|path| {
            root == Some(*of) || path.iter().any(|step| step.from == *of && step.is_to_one)
        });
        match leads_through {
            true => Ok(next.clone()),
            false => Err(Stop::Unplaced(first.end)),
        }
    }

    /// "orders per month", "orders by month": a table alone is counted, as nothing else of it is for each month.
    fn count_bare_rows(&mut self, opened: usize) {
        let word = self
            .tokens
            .get(opened)
            .map_or("", |token| token.lower.as_str());
        let is_date_part = matches!(self.lower(0), "year" | "month" | "quarter")
            && self.links.name_at(self.at).is_none();
        let is_grouping = word == "per" || (word == "by" && is_date_part);
        let table = match self.request.targets.as_slice() {
            [Target::Entity(table)] => *table,
            [
                Target::Named {
                    mention,
                    owner: None,
                },
            ] => match mention.best_tables().as_slice() {
                [table] => *table,
                _ => return,
            },
            _ => return,
        };
        // "Show the employees per store" asks for a list.
        let asks = |token: &Token| lexicon::OPENERS.contains(&token.lower.as_str());
        let is_plain = !self.tokens.iter().take(opened).any(asks)
            && self.request.rank.is_none()
            && self.request.limit.is_none()
            && !self.request.is_distinct
            && self.verbs.is_empty();
        if is_grouping && is_plain {
            self.enter(table);
            if let Some(table) = self.tables.get(table) {
                let note = format!("the rows of {} are counted", table.name);
                self.request.notes.push(note);
            }
            self.request.targets = vec![Target::Count(table)];
        }
    }

    /// "reviews written by customers": "by" names the agent and does not group.
    fn is_agent(&self, by: usize) -> bool {
        let after_verb = by
            .checked_sub(1)
            .is_some_and(|before| self.verbs.contains(&before));
        let Some((_, end)) = self.entity_at(self.at).filter(|_| after_verb) else {
            return false;
        };
        let last = end.checked_sub(1).and_then(|at| self.tokens.get(at));
        last.is_some_and(|noun| noun.lower != noun.stem && noun.lower.ends_with('s'))
    }

    /// "payment codes and the number of orders for each code": the code named before.
    pub(crate) fn repeats_target(&self, mention: &Mention) -> bool {
        mention.end == mention.start + 1
            && self.request.targets.iter().any(|target| match target {
                Target::Named { mention, .. } => {
                    let last = mention
                        .end
                        .checked_sub(1)
                        .and_then(|last| self.tokens.get(last));
                    let word = self.tokens.get(mention.start);
                    mention.end > mention.start + 1
                        && last.is_some()
                        && last.map(|token| &token.stem) == word.map(|token| &token.stem)
                }
                _ => false,
            })
    }
}
