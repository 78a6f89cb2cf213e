//! What is written down: knowledge that people teach, models and budgets, questions that wait, and what was asked.
//!
//! - [`teaching`] writes what owners and curators say, [`knowledge`] reads it for a question;
//! - [`models`] are foreign servers with their keys and budgets; [`queue`] has submitted questions and their workers;
//! - [`record`] keeps history, conversations, approvals and the audit log; [`files`] become tables; [`evaluation`] copies
//!   tables with perturbed rows.
//!
//! The tables belong to the owner of the extension, who alone writes them, in functions that first ask what the caller may
//! do. A stored row names objects by OID and is read with the privileges of whoever asks. Nothing is held while a model
//! works: rows are written when its replies are there.

pub(crate) mod evaluation;
pub(crate) mod files;
pub(crate) mod knowledge;
pub(crate) mod models;
pub(crate) mod queue;
pub(crate) mod record;
pub(crate) mod teaching;
