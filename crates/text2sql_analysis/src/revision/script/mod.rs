//! Changes of a script of several statements, of one that writes or creates, and of bodies of functions.
//!
//! A model names the statements that change, and their text. Everything else stays as it is, byte for byte: the
//! statements that it does not name, and in those that it names every token that is the same, with the comments and line
//! breaks around it.

mod apply;
mod beyond;
mod body;
mod change;
mod effects;
mod numbered;
mod same_text;
mod sources;
#[cfg(test)]
mod tests;
mod token_difference;
mod words;

pub use self::apply::apply;
pub use self::change::{Action, RevisedScript, RevisedStatement, ScriptChange};
pub use self::numbered::{is_script, numbered};
pub use self::sources::{Checked, Written, checked, is_same_relation, made, read_by, written};
