//! Comments and curated knowledge beside a table or column: synonyms, meanings of values, joins. It is
//! untrusted text of the database: sanitised, cut to a limit, and only ever between the data markers.

use std::fmt::Write;

use super::untrusted_text::without_disguise;
use text2sql_domain::schema::{DerivedBy, ForeignKey, Table, quote_literal};

/// Maximum length of a comment in a prompt, in characters. Comments are unbounded and anyone who owns a table
/// can write one.
const MAX_COMMENT_CHARS: usize = 300;

/// Limits of the meanings shown for the values of a column: how many, characters of all, characters of one.
const MAX_MEANINGS: usize = 40;
const MAX_MEANINGS_CHARS: usize = 1_000;
const MAX_MEANING_CHARS: usize = 80;

/// Limits of the synonyms shown: how many, and characters of one.
pub(super) const MAX_SYNONYMS: usize = 8;
pub(super) const MAX_SYNONYM_CHARS: usize = 40;

/// Appends a comment: ` -- comment`.
pub(super) fn push_comment(text: &mut String, comment: Option<&str>) {
    let Some(comment) = comment else { return };
    let tidy = without_disguise(comment);
    if tidy.is_empty() {
        return;
    }
    let cut: String = tidy.chars().take(MAX_COMMENT_CHARS).collect();
    let ellipsis = if cut.len() < tidy.len() { "…" } else { "" };
    let _ = write!(text, " -- {cut}{ellipsis}");
}

/// The note in the first line of a table that is derived from others.
pub(super) fn derived(table: &Table) -> Option<String> {
    match table.derived_by? {
        DerivedBy::Answer => Some("an earlier answer: prefer the tables that it reads".to_owned()),
        DerivedBy::Dbt if table.made_of.is_empty() => None,
        DerivedBy::Dbt => Some("a dbt model: prefer the tables that it is made of".to_owned()),
    }
}

/// The arrow of a foreign key that the catalog declares, or of a join that curators added.
pub(super) fn arrow(key: &ForeignKey) -> &'static str {
    if key.is_taught { "~>" } else { "->" }
}

/// A join that nobody declared, with how sure it is: `~> customers(id) 95%`.
pub(super) fn likely(target: &str, columns: &str, percent: u8) -> String {
    format!("~> {target}({columns}) {percent}%")
}

/// Adds what the values of a column mean: ` ['A' = active, 'C' = closed]`.
pub(super) fn push_meanings(text: &mut String, meanings: &[(String, String)]) {
    if meanings.is_empty() {
        return;
    }
    let mut shown: Vec<String> = Vec::new();
    let mut used = 0;
    for (value, meaning) in meanings.iter().take(MAX_MEANINGS) {
        let quoted = quote_literal(&without_disguise(value));
        // A list of allowed values has no meanings.
        let entry = if meaning == value {
            quoted
        } else {
            format!("{quoted} = {}", shortened(meaning, MAX_MEANING_CHARS))
        };
        used += entry.chars().count();
        if used > MAX_MEANINGS_CHARS {
            break;
        }
        shown.push(entry);
    }
    let more = if shown.len() < meanings.len() {
        ", …"
    } else {
        ""
    };
    let _ = write!(text, " [{}{more}]", shown.join(", "));
}

/// Appends the synonyms of a table or column to its comment, or as a comment.
pub(super) fn push_synonyms(text: &mut String, synonyms: &[String]) {
    if synonyms.is_empty() {
        return;
    }
    let shown: Vec<String> = synonyms
        .iter()
        .take(MAX_SYNONYMS)
        .map(|word| shortened(word, MAX_SYNONYM_CHARS))
        .collect();
    let shown = shown.join(", ");
    let has_comment = text
        .lines()
        .last()
        .is_some_and(|line| line.contains(" -- "));
    let _ = if has_comment {
        write!(text, " (also called {shown})")
    } else {
        write!(text, " -- also called {shown}")
    };
}

/// Untrusted text, cut to this many characters.
pub(super) fn shortened(text: &str, max_chars: usize) -> String {
    let tidy = without_disguise(text);
    if tidy.chars().count() <= max_chars {
        return tidy;
    }
    let cut: String = tidy.chars().take(max_chars).collect();
    format!("{cut}…")
}
