//! Words that make "the last 8 weeks" eight whole weeks: "full", "excluding the current week".
//!
//! German words that the grammar does not translate are listed as they are.

use super::unit::Unit;
use crate::words::{Token, TokenKind};
use text2sql_domain::words;

const WHOLE: &[&str] = words!(
    "full, whole, complete, completed, entire, calendar, volle, vollen, ganze, ganzen, \
     vollständige, vollständigen, komplette, kompletten, abgeschlossene, abgeschlossenen"
);

/// Beginnings of what is left out, in the words of the grammar.
const EXCLUDING: &[&[&str]] = &[
    &["excluding"],
    &["except"],
    &["except", "for"],
    &["without"],
    &["ohne"],
    &["but", "not"],
    &["not", "counting"],
    &["not", "including"],
];

const CURRENT: &[&str] = words!(
    "current, this, present, running, ongoing, laufende, laufenden, laufendes, laufender, \
     aktuelle, aktuellen, aktuelles, aktueller, angefangene, angefangenen"
);

/// Whether the word says that units are meant as the calendar has them.
pub(super) fn says_whole(token: &Token) -> bool {
    token.kind == TokenKind::Word && WHOLE.contains(&token.lower.as_str())
}

/// Which current unit is left out ("excluding the current week", "without today"), and the number of tokens read.
/// Where the question names none ("ohne die laufende"), it is `unit`.
pub(super) fn excluded(tokens: &[Token], unit: Unit) -> Option<(Unit, usize)> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
    let is_kind = |at: usize, kind| tokens.get(at).is_some_and(|token| token.kind == kind);
    let opens = word(0) == "(";
    let start = usize::from(opens || is_kind(0, TokenKind::Comma));
    let begins = |words: &&&[&str]| {
        words
            .iter()
            .enumerate()
            .all(|(i, own)| word(start + i) == *own)
    };
    let beginning = EXCLUDING.iter().filter(begins).map(|words| words.len());
    let mut at = start + beginning.max()?;
    at += usize::from(word(at) == "the");
    let excluded = match word(at) {
        "today" => {
            at += 1;
            Unit::Day
        }
        current if CURRENT.contains(&current) => {
            at += 1;
            at += usize::from(word(at) == "one");
            let named = Unit::of(word(at));
            at += usize::from(named.is_some());
            named.unwrap_or(unit)
        }
        _ => return None,
    };
    at += usize::from(opens && word(at) == ")");
    Some((excluded, at))
}
