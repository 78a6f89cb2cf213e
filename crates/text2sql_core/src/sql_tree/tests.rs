//! What the parts of a query mean.
