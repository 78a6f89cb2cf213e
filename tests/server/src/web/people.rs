//! Roles that log in with a password.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::TestDatabase;

/// The password of everybody who logs in.
pub const PASSWORD: &str = "a password: with spaces, ümlauts and 'quotes'";

/// Makes a role that logs in with [`PASSWORD`] and has what the analyst has, and returns its name.
pub fn person(database: &TestDatabase, name: &str) -> String {
    let role = stranger(database, name);
    let grant = format!("GRANT {} TO {role}", crate::ANALYST);
    database.superuser().batch_execute(&grant).expect("a grant");
    role
}

/// Makes a role that logs in with [`PASSWORD`] and may do nothing.
pub fn stranger(database: &TestDatabase, name: &str) -> String {
    let password = PASSWORD.replace('\'', "''");
    database.create_role(name, &format!("LOGIN PASSWORD '{password}'"))
}

/// The header of HTTP Basic.
pub fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
}
