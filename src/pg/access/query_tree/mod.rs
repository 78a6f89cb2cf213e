//! Reads the server's own query trees: what a query names and reads, and its positions in the text.

pub(crate) mod carried;
pub(crate) mod node_kinds;
pub(crate) mod operands;
pub(crate) mod position;
pub(crate) mod reads;
