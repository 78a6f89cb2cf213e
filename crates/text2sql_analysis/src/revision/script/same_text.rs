//! A changed statement in the text of the given one: what is the same keeps its comments, line breaks and spelling, byte
//! for byte, whatever a model made of them.

use std::ops::Range;

use text2sql_sql::script::{Lexeme, lexemes};

use super::body::body;
use super::token_difference::{Match, key, matches};

/// `new` with the text of `old` wherever both have the same tokens, also in dollar-quoted bodies.
pub(super) fn in_text_of(old: &str, new: &str) -> String {
    let (was, is) = (lexemes(old), lexemes(new));
    let same = matches((old, &was), (new, &is));
    let mut text = String::with_capacity(new.len());
    let mut before: Option<Match> = None;
    // An end behind the last token, so that what follows it is a gap like any other.
    let end = Match {
        old: was.len(),
        new: is.len(),
    };
    let mut place = 0;
    for next in same.iter().copied().chain([end]) {
        while place < next.new {
            gap(&mut text, (old, &was), (new, &is), place, before, next);
            text.push_str(piece(new, &is, place));
            place += 1;
        }
        if next.new == is.len() {
            break;
        }
        gap(&mut text, (old, &was), (new, &is), place, before, next);
        text.push_str(&token(
            piece(old, &was, next.old),
            piece(new, &is, next.new),
        ));
        before = Some(next);
        place += 1;
    }
    // A gap that joined two tokens, or hid one in a comment, would change the statement.
    match is_same(&text, new) {
        true => text,
        false => new.to_owned(),
    }
}

/// Whether both have the same tokens, in bodies as well.
fn is_same(one: &str, other: &str) -> bool {
    let (was, is) = (lexemes(one), lexemes(other));
    was.len() == is.len()
        && was.iter().zip(&is).all(|(a, b)| {
            let pieces = (one.get(a.place.clone()), other.get(b.place.clone()));
            let bodies = (pieces.0.and_then(body), pieces.1.and_then(body));
            match bodies {
                (Some((_, was)), Some((_, is))) => is_same(was, is),
                _ => key(one, a) == key(other, b),
            }
        })
}

fn piece<'t>(text: &'t str, lexemes: &[Lexeme], place: usize) -> &'t str {
    lexemes
        .get(place)
        .and_then(|lexeme| text.get(lexeme.place.clone()))
        .unwrap_or_default()
}

/// A token that both have: as it was written, except in a body that changes.
fn token(old: &str, new: &str) -> String {
    match (body(old), body(new)) {
        (Some((mark, was)), Some((_, is))) => {
            format!("{mark}{}{mark}", within_body(was, is))
        }
        _ => old.to_owned(),
    }
}

/// A body keeps what stands before its first and after its last token.
fn within_body(old: &str, new: &str) -> String {
    let (was, is) = (lexemes(old), lexemes(new));
    let ends = |text: &str, lexemes: &[Lexeme]| -> Option<Range<usize>> {
        Some(lexemes.first()?.place.start..lexemes.last()?.place.end)
            .filter(|r| r.end <= text.len())
    };
    let (Some(was), Some(is)) = (ends(old, &was), ends(new, &is)) else {
        return new.to_owned();
    };
    let parts = (
        old.get(..was.start),
        old.get(was.clone()),
        old.get(was.end..),
        new.get(is),
    );
    match parts {
        (Some(head), Some(was), Some(tail), Some(is)) => {
            format!("{head}{}{tail}", in_text_of(was, is))
        }
        _ => new.to_owned(),
    }
}

/// What stands between the token at `place` and the one before it. `before` and `next` are the last and the next token
/// that both texts have.
fn gap(
    text: &mut String,
    (old, was): (&str, &[Lexeme]),
    (new, is): (&str, &[Lexeme]),
    place: usize,
    before: Option<Match>,
    next: Match,
) {
    let Some(previous) = place.checked_sub(1) else {
        return;
    };
    let made = between(new, is, previous, place);
    let left = before.filter(|before| before.new == previous);
    let is_right = next.new == place && next.old < was.len();
    let last = || between(old, was, next.old.saturating_sub(1), next.old);
    let chosen = match left.map(|left| between(old, was, left.old, left.old + 1)) {
        // Nothing was between them, or it was taken away: the comment behind it on its line goes with it.
        Some(first) if is_right => match is_beside(before, next) || has_comment(first) {
            true => first,
            false => behind_line(last()),
        },
        // Replaced, or put in: then the comment stays where it was.
        Some(first) if !is_beside(before, next) || has_comment(first) => first,
        // What is put in takes the place of the gap, which follows it.
        None if is_right && before.is_some() && !made.is_empty() => {
            match is_beside(before, next) && has_comment(last()) {
                true => last_line(last()).unwrap_or(made),
                false => last(),
            }
        }
        _ => made,
    };
    let is_apart = !chosen.is_empty() || made.is_empty();
    text.push_str(if is_apart { chosen } else { made });
}

/// Whether the given text has nothing between the two tokens.
fn is_beside(before: Option<Match>, next: Match) -> bool {
    before.is_some_and(|before| before.old + 1 == next.old)
}

fn between<'t>(text: &'t str, lexemes: &[Lexeme], one: usize, other: usize) -> &'t str {
    let range = lexemes
        .get(one)
        .zip(lexemes.get(other))
        .map(|(one, other)| one.place.end..other.place.start);
    range.and_then(|range| text.get(range)).unwrap_or_default()
}

/// What follows the last line break of a gap, with it, if that is no comment.
fn last_line(gap: &str) -> Option<&str> {
    let tail = gap.get(gap.rfind('\n')?..)?;
    (!has_comment(tail)).then_some(tail)
}

fn has_comment(gap: &str) -> bool {
    !gap.trim().is_empty()
}

/// A gap without the comment on its first line.
fn behind_line(gap: &str) -> &str {
    let (first, _) = gap.split_once('\n').unwrap_or((gap, ""));
    match has_comment(first) && gap.contains('\n') {
        true => gap.get(first.len()..).unwrap_or_default(),
        false => gap,
    }
}
