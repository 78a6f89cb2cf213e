//! One statement on the other server.

use std::time::Duration;

use text2sql_domain::secret::Secret;
use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_postgres::config::SslMode;
use tokio_postgres::types::Type;
use tokio_postgres::{CancelToken, Client, Config, SimpleQueryMessage};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::tls::{Encryption, connector};

/// How long the other server may take to accept a cancel request.
const CANCEL_WAIT: Duration = Duration::from_secs(2);

/// Where the other server is, and how to log in there.
#[derive(Debug, Clone)]
pub struct Target {
    /// A name, an address, or the directory of a Unix socket.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The name of the database there.
    pub database: String,
    /// The role that logs in.
    pub user: String,
    /// Its password, if it needs one.
    pub password: Option<Secret>,
    /// How the connection is protected.
    pub encryption: Encryption,
    /// How long connecting may take.
    pub connect_timeout: Duration,
}

/// What to do there.
#[derive(Debug, Clone)]
pub struct Request {
    /// Where.
    pub target: Target,
    /// The role as which the statement runs.
    pub role: String,
    /// The version of the extension that the other server must have.
    pub version: String,
    /// Settings of the session.
    pub settings: Vec<(String, String)>,
    /// The statement.
    pub sql: String,
    /// The limits, as JSON for `text2sql._run_for_primary`.
    pub limits: String,
    /// How long all of it may take.
    pub timeout: Duration,
}

/// How far the other server has followed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// Whether it is a hot standby.
    pub is_standby: bool,
    /// The position in the write-ahead log up to which it has replayed.
    pub replayed: Option<u64>,
    /// When the last transaction that it has replayed was committed, in seconds since 1970.
    pub replayed_until: Option<f64>,
    /// The clock of the other server, in seconds since 1970.
    pub now: f64,
}

/// What the other server returned.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The document of `text2sql._run_for_primary`.
    pub document: String,
    /// How far it has followed, read just before the statement ran.
    pub standing: Standing,
}

/// Why there is no outcome.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// No connection.
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
    /// It does not let us in, or not as this role.
    #[error("{message}")]
    Refused {
        /// The message, which names the role.
        message: String,
        /// What to do.
        hint: String,
    },
    /// The extension there is another one.
    #[error(
        "its extension pg_text2sql is {}, and that of this database is version {ours}",
        theirs.as_ref().map_or("missing".to_owned(), |version| format!("version {version}"))
    )]
    OtherVersion {
        /// The version there.
        theirs: Option<String>,
        /// The version here.
        ours: String,
    },
    /// It raised an error.
    #[error("{message} (SQLSTATE {sqlstate})")]
    Database {
        /// The SQLSTATE.
        sqlstate: String,
        /// The message.
        message: String,
    },
    /// It did not answer in time.
    #[error("it did not answer within {} ms", .0.as_millis())]
    TooSlow(Duration),
    /// The caller gave up.
    #[error("the statement was cancelled")]
    Cancelled,
}

/// Cancels the statement when it is dropped.
#[derive(Debug)]
pub struct Canceller(#[expect(dead_code, reason = "held to be dropped")] oneshot::Sender<()>);

/// A canceller, and what [`run`] listens to.
pub fn canceller() -> (Canceller, oneshot::Receiver<()>) {
    let (sender, receiver) = oneshot::channel();
    (Canceller(sender), receiver)
}

/// Runs the statement; blocks until there is an outcome, or until the canceller was dropped and the other server knows.
pub fn run(request: &Request, cancelled: oneshot::Receiver<()>) -> Result<Outcome, Failure> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Unreachable(error.to_string()))?;
    let connector = connector(&request.target.encryption).map_err(Failure::Unreachable)?;
    let outcome = runtime.block_on(run_until(request, connector, cancelled));
    // A name look-up that hangs is not waited for.
    runtime.shutdown_background();
    outcome
}

async fn run_until(
    request: &Request,
    connector: MakeRustlsConnect,
    mut cancelled: oneshot::Receiver<()>,
) -> Result<Outcome, Failure> {
    let opened = tokio::select! {
        opened = open(&request.target, connector.clone()) => opened?,
        _ = &mut cancelled => return Err(Failure::Cancelled),
    };
    let token = opened.cancel_token();
    let ended = tokio::select! {
        ended = timeout(request.timeout, ask(request, &opened)) => Some(ended),
        _ = &mut cancelled => None,
    };
    let failure = match ended {
        Some(Ok(outcome)) => return outcome,
        Some(Err(_)) => Failure::TooSlow(request.timeout),
        None => Failure::Cancelled,
    };
    cancel(token, connector).await;
    Err(failure)
}

/// Asks the other server to cancel what runs; it ends by its own limits if this fails.
async fn cancel(token: CancelToken, connector: MakeRustlsConnect) {
    let _ = timeout(CANCEL_WAIT, token.cancel_query(connector)).await;
}

async fn open(target: &Target, connector: MakeRustlsConnect) -> Result<Client, Failure> {
    let mut config = Config::new();
    config
        .host(&target.host)
        .port(target.port)
        .dbname(&target.database)
        .user(&target.user)
        .application_name("pg_text2sql")
        // Neither the settings of the role that logs in nor a schema of somebody decide what our own queries mean.
        .options("-c search_path=pg_catalog")
        .ssl_mode(match target.encryption {
            Encryption::None => SslMode::Disable,
            Encryption::Verified(_) => SslMode::Require,
        });
    if let Some(password) = &target.password {
        config.password(password.expose());
    }
    let opened = timeout(target.connect_timeout, config.connect(connector)).await;
    match opened {
        Err(_) => Err(Failure::Unreachable(format!(
            "no connection within {} ms",
            target.connect_timeout.as_millis()
        ))),
        Ok(Err(error)) => Err(not_opened(&error, &target.user)),
        Ok(Ok((client, connection))) => {
            tokio::spawn(connection);
            Ok(client)
        }
    }
}

/// What a failed attempt to connect means. Texts of the driver contain no secret.
fn not_opened(error: &tokio_postgres::Error, user: &str) -> Failure {
    match error.as_db_error() {
        Some(refused) if refused.code().code().starts_with("28") => Failure::Refused {
            message: format!("role \"{user}\" cannot log in there: {}", refused.message()),
            hint: "Check its user mapping, and pg_hba.conf of the replica.".to_owned(),
        },
        Some(refused) => Failure::Unreachable(refused.message().to_owned()),
        None => Failure::Unreachable(said(error)),
    }
}

/// An error of the driver with its cause.
fn said(error: &tokio_postgres::Error) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

async fn ask(request: &Request, client: &Client) -> Result<Outcome, Failure> {
    let standing = introduce(request, client).await?;
    become_role(request, client).await?;
    for (name, value) in &request.settings {
        let set = "SELECT pg_catalog.set_config($1, $2, false)";
        client
            .query_typed(set, &[(name, Type::TEXT), (value, Type::TEXT)])
            .await
            .map_err(of_statement)?;
    }
    let call = "SELECT text2sql._run_for_primary($1, $2::pg_catalog.jsonb)::pg_catalog.text";
    let row = client
        .query_typed_one(
            call,
            &[(&request.sql, Type::TEXT), (&request.limits, Type::TEXT)],
        )
        .await
        .map_err(of_statement)?;
    Ok(Outcome {
        document: row.try_get(0).map_err(of_statement)?,
        standing,
    })
}

/// Compares the versions, and reads how far the other server has followed.
async fn introduce(request: &Request, client: &Client) -> Result<Standing, Failure> {
    let facts = "SELECT (SELECT e.extversion FROM pg_catalog.pg_extension e WHERE e.extname = 'pg_text2sql'), \
         pg_catalog.pg_is_in_recovery(), \
         CASE WHEN pg_catalog.pg_is_in_recovery() \
              THEN pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_last_wal_replay_lsn(), '0/0') END, \
         extract(epoch FROM pg_catalog.pg_last_xact_replay_timestamp()), \
         extract(epoch FROM pg_catalog.clock_timestamp()), \
         (SELECT r.rolsuper FROM pg_catalog.pg_roles r WHERE r.rolname = SESSION_USER)";
    let row = first_row(client, facts).await?;
    let text = |index: usize| row.get(index).cloned().flatten();
    let theirs = text(0);
    if theirs.as_deref() != Some(request.version.as_str()) {
        return Err(Failure::OtherVersion {
            theirs,
            ours: request.version.clone(),
        });
    }
    if text(5).as_deref() == Some("t") {
        let user = &request.target.user;
        return Err(Failure::Refused {
            message: format!("role \"{user}\", which logs in there, is a superuser"),
            hint: "Name a role in the user mapping that is none and may SET ROLE to those who ask."
                .to_owned(),
        });
    }
    Ok(Standing {
        is_standby: text(1).as_deref() == Some("t"),
        replayed: text(2).and_then(|position| position.parse().ok()),
        replayed_until: text(3).and_then(|seconds| seconds.parse().ok()),
        now: text(4)
            .and_then(|seconds| seconds.parse().ok())
            .unwrap_or(0.0),
    })
}

/// Becomes the role that asks, and makes sure of it.
async fn become_role(request: &Request, client: &Client) -> Result<(), Failure> {
    let role = &request.role;
    let refused = |why: &str| Failure::Refused {
        message: format!("the statement cannot run there as role \"{role}\": {why}"),
        hint: format!(
            "GRANT {} TO {};",
            quoted(role),
            quoted(&request.target.user)
        ),
    };
    client
        .batch_execute(&format!("SET ROLE {}", quoted(role)))
        .await
        .map_err(|error| match error.as_db_error() {
            Some(error) => refused(error.message()),
            None => of_statement(error),
        })?;
    let row = first_row(client, "SELECT CURRENT_USER").await?;
    match row.into_iter().next().flatten() {
        Some(current) if current == *role => Ok(()),
        _ => Err(refused("it is another one")),
    }
}

async fn first_row(client: &Client, sql: &str) -> Result<Vec<Option<String>>, Failure> {
    let messages = client.simple_query(sql).await.map_err(of_statement)?;
    let row = messages.into_iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    Ok(row.map_or_else(Vec::new, |row| {
        (0..row.len())
            .map(|index| row.get(index).map(str::to_owned))
            .collect()
    }))
}

fn of_statement(error: tokio_postgres::Error) -> Failure {
    match error.as_db_error() {
        Some(raised) => Failure::Database {
            sqlstate: raised.code().code().to_owned(),
            message: raised.message().to_owned(),
        },
        None => Failure::Unreachable(said(&error)),
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    fn request(port: u16) -> Request {
        Request {
            target: Target {
                host: "127.0.0.1".to_owned(),
                port,
                database: "shop".to_owned(),
                user: "reader".to_owned(),
                password: Some(Secret::new("hunter2")),
                encryption: Encryption::None,
                connect_timeout: Duration::from_secs(20),
            },
            role: "ana".to_owned(),
            version: "1".to_owned(),
            settings: Vec::new(),
            sql: "SELECT 1".to_owned(),
            limits: "{}".to_owned(),
            timeout: Duration::from_secs(20),
        }
    }

    #[test]
    fn a_server_that_is_down_is_said_so_at_once() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let (_canceller, cancelled) = canceller();
        let failure = run(&request(port), cancelled).unwrap_err();
        assert!(matches!(&failure, Failure::Unreachable(_)), "{failure}");
    }

    #[test]
    fn a_dropped_canceller_ends_the_wait() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let silent = std::thread::Builder::new()
            .spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                let mut said = [0; 8];
                stream.read_exact(&mut said).unwrap();
                stream
            })
            .unwrap();
        let (canceller, cancelled) = canceller();
        let waiting = std::thread::Builder::new()
            .spawn(move || run(&request(port), cancelled))
            .unwrap();
        let stream = silent.join().unwrap();
        drop(canceller);
        assert_eq!(waiting.join().unwrap(), Err(Failure::Cancelled));
        drop(stream);
    }

    #[test]
    fn a_refused_password_is_named_and_not_shown() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::Builder::new()
            .spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                let mut length = [0; 4];
                stream.read_exact(&mut length).unwrap();
                let mut rest = vec![0; u32::from_be_bytes(length) as usize - 4];
                stream.read_exact(&mut rest).unwrap();
                let fields =
                    b"SFATAL\0C28P01\0Mpassword authentication failed for user \"reader\"\0\0";
                let mut reply = vec![b'E'];
                reply.extend((fields.len() as u32 + 4).to_be_bytes());
                reply.extend(fields);
                stream.write_all(&reply).unwrap();
            })
            .unwrap();
        let (_canceller, cancelled) = canceller();
        let failure = run(&request(port), cancelled).unwrap_err();
        server.join().unwrap();
        let said = format!("{failure} {failure:?}");
        assert!(
            said.contains("role \"reader\" cannot log in there"),
            "{said}"
        );
        assert!(!said.contains("hunter2"), "{said}");
    }
}
