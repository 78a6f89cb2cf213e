//! Sentences about the rows of an answer: made from them, filled from a template, or checked against them.

pub mod cited;
pub mod claims;
pub mod doubt;
pub mod narration;
pub mod result;
mod template;
pub mod values;

pub use self::template::{fill, is_grounded, strip_markup};
