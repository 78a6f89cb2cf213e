//! Login with a name and a password. Attempts are limited and PostgreSQL verifies; what it accepted is cached
//! for a moment, so that HTTP Basic does not log in anew with each request.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::database::{Database, wrong_password};
use crate::identity::{Credentials, Fingerprint};
use crate::limits::Attempts;
use crate::problem::Problem;

/// How long a password that PostgreSQL accepted is believed.
const BELIEVED: Duration = Duration::from_secs(60);
/// Beyond this many cached logins, the expired ones are forgotten.
const MANY: usize = 1_000;
/// The longest name of a role.
const LONGEST_NAME: usize = 63;

/// Verifies names and passwords.
pub struct Login {
    database: Arc<Database>,
    attempts: Arc<Attempts>,
    verified: Mutex<HashMap<Fingerprint, (Arc<Credentials>, Instant)>>,
    turns: Mutex<HashMap<Fingerprint, Arc<Turn>>>,
}

/// Held while the same credentials are verified.
type Turn = tokio::sync::Mutex<()>;

impl Login {
    /// Starts without any cached login.
    pub fn new(database: Arc<Database>, attempts: Arc<Attempts>) -> Self {
        Self {
            database,
            attempts,
            verified: Mutex::default(),
            turns: Mutex::default(),
        }
    }

    /// Asks PostgreSQL.
    pub async fn verify(
        &self,
        credentials: Credentials,
        address: IpAddr,
    ) -> Result<Arc<Credentials>, Problem> {
        let holds_nul = |text: &[u8]| text.contains(&0);
        if credentials.user.len() > LONGEST_NAME
            || holds_nul(credentials.user.as_bytes())
            || credentials.password().is_some_and(holds_nul)
        {
            return Err(wrong_password());
        }
        let attempt = self.attempts.begin(address, &credentials.user)?;
        let credentials = Arc::new(credentials);
        match self.database.log_in(&credentials).await {
            Ok(()) => attempt.does_not_count(),
            Err(problem) => {
                if problem.status != wrong_password().status {
                    attempt.does_not_count();
                }
                return Err(problem);
            }
        }
        self.lock().insert(
            credentials.fingerprint(),
            (Arc::clone(&credentials), Instant::now()),
        );
        Ok(credentials)
    }

    /// Asks PostgreSQL, unless it accepted the same a moment ago.
    pub async fn verify_again(
        &self,
        credentials: Credentials,
        address: IpAddr,
    ) -> Result<Arc<Credentials>, Problem> {
        let fingerprint = credentials.fingerprint();
        if let Some(credentials) = self.believed(&fingerprint) {
            return Ok(credentials);
        }
        // Many requests that come at once are one attempt where the password is right.
        let turn = self.turn_of(fingerprint);
        let _turn = turn.lock().await;
        match self.believed(&fingerprint) {
            Some(credentials) => Ok(credentials),
            None => self.verify(credentials, address).await,
        }
    }

    /// Whose turn it is to verify these credentials.
    fn turn_of(&self, fingerprint: Fingerprint) -> Arc<Turn> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.retain(|_, turn| Arc::strong_count(turn) > 1);
        Arc::clone(turns.entry(fingerprint).or_default())
    }

    /// Forgets the passwords that are not believed any more.
    pub fn forget_old(&self) {
        self.lock()
            .retain(|_, (_, since)| since.elapsed() < BELIEVED);
    }

    /// Forgets one password: PostgreSQL does not accept it any more, or its owner has logged out.
    pub fn forget(&self, credentials: &Credentials) {
        self.lock().remove(&credentials.fingerprint());
    }

    fn believed(&self, fingerprint: &Fingerprint) -> Option<Arc<Credentials>> {
        let mut verified = self.lock();
        if verified.len() > MANY {
            verified.retain(|_, (_, since)| since.elapsed() < BELIEVED);
        }
        verified
            .get(fingerprint)
            .filter(|(_, since)| since.elapsed() < BELIEVED)
            .map(|(credentials, _)| Arc::clone(credentials))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Fingerprint, (Arc<Credentials>, Instant)>> {
        self.verified.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
