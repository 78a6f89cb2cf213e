//! Prompt templates that the owner has replaced.

use std::collections::BTreeMap;

/// The templates that are used instead of those of the extension. Each was checked to fit the placeholders and
/// the form of reply of the one that it replaces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnPrompts {
    by_name: BTreeMap<String, OwnPrompt>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct OwnPrompt {
    version: i32,
    text: String,
}

impl OwnPrompts {
    /// Adds a template.
    pub fn insert(&mut self, name: &str, version: i32, text: String) {
        self.by_name
            .insert(name.to_owned(), OwnPrompt { version, text });
    }

    /// The text that replaces the template of that name, if one does.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.by_name.get(name).map(|prompt| prompt.text.as_str())
    }

    /// Whether every template is that of the extension.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// The versions in use, by name.
    pub fn versions(&self) -> impl Iterator<Item = (&str, i32)> {
        let versions = self.by_name.iter();
        versions.map(|(name, prompt)| (name.as_str(), prompt.version))
    }
}
