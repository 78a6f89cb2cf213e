//! Why nothing was imported.

use std::error::Error;

/// Why nothing was imported: a sentence for the person who started it.
pub type Failure = Box<dyn Error + Send + Sync>;
