//! The tokens that two statements have in common.

use text2sql_sql::script::{Kind, Lexeme};

use super::body::is_body;

/// Maximum size of the table of the longest common subsequence. Beyond it what differs counts as replaced as a whole.
const MAX_CELLS: usize = 4_000_000;

/// A token that both have, by its places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) old: usize,
    pub(super) new: usize,
}

/// What a token is compared by: key words and names as PostgreSQL folds them, a body only as one.
pub(super) fn key(text: &str, lexeme: &Lexeme) -> String {
    let piece = text.get(lexeme.place.clone()).unwrap_or_default();
    match lexeme.kind {
        Kind::Word => piece.to_ascii_lowercase(),
        Kind::Name | Kind::Text | Kind::Sign => piece.to_owned(),
    }
}

fn match_key(text: &str, lexeme: &Lexeme) -> String {
    match is_body(text, lexeme) {
        true => "$$".to_owned(),
        false => key(text, lexeme),
    }
}

/// The longest common subsequence, in order.
pub(super) fn matches(old: (&str, &[Lexeme]), new: (&str, &[Lexeme])) -> Vec<Match> {
    let keys = |(text, lexemes): (&str, &[Lexeme])| -> Vec<String> {
        lexemes.iter().map(|one| match_key(text, one)).collect()
    };
    common(&keys(old), &keys(new))
}

fn common(old: &[String], new: &[String]) -> Vec<Match> {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - start;
    let ending = old.iter().rev().zip(new.iter().rev());
    let end = ending.take(rest).take_while(|(a, b)| a == b).count();
    let mut found: Vec<Match> = (0..start)
        .map(|place| Match {
            old: place,
            new: place,
        })
        .collect();
    let inner = |keys: &'_ [String]| -> Vec<String> {
        keys.get(start..keys.len() - end)
            .unwrap_or_default()
            .to_vec()
    };
    found.extend(
        subsequence(&inner(old), &inner(new))
            .into_iter()
            .map(|one| Match {
                old: one.old + start,
                new: one.new + start,
            }),
    );
    found.extend((0..end).rev().map(|back| Match {
        old: old.len() - back - 1,
        new: new.len() - back - 1,
    }));
    found
}

fn subsequence(old: &[String], new: &[String]) -> Vec<Match> {
    if old.len().saturating_mul(new.len()) > MAX_CELLS {
        return Vec::new();
    }
    let width = new.len() + 1;
    let mut lengths = vec![0_u32; (old.len() + 1) * width];
    let at = |lengths: &[u32], i: usize, j: usize| lengths.get(i * width + j).copied().unwrap_or(0);
    for (i, a) in old.iter().enumerate().rev() {
        for (j, b) in new.iter().enumerate().rev() {
            let length = match a == b {
                true => at(&lengths, i + 1, j + 1) + 1,
                false => at(&lengths, i + 1, j).max(at(&lengths, i, j + 1)),
            };
            if let Some(cell) = lengths.get_mut(i * width + j) {
                *cell = length;
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut found = Vec::new();
    while let (Some(a), Some(b)) = (old.get(i), new.get(j)) {
        if a == b {
            found.push(Match { old: i, new: j });
            (i, j) = (i + 1, j + 1);
        } else if at(&lengths, i + 1, j) >= at(&lengths, i, j + 1) {
            i += 1;
        } else {
            j += 1;
        }
    }
    found
}
