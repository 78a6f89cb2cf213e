//! A model endpoint for tests. It speaks real HTTP on loopback in the shapes of OpenAI's chat
//! completions and Anthropic's messages, embeds and re-ranks, answers from a script, and is slow or
//! broken in whatever way the first segments of the path ask for.
//!
//! [`behaviour`] lists the ways to misbehave, [`script`] says how replies are chosen. The program
//! of the same name serves a script file to shells and to database tests.
#![forbid(unsafe_code)]

pub mod behaviour;
mod body;
mod certificate;
mod conversation;
mod plan;
mod record;
mod reply;
pub mod script;
mod server;
mod vectors;

pub use record::RecordedRequest;
pub use script::Script;
pub use server::{ModelDouble, Options};
