//! The options of the command line.

/// What is hidden, and what is printed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Options {
    pub(crate) names_only: bool,
    pub(crate) no_keys: bool,
    pub(crate) server: bool,
    pub(crate) garbled: Garbled,
    pub(crate) list: [bool; 2],
}

/// Which names are abbreviated and written together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Garbled {
    #[default]
    Nothing,
    Columns,
    Everything,
}
