//! Environment variables and files, through which what is outside is asked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Connection parameters by their names in connection strings.
pub type Parameters = BTreeMap<String, String>;

/// Environment variables and files.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The value of an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// The text of a file; `None` where it cannot be read.
    pub read: &'a dyn Fn(&Path) -> Option<String>,
}

/// An environment variable, unless it is empty.
pub(super) fn variable(surroundings: Surroundings<'_>, name: &str) -> Option<String> {
    (surroundings.variable)(name).filter(|value| !value.is_empty())
}

/// The home directory of the user.
pub(super) fn home(surroundings: Surroundings<'_>) -> Option<PathBuf> {
    variable(surroundings, "HOME").map(PathBuf::from)
}
