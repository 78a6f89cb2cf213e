//! The sender of a request. PostgreSQL decides what they may do.

mod credentials;
pub mod sessions;
pub mod tokens;

use std::sync::Arc;

pub use credentials::{Credentials, Fingerprint};

/// The identity whose privileges a request has.
#[derive(Debug, Clone)]
pub enum Identity {
    /// Somebody who logs in to PostgreSQL with a name and a password.
    Own(Arc<Credentials>),
    /// The role that a verified token stands for. The server's login role takes it on.
    Taken(Arc<str>),
}

impl Identity {
    /// The role whose rights a request has.
    pub fn role(&self) -> &str {
        match self {
            Self::Own(credentials) => &credentials.user,
            Self::Taken(role) => role,
        }
    }
}
