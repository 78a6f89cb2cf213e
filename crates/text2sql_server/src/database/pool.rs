//! Connections that are kept for the next request. Each identity has connections of its own, so that nothing of one is
//! left for another; those of tokens share the connections of the login role, which are cleaned after each request.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::{
    Manager, Metrics, Object, Pool, PoolError, RecycleError, RecycleResult, Timeouts,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::connection::Connection;
use super::failure::{of_connecting, too_busy};
use super::target::Target;
use crate::identity::{Credentials, Fingerprint};
use crate::problem::Problem;

/// Connections of one person: two questions, and one more for everything else that a page asks meanwhile.
const OF_ONE_PERSON: usize = 3;
/// A connection that nobody uses is closed after this time.
const IDLE: Duration = Duration::from_secs(60);
/// How often that is looked at.
const SWEEP: Duration = Duration::from_secs(10);

/// A connection that is borrowed.
pub(super) type Lease = Object<Opener>;

/// All connections of the server.
pub(super) struct Pools {
    target: Target,
    /// How many connections may be open. Each has a permit.
    permits: Arc<Semaphore>,
    size: usize,
    /// How many requests wait for a permit.
    waiting: AtomicUsize,
    wait: Duration,
    pools: Mutex<HashMap<Fingerprint, Pool<Opener>>>,
}

/// Opens the connections of one login.
pub(super) struct Opener {
    pools: Weak<Pools>,
    credentials: Arc<Credentials>,
    /// Connections that were opened to verify a password, and are not used yet.
    ready: Mutex<Vec<Connection>>,
}

impl Pools {
    pub fn new(target: Target, size: usize, wait: Duration) -> Arc<Self> {
        let pools = Arc::new(Self {
            target,
            permits: Arc::new(Semaphore::new(size)),
            size,
            waiting: AtomicUsize::new(0),
            wait,
            pools: Mutex::default(),
        });
        tokio::spawn(sweep(Arc::downgrade(&pools)));
        pools
    }

    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Borrows a connection of this login.
    pub async fn lease(
        self: &Arc<Self>,
        credentials: &Arc<Credentials>,
        is_shared: bool,
    ) -> Result<Lease, Problem> {
        self.pool(credentials, is_shared)?
            .get()
            .await
            .map_err(|error| match error {
                PoolError::Backend(problem) => problem,
                _ => too_busy(),
            })
    }

    /// Gives a connection back, if it is fit for another request and nobody waits for its permit.
    pub fn give_back(&self, lease: Lease) {
        let is_wanted = self.waiting.load(Ordering::Acquire) > 0;
        if !lease.is_clean || lease.is_closed() || is_wanted {
            drop(Object::take(lease));
        }
    }

    /// Keeps a connection that was opened to verify a password. It may wait long to be used, where others are free.
    pub fn adopt(self: &Arc<Self>, credentials: &Arc<Credentials>, mut connection: Connection) {
        connection.is_new = false;
        if let Ok(pool) = self.pool(credentials, false) {
            lock(&pool.manager().ready).push(connection);
        }
    }

    /// Closes the idle connections of a login.
    pub fn forget(&self, fingerprint: &Fingerprint) {
        let pool = lock(&self.pools).remove(fingerprint);
        if let Some(pool) = pool {
            pool.close();
        }
    }

    /// The right to open one more connection. Where there are as many as may be, an idle one is closed for it.
    pub async fn permit(&self) -> Result<OwnedSemaphorePermit, Problem> {
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            return Ok(permit);
        }
        self.waiting.fetch_add(1, Ordering::AcqRel);
        let waiting = Waiting(&self.waiting);
        self.close_an_idle_one();
        let permit = timeout(self.wait, Arc::clone(&self.permits).acquire_owned()).await;
        drop(waiting);
        match permit {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(too_busy()),
        }
    }

    fn pool(
        self: &Arc<Self>,
        credentials: &Arc<Credentials>,
        is_shared: bool,
    ) -> Result<Pool<Opener>, Problem> {
        let size = if is_shared { self.size } else { OF_ONE_PERSON };
        Ok(match lock(&self.pools).entry(credentials.fingerprint()) {
            Entry::Occupied(entry) => entry.get().clone(),
            Entry::Vacant(entry) => entry.insert(self.build(credentials, size)?).clone(),
        })
    }

    fn build(
        self: &Arc<Self>,
        credentials: &Arc<Credentials>,
        size: usize,
    ) -> Result<Pool<Opener>, Problem> {
        let opener = Opener {
            pools: Arc::downgrade(self),
            credentials: Arc::clone(credentials),
            ready: Mutex::default(),
        };
        Pool::builder(opener)
            .max_size(size)
            .runtime(Runtime::Tokio1)
            .timeouts(Timeouts {
                wait: Some(self.wait),
                // Waiting for a permit and connecting have limits of their own.
                create: None,
                recycle: None,
            })
            .build()
            .map_err(|error| {
                tracing::error!("pool of connections: {error}");
                Problem::internal()
            })
    }

    fn close_an_idle_one(&self) {
        let pools = lock(&self.pools);
        for pool in pools.values() {
            if lock(&pool.manager().ready).pop().is_some() {
                return;
            }
            let mut is_first = true;
            let closed = pool.retain(|_, _| !std::mem::take(&mut is_first));
            if !closed.removed.is_empty() {
                return;
            }
        }
    }

    fn close_idle(&self) {
        lock(&self.pools).retain(|_, pool| {
            lock(&pool.manager().ready).clear();
            pool.retain(|connection, metrics| {
                metrics.last_used() < IDLE && !connection.is_closed()
            });
            pool.status().size > 0
        });
    }
}

impl Manager for Opener {
    type Type = Connection;
    type Error = Problem;

    async fn create(&self) -> Result<Connection, Problem> {
        while let Some(connection) = lock(&self.ready).pop() {
            if !connection.is_closed() {
                return Ok(connection);
            }
        }
        let pools = self.pools.upgrade().ok_or_else(Problem::shutting_down)?;
        let permit = pools.permit().await?;
        let password = self.credentials.password();
        Connection::open(&pools.target, &self.credentials.user, password, permit)
            .await
            .map_err(|failure| of_connecting(&failure))
    }

    async fn recycle(&self, connection: &mut Connection, _: &Metrics) -> RecycleResult<Problem> {
        if connection.is_clean && !connection.is_closed() {
            Ok(())
        } else {
            Err(RecycleError::message("not fit for another request"))
        }
    }
}

/// Counts a request that waits, also one that is dropped meanwhile.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

async fn sweep(pools: Weak<Pools>) {
    loop {
        tokio::time::sleep(SWEEP).await;
        match pools.upgrade() {
            Some(pools) => pools.close_idle(),
            None => return,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
