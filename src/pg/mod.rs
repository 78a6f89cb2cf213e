//! The only code that talks to PostgreSQL, and the only code with `unsafe`.

pub(crate) mod catalog;
pub(crate) mod spi;
