//! One connection to the database, and what is said on it.

use std::future::poll_fn;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::AbortHandle;
use tokio_postgres::error::DbError;
use tokio_postgres::{AsyncMessage, CancelToken, Client, Row};

use super::cancel::Peer;
use super::parameter::{Parameter, bound};
use super::target::{ConnectFailure, Target};
use crate::problem::Problem;

/// What a backend says while a statement runs.
pub type Notice = DbError;

/// Whether the extension's settings are known to the backend: they are when its library is loaded.
const IS_LOADED: &str =
    "SELECT EXISTS (SELECT FROM pg_catalog.pg_settings WHERE name = 'text2sql.allowed_schemas')";

/// A connection. Dropping it closes it at once, whatever runs on it.
pub(super) struct Connection {
    client: Client,
    notices: UnboundedReceiver<Notice>,
    peer: Peer,
    reader: AbortHandle,
    /// Whether the backend looks whether we are still there while it computes.
    checks_client: bool,
    /// Nothing runs on it, and nothing of an earlier request is left.
    pub is_clean: bool,
    /// It was just opened. The server may have ended any other meanwhile.
    pub is_new: bool,
    _permit: OwnedSemaphorePermit,
}

impl Connection {
    /// Connects.
    pub async fn open(
        target: &Target,
        user: &str,
        password: Option<&[u8]>,
        permit: OwnedSemaphorePermit,
    ) -> Result<Self, ConnectFailure> {
        let name = application_name(user);
        let (client, mut connection, peer) = target.connect(user, password, &name).await?;
        let (sender, notices) = unbounded_channel();
        let reader = tokio::spawn(async move {
            while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
                match message {
                    Ok(AsyncMessage::Notice(notice)) => drop(sender.send(notice)),
                    Ok(_) => {}
                    Err(error) => {
                        tracing::debug!("connection to the database: {error}");
                        break;
                    }
                }
            }
        });
        let reader = reader.abort_handle();
        // Systems without a way to look answer with an error.
        let checks_client = client.batch_execute(CHECK_CLIENT).await.is_ok();
        Ok(Self {
            client,
            notices,
            peer,
            reader,
            checks_client,
            is_clean: true,
            is_new: true,
            _permit: permit,
        })
    }

    /// Whether the server or the network has ended it.
    pub fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// What a cancel request needs.
    pub fn canceller(&self) -> (Peer, CancelToken) {
        (self.peer.clone(), self.client.cancel_token())
    }

    /// Whether the settings of the extension can be set, and are not placeholders that anybody may set.
    pub async fn knows_extension(&self) -> Result<bool, Problem> {
        let row = self.client.query_typed_one(IS_LOADED, &[]).await?;
        Ok(row.try_get(0)?)
    }

    /// Begins a transaction whose statements end in time.
    pub async fn begin(&self, time: Duration) -> Result<(), tokio_postgres::Error> {
        let limits = limits(time);
        let check = if self.checks_client {
            CHECK_CLIENT_LOCALLY
        } else {
            ""
        };
        let begin = format!("BEGIN; {check} SET LOCAL client_min_messages = notice; {limits}");
        self.client.batch_execute(&begin).await
    }

    /// Runs statements without parameters or results.
    pub async fn run(&self, statements: &str) -> Result<(), tokio_postgres::Error> {
        self.client.batch_execute(statements).await
    }

    /// Runs a statement that returns one text.
    pub async fn text(
        &self,
        statement: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Option<String>, Problem> {
        let row = self
            .client
            .query_typed_opt(statement, &bound(parameters))
            .await?;
        text_of(row)
    }

    /// Runs a statement that returns one JSON value, and hands each notice to `listener` meanwhile.
    pub async fn json(
        &mut self,
        statement: &str,
        parameters: &[Parameter<'_>],
        listener: &(dyn Fn(Notice) + Send + Sync),
    ) -> Result<Box<RawValue>, Problem> {
        let Self {
            client, notices, ..
        } = self;
        let bound = bound(parameters);
        let mut running = std::pin::pin!(client.query_typed_opt(statement, &bound));
        let row = loop {
            tokio::select! {
                biased;
                Some(notice) = notices.recv() => listener(notice),
                row = &mut running => {
                    break row.map_err(|error| Problem::of_statement(error, parameters))?;
                }
            }
        };
        while let Ok(notice) = notices.try_recv() {
            listener(notice);
        }
        let text = text_of(row)?.unwrap_or_else(|| "null".to_owned());
        RawValue::from_string(text).map_err(|error| {
            tracing::error!("the database did not return JSON: {error}");
            Problem::internal()
        })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // The reader would stay until a running statement has ended; the server notices the closed socket.
        self.reader.abort();
    }
}

/// What `pg_stat_activity` shows.
pub(super) fn application_name(role: &str) -> String {
    format!("text2sql/{role}")
}

const CHECK_CLIENT: &str = "SET client_connection_check_interval = '1s'";
const CHECK_CLIENT_LOCALLY: &str = "SET LOCAL client_connection_check_interval = '1s';";

/// A statement that limits how long statements of the transaction take and how long it may be idle: to the lower of
/// `time` and what the role has.
pub(super) fn limits(time: Duration) -> String {
    let limit = |name: &str, most: u128| {
        format!(
            "pg_catalog.set_config('{name}', CASE WHEN pg_catalog.current_setting('{name}')::pg_catalog.interval \
             BETWEEN '1 ms' AND '{most} ms' THEN pg_catalog.current_setting('{name}') ELSE '{most}' END, true)"
        )
    };
    format!(
        "SELECT {}, {}",
        limit("statement_timeout", time.as_millis()),
        limit("idle_in_transaction_session_timeout", 30_000)
    )
}

fn text_of(row: Option<Row>) -> Result<Option<String>, Problem> {
    match row {
        Some(row) => Ok(row.try_get(0)?),
        None => Ok(None),
    }
}
