//! What a language needs of code, because it is about words of the question: how a question becomes the first half of
//! its answer, and how its words are inflected. All else that is said is in the catalogue.

mod english_nouns;
mod english_question;
mod german_question;

use super::frame::{Frame, bare};
use crate::german::nouns;

pub use self::english_nouns::many as english_plural;

/// The words of the question of a language. What it leaves out claims nothing of them.
pub trait Grammar {
    /// Reads a question.
    fn frame(&self, _question: &str) -> Frame {
        Frame::Unknown
    }
    /// "films of 2005" as "film of 2005".
    fn one_of(&self, _things: &str) -> Option<String> {
        None
    }
    /// "category" as "categories".
    fn many(&self, _noun: &str) -> Option<String> {
        None
    }
    /// The word for the name of a table or a column in another language, that of the question first.
    fn noun(&self, _name: &str, _question: &str) -> Option<String> {
        None
    }
    /// "have rating R" as "has rating R".
    fn predicate_of_one(&self, _predicate: &str) -> Option<String> {
        None
    }
    /// A noun phrase that may be a subject, with its article: "The average price".
    fn as_subject(&self, _phrase: &str) -> Option<String> {
        None
    }
    /// Whether a word can be the noun of what is counted, at the end of "the most films".
    fn is_counted(&self, _word: &str) -> bool {
        false
    }
    /// Words of this kind.
    fn words(&self, _kind: Words) -> &'static [&'static str] {
        &[]
    }
    /// Whether one of the words of a text is of this kind.
    fn says(&self, kind: Words, text: &str) -> bool {
        text.split(' ')
            .any(|word| self.words(kind).contains(&bare(word).as_str()))
    }
}

/// Kinds of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// "is", "was".
    IsOne,
    /// "are", "were".
    AreMany,
    /// "most", "fewest".
    Most,
    /// Words that turn a statement with "no" into its opposite.
    Negations,
    /// "per", "each".
    Grouping,
    /// Numbers.
    Numbers,
}

/// A language whose questions are not read.
pub struct Unread;

impl Grammar for Unread {}

/// English.
pub struct English;

impl Grammar for English {
    fn frame(&self, question: &str) -> Frame {
        english_question::read(question)
    }

    fn one_of(&self, things: &str) -> Option<String> {
        Some(english_nouns::one_of(things))
    }

    fn many(&self, noun: &str) -> Option<String> {
        Some(english_plural(noun))
    }

    fn predicate_of_one(&self, predicate: &str) -> Option<String> {
        english_nouns::predicate_of_one(predicate)
    }

    fn as_subject(&self, phrase: &str) -> Option<String> {
        english_question::with_article(phrase)
    }

    fn is_counted(&self, word: &str) -> bool {
        english_nouns::is_plural(&word.to_lowercase())
    }

    fn words(&self, kind: Words) -> &'static [&'static str] {
        match kind {
            Words::IsOne => &["is", "was"],
            Words::AreMany => &["are", "were"],
            Words::Most => &["most", "fewest"],
            Words::Negations => &[
                "no", "not", "never", "without", "none", "nothing", "don't", "didn't", "aren't",
                "weren't",
            ],
            Words::Grouping => &["per", "by", "each"],
            Words::Numbers => &[
                "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
                "twelve", "twenty",
            ],
        }
    }
}

/// German. Names of tables and columns are not inflected.
pub struct German;

impl Grammar for German {
    fn frame(&self, question: &str) -> Frame {
        german_question::read(question)
    }

    fn noun(&self, name: &str, question: &str) -> Option<String> {
        nouns::said_for(name, question)
    }

    fn is_counted(&self, word: &str) -> bool {
        word.starts_with(char::is_uppercase)
    }

    fn words(&self, kind: Words) -> &'static [&'static str] {
        match kind {
            Words::IsOne => &["ist", "war"],
            Words::AreMany => &["sind", "waren"],
            Words::Most => &["meisten", "wenigsten"],
            Words::Negations => &["nie", "nicht", "niemals", "ohne"],
            Words::Grouping => &["je", "pro", "nach"],
            Words::Numbers => &[
                "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "zwölf",
                "zwanzig",
            ],
        }
    }

    fn says(&self, kind: Words, text: &str) -> bool {
        text.split(' ').map(bare).any(|word| {
            self.words(kind).contains(&word.as_str())
                || kind == Words::Negations && word.starts_with("kein")
        })
    }
}
