//! Agent2Agent 1.0 over JSON-RPC: a question is a task, its conversation the context. A question that
//! brings a schema is answered with SQL for it. Only this module knows the
//! types of the protocol.

mod asked;
mod card;
mod methods;
mod rpc;
mod run;
mod state;
mod tasks;

pub use rpc::{agent_card, call};
pub use state::State;
