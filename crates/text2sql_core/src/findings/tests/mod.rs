//! Positive and negative cases of every check.
