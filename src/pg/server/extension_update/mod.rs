//! What updates of the extension need from the library: see `sql/upgrade/README.md`.

mod removed_symbols;
mod unrecorded_grants;
