//! Stub.
use crate::schema::{Definition, Table};
use std::sync::Arc;
/// Stub.
pub fn ambiguity(
    _: &str,
    _: &[Arc<Table>],
    _: &[Definition],
    _: &str,
) -> Option<(String, Vec<String>)> {
    None
}
