//! A search with a planted best, the rules of each decision, and how spaces are declared.

mod planted;
mod rules;
mod spaces;
