//! Waits for a condition instead of a fixed time.

use std::thread::sleep;
use std::time::{Duration, Instant};

use postgres::Client;

/// How long anything may take before a test fails. Long, because a busy machine is no error; a condition
/// that becomes true ends the wait immediately.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until `condition` holds.
///
/// # Panics
/// If it is not true within a minute. `what` describes the condition.
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        sleep(Duration::from_millis(5));
    }
}

/// Waits until the backend waits for a model.
///
/// # Panics
/// When it does not do so in a minute.
pub fn wait_for_model(admin: &mut Client, backend: i32) {
    let sql = "SELECT count(*) FROM pg_stat_activity
        WHERE pid = $1 AND state = 'active' AND wait_event_type = 'Extension'";
    wait_until("a backend that waits for a model", || {
        let row = admin.query_one(sql, &[&backend]).expect("pg_stat_activity");
        row.get::<_, i64>(0) == 1
    });
}

/// Waits until the backend is gone.
///
/// # Panics
/// When it is still there after a minute.
pub fn wait_for_end(admin: &mut Client, backend: i32) {
    let sql = "SELECT count(*) FROM pg_stat_activity WHERE pid = $1";
    wait_until("the end of a backend", || {
        let row = admin.query_one(sql, &[&backend]).expect("pg_stat_activity");
        row.get::<_, i64>(0) == 0
    });
}

/// How many sessions of the database wait for a model.
///
/// # Panics
/// When the server does not answer.
pub fn count_waiting(admin: &mut Client) -> i64 {
    let sql = "SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Extension'";
    admin.query_one(sql, &[]).expect("pg_stat_activity").get(0)
}
