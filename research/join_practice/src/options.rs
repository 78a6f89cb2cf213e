//! The options of the command line.

/// What is hidden, and what is printed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Options {
    pub(crate) names_only: bool,
    pub(crate) no_keys: bool,
    pub(crate) server: bool,
    pub(crate) list: [bool; 2],
}
