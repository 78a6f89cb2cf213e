//! Cancel and `pg_terminate_backend` at random moments of `ask`, in many sessions at once. `TEXT2SQL_INTERRUPTS`
//! is their number; `make soak` takes 1,000.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use model_double::{ModelDouble, Script};
use postgres::{Client, NoTls};
use text2sql_server_tests::crashes::{self, LogFromNow};
use text2sql_server_tests::processes::{process_of, threads};
use text2sql_server_tests::waiting::wait_until;
use text2sql_server_tests::{ServerSetting, TestDatabase};

const SESSIONS: usize = 16;

/// The main one, the helper for HTTP, the memory watchdog.
const MAX_THREADS: usize = 3;

/// A question takes about as long: asked of the double, which thinks for 60 ms, and then run.
const MOMENTS_MS: u64 = 400;

const QUESTION: &str = "SELECT status FROM text2sql.ask('How many numbers are there?')";

/// What came of the questions, by SQLSTATE or status.
type Outcomes = BTreeMap<String, usize>;

/// One session after another until all interrupts are done. Each survivor asks on; the dead are replaced.
fn interrupt_at_random(database: &TestDatabase, seed: u64, left: &AtomicUsize) -> Outcomes {
    let mut random = fastrand::Rng::with_seed(seed);
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
        let moment = Duration::from_millis(random.u64(..MOMENTS_MS));
        let is_cancel = random.u64(..2) == 0;
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
            assert!(count <= MAX_THREADS, "{count} threads after a cancel");
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

/// Guarded statements that take longer than their limit, and something after them. Gives how often a cancel of the
/// user was raised and how often the limit was, and when it began and ended.
const RACE: &str = "
CREATE FUNCTION race(OUT cancels integer, OUT limits integer, OUT began float8, OUT ended float8)
LANGUAGE plpgsql AS $$
BEGIN
    began := extract(epoch FROM clock_timestamp());
    cancels := 0;
    limits := 0;
    FOR part IN 1 .. 2 LOOP
        BEGIN
            PERFORM text2sql.run_json('SELECT count(*) FROM generate_series(1, 100000000)');
        EXCEPTION WHEN query_canceled THEN
            IF sqlerrm LIKE 'the statement took longer%' THEN
                limits := limits + 1;
            ELSE
                cancels := cancels + 1;
            END IF;
        END;
    END LOOP;
    BEGIN
        PERFORM pg_sleep(0.1);
    EXCEPTION WHEN query_canceled THEN
        cancels := cancels + 1;
    END;
    ended := extract(epoch FROM clock_timestamp());
END
$$";

fn now() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap().as_secs_f64()
}

/// One cancel for each call, sent at about the moment of the first limit or of the second: it is raised once, by the
/// statement that it meets, and neither the limit nor what comes after swallows it or doubles it.
#[test]
fn a_cancel_at_the_moment_of_the_limit_is_raised_once() {
    const LIMIT_MS: u64 = 25;
    let trials: usize = std::env::var("TEXT2SQL_RACES").map_or(120, |count| count.parse().unwrap());
    let database = TestDatabase::new("cancel_race");
    database.superuser().batch_execute(RACE).unwrap();
    let met = AtomicUsize::new(0);
    thread::scope(|scope| {
        for seed in [3_u64, 5] {
            let (database, met) = (&database, &met);
            scope.spawn(move || {
                let mut random = fastrand::Rng::with_seed(seed * 104_729);
                let mut client = database.superuser();
                client
                    .batch_execute(&format!("SET text2sql.query_timeout = {LIMIT_MS}"))
                    .unwrap();
                // A cancel of the protocol is two signals, which two statements may serve.
                let process = process_of(&mut client);
                let mut canceller = database.superuser();
                for trial in 0..trials / 2 {
                    // Within two milliseconds around one of the limits.
                    let moment = Duration::from_micros(
                        LIMIT_MS * 1000 * (1 + random.u64(..2)) - 1000 + random.u64(..4000),
                    );
                    let (raced, sent) = thread::scope(|scope| {
                        let asked = scope.spawn(|| client.query_one("SELECT * FROM race()", &[]));
                        thread::sleep(moment);
                        let begin = now();
                        canceller
                            .execute("SELECT pg_cancel_backend($1)", &[&process])
                            .unwrap();
                        (asked.join().unwrap(), (begin, now()))
                    });
                    match raced {
                        Ok(row) => {
                            let (cancels, limits) = (row.get::<_, i32>(0), row.get::<_, i32>(1));
                            assert!(cancels <= 1, "trial {trial}: {cancels} cancels of one");
                            // On a busy machine a cancel may come before the call, and is ignored then.
                            let is_within = row.get::<_, f64>(2) < sent.0 && sent.1 < row.get(3);
                            if is_within {
                                assert_eq!(
                                    cancels, 1,
                                    "trial {trial}: {moment:?}, {limits} limits"
                                );
                            }
                            if cancels == 1 && limits == 1 {
                                met.fetch_add(1, Ordering::SeqCst);
                            }
                        }
                        // Between two statements, where nothing catches it.
                        Err(error) => {
                            let said = error.as_db_error().unwrap().message();
                            assert_eq!(said, "canceling statement due to user request");
                        }
                    }
                    let next: i32 = client.query_one("SELECT 1", &[]).unwrap().get(0);
                    assert_eq!(next, 1, "the next statement goes on");
                }
            });
        }
    });
    println!(
        "{trials} cancels, {} of them met a guarded statement",
        met.into_inner()
    );
}

#[test]
fn threads_block_the_signals_of_the_server_and_not_those_of_a_crash() {
    let reply = r#"{"sql": "SELECT count(*) AS n FROM orders"}"#;
    let double = ModelDouble::start(Script::new().otherwise(reply)).unwrap();
    let database = TestDatabase::new("thread_signals");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut client = database.analyst();
    client.query_one(QUESTION, &[]).unwrap();
    let process = process_of(&mut client);
    // A thread that was just created has the name of the process, and blocks all signals until it runs.
    let own_name = std::fs::read_to_string(format!("/proc/{process}/comm")).unwrap();
    wait_until("threads that run", || {
        let tasks = std::fs::read_dir(format!("/proc/{process}/task")).unwrap();
        let names = tasks
            .filter_map(|task| std::fs::read_to_string(task.unwrap().path().join("comm")).ok());
        names.filter(|name| *name == own_name).count() == 1
    });
    let mut names = Vec::new();
    for thread in std::fs::read_dir(format!("/proc/{process}/task")).unwrap() {
        let thread = thread.unwrap();
        let status = std::fs::read_to_string(thread.path().join("status")).unwrap();
        let line = |key: &str| {
            let mut lines = status.lines();
            let found = lines.find_map(|line| line.strip_prefix(key));
            found.unwrap().trim().to_owned()
        };
        if thread.file_name().to_str() == Some(process.to_string().as_str()) {
            continue;
        }
        let name = line("Name:");
        let blocked = u64::from_str_radix(&line("SigBlk:"), 16).unwrap();
        let is_blocked = |signal: u32| blocked & (1 << (signal - 1)) != 0;
        // SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, SIGCHLD, SIGURG.
        for signal in [1, 2, 3, 10, 12, 14, 15, 17, 23] {
            assert!(is_blocked(signal), "{name} takes signal {signal}");
        }
        // SIGILL, SIGBUS, SIGFPE, SIGSEGV.
        for signal in [4, 7, 8, 11] {
            assert!(!is_blocked(signal), "{name} hides signal {signal}");
        }
        names.push(name);
    }
    assert!(
        names.iter().any(|name| name == "text2sql-memory"),
        "{names:?}"
    );
    assert!(
        names.iter().any(|name| name == "text2sql-http"),
        "{names:?}"
    );
}
