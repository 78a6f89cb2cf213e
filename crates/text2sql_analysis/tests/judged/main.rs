//! Queries against questions, over tables that no other test has.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

mod copies;
mod parking;
