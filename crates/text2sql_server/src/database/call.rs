//! One statement in a transaction of its own, with the rights of one identity, that ends when nobody waits for it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_postgres::CancelToken;

use super::cancel::Peer;
use super::connection::{Connection, Notice};
use super::failure::unreachable_database;
use super::handle::Database;
use super::pool::Lease;
use super::taken_role;
use crate::identity::Identity;
use crate::problem::Problem;

/// How long a statement that was cancelled may take to end, and cleaning up. A connection that takes longer is closed.
const PATIENCE: Duration = Duration::from_secs(5);
/// A cancel request that comes before the statement has begun changes nothing, so it is sent again.
const AGAIN: Duration = Duration::from_millis(500);

/// What is called on each notice.
pub(super) type Listener = Box<dyn Fn(Notice) + Send + Sync>;

/// A statement that returns one JSON value.
pub(super) struct Call {
    pub identity: Identity,
    pub statement: String,
    pub parameters: Vec<Option<String>>,
    pub listener: Listener,
    /// It commits by itself, so it runs in no transaction.
    pub commits: bool,
}

impl Call {
    /// Runs it. Whoever drops this future cancels the statement; the connection is given back when that has happened.
    pub async fn run(self, database: Arc<Database>) -> Result<Box<RawValue>, Problem> {
        let (teller, told) = oneshot::channel();
        tokio::spawn(run(self, database, teller));
        // The task ends without a word only if it panics.
        told.await.unwrap_or_else(|_| Err(Problem::internal()))
    }
}

type Teller = oneshot::Sender<Result<Box<RawValue>, Problem>>;

async fn run(call: Call, database: Arc<Database>, mut teller: Teller) {
    let begun = tokio::select! {
        begun = begin_in_turn(&call, &database) => begun,
        () = teller.closed() => return,
    };
    let (mut lease, _share) = match begun {
        Ok(begun) => begun,
        Err(problem) => return drop(teller.send(Err(problem))),
    };
    let (peer, token) = lease.canceller();
    let is_cancelled = AtomicBool::new(false);
    let outcome = {
        let mut work = std::pin::pin!(work(&mut lease, &call, &is_cancelled));
        tokio::select! {
            outcome = &mut work => Ok(outcome),
            // The server ends the statement in time, unless the network between is silent.
            () = sleep(database.question_time + PATIENCE), if !call.commits => {
                Ok(Err(unreachable_database()))
            }
            () = teller.closed() => {
                is_cancelled.store(true, Ordering::Relaxed);
                Err(cancel(work.as_mut(), &peer, &token).await)
            }
        }
    };
    let is_over = matches!(outcome, Ok(Ok(_)));
    let outcome = outcome
        .map(|outcome| outcome.map_err(|problem| in_time(problem, &call, database.question_time)));
    match outcome {
        Ok(outcome) => drop(teller.send(outcome)),
        Err(has_ended) if has_ended => {}
        Err(_) => return discard(lease),
    }
    match timeout(PATIENCE, clean(&lease, &call.identity, is_over)).await {
        Ok(Ok(())) => {
            lease.is_clean = true;
            database.pools.give_back(lease);
        }
        _ => discard(lease),
    }
}

/// The limit of this program, which PostgreSQL knows as a statement's: with its own name, and how long it is.
fn in_time(problem: Problem, call: &Call, time: Duration) -> Problem {
    let is_ours = !call.commits
        && problem.sqlstate.as_deref() == Some("57014")
        && problem.title.ends_with("statement timeout");
    match is_ours {
        true => Problem {
            title: format!("the call took longer than {} seconds", time.as_secs()),
            hint: Some(
                "Ask for less, or raise limits.question_seconds of text2sql-server.".to_owned(),
            ),
            ..problem
        },
        false => problem,
    }
}

/// A connection in a new transaction, where the role uses no more of them than it may.
async fn begin_in_turn(
    call: &Call,
    database: &Arc<Database>,
) -> Result<(Lease, Option<OwnedSemaphorePermit>), Problem> {
    let share = match &call.identity {
        Identity::Own(_) => None,
        Identity::Taken(role) => Some(database.share(role).await?),
    };
    Ok((begin(call, database).await?, share))
}

/// A connection in a new transaction. One that the server has closed since the last request is replaced.
async fn begin(call: &Call, database: &Arc<Database>) -> Result<Lease, Problem> {
    let time = database.question_time;
    loop {
        let mut lease = match &call.identity {
            Identity::Own(credentials) => database.pools.lease(credentials, false).await?,
            Identity::Taken(_) => {
                let login = database.login()?;
                database.pools.lease(login, true).await?
            }
        };
        let is_new = std::mem::replace(&mut lease.is_new, false);
        lease.is_clean = false;
        let begun = timeout(PATIENCE, async {
            match call.commits {
                true => lease.run("").await,
                false => lease.begin(time).await,
            }
        });
        match begun.await {
            Ok(Ok(())) => return Ok(lease),
            Err(_) => {
                discard(lease);
                if is_new {
                    return Err(unreachable_database());
                }
            }
            Ok(Err(error)) => {
                let is_lost = lease.is_closed()
                    || error
                        .code()
                        .is_none_or(|code| code.code().starts_with("57P"));
                discard(lease);
                if is_new || !is_lost {
                    return Err(error.into());
                }
            }
        }
    }
}

async fn work(
    connection: &mut Connection,
    call: &Call,
    is_cancelled: &AtomicBool,
) -> Result<Box<RawValue>, Problem> {
    if let Identity::Taken(role) = &call.identity {
        taken_role::take_on(connection, role).await?;
    }
    if !call.commits {
        connection.run(PROGRESS).await?;
    }
    if is_cancelled.load(Ordering::Relaxed) {
        return Err(Problem::cancelled());
    }
    let parameters: Vec<_> = call.parameters.iter().map(Option::as_deref).collect();
    let value = connection
        .json(&call.statement, &parameters, &call.listener)
        .await?;
    if !call.commits {
        connection.run("COMMIT").await?;
    }
    Ok(value)
}

const PROGRESS: &str = "SET LOCAL text2sql.enable_progress = on";

/// Cancels what runs, and returns when it has ended and no cancel request is on its way any more: such a one would hit
/// the next statement of the connection. `false` if that takes too long or is not certain.
async fn cancel<F: Future>(mut work: Pin<&mut F>, peer: &Peer, token: &CancelToken) -> bool {
    let deadline = Instant::now() + PATIENCE;
    let mut has_ended = false;
    let mut is_certain = true;
    while !has_ended {
        let mut request = std::pin::pin!(peer.cancel(token));
        let sent = loop {
            tokio::select! {
                _ = work.as_mut(), if !has_ended => has_ended = true,
                sent = &mut request => break sent,
                () = sleep_until(deadline) => return false,
            }
        };
        if let Err(error) = sent {
            tracing::warn!("a cancel request failed: {error}");
            is_certain = false;
        }
        if !has_ended {
            tokio::select! {
                _ = work.as_mut() => has_ended = true,
                () = sleep(AGAIN) => {}
                () = sleep_until(deadline) => return false,
            }
        }
    }
    is_certain
}

/// Leaves nothing of the request behind.
async fn clean(
    connection: &Connection,
    identity: &Identity,
    is_over: bool,
) -> Result<(), tokio_postgres::Error> {
    if !is_over {
        connection.run("ROLLBACK").await?;
    }
    match identity {
        // The next request has the same rights.
        Identity::Own(_) => Ok(()),
        Identity::Taken(_) => connection.run("DISCARD ALL").await,
    }
}

fn discard(lease: Lease) {
    drop(Lease::take(lease));
}
