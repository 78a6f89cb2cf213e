//! Results behind a link: which SQL an id stands for. Only the text is kept; reading the link runs it again, with the
//! rights that its reader has then.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use uuid::Uuid;

/// Maximum number of results that can be linked to at a time; the oldest is dropped first.
const MOST: usize = 1_000;
/// A link is of use while a conversation with an agent goes on.
const VALID: Duration = Duration::from_secs(60 * 60);

/// The links of this process.
#[derive(Default)]
pub(super) struct Links {
    kept: Mutex<VecDeque<Link>>,
}

struct Link {
    id: Uuid,
    role: String,
    sql: String,
    since: Instant,
}

impl Links {
    /// A new link to the result of `sql`, for one role.
    pub(super) fn keep(&self, role: &str, sql: &str) -> Uuid {
        let id = Uuid::new_v4();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == MOST {
            kept.pop_front();
        }
        kept.push_back(Link {
            id,
            role: role.to_owned(),
            sql: sql.to_owned(),
            since: Instant::now(),
        });
        id
    }

    /// The SQL of a link of this role.
    pub(super) fn sql(&self, role: &str, id: Uuid) -> Option<String> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter()
            .find(|link| link.id == id && link.role == role && link.since.elapsed() < VALID)
            .map(|link| link.sql.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_for_its_role_and_there_are_not_too_many() {
        let links = Links::default();
        let first = links.keep("ana", "SELECT 1");
        assert_eq!(links.sql("ana", first).as_deref(), Some("SELECT 1"));
        assert_eq!(links.sql("bob", first), None);
        for _ in 0..MOST {
            links.keep("ana", "SELECT 2");
        }
        assert_eq!(links.sql("ana", first), None);
    }
}
