//! Questions that run and wait, and files that are read: of each role some run, some wait for their turn, and more are
//! refused. So one role cannot take all connections, and all of the memory for files.

use std::collections::{BTreeSet, HashMap};
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::StatusCode;
use futures_util::FutureExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::config::Limits;
use crate::problem::Problem;

/// Seconds after which a role with too many questions may try again: most questions take less.
const ROLE_RETRY: u32 = 5;
/// Seconds after which there may be room for another stream.
const STREAM_RETRY: u32 = 10;

/// Files of a role that are read at a time and that wait for it, and those of everybody: each is in memory.
const FILES_OF_ROLE: usize = 1;
const FILES_WAITING: usize = 4;
const FILES: usize = 64;

/// What runs and waits.
pub struct Running {
    /// What they are, in the plural.
    what: &'static str,
    role_running: usize,
    role_waiting: usize,
    streams: Arc<Semaphore>,
    roles: Mutex<HashMap<String, Arc<Role>>>,
}

struct Role {
    running: Arc<Semaphore>,
    /// Those that run and those that wait.
    present: AtomicUsize,
    /// Those that wait, in the order in which they came.
    queue: watch::Sender<BTreeSet<u64>>,
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
        Self::within(
            "questions",
            limits.role_running,
            limits.role_waiting,
            limits.streams,
        )
    }

    /// The same for files.
    pub fn of_files() -> Self {
        Self::within("files", FILES_OF_ROLE, FILES_WAITING, FILES)
    }

    fn within(
        what: &'static str,
        role_running: usize,
        role_waiting: usize,
        streams: usize,
    ) -> Self {
        Self {
            what,
            role_running,
            role_waiting,
            streams: Arc::new(Semaphore::new(streams)),
            roles: Mutex::default(),
        }
    }

    /// A place for one more of this role, or when to come again.
    pub fn enter(&self, role: &str) -> Result<Place, Problem> {
        let stream = Arc::clone(&self.streams)
            .try_acquire_owned()
            .map_err(|_| Problem {
                retry_after: Some(STREAM_RETRY),
                ..Problem::unavailable(format!("too many {} are running on this server", self.what))
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
                    format!(
                        "{present} {} of this role are running or waiting already",
                        self.what
                    ),
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
            queue: watch::Sender::default(),
        });
        roles.insert(name.to_owned(), Arc::clone(&role));
        role
    }
}

impl Place {
    /// Waits for its turn. `tell` is called with its place in the queue, from 1, whenever that changes.
    pub async fn turn(self, tell: impl Fn(usize)) -> Turn {
        let running = {
            let mut turn = pin!(Arc::clone(&self.role.running).acquire_owned());
            // The semaphore is never closed.
            match turn.as_mut().now_or_never() {
                Some(running) => running.ok(),
                None => {
                    let ticket = Ticket::of(&self.role.queue);
                    let mut changes = self.role.queue.subscribe();
                    let mut told = None;
                    loop {
                        let ahead = changes.borrow_and_update().range(..ticket.number).count();
                        if told.replace(ahead) != Some(ahead) {
                            tell(ahead + 1);
                        }
                        tokio::select! {
                            biased;
                            running = &mut turn => break running.ok(),
                            _ = changes.changed() => {}
                        }
                    }
                }
            }
        };
        Turn {
            _running: running,
            _place: self,
        }
    }
}

/// A number in the queue, which is left when it is dropped.
struct Ticket<'a> {
    queue: &'a watch::Sender<BTreeSet<u64>>,
    number: u64,
}

impl<'a> Ticket<'a> {
    fn of(queue: &'a watch::Sender<BTreeSet<u64>>) -> Self {
        let mut number = 0;
        queue.send_modify(|waiting| {
            number = waiting.last().map_or(0, |last| last + 1);
            waiting.insert(number);
        });
        Self { queue, number }
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        self.queue.send_modify(|waiting| {
            waiting.remove(&self.number);
        });
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.role.present.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(role_running: usize, role_waiting: usize, streams: usize) -> Running {
        Running::within("questions", role_running, role_waiting, streams)
    }

    fn at_once(place: Place) -> Option<Turn> {
        place.turn(|_| {}).now_or_never()
    }

    #[test]
    fn a_role_runs_some_and_waits_with_some() {
        let all = running(1, 1, 10);
        let first = at_once(all.enter("ana").unwrap()).unwrap();
        let second = all.enter("ana").unwrap();
        let refused = all.enter("ana").err().unwrap();
        assert_eq!((refused.status, refused.retry_after), (429, Some(5)));
        assert!(at_once(all.enter("bob").unwrap()).is_some());
        let mut waiting = Box::pin(second.turn(|_| {}));
        assert!((&mut waiting).now_or_never().is_none());
        drop(first);
        assert!(waiting.now_or_never().is_some());
        assert!(at_once(all.enter("ana").unwrap()).is_some());
    }

    #[test]
    fn who_waits_hears_of_the_place_in_the_queue() {
        let all = running(1, 3, 10);
        let first = at_once(all.enter("ana").unwrap()).unwrap();
        let told: [Mutex<Vec<usize>>; 3] = Default::default();
        let mut waiting: Vec<_> = told
            .iter()
            .map(|told| {
                let turn = all
                    .enter("ana")
                    .unwrap()
                    .turn(|at| told.lock().unwrap().push(at));
                Box::pin(turn)
            })
            .collect();
        for turn in &mut waiting {
            assert!(turn.now_or_never().is_none());
        }
        // The second of them gives up, then the first has its turn.
        drop(waiting.remove(1));
        drop(first);
        assert!(waiting.remove(0).now_or_never().is_some());
        assert!(waiting.remove(0).now_or_never().is_some());
        let told: Vec<_> = told
            .iter()
            .map(|told| told.lock().unwrap().clone())
            .collect();
        assert_eq!(told, [[1], [2], [3]]);
    }

    #[test]
    fn a_role_reads_one_file_at_a_time() {
        let files = Running::of_files();
        let first = at_once(files.enter("ana").unwrap()).unwrap();
        let waiting: Vec<_> = (0..FILES_WAITING)
            .map(|_| files.enter("ana").unwrap())
            .collect();
        let refused = files.enter("ana").err().unwrap();
        assert_eq!(
            (refused.status, refused.title.as_str()),
            (429, "5 files of this role are running or waiting already")
        );
        for place in waiting {
            assert!(at_once(place).is_none());
        }
        assert!(at_once(files.enter("bob").unwrap()).is_some());
        drop(first);
        assert!(at_once(files.enter("ana").unwrap()).is_some());
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
