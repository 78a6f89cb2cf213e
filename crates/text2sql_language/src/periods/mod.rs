//! Periods in the words of a question, counted from a given today: this crate has no clock.

pub mod dates;
pub mod defined;
pub mod mentioned;
mod period;
mod relative;
pub mod spans;
mod unit;
mod whole_units;

pub use self::period::Period;
