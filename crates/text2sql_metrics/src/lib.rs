//! Quality metrics for answers, one file per family, each with its formula and its source.
//!
//! The functions here compute from facts only: SQL texts, result tables, statuses. The extension collects
//! the facts, because only it may run statements ([`grade`] grades one attempt); external programs
//! use the same code for their tables and reports.

#![forbid(unsafe_code)]

pub mod boundary_values;
pub mod calibration;
pub mod calibration_drift;
pub mod case;
pub mod case_context;
pub mod components;
pub mod element_accuracy;
pub mod evaluation_data;
pub mod exact_match;
pub mod execution_accuracy;
pub mod fit_confidence;
pub mod grade;
pub mod kappa;
pub mod measures;
pub mod opinion;
pub mod passages;
pub mod perturbed_copies;
mod random;
pub mod reasons;
pub mod reliability;
pub mod report;
pub mod result_table;
pub mod sentences;
pub mod significance;
pub mod similarity;
pub mod summary;
pub mod tuning;
pub mod validity;

#[cfg(test)]
mod reference_tests;
