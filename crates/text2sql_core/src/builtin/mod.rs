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

mod bind;
mod conditions;
mod dates;
mod doubts;
mod groups;
mod joins;
mod lexicon;
mod link;
mod lists;
mod literals;
mod measures;
mod modifiers;
mod names;
mod naming;
mod ordering;
mod parse;
mod periods;
mod predicates;
mod ranks;
mod render;
mod request;
mod scope;
mod select;
mod targets;
#[cfg(test)]
mod tests;
mod values;
mod words;

use std::sync::Arc;

use self::request::Stop;
use self::words::{Token, TokenKind};
use crate::proposal::{Proposal, SqlProposal};
use crate::schema::{Definition, Table};

/// A longer question is a text, not a question.
const MOST_TOKENS: usize = 80;

/// Answers the question over the tables, or says why it does not. `today` is `YYYY-MM-DD`.
pub fn propose(
    question: &str,
    tables: &[Arc<Table>],
    definitions: &[Definition],
    today: &str,
) -> Proposal {
    let tokens = words::tokenise(question);
    match propose_sql(&tokens, tables, today) {
        Ok(proposal) => Proposal::Sql(proposal),
        Err(stop) => decline(question, &tokens, tables, stop),
    }
}

fn propose_sql(tokens: &[Token], tables: &[Arc<Table>], today: &str) -> Result<SqlProposal, Stop> {
    let Some(today) = dates::Date::parse(today) else {
        return Err(Stop::Unanswerable(format!(
            "today is not known: \"{today}\""
        )));
    };
    if tokens.is_empty() || tokens.len() > MOST_TOKENS {
        return Err(Stop::Unanswerable(
            "this is too short or too long to be a simple question".to_owned(),
        ));
    }
    let links = link::Links::find(tokens, tables);
    let missing = unlinked(tokens, &links);
    if !missing.is_empty() {
        return Err(Stop::Missing(missing));
    }
    let request = parse::parse(tokens, &links, tables, today)?;
    let mut binder = bind::Binder::new(tokens, tables, &request);
    for (words, table) in links.tables_named(tokens, &request.tables) {
        if let Some(table) = tables.get(table) {
            // A table called what the question calls it needs no explanation.
            if !words.eq_ignore_ascii_case(&table.name) {
                binder.note(format!("'{words}' is table {}", table.name));
            }
        }
    }
    let select = binder.select()?;
    let subject = request
        .subject
        .and_then(|table| tables.get(table))
        .map(Arc::as_ref);
    Ok(SqlProposal {
        sql: render::render_sql(&select),
        sentence: Some(render::render_sentence(&select, &request, subject)),
        notes: binder.notes.into_inner(),
    })
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
                && token.text == token.lower
        })
        .map(|(_, token)| token.text.clone())
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
            nearest: link::nearest_names(&missing, tables),
            missing,
        },
        Stop::Unplaced(at) => {
            let word = tokens.get(at).map(|token| token.text.clone());
            let missing: Vec<String> = word
                .iter()
                .filter(|word| word.chars().any(char::is_alphanumeric))
                .cloned()
                .collect();
            Proposal::Unanswerable {
                reason: match &word {
                    Some(word) => format!(
                        "the built-in engine does not understand the question at \"{word}\""
                    ),
                    None => {
                        "the built-in engine does not understand the end of the question".to_owned()
                    }
                },
                nearest: link::nearest_names(&missing, tables),
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

/// The question with the words of the doubtful stretch replaced; without a stretch, with the words added.
fn reading(question: &str, tokens: &[Token], start: usize, end: usize, words: &str) -> String {
    if start >= tokens.len() {
        return format!("{} ({words})", question.trim().trim_end_matches(['?', '.']));
    }
    let inserts = start == end;
    let mut text = String::new();
    for (i, token) in tokens.iter().enumerate() {
        if i == start && inserts {
            text.push(' ');
            text.push_str(words);
        }
        let part = if i == start && !inserts {
            words.to_owned()
        } else if i > start && i < end {
            continue;
        } else if token.kind == TokenKind::Quoted {
            format!("'{}'", token.text)
        } else {
            token.text.clone()
        };
        let glued = matches!(
            token.kind,
            TokenKind::Comma | TokenKind::Stop | TokenKind::Possessive
        );
        if !text.is_empty() && !glued {
            text.push(' ');
        }
        text.push_str(&part);
    }
    text
}
