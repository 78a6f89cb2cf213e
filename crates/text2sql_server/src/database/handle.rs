//! The database, and how it is reached.

use std::sync::Arc;
use std::time::Duration;

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
}

impl Database {
    /// The database of a connection string. `login` takes on the roles of tokens.
    pub fn new(target: Target, limits: &Limits, login: Option<Credentials>) -> Arc<Self> {
        Arc::new(Self {
            pools: Pools::new(target, limits.connections, limits.connection_wait()),
            question_time: limits.question_time(),
            login: login.map(Arc::new),
        })
    }

    /// The login that takes on the roles of tokens.
    pub(super) fn login(&self) -> Result<&Arc<Credentials>, Problem> {
        // Not reached otherwise: without a login role, no token is accepted.
        self.login.as_ref().ok_or_else(Problem::internal)
    }
}
