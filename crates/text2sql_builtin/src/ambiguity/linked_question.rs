//! The linked spans of a question, and the first ambiguity among them.

use super::known::Known;
use crate::joins::paths::Joins;
use crate::linking::links::Links;
use crate::linking::mention::{ColumnId, Mention};
use crate::linking::names;
use crate::no_answer::Stop;
use jiff::civil::Date;
use std::ops::Range;
use std::sync::Arc;
use text2sql_domain::schema::Table;
use text2sql_domain::words;
use text2sql_language::english::lexicon;
use text2sql_language::periods::dates;
use text2sql_language::words::{Token, TokenKind};

/// Maximum number of columns sharing a word for which the user is asked to choose.
const MAX_PARTS: usize = 6;

/// Maximum number of candidates: a word that matches more of them identifies none.
const MAX_CANDIDATES: usize = 40;

/// How many other names of the question may decide between candidates. The sixty questions that people find
/// ambiguous have at most two.
const DECIDING_NAMES: usize = 3;

/// What a span of the question refers to.
pub(super) enum Stretch<'a> {
    Name(&'a Mention),
    Value(&'a Mention),
}

impl Stretch<'_> {
    pub(super) fn mention(&self) -> &Mention {
        match self {
            Self::Name(mention) | Self::Value(mention) => mention,
        }
    }
}

/// What is doubtful: its tokens, none for a period.
#[derive(Default)]
pub(super) struct Doubtful {
    pub(super) tokens: Range<usize>,
    pub(super) is_value: bool,
}

/// The question as a list of linked spans.
pub(super) struct LinkedQuestion<'a> {
    pub(super) tokens: &'a [Token],
    pub(super) tables: &'a [Arc<Table>],
    pub(super) stretches: Vec<Stretch<'a>>,
    /// Tables that are named unambiguously, each with its token position.
    pub(super) named: Vec<(usize, usize)>,
    /// Tables implied by columns or values that no other table has.
    pub(super) implied: Vec<usize>,
    pub(super) known: Known<'a>,
    pub(super) today: Date,
}

impl<'a> LinkedQuestion<'a> {
    pub(super) fn new(
        tokens: &'a [Token],
        tables: &'a [Arc<Table>],
        links: &'a Links,
        today: Date,
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
        let known = Known {
            tables,
            joins: Joins::of(tables),
            tokens,
        };
        let implied = implied(&stretches);
        Self {
            tokens,
            tables,
            stretches,
            named,
            implied,
            known,
            today,
        }
    }

    /// The first ambiguity, and the tokens that have it: names and values in the order of the question, then
    /// periods. A question with an unknown word may be about anything, unless the word is part of column names.
    pub(super) fn first_ambiguity(&self) -> Option<(Stop, Doubtful)> {
        let unknown: Vec<usize> = (0..self.tokens.len())
            .filter(|at| self.is_unknown(*at))
            .collect();
        match unknown.as_slice() {
            [] => {}
            [only] => {
                let doubtful = Doubtful {
                    tokens: *only..*only + 1,
                    is_value: false,
                };
                return Some((self.ambiguity_of_part(*only)?, doubtful));
            }
            _ => return None,
        }
        let by_name = self.stretches.iter().find_map(|stretch| {
            let stop = match stretch {
                Stretch::Name(mention) => self.ambiguity_of_name(mention)?,
                Stretch::Value(mention) => self.ambiguity_of_value(mention)?,
            };
            let mention = stretch.mention();
            let doubtful = Doubtful {
                tokens: mention.start..mention.end,
                is_value: matches!(stretch, Stretch::Value(_)),
            };
            Some((stop, doubtful))
        });
        by_name.or_else(|| Some((self.ambiguity_of_period()?, Doubtful::default())))
    }

    /// Whether the question says, besides these tokens, what may decide between the candidates: a stored value,
    /// a second table, or at least [`DECIDING_NAMES`] names.
    pub(super) fn says_more_than(&self, doubtful: &Range<usize>) -> bool {
        let (mut values, mut names, mut tables) = (0, 0, Vec::new());
        for stretch in &self.stretches {
            let mention = stretch.mention();
            let is_doubtful = mention.start < doubtful.end && doubtful.start < mention.end;
            let tokens = self.tokens.get(mention.start..mention.end);
            let mut words = tokens.into_iter().flatten();
            if is_doubtful || words.all(|word| lexicon::is_known(&word.lower)) {
                continue;
            }
            match stretch {
                Stretch::Value(_) => values += 1,
                Stretch::Name(_) => names += 1,
            }
            if let [table] = mention.best_tables().as_slice()
                && !tables.contains(table)
            {
                tables.push(*table);
            }
        }
        values > 0 || tables.len() > 1 || names >= DECIDING_NAMES
    }

    pub(super) fn is_named(&self, table: usize) -> bool {
        self.named.iter().any(|(named, _)| *named == table) || self.implied.contains(&table)
    }

    /// A word that neither the lists nor the linking know.
    pub(super) fn is_unknown(&self, at: usize) -> bool {
        let is_covered = self.stretches.iter().any(|stretch| {
            let mention = stretch.mention();
            mention.start <= at && at < mention.end
        });
        self.tokens.get(at).is_some_and(|token| {
            matches!(token.kind, TokenKind::Word | TokenKind::Quoted)
                && token.number.is_none()
                && !is_covered
                && (token.kind == TokenKind::Quoted || !lexicon::is_known(&token.lower))
        })
    }

    /// A word that is part of several column names: "price" of `price_in_euros`.
    pub(super) fn ambiguity_of_part(&self, at: usize) -> Option<Stop> {
        let word = self
            .tokens
            .get(at)
            .filter(|word| word.kind == TokenKind::Word && word.stem.len() > 3)
            // A past participle describes an event, not a column.
            .filter(|word| !word.lower.ends_with("ed"))?;
        let mut candidates = Vec::new();
        for (index, table) in self.tables.iter().enumerate() {
            for (position, column) in table.columns.iter().enumerate() {
                if names::words_of(&column.name).contains(&word.stem) {
                    candidates.push(ColumnId {
                        table: index,
                        column: position,
                    });
                }
            }
        }
        if !self.named.is_empty() {
            candidates.retain(|id| self.is_named(id.table));
        }
        if word.stem == "date" && candidates.is_empty() {
            candidates = self.dates_of(self.owner_at(at)?);
        }
        let mention = Mention {
            start: at,
            end: at + 1,
            ..Mention::default()
        };
        (candidates.len() > 1
            && candidates.len() <= MAX_PARTS
            && distinct_tables(&candidates) == 1
            && self.are_alike(&candidates)
            && self.singled_out(&candidates).is_none())
        .then(|| self.known.ambiguous_column(&mention, &candidates))
    }

    /// The last table named before the token, else the first.
    pub(super) fn owner_at(&self, token: usize) -> Option<usize> {
        let before = self.named.iter().rev().find(|(_, at)| *at < token);
        before.or(self.named.first()).map(|(table, _)| *table)
    }

    pub(super) fn ambiguity_of_name(&self, mention: &Mention) -> Option<Stop> {
        let period = dates::read_period(self.tokens.get(mention.start..)?, self.today);
        let is_period = period.is_some_and(|(_, taken)| taken > mention.end - mention.start);
        if mention.term.is_some() || is_period {
            return None;
        }
        if mention.is_derived() {
            return self.ambiguity_of_part(mention.start);
        }
        if let [table] = mention.best_tables().as_slice() {
            return self.ambiguity_of_path(mention, *table);
        }
        if !mention.best_tables().is_empty() || mention.columns.len() > MAX_CANDIDATES {
            return None;
        }
        let within = |tables: &dyn Fn(usize) -> bool| self.best(mention, tables);
        let owner = self.adjacent_owner(mention);
        let own = owner.map(|owner| within(&|table| table == owner));
        let candidates = match own.filter(|own| !own.is_empty()) {
            Some(own) => own,
            None if self.named.is_empty() && self.implied.is_empty() => within(&|_| true),
            None => {
                let named = within(&|table| self.is_named(table));
                let tables = distinct_tables(&named);
                match tables {
                    0 => return None,
                    1 => named,
                    // Only the whole meaning could choose between several named tables.
                    _ => return None,
                }
            }
        };
        let candidates = self.without_references(candidates);
        let is_ambiguous = candidates.len() > 1
            && !self.is_part_of_name(mention, &candidates)
            && !self.is_one_thing(&candidates)
            && self.singled_out(&candidates).is_none();
        is_ambiguous.then(|| self.known.ambiguous_column(mention, &candidates))
    }

    /// The columns of the best tier within the tables.
    pub(super) fn best(&self, mention: &Mention, tables: &dyn Fn(usize) -> bool) -> Vec<ColumnId> {
        let fitting = || {
            mention.columns.iter().filter(|(id, tier)| {
                tables(id.table)
                    && *tier <= names::HEAD
                    && (*tier < names::HEAD || !self.known.is_foreign(*id))
            })
        };
        let best = fitting().map(|(_, tier)| *tier).min();
        fitting()
            .filter(|(_, tier)| Some(*tier) == best)
            .map(|(id, _)| *id)
            .collect()
    }

    /// The table that owns the column by position: "the price of products", "each product's price", "the
    /// product's price".
    pub(super) fn adjacent_owner(&self, mention: &Mention) -> Option<usize> {
        let table_at = |start: usize| {
            self.named
                .iter()
                .find(|(_, at)| *at == start)
                .map(|(table, _)| *table)
        };
        let is_link = |token: &Token| {
            token.kind == TokenKind::Word
                && (lexicon::PREPOSITIONS.contains(&token.lower.as_str())
                    || words!("the, a, an, all, each, every, these, our")
                        .contains(&token.lower.as_str()))
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
}

/// Tables that are implied by a column or value that only they have.
fn implied(stretches: &[Stretch<'_>]) -> Vec<usize> {
    let only_table = |stretch: &Stretch<'_>| match stretch {
        Stretch::Name(mention) if mention.best_tables().is_empty() => {
            let best = mention.columns.iter().map(|(_, tier)| *tier).min()?;
            let ids: Vec<ColumnId> = mention
                .columns
                .iter()
                .filter(|(_, tier)| *tier == best && best <= names::HEAD)
                .map(|(id, _)| *id)
                .collect();
            ids.first()
                .filter(|_| distinct_tables(&ids) == 1)
                .map(|id| id.table)
        }
        Stretch::Name(_) => None,
        Stretch::Value(mention) => {
            let ids: Vec<ColumnId> = mention
                .values
                .iter()
                .filter(|link| link.is_exact)
                .map(|link| link.column)
                .collect();
            ids.first()
                .filter(|_| distinct_tables(&ids) == 1)
                .map(|id| id.table)
        }
    };
    stretches.iter().filter_map(only_table).collect()
}

pub(super) fn distinct_tables(ids: &[ColumnId]) -> usize {
    let mut tables: Vec<usize> = ids.iter().map(|id| id.table).collect();
    tables.sort_unstable();
    tables.dedup();
    tables.len()
}
