//! Names and passwords of PostgreSQL.

use std::fmt;
use std::sync::OnceLock;

use crate::sha256::sha256;
use zeroize::Zeroizing;

/// A name and a password of PostgreSQL. The password is erased from memory with the last owner.
pub struct Credentials {
    /// The role that logs in.
    pub user: String,
    password: Zeroizing<String>,
}

/// Stands for a name and a password where they are compared. Nobody can compute it outside of this process, so that
/// it is of no use to whoever reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Credentials {
    /// Takes the password.
    pub fn new(user: String, password: impl Into<Zeroizing<String>>) -> Self {
        Self {
            user,
            password: password.into(),
        }
    }

    /// The password; `None` where there is none.
    pub fn password(&self) -> Option<&[u8]> {
        Some(self.password.as_bytes()).filter(|password| !password.is_empty())
    }

    /// What stands for both.
    pub fn fingerprint(&self) -> Fingerprint {
        let length = self.user.len().to_le_bytes();
        let (user, password) = (self.user.as_bytes(), self.password.as_bytes());
        Fingerprint(sha256(&[key(), &length, user, password]))
    }
}

/// A key of this process.
fn key() -> &'static [u8; 32] {
    static KEY: OnceLock<[u8; 32]> = OnceLock::new();
    KEY.get_or_init(|| {
        let mut key = [0; 32];
        // An error is ignored: without random numbers no session can begin, and a key of zeros still compares correctly.
        let _ = getrandom::fill(&mut key);
        key
    })
}

impl fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Credentials")
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}
