//! The database, and how it is reached.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::failure::too_busy;
use super::pool::Pools;
use super::target::Target;
use crate::config::Limits;
use crate::identity::Credentials;
use crate::problem::Problem;

/// The database, and how it is reached.
pub struct Database {
    pub(super) pools: Arc<Pools>,
    pub(super) question_time: Duration,
    /// The login whose connections take on the roles of tokens.
    login: Option<Arc<Credentials>>,
    /// When it was last looked whether the database is ready, and whether it was.
    pub(super) readiness: tokio::sync::Mutex<Option<(Instant, Result<(), Problem>)>>,
    /// How many of them each role may use at a time.
    taken: Shares,
}

impl Database {
    /// The database of a connection string. `login` takes on the roles of tokens.
    pub fn new(target: Target, limits: &Limits, login: Option<Credentials>) -> Arc<Self> {
        Arc::new(Self {
            pools: Pools::new(target, limits.connections, limits.connection_wait()),
            question_time: limits.question_time(),
            login: login.map(Arc::new),
            readiness: tokio::sync::Mutex::default(),
            taken: Shares::of(limits.connections, limits.connection_wait()),
        })
    }

    /// The right of a role of tokens to use one of the connections that all such roles share.
    pub(super) async fn share(&self, role: &str) -> Result<OwnedSemaphorePermit, Problem> {
        self.taken.take(role).await
    }

    /// The login that takes on the roles of tokens.
    pub(super) fn login(&self) -> Result<&Arc<Credentials>, Problem> {
        // Not reached otherwise: without a login role, no token is accepted.
        self.login.as_ref().ok_or_else(Problem::internal)
    }
}

/// What each role may use of connections that many roles share: half of them, so that none of them keeps the others out.
struct Shares {
    size: usize,
    wait: Duration,
    roles: Mutex<HashMap<String, Arc<Semaphore>>>,
}

impl Shares {
    fn of(connections: usize, wait: Duration) -> Self {
        Self {
            size: connections.div_ceil(2),
            wait,
            roles: Mutex::default(),
        }
    }

    async fn take(&self, role: &str) -> Result<OwnedSemaphorePermit, Problem> {
        match timeout(self.wait, self.of_role(role).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(too_busy()),
        }
    }

    fn of_role(&self, role: &str) -> Arc<Semaphore> {
        let mut roles = self.roles.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = roles.get(role) {
            return Arc::clone(share);
        }
        // A permit holds its semaphore.
        roles.retain(|_, share| Arc::strong_count(share) > 1);
        let share = Arc::new(Semaphore::new(self.size));
        roles.insert(role.to_owned(), Arc::clone(&share));
        share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_role_takes_half_of_what_all_share() {
        let shares = Shares::of(4, Duration::from_millis(1));
        let first = shares.take("ana").await.unwrap();
        let _second = shares.take("ana").await.unwrap();
        let refused = shares.take("ana").await.err().unwrap();
        assert_eq!(refused.title, "all connections to the database are in use");
        assert!(shares.take("bob").await.is_ok());
        drop(first);
        assert!(shares.take("ana").await.is_ok());
        assert!(shares.take("cy").await.is_ok());
        assert_eq!(shares.roles.lock().unwrap().len(), 2, "bob has none");
    }
}
