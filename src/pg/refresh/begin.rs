//! The start of a refresh: compares what is stored with the settings, and clears what does not match.

use text2sql_domain::error::Error;
use text2sql_domain::ports::Purpose;

use super::run::Refresh;
use super::vectors;
use crate::pg::record::audit;
use crate::pg::search_index::FORMAT;
use crate::pg::spi;

const READ_STATE: &str = "SELECT format, language, embedder, dimensions FROM text2sql._index_state";
const START: &str = "INSERT INTO text2sql._index_state (format, language, embedder, dimensions, started_at)
     VALUES ($1, $2, $3, $4, clock_timestamp())
     ON CONFLICT (only_row) DO UPDATE SET format = excluded.format, language = excluded.language,
         embedder = excluded.embedder, dimensions = excluded.dimensions, started_at = excluded.started_at";
const CLEAR: &[&str] = &[
    "DELETE FROM text2sql._index_documents",
    "DELETE FROM text2sql._index_totals",
    "DELETE FROM text2sql._index_postings",
    "DELETE FROM text2sql._index_joins",
    "DELETE FROM text2sql._index_families",
];
const CLEAR_VALUES: &[&str] = &[
    "DELETE FROM text2sql._index_values",
    "DELETE FROM text2sql._index_value_keys",
    "DELETE FROM text2sql._index_value_columns",
    "DELETE FROM text2sql._index_value_tables",
];
const CLEAR_VECTORS: &[&str] = &[
    "DELETE FROM text2sql._index_vectors",
    "DELETE FROM text2sql._index_words",
    "UPDATE text2sql._index_documents SET is_embedded = false WHERE is_embedded",
];

struct Stored {
    format: i32,
    language: String,
    embedder: String,
    dimensions: i32,
}

impl Refresh {
    /// Compares what is stored with the settings and writes the state of this run.
    pub(super) fn begin(&self, rebuild: bool) -> Result<(), Error> {
        let name = self.embedder.name();
        // Some endpoints reveal the length of their vectors only by returning one.
        let dimensions = match self.embedder.dimensions() {
            0 => {
                let vectors = audit::with_trace(self.trace_id, || {
                    self.embedder.embed(&["table"], Purpose::Document)
                })?;
                vectors.first().map_or(0, Vec::len)
            }
            known => known,
        };
        self.dimensions.set(dimensions);
        let dimensions = i32::try_from(dimensions).unwrap_or(0);
        let language = self.analyzer.language().to_owned();
        self.as_owner(|| {
            let stored = spi::read_rows(READ_STATE, &[], 1, read_stored)?.pop();
            let has_form = stored
                .as_ref()
                .is_some_and(|stored| stored.format == FORMAT && stored.language == language);
            let has_vectors = stored
                .as_ref()
                .is_some_and(|stored| stored.embedder == name && stored.dimensions == dimensions);
            if let Some(stored) = &stored {
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
            }
            if rebuild || !has_form || !has_vectors {
                vectors::drop_indexes()?;
                run_all(CLEAR_VECTORS)?;
            }
            spi::write(
                START,
                &[
                    FORMAT.into(),
                    language.into(),
                    name.into(),
                    dimensions.into(),
                ],
                |_| Ok(()),
            )?;
            Ok(())
        })
    }
}

fn run_all(statements: &[&'static str]) -> Result<(), Error> {
    for statement in statements {
        spi::execute(statement, &[], |_| Ok(()))?;
    }
    Ok(())
}

fn read_stored(row: &spi::Row) -> Result<Stored, Error> {
    Ok(Stored {
        format: row.read(1)?.unwrap_or_default(),
        language: row.read(2)?.unwrap_or_default(),
        embedder: row.read(3)?.unwrap_or_default(),
        dimensions: row.read(4)?.unwrap_or_default(),
    })
}
