//! Whether the difference of two evaluations over the same cases may be chance, for every kind of figure.
//!
//! - [`mcnemar`]: McNemar's test for rates.
//! - [`wilcoxon`]: the signed-rank test for shares, and for amounts such as tokens.
//! - [`bootstrap`]: intervals of means and of mean differences, without an assumption about their distribution.
//! - [`holm`]: p values of several tests together.

pub mod bootstrap;
mod holm;
mod mcnemar;
mod wilcoxon;

pub use holm::holm;
pub use mcnemar::{McNemar, mcnemar};
pub(crate) use wilcoxon::two_sided;
pub use wilcoxon::{SignedRanks, wilcoxon};
