//! Server-side parts of evaluations: perturbed copies of tables and fitted confidence.

pub(crate) mod confidence;
pub(crate) mod perturbed_tables;
