//! The languages, and the one that holds now.

use std::cell::Cell;

/// A language that sentences are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// English, in which the code writes.
    #[default]
    English,
    /// German.
    German,
}

thread_local! {
    static CURRENT: Cell<Language> = const { Cell::new(Language::English) };
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::English, Self::German];

    /// Its code, as in ISO 639-1.
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
        }
    }

    /// The language of a code, a locale or a name: "de", `de_DE.UTF-8`, "German", "Deutsch".
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim().to_lowercase();
        let code = name.split(['_', '-', '.', '@']).next().unwrap_or_default();
        match code {
            "en" | "english" | "englisch" | "c" | "posix" => Some(Self::English),
            "de" | "german" | "deutsch" => Some(Self::German),
            _ => None,
        }
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
