//! Questions whose names and values alone show that they have several readings.
//!
//! What the engine answers has one reading: it is right or silent. Where it stops at two links that are
//! as good, it says so itself. Of the questions that it cannot read as a whole, this looks at each name,
//! value and period by itself, with the tables that the question names, and speaks up only where nothing
//! in the question prefers one of the candidates.

use std::sync::Arc;

use super::bind::{Binder, is_date, speak};
use super::dates;
use super::german::{self, Language};
use super::joins::Step;
use super::lexicon;
use super::link::{ColumnId, Links, Mention, ValueLink};
use super::names;
use super::request::{Request, Stop};
use super::select::singular;
use super::words::{Token, TokenKind};
use super::{MOST_TOKENS, decline, propose_sql, said_in_german, spans};
use crate::proposal::Proposal;
use crate::schema::{Definition, Table};

/// Most to-one steps between a table and one that it is grouped or filtered by.
const MOST_STEPS: usize = 3;

/// Most candidates that are still a choice: a word for more of them says nothing about any.
const MOST_CANDIDATES: usize = 40;

/// A short question back and two to four readings, likeliest first, where the question has several for
/// certain. `today` is `YYYY-MM-DD`.
pub fn ambiguity(
    question: &str,
    tables: &[Arc<Table>],
    definitions: &[Definition],
    today: &str,
) -> Option<(String, Vec<String>)> {
    let (tokens, language) = german::tokenise(question);
    if tokens.is_empty() || tokens.len() > MOST_TOKENS {
        return None;
    }
    let stop = match propose_sql(&tokens, language, tables, definitions, today) {
        Ok(_) => return None,
        // Whether rows repeat is no matter of names.
        Err(Stop::Ambiguous { start, .. }) if start >= tokens.len() => return None,
        Err(stop @ Stop::Ambiguous { .. }) => stop,
        Err(_) => {
            let links = Links::find(&tokens, tables, definitions);
            let today = dates::Date::parse(today)?;
            let nothing = Request::default();
            Scene::new(&tokens, tables, &links, &nothing).doubt(today)?
        }
    };
    let declined = decline(question, &tokens, tables, stop);
    let declined = match language {
        Language::English => declined,
        Language::German => said_in_german(declined),
    };
    match declined {
        Proposal::Ambiguous { question, readings } => Some((question, readings)),
        _ => None,
    }
}

/// What a stretch of the question stands for.
enum Stretch<'a> {
    Name(&'a Mention),
    Value(&'a Mention),
}

impl Stretch<'_> {
    fn mention(&self) -> &Mention {
        match self {
            Self::Name(mention) | Self::Value(mention) => mention,
        }
    }
}

/// The question as stretches that name something.
struct Scene<'a> {
    tokens: &'a [Token],
    tables: &'a [Arc<Table>],
    stretches: Vec<Stretch<'a>>,
    /// Tables that are named for certain, with the place where.
    named: Vec<(usize, usize)>,
    binder: Binder<'a>,
}

impl<'a> Scene<'a> {
    fn new(
        tokens: &'a [Token],
        tables: &'a [Arc<Table>],
        links: &'a Links,
        nothing: &'a Request,
    ) -> Self {
        let mut stretches = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let name = links.name_at(at);
            let value = links.value_at(at).filter(|value| {
                name.is_none_or(|name| value.end > name.end || (value.is_marked && !name.is_marked))
            });
            let stretch = match (value, name) {
                (Some(value), _) => Stretch::Value(value),
                (None, Some(name)) => Stretch::Name(name),
                (None, None) => {
                    at += 1;
                    continue;
                }
            };
            at = stretch.mention().end.max(at + 1);
            stretches.push(stretch);
        }
        let named = stretches
            .iter()
            .filter_map(|stretch| match stretch {
                Stretch::Name(mention) if !mention.is_derived() => {
                    match mention.best_tables().as_slice() {
                        [only] => Some((*only, mention.start)),
                        _ => None,
                    }
                }
                _ => None,
            })
            .collect();
        Self {
            tokens,
            tables,
            stretches,
            named,
            binder: Binder::new(tokens, tables, &links.terms, nothing),
        }
    }

    /// The first doubt in the order of the question: names, values, then periods.
    fn doubt(&self, today: dates::Date) -> Option<Stop> {
        let by_name = self.stretches.iter().find_map(|stretch| match stretch {
            Stretch::Name(mention) => self.doubt_of_name(mention),
            Stretch::Value(mention) => self.doubt_of_value(mention),
        });
        by_name.or_else(|| self.doubt_of_period(today))
    }

    fn is_named(&self, table: usize) -> bool {
        self.named.iter().any(|(named, _)| *named == table)
    }

    /// The table that was named last before the token, else the first.
    fn owner_at(&self, token: usize) -> Option<usize> {
        let before = self.named.iter().rev().find(|(_, at)| *at < token);
        before.or(self.named.first()).map(|(table, _)| *table)
    }

    fn doubt_of_name(&self, mention: &Mention) -> Option<Stop> {
        if mention.term.is_some() || mention.is_derived() {
            return None;
        }
        if let [table] = mention.best_tables().as_slice() {
            return self.doubt_of_way(mention, *table);
        }
        if !mention.best_tables().is_empty() || mention.columns.len() > MOST_CANDIDATES {
            return None;
        }
        let within = |tables: &dyn Fn(usize) -> bool| self.best(mention, tables);
        let owner = self.adjacent_owner(mention);
        let own = owner.map(|owner| within(&|table| table == owner));
        let candidates = match own.filter(|own| !own.is_empty()) {
            Some(own) => own,
            None if self.named.is_empty() => within(&|_| true),
            None => {
                let named = within(&|table| self.is_named(table));
                let tables = distinct_tables(&named);
                match tables {
                    0 => return None,
                    1 => named,
                    // Which of them has it is a matter of grammar.
                    _ => return None,
                }
            }
        };
        let candidates = self.without_references(candidates);
        let is_telling = candidates.len() > 1 && !self.is_part_of_name(mention, &candidates);
        is_telling.then(|| self.binder.ambiguous_column(mention, &candidates))
    }

    /// The columns of the best tier within the tables.
    fn best(&self, mention: &Mention, tables: &dyn Fn(usize) -> bool) -> Vec<ColumnId> {
        let fitting = || {
            mention.columns.iter().filter(|(id, tier)| {
                tables(id.table)
                    && *tier <= names::HEAD
                    && (*tier < names::HEAD || !self.binder.is_foreign(*id))
            })
        };
        let best = fitting().map(|(_, tier)| *tier).min();
        fitting()
            .filter(|(_, tier)| Some(*tier) == best)
            .map(|(id, _)| *id)
            .collect()
    }

    /// Without columns that refer to one of the others, and with one for those that refer to the same:
    /// they hold the same values.
    fn without_references(&self, candidates: Vec<ColumnId>) -> Vec<ColumnId> {
        let mut kept: Vec<ColumnId> = Vec::new();
        for id in &candidates {
            let is_same = candidates
                .iter()
                .any(|other| self.binder.refers_to(*id, *other))
                || kept.iter().any(|other| self.refer_alike(*id, *other));
            if !is_same {
                kept.push(*id);
            }
        }
        kept
    }

    /// Whether both columns refer to the same table by the same column of a key.
    fn refer_alike(&self, one: ColumnId, other: ColumnId) -> bool {
        let target = |id: ColumnId| {
            let table = self.tables.get(id.table)?;
            let name = &table.columns.get(id.column)?.name;
            table.foreign_keys.iter().find_map(|key| {
                let place = key.columns.iter().position(|column| column == name)?;
                Some((key.target, key.target_columns.get(place)?.clone()))
            })
        };
        one.table != other.table && target(one).is_some() && target(one) == target(other)
    }

    /// "name" for first and last name means the whole of it.
    fn is_part_of_name(&self, mention: &Mention, candidates: &[ColumnId]) -> bool {
        const PARTS: [&str; 5] = ["name", "id", "code", "number", "no"];
        let is_one_word = mention.end == mention.start + 1;
        let word = self.tokens.get(mention.start);
        distinct_tables(candidates) == 1
            && is_one_word
            && word.is_some_and(|word| PARTS.contains(&word.stem.as_str()))
    }

    /// The table whose column it is by where it stands: "the price of products", "each product's
    /// price", "the product's price".
    fn adjacent_owner(&self, mention: &Mention) -> Option<usize> {
        let table_at = |start: usize| {
            self.named
                .iter()
                .find(|(_, at)| *at == start)
                .map(|(table, _)| *table)
        };
        let is_link = |token: &Token| {
            token.kind == TokenKind::Word
                && (lexicon::PREPOSITIONS.contains(&token.lower.as_str())
                    || matches!(
                        token.lower.as_str(),
                        "the" | "a" | "an" | "all" | "each" | "every" | "these" | "our"
                    ))
        };
        let mut after = mention.end;
        while self.tokens.get(after).is_some_and(is_link) {
            after += 1;
        }
        let behind = (after > mention.end).then(|| table_at(after)).flatten();
        behind.or_else(|| {
            let before = self.stretches.iter().rev().find(|stretch| {
                let end = stretch.mention().end;
                end <= mention.start
                    && self
                        .tokens
                        .get(end..mention.start)
                        .unwrap_or_default()
                        .iter()
                        .all(|token| token.kind == TokenKind::Possessive)
            })?;
            table_at(before.mention().start)
        })
    }

    /// Grouped or filtered by a table to which rows of the owner lead in several ways.
    fn doubt_of_way(&self, mention: &Mention, table: usize) -> Option<Stop> {
        let says_by = mention
            .start
            .checked_sub(1)
            .and_then(|at| self.tokens.get(at))
            .is_some_and(|token| matches!(token.lower.as_str(), "by" | "per" | "each"));
        if !says_by {
            return None;
        }
        let (owner, _) = self.named.first().filter(|(owner, _)| *owner != table)?;
        self.ways_apart(*owner, table, mention)
    }

    /// The ways that are as short, where the question names none of them.
    fn ways_apart(&self, owner: usize, table: usize, mention: &Mention) -> Option<Stop> {
        let ways = self.shortest_ways(owner, table);
        let goes_through = |way: &Vec<&Step>| {
            way.iter()
                .any(|step| step.to != table && self.is_named(step.to))
        };
        if ways.len() < 2 || ways.iter().any(goes_through) {
            return None;
        }
        let replacements: Vec<String> = ways
            .iter()
            .filter_map(|way| match way.as_slice() {
                [only] => {
                    let column = &only.pairs.first()?.0;
                    Some(format!("by {}", speak(column)))
                }
                [.., before, _] => {
                    let through = self.tables.get(before.to)?;
                    Some(format!("of the {}", speak(&singular(&through.name))))
                }
                [] => None,
            })
            .take(4)
            .collect();
        let (from, to) = (self.tables.get(owner)?, self.tables.get(table)?);
        Some(Stop::Ambiguous {
            question: format!(
                "{} and {} are connected in several ways: which one is meant?",
                from.name, to.name
            ),
            start: mention.end,
            end: mention.end,
            replacements,
        })
    }

    /// The shortest ways along references, all of one length.
    fn shortest_ways(&self, from: usize, to: usize) -> Vec<Vec<&Step>> {
        let mut ways: Vec<Vec<&Step>> = vec![Vec::new()];
        for _ in 0..MOST_STEPS {
            let mut longer: Vec<Vec<&Step>> = Vec::new();
            for way in &ways {
                let here = way.last().map_or(from, |step| step.to);
                for step in self
                    .binder
                    .joins
                    .parents(here)
                    .filter(|step| !step.is_assumed)
                {
                    let mut next = way.clone();
                    next.push(step);
                    longer.push(next);
                }
            }
            let arrived: Vec<Vec<&Step>> = longer
                .iter()
                .filter(|way| way.last().is_some_and(|step| step.to == to))
                .cloned()
                .collect();
            if !arrived.is_empty() {
                return arrived;
            }
            ways = longer;
        }
        Vec::new()
    }

    fn doubt_of_value(&self, mention: &Mention) -> Option<Stop> {
        let mut links: Vec<&ValueLink> = Vec::new();
        for link in mention.values.iter().filter(|link| link.is_exact) {
            if !links.iter().any(|known| known.column == link.column) {
                links.push(link);
            }
        }
        let ids: Vec<ColumnId> = links.iter().map(|link| link.column).collect();
        let ids = self.without_references(ids);
        links.retain(|link| ids.contains(&link.column));
        let said = |id: ColumnId| {
            self.stretches.iter().any(|stretch| match stretch {
                Stretch::Name(name) => name.columns.iter().any(|(other, _)| *other == id),
                Stretch::Value(_) => false,
            })
        };
        let owner = self.owner_at(mention.start);
        // What the question says about a candidate, in the order in which it counts.
        let preferences: [&dyn Fn(ColumnId) -> bool; 3] =
            [&|id| said(id), &|id| Some(id.table) == owner, &|id| {
                self.is_named(id.table)
            }];
        for prefers in preferences {
            let preferred: Vec<&ValueLink> = links
                .iter()
                .copied()
                .filter(|link| prefers(link.column))
                .collect();
            match preferred.len() {
                0 => {}
                1 => return None,
                _ => {
                    links = preferred;
                    break;
                }
            }
        }
        match (links.as_slice(), owner) {
            ([], _) => None,
            ([only], Some(owner)) => {
                let table = only.column.table;
                (table != owner && !self.is_named(table))
                    .then(|| self.ways_apart(owner, table, mention))
                    .flatten()
            }
            ([_], None) => None,
            _ => Some(self.binder.ambiguous_value(mention, &links)),
        }
    }

    /// A period of a table that has several dates, none of which the question names.
    fn doubt_of_period(&self, today: dates::Date) -> Option<Stop> {
        let (start, taken) = (0..self.tokens.len()).find_map(|at| {
            let rest = self.tokens.get(at..)?;
            spans::read(rest, today).map(|(_, taken)| (at, taken))
        })?;
        let owner = self.owner_at(start)?;
        let names_date = self.stretches.iter().any(|stretch| match stretch {
            Stretch::Name(mention) => mention.columns.iter().any(|(id, _)| {
                self.tables
                    .get(id.table)
                    .and_then(|table| table.columns.get(id.column))
                    .is_some_and(is_date)
            }),
            Stretch::Value(_) => false,
        });
        // A verb of an event says which date, though no name does.
        let says_event = self.tokens.iter().take(start + taken).any(|token| {
            token.kind == TokenKind::Word
                && (lexicon::EVENT_VERBS.contains(&token.lower.as_str())
                    || token.lower.ends_with("ed"))
        });
        if names_date || says_event {
            return None;
        }
        match self.binder.date_column(owner, start) {
            Err(stop @ Stop::Ambiguous { .. }) => Some(stop),
            _ => None,
        }
    }
}

fn distinct_tables(ids: &[ColumnId]) -> usize {
    let mut tables: Vec<usize> = ids.iter().map(|id| id.table).collect();
    tables.sort_unstable();
    tables.dedup();
    tables.len()
}
