//! Roles belong to the whole cluster, and tests run at the same time. So a role is either created once for
//! all tests, under a lock, or it belongs to one test's database and is dropped with it
//! ([`TestDatabase::create_role`](crate::TestDatabase::create_role)).

use crate::connection::connect;

/// A role that may ask and read the shop.
pub const ANALYST: &str = "t2s_analyst";

/// Key of the advisory lock. Such a lock holds in one database only, so it is always taken in `postgres`.
const LOCK: i64 = 7432;

/// Creates a role that several tests use, unless it exists already. `options` is what follows the name in
/// `CREATE ROLE`.
pub fn create_once(name: &str, options: &str) {
    // One transaction: the lock is held until the role is visible to whoever waits for it. A lock that is
    // released before the commit lets the next test create the same role.
    connect("postgres", None)
        .batch_execute(&format!(
            "BEGIN;
             SELECT pg_advisory_xact_lock({LOCK});
             DO $$ BEGIN
                 IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{name}') THEN
                     CREATE ROLE {name} {options};
                 END IF;
             END $$;
             COMMIT"
        ))
        .expect("a role that tests share");
}
