//! SQL in a reply that is not the object that was asked for: in a fenced block, or in the midst of prose.

use text2sql_domain::words;
use text2sql_sql::script::{Kind, Lexeme, lexemes};
use text2sql_sql::tree;

/// Maximum number of places at which a statement may end that are tried.
const MAX_ENDS: usize = 24;

/// Maximum number of statements in prose that are looked at.
const MAX_STATEMENTS: usize = 32;

/// Words that go on with a statement after an empty line.
const GOES_ON: [&str; 26] = *words!(
    "from, where, group, order, having, limit, offset, fetch, join, left, right, inner, full, \
     cross, natural, on, using, and, or, union, intersect, except, window, select, as, case"
);

/// The last fenced block that begins like a query.
pub(super) fn in_fence(text: &str) -> Option<String> {
    let queries = fenced(text)
        .into_iter()
        .filter(|block| starts_like_query(block));
    queries
        .map(|block| tidy(&block))
        .rfind(|sql| !sql.is_empty())
}

/// The contents of fenced blocks. A fence stands at the beginning of a line; a block on a line of its own ends there.
fn fenced(text: &str) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in text.lines() {
        let trimmed = line.trim();
        let fence = fence_of(trimmed);
        match (&mut open, fence) {
            (Some((mark, body)), Some(fence))
                if trimmed.len() == fence.len() && fence.starts_with(mark.as_str()) =>
            {
                blocks.push(std::mem::take(body));
                open = None;
            }
            (Some((mark, body)), _) => match line.trim_end().strip_suffix(mark.as_str()) {
                // The fence stands behind the last line of the query.
                Some(last) if !last.ends_with(['\'', '`', '~']) && !last.trim().is_empty() => {
                    body.push_str(last);
                    blocks.push(std::mem::take(body));
                    open = None;
                }
                _ => {
                    body.push_str(line);
                    body.push('\n');
                }
            },
            (None, Some(fence)) => {
                let rest = trimmed.get(fence.len()..).unwrap_or_default();
                let tag = rest
                    .find(|c: char| !c.is_alphanumeric())
                    .unwrap_or(rest.len());
                let (tag, behind) = rest.split_at_checked(tag).unwrap_or((rest, ""));
                let behind = match starts_like_query(rest) {
                    true if !behind.is_empty() => rest,
                    _ => behind,
                };
                match behind.trim_end().strip_suffix(fence) {
                    Some(body) => blocks.push(body.to_owned()),
                    None if behind.trim().is_empty() => {
                        open = Some((fence.to_owned(), String::new()))
                    }
                    None if tag.is_empty() || !behind.trim().is_empty() => {
                        open = Some((fence.to_owned(), format!("{behind}\n")));
                    }
                    None => {}
                }
            }
            (None, None) => {}
        }
    }
    // A block that is never closed goes on to the end.
    blocks.extend(open.map(|(_, body)| body));
    blocks
}

fn fence_of(line: &str) -> Option<&str> {
    ['`', '~'].into_iter().find_map(|mark| {
        let length = line.chars().take_while(|c| *c == mark).count();
        (length >= 3).then(|| line.get(..length)).flatten()
    })
}

/// The last statement in plain prose: from a line that begins like one, as far as it can be read. Prose may begin like
/// one too, so one that can be read comes before one that cannot.
pub(super) fn bare(text: &str) -> Option<String> {
    let mut read: Option<String> = None;
    let mut unread: Option<String> = None;
    let mut from = 0;
    for _ in 0..MAX_STATEMENTS {
        let Some(start) = next_start(text, from) else {
            break;
        };
        let rest = text.get(start..).unwrap_or_default();
        let ends = ends_of(rest);
        let can_be_read = |end: &&End| {
            let sql = rest.get(..end.place).unwrap_or_default();
            tree::read_query(&tidy(sql)).is_some()
        };
        let mut closed = ends.iter().filter(|end| end.is_closed);
        let whole = closed
            .find(can_be_read)
            .or_else(|| ends.iter().rev().find(can_be_read));
        let cut = whole.or_else(|| ends.iter().find(|end| end.is_closed));
        let end = cut.or(ends.last()).map_or(rest.len(), |end| end.place);
        let sql = tidy(rest.get(..end).unwrap_or_default());
        let is_statement = sql.split_whitespace().count() > 1;
        match whole {
            Some(_) if is_statement => read = Some(sql),
            None if is_statement && unread.is_none() => unread = Some(sql),
            _ => {}
        }
        from = match whole {
            Some(_) => start + end.max(1),
            None => start + rest.find('\n').map_or(rest.len(), |line| line + 1),
        };
    }
    read.or(unread)
}

/// The next line that begins like a query, from a place on.
fn next_start(text: &str, from: usize) -> Option<usize> {
    let mut place = 0;
    for line in text.split_inclusive('\n') {
        if place >= from && starts_like_query(line) {
            return Some(place);
        }
        place += line.len();
    }
    None
}

/// A place at which a statement may end.
struct End {
    place: usize,
    /// Whether what follows does not begin like a part of it.
    is_closed: bool,
}

/// Where a statement at the beginning of the text may end, in order: before each empty line outside of parentheses,
/// constants and comments, and at its first semicolon.
fn ends_of(text: &str) -> Vec<End> {
    let lexemes = lexemes(text);
    let piece = |lexeme: &Lexeme| text.get(lexeme.place.clone()).unwrap_or_default();
    // A semicolon within a line parts two statements: they stay together, and the guard refuses them.
    let ends_line = |lexeme: &Lexeme| {
        let rest = text.get(lexeme.place.end..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default().trim_start();
        line.is_empty() || line.starts_with("--") || line.starts_with("/*")
    };
    let is_semicolon = |lexeme: &&Lexeme| {
        lexeme.kind == Kind::Sign && lexeme.depth == 0 && piece(lexeme) == ";" && ends_line(lexeme)
    };
    let semicolon = lexemes.iter().find(is_semicolon);
    let last = semicolon.map_or(text.len(), |lexeme| lexeme.place.end);
    let mut ends = Vec::new();
    for pair in lexemes.windows(2) {
        let [before, next] = pair else {
            continue;
        };
        if next.place.start >= last || ends.len() >= MAX_ENDS {
            break;
        }
        let between = text
            .get(before.place.end..next.place.start)
            .unwrap_or_default();
        let lines = between.split('\n').count();
        let inner = between.split('\n').skip(1).take(lines.saturating_sub(2));
        let has_empty_line = inner.into_iter().any(|line| line.trim().is_empty());
        if has_empty_line && next.depth == 0 {
            let word = piece(next).to_lowercase();
            ends.push(End {
                place: before.place.end,
                is_closed: !GOES_ON.contains(&word.as_str()) && !matches!(word.as_str(), ")" | ","),
            });
        }
    }
    ends.push(End {
        place: last,
        is_closed: semicolon.is_some(),
    });
    ends
}

/// Whether it begins like a query, after comments.
pub(super) fn starts_like_query(text: &str) -> bool {
    let mut start = text.trim_start();
    loop {
        let rest = if start.starts_with("--") {
            start.split_once('\n').map_or("", |(_, rest)| rest)
        } else if start.starts_with("/*") {
            start.split_once("*/").map_or("", |(_, rest)| rest)
        } else if let Some(rest) = start.strip_prefix('(') {
            rest
        } else {
            break;
        };
        start = rest.trim_start();
    }
    let word: String = start
        .chars()
        .take_while(char::is_ascii_alphabetic)
        .collect();
    let followed_by_space = start
        .get(word.len()..)
        .and_then(|rest| rest.chars().next())
        .is_none_or(|c| !c.is_alphanumeric());
    followed_by_space
        && ["select", "with", "values", "table"].contains(&word.to_ascii_lowercase().as_str())
}

/// Without outer white space and trailing semicolons.
pub(super) fn tidy(sql: &str) -> String {
    sql.trim()
        .trim_end_matches(|c: char| c == ';' || c.is_whitespace())
        .to_owned()
}
