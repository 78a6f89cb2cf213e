//! Parses linked tokens into a [`Request`]. Every token must find its place.

use jiff::civil::Date;
use std::sync::Arc;

use crate::linking::links::Links;
use crate::linking::mention::Mention;
use crate::linking::names;
use crate::no_answer::Stop;
use crate::parsing::request::{Group, Request, Target};
use text2sql_domain::schema::{Table, TypeCategory};
use text2sql_language::english::lexicon;
use text2sql_language::words::{Token, TokenKind};

/// A position in the question and the request built so far.
pub(crate) struct Parser<'a> {
    pub(crate) tokens: &'a [Token],
    pub(crate) links: &'a Links,
    pub(crate) tables: &'a [Arc<Table>],
    pub(crate) today: Date,
    pub(crate) at: usize,
    pub(crate) request: Request,
    /// The table that the next condition applies to.
    pub(crate) owner: Option<usize>,
    /// The end of a condition on a row count: what follows may qualify the counted rows.
    pub(crate) counted_until: Option<usize>,
    /// Positions of verbs that were skipped because the joins, or the rows themselves, imply them.
    pub(crate) verbs: Vec<usize>,
    /// The question has "most popular" rather than "most common".
    pub(crate) has_popular: bool,
}

/// Parses the whole question.
pub(crate) fn parse(
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
        counted_until: None,
        verbs: Vec::new(),
        has_popular: false,
    };
    parser.question()?;
    Ok(parser.request)
}

impl<'a> Parser<'a> {
    pub(crate) fn token(&self, offset: usize) -> Option<&'a Token> {
        self.tokens.get(self.at + offset)
    }

    pub(crate) fn lower(&self, offset: usize) -> &'a str {
        self.token(offset).map_or("", |token| match token.kind {
            TokenKind::Quoted => "",
            _ => token.lower.as_str(),
        })
    }

    pub(crate) fn is_at(&self, words: &[&str]) -> bool {
        words
            .iter()
            .enumerate()
            .all(|(i, word)| self.lower(i) == *word)
    }

    /// Consumes the words if they come next.
    pub(crate) fn eat(&mut self, words: &str) -> bool {
        let mut count = 0;
        for word in words.split(' ') {
            if self.lower(count) != word {
                return false;
            }
            count += 1;
        }
        self.at += count;
        true
    }

    pub(crate) fn eat_any(&mut self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.eat(phrase))
    }

    /// Consumes one word of the list, unless a longer name begins here.
    pub(crate) fn eat_one_of(&mut self, list: &[&str]) -> bool {
        let found = list.contains(&self.lower(0)) && !self.is_long_name();
        self.at += usize::from(found);
        found
    }

    pub(crate) fn skip(&mut self, list: &[&str]) {
        while self.eat_one_of(list) {}
    }

    /// A name of several words, or one that only the schema knows, begins here.
    pub(crate) fn is_long_name(&self) -> bool {
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

    pub(crate) fn is_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    pub(crate) fn is_sentence_end(&self) -> bool {
        self.is_end()
            || self
                .token(0)
                .is_some_and(|token| token.kind == TokenKind::Stop)
    }

    /// "phone number" for a text column `phone`: the noun only gives the form of the value.
    pub(crate) fn skip_form_noun(&mut self, mention: &Mention) {
        let is_text = mention.columns.iter().all(|(id, _)| {
            self.tables
                .get(id.table)
                .and_then(|table| table.columns.get(id.column))
                .is_some_and(|column| column.category == TypeCategory::Text)
        });
        if is_text
            && (matches!(self.lower(0), "numbers" | "addresses" | "address")
                || self.lower(0) == "number")
            && !mention.columns.is_empty()
            && mention.best_tables().is_empty()
            && self
                .links
                .name_at(self.at)
                .is_none_or(|next| next.end == self.at + 1)
        {
            self.at += 1;
        }
    }

    pub(crate) fn unplaced<T>(&self) -> Result<T, Stop> {
        Err(Stop::Unplaced(self.at))
    }

    pub(crate) fn question(&mut self) -> Result<(), Stop> {
        self.opener();
        self.leading_group();
        self.targets()?;
        self.first_entity();
        while !self.is_end() {
            let before = self.at;
            let known = self.request.conditions.len() + self.request.groups.len();
            self.modifier()?;
            if self.at == before {
                return self.unplaced();
            }
            let separated = self
                .tokens
                .get(before)
                .is_some_and(|token| token.kind == TokenKind::Comma || token.lower == "and");
            if self.counted_until == Some(before)
                && !separated
                && self.request.conditions.len() + self.request.groups.len() > known
            {
                return Err(Stop::Unanswerable(
                    "it is not clear whether the last condition applies to the rows that are counted"
                        .to_owned(),
                ));
            }
        }
        if self.request.targets.is_empty() {
            return Err(Stop::Unanswerable(
                "the question does not say what to show".to_owned(),
            ));
        }
        self.refuse_uncertain()
    }

    /// "For each customer, …" at the beginning.
    pub(crate) fn leading_group(&mut self) {
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
        let goes_on = self.tokens.get(mention.end).is_some_and(|token| {
            matches!(
                token.lower.as_str(),
                "the" | "number" | "how" | "what" | "show" | "give" | "find" | "list" | "return"
            ) || lexicon::aggregate(&token.lower).is_some()
        });
        if !comma && !goes_on {
            self.at = before;
            return;
        }
        self.at = mention.end + usize::from(comma);
        self.request.groups.push(Group::Named(mention.clone()));
        self.opener();
    }

    /// A table named first is the subject, unless the question names an owner.
    pub(crate) fn first_entity(&mut self) {
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
        let named = self.request.targets.iter().find_map(|target| match target {
            Target::Named {
                owner: Some(owner), ..
            } => Some(*owner),
            Target::Named {
                mention,
                owner: None,
            } => self.table_before_column(mention),
            _ => None,
        });
        if let (Some(table), None) = (waiting.or(named), self.request.subject) {
            self.enter(table);
        }
    }

    /// The table whose name precedes its column: "student ids".
    fn table_before_column(&self, mention: &Mention) -> Option<usize> {
        let best = mention.columns.iter().map(|(_, tier)| *tier).min()?;
        let mut tables = mention
            .columns
            .iter()
            .filter(|(_, tier)| *tier == best)
            .map(|(id, _)| id.table);
        let table = tables.next()?;
        let words = names::words_of(&self.tables.get(table)?.name);
        let first = self.tokens.get(mention.start)?;
        let says_table = mention.end > mention.start + 1 && words.last() == Some(&first.stem);
        (says_table && tables.all(|other| other == table)).then_some(table)
    }

    pub(crate) fn opener(&mut self) {
        loop {
            let before = self.at;
            if self.at > 0 && self.lower(0) == "in" && matches!(self.order(), Ok(true)) {
                continue;
            }
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

    /// Makes the table the current one.
    pub(crate) fn enter(&mut self, table: usize) {
        self.note_table(table);
        self.owner = Some(table);
        self.request.subject.get_or_insert(table);
    }

    pub(crate) fn note_table(&mut self, table: usize) {
        if !self.request.tables.contains(&table) {
            self.request.tables.push(table);
        }
    }

    /// The table that a span from `start` unambiguously names, and the end of the span.
    pub(crate) fn entity_at(&self, start: usize) -> Option<(usize, usize)> {
        self.links
            .names_at(start)
            .find_map(|mention| match mention.best_tables().as_slice() {
                [table] => Some((*table, mention.end)),
                _ => None,
            })
    }
}
