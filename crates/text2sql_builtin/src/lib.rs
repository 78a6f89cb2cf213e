//! The built-in engine: simple questions answered without any model.
//!
//! It is right or silent. Every word of the question is linked to a name or a value of the schema,
//! belongs to the grammar, or carries nothing; otherwise the engine declines and says which word it
//! is. No table is a default and no link is a guess: two links that are as good make the question
//! ambiguous.
//!
//! `words` cuts the question, `link` (with `names`) finds what it names, `parse` (with `modifiers`
//! `conditions` and `naming`) makes a `request`, `doubts` refuses what is not certain, `bind`, `scope` and `select` (with `joins`) turn it into the
//! parts of one statement, `render` writes them.

#![forbid(unsafe_code)]

mod aggregates;
mod ambiguity;
mod bind;
mod conditions;
pub mod confidence;
mod contains;
mod defined;
pub(crate) mod derived;
mod dimensions;
mod doubts;
mod either;
pub mod emptiness;
mod extremes;
mod follow_up;
mod grouping;
mod groups;
mod hints;
mod joins;
pub mod leaders;
mod link;
mod lists;
mod literals;
mod measures;
mod modifiers;
mod names;
mod naming;
mod nearest;
mod ordering;
mod parse;
mod periods;
mod predicates;
mod quantities;
mod ranking;
mod ranks;
mod readings;
mod reasons;
mod relations;
mod render;
mod repeats;
mod request;
mod restated;
mod scope;
mod select;
mod sentences;
mod shortened;
mod starts;
mod subqueries;
mod table_names;
mod targets;
mod terms;
#[cfg(test)]
mod tests;
mod through;
mod twofold;
mod vague;
mod values;

pub use self::ambiguity::ambiguity;
pub use self::follow_up::{follow_ups, goes_on, read_as};
use text2sql_language::words::{is_glued, joined, said_part};

use std::sync::Arc;

use self::request::Stop;
use text2sql_domain::date::Date;
use text2sql_domain::language::Language;
use text2sql_domain::proposal::{Proposal, SqlProposal};
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::lexicon;
use text2sql_language::understanding::Understanding;
use text2sql_language::words::{Token, TokenKind};

/// A longer question is a text, not a question.
const MAX_TOKENS: usize = 80;

/// Answers the question over the tables, or says why it does not.
pub fn propose(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Proposal {
    readings::propose_within(understanding, tables, definitions, 0)
}

/// What a question is read with.
struct ReadWith<'a> {
    language: Language,
    definitions: &'a [Definition],
    today: &'a str,
    through: Option<&'a Vec<String>>,
}

fn propose_sql(
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
    let Some(today) = Date::parse(today) else {
        return Err(Stop::Unanswerable(format!(
            "today is not known: \"{today}\""
        )));
    };
    if tokens.is_empty() || tokens.len() > MAX_TOKENS {
        return Err(Stop::Unanswerable(
            "this is too short or too long to be a simple question".to_owned(),
        ));
    }
    let links = link::Links::find(tokens, tables, definitions);
    if let Some(stop) = vague::doubt(tokens, language, &links, tables)
        .or_else(|| twofold::doubt(tokens, &links, tables))
    {
        return Err(stop);
    }
    let missing = unlinked(tokens, &links);
    if !missing.is_empty() {
        return Err(Stop::Missing(missing));
    }
    let request = parse::parse(tokens, &links, tables, today).map_err(|stop| match stop {
        Stop::Unplaced(at) => unplaced(at, tokens, &links),
        stop => stop,
    })?;
    if let Some(table) = derived::counted_sentence(tokens, &request, tables, definitions) {
        return Err(Stop::Unanswerable(format!(
            "the name {} is also a question: its rows are counted where it is written as in SQL",
            table.name
        )));
    }
    let mut binder = bind::Binder::new(tokens, tables, &links.terms, &request);
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
        Language::German => notes.iter().map(|note| reasons::in_german(note)).collect(),
    };
    let sql = render::render_sql(&select);
    let derived = derived::notes(&sql, tables, language);
    let mut notes = in_language(notes);
    let ranking = select.ties_note().and_then(|note| {
        let note = in_language(vec![note.to_owned()]).pop()?;
        leaders::ranking_of(&select, &note, language)
    });
    notes.extend(derived);
    Ok(SqlProposal {
        sql,
        sentence: Some(sentences::render_sentence(
            &select, &request, noun, language,
        )),
        notes,
        links: in_language(links),
        ranking: ranking.map(Box::new),
        emptiness: Some(Box::new(emptiness::emptiness_of(&select, language))),
        ..SqlProposal::default()
    })
}

/// A word that nothing is called is missing, in capitals too.
fn unplaced(at: usize, tokens: &[Token], links: &link::Links) -> Stop {
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
fn unlinked(tokens: &[Token], links: &link::Links) -> Vec<String> {
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

fn decline(question: &str, tokens: &[Token], tables: &[Arc<Table>], stop: Stop) -> Proposal {
    match stop {
        Stop::Missing(missing) => Proposal::Unanswerable {
            reason: format!(
                "nothing readable is called {}",
                missing
                    .iter()
                    .map(|word| format!("\"{word}\""))
                    .collect::<Vec<_>>()
                    .join(" or ")
            ),
            nearest: nearest::nearest_names(&missing, tables),
            missing,
        },
        Stop::Unplaced(at) => {
            let word = tokens.get(at).map(|token| token.said.clone());
            let missing: Vec<String> = word
                .iter()
                .filter(|word| word.chars().any(char::is_alphanumeric))
                .cloned()
                .collect();
            Proposal::Unanswerable {
                reason: match phrase_at(tokens, at) {
                    Some(phrase) => format!(
                        "the built-in engine does not understand the question at \"{phrase}\""
                    ),
                    None => {
                        "the built-in engine does not understand the end of the question".to_owned()
                    }
                },
                nearest: nearest::nearest_names(&missing, tables),
                missing,
            }
        }
        Stop::Unanswerable(reason) => Proposal::Unanswerable {
            reason,
            missing: Vec::new(),
            nearest: Vec::new(),
        },
        Stop::Ambiguous {
            question: back,
            start,
            end,
            replacements,
        } => {
            let readings: Vec<String> = replacements
                .iter()
                .map(|words| reading(question, tokens, start, end, words))
                .collect();
            if readings.len() < 2 {
                return Proposal::Unanswerable {
                    reason: back,
                    missing: Vec::new(),
                    nearest: Vec::new(),
                };
            }
            Proposal::Ambiguous {
                question: back,
                readings,
            }
        }
    }
}

/// The word at that place; of a small word, which says nothing by itself, also those behind it up to
/// one that says something.
fn phrase_at(tokens: &[Token], at: usize) -> Option<String> {
    const MAX_WORDS: usize = 4;
    let mut said: Vec<&str> = Vec::new();
    for token in tokens.get(at..)?.iter().take(MAX_WORDS) {
        said.push(&token.said);
        if token.kind != TokenKind::Word || !lexicon::is_known(&token.lower) {
            break;
        }
    }
    (!said.is_empty()).then(|| said.join(" "))
}

fn said_in_german(declined: Proposal) -> Proposal {
    match declined {
        Proposal::Ambiguous { question, readings } => Proposal::Ambiguous {
            question: reasons::in_german(&question),
            readings,
        },
        Proposal::Unanswerable {
            reason,
            missing,
            nearest,
        } => Proposal::Unanswerable {
            reason: reasons::in_german(&reason.replace(" or ", " oder ")),
            missing,
            nearest,
        },
        answered @ Proposal::Sql(_) => answered,
    }
}

/// The question with the words of the doubtful stretch replaced; without a stretch, with the words added.
fn reading(question: &str, tokens: &[Token], start: usize, end: usize, words: &str) -> String {
    if start > tokens.len() {
        return format!("{} ({words})", question.trim().trim_end_matches(['?', '.']));
    }
    let inserts = start == end;
    let mut parts: Vec<(usize, String, bool)> = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        if i == start && inserts {
            parts.push((token.place, words.to_owned(), false));
        }
        let part = if i == start && !inserts {
            words.to_owned()
        } else if (i > start && i < end) || token.said.is_empty() {
            continue;
        } else {
            said_part(token)
        };
        parts.push((token.place, part, is_glued(token)));
    }
    if start == tokens.len() {
        parts.push((usize::MAX, words.to_owned(), false));
    }
    joined(parts)
}
