//! A backend that waits for a model listens: to cancel, to timeouts, to termination.

use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use model_double::{ModelDouble, Script};
use postgres::{CancelToken, Client};
use text2sql_server_tests::processes::process_of;
use text2sql_server_tests::waiting::{wait_for_end, wait_for_model, wait_until};
use text2sql_server_tests::{TestDatabase, error_of};

const QUESTION: &str = "SELECT status FROM text2sql.ask('How many customers?')";

/// How soon an interrupt must be served, at best of [`TRIES`]: what else the machine does can make it later,
/// never sooner.
const SOON: Duration = Duration::from_millis(100);
const TRIES: usize = 5;

/// Far less than the model takes, however busy the machine is.
const LONG_BEFORE_THE_REPLY: Duration = Duration::from_secs(10);

fn slow(test: &str) -> (ModelDouble, TestDatabase) {
    let double =
        ModelDouble::start(Script::new().otherwise(r#"{"sql": "SELECT 1 AS n"}"#)).unwrap();
    let database = TestDatabase::new(test);
    database.add_model("m", "openai", &double.base_url("delay-20000"), "");
    (double, database)
}

/// A session that asks, in a thread of its own, and waits for the model already.
struct Asker {
    process: i32,
    token: CancelToken,
    /// The session, and the SQLSTATE that its question ended with.
    thread: JoinHandle<(Client, String)>,
}

impl Asker {
    fn start(mut client: Client, admin: &mut Client) -> Self {
        let (process, token) = (process_of(&mut client), client.cancel_token());
        let thread = thread::spawn(move || {
            let error = client.simple_query(QUESTION).unwrap_err();
            let code = error
                .code()
                .map_or(String::new(), |code| code.code().to_owned());
            (client, code)
        });
        wait_for_model(admin, process);
        Self {
            process,
            token,
            thread,
        }
    }

    /// Cancels the question; returns the session and the duration.
    fn cancel(self) -> (Client, Duration) {
        let sent = Instant::now();
        self.token.cancel_query(postgres::NoTls).unwrap();
        let (client, code) = self.thread.join().unwrap();
        assert_eq!(code, "57014");
        (client, sent.elapsed())
    }
}

#[test]
fn a_cancel_ends_the_wait_and_the_request() {
    let (double, database) = slow("cancel");
    let mut admin = database.superuser();
    let mut client = database.analyst();
    let mut soonest = Duration::MAX;
    for _ in 0..TRIES {
        let took;
        (client, took) = Asker::start(client, &mut admin).cancel();
        soonest = soonest.min(took);
        wait_until("the request is aborted", || double.open_connections() == 0);
    }
    assert!(soonest < SOON, "{soonest:?}");
    // The session and its helper thread go on.
    admin
        .batch_execute("ALTER SERVER m OPTIONS (SET model 'other')")
        .unwrap();
    assert_eq!(
        client.query_one("SELECT 1", &[]).unwrap().get::<_, i32>(0),
        1
    );
}

#[test]
fn statement_timeout_holds_while_waiting() {
    let (_double, database) = slow("timeout");
    let mut client = database.analyst();
    client
        .batch_execute("SET statement_timeout = '300ms'")
        .unwrap();
    let start = Instant::now();
    let (code, message, _) = error_of(&mut client, QUESTION);
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("57014", "canceling statement due to statement timeout")
    );
    assert!(start.elapsed() < LONG_BEFORE_THE_REPLY);
}

#[test]
fn termination_is_served_and_leaves_nothing() {
    let (double, database) = slow("terminate");
    let mut admin = database.superuser();
    let mut soonest = Duration::MAX;
    for _ in 0..TRIES {
        let asker = Asker::start(database.analyst(), &mut admin);
        let start = Instant::now();
        admin
            .execute("SELECT pg_terminate_backend($1)", &[&asker.process])
            .unwrap();
        wait_for_end(&mut admin, asker.process);
        soonest = soonest.min(start.elapsed());
        asker.thread.join().unwrap();
        wait_until("the request is aborted", || double.open_connections() == 0);
    }
    assert!(soonest < SOON, "{soonest:?}");
}

#[test]
fn no_lock_but_the_slot_is_held_while_waiting() {
    let (_double, database) = slow("locks");
    let mut admin = database.superuser();
    // Everything that is looked at for a question: definitions, examples, values, protection.
    admin
        .batch_execute(
            "SELECT text2sql.define('customers', 'who buys', 'name IS NOT NULL', 'customers');
             SELECT text2sql.accept('example', text2sql.add_example('How many customers were there?', 'SELECT count(name) FROM customers'));
             SELECT text2sql.protect('customers.mail', 'private')",
        )
        .unwrap();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    let asker = Asker::start(database.analyst(), &mut admin);
    // A user's table can be changed meanwhile.
    admin
        .batch_execute("SET lock_timeout = '10s'; ALTER TABLE orders ADD COLUMN note text")
        .unwrap();
    let held: Vec<String> = admin
        .query("SELECT relation::regclass::text FROM pg_locks WHERE pid = $1 AND locktype = 'relation'", &[&asker.process])
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    assert_eq!(held, Vec::<String>::new());
    asker.cancel();
}
