//! Additions to the steps of a query explanation: a model's summary, and similar verified examples.

mod examples;
mod faithful;
pub mod summary;

pub use self::examples::nearest;
