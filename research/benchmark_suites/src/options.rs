//! What an import may be told.

use std::path::PathBuf;
use std::time::Duration;

use crate::kind::Kind;

/// What an import may be told.
pub struct Options {
    /// The server, and who loads. The database of it is the one from which others are made.
    pub server: postgres::Config,
    /// What stands before the name of each database; the benchmark's own name by default.
    pub prefix: Option<String>,
    /// The name of the suite; the benchmark's own name by default.
    pub suite: Option<String>,
    /// Files of questions, in place of those of the published layout.
    pub questions: Vec<PathBuf>,
    /// Only these databases of the benchmark.
    pub only: Vec<String>,
    /// Whether databases of these names are dropped first.
    pub replaces: bool,
    /// A role that may read the tables and evaluate.
    pub role: Option<String>,
    /// How long one query may take, in either database.
    pub timeout: Duration,
    /// Says what is being done.
    pub tell: fn(&str),
}

impl Options {
    /// The defaults, for a server.
    pub fn new(server: postgres::Config) -> Self {
        Self {
            server,
            prefix: None,
            suite: None,
            questions: Vec::new(),
            only: Vec::new(),
            replaces: false,
            role: None,
            timeout: Duration::from_secs(60),
            tell: |_| {},
        }
    }

    pub(crate) fn database_name(&self, kind: Kind, id: &str) -> String {
        let default = || format!("{}_", kind.name());
        let prefix = self.prefix.clone().unwrap_or_else(default);
        format!("{prefix}{id}").to_lowercase()
    }

    pub(crate) fn suite_name(&self, kind: Kind) -> String {
        self.suite.clone().unwrap_or_else(|| kind.name().to_owned())
    }
}
