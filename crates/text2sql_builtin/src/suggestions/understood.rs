//! What a question names: tables, numbers, values, and what it asks to be done with them.

use std::sync::Arc;

use text2sql_domain::schema::{Definition, Table, TypeCategory, quote_identifier};
use text2sql_language::english::lexicon::{self, Aggregate};
use text2sql_language::understanding::Understanding;
use text2sql_language::words::{Token, TokenKind, stem};

use crate::linking::column_types::{is_number, is_year};
use crate::linking::links::Links;
use crate::linking::mention::ColumnId;
use crate::linking::names::words_of;

/// Stems of words for money that comes in. A schema has it as an amount or a total of something.
const INCOME: &[&str] = &[
    "revenu", "revenue", "sale", "sales", "turnover", "incom", "income", "earning", "umsatz",
    "umsätze", "money", "spent", "spend", "einnahmen", "pay", "paid", "pays",
];

/// Stems of the names of columns that hold it, best first.
const AMOUNTS: &[&str] = &["amount", "total", "revenu", "revenue", "price", "cost"];

/// Maximum number of notes on what was understood.
const MAX_NOTES: usize = 4;


/// What the question names, in its order.
pub(super) struct Understood<'t> {
    pub(super) tables: &'t [Arc<Table>],
    /// The tables that it names.
    pub(super) named: Vec<usize>,
    /// Its numbers, or those that its words for money may mean.
    pub(super) measures: Vec<ColumnId>,
    /// The columns with the values that it names.
    pub(super) values: Vec<(ColumnId, String)>,
    pub(super) aggregate: Option<Aggregate>,
    /// Whether it asks for the first of an order.
    pub(super) ranks: bool,
    /// Whether each token belongs to what is understood.
    pub(super) is_known: Vec<bool>,
    notes: Vec<String>,
}

impl<'t> Understood<'t> {
    pub(super) fn of(
        question: &Understanding,
        tables: &'t [Arc<Table>],
        definitions: &[Definition],
    ) -> Self {
        let tokens = question.tokens();
        let links = Links::find(tokens, tables, definitions);
        let mut this = Self {
            tables,
            named: Vec::new(),
            measures: Vec::new(),
            values: Vec::new(),
            aggregate: tokens.iter().find_map(|token| lexicon::aggregate(&token.lower)),
            ranks: tokens.iter().any(is_ranking),
            is_known: vec![false; tokens.len()],
            notes: Vec::new(),
        };
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let end = this.add_at(at, tokens, &links).unwrap_or(at + 1);
            let is_grammar = token.kind != TokenKind::Word
                || token.number.is_some()
                || lexicon::is_known(&token.lower);
            for known in this.is_known.get_mut(at..end).unwrap_or_default() {
                *known = end > at + 1 || is_grammar || links.covers(at);
            }
            at = end;
        }
        if this.measures.is_empty() && tokens.iter().any(is_income) {
            this.measures = this.amounts();
            this.aggregate = this.aggregate.or(Some(Aggregate::Sum));
        }
        this
    }

    /// Adds what the longest span from here names; returns its end.
    fn add_at(&mut self, at: usize, tokens: &[Token], links: &Links) -> Option<usize> {
        let value = links.value_at(at).filter(|value| {
            value.is_marked && value.values.iter().any(|link| link.is_exact)
        });
        let name = links.name_at(at).filter(|name| !name.is_derived());
        if let Some(value) = value
            && name.is_none_or(|name| name.end <= value.end)
        {
            if let Some(link) = value.values.iter().find(|link| link.is_exact) {
                let words = said(tokens, value.start, value.end);
                self.note(&words, self.column_name(link.column));
                self.values.push((link.column, link.text.clone()));
            }
            return Some(value.end);
        }
        let name = name?;
        let words = said(tokens, name.start, name.end);
        if let [table] = name.best_tables().as_slice() {
            if !self.named.contains(table) {
                self.named.push(*table);
                self.note(&words, self.table_name(*table));
            }
            return Some(name.end);
        }
        let best = name.columns.iter().map(|(_, tier)| *tier).min()?;
        let columns = name.columns.iter().filter(|(_, tier)| *tier == best);
        let columns: Vec<ColumnId> = columns.map(|(id, _)| *id).collect();
        if let [column] = columns.as_slice() {
            self.note(&words, self.column_name(*column));
        }
        let numbers = columns.into_iter().filter(|id| self.is_measure(*id));
        let numbers: Vec<ColumnId> = numbers.collect();
        self.measures.extend(numbers);
        Some(name.end)
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
            || table.foreign_keys.iter().any(|key| key.columns.contains(&column.name))
            || words_of(&column.name).last().is_some_and(|word| word == "id");
        is_number(column) && !is_key && !is_year(column)
    }

    /// The columns of base tables that hold amounts of money, the best names first.
    fn amounts(&self) -> Vec<ColumnId> {
        const MOST: usize = 2;
        let mut found: Vec<(usize, ColumnId)> = Vec::new();
        for (at, table) in self.tables.iter().enumerate() {
            if !table.made_of.is_empty() || table.derived_by.is_some() {
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
                    found.push((rank, id));
                }
            }
        }
        found.sort_unstable();
        found.into_iter().map(|(_, id)| id).take(MOST).collect()
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

fn is_ranking(token: &Token) -> bool {
    token.kind == TokenKind::Word
        && (lexicon::superlative(&token.lower).is_some()
            || matches!(token.lower.as_str(), "most" | "top" | "best" | "besten" | "beste"))
}

fn is_income(token: &Token) -> bool {
    token.kind == TokenKind::Word
        && (INCOME.contains(&stem(&token.lower).as_str()) || INCOME.contains(&token.lower.as_str()))
}
