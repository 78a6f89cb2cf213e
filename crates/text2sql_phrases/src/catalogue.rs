//! The catalogue of a language: its file, read when it is first needed.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::po::{self, Entry};

/// The file of a language.
pub(crate) struct Catalogue {
    pub(crate) tag: &'static str,
    file: &'static str,
    header: OnceLock<Header>,
    texts: OnceLock<Texts>,
}

/// What the header of a file says of the language.
pub(crate) struct Header {
    /// Its name in itself.
    pub(crate) name: String,
    /// Other names, and locales.
    pub(crate) names: Vec<String>,
    /// Its text search configuration.
    pub(crate) dictionary: String,
    /// Which plural form a number needs.
    pub(crate) plural: String,
    /// The grammatical cases, in the order of the forms `[…|…]`.
    pub(crate) cases: Vec<String>,
    /// Two words that become one: "von dem", "vom".
    pub(crate) contractions: Vec<(String, String)>,
}

pub(crate) struct Texts {
    pub(crate) entries: Vec<Entry>,
    places: HashMap<String, usize>,
}

impl Catalogue {
    pub(crate) const fn new(tag: &'static str, file: &'static str) -> Self {
        Self {
            tag,
            file,
            header: OnceLock::new(),
            texts: OnceLock::new(),
        }
    }

    pub(crate) fn header(&self) -> &Header {
        self.header.get_or_init(|| {
            let first = self.file.split("\n\n").next().unwrap_or_default();
            let header = po::entries(first)
                .into_iter()
                .find_map(|entry| entry.texts.into_iter().next())
                .unwrap_or_default();
            let words = |name: &str| -> Vec<String> {
                let words = po::field(&header, name).split_whitespace();
                words.map(str::to_owned).collect()
            };
            let plural = po::field(&header, "Plural-Forms").split_once("plural=");
            let plural = plural.map_or("n != 1", |(_, rule)| rule.trim_end_matches(';'));
            Header {
                name: po::field(&header, "X-Name").to_owned(),
                names: words("X-Also"),
                dictionary: po::field(&header, "X-Text-Search").to_owned(),
                plural: plural.to_owned(),
                cases: words("X-Cases"),
                contractions: po::field(&header, "X-Contractions")
                    .split(',')
                    .filter_map(|pair| pair.trim().split_once('='))
                    .map(|(long, short)| (long.to_owned(), short.to_owned()))
                    .collect(),
            }
        })
    }

    pub(crate) fn texts(&self) -> &Texts {
        self.texts.get_or_init(|| {
            let entries = po::entries(self.file);
            let places = entries
                .iter()
                .enumerate()
                .map(|(place, entry)| (entry.key.clone(), place))
                .collect();
            Texts { entries, places }
        })
    }

    /// The entry of a key that has a translation.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        let texts = self.texts();
        let entry = texts.entries.get(*texts.places.get(key)?)?;
        entry
            .texts
            .iter()
            .all(|text| !text.is_empty())
            .then_some(entry)
    }

    /// The translation of a key; with a plural the form for that number.
    pub(crate) fn text(&self, key: &str, number: Option<u64>) -> Option<&str> {
        let texts = &self.entry(key)?.texts;
        let form = number.map_or(0, |number| po::plural_form(&self.header().plural, number));
        texts.get(form).or(texts.last()).map(String::as_str)
    }
}
