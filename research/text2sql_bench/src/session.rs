//! Connections to the cluster that the environment names, and timed statements on them.

use std::env;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use postgres::error::DbError;
use postgres::{Client, Config, NoTls, SimpleQueryMessage, SimpleQueryRow};

use crate::error::Fallible;
use crate::workload::Question;

/// A statement that takes longer hangs: the whole benchmark takes a few minutes.
const STATEMENT_TIMEOUT: &str = "SET statement_timeout = '60s'";

/// Where PGHOST, PGPORT and PGUSER point.
pub(crate) struct Cluster {
    config: Config,
    administrator: String,
}

impl Cluster {
    pub(crate) fn from_environment() -> Fallible<Self> {
        let variable = |name: &str| env::var(name).map_err(|_| format!("{name} is not set"));
        let administrator = variable("PGUSER")?;
        let mut config = Config::new();
        config
            .host(&variable("PGHOST")?)
            .port(variable("PGPORT")?.parse()?)
            .application_name("text2sql_bench")
            .connect_timeout(Duration::from_secs(10));
        if let Ok(password) = env::var("PGPASSWORD") {
            config.password(password);
        }
        Ok(Self {
            config,
            administrator,
        })
    }

    /// Connects as the user of the environment.
    pub(crate) fn administrate(&self, database: &str) -> Fallible<Session> {
        self.connect(database, &self.administrator)
    }

    /// Connects as any role.
    pub(crate) fn connect(&self, database: &str, role: &str) -> Fallible<Session> {
        let notices = Notices::default();
        let received = Arc::clone(&notices);
        let mut config = self.config.clone();
        config
            .dbname(database)
            .user(role)
            .notice_callback(move |notice: DbError| {
                let arrived = Instant::now();
                received
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push((notice.message().to_owned(), arrived));
            });
        let client = config
            .connect(NoTls)
            .map_err(|error| format!("cannot connect to {database} as {role}: {}", tell(&error)))?;
        let mut session = Session { client, notices };
        session.run(STATEMENT_TIMEOUT)?;
        Ok(session)
    }
}

type Notices = Arc<Mutex<Vec<(String, Instant)>>>;

/// One connection.
pub(crate) struct Session {
    client: Client,
    notices: Notices,
}

impl Session {
    /// Runs one or more statements and returns the rows.
    pub(crate) fn run(&mut self, sql: &str) -> Fallible<Vec<SimpleQueryRow>> {
        let messages = self.client.simple_query(sql).map_err(|error| {
            let statement: String = sql.chars().take(200).collect();
            format!("{}, in: {statement}", tell(&error))
        })?;
        Ok(messages
            .into_iter()
            .filter_map(|message| match message {
                SimpleQueryMessage::Row(row) => Some(row),
                _ => None,
            })
            .collect())
    }

    /// Runs a statement and returns the rows and the milliseconds.
    pub(crate) fn timed(&mut self, sql: &str) -> Fallible<(f64, Vec<SimpleQueryRow>)> {
        let start = Instant::now();
        let rows = self.run(sql)?;
        Ok((milliseconds(start), rows))
    }

    /// Copies rows in.
    pub(crate) fn copy(&mut self, sql: &str, rows: &[u8]) -> Fallible<()> {
        let mut writer = self.client.copy_in(sql).map_err(|error| tell(&error))?;
        writer.write_all(rows)?;
        writer.finish().map_err(|error| tell(&error))?;
        Ok(())
    }

    /// The first column of the first row.
    pub(crate) fn value(&mut self, sql: &str) -> Fallible<String> {
        let rows = self.run(sql)?;
        let value = rows.first().and_then(|row| row.get(0));
        Ok(value.ok_or_else(|| format!("no value: {sql}"))?.to_owned())
    }

    /// Asks, makes sure that the answer is the expected one, and returns milliseconds.
    pub(crate) fn ask(&mut self, question: &Question) -> Fallible<f64> {
        let (time, rows) = self.timed(&question.ask())?;
        let column = |name: &str| {
            rows.first()
                .and_then(|row| row.try_get(name).ok().flatten())
        };
        let status = column("status").unwrap_or("no row");
        if status != "ok" {
            let answer = column("answer").unwrap_or_default();
            return Err(format!("\"{}\": {status}: {answer}", question.text).into());
        }
        match column("sql") {
            Some(sql) if sql == question.sql => Ok(time),
            other => Err(format!("\"{}\" was answered with {other:?}", question.text).into()),
        }
    }

    /// Takes the notices that came since the last time, with the moment of their arrival.
    pub(crate) fn take_notices(&mut self) -> Vec<(String, Instant)> {
        std::mem::take(&mut *self.notices.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The process on the server's side.
    pub(crate) fn backend(&mut self) -> Fallible<u32> {
        Ok(self.value("SELECT pg_backend_pid()")?.parse()?)
    }
}

/// Milliseconds since `start`.
pub(crate) fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1000.0
}

/// The server's message; the driver's own text is only "db error".
fn tell(error: &postgres::Error) -> String {
    match error.as_db_error() {
        Some(error) => {
            let hint = error
                .hint()
                .map(|hint| format!(" ({hint})"))
                .unwrap_or_default();
            format!("{} {}{hint}", error.code().code(), error.message())
        }
        None => error.to_string(),
    }
}
