//! What the double saw: requests and connections.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde_json::Value;

/// A request as it arrived.
#[derive(Debug, Clone, Serialize)]
pub struct RecordedRequest {
    /// The method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// `HTTP/1.1` or `HTTP/2.0`.
    pub version: String,
    /// Headers by lower-case name; secrets included, since tests look for them.
    pub headers: BTreeMap<String, String>,
    /// The body: JSON when it is, otherwise text.
    pub body: Value,
    /// Which connection it came by, counted from 1.
    pub connection: usize,
}

/// Maximum number of recorded requests; the oldest are dropped first, so that a benchmark does not fill the memory.
const KEPT: usize = 1000;

#[derive(Debug, Default)]
struct Seen {
    requests: VecDeque<RecordedRequest>,
    accepted: usize,
    open: usize,
    /// How often a failing behaviour or a rule was met.
    counts: HashMap<String, usize>,
}

/// Everything seen so far.
#[derive(Debug, Default)]
pub(crate) struct Record(Mutex<Seen>);

impl Record {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn connection_opened(&self) -> usize {
        let mut seen = self.seen();
        seen.accepted += 1;
        seen.open += 1;
        seen.accepted
    }

    pub(crate) fn connection_closed(&self) {
        let mut seen = self.seen();
        seen.open = seen.open.saturating_sub(1);
    }

    pub(crate) fn add(&self, request: RecordedRequest) {
        let mut seen = self.seen();
        if seen.requests.len() == KEPT {
            seen.requests.pop_front();
        }
        seen.requests.push_back(request);
    }

    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.seen().requests.iter().cloned().collect()
    }

    pub(crate) fn accepted(&self) -> usize {
        self.seen().accepted
    }

    pub(crate) fn open(&self) -> usize {
        self.seen().open
    }

    /// Counts one more for `key` and says how many there were before.
    pub(crate) fn count(&self, key: &str) -> usize {
        let mut seen = self.seen();
        let count = seen.counts.entry(key.to_owned()).or_default();
        *count += 1;
        *count - 1
    }

    /// Whether the next request that meets `key` is one of `times` failures before a success.
    /// After the success it starts again, so that every call of a client sees the same.
    pub(crate) fn fails_now(&self, key: &str, times: usize) -> bool {
        let mut seen = self.seen();
        let count = seen.counts.entry(key.to_owned()).or_default();
        let fails = *count < times;
        *count = if fails { *count + 1 } else { 0 };
        fails
    }

    pub(crate) fn reset(&self) {
        let mut seen = self.seen();
        seen.requests.clear();
        seen.counts.clear();
    }
}
