//! The search for a question that may need none: nothing is read before the first call.

use std::cell::OnceCell;

use text2sql_domain::error::Error;
use text2sql_domain::passages::{FoundPassages, PassageRequest, TextSource};
use text2sql_domain::ports::PassageSearch;

use super::TextSearch;

/// A search that is prepared when it is first asked.
#[derive(Default)]
pub(crate) struct TextsOnDemand {
    search: OnceCell<TextSearch>,
}

impl TextsOnDemand {
    fn search(&self) -> Result<&TextSearch, Error> {
        if let Some(search) = self.search.get() {
            return Ok(search);
        }
        let search = TextSearch::new()?;
        Ok(self.search.get_or_init(|| search))
    }
}

impl PassageSearch for TextsOnDemand {
    fn has_texts(&self) -> Result<bool, Error> {
        self.search()?.has_texts()
    }

    fn text_sources(&self) -> Result<Vec<TextSource>, Error> {
        self.search()?.text_sources()
    }

    fn search(&self, request: &PassageRequest<'_>) -> Result<FoundPassages, Error> {
        Self::search(self)?.search(request)
    }
}
