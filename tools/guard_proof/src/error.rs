//! Errors of this program: none is handled, each is shown.

/// A result with any error.
pub type Fallible<T> = Result<T, Box<dyn std::error::Error>>;
