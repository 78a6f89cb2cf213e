//! The start of a refresh: compares what is stored with the settings, and clears what does not match.

use text2sql_domain::error::{Error, failure};
use text2sql_domain::words;

use super::run::{Refresh, Way};
use super::vectors;
use super::writing::{CLEAR_SECOND_ITEMS, drop_second, run_all};
use crate::pg::search::search_index::{FORMAT, VectorSet, second_embedder};
use crate::pg::server::spi;

const READ_STATE: &str =
    "SELECT format, language, embedder, dimensions, refreshed_at IS NULL OR refreshed_at < started_at
     FROM text2sql._index_state";
const START: &str = "INSERT INTO text2sql._index_state (format, language, embedder, dimensions, started_at)
     VALUES ($1, $2, $3, $4, clock_timestamp())
     ON CONFLICT (only_row) DO UPDATE SET format = excluded.format, language = excluded.language,
         embedder = excluded.embedder, dimensions = excluded.dimensions, started_at = excluded.started_at";
const CLEAR: &[&str] = words!(
    "DELETE FROM text2sql._index_documents, DELETE FROM text2sql._index_totals, \
     DELETE FROM text2sql._index_postings, DELETE FROM text2sql._index_joins, \
     DELETE FROM text2sql._index_join_counts, DELETE FROM text2sql._index_families"
);
const CLEAR_VALUES: &[&str] = words!(
    "DELETE FROM text2sql._index_values, DELETE FROM text2sql._index_value_keys, \
     DELETE FROM text2sql._index_value_columns, DELETE FROM text2sql._index_value_tables, \
     DELETE FROM text2sql._index_distributed_tables"
);
const CLEAR_VECTORS: &[&str] = words!(
    "DELETE FROM text2sql._index_vectors, DELETE FROM text2sql._index_words, \
     UPDATE text2sql._index_documents SET is_embedded = false WHERE is_embedded"
);

struct Stored {
    format: i32,
    language: String,
    embedder: String,
    dimensions: i32,
    /// Whether the run that started last did not end.
    is_unfinished: bool,
}

impl Refresh {
    /// Compares what is stored with the settings, clears what does not match, and writes the state of this run.
    /// A worker that finds nothing to do leaves the state as it is: sessions cache what they know about the index
    /// until it changes. `known_form` is what the last worker made the index with.
    pub(super) fn begin(&self, rebuild: bool, known_form: Option<&str>) -> Result<(), Error> {
        let name = self.embedder.name();
        let stored = self
            .as_owner(|| spi::read_rows(READ_STATE, &[], 1, read_stored))?
            .pop();
        // A worker does not ask an endpoint every time.
        let known = stored
            .as_ref()
            .filter(|stored| self.way == Way::Worker && stored.embedder == name)
            .and_then(|stored| usize::try_from(stored.dimensions).ok());
        let dimensions = match known {
            Some(known) if known > 0 => known,
            _ => self.length()?,
        };
        self.dimensions.set(dimensions);
        let dimensions = i32::try_from(dimensions).unwrap_or(0);
        let language = self.analyzer.language().to_owned();
        self.as_owner(|| {
            let has_form = stored
                .as_ref()
                .is_some_and(|stored| stored.format == FORMAT && stored.language == language);
            let has_vectors = stored
                .as_ref()
                .is_some_and(|stored| stored.embedder == name && stored.dimensions == dimensions);
            if let Some(stored) = &stored
                && self.way == Way::Worker
                && known_form == Some(self.form().as_str())
                && (stored.embedder != name || stored.language != language)
            {
                return Err(failure!(Setup, "refresh() made the index with \"{}\" in {}, and the settings of the database are \"{name}\" and {language}",
                        stored.embedder, stored.language)
                .with_hint("Set text2sql.embedding_model and default_text_search_config with ALTER DATABASE, not for a role or a session."));
            }
            if let Some(stored) = stored.as_ref().filter(|_| self.has_caller()) {
                if !has_form {
                    pgrx::notice!("text2sql: the format or language of the index changed: rebuilding it");
                } else if !has_vectors {
                    pgrx::notice!(
                        "text2sql: the embedding model changed from \"{}\" with {} dimensions to \"{name}\" with {dimensions}: recomputing all vectors",
                        stored.embedder,
                        stored.dimensions,
                    );
                }
            }
            if rebuild || !has_form {
                run_all(CLEAR)?;
                run_all(CLEAR_VALUES)?;
                run_all(CLEAR_SECOND_ITEMS)?;
            }
            if rebuild || !has_form || !has_vectors {
                vectors::drop_indexes(VectorSet::Index)?;
                run_all(CLEAR_VECTORS)?;
            }
            if second_embedder()?.is_some_and(|second| second.embedder == name) {
                drop_second()?;
            }
            let is_unfinished = stored.is_none_or(|stored| stored.is_unfinished);
            if rebuild || !has_form || !has_vectors || is_unfinished || self.has_caller() {
                self.start()?;
            }
            Ok(())
        })
    }

    /// Writes the state of this run, once: from now on it differs from the state that sessions know.
    pub(super) fn start(&self) -> Result<(), Error> {
        if self.way == Way::Transaction || self.has_begun.replace(true) {
            return Ok(());
        }
        let arguments = [
            FORMAT.into(),
            self.analyzer.language().to_owned().into(),
            self.embedder.name().into(),
            i32::try_from(self.dimensions.get()).unwrap_or(0).into(),
        ];
        self.as_owner(|| spi::write(START, &arguments, |_| Ok(())))?;
        Ok(())
    }

    /// The embedder and the language in one text.
    pub(super) fn form(&self) -> String {
        format!("{} {}", self.embedder.name(), self.analyzer.language())
    }
}

fn read_stored(row: &spi::Row) -> Result<Stored, Error> {
    Ok(Stored {
        format: row.read(1)?.unwrap_or_default(),
        language: row.read(2)?.unwrap_or_default(),
        embedder: row.read(3)?.unwrap_or_default(),
        dimensions: row.read(4)?.unwrap_or_default(),
        is_unfinished: row.read(5)?.unwrap_or(true),
    })
}
