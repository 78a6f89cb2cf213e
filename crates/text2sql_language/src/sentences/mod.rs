//! Sentences about the rows of an answer: filled from a template, or checked against the rows.

pub mod claims;
pub mod doubt;
pub mod narration;
mod template;
pub mod values;

pub use self::template::{fill, is_grounded, plain, strip_markup};
