//! Documents as texts: their parts, and their language.

pub mod chunks;
pub mod language;
mod sentences;
