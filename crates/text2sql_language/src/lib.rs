//! Human language: the words, periods and numbers of a question in several languages, and sentences about rows.
#![forbid(unsafe_code)]

pub mod claims;
pub mod dates;
pub mod english;
pub mod german;
pub mod german_words;
pub mod interpretation;
pub mod lexicon;
pub mod narration;
pub mod numbers;
pub mod relative;
pub mod relative_periods;
pub mod sentence;
pub mod spans;
pub mod terms;
pub mod understanding;
pub mod values;
pub mod verbs;
pub mod words;
