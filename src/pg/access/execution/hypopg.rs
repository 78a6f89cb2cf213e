//! Hypothetical indexes of the extension hypopg, where it is installed and the caller may use it. They exist
//! only in the memory of this backend, and each is dropped after its cost is known.
//!
//! hypopg shows them only to EXPLAIN. After an ERROR they are dropped at the next use, because hypopg's memory
//! is not transactional.

use std::cell::RefCell;

use pgrx::pg_sys;
use text2sql_domain::error::Error;
use text2sql_domain::schema::quote_identifier;

use crate::pg::server::spi::role::{EffectiveRole, with_role};
use crate::pg::server::spi::{self, sandbox};

/// Where hypopg is installed, if the current user may call it.
const FIND_HYPOPG: &str = include_str!("../../../../sql/queries/find_hypopg.sql");

thread_local! {
    /// Existing indexes; empty between calls, except after an ERROR.
    static IMAGINED: RefCell<Vec<pg_sys::Oid>> = const { RefCell::new(Vec::new()) };
}

/// hypopg, ready to use.
pub(crate) struct Hypopg {
    /// Its schema, quoted where SQL needs it.
    schema: String,
}

/// A hypothetical index.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Imagined {
    /// Its name in plans.
    pub(crate) name: String,
    /// Estimated size in bytes.
    pub(crate) size: f64,
}

impl Hypopg {
    /// Finds it; `None` when it is not installed or not available to this user.
    pub(crate) fn find(role: &EffectiveRole) -> Result<Option<Self>, Error> {
        let schema: Option<String> = with_role(role, || spi::read_one(FIND_HYPOPG, &[]))?;
        Ok(schema.map(|schema| Self {
            schema: quote_identifier(&schema),
        }))
    }

    /// Runs `work` with the hypothetical indexes of these CREATE INDEX statements, and drops them. `None` when
    /// one of them cannot be created.
    pub(crate) fn with_indexes<T>(
        &self,
        role: &EffectiveRole,
        statements: &[String],
        work: impl FnOnce(&[Imagined]) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        self.drop_all(role);
        let mut imagined = Vec::new();
        for statement in statements {
            match self.imagine(role, statement)? {
                Some(index) => imagined.push(index),
                None => {
                    self.drop_all(role);
                    return Ok(None);
                }
            }
        }
        let outcome = work(&imagined);
        self.drop_all(role);
        outcome.map(Some)
    }

    fn imagine(&self, role: &EffectiveRole, statement: &str) -> Result<Option<Imagined>, Error> {
        let create = format!(
            "SELECT indexrelid, indexname FROM {}.hypopg_create_index($1)",
            self.schema
        );
        let size = format!("SELECT {}.hypopg_relation_size($1)", self.schema);
        let attempt = quietly(role, || {
            let made = spi::read_once(&create, &[statement.into()], |row| {
                Ok((row.read::<pg_sys::Oid>(1)?, row.read::<String>(2)?))
            })?;
            let Some((Some(oid), Some(name))) = made.into_iter().next() else {
                return Ok(None);
            };
            IMAGINED.with_borrow_mut(|imagined| imagined.push(oid));
            let sizes = spi::read_once(&size, &[oid.into()], |row| row.read::<i64>(1))?;
            let bytes = sizes.into_iter().next().flatten().unwrap_or(0);
            Ok(Some(Imagined {
                name,
                size: bytes as f64,
            }))
        });
        attempt.unwrap_or(Ok(None))
    }

    /// Drops the existing indexes.
    fn drop_all(&self, role: &EffectiveRole) {
        let drop = format!("SELECT {}.hypopg_drop_index($1)", self.schema);
        for oid in IMAGINED.take() {
            // An index that no longer exists is ignored.
            let _ = quietly(role, || {
                spi::read_once(&drop, &[oid.into()], |row| row.read::<bool>(1))
            });
        }
    }
}

/// Runs `work` as the role; `None` when it raised an ERROR.
fn quietly<T>(role: &EffectiveRole, work: impl FnOnce() -> T) -> Option<T> {
    sandbox::run_and_undo(|_| with_role(role, work), |_| None).ok()
}
