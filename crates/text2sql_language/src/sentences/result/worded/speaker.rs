//! Who speaks: a language of the catalogue, with the parts that all sentences have.

use text2sql_phrases::{Language, retold_with, say_in};

use super::super::frame::capital;
use super::super::grammar::{Grammar, Words};
use super::super::kinds::Row;
use super::super::phrases::Phrases;

/// A language of the catalogue, with what is known of the words of its questions.
pub struct Worded {
    /// Its language.
    pub language: Language,
    /// Its grammar.
    pub grammar: &'static dyn Grammar,
    /// The question, whose own words go first.
    pub question: String,
}

impl Worded {
    /// The parts of an enumeration.
    pub(super) fn and(&self, parts: &[String]) -> String {
        match parts {
            [front @ .., last] if !front.is_empty() => {
                let front = front.join(", ");
                say_in!(self.language, "{front} and {last}")
            }
            parts => parts.concat(),
        }
    }

    /// A number with its separators.
    pub(super) fn number(&self, count: u64) -> String {
        let (thousands, point) = self.separators();
        super::super::format::grouped(&count.to_string(), thousands, point)
    }

    /// The name of a measure: the built-in engine writes "number of" and the like in English.
    pub(super) fn measure(&self, name: &str) -> String {
        let noun = |name: &str| self.noun(name);
        noun(name).unwrap_or_else(|| retold_with(self.language, "measure", name, noun))
    }

    /// What rows are grouped by.
    pub(super) fn keys(&self, keys: &[String]) -> String {
        let said = keys.iter().map(|key| self.noun(key));
        let said = said
            .zip(keys)
            .map(|(noun, key)| noun.unwrap_or_else(|| key.clone()));
        self.and(&said.collect::<Vec<_>>())
    }

    fn noun(&self, name: &str) -> Option<String> {
        self.grammar.noun(name, &self.question)
    }

    /// Whether a verb of the question is "is" or "are".
    pub(super) fn is(&self, kind: Words, verb: &str) -> bool {
        self.grammar.words(kind).contains(&verb)
    }

    /// A row with several values, as the sentence of its name or of its own.
    pub(super) fn unnamed(&self, row: &Row, further: &str) -> String {
        let parts: Vec<String> = row
            .values
            .iter()
            .map(|(label, value)| {
                let label = self.measure(label);
                match value {
                    Some(value) => {
                        say_in!(self.language, "row^the {label} is {value}")
                    }
                    None => say_in!(self.language, "row^the {label} is not known"),
                }
            })
            .collect();
        let parts = match parts.as_slice() {
            [front @ .., last] if !front.is_empty() => {
                let front = front.join(", ");
                say_in!(self.language, "row^{front} and {last}")
            }
            parts => parts.concat(),
        };
        format!("{}{further}.", capital(&parts))
    }
}

/// What follows the things, with the space before it.
pub(super) fn spaced(rest: &str) -> String {
    match rest.is_empty() {
        true => String::new(),
        false => format!(" {rest}"),
    }
}

/// The sign that a language writes in numbers.
pub(super) fn sign(text: &str) -> Option<char> {
    text.chars().next()
}
