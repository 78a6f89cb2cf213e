//! Tokens and links to a [`Request`]: what is asked for. Every token must find its place.

use std::sync::Arc;

use super::dates::Date;
use super::lexicon::{self, Aggregate};
use super::link::{Links, Mention};
use super::names;
use super::request::{Condition, ConditionKind, Group, Rank, RankBy, Request, Stop, Target};
use super::words::{Token, TokenKind};
use crate::schema::{Table, TypeCategory};

/// A position in the question and what was understood so far.
pub(super) struct Parser<'a> {
    pub(super) tokens: &'a [Token],
    pub(super) links: &'a Links,
    pub(super) tables: &'a [Arc<Table>],
    pub(super) today: Date,
    pub(super) at: usize,
    pub(super) request: Request,
    /// The table that the next condition speaks of.
    pub(super) owner: Option<usize>,
}

/// Parses the whole question.
pub(super) fn parse(
    tokens: &[Token],
    links: &Links,
    tables: &[Arc<Table>],
    today: Date,
) -> Result<Request, Stop> {
    let mut parser = Parser {
        tokens,
        links,
        tables,
        today,
        at: 0,
        request: Request::default(),
        owner: None,
    };
    parser.question()?;
    Ok(parser.request)
}

impl<'a> Parser<'a> {
    pub(super) fn token(&self, offset: usize) -> Option<&'a Token> {
        self.tokens.get(self.at + offset)
    }

    pub(super) fn lower(&self, offset: usize) -> &'a str {
        self.token(offset).map_or("", |token| match token.kind {
            TokenKind::Quoted => "",
            _ => token.lower.as_str(),
        })
    }

    pub(super) fn is_at(&self, words: &[&str]) -> bool {
        words
            .iter()
            .enumerate()
            .all(|(i, word)| self.lower(i) == *word)
    }

    /// Takes the words if they come next.
    pub(super) fn eat(&mut self, words: &str) -> bool {
        let parts: Vec<&str> = words.split(' ').collect();
        let found = self.is_at(&parts);
        if found {
            self.at += parts.len();
        }
        found
    }

    pub(super) fn eat_any(&mut self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.eat(phrase))
    }

    /// Takes one word of the list, unless a longer name begins here.
    pub(super) fn eat_one_of(&mut self, list: &[&str]) -> bool {
        let found = list.contains(&self.lower(0)) && !self.is_long_name();
        self.at += usize::from(found);
        found
    }

    pub(super) fn skip(&mut self, list: &[&str]) {
        while self.eat_one_of(list) {}
    }

    /// A name of several words, or one that only the schema knows, begins here.
    fn is_long_name(&self) -> bool {
        self.links.name_at(self.at).is_some_and(|mention| {
            mention.end > mention.start + 1
                && mention
                    .columns
                    .iter()
                    .map(|(_, tier)| *tier)
                    .chain(mention.tables.iter().map(|(_, tier)| *tier))
                    .any(|tier| tier <= names::SPELLED_OUT)
        }) || self
            .links
            .value_at(self.at)
            .is_some_and(|mention| mention.end > mention.start + 1)
    }

    pub(super) fn is_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    pub(super) fn unplaced<T>(&self) -> Result<T, Stop> {
        Err(Stop::Unplaced(self.at))
    }

    fn question(&mut self) -> Result<(), Stop> {
        self.opener();
        self.leading_group();
        self.targets()?;
        self.first_entity();
        while !self.is_end() {
            let before = self.at;
            self.modifier()?;
            if self.at == before {
                return self.unplaced();
            }
        }
        if self.request.targets.is_empty() {
            return Err(Stop::Unanswerable(
                "the question does not say what to show".to_owned(),
            ));
        }
        Ok(())
    }

    /// "For each customer, …" at the beginning.
    fn leading_group(&mut self) {
        let before = self.at;
        if !self.eat_any(&["for each", "for every", "in each", "each", "every"]) {
            return;
        }
        let Some(mention) = self.links.name_at(self.at) else {
            self.at = before;
            return;
        };
        let comma = self
            .tokens
            .get(mention.end)
            .is_some_and(|token| token.kind == TokenKind::Comma);
        if !comma {
            self.at = before;
            return;
        }
        self.at = mention.end + 1;
        self.request.groups.push(Group::Named(mention.clone()));
        self.opener();
    }

    /// A table named first is what is asked for, unless an owner was said.
    fn first_entity(&mut self) {
        let waiting = self.request.targets.iter().find_map(|target| match target {
            Target::Named {
                mention,
                owner: None,
            } => match mention.best_tables().as_slice() {
                [table] => Some(*table),
                _ => None,
            },
            _ => None,
        });
        if let (Some(table), None) = (waiting, self.request.subject) {
            self.enter(table);
        }
    }

    fn opener(&mut self) {
        loop {
            let before = self.at;
            let each = self.is_at(&["for", "each"]) || self.is_at(&["for", "every"]);
            if each || self.is_at(&["how", "many"]) || self.is_at(&["how", "much"]) {
                return;
            }
            self.eat_any(&["a list of", "list of", "the list of", "out of", "me the"]);
            if self.lower(0) != "name" || self.at == 0 {
                self.eat_one_of(lexicon::OPENERS);
            }
            self.eat_one_of(&[
                "is", "are", "was", "were", "do", "does", "did", "the", "all", "of", "out", "for",
                "have", ":",
            ]);
            if self
                .token(0)
                .is_some_and(|token| matches!(token.kind, TokenKind::Stop | TokenKind::Comma))
            {
                self.at += 1;
            }
            if self.at == before {
                return;
            }
        }
    }

    fn targets(&mut self) -> Result<(), Stop> {
        loop {
            self.target()?;
            self.owner_of_targets()?;
            let before = self.at;
            let joined = self.separator();
            if !joined || !self.begins_target() {
                self.at = before;
                return Ok(());
            }
        }
    }

    /// "… of the customers", "… of each department": whose the columns so far are.
    fn owner_of_targets(&mut self) -> Result<(), Stop> {
        let before = self.at;
        let waits = self.request.targets.iter().any(|target| {
            matches!(
                target,
                Target::Named { owner: None, .. } | Target::Aggregate { owner: None, .. }
            )
        });
        if !waits || !self.eat_any(&["of", "for", "from", "in"]) {
            return Ok(());
        }
        let mut each = false;
        while self.eat_one_of(lexicon::EMPTY)
            || self.eat_one_of(lexicon::DISTINCT_WORDS)
            || self.eat_one_of(lexicon::EACH_WORDS)
        {
            each |= self
                .tokens
                .get(self.at.wrapping_sub(1))
                .is_some_and(|token| lexicon::EACH_WORDS.contains(&token.lower.as_str()));
        }
        let aggregated = self
            .request
            .targets
            .iter()
            .any(|target| matches!(target, Target::Aggregate { .. }));
        if each && aggregated {
            self.at = before;
            return Ok(());
        }
        let targets = self.request.targets.len();
        let entity = if self.ranked_entity()? || self.value_before_entity()? {
            self.request.targets.truncate(targets);
            self.owner
        } else {
            self.entity_at(self.at).map(|(table, end)| {
                self.at = end;
                self.enter(table);
                self.entity_name();
                table
            })
        };
        let Some(table) = entity else {
            self.at = before;
            return Ok(());
        };
        for target in &mut self.request.targets {
            if let Target::Named { owner, .. } | Target::Aggregate { owner, .. } = target {
                owner.get_or_insert(table);
            }
        }
        Ok(())
    }

    /// `,` and "and" between things of one kind.
    pub(super) fn separator(&mut self) -> bool {
        let comma = self
            .token(0)
            .is_some_and(|token| token.kind == TokenKind::Comma);
        self.at += usize::from(comma);
        let word = self.eat_any(&[
            "as well as",
            "along with",
            "together with",
            "and also",
            "and",
            "plus",
        ]);
        comma || word
    }

    fn begins_target(&mut self) -> bool {
        let before = self.at;
        self.skip(lexicon::EMPTY);
        self.eat_one_of(lexicon::PRONOUNS);
        let found = self.is_count_phrase()
            || lexicon::aggregate(self.lower(0)).is_some()
            || lexicon::DISTINCT_WORDS.contains(&self.lower(0))
            || self.links.name_at(self.at).is_some_and(|mention| {
                let next = self
                    .tokens
                    .get(mention.end)
                    .map_or("", |token| token.lower.as_str());
                !matches!(next, "is" | "are" | "was" | "were" | "=")
            });
        self.at = before;
        found
    }

    fn is_count_phrase(&self) -> bool {
        self.is_at(&["number", "of"])
            || self.is_at(&["numbers", "of"])
            || self.is_at(&["count", "of"])
            || self.is_at(&["total", "number", "of"])
            || self.is_at(&["total", "count", "of"])
            || self.is_at(&["how", "many"])
            || (self.is_at(&["count"]) && self.at == 0)
    }

    /// "all the information about customers": every column.
    fn all_columns(&mut self) -> bool {
        let before = self.at;
        self.skip(&["all", "the", "full", "complete"]);
        if self.eat_any(&[
            "information",
            "info",
            "details",
            "data",
            "columns",
            "fields",
            "attributes",
        ]) && self.eat_any(&["about", "of", "on", "for", "regarding"])
        {
            self.skip(lexicon::EMPTY);
            if let Some((table, end)) = self.entity_at(self.at) {
                self.at = end;
                self.enter(table);
                self.request.targets.push(Target::All(table));
                self.entity_name();
                return true;
            }
        }
        self.at = before;
        false
    }

    fn target(&mut self) -> Result<(), Stop> {
        if self.all_columns() {
            return Ok(());
        }
        self.skip(lexicon::EMPTY);
        self.eat_one_of(lexicon::PRONOUNS);
        self.skip(lexicon::EMPTY);
        if self.is_count_phrase() {
            return self.count_target();
        }
        if self.distinct_words() {
            self.request.is_distinct = true;
        }
        if self.aggregates()? || self.ranked_entity()? {
            return Ok(());
        }
        self.skip(lexicon::EMPTY);
        if let Some((table, end)) = self.entity_at(self.at)
            && self
                .tokens
                .get(end)
                .is_some_and(|token| token.kind == TokenKind::Possessive)
        {
            self.at = end + 1;
            self.note_table(table);
            self.request.subject.get_or_insert(table);
            self.skip(lexicon::EMPTY);
            let Some(mention) = self.links.name_at(self.at) else {
                return self.unplaced();
            };
            self.at = mention.end;
            self.request.targets.push(Target::Named {
                mention: mention.clone(),
                owner: Some(table),
            });
            return Ok(());
        }
        if self.value_before_entity()? {
            return Ok(());
        }
        let Some(mention) = self.links.name_at(self.at) else {
            return self.unplaced();
        };
        self.at = mention.end;
        self.push_named(mention.clone());
        Ok(())
    }

    fn distinct_words(&mut self) -> bool {
        let mut found = false;
        while self.eat_one_of(lexicon::DISTINCT_WORDS) {
            found = true;
            self.skip(&["of", "the", "kinds", "types"].get(..2).unwrap_or_default());
        }
        found
    }

    /// A name that can only be a table is the subject at once; others wait for their owner.
    fn push_named(&mut self, mention: Mention) {
        let column = mention
            .columns
            .iter()
            .any(|(_, tier)| *tier <= names::SPELLED_OUT);
        let best = mention.best_tables();
        if let ([table], false) = (best.as_slice(), column) {
            let only_table = mention.tables.iter().any(|(_, tier)| *tier <= names::HEAD);
            if only_table {
                self.enter(*table);
                self.request.targets.push(Target::Entity(*table));
                return;
            }
        }
        if let [table] = best.as_slice()
            && self.request.subject.is_none()
        {
            self.owner = Some(*table);
        }
        self.request.targets.push(Target::Named {
            mention,
            owner: None,
        });
    }

    /// The table becomes the one that is spoken of.
    pub(super) fn enter(&mut self, table: usize) {
        self.note_table(table);
        self.owner = Some(table);
        self.request.subject.get_or_insert(table);
    }

    pub(super) fn note_table(&mut self, table: usize) {
        if !self.request.tables.contains(&table) {
            self.request.tables.push(table);
        }
    }

    /// The table that a stretch from `start` names for certain, and where the stretch ends.
    pub(super) fn entity_at(&self, start: usize) -> Option<(usize, usize)> {
        self.links
            .names_at(start)
            .find_map(|mention| match mention.best_tables().as_slice() {
                [table] => Some((*table, mention.end)),
                _ => None,
            })
    }

    fn count_target(&mut self) -> Result<(), Stop> {
        self.eat("total");
        let opening = self.eat_any(&["number of", "numbers of", "count of", "how many", "count"]);
        if !opening {
            return self.unplaced();
        }
        self.eat_any(&["the number of", "of"]);
        self.skip(&["the", "all", "total", "of", "there", "are", "overall"]);
        let is_distinct = self.distinct_words();
        if self.value_before_entity()? {
            let Some(Target::Entity(table)) = self.request.targets.pop() else {
                return self.unplaced();
            };
            self.request.targets.push(Target::Count(table));
        } else {
            let Some(mention) = self.links.name_at(self.at) else {
                return self.unplaced();
            };
            let certain: Vec<usize> = mention.best_tables();
            if let [table] = certain.as_slice()
                && !(is_distinct
                    && mention
                        .columns
                        .iter()
                        .any(|(_, tier)| *tier == names::EXACT)
                    && !mention.tables.iter().any(|(_, tier)| *tier == names::EXACT))
            {
                self.at = mention.end;
                self.enter(*table);
                self.request.targets.push(Target::Count(*table));
            } else if is_distinct && certain.is_empty() {
                self.at = mention.end;
                self.request.targets.push(Target::CountDistinct {
                    mention: mention.clone(),
                });
            } else {
                return self.unplaced();
            }
        }
        self.count_tail()
    }

    /// "… are there", "… do we have", "… does each X have".
    fn count_tail(&mut self) -> Result<(), Stop> {
        let before = self.at;
        self.skip(lexicon::AUXILIARIES);
        if self.eat_any(&["there", "we have", "you have"]) {
            self.skip(
                &["in", "total", "overall", "altogether"]
                    .get(1..)
                    .unwrap_or_default(),
            );
            self.eat_any(&["in total", "in all", "in the database", "in our database"]);
            return Ok(());
        }
        if self.at > before
            && (lexicon::EACH_WORDS.contains(&self.lower(0))
                || matches!(self.lower(0), "the" | "a"))
        {
            let each = self.eat_one_of(lexicon::EACH_WORDS);
            self.skip(lexicon::EMPTY);
            if each && let Some(mention) = self.links.name_at(self.at) {
                let end = mention.end;
                if self.tokens.get(end).is_some_and(|token| {
                    matches!(
                        token.lower.as_str(),
                        "have" | "has" | "contain" | "contains" | "include" | "offer" | "own"
                    )
                }) {
                    self.request.groups.push(Group::Named(mention.clone()));
                    self.at = end + 1;
                    return Ok(());
                }
            }
        }
        self.at = before;
        Ok(())
    }

    /// "average, minimum and maximum price".
    fn aggregates(&mut self) -> Result<bool, Stop> {
        let before = self.at;
        let mut functions: Vec<Aggregate> = Vec::new();
        while let Some(function) = lexicon::aggregate(self.lower(0)) {
            if self.is_long_name() {
                break;
            }
            functions.push(function);
            self.at += 1;
            let separated = self.separator();
            self.skip(&["the", "of"]);
            if separated && lexicon::aggregate(self.lower(0)).is_none() {
                self.at = before;
                return Ok(false);
            }
        }
        if functions.is_empty() {
            return Ok(false);
        }
        self.eat_any(&["of", "for"]);
        self.skip(lexicon::EMPTY);
        let mut owner = None;
        if let Some((table, end)) = self.entity_at(self.at)
            && self
                .tokens
                .get(end)
                .is_some_and(|token| token.kind == TokenKind::Possessive)
        {
            self.at = end + 1;
            self.enter(table);
            owner = Some(table);
        }
        match self.links.name_at(self.at) {
            Some(mention) if mention.columns.iter().any(|(_, tier)| *tier <= names::HEAD) => {
                self.at = mention.end;
                for function in functions {
                    self.request.targets.push(Target::Aggregate {
                        function,
                        mention: mention.clone(),
                        owner,
                    });
                }
                Ok(true)
            }
            _ => {
                self.at = before;
                Ok(false)
            }
        }
    }

    /// "top five products", "the three most expensive products", "oldest employee", "5 customers".
    fn ranked_entity(&mut self) -> Result<bool, Stop> {
        let before = self.at;
        let top = match self.lower(0) {
            "top" => Some(true),
            "bottom" => Some(false),
            _ => None,
        };
        self.at += usize::from(top.is_some());
        let mut limit = None;
        if let Some(number) = self.token(0).and_then(|token| token.number.as_ref())
            && let Ok(count) = number.parse::<u64>()
            && count > 0
        {
            limit = Some(count);
            self.at += 1;
        }
        let mut rank = None;
        let most = usize::from(matches!(self.lower(0), "most" | "least"));
        if let Some((upper, dimension)) = lexicon::adjective(self.lower(most))
            && (most == 0) != matches!(self.lower(most), "expensive")
        {
            let is_descending = upper != (self.lower(0) == "least");
            self.at += 1 + most;
            rank = Some(Rank {
                by: RankBy::Dimension(dimension),
                is_descending,
            });
        }
        self.skip(lexicon::EMPTY);
        let entity = self
            .entity_at(self.at)
            .filter(|_| top.is_some() || limit.is_some() || rank.is_some());
        let Some((table, end)) = entity else {
            if top.is_some()
                && let Some(mention) = self.links.name_at(self.at).filter(|_| limit.is_some())
            {
                self.at = mention.end;
                self.push_named(mention.clone());
                self.request.limit = limit;
                self.request.rank = None;
                return self.rank_of_top(true);
            }
            self.at = before;
            return Ok(false);
        };
        let single = self
            .tokens
            .get(end.saturating_sub(1))
            .is_some_and(|token| token.lower == token.stem);
        self.at = end;
        if rank.is_some() {
            self.request.rank = rank;
            self.request.limit = limit.or(single.then_some(1)).or(Some(1));
        }
        if limit.is_some() {
            self.request.limit = limit;
        }
        self.push_entity(end, table);
        if top.is_some() && self.request.rank.is_none() {
            return self.rank_of_top(top == Some(true));
        }
        Ok(true)
    }

    fn push_entity(&mut self, end: usize, table: usize) {
        if self
            .tokens
            .get(end)
            .is_some_and(|token| token.kind == TokenKind::Possessive)
        {
            self.at = end + 1;
            self.enter(table);
            if let Some(mention) = self.links.name_at(self.at) {
                self.at = mention.end;
                self.request.targets.push(Target::Named {
                    mention: mention.clone(),
                    owner: Some(table),
                });
            }
            return;
        }
        self.enter(table);
        self.request.targets.push(Target::Entity(table));
    }

    /// "top 10 customers by number of orders": the measure must be said.
    fn rank_of_top(&mut self, is_descending: bool) -> Result<bool, Stop> {
        if !self.eat_any(&[
            "by",
            "in terms of",
            "ranked by",
            "based on",
            "according to",
            "ordered by",
            "sorted by",
        ]) {
            return Err(Stop::Unanswerable(
                "the question does not say by what the top is measured".to_owned(),
            ));
        }
        let by = self.measure(true)?;
        self.request.rank = Some(Rank { by, is_descending });
        Ok(true)
    }

    /// "number of orders", "total amount", "price".
    pub(super) fn measure(&mut self, is_amount: bool) -> Result<RankBy, Stop> {
        self.skip(lexicon::EMPTY);
        let counted = self.eat_any(&["total number of", "number of", "count of", "amount of"]);
        self.skip(lexicon::EMPTY);
        if counted {
            return match self.entity_at(self.at) {
                Some((table, end)) => {
                    self.at = end;
                    self.note_table(table);
                    Ok(RankBy::Count(table))
                }
                None => self.unplaced(),
            };
        }
        let function = if self.is_long_name() {
            None
        } else {
            lexicon::aggregate(self.lower(0))
        };
        self.at += usize::from(function.is_some());
        self.skip(&["of", "the"]);
        let Some(mention) = self.links.name_at(self.at) else {
            return self.unplaced();
        };
        self.at = mention.end;
        self.eat_one_of(&["sold", "ordered", "purchased"]);
        Ok(RankBy::Column {
            mention: mention.clone(),
            function,
            is_amount,
        })
    }

    /// "active customers": a yes-or-no column right before its table.
    fn flag_before_entity(&mut self) -> bool {
        let Some(flag) = self.links.name_at(self.at).cloned() else {
            return false;
        };
        let Some((table, end)) = self.entity_at(flag.end) else {
            return false;
        };
        let is_flag = flag.best_tables().is_empty()
            && flag.columns.iter().any(|(id, _)| {
                id.table == table
                    && self
                        .tables
                        .get(id.table)
                        .and_then(|table| table.columns.get(id.column))
                        .is_some_and(|column| column.category == TypeCategory::Boolean)
            });
        if is_flag {
            self.at = end;
            self.enter(table);
            self.request.targets.push(Target::Entity(table));
            self.request.conditions.push(Condition {
                owner: Some(table),
                is_negated: false,
                kind: ConditionKind::Boolean { column: flag },
            });
        }
        is_flag
    }

    /// "Biology students", "German customers": a stored value right before a table.
    pub(super) fn value_before_entity(&mut self) -> Result<bool, Stop> {
        if self.flag_before_entity() {
            return Ok(true);
        }
        let Some(value) = self.links.value_at(self.at) else {
            return Ok(false);
        };
        if self
            .links
            .name_at(self.at)
            .is_some_and(|name| name.end >= value.end && !name.best_tables().is_empty())
        {
            return Ok(false);
        }
        let Some((table, end)) = self.entity_at(value.end) else {
            return Ok(false);
        };
        let fits =
            value.values.iter().any(|link| link.column.table == table) || !value.values.is_empty();
        if !fits
            || self
                .tokens
                .get(end)
                .is_some_and(|token| token.kind == TokenKind::Possessive)
        {
            return Ok(false);
        }
        self.at = end;
        self.enter(table);
        self.request.targets.push(Target::Entity(table));
        self.request.conditions.push(Condition {
            owner: Some(table),
            is_negated: false,
            kind: ConditionKind::Value {
                alternatives: vec![value.clone()],
            },
        });
        Ok(true)
    }
}
