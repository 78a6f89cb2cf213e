//! A running question as a stream of events: what HTTP, MCP and A2A show is printed from this one stream.

mod event;
mod kept;
mod running;
mod stream;

pub use event::{Event, Question, Step};
pub use kept::Kept;
pub use running::Questions;
pub use stream::Events;
