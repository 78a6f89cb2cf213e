//! text2sql-server as a running program, and a client that sends it exactly what a test wants.

mod client;
mod people;
mod program;
mod response;
mod stream;
mod tokens;

pub use self::client::Request;
pub use self::people::{PASSWORD, basic, person, stranger};
pub use self::program::{Server, free_port};
pub use self::response::Response;
pub use self::stream::{Event, EventStream};
pub use self::tokens::{AUDIENCE, ISSUER, Issuer, grant, now};
