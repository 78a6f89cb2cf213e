//! Rewrites and index candidates.
