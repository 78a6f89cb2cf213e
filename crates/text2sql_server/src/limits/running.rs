//! Questions that run and wait: of each role some run, some wait for their turn, and more are refused. So one role
//! cannot take all connections.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::StatusCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::config::Limits;
use crate::problem::Problem;

/// Seconds after which a role with too many questions may try again: most questions take less.
const ROLE_RETRY: u32 = 5;
/// Seconds after which there may be room for another stream.
const STREAM_RETRY: u32 = 10;

/// What runs and waits.
pub struct Running {
    role_running: usize,
    role_waiting: usize,
    streams: Arc<Semaphore>,
    roles: Mutex<HashMap<String, Arc<Role>>>,
}

struct Role {
    running: Arc<Semaphore>,
    /// Those that run and those that wait.
    present: AtomicUsize,
}

/// A place among the questions that run or wait.
pub struct Place {
    role: Arc<Role>,
    _stream: OwnedSemaphorePermit,
}

/// The right to run. It holds the place.
pub struct Turn {
    _running: Option<OwnedSemaphorePermit>,
    _place: Place,
}

impl Running {
    /// Nothing runs.
    pub fn new(limits: &Limits) -> Self {
        Self {
            role_running: limits.role_running,
            role_waiting: limits.role_waiting,
            streams: Arc::new(Semaphore::new(limits.streams)),
            roles: Mutex::default(),
        }
    }

    /// A place for a question of this role, or when to come again.
    pub fn enter(&self, role: &str) -> Result<Place, Problem> {
        let stream = Arc::clone(&self.streams)
            .try_acquire_owned()
            .map_err(|_| Problem {
                retry_after: Some(STREAM_RETRY),
                ..Problem::unavailable("too many questions are running on this server")
            })?;
        let role = self.role(role);
        let most = self.role_running + self.role_waiting;
        let entered = role
            .present
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |present| {
                (present < most).then_some(present + 1)
            });
        match entered {
            Ok(_) => Ok(Place {
                role,
                _stream: stream,
            }),
            Err(present) => Err(Problem {
                retry_after: Some(ROLE_RETRY),
                ..Problem::new(
                    StatusCode::TOO_MANY_REQUESTS,
                    format!("{present} questions of this role are running or waiting already"),
                )
            }),
        }
    }

    fn role(&self, name: &str) -> Arc<Role> {
        let mut roles = self.roles.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(role) = roles.get(name) {
            return Arc::clone(role);
        }
        roles.retain(|_, role| Arc::strong_count(role) > 1);
        let role = Arc::new(Role {
            running: Arc::new(Semaphore::new(self.role_running)),
            present: AtomicUsize::new(0),
        });
        roles.insert(name.to_owned(), Arc::clone(&role));
        role
    }
}

impl Place {
    /// Whether it would have to wait for its turn.
    pub fn must_wait(&self) -> bool {
        self.role.running.available_permits() == 0
    }

    /// Waits for its turn.
    pub async fn turn(self) -> Turn {
        // The semaphore is never closed.
        let running = Arc::clone(&self.role.running).acquire_owned().await.ok();
        Turn {
            _running: running,
            _place: self,
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.role.present.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn running(role_running: usize, role_waiting: usize, streams: usize) -> Running {
        Running {
            role_running,
            role_waiting,
            streams: Arc::new(Semaphore::new(streams)),
            roles: Mutex::default(),
        }
    }

    #[test]
    fn a_role_runs_some_and_waits_with_some() {
        let all = running(1, 1, 10);
        let first = all.enter("ana").unwrap().turn().now_or_never().unwrap();
        let second = all.enter("ana").unwrap();
        assert!(second.must_wait());
        let refused = all.enter("ana").err().unwrap();
        assert_eq!((refused.status, refused.retry_after), (429, Some(5)));
        assert!(all.enter("bob").unwrap().turn().now_or_never().is_some());
        let mut waiting = Box::pin(second.turn());
        assert!((&mut waiting).now_or_never().is_none());
        drop(first);
        assert!(waiting.now_or_never().is_some());
        assert!(!all.enter("ana").unwrap().must_wait());
    }

    #[test]
    fn there_is_an_end_for_all_roles_together() {
        let all = running(9, 9, 2);
        let places = (all.enter("ana").unwrap(), all.enter("bob").unwrap());
        let refused = all.enter("cy").err().unwrap();
        assert_eq!((refused.status, refused.retry_after), (503, Some(10)));
        drop(places);
        assert!(all.enter("cy").is_ok());
        assert_eq!(all.roles.lock().unwrap().len(), 1);
    }
}
