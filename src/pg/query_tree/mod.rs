//! Reads the server's own query trees: what a query names and reads, and where in its text.

pub(crate) mod node_kinds;
pub(crate) mod operands;
pub(crate) mod position;
pub(crate) mod reads;
