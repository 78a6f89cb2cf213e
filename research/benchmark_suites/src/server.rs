//! Connections to the server, and its own words.

use postgres::{Client, NoTls};

use crate::failure::Failure;
use crate::options::Options;

/// Connects to a database; without a name, to that of the options.
pub(crate) fn connect(options: &Options, database: Option<&str>) -> Result<Client, Failure> {
    let mut config = options.server.clone();
    config.application_name("benchmark_suites");
    if let Some(database) = database {
        config.dbname(database);
    }
    let mut client = config.connect(NoTls).map_err(|error| explained(&error))?;
    client
        .batch_execute("SET client_min_messages = warning")
        .map_err(|error| explained(&error))?;
    Ok(client)
}

/// The server's own words, with its hint.
pub(crate) fn explained(error: &postgres::Error) -> String {
    match error.as_db_error() {
        Some(found) => match found.hint() {
            Some(hint) => format!("{}\n  hint: {hint}", found.message()),
            None => found.message().to_owned(),
        },
        None => error.to_string(),
    }
}
