//! Data for training a model: which verified examples are learned, in which part, which of them may be shown to each
//! other, and the line of each.
//!
//! A line is a prompt as it would be sent, with the reply that people verified. What must not happen: that a model learns
//! what it is measured by ([`choose()`] leaves out cases of suites, and tells which examples are of the other part), that
//! its own answer is in the prompt, or that it learns to write constants that it cannot know ([`line()`] leaves them out).

mod choice;
mod constants;
mod line;

pub use self::choice::{Candidate, Case, Chosen, Part, choose};
pub use self::line::{Format, line};
