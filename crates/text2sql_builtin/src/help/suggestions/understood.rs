//! What a question names: tables, numbers, values, and what it asks to be done with them.

use std::collections::HashSet;
use std::sync::Arc;

use text2sql_domain::schema::{Definition, Table, TypeCategory, quote_identifier};
use text2sql_language::english::lexicon::{self, Aggregate};
use text2sql_language::german::nouns::Noun;
use text2sql_language::understanding::Understanding;
use text2sql_language::words::{Token, TokenKind};

use super::wording::{Compared, compared, is_income, is_ranking, period};
use crate::linking::column_types::{is_date, is_number, is_year};
use crate::linking::derived_tables::base_tables;
use crate::linking::links::Links;
use crate::linking::mention::ColumnId;
use crate::linking::names::words_of;

/// Stems of the names of columns that hold it, best first.
const AMOUNTS: &[&str] = &["amount", "total", "revenu", "revenue", "price"];

/// Maximum number of notes on what was understood.
const MAX_NOTES: usize = 4;

/// What the question names, in its order.
pub(super) struct Understood {
    /// The base tables; a derived one only if the question addresses it.
    pub(super) tables: Vec<Arc<Table>>,
    /// The tables that it names.
    pub(super) named: Vec<usize>,
    /// Its numbers, or those that its words for money may mean.
    pub(super) measures: Vec<ColumnId>,
    /// The columns with the values that it names.
    pub(super) values: Vec<(ColumnId, String)>,
    pub(super) aggregate: Option<Aggregate>,
    /// Whether it asks for the first of an order, and for how many.
    pub(super) ranks: bool,
    pub(super) first: Option<String>,
    /// A row of a named table by its key: "customer 148".
    pub(super) row: Option<(usize, String)>,
    pub(super) compared: Option<Compared>,
    /// "month" in "per month".
    pub(super) period: Option<&'static str>,
    /// Text columns that it names, and the unknown words that they may contain.
    pub(super) texts: Vec<ColumnId>,
    pub(super) unknown: Vec<String>,
    /// German nouns of the question.
    pub(super) asked_nouns: Vec<&'static Noun>,
    /// Where the first noun of a table ends.
    pub(super) first_noun: Option<usize>,
    /// The sum, where a superlative asks which has the most: the highest of each would look like the answer.
    pub(super) of_the_most: Option<Aggregate>,
    pub(super) is_negated: bool,
    /// The question as it is read.
    text: String,
    /// Columns without a value that "not returned" may mean.
    pub(super) missing: Vec<ColumnId>,
    /// Whether each token belongs to what is understood.
    pub(super) is_known: Vec<bool>,
    notes: Vec<String>,
}

impl Understood {
    pub(super) fn of(
        question: &Understanding,
        tables: &[Arc<Table>],
        definitions: &[Definition],
    ) -> Self {
        let tokens = question.tokens();
        let tables = base_tables(tokens, tables, definitions).unwrap_or_else(|| tables.to_vec());
        let links = Links::find(tokens, &tables, definitions);
        let mut this = Self {
            tables,
            first: None,
            row: None,
            compared: compared(tokens),
            period: period(tokens),
            texts: Vec::new(),
            unknown: Vec::new(),
            missing: Vec::new(),
            asked_nouns: Vec::new(),
            first_noun: None,
            of_the_most: tokens
                .iter()
                .any(|token| lexicon::superlative(&token.lower).is_some())
                .then_some(Aggregate::Sum),
            is_negated: tokens
                .iter()
                .any(|token| lexicon::NEGATIONS.contains(&token.lower.as_str())),
            text: question.text().to_owned(),
            named: Vec::new(),
            measures: Vec::new(),
            values: Vec::new(),
            aggregate: tokens
                .iter()
                .find_map(|token| lexicon::aggregate(&token.lower)),
            ranks: tokens.iter().any(is_ranking),
            is_known: vec![false; tokens.len()],
            notes: Vec::new(),
        };
        let mut values = Vec::new();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let end = this
                .add_at(at, tokens, &links, &mut values)
                .unwrap_or(at + 1);
            let is_grammar = token.kind != TokenKind::Word
                || token.number.is_some()
                || lexicon::is_known(&token.lower);
            for known in this.is_known.get_mut(at..end).unwrap_or_default() {
                *known = end > at + 1 || is_grammar || links.covers(at);
            }
            if this.is_known.get(at) == Some(&false) {
                this.unknown.push(token.surface.clone());
            }
            at = end;
        }
        for (words, columns) in values {
            this.add_value(&words, columns);
        }
        let is_income = tokens.iter().any(is_income);
        if is_income {
            this.aggregate = this.aggregate.or(Some(Aggregate::Sum));
        }
        let wants_number = is_income || this.aggregate.is_some() || this.compared.is_some();
        if this.measures.is_empty() && wants_number {
            this.measures = this.amounts(is_income);
        }
        if let Some(number) = tokens.iter().find_map(|token| token.number.clone())
            && this.ranks
        {
            this.first = Some(number);
        }
        this.find_missing(tokens);
        this
    }

    /// Adds what the longest span from here names; returns its end.
    fn add_at(
        &mut self,
        at: usize,
        tokens: &[Token],
        links: &Links,
        values: &mut Vec<(String, Vec<(ColumnId, String)>)>,
    ) -> Option<usize> {
        let name = links.name_at(at);
        let value = links.value_at(at).filter(|value| {
            let is_plain = value.is_marked || name.is_none();
            is_plain && value.values.iter().any(|link| link.is_exact)
        });
        // "rented" of a table `rental`: the rows are meant, and other words say which.
        if let Some(derived) = name.filter(|name| name.is_derived()) {
            if let [(table, _)] = derived.tables.as_slice()
                && !self.named.contains(table)
            {
                self.named.push(*table);
            }
            return Some(derived.end);
        }
        if let Some(value) = value
            && name.is_none_or(|name| name.end <= value.end)
        {
            let columns = value.values.iter().filter(|link| link.is_exact);
            let columns = columns.map(|link| (link.column, link.text.clone()));
            values.push((said(tokens, value.start, value.end), columns.collect()));
            return Some(value.end);
        }
        let name = name?;
        let words = said(tokens, name.start, name.end);
        if let [table] = name.best_tables().as_slice() {
            self.first_noun = self.first_noun.or(Some(name.end));
            if !self.named.contains(table) {
                self.named.push(*table);
                self.note(&words, self.table_name(*table));
            }
            let key = tokens
                .get(name.end)
                .filter(|next| next.kind == TokenKind::Number);
            if let Some(key) = key {
                self.row = Some((*table, key.lower.clone()));
            }
            return Some(name.end);
        }
        // "total" asks for a sum, also where a column is called so.
        let lower = words.to_lowercase();
        if lexicon::aggregate(&lower).is_some() || lexicon::is_known(&lower) {
            return Some(name.end);
        }
        let best = name.columns.iter().map(|(_, tier)| *tier).min()?;
        let columns = name.columns.iter().filter(|(_, tier)| *tier == best);
        let columns: Vec<ColumnId> = columns.map(|(id, _)| *id).collect();
        if let [column] = columns.as_slice() {
            self.note(&words, self.column_name(*column));
        }
        let texts = columns.iter().copied().filter(|id| self.is_text(*id));
        let texts: Vec<ColumnId> = texts.collect();
        self.texts.extend(texts);
        let numbers = columns.into_iter().filter(|id| self.is_measure(*id));
        let numbers: Vec<ColumnId> = numbers.collect();
        self.measures.extend(numbers);
        Some(name.end)
    }

    /// The tables that are understood, and those that foreign keys connect with them.
    pub(super) fn neighbourhood(&self) -> Vec<Arc<Table>> {
        let columns = self
            .measures
            .iter()
            .chain(self.values.iter().map(|(id, _)| id));
        let own = columns.map(|id| id.table).chain(self.named.iter().copied());
        let own: HashSet<u32> = own
            .filter_map(|table| Some(self.tables.get(table)?.oid))
            .collect();
        let refers = |table: &Table| {
            let mut keys = table.foreign_keys.iter();
            keys.any(|key| own.contains(&key.target))
        };
        let mut near: HashSet<u32> = own.clone();
        for table in &self.tables {
            if own.contains(&table.oid) {
                near.extend(table.foreign_keys.iter().map(|key| key.target));
            } else if refers(table) {
                near.insert(table.oid);
            }
        }
        let tables = self.tables.iter().filter(|table| near.contains(&table.oid));
        tables.cloned().collect()
    }

    /// Keeps a value that is in one column only, or in one of the named tables.
    fn add_value(&mut self, words: &str, mut columns: Vec<(ColumnId, String)>) {
        if columns.len() > 1 {
            columns.retain(|(id, _)| self.named.contains(&id.table));
        }
        if let [(id, value)] = columns.as_slice() {
            self.note(words, self.column_name(*id));
            self.values.push((*id, value.clone()));
        }
    }

    /// "not returned" of a table with `return_date`: the columns of the named tables with the verb's root.
    fn find_missing(&mut self, tokens: &[Token]) {
        if !self.is_negated {
            return;
        }
        let roots: Vec<String> = tokens
            .iter()
            .filter(|token| token.kind == TokenKind::Word && token.lower.ends_with("ed"))
            .map(|token| lexicon::verb_root(&token.lower))
            .collect();
        for table in &self.named {
            let columns = self.tables.get(*table).map(|table| table.columns.iter());
            for (column, definition) in columns.into_iter().flatten().enumerate() {
                let first = words_of(&definition.name).into_iter().next();
                let is_meant = first.is_some_and(|word| {
                    roots.iter().any(|root| *root == lexicon::verb_root(&word))
                });
                let is_noun = definition.name.ends_with("date");
                if is_meant && is_noun && is_date(definition) && !definition.not_null {
                    self.missing.push(ColumnId {
                        table: *table,
                        column,
                    });
                }
            }
        }
    }

    /// The question with a noun before a value: "in the film 'ACADEMY DINOSAUR'".
    pub(super) fn with_noun(&self, value: &str, noun: &str) -> Option<String> {
        let at = self.text.to_lowercase().find(&value.to_lowercase())?;
        let (before, rest) = self.text.split_at_checked(at)?;
        let after = rest.get(value.len()..)?;
        let (before, after) = (
            before.trim_end_matches('\''),
            after.trim_start_matches('\''),
        );
        Some(format!("{before}the {noun} '{value}'{after}"))
    }

    fn is_text(&self, id: ColumnId) -> bool {
        let table = self.tables.get(id.table);
        let column = table.and_then(|table| table.columns.get(id.column));
        column.is_some_and(|column| column.category == TypeCategory::Text)
    }

    fn note(&mut self, words: &str, is: Option<String>) {
        if let Some(is) = is
            && !is.trim_start_matches("table ").eq_ignore_ascii_case(words)
        {
            self.notes.push(format!("'{words}' is {is}"));
        }
    }

    fn table_name(&self, table: usize) -> Option<String> {
        Some(format!("table {}", self.tables.get(table)?.sql_name()))
    }

    fn column_name(&self, id: ColumnId) -> Option<String> {
        let table = self.tables.get(id.table)?;
        let column = quote_identifier(&table.columns.get(id.column)?.name);
        Some(format!("{}.{column}", table.sql_name()))
    }

    /// The notes on what was understood.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        notes.dedup();
        notes.truncate(MAX_NOTES);
        notes
    }

    /// Whether the column holds numbers that can be added up or averaged.
    fn is_measure(&self, id: ColumnId) -> bool {
        let Some(table) = self.tables.get(id.table) else {
            return false;
        };
        let Some(column) = table.columns.get(id.column) else {
            return false;
        };
        let is_key = table.primary_key.contains(&column.name)
            || table
                .foreign_keys
                .iter()
                .any(|key| key.columns.contains(&column.name))
            || words_of(&column.name)
                .last()
                .is_some_and(|word| word == "id");
        is_number(column) && !is_key && !is_year(column)
    }

    /// The columns that hold amounts of money, those of named tables and the best names first; of other tables only
    /// if the question is about money.
    fn amounts(&self, is_income: bool) -> Vec<ColumnId> {
        const MOST: usize = 2;
        let mut found: Vec<(bool, usize, ColumnId)> = Vec::new();
        for (at, table) in self.tables.iter().enumerate() {
            let is_named = self.named.contains(&at);
            if !is_named && !is_income {
                continue;
            }
            for (position, column) in table.columns.iter().enumerate() {
                let id = ColumnId {
                    table: at,
                    column: position,
                };
                let words = words_of(&column.name);
                let rank = words
                    .last()
                    .and_then(|word| AMOUNTS.iter().position(|amount| amount == word));
                if let Some(rank) = rank
                    && self.is_measure(id)
                    && column.category != TypeCategory::Integer
                {
                    found.push((!is_named, rank, id));
                }
            }
        }
        found.sort_unstable();
        let best = found.first().map(|(is_other, rank, _)| (*is_other, *rank));
        found.retain(|(is_other, rank, _)| Some((*is_other, *rank)) == best);
        found.into_iter().map(|(_, _, id)| id).take(MOST).collect()
    }
}

/// The words of the tokens, as written.
fn said(tokens: &[Token], start: usize, end: usize) -> String {
    let words = tokens.get(start..end).unwrap_or_default().iter();
    let words: Vec<&str> = words
        .map(|token| token.surface.as_str())
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ")
}
