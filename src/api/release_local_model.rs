//! `text2sql.release_local_model()`: frees the memory of the embedder `local`.

use pgrx::prelude::*;

use crate::pg::stored::models::local_model;

/// Unloads the embedding model of this session, if one is loaded; it takes about 100 MB. The next question that
/// needs it loads it again.
#[pg_extern(volatile, parallel_unsafe)]
fn release_local_model() -> bool {
    local_model::release()
}
