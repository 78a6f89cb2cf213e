//! `text2sql.release_local_model()`: gives back the memory of the embedder `local`.

use pgrx::prelude::*;

use crate::pg::models::local_model;

/// Forgets the sentence model that this session has loaded, if it has one: some 100 MB. The next
/// question that needs it loads it again.
#[pg_extern(volatile, parallel_unsafe)]
fn release_local_model() -> bool {
    local_model::release()
}
