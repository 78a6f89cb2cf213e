//! A script of several statements, or the body of a function, a procedure or a DO block: explained in order, with what
//! a statement reads of what an earlier one wrote.

mod flow;
mod parts;
mod plpgsql;

pub(crate) use self::flow::{Facts, Name, is_same};
pub(crate) use self::parts::{body_language, body_statements};
pub use self::parts::{names, script};
