//! What an evaluation needs from the server: perturbed copies of tables and fitted confidence.

pub(crate) mod confidence;
pub(crate) mod perturbed_tables;
