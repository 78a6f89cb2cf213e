//! The languages, and the one that holds now.

use std::cell::Cell;
use std::fmt;

use crate::catalogue::Catalogue;
use crate::po::{self, Entry};

include!(concat!(env!("OUT_DIR"), "/languages.rs"));

/// A language that sentences are written in: a file of the catalogue.
#[derive(Clone, Copy)]
pub struct Language(pub(crate) &'static Catalogue);

thread_local! {
    static CURRENT: Cell<Language> = const { Cell::new(Language::ENGLISH) };
}

impl Language {
    /// English, in which the code writes, and every other language where it says nothing.
    pub const ENGLISH: Self = Self(&EN);

    /// All of them, English first.
    pub fn all() -> impl Iterator<Item = Self> {
        ALL.iter().copied().map(Self)
    }

    /// The language of a file that is not among the catalogue's.
    pub fn of_file(tag: &'static str, file: &'static str) -> Self {
        Self(Box::leak(Box::new(Catalogue::new(tag, file))))
    }

    /// Its tag, as in ISO 639-1.
    pub fn tag(self) -> &'static str {
        self.0.tag
    }

    /// Its name in itself: "Deutsch".
    pub fn name(self) -> &'static str {
        &self.0.header().name
    }

    /// Its text search configuration, as PostgreSQL names them.
    pub fn dictionary(self) -> &'static str {
        match self.0.header().dictionary.as_str() {
            "" => "simple",
            name => name,
        }
    }

    /// The language of a tag, a locale or a name: "de", `de_DE.UTF-8`, "German", "Deutsch".
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim().to_lowercase();
        let tag = name.split(['_', '-', '.', '@']).next().unwrap_or_default();
        Self::all().find(|language| {
            let header = language.0.header();
            language.tag() == tag
                || header.name.to_lowercase() == tag
                || header.names.iter().any(|name| name == tag)
        })
    }

    /// The entries of its file, without the header.
    pub fn entries(self) -> &'static [Entry] {
        self.0.texts().entries.get(1..).unwrap_or_default()
    }

    /// The texts of a context that the code knows by a name, each in all its forms; in English where it has none.
    pub fn named_texts(
        self,
        context: &str,
    ) -> impl Iterator<Item = (&'static str, &'static [String])> {
        Self::ENGLISH.entries().iter().filter_map(move |english| {
            let (own, name) = english.key.split_once('^')?;
            let entry = self.0.entry(&english.key).unwrap_or(english);
            (own == context).then_some((name, entry.texts.as_slice()))
        })
    }

    /// Which of its plural forms a number needs.
    pub fn plural_form(self, number: u64) -> usize {
        po::plural_form(&self.0.header().plural, number)
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.tag() == other.tag()
    }
}

impl Eq for Language {}

impl Default for Language {
    fn default() -> Self {
        Self::ENGLISH
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.tag())
    }
}

/// The language that holds now.
pub fn current() -> Language {
    CURRENT.get()
}

/// Runs `work` in a language.
pub fn in_language<T>(language: Language, work: impl FnOnce() -> T) -> T {
    let _before = Before(CURRENT.replace(language));
    work()
}

/// Puts the language back that held before, also when a panic passes.
struct Before(Language);

impl Drop for Before {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}
