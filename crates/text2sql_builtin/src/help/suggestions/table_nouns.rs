//! The nouns for the rows of a table, in the language of a question.

use text2sql_domain::schema::Table;
use text2sql_language::german::nouns::{self, Noun};
use text2sql_phrases::Language;

use crate::linking::readable_names::{plural, readable, singular};

/// The nouns for one row and for several.
pub(super) struct Nouns {
    pub(super) one: String,
    pub(super) many: String,
}

impl Nouns {
    /// `asked` are German nouns of the question, which come before others for the same table.
    pub(super) fn of(table: &Table, language: Language, asked: &[&'static Noun]) -> Self {
        let one = singular(&table.name);
        if language.tag() == "de" {
            let mut asked = asked.iter().copied();
            let asked = asked.find(|noun| noun.english.contains(&one.as_str()));
            if let Some(noun) = asked.or_else(|| nouns::in_german(&one)) {
                let (one, many) = noun.forms.clone();
                return Self { one, many };
            }
            // A name as it is stands for one and for several.
            let name = readable(&table.name);
            return Self {
                one: name.clone(),
                many: name,
            };
        }
        Self {
            many: plural(&one),
            one,
        }
    }
}
