//! What is said when there is no connection. Before a login nothing of the database is said: no name, no version, no
//! rule of `pg_hba.conf`. The log has it.

use axum::http::StatusCode;

use super::target::{ConnectFailure, causes};
use crate::problem::Problem;

/// All connections are in use.
pub(super) fn too_busy() -> Problem {
    Problem::unavailable("all connections to the database are in use")
        .with_hint("Try again in a few seconds.")
}

/// Name or password is wrong, or that role may not log in.
pub fn wrong_password() -> Problem {
    Problem::new(
        StatusCode::UNAUTHORIZED,
        "the user name or the password is wrong",
    )
}

/// Why there is no connection.
pub(super) fn of_connecting(failure: &ConnectFailure) -> Problem {
    let ConnectFailure::Driver(error) = failure else {
        tracing::warn!("cannot connect to the database: {failure}");
        return unreachable_database();
    };
    let Some(code) = error.code() else {
        tracing::warn!("cannot connect to the database: {}", causes(error));
        return unreachable_database();
    };
    tracing::info!("the database refused a connection: {}", causes(error));
    match code.code() {
        "28P01" | "28000" => wrong_password(),
        "42501" => Problem::new(
            StatusCode::FORBIDDEN,
            "this role may not connect to the database",
        ),
        "53300" => too_busy(),
        "3D000" => Problem::unavailable("the database does not exist")
            .with_hint("Whoever runs the server creates it, or names another one with --database."),
        _ => unreachable_database(),
    }
}

/// What an attempt to connect without a password says about the server: any answer but "starting up", "shutting down" and
/// "no connection left" shows that it accepts connections. The driver has no code where it was asked for a password.
pub(super) fn of_readiness(failure: &ConnectFailure) -> Result<(), Problem> {
    match failure {
        ConnectFailure::Driver(error) => match error.code().map(|code| code.code()) {
            Some(code) if code.starts_with("57P") || code == "53300" => Err(unreachable_database()),
            Some(_) => Ok(()),
            None if asks_for_password(error) => Ok(()),
            None => Err(unreachable_database()),
        },
        ConnectFailure::NoAddress(_) | ConnectFailure::Silent(_) => Err(unreachable_database()),
    }
}

/// Whether the server asked for a password, and there was none.
pub(super) fn asks_for_password(error: &tokio_postgres::Error) -> bool {
    error.code().is_none() && causes(error).contains("password missing")
}

pub(super) fn unreachable_database() -> Problem {
    Problem::unavailable("the database cannot be reached").with_hint(
        "Try again in a few seconds. Whoever runs the server finds the reason in its log.",
    )
}
