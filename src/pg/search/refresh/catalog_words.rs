//! The words of the whole catalog, by which names are taken apart: `artikelgruppe` has two parts where a table
//! `gruppe` exists.
//!
//! They are read from the catalog and not from the index, so that a refresh of one table reads its names as a
//! rebuild would. A table that did not change keeps the reading of its last refresh, even if a word that
//! came since would explain one of its names better: such a name is then found as it was before.

use text2sql_domain::error::Error;
use text2sql_language::names::vocabulary::Vocabulary;

use super::run::Refresh;
use crate::pg::server::spi;

const CATALOG_WORDS: &str = include_str!("../../../../sql/queries/catalog_words.sql");

/// Maximum length of a description that is read, in characters, as in a document.
const MAX_TEXT_CHARS: usize = 2_000;

impl Refresh {
    /// The words of names, descriptions and synonyms of everything that is not hidden.
    pub(super) fn vocabulary(&self) -> Result<Vocabulary, Error> {
        let mut vocabulary = Vocabulary::default();
        let rows = self.as_owner(|| {
            spi::read_rows(CATALOG_WORDS, &[], 0, |row| {
                Ok((
                    row.read::<String>(1)?.unwrap_or_default(),
                    row.read::<i64>(2)?.unwrap_or_default(),
                    row.read::<bool>(3)?.unwrap_or_default(),
                ))
            })
        })?;
        for (text, count, is_name) in rows {
            if is_name {
                let count = u32::try_from(count).unwrap_or(u32::MAX);
                vocabulary.add_name(&text, count, &self.analyzer);
            } else {
                let text: String = text.chars().take(MAX_TEXT_CHARS).collect();
                vocabulary.add_text(&text, &self.analyzer);
            }
        }
        Ok(vocabulary)
    }
}
