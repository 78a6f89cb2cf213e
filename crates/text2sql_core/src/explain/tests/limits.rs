//! What is refused, what is only partly explained, and that nothing panics.
