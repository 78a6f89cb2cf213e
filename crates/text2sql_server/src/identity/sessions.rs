//! People who have logged in: an unguessable id in a cookie stands for their credentials.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::sha256::sha256;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::{Credentials, Identity};
use crate::problem::Problem;

/// Sessions at a time. Beyond it the one that was not used for the longest time ends.
const MOST: usize = 10_000;

/// The sessions of this process. They are in memory only: a restart ends them all. Ids are kept as hashes, so that
/// nobody who reads the memory can be somebody else.
pub struct Sessions {
    idle: Duration,
    life: Duration,
    open: Mutex<HashMap<[u8; 32], Session>>,
}

struct Session {
    credentials: Arc<Credentials>,
    began: Instant,
    used: Instant,
}

impl Session {
    fn is_open(&self, sessions: &Sessions) -> bool {
        self.used.elapsed() < sessions.idle && self.began.elapsed() < sessions.life
    }
}

impl Sessions {
    /// No session yet. One is over when nobody used it for `idle`, and after `life` in any case.
    pub fn new(idle: Duration, life: Duration) -> Self {
        Self {
            idle,
            life,
            open: Mutex::default(),
        }
    }

    /// Begins a session and returns its id: 256 random bits.
    pub fn begin(&self, credentials: Arc<Credentials>) -> Result<String, Problem> {
        let mut bits = [0_u8; 32];
        getrandom::fill(&mut bits).map_err(|error| {
            tracing::error!("no random numbers: {error}");
            Problem::internal()
        })?;
        let id = URL_SAFE_NO_PAD.encode(bits);
        let mut open = self.lock();
        if open.len() >= MOST {
            open.retain(|_, session| session.is_open(self));
        }
        if open.len() >= MOST {
            let oldest = open
                .iter()
                .min_by_key(|(_, session)| session.used)
                .map(|(id, _)| *id);
            oldest.and_then(|id| open.remove(&id));
        }
        let now = Instant::now();
        let session = Session {
            credentials,
            began: now,
            used: now,
        };
        open.insert(hash(&id), session);
        Ok(id)
    }

    /// The identity that the session with this id belongs to.
    pub fn find(&self, id: &str) -> Option<Identity> {
        let mut open = self.lock();
        let session = open
            .get_mut(&hash(id))
            .filter(|session| session.is_open(self))?;
        session.used = Instant::now();
        Some(Identity::Own(Arc::clone(&session.credentials)))
    }

    /// Ends a session, and says whose it was.
    pub fn end(&self, id: &str) -> Option<Identity> {
        let session = self.lock().remove(&hash(id))?;
        Some(Identity::Own(session.credentials))
    }

    /// Forgets the sessions that are over, and with them their passwords.
    pub fn forget_old(&self) {
        self.lock().retain(|_, session| session.is_open(self));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<[u8; 32], Session>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn hash(id: &str) -> [u8; 32] {
    sha256(&[id.as_bytes()])
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn ana() -> Arc<Credentials> {
        Arc::new(Credentials::new("ana".to_owned(), "secret".to_owned()))
    }

    #[test]
    fn a_session_is_found_until_it_ends() {
        let sessions = Sessions::new(HOUR, HOUR);
        let (first, second) = (
            sessions.begin(ana()).unwrap(),
            sessions.begin(ana()).unwrap(),
        );
        assert_ne!(first, second);
        assert_eq!(first.len(), 43);
        assert_eq!(sessions.find(&first).unwrap().role(), "ana");
        assert!(sessions.end(&first).is_some());
        assert!(sessions.find(&first).is_none());
        assert!(sessions.find(&second).is_some());
        assert!(sessions.find("").is_none());
    }

    #[test]
    fn a_session_is_over_when_nobody_uses_it_and_after_its_life() {
        for (idle, life) in [(Duration::ZERO, HOUR), (HOUR, Duration::ZERO)] {
            let sessions = Sessions::new(idle, life);
            let id = sessions.begin(ana()).unwrap();
            assert!(sessions.find(&id).is_none());
            sessions.forget_old();
            assert!(sessions.lock().is_empty());
        }
    }

    #[test]
    fn the_oldest_session_makes_room() {
        let sessions = Sessions::new(HOUR, HOUR);
        let credentials = ana();
        let first = sessions.begin(Arc::clone(&credentials)).unwrap();
        for _ in 0..MOST {
            sessions.begin(Arc::clone(&credentials)).unwrap();
        }
        assert!(sessions.find(&first).is_none());
        assert_eq!(sessions.lock().len(), MOST);
    }

    #[test]
    fn no_password_is_printed() {
        assert_eq!(format!("{:?}", ana()), "Credentials { user: \"ana\", .. }");
    }
}
