//! Plans in words.
