//! How much may run at a time.

use std::time::Duration;

use super::sources::Settings;
use crate::convert;

/// How much may run at a time, and for how long.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Questions of a role that run at a time.
    pub role_running: usize,
    /// Questions of a role that wait for their turn; one more is refused.
    pub role_waiting: usize,
    /// Streams that are open at a time.
    pub streams: usize,
    /// Connections to the database.
    pub connections: usize,
    /// Seconds that a statement may take, unless the role has a lower statement_timeout.
    pub question_seconds: u32,
    /// Seconds that a request waits for a connection to the database.
    pub connection_seconds: u32,
    /// Minutes after which a session that nobody uses is over.
    pub session_minutes: u32,
    /// Hours after which a session is over in any case.
    pub session_hours: u32,
    /// Failed logins a minute, of a user from an address.
    pub login_attempts: u32,
    /// What a file may be that is sent to become a table.
    pub file: FileLimits,
}

/// What a file may be that is sent to become a table.
#[derive(Debug, Clone, Copy)]
pub struct FileLimits {
    /// Its bytes.
    pub bytes: usize,
    /// The unpacked size of a workbook, and the time to read it.
    pub conversion: convert::Limits,
    /// Its columns.
    pub columns: usize,
    /// The bytes of a line.
    pub line_bytes: usize,
}

impl Limits {
    pub(super) fn of(settings: &Settings) -> Self {
        let number = |name: &str| settings.number(&format!("limits.{name}"));
        // The ranges of the keys fit both types.
        let count = |name| number(name) as usize;
        let small = |name| number(name) as u32;
        Self {
            role_running: count("role_running"),
            role_waiting: count("role_waiting"),
            streams: count("streams"),
            connections: count("connections"),
            question_seconds: small("question_seconds"),
            connection_seconds: small("connection_seconds"),
            session_minutes: small("session_minutes"),
            session_hours: small("session_hours"),
            login_attempts: small("login_attempts"),
            file: FileLimits {
                bytes: count("file_megabytes") << 20,
                conversion: convert::Limits {
                    bytes: number("file_unpacked_megabytes") << 20,
                    time: Duration::from_secs(number("file_seconds")),
                },
                columns: count("file_columns"),
                line_bytes: count("file_line_megabytes") << 20,
            },
        }
    }

    /// How long a request waits for a connection.
    pub fn connection_wait(&self) -> Duration {
        Duration::from_secs(self.connection_seconds.into())
    }

    /// How long a statement may take.
    pub fn question_time(&self) -> Duration {
        Duration::from_secs(self.question_seconds.into())
    }

    /// After which time without use a session is over.
    pub fn session_idle(&self) -> Duration {
        Duration::from_secs(u64::from(self.session_minutes) * 60)
    }

    /// After which time a session is over in any case.
    pub fn session_life(&self) -> Duration {
        Duration::from_secs(u64::from(self.session_hours) * 3600)
    }
}
