//! Cancel and `pg_terminate_backend` at random moments of `ask`, in many sessions at once. `TEXT2SQL_INTERRUPTS`
//! says how many; `make soak` takes 1,000.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test that cannot go on fails; its figures are for the reader of make soak"
)]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use model_double::{ModelDouble, Script};
use postgres::{Client, NoTls};
use text2sql_server_tests::crashes::{self, LogFromNow};
use text2sql_server_tests::dice::Dice;
use text2sql_server_tests::processes::{process_of, threads};
use text2sql_server_tests::waiting::wait_until;
use text2sql_server_tests::{ServerSetting, TestDatabase};

const SESSIONS: usize = 16;

/// The main one, the helper for HTTP, the memory watchdog.
const MOST_THREADS: usize = 3;

/// A question takes about as long: asked of the double, which thinks for 60 ms, and then run.
const MOMENTS_MS: u64 = 400;

const QUESTION: &str = "SELECT status FROM text2sql.ask('How many numbers are there?')";

/// What came of the questions, by SQLSTATE or status.
type Outcomes = BTreeMap<String, usize>;

/// One session after another until all interrupts are done. Each survivor asks on; the dead are replaced.
fn interrupt_at_random(database: &TestDatabase, seed: u64, left: &AtomicUsize) -> Outcomes {
    let mut dice = Dice(seed);
    let mut outcomes = Outcomes::new();
    let mut killer = database.superuser();
    let mut client = database.analyst();
    let take_one = |count: usize| count.checked_sub(1);
    while left
        .fetch_update(Ordering::SeqCst, Ordering::SeqCst, take_one)
        .is_ok()
    {
        let process = process_of(&mut client);
        let token = client.cancel_token();
        let moment = Duration::from_millis(dice.below(MOMENTS_MS));
        let is_cancel = dice.below(2) == 0;
        let result = thread::scope(|scope| {
            let asked = scope.spawn(|| client.query_one(QUESTION, &[]));
            thread::sleep(moment);
            if is_cancel {
                token.cancel_query(NoTls).unwrap();
            } else {
                killer
                    .execute("SELECT pg_terminate_backend($1)", &[&process])
                    .unwrap();
            }
            asked.join().unwrap()
        });
        let outcome = match &result {
            Ok(row) => row.get::<_, &str>(0).to_owned(),
            Err(error) => error
                .as_db_error()
                .map_or("gone".to_owned(), |error| error.code().code().to_owned()),
        };
        *outcomes.entry(outcome).or_default() += 1;
        if is_cancel {
            // A cancel that came too late must not hit what comes next twice.
            while client.query_one("SELECT 1", &[]).is_err() {
                assert!(!client.is_closed(), "a cancel ended the session");
            }
            let count = threads(process);
            assert!(count <= MOST_THREADS, "{count} threads after a cancel");
        } else {
            client = database.analyst();
        }
    }
    outcomes
}

fn count(admin: &mut Client, sql: &str) -> i64 {
    admin.query_one(sql, &[]).unwrap().get(0)
}

#[test]
fn interrupts_at_any_moment_leave_nothing() {
    let rounds = std::env::var("TEXT2SQL_INTERRUPTS").map_or(100, |count| count.parse().unwrap());
    let log = LogFromNow::begin();
    let reply = r#"{"sql": "SELECT count(*) AS n FROM generate_series(1, 250000)"}"#;
    let double = ModelDouble::start(Script::new().otherwise(reply)).unwrap();
    let database = TestDatabase::new("interrupts");
    database.add_model("m", "openai", &double.base_url("delay-60"), "");
    let mut admin = database.superuser();
    let _slots = ServerSetting::set("text2sql.max_concurrency", SESSIONS as u32 + 1);
    let start = Instant::now();
    let left = AtomicUsize::new(rounds);
    let outcomes = thread::scope(|scope| {
        let sessions: Vec<_> = (1..=SESSIONS as u64)
            .map(|seed| {
                let (database, left) = (&database, &left);
                scope.spawn(move || interrupt_at_random(database, seed * 7919, left))
            })
            .collect();
        let mut all = Outcomes::new();
        for session in sessions {
            for (outcome, count) in session.join().unwrap() {
                *all.entry(outcome).or_default() += count;
            }
        }
        all
    });
    println!("{rounds} interrupts in {:?}: {outcomes:?}", start.elapsed());
    let known = ["ok", "57014", "57P01", "gone"];
    assert!(
        outcomes
            .keys()
            .all(|outcome| known.contains(&outcome.as_str())),
        "{outcomes:?}"
    );
    assert!(
        ["57014", "57P01"]
            .iter()
            .all(|code| outcomes.contains_key(*code)),
        "{outcomes:?}"
    );

    // This connection was there all the time: a crash of one backend would have ended it too.
    let others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    wait_until("the end of all backends", || count(&mut admin, others) == 0);
    let locks = "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
        WHERE d.datname = current_database() AND pid <> pg_backend_pid()";
    wait_until("no lock", || count(&mut admin, locks) == 0);
    wait_until("no request", || double.open_connections() == 0);
    // Every slot is free: as many questions as there are slots, at once.
    thread::scope(|scope| {
        let askers: Vec<_> = (0..SESSIONS)
            .map(|_| {
                scope.spawn(|| {
                    database
                        .analyst()
                        .query_one(QUESTION, &[])
                        .unwrap()
                        .get::<_, String>(0)
                })
            })
            .collect();
        for asker in askers {
            assert_eq!(asker.join().unwrap(), "ok");
        }
    });
    crashes::assert_none(&log.text());
}
