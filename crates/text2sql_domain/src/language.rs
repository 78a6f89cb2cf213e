//! The languages that sentences of the built-in engine are written in.

/// The language of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// German.
    German,
}
