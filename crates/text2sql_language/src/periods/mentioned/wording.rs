//! The phrases for periods in one language, and the words around their days.

/// The phrases of one language.
pub struct Phrases {
    /// Function words that identify the language.
    pub marks: &'static [&'static str],
    /// Its words for two to twelve.
    pub numbers: &'static [&'static str],
    /// Words that make a period relative to another one: "the same month".
    pub same: &'static [&'static str],
    /// Phrases, with variants separated by `|`, and their English equivalent. `#` is a number.
    pub phrases: &'static [(&'static str, &'static str)],
    /// How days are written.
    pub wording: Wording,
}

/// How a language writes days; `{}` is a day.
#[derive(Debug, PartialEq, Eq)]
pub struct Wording {
    pub is: &'static str,
    /// Before what a definition says.
    pub means: &'static str,
    pub range: &'static str,
    pub from: &'static str,
    pub before: &'static str,
}

pub static ENGLISH: Wording = Wording {
    is: "is",
    means: "means",
    range: "{} up to but without {}",
    from: "{} and later",
    before: "before {}",
};

pub static GERMAN: Wording = Wording {
    is: "ist",
    means: "bedeutet",
    range: "{} bis ausschließlich {}",
    from: "ab {}",
    before: "vor {}",
};
