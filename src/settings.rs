//! Every setting of ours: its default, its range and the reason for both. Nothing else reads
//! settings; a run gets a finished [`text2sql_core::config::Config`].

/// Defines the settings. Called once in each process that loads the library.
pub(crate) fn init() {}
