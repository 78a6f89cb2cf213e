//! Whether the difference of two evaluations over the same cases may be chance, for every kind of figure.
//!
//! - [`wilcoxon`]: the signed-rank test for shares, and for amounts such as tokens.
//! - [`bootstrap`]: intervals of means and of mean differences, without an assumption about their distribution.
//! - [`holm`]: p values of several tests together.
//!
//! McNemar's test for rates is in `text2sql_domain::statistics`.

pub mod bootstrap;
mod holm;
mod wilcoxon;

pub use holm::holm;
pub(crate) use wilcoxon::two_sided;
pub use wilcoxon::{SignedRanks, wilcoxon};
