//! Linked tokens to one statement: linking, parsing, binding and rendering in their order.

use std::sync::Arc;

use crate::binding::binder::Binder;
use crate::linking::derived_tables::{is_addressed, is_sentence, is_summary};
use crate::linking::links::Links;
use crate::lookup::{empty_result, ties};
use crate::parsing::parser;
use crate::parsing::request::{RankBy, Request, Target};
use crate::rendering::{german_messages, notes, sentence, sql};
use crate::stop::Stop;
use crate::unclear::{nothing_named, two_meanings};
use text2sql_domain::language::Language;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::calendar::parse_date;
use text2sql_language::english::lexicon;
use text2sql_language::words::{Token, TokenKind};

/// A longer question is a text, not a question.
pub(crate) const MAX_TOKENS: usize = 80;

/// What a question is read with.
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
    let links = Links::find(tokens, tables, definitions);
    if let Some(stop) = nothing_named::doubt(tokens, language, &links, tables)
        .or_else(|| two_meanings::doubt(tokens, &links, tables))
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
    if let Some(table) = counted_sentence(tokens, &request, tables, definitions) {
        return Err(Stop::Unanswerable(format!(
            "the name {} is also a question: its rows are counted where it is written as in SQL",
            table.name
        )));
    }
    let mut binder = Binder::new(tokens, tables, &links.terms, &request);
    binder.joins.through = through.cloned();
    for (words, index) in links.tables_named(tokens, &request.tables) {
        if let Some(table) = tables.get(index) {
            // A table called what the question calls it needs no explanation.
            let with_schema = format!("{}.{}", table.schema, table.name);
            if !words.eq_ignore_ascii_case(&table.name) && !words.eq_ignore_ascii_case(&with_schema)
            {
                binder.call(index, &words, &table.name);
                binder.note(format!("'{words}' is table {}", table.name));
            }
        }
    }
    let select = binder.select()?;
    if let (Some(words), true) = (through, binder.joins.ignores_way()) {
        let words = words.join(" ");
        return Err(Stop::Unanswerable(format!(
            "there is no choice of a way through {words}"
        )));
    }
    let subject = request.subject;
    let noun = subject.and_then(|at| Some(binder.spoken_table(at, &tables.get(at)?.name)));
    let is_link = |note: &String| note.starts_with('\'');
    let (links, notes): (Vec<String>, Vec<String>) =
        binder.notes.into_inner().into_iter().partition(is_link);
    let in_language = |notes: Vec<String>| match language {
        Language::English => notes,
        Language::German => notes
            .iter()
            .map(|note| german_messages::in_german(note))
            .collect(),
    };
    let sql = sql::render_sql(&select);
    let derived = notes::notes(&sql, tables, language);
    let mut notes = in_language(notes);
    let ranking = select.ties_note().and_then(|note| {
        let note = in_language(vec![note.to_owned()]).pop()?;
        ties::ranking_of(&select, &note, language)
    });
    notes.extend(derived);
    Ok(SqlProposal {
        sql,
        sentence: Some(sentence::render_sentence(&select, &request, noun, language)),
        notes,
        links: in_language(links),
        ranking: ranking.map(Box::new),
        emptiness: Some(Box::new(empty_result::emptiness_of(&select, language))),
        ..SqlProposal::default()
    })
}

/// The relation that the request counts although its name is a sentence: "orders by month" asks for the orders
/// of each month, and the rows of `orders_by_month` are only counted where it is named as SQL names it.
fn counted_sentence<'t>(
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

/// A word that nothing is called is missing, in capitals too.
fn unplaced(at: usize, tokens: &[Token], links: &Links) -> Stop {
    let unknown = tokens.get(at).filter(|token| {
        token.kind == TokenKind::Word
            && token.number.is_none()
            && !lexicon::is_known(&token.lower)
            && !links.covers(at)
    });
    match unknown {
        Some(token) => Stop::Missing(vec![token.said.clone()]),
        None => Stop::Unplaced(at),
    }
}

/// The last word of "year to date": by itself, "date" has to be something of the schema.
fn ends_a_period(tokens: &[Token], at: usize) -> bool {
    let is = |back: usize, word: &str| {
        let token = at.checked_sub(back).and_then(|at| tokens.get(at));
        token.is_some_and(|token| token.lower == word)
    };
    is(0, "date") && is(1, "to")
}

/// Words that neither the schema nor the grammar knows. Names in capitals may be values of a named
/// column: the parser decides.
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
        .map(|(_, token)| token.said.clone())
        .collect()
}
