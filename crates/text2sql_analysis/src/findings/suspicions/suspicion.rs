//! What speaks against a query, and what becomes of it without that.

use crate::mend::Edit;

/// A suspicion, with what of the query it is about, if the rest stands by itself.
pub(super) struct Suspicion {
    pub(super) said: String,
    pub(super) edit: Option<Edit>,
}

impl From<String> for Suspicion {
    fn from(said: String) -> Self {
        Self { said, edit: None }
    }
}
