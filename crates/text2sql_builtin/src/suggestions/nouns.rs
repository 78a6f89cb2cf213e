//! The nouns for the rows of a table, in the language of a question.

use text2sql_domain::language::Language;
use text2sql_domain::schema::Table;
use text2sql_language::german::nouns;

use crate::linking::readable_names::{plural, readable, singular};

/// The nouns for one row and for several.
pub(super) struct Nouns {
    pub(super) one: String,
    pub(super) many: String,
}

impl Nouns {
    pub(super) fn of(table: &Table, language: Language) -> Self {
        let one = singular(&table.name);
        if language == Language::German {
            if let Some(noun) = nouns::in_german(&one) {
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
