//! Words of a question that stand for days because a definition says so: "recent", "this season", "fiscal year 2025".
//!
//! The words that mean about the same to everybody have a default ([`defaults`]); a fiscal year or a season has none,
//! because a wrong one gives a wrong answer that looks right.

mod find;
mod question;
mod term;
#[cfg(test)]
mod tests;
mod words;

pub use self::find::{find, undefined};
pub use self::question::with_days;
pub use self::term::{NamedPeriod, PeriodTerm, Undefined, defaults};
pub use self::words::are_same;
