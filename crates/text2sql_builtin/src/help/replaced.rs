//! A question with other words, over tables that know the values it mentions.

use std::sync::Arc;

use text2sql_domain::schema::Table;
use text2sql_phrases::{Language, retold};

/// A word of the question that is read as a word of the tables, or as a stored value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Replaced {
    pub(crate) word: String,
    /// The word that the question then has.
    pub(crate) by: String,
    /// What it is, as in a note: "table customer".
    pub(crate) is: Option<String>,
    /// Whether the word is misspelt, so that no answer repeats it.
    pub(crate) is_typo: bool,
}

impl Replaced {
    pub(super) fn note(&self, language: Language) -> String {
        let Self { word, by, is, .. } = self;
        let note = match is {
            Some(is) => format!("'{word}' is {is}"),
            None => format!("'{word}' is read as {by}"),
        };
        retold(language, "reason", &note)
    }
}

/// A question with other words, over tables that know the values it mentions.
pub(super) struct Reworded {
    pub(super) text: String,
    pub(super) tables: Vec<Arc<Table>>,
    pub(super) replaced: Vec<Replaced>,
}

impl Reworded {
    /// Whether the tables are those, without further values.
    pub(super) fn has_tables(&self, tables: &[Arc<Table>]) -> bool {
        let pairs = self.tables.iter().zip(tables);
        pairs
            .into_iter()
            .all(|(one, other)| Arc::ptr_eq(one, other))
    }

    /// Replaces other spellings, or German names, of values by the stored ones.
    pub(super) fn name_values(&mut self, named: Vec<(String, String)>, is_typo: bool) {
        for (word, by) in named {
            if let Some(text) = with_word(&self.text, &word, &by) {
                self.text = text;
                let is = None;
                self.replaced.push(Replaced {
                    word,
                    by,
                    is,
                    is_typo,
                });
            }
        }
    }

    /// A question without the typing errors that were corrected; `None` if there were none.
    pub(super) fn without_typos(&self, question: &str) -> Option<String> {
        let typos = self.replaced.iter().filter(|one| one.is_typo);
        typos.fold(None, |text, one| {
            let before = text.as_deref().unwrap_or(question);
            with_word(before, &one.word, &one.by).or(text)
        })
    }
}

/// The text with another word wherever a word occurs; `None` if it does not.
pub(crate) fn with_word(text: &str, word: &str, replacement: &str) -> Option<String> {
    let is_outside = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    let mut replaced = String::with_capacity(text.len() + replacement.len());
    let mut end = 0;
    for (at, _) in text.match_indices(word) {
        let (before, rest) = text.split_at(at);
        let after = rest.strip_prefix(word).unwrap_or_default();
        if is_outside(before.chars().next_back()) && is_outside(after.chars().next()) {
            replaced.push_str(text.get(end..at)?);
            replaced.push_str(replacement);
            end = at + word.len();
        }
    }
    replaced.push_str(text.get(end..)?);
    (end > 0).then_some(replaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_are_replaced() {
        assert_eq!(
            with_word("art, artists and art", "art", "works").unwrap(),
            "works, artists and works"
        );
        assert_eq!(with_word("artists", "art", "works"), None);
    }
}
