//! With one role that asks without pause, the question of another starts when at most one of the first has ended.

use std::time::{Duration, Instant};

use model_double::{ModelDouble, Script};
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
            "SELECT text2sql.grant_usage('{role}'); GRANT SELECT ON orders TO {role}"
        ))
        .unwrap();
    role
}

fn takes_turns(workers: u32) {
    let _workers = ServerSetting::set("text2sql.queue_workers", workers);
    let database = TestDatabase::new(&format!("queue_turns_{workers}"));
    let (greedy, other) = (asker(&database, "greedy"), asker(&database, "other"));
    let reply = r#"{"sql": "SELECT count(*) AS n FROM orders", "sentence": "There are {rows[0].n} orders."}"#;
    let double = ModelDouble::start(Script::new().otherwise(reply)).unwrap();
    let url = double.base_url(&format!("delay-{}", SLOW.as_millis()));
    database.add_model("m", "openai", &url, "");
    let mut admin = database.superuser();
    admin
        .batch_execute(&format!("GRANT USAGE ON FOREIGN SERVER m TO {greedy}"))
        .unwrap();
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
    let begin = Instant::now();
    let id: i64 = patient
        .query_one("SELECT text2sql.submit('How many orders are there?')", &[])
        .unwrap()
        .get(0);
    let state = "SELECT state FROM text2sql.answers WHERE id = $1";
    wait_until("the other role is answered", || {
        patient
            .query_one(state, &[&id])
            .unwrap()
            .get::<_, String>(0)
            == "done"
    });
    assert!(begin.elapsed() < BOUND, "it took {:?}", begin.elapsed());
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
