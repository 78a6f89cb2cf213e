//! How much may run at a time, and how often somebody may try a password. A request beyond that is
//! refused at once, with the time after which to try again.

mod attempts;
mod running;

pub use attempts::{Attempt, Attempts};
pub use running::{Place, Running, Turn};
