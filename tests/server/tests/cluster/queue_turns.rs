//! With one role that asks without pause, the question of another starts when at most one of the first has ended.

use std::thread;
use std::time::{Duration, Instant};

use model_double::{ModelDouble, Script};
use postgres::{Client, NoTls};
use text2sql_server_tests::waiting::wait_until;
use text2sql_server_tests::{ServerSetting, TestDatabase, error_of};

/// How long the model of the greedy role takes.
const SLOW: Duration = Duration::from_secs(6);

/// One question of the other role, the start of a worker and a busy machine: less than two slow questions.
const BOUND: Duration = Duration::from_secs(11);

fn asker(database: &TestDatabase, name: &str) -> String {
    let role = database.create_role(name, "LOGIN");
    let mut admin = database.superuser();
    admin
        .batch_execute(&format!(
            "SELECT text2sql.grant_access('{role}'); GRANT SELECT ON orders TO {role}"
        ))
        .unwrap();
    role
}

fn takes_turns(workers: u32) {
    let _workers = ServerSetting::set("text2sql.queue_workers", workers);
    let database = TestDatabase::new(&format!("queue_turns_{workers}"));
    let (greedy, other) = (asker(&database, "greedy"), asker(&database, "other"));
    let _model = slow_model(&database, &greedy);
    let mut admin = database.superuser();
    let mut asking = database.connect_as(&greedy);
    asking.batch_execute("SET text2sql.model = 'm'").unwrap();
    for number in 0..12 {
        let question = format!("slow thing number {number}");
        asking
            .execute("SELECT text2sql.submit($1)", &[&question])
            .unwrap();
    }
    let running = "SELECT count(*) FROM text2sql._submitted WHERE state = 'running'";
    wait_until("every worker is at a slow question", || {
        let running: i64 = admin.query_one(running, &[]).unwrap().get(0);
        running == i64::from(workers)
    });
    let mut patient = database.connect_as(&other);
    // The database's model is one that the other role may not use.
    patient
        .batch_execute("SET text2sql.model = 'builtin'")
        .unwrap();
    let id = submit(&mut patient);
    let time = answered_in(&mut patient, id);
    assert!(time < BOUND, "it took {time:?}");
    // The greedy role is not forgotten.
    let done = "SELECT count(*) FROM text2sql.answers WHERE state = 'done'";
    let before: i64 = asking.query_one(done, &[]).unwrap().get(0);
    wait_until("the first role goes on", || {
        asking.query_one(done, &[]).unwrap().get::<_, i64>(0) > before
    });
    asking
        .batch_execute("SELECT text2sql.cancel(id) FROM text2sql.answers WHERE state IN ('waiting', 'running')")
        .unwrap();
}

#[test]
fn the_place_of_one_worker_is_for_every_role() {
    takes_turns(1);
}

#[test]
fn the_places_of_two_workers_are_for_every_role() {
    takes_turns(2);
}

/// How long a question of the built-in engine waits at most behind those of a model, where it waits for one of them.
fn answered_in(client: &mut Client, id: i64) -> Duration {
    let begin = Instant::now();
    let state = "SELECT state FROM text2sql.answers WHERE id = $1";
    wait_until("the other role is answered", || {
        client.query_one(state, &[&id]).unwrap().get::<_, String>(0) == "done"
    });
    begin.elapsed()
}

fn submit(client: &mut Client) -> i64 {
    let submit = "SELECT text2sql.submit('How many orders are there?')";
    client.query_one(submit, &[]).unwrap().get(0)
}

/// A model that takes its time, which the role may use.
fn slow_model(database: &TestDatabase, role: &str) -> ModelDouble {
    let reply = r#"{"sql": "SELECT count(*) AS n FROM orders", "sentence": "There are {rows[0].n} orders."}"#;
    let double = ModelDouble::start(Script::new().otherwise(reply)).unwrap();
    let url = double.base_url(&format!("delay-{}", SLOW.as_millis()));
    database.add_model("m", "openai", &url, "");
    let grant = format!("GRANT USAGE ON FOREIGN SERVER m TO {role}");
    database.superuser().batch_execute(&grant).unwrap();
    double
}

/// A role whose workers cannot log in, because its only connection is taken, is in nobody's way, though its question has
/// waited longest.
#[test]
fn a_role_that_no_worker_can_log_in_as_ends_no_turns() {
    let _workers = ServerSetting::set("text2sql.queue_workers", 1);
    let database = TestDatabase::new("queue_limited");
    let (limited, greedy, other) = (
        asker(&database, "limited"),
        asker(&database, "greedy"),
        asker(&database, "other"),
    );
    let _model = slow_model(&database, &greedy);
    let mut admin = database.superuser();
    let limit = format!("ALTER ROLE {limited} CONNECTION LIMIT 1");
    admin.batch_execute(&limit).unwrap();
    let mut stuck = database.connect_as(&limited);
    stuck
        .batch_execute("SET text2sql.model = 'builtin'")
        .unwrap();
    let stuck_id = submit(&mut stuck);
    let mut asking = database.connect_as(&greedy);
    asking
        .batch_execute("SET text2sql.model = 'm'; SELECT text2sql.submit('slow thing number ' || n) FROM generate_series(1, 6) n")
        .unwrap();
    wait_until("the worker is at a slow question", || {
        let running = "SELECT count(*) FROM text2sql._submitted WHERE state = 'running'";
        admin.query_one(running, &[]).unwrap().get::<_, i64>(0) == 1
    });
    let mut patient = database.connect_as(&other);
    patient
        .batch_execute("SET text2sql.model = 'builtin'")
        .unwrap();
    let id = submit(&mut patient);
    let time = answered_in(&mut patient, id);
    assert!(time < BOUND, "it took {time:?}");
    // Nor is it forgotten when it can be answered.
    let limit = format!("ALTER ROLE {limited} CONNECTION LIMIT -1");
    admin.batch_execute(&limit).unwrap();
    let time = answered_in(&mut stuck, stuck_id);
    assert!(time < BOUND * 2, "it took {time:?}");
    asking
        .batch_execute("SELECT text2sql.cancel(id) FROM text2sql.answers WHERE state IN ('waiting', 'running')")
        .unwrap();
}

/// The workers of a batch take no place of the queue, and leave the server's processes to a question of another role, of
/// another database too as soon as its session looks.
#[test]
fn a_batch_leaves_the_queue_and_processes_to_others() {
    let _workers = ServerSetting::set("text2sql.queue_workers", 1);
    let database = TestDatabase::new("queue_batch");
    let elsewhere = TestDatabase::new("queue_elsewhere");
    let (greedy, other) = (asker(&database, "greedy"), asker(&database, "other"));
    let third = asker(&elsewhere, "third");
    let _model = slow_model(&database, &greedy);
    let mut asking = database.connect_as(&greedy);
    asking
        .batch_execute("SET text2sql.model = 'm'; SET text2sql.confidence_threshold = 0")
        .unwrap();
    let token = asking.cancel_token();
    let batch = thread::spawn(move || {
        asking.batch_execute(
            "CALL text2sql.ask_batch($$SELECT n::text, 'slow thing number ' || n FROM generate_series(1, 40) n$$, 'b')",
        )
    });
    let mut admin = database.superuser();
    let processes =
        "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'pg_text2sql questions'";
    let mut most = 0;
    wait_until("the batch has many workers", || {
        most = most.max(admin.query_one(processes, &[]).unwrap().get::<_, i64>(0));
        most >= 5
    });
    let mut patient = database.connect_as(&other);
    patient
        .batch_execute("SET text2sql.model = 'builtin'")
        .unwrap();
    let id = submit(&mut patient);
    let time = answered_in(&mut patient, id);
    assert!(time < BOUND, "it took {time:?}");
    let mut patient = elsewhere.connect_as(&third);
    let id = submit(&mut patient);
    token.cancel_query(NoTls).unwrap();
    assert!(batch.join().unwrap().is_err());
    answered_in(&mut patient, id);
}

#[test]
fn a_role_may_not_fill_the_queue() {
    let _none = ServerSetting::set("text2sql.queue_workers", 0);
    let database = TestDatabase::new("queue_full");
    let greedy = asker(&database, "greedy");
    let mut client = database.connect_as(&greedy);
    client
        .batch_execute(
            "SELECT text2sql.submit('How many orders are there?') FROM generate_series(1, 1000)",
        )
        .unwrap();
    let submit = "SELECT text2sql.submit('How many orders are there?')";
    let (code, message, _) = error_of(&mut client, submit);
    assert_eq!(code, "54000");
    assert_eq!(message, "1000 questions of this role are waiting");
    let other = asker(&database, "other");
    database.connect_as(&other).batch_execute(submit).unwrap();
}
