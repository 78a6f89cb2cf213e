//! Shared by all black-box tests: a database per test, with a small shop, roles and the
//! extension, in the cluster that `PGHOST`, `PGPORT` and `PGUSER` name (`make test` starts one).

mod connection;
pub mod corpus;
pub mod crashes;
pub mod demo;
pub mod hostile;
pub mod office;
pub mod processes;
mod server_setting;
pub mod shared_roles;
pub mod siege;
pub mod skipped;
pub mod standby;
mod template;
mod test_database;
pub mod waiting;
pub mod web;

pub use self::connection::{connect, connect_listening, connect_noticing, connect_with, error_of};
pub use self::server_setting::ServerSetting;
pub use self::shared_roles::ANALYST;
pub use self::test_database::TestDatabase;
