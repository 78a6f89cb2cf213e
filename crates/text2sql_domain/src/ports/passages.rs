//! Searches documents and texts of rows.

use crate::error::Error;
use crate::passages::{FoundPassages, PassageRequest, TextSource};

/// Texts beside the tables, limited to what the caller may read.
pub trait PassageSearch {
    /// Whether there is any document or indexed text column that the caller may read. Cheap: asked for every
    /// question.
    fn has_texts(&self) -> Result<bool, Error>;

    /// The indexed text columns of tables that the caller may read, by table and column.
    fn text_sources(&self) -> Result<Vec<TextSource>, Error>;

    /// The best passages for a question. Each can be read by the caller at this moment: a passage of a row is
    /// returned only if the caller has just read that row, whatever the search index says. A text that is not
    /// related to the question is not returned, so there may be none.
    fn search(&self, request: &PassageRequest<'_>) -> Result<FoundPassages, Error>;
}

/// No texts at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoTexts;

impl PassageSearch for NoTexts {
    fn has_texts(&self) -> Result<bool, Error> {
        Ok(false)
    }

    fn text_sources(&self) -> Result<Vec<TextSource>, Error> {
        Ok(Vec::new())
    }

    fn search(&self, _request: &PassageRequest<'_>) -> Result<FoundPassages, Error> {
        Ok(FoundPassages::default())
    }
}
