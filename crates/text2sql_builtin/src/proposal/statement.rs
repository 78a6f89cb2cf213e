//! From tokens to one statement: linking, parsing, binding and rendering in this order.

use std::sync::Arc;

use crate::binding::binder::Binder;
use crate::linking::derived_tables::{is_addressed, is_phrase, is_summary};
use crate::linking::links::Links;
use crate::no_answer::Stop;
use crate::parsing::parser;
use crate::parsing::request::{RankBy, Request, Target};
use crate::rendering::{notes, sql};
use crate::unclear_questions::{nothing_named, two_meanings};
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::calendar::parse_date;
use text2sql_language::english::lexicon;
use text2sql_language::words::{Token, TokenKind};
use text2sql_phrases::{Language, retold};

/// Maximum number of tokens: longer texts are not simple questions.
pub(crate) const MAX_TOKENS: usize = 80;

/// What the interpretation of a question depends on, besides its tokens and the tables.
pub(crate) struct ReadWith<'a> {
    pub(crate) language: Language,
    pub(crate) definitions: &'a [Definition],
    pub(crate) today: &'a str,
    pub(crate) through: Option<&'a Vec<String>>,
}

pub(crate) fn propose_sql(
    tokens: &[Token],
    tables: &[Arc<Table>],
    read_with: &ReadWith<'_>,
) -> Result<SqlProposal, Stop> {
    let ReadWith {
        language,
        definitions,
        today,
        through,
    } = *read_with;
    let Some(today) = parse_date(today) else {
        return Err(Stop::Unanswerable(format!(
            "today is not known: \"{today}\""
        )));
    };
    if tokens.is_empty() || tokens.len() > MAX_TOKENS {
        return Err(Stop::Unanswerable(
            "this is too short or too long to be a simple question".to_owned(),
        ));
    }
    if names_other_unit(tokens, tables) {
        return Err(Stop::Unanswerable(
            "amounts are in cents, and the question has another unit".to_owned(),
        ));
    }
    let links = Links::find(tokens, tables, definitions);
    if let Some(stop) = nothing_named::check(tokens, language, &links, tables)
        .or_else(|| two_meanings::check(tokens, &links, tables))
    {
        return Err(stop);
    }
    let missing = unlinked(tokens, &links);
    if !missing.is_empty() {
        return Err(Stop::Missing(missing));
    }
    let request = parser::parse(tokens, &links, tables, today).map_err(|stop| match stop {
        Stop::Unplaced(at) => unplaced(at, tokens, &links),
        stop => stop,
    })?;
    if let Some(table) = counted_phrase_name(tokens, &request, tables, definitions) {
        return Err(Stop::Unanswerable(format!(
            "the name {} is also a question: its rows are counted where it is written as in SQL",
            table.name
        )));
    }
    let mut binder = Binder::new(tokens, tables, &links.terms, &request);
    binder.joins.through = through.cloned();
    for (words, index) in links.tables_named(tokens, &request.tables) {
        if let Some(table) = tables.get(index) {
            // A table that the question calls by its own name needs no note.
            let with_schema = format!("{}.{}", table.schema, table.name);
            if !words.eq_ignore_ascii_case(&table.name) && !words.eq_ignore_ascii_case(&with_schema)
            {
                binder.note(format!("'{words}' is table {}", table.name));
            }
        }
    }
    for note in &request.notes {
        binder.note(note.clone());
    }
    let select = binder.select()?;
    if let (Some(words), true) = (through, binder.joins.ignores_named_path()) {
        let words = words.join(" ");
        return Err(Stop::Unanswerable(format!(
            "there are no alternative join paths through {words}"
        )));
    }
    let is_link = |note: &String| note.starts_with('\'');
    let (links, notes): (Vec<String>, Vec<String>) =
        binder.notes.into_inner().into_iter().partition(is_link);
    let in_language = |notes: Vec<String>| -> Vec<String> {
        let notes = notes.iter();
        notes.map(|note| retold(language, "reason", note)).collect()
    };
    let sql = sql::render_sql(&select);
    let derived = notes::derived_tables(&sql, tables, language);
    let mut notes = in_language(notes);
    let ties_note = select.ties_note();
    let ties_note = ties_note.map(|note| retold(language, "reason", note));
    notes.extend(derived);
    Ok(SqlProposal {
        sql,
        notes,
        links: in_language(links),
        ties_note,
        ..SqlProposal::default()
    })
}

/// Whether the question has an amount in a currency where columns are in its hundredths: "over 2 euros".
fn names_other_unit(tokens: &[Token], tables: &[Arc<Table>]) -> bool {
    let names_currency = tokens
        .iter()
        .any(|token| lexicon::CURRENCIES.contains(&token.lower.as_str()));
    let mut columns = tables.iter().flat_map(|table| &table.columns);
    names_currency
        && columns.any(|column| {
            let comment = column.comment.as_deref().unwrap_or_default();
            comment.to_lowercase().contains("cents") || column.name.to_lowercase().contains("cents")
        })
}

/// The derived relation that the request counts although its name is a phrase: "orders by month" asks for
/// the orders of each month, and the rows of `orders_by_month` are counted only if the question uses the
/// SQL name.
fn counted_phrase_name<'t>(
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
            is_phrase(&table.name) && is_made(table) && !is_addressed(table, tokens, definitions)
        })
        .map(Arc::as_ref)
}

/// A word that no name matches is reported as missing, even if it is capitalised.
fn unplaced(at: usize, tokens: &[Token], links: &Links) -> Stop {
    let unknown = tokens.get(at).filter(|token| {
        token.kind == TokenKind::Word
            && token.number.is_none()
            && !lexicon::is_known(&token.lower)
            && !links.covers(at)
    });
    match unknown {
        Some(token) => Stop::Missing(vec![token.surface.clone()]),
        None => Stop::Unplaced(at),
    }
}

/// Whether the token ends "year to date"; on its own, "date" must be a name of the schema.
fn ends_a_period(tokens: &[Token], at: usize) -> bool {
    let is = |back: usize, word: &str| {
        let token = at.checked_sub(back).and_then(|at| tokens.get(at));
        token.is_some_and(|token| token.lower == word)
    };
    is(0, "date") && is(1, "to")
}

/// Words that neither the schema nor the grammar knows. Capitalised words may be values of a named column,
/// so they are left to the parser.
fn unlinked(tokens: &[Token], links: &Links) -> Vec<String> {
    tokens
        .iter()
        .enumerate()
        .filter(|(i, token)| {
            token.kind == TokenKind::Word
                && token.number.is_none()
                && !lexicon::is_known(&token.lower)
                && !links.covers(*i)
                && !ends_a_period(tokens, *i)
                && token.text == token.lower
        })
        .map(|(_, token)| token.surface.clone())
        .collect()
}
