//! Samples of tables that prompts show by consent of their owner: reading what the owner wrote, inventing values in
//! the shape of a column, and proposing columns whose frequent values have nothing private in them.

mod consent;
mod given;
mod invent;
mod suggest;

pub use self::consent::{private_column, refuse_consent};
pub use self::given::{Given, column_samples, row_samples};
pub use self::invent::{invent_column, invent_rows};
pub use self::suggest::{Suggested, suggest};
