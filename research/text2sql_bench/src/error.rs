//! Errors of this program: none is handled, each is shown.

use std::error::Error;

/// A result with any error.
pub(crate) type Fallible<T> = Result<T, Box<dyn Error>>;
