//! Sends one statement to another server that has the same database, waits for its reply, and can be cut off.
//!
//! The other server runs the extension as well: it judges the statement once more, runs it as the role that asks
//! here, within the limits that are sent along, and returns the outcome as one JSON document ([`reply`]).
//!
//! Nothing here calls PostgreSQL's own code: [`run`] blocks the thread that it is called in, which is a helper thread
//! of the backend. Dropping the [`Canceller`] sends the other server a cancel request.

#![forbid(unsafe_code)]

pub mod reply;
mod run;
mod tls;

pub use run::{Canceller, Failure, Outcome, Request, Standing, Target, canceller, run};
pub use tls::Encryption;
