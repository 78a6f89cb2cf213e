//! The phrases for periods in one language, and the words around their days.

/// What a language says of periods.
pub struct Phrases {
    /// Small words by which a question is known to be of this language.
    pub marks: &'static [&'static str],
    /// Its words for two to twelve.
    pub numbers: &'static [&'static str],
    /// Words after which a period is that of another one: "the same month".
    pub same: &'static [&'static str],
    /// Ways of saying a period, parted by `|`, with the English for it. `#` is a number.
    pub phrases: &'static [(&'static str, &'static str)],
    /// How the days are told.
    pub wording: Wording,
}

/// How a language tells days; `{}` is a day.
#[derive(Debug, PartialEq, Eq)]
pub struct Wording {
    pub is: &'static str,
    pub range: &'static str,
    pub from: &'static str,
    pub before: &'static str,
}

pub static ENGLISH: Wording = Wording {
    is: "is",
    range: "{} up to but without {}",
    from: "{} and later",
    before: "before {}",
};

pub static GERMAN: Wording = Wording {
    is: "ist",
    range: "{} bis ausschließlich {}",
    from: "ab {}",
    before: "vor {}",
};
