//! Languages of words, numbers and dates.

use serde::Deserialize;

/// A language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// English, also for every language that is not known.
    #[default]
    English,
    /// German.
    German,
}

impl Language {
    /// The language of a tag such as `de` or `de-AT`.
    pub fn of_tag(tag: &str) -> Self {
        let primary = tag.split(['-', '_']).next().unwrap_or_default();
        if primary.eq_ignore_ascii_case("de") || primary.eq_ignore_ascii_case("german") {
            Self::German
        } else {
            Self::English
        }
    }

    /// The one of two texts that is in this language.
    pub(crate) fn pick<T>(self, english: T, german: T) -> T {
        match self {
            Self::English => english,
            Self::German => german,
        }
    }
}

impl<'de> Deserialize<'de> for Language {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|tag| Self::of_tag(&tag))
    }
}
