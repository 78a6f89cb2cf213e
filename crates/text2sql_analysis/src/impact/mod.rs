//! What reads a table, a column, a view or a function: directly, or through what reads it.
//!
//! [`impact`] goes from reader to reader. What PostgreSQL or a stored row records is certain; what stands in a text
//! that the server does not analyse is [`mentions`] and less certain. Nothing is more certain than its way there.

pub mod mentions;
mod reader;
mod search;

pub use self::reader::{Certainty, Class, Dependencies, Impact, MAX_FOLLOWED, Node, Reader};
pub use self::search::impact;
