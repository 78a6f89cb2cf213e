//! The files of translations.
//!
//! An entry is a line in English at the margin, then its translation on the next line, indented. A line that begins
//! with `#` is a comment.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Language;

static GERMAN: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    entries(Language::German)
        .map(|entry| (entry.english, entry.translation))
        .collect()
});

/// A sentence and its translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The English template.
    pub english: &'static str,
    /// The translated template.
    pub translation: &'static str,
}

/// The entries of a language's file; none for English, which the code writes.
pub fn entries(language: Language) -> impl Iterator<Item = Entry> {
    let text = match language {
        Language::English => "",
        Language::German => include_str!("german.txt"),
    };
    let mut lines = text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    std::iter::from_fn(move || {
        let english = lines.next()?;
        let translation = lines.next()?.trim();
        Some(Entry {
            english,
            translation,
        })
    })
}

/// The translation of a template.
pub(super) fn translation(language: Language, template: &str) -> Option<&'static str> {
    match language {
        Language::English => None,
        Language::German => GERMAN.get(template).copied(),
    }
}
