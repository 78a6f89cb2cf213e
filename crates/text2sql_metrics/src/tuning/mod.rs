//! The decisions of `text2sql_eval.tune`: which settings to try, with which questions, when to stop, and what to
//! propose.
//!
//! Every decision is computed anew from what has been asked so far ([`decide()`]), so that a search which was interrupted
//! goes on where it was, and repeats no question. The same seed gives the same decisions about the same answers.
//!
//! 1. A generation of trials is drawn ([`space`], `sample`): all combinations where there are few, else some in which
//!    each value occurs; later ones near the best so far.
//! 2. Successive halving (Jamieson and Talwalkar 2016): all trials are asked the same few questions, the better half
//!    twice as many, and so on (`rungs`).
//! 3. Racing (Maron and Moore 1994; Birattari et al. 2002): after each block of questions, a trial that is worse than
//!    another over the same cases stops, as does one that could not catch up (`race`).
//! 4. It ends when two generations brought nothing better, nothing is left to try, or the budget is used up. What is
//!    proposed is then judged on cases that no trial was asked ([`judgement`]).

mod decide;
pub mod document;
mod figures;
mod front;
pub mod judgement;
mod leaders;
pub mod objectives;
mod outcome;
mod paired;
mod race;
mod rungs;
mod sample;
mod search;
pub mod space;

#[cfg(test)]
mod tests;

pub use decide::{Decision, Step, decide};
pub use figures::{Figures, figures};
pub use objectives::{Objectives, Scale};
pub use outcome::Outcome;
pub use search::{Plan, State, Trial, order};
pub use space::{Choice, Dimension, Problem, Space};
