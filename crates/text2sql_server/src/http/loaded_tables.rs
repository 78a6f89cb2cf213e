//! Tables that were just made from files, so that the role that loaded one can drop it again. No other table is ever dropped.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::identity::Identity;
use crate::problem::Problem;

/// How many are remembered; the oldest goes first.
const MOST: usize = 1_000;

/// What was loaded, until the server ends.
#[derive(Default)]
pub struct LoadedTables(Mutex<VecDeque<Loaded>>);

struct Loaded {
    id: String,
    role: String,
    oids: Vec<u32>,
}

/// What the statement of a load says of its tables.
#[derive(Deserialize)]
struct Made {
    oids: Vec<u32>,
}

impl LoadedTables {
    /// Remembers the tables of a load; returns the id under which they are taken back.
    pub fn remember(&self, identity: &Identity, reply: &RawValue) -> Result<String, Problem> {
        let made: Made = serde_json::from_str(reply.get()).map_err(|_| Problem::internal())?;
        let loaded = Loaded {
            id: Uuid::new_v4().simple().to_string(),
            role: identity.role().to_owned(),
            oids: made.oids,
        };
        let id = loaded.id.clone();
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() == MOST {
            all.pop_front();
        }
        all.push_back(loaded);
        Ok(id)
    }

    /// The OIDs of the tables that this role loaded under that id.
    pub fn of(&self, identity: &Identity, id: &str) -> Option<Vec<u32>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |loaded: &&Loaded| loaded.id == id && loaded.role == identity.role();
        all.iter().find(is_it).map(|loaded| loaded.oids.clone())
    }

    /// Forgets them: they are dropped.
    pub fn forget(&self, id: &str) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|loaded| loaded.id != id);
    }
}
