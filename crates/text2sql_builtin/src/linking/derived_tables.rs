//! Relations that are made of others: views, answers that were kept as views, models of dbt, tables of
//! summaries.
//!
//! The words of a question belong to the tables beneath them. A question is read without derived relations
//! first, and only where that gives no answer with all of them; so a view called `customers_per_country`
//! changes nothing about "How many customers per country?". Who means the view says so: by its name as SQL
//! writes it (`customers_per_country`), with its schema (`reports.customers`) or in quotes.

use std::sync::Arc;

use crate::linking::names;
use crate::parsing::request::{RankBy, Request, Target};
use text2sql_domain::language::Language;
use text2sql_domain::schema::{Definition, DerivedBy, Table};
use text2sql_language::words::{Token, TokenKind, stem};

/// Between the schema and the name in the key of a table that is named as SQL names it. No word has it.
const SEPARATOR: char = '\u{1}';

/// Words that join nouns to a phrase. A name that has one inside is a sentence: "orders by month".
#[rustfmt::skip]
const JOINING: &[&str] = &[
    "by", "per", "each", "in", "of", "for", "from", "with", "without", "since", "until", "before", "after",
    "during", "between", "pro", "je", "nach", "im", "von", "für", "fuer", "mit", "ohne", "seit", "bis", "aus",
];

/// Words with which a name asks for a number or for the first rows: "total revenue".
#[rustfmt::skip]
const ASKING: &[&str] = &[
    "total", "average", "avg", "mean", "median", "sum", "count", "number", "top", "bottom", "max", "min",
    "maximum", "minimum", "most", "least", "highest", "lowest", "latest", "newest", "oldest", "last", "first",
    "all", "list", "anzahl", "summe", "durchschnitt", "alle", "gesamt",
];

/// The key by which a question names the table as SQL does.
pub(crate) fn address(table: &Table) -> String {
    address_of(&table.schema, &table.name)
}

fn address_of(schema: &str, name: &str) -> String {
    format!(
        "{}{SEPARATOR}{}",
        schema.to_lowercase(),
        name.to_lowercase()
    )
}

/// The tokens, with each name that is written as SQL writes it as one token that names that table alone:
/// `rep.customers`, `orders_by_month`, "orders_by_month" in quotes.
pub(crate) fn addressed(tokens: Vec<Token>, tables: &[Arc<Table>]) -> Vec<Token> {
    let is_candidate = |token: &Token| {
        token.kind == TokenKind::Quoted
            || (token.kind == TokenKind::Stop && token.text == ".")
            || (token.kind == TokenKind::Word && token.text.contains('_'))
    };
    if !tokens.iter().any(is_candidate) {
        return tokens;
    }
    let mut read: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let dotted = match tokens.get(at..at + 3) {
            Some([schema, dot, name])
                if dot.kind == TokenKind::Stop
                    && dot.text == "."
                    && is_name(schema)
                    && is_name(name) =>
            {
                with_schema(&schema.text, &name.text, tables)
                    .map(|table| (table, format!("{}.{}", schema.text, name.text)))
            }
            _ => None,
        };
        if let Some((table, said)) = dotted {
            read.push(naming(token, table, &said));
            at += 3;
            continue;
        }
        read.push(match by_itself(token, tables) {
            Some(table) => naming(token, table, &token.text),
            None => token.clone(),
        });
        at += 1;
    }
    read
}

fn is_name(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Word | TokenKind::Quoted)
}

fn naming(token: &Token, table: &Table, said: &str) -> Token {
    let mut named = Token::new(said, TokenKind::Word);
    named.stem = address(table);
    named.number = None;
    named.place = token.place;
    named
}

fn with_schema<'t>(schema: &str, name: &str, tables: &'t [Arc<Table>]) -> Option<&'t Table> {
    let wanted = address_of(schema, name);
    only(tables.iter().filter(|table| address(table) == wanted))
}

/// The table that a token names by itself: a name with an underscore, or a quoted name of several words.
/// Of two tables of that name it is the one that SQL would take.
fn by_itself<'t>(token: &Token, tables: &'t [Arc<Table>]) -> Option<&'t Table> {
    let words = match token.kind {
        TokenKind::Word if token.text.contains('_') => None,
        TokenKind::Quoted => {
            if let Some((schema, name)) = token.text.split_once('.') {
                return with_schema(schema, name, tables);
            }
            let words = names::words_of(&token.text);
            Some(words).filter(|words| words.len() > 1)
        }
        _ => return None,
    };
    let is_same = |table: &&Arc<Table>| match (&words, token.kind) {
        (Some(words), _) => names::words_of(&table.name) == *words,
        (None, TokenKind::Word) => table.name.eq_ignore_ascii_case(&token.text),
        (None, _) => false,
    };
    let same = || tables.iter().filter(is_same);
    only(same()).or_else(|| only(same().filter(|table| table.is_visible)))
}

fn only<'t>(mut tables: impl Iterator<Item = &'t Arc<Table>>) -> Option<&'t Table> {
    let first = tables.next()?;
    tables.next().is_none().then_some(first)
}

/// The tables without those that are made of others; `None` where nothing is left out.
pub(crate) fn beneath(
    tokens: &[Token],
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Option<Vec<Arc<Table>>> {
    let is_left_out = |table: &Table| {
        let yields =
            is_derived(table, tables) || is_summary(table, tables) || is_shadowed(table, tables);
        yields && !is_addressed(table, tokens, definitions)
    };
    let kept: Vec<Arc<Table>> = tables
        .iter()
        .filter(|table| !is_left_out(table))
        .cloned()
        .collect();
    (kept.len() < tables.len() && !kept.is_empty()).then_some(kept)
}

/// Whether it is made of another of the tables.
pub(crate) fn is_derived(table: &Table, tables: &[Arc<Table>]) -> bool {
    table
        .made_of
        .iter()
        .any(|oid| *oid != table.oid && tables.iter().any(|other| other.oid == *oid))
}

/// Whether its name is a sentence and nothing connects it with other tables: nobody knows of what it was
/// made, but it is no thing that rows are about.
fn is_summary(table: &Table, tables: &[Arc<Table>]) -> bool {
    let is_referred_to = || {
        let mut keys = tables.iter().flat_map(|other| &other.foreign_keys);
        keys.any(|key| key.target == table.oid)
    };
    table.primary_key.is_empty()
        && table.unique_keys.is_empty()
        && table.foreign_keys.is_empty()
        && is_sentence(&table.name)
        && !is_referred_to()
}

/// The relation that the request counts although its name is a sentence: "orders by month" asks for the orders
/// of each month, and the rows of `orders_by_month` are only counted where it is named as SQL names it.
pub(crate) fn counted_sentence<'t>(
    tokens: &[Token],
    request: &Request,
    tables: &'t [Arc<Table>],
    definitions: &[Definition],
) -> Option<&'t Table> {
    let ranked = request.rank.as_ref().and_then(|rank| match rank.by {
        RankBy::Count(table) => Some(table),
        _ => None,
    });
    let counted = request.targets.iter().filter_map(|target| match target {
        Target::Count(table) | Target::Share { table, .. } => Some(*table),
        _ => None,
    });
    let mut counted = counted.chain(ranked).filter_map(|table| tables.get(table));
    let is_made = |table: &Table| {
        !table.made_of.is_empty() || table.derived_by.is_some() || is_summary(table, tables)
    };
    counted
        .find(|table| {
            is_sentence(&table.name) && is_made(table) && !is_addressed(table, tokens, definitions)
        })
        .map(Arc::as_ref)
}

/// Whether the question names the table as SQL does, or a definition belongs to it.
fn is_addressed(table: &Table, tokens: &[Token], definitions: &[Definition]) -> bool {
    let key = address(table);
    tokens.iter().any(|token| token.stem == key)
        || definitions
            .iter()
            .any(|definition| definition.applies_to == Some(table.oid))
}

/// Whether SQL takes another table for the bare name, one that is not made of others itself.
fn is_shadowed(table: &Table, tables: &[Arc<Table>]) -> bool {
    let is_taken = |other: &Table| other.is_visible && other.name == table.name;
    !table.is_visible
        && tables
            .iter()
            .any(|other| is_taken(other) && !is_derived(other, tables))
}

/// Whether a name is a phrase of the grammar: `orders_by_month`, "Orders per Month", `total_revenue`.
pub(crate) fn is_sentence(name: &str) -> bool {
    let words: Vec<String> = split(name);
    let inner = words.get(1..).unwrap_or_default();
    words.len() > 1
        && (inner.iter().any(|word| JOINING.contains(&word.as_str()))
            || words
                .first()
                .is_some_and(|first| ASKING.contains(&first.as_str())))
}

/// The words of a name in lower case, not reduced.
fn split(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut previous_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && previous_lower) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        previous_lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The tables with those of the derived ones that the question asks for: by the whole name, which nothing
/// beneath has, or by a word that is `missing` beneath. `None` where it asks for none of them.
pub(crate) fn asked_for(
    tokens: &[Token],
    missing: &[String],
    tables: &[Arc<Table>],
    kept: &[Arc<Table>],
) -> Option<Vec<Arc<Table>>> {
    let is_kept = |table: &Arc<Table>| kept.iter().any(|other| other.oid == table.oid);
    let stems: Vec<String> = missing.iter().map(|word| stem(word)).collect();
    let wanted: Vec<Arc<Table>> = tables
        .iter()
        .filter(|table| {
            is_kept(table)
                || says_name(tokens, table, kept)
                || stems.iter().any(|word| has_word(table, word))
        })
        .cloned()
        .collect();
    (wanted.len() > kept.len()).then_some(wanted)
}

/// Whether the question says the whole name of a table that is no sentence, and not one of `kept`.
pub(crate) fn says_thing(tokens: &[Token], tables: &[Arc<Table>], kept: &[Arc<Table>]) -> bool {
    tables.iter().any(|table| {
        table.derived_by.is_none()
            && !is_sentence(&table.name)
            && !kept.iter().any(|other| other.oid == table.oid)
            && names::words_of(&table.name).len() > 1
            && says_name(tokens, table, kept)
    })
}

/// Whether the question says the whole name of the table, in words, and nothing in `kept` has that name.
fn says_name(tokens: &[Token], table: &Table, kept: &[Arc<Table>]) -> bool {
    let words = names::words_of(&table.name);
    let is_said = tokens
        .windows(words.len().max(1))
        .any(|window| window.iter().map(|token| &token.stem).eq(words.iter()));
    let is_taken = |other: &Arc<Table>| {
        let mut columns = other.columns.iter();
        names::words_of(&other.name) == words
            || columns.any(|column| names::words_of(&column.name) == words)
    };
    is_said && !kept.iter().any(is_taken)
}

/// Whether a name of the table, or another word for it, has the word.
fn has_word(table: &Table, word: &String) -> bool {
    let columns = table.columns.iter();
    let names = columns.flat_map(|column| std::iter::once(&column.name).chain(&column.synonyms));
    let own = std::iter::once(&table.name).chain(&table.synonyms);
    own.chain(names)
        .any(|name| names::words_of(name).contains(word))
}

/// What a reader should know about the relations that an answer reads: which of them are made of others.
pub(crate) fn notes(sql: &str, tables: &[Arc<Table>], language: Language) -> Vec<String> {
    let note = |table: &Arc<Table>| {
        let name = table.sql_name();
        let origin = table.derived_by.filter(|_| reads(sql, &name))?;
        Some(match (origin, language) {
            (DerivedBy::Answer, Language::English) => {
                format!("{name} holds the answer to an earlier question (text2sql.ask_view)")
            }
            (DerivedBy::Answer, Language::German) => {
                format!("{name} hält die Antwort auf eine frühere Frage (text2sql.ask_view)")
            }
            (DerivedBy::Dbt, Language::English) => {
                format!("{name} is a model of dbt, made of other tables")
            }
            (DerivedBy::Dbt, Language::German) => {
                format!("{name} ist ein Modell von dbt, aus anderen Tabellen gemacht")
            }
        })
    };
    tables.iter().filter_map(note).collect()
}

/// Whether the SQL names the relation, as the engine writes it.
fn reads(sql: &str, name: &str) -> bool {
    sql.match_indices(name).any(|(at, found)| {
        let before = sql.get(..at).and_then(|before| before.chars().next_back());
        let after = sql
            .get(at + found.len()..)
            .and_then(|after| after.chars().next());
        let is_part =
            |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '"'));
        !is_part(before) && !is_part(after) && before != Some('.')
    })
}
