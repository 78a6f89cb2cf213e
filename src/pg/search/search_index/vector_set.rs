//! The two sets of vectors: those of the search index, and those of a second embedder beside them.
//!
//! A session uses the second set if its `text2sql.embedding_model` names the embedder of it, which the index does not
//! have. `crate::pg::search::refresh::second` makes it.

use text2sql_domain::error::Error;

use crate::pg::server::settings;
use crate::pg::server::spi;
use crate::pg::server::spi::owner::has_no_block;

const DIMENSIONS: &str = "SELECT dimensions FROM text2sql._index_state";
const SECOND_DIMENSIONS: &str =
    "SELECT dimensions FROM text2sql._second_embedder WHERE built_at IS NOT NULL";
const SECOND: &str =
    "SELECT model, embedder, dimensions, built_at IS NOT NULL FROM text2sql._second_embedder";

/// Which vectors are searched. Each has tables of its own, so that neither is slower because of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum VectorSet {
    /// The vectors of the index.
    Index,
    /// The vectors of the second embedder.
    Second,
}

impl VectorSet {
    /// The table of tables, definitions and examples.
    pub(crate) fn items(self) -> &'static str {
        match self {
            Self::Index => "_index_vectors",
            Self::Second => "_second_vectors",
        }
    }

    /// The table of words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Index => "_index_words",
            Self::Second => "_second_words",
        }
    }

    /// The table of passages.
    pub(crate) fn passages(self) -> &'static str {
        match self {
            Self::Index => "_passage_vectors",
            Self::Second => "_second_passage_vectors",
        }
    }

    /// The length of its vectors; 0 if there are none. As the owner.
    pub(crate) fn dimensions(self) -> Result<i32, Error> {
        let stored = match self {
            Self::Index => spi::read_one(DIMENSIONS, &[])?,
            Self::Second => spi::read_one(SECOND_DIMENSIONS, &[])?,
        };
        Ok(stored.unwrap_or_default())
    }
}

/// The second embedder.
#[derive(Debug, Clone)]
pub(crate) struct SecondEmbedder {
    /// As `text2sql.embedding_model` names it.
    pub(crate) model: String,
    /// What made the vectors.
    pub(crate) embedder: String,
    pub(crate) dimensions: i32,
    /// Whether all vectors were made once: until then nobody uses them.
    pub(crate) is_built: bool,
}

impl SecondEmbedder {
    /// Whether this session uses its vectors, where the others are of `made_by`.
    pub(crate) fn is_used_beside(&self, made_by: &str) -> bool {
        self.is_built && self.embedder != made_by && self.model == settings::embedding_model()
    }
}

/// The second embedder; `None` if there is none. As the owner.
pub(crate) fn second_embedder() -> Result<Option<SecondEmbedder>, Error> {
    if has_no_block(c"_second_embedder") {
        return Ok(None);
    }
    let rows = spi::read_rows(SECOND, &[], 1, |row| {
        Ok(SecondEmbedder {
            model: row.read(1)?.unwrap_or_default(),
            embedder: row.read(2)?.unwrap_or_default(),
            dimensions: row.read(3)?.unwrap_or_default(),
            is_built: row.read(4)?.unwrap_or_default(),
        })
    })?;
    Ok(rows.into_iter().next())
}
