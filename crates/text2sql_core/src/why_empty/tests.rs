//! Causes of empty results.
