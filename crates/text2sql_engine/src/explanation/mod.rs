//! What an explanation of a query has beyond its steps: a summary by a model, and the nearest verified examples.

mod examples;
mod faithful;
pub mod summary;

pub use self::examples::nearest;
