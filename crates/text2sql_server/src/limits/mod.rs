//! How much may run at a time, and how often somebody may try a password. Whoever comes beyond it is refused at once,
//! and is told when to come again.

mod attempts;
mod running;

pub use attempts::{Attempt, Attempts};
pub use running::{Place, Running, Turn};
