//! Connections to the database with the rights of whoever asks.

mod call;
mod cancel;
mod connection;
mod failure;
mod handle;
mod libpq;
mod login;
mod parameter;
mod pool;
mod statements;
mod taken_role;
mod target;
mod tls;

pub use connection::Notice;
pub use failure::wrong_password;
pub use handle::Database;
pub use parameter::Parameter;
pub use taken_role::not_permitted;
pub use target::Target;
