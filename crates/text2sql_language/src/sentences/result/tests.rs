//! Sentences that a person agreed to.
