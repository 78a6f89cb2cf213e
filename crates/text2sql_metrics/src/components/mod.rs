//! The components of a statement, normalised: tables, columns, operations, dates, sort direction, limit;
//! and, for the reasons of a failure, its literals, joins and aggregates.
//!
//! Names lose quotes, aliases and the schema `public`; a column belongs to its table if it is
//! qualified or there is only one table; joins with ON, USING or a comma are equal, and
//! their condition is not an operation; `BETWEEN` is `>=` and `<=`; `!=` is `<>`; AND, casts,
//! parentheses and output names do not count; a number compared with a date part (`extract(year …) = 2024`) is a
//! date. `sqlparser` parses the text; a text that it cannot parse has no components.

mod dates;
mod elements;
mod names;
mod sql_components;
mod statement;

pub(crate) use self::dates::as_date;
pub use self::sql_components::Components;
pub use self::statement::components;
