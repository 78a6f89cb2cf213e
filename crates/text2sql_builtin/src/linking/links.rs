//! Links spans of the question to tables, columns and stored values. The question is indexed, and the
//! schema is scanned once.

use crate::linking::mention::{ColumnId, Mention, ValueLink};
use std::collections::HashMap;
use std::sync::Arc;

use crate::linking::abbreviations;
use crate::linking::business_terms;
use crate::linking::indirect_names;
use crate::linking::prefix_filter::PrefixFilter;
use crate::linking::table_names::{ReducedValue, TableNames};
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::english::lexicon;
use text2sql_language::words::{Token, TokenKind, reduce, stem};

/// Every span of the question that refers to something.
#[derive(Debug, Default)]
pub(crate) struct Links {
    mentions: Vec<Mention>,
}

const MAX_NAME_WORDS: usize = 6;
const MAX_VALUE_WORDS: usize = 9;

/// Spans of the question by normalised text.
struct Spans {
    names: HashMap<String, Vec<(usize, usize)>>,
    values: HashMap<String, Vec<(usize, usize)>>,
    starts: PrefixFilter,
}

impl Links {
    /// Links the tokens to names and values of the tables.
    pub(crate) fn find(
        tokens: &[Token],
        tables: &[Arc<Table>],
        definitions: &[Definition],
    ) -> Self {
        let spans = Spans::of(tokens);
        let mut found: HashMap<(usize, usize), Mention> = HashMap::new();
        let by_oid: HashMap<u32, usize> = tables
            .iter()
            .enumerate()
            .map(|(i, table)| (table.oid, i))
            .collect();
        for (index, table) in tables.iter().enumerate() {
            let names = TableNames::of(table);
            for (key, tier) in &names.keys {
                for &(start, end) in spans.named(key) {
                    let mention = found.entry((start, end)).or_default();
                    if !mention.tables.iter().any(|(table, _)| *table == index) {
                        mention.tables.push((index, *tier));
                    }
                }
            }
            let words = &names.words;
            let own_occurs = words
                .iter()
                .all(|word| spans.starts.begins(word.as_bytes()));
            let neighbours = table
                .foreign_keys
                .iter()
                .filter_map(|key| tables.get(*by_oid.get(&key.target)?))
                .flat_map(|table| &TableNames::of(table).words);
            let own_keys = names.own_keys(table, neighbours);
            for (position, column) in table.columns.iter().enumerate() {
                let id = ColumnId {
                    table: index,
                    column: position,
                };
                let initials = names.initials(position);
                let may_occur =
                    own_occurs || initials.is_some_and(|initials| spans.starts.may_name(initials));
                let keys = match may_occur {
                    true => own_keys.of(table, words, position),
                    false => &[],
                };
                for (key, tier) in keys.iter().chain(names.synonyms(position)) {
                    for &(start, end) in spans.named(key) {
                        let mention = found.entry((start, end)).or_default();
                        match mention.columns.iter_mut().find(|(known, _)| *known == id) {
                            Some(known) => known.1 = known.1.min(*tier),
                            None => mention.columns.push((id, *tier)),
                        }
                    }
                }
                let may_hold = |beginning| spans.starts.may_hold(beginning);
                for (value, form, stored) in names.values(position, column, may_hold) {
                    let link = |is_exact| ValueLink {
                        column: id,
                        text: stored.to_owned(),
                        is_exact,
                    };
                    spans.link_value(form, value.reduced(form), link, tokens, &mut found);
                }
            }
        }
        for (number, keys) in business_terms::applicable(definitions, tables)
            .into_iter()
            .enumerate()
        {
            for &at in keys.iter().filter_map(|key| spans.names.get(key)).flatten() {
                // A glossary definition takes precedence over names of the schema.
                found.insert(
                    at,
                    Mention {
                        term: Some(number),
                        ..Mention::default()
                    },
                );
            }
        }
        indirect_names::add(tokens, tables, &mut found);
        abbreviations::add(tokens, tables, &mut found);
        let mut mentions: Vec<Mention> = found
            .into_iter()
            .map(|((start, end), mention)| {
                let is_marked = tokens
                    .get(start..end)
                    .unwrap_or_default()
                    .iter()
                    .any(|token| {
                        token.kind == TokenKind::Quoted || (token.text != token.lower && start > 0)
                    });
                Mention {
                    start,
                    end,
                    is_marked,
                    ..mention
                }
            })
            .collect();
        mentions.sort_by_key(|mention| (mention.start, usize::MAX - mention.end));
        Self { mentions }
    }

    /// The longest span from here that names a table or a column.
    pub(crate) fn name_at(&self, start: usize) -> Option<&Mention> {
        self.mentions
            .iter()
            .find(|mention| mention.start == start && mention.has_name())
    }

    /// Every span from here that names a table or a column, longest first.
    pub(crate) fn names_at(&self, start: usize) -> impl Iterator<Item = &Mention> {
        self.mentions
            .iter()
            .filter(move |mention| mention.start == start && mention.has_name())
    }

    /// The longest span from here that is a stored value.
    pub(crate) fn value_at(&self, start: usize) -> Option<&Mention> {
        self.mentions
            .iter()
            .find(|mention| mention.start == start && !mention.values.is_empty())
    }

    /// Every span from here that is a stored value, longest first.
    pub(crate) fn values_at(&self, start: usize) -> impl Iterator<Item = &Mention> {
        self.mentions
            .iter()
            .filter(move |mention| mention.start == start && !mention.values.is_empty())
    }

    /// Whether any span covers the token.
    pub(crate) fn covers(&self, token: usize) -> bool {
        self.mentions
            .iter()
            .any(|mention| mention.start <= token && token < mention.end)
    }
}

impl Spans {
    fn of(tokens: &[Token]) -> Self {
        let mut spans = Self {
            names: HashMap::new(),
            values: HashMap::new(),
            starts: PrefixFilter::new(),
        };
        for token in tokens.iter().filter(|token| token.kind == TokenKind::Word) {
            spans.starts.add_stem(token);
        }
        let is_word = |token: &Token| matches!(token.kind, TokenKind::Word | TokenKind::Number);
        for start in 0..tokens.len() {
            let (mut stems, mut plain, mut raw) = (String::new(), String::new(), String::new());
            for (offset, token) in tokens.iter().enumerate().skip(start).take(MAX_VALUE_WORDS) {
                let end = offset + 1;
                let alone = end == start + 1;
                if token.kind == TokenKind::Quoted && alone {
                    spans.add_value(reduce(&token.text), start, end);
                    break;
                }
                let joins_value =
                    is_word(token) || matches!(token.kind, TokenKind::Stop | TokenKind::Symbol);
                if !joins_value || (!is_word(token) && alone) {
                    break;
                }
                if !is_word(token) {
                    stems.push('\u{0}');
                    continue;
                }
                raw.push_str(&reduce(&token.lower));
                spans.add_value(raw.clone(), start, end);
                if end - start <= MAX_NAME_WORDS {
                    plain.push_str(&reduce(&token.lower));
                    stems.push_str(&token.stem);
                    spans
                        .names
                        .entry(stems.clone())
                        .or_default()
                        .push((start, end));
                    let glued = stem(&plain);
                    if glued != stems && !stems.contains('\u{0}') {
                        spans.names.entry(glued).or_default().push((start, end));
                    }
                }
            }
        }
        spans
    }

    fn add_value(&mut self, key: String, start: usize, end: usize) {
        self.starts.add_key(&key);
        self.values.entry(key).or_default().push((start, end));
    }

    /// The spans with this key.
    fn named(&self, key: &str) -> &[(usize, usize)] {
        self.names.get(key).map_or(&[], Vec::as_slice)
    }

    /// Links a surface form of a value to the stored value, which may be a code for it.
    fn link_value(
        &self,
        value: &str,
        reduced: &ReducedValue,
        link: impl Fn(bool) -> ValueLink,
        tokens: &[Token],
        found: &mut HashMap<(usize, usize), Mention>,
    ) {
        let ReducedValue { key, singular } = reduced;
        for &(start, end) in self.values.get(key).into_iter().flatten() {
            let token = tokens.get(start);
            let common = end == start + 1
                && token.is_some_and(|token| {
                    token.kind == TokenKind::Word
                        && (lexicon::is_function_word(&token.lower) || token.lower.len() == 1)
                        && (token.text != value || token.text == token.lower)
                });
            if !common {
                push_value(found, (start, end), link(true));
            }
        }
        for (token_index, token) in tokens.iter().enumerate().filter(|_| !singular.is_empty()) {
            if token.kind == TokenKind::Word
                && token.lower != *key
                && token.stem == *singular
                && key.len() > 2
            {
                push_value(found, (token_index, token_index + 1), link(false));
            }
        }
    }
}

fn push_value(found: &mut HashMap<(usize, usize), Mention>, at: (usize, usize), link: ValueLink) {
    let values = &mut found.entry(at).or_default().values;
    if !values.contains(&link) {
        values.push(link);
    }
}
