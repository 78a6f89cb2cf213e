//! What happens while the library and the functions of a database are of different versions, and what update
//! scripts of the extension need. See `docs/upgrade.md` and `sql/upgrade/README.md`.

pub(crate) mod installed_version;
mod removed_symbols;
mod unrecorded_grants;
