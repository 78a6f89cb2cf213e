//! Questions that background workers answer: with whose rights, in which order, and what cancels, kills, crashes and
//! restarts leave of them.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use model_double::{ModelDouble, Script};
use postgres::fallible_iterator::FallibleIterator;
use postgres::{Client, NoTls};
use text2sql_server_tests::standby::{Standby, catch_up};
use text2sql_server_tests::waiting::wait_until;
use text2sql_server_tests::{TestDatabase, error_of};

const QUESTION: &str = "How many orders are there?";

/// Processes that answer questions of the database.
const WORKERS: &str = "FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'pg_text2sql questions'";

/// A server has few processes for workers, and a storm takes all of them: one test at a time.
static WORKERS_OF_THE_SERVER: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    WORKERS_OF_THE_SERVER
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

/// Processes that a storm hits, if the questions are not answered earlier.
const STORM: i64 = 40;

fn submit(client: &mut Client, question: &str) -> i64 {
    let sql = "SELECT text2sql.submit($1)";
    client.query_one(sql, &[&question]).unwrap().get(0)
}

/// State, sentence and SQLSTATE of a question of that client.
fn outcome(client: &mut Client, id: i64) -> (String, String, String) {
    let sql = "SELECT state, answer, sqlstate FROM text2sql.answers WHERE id = $1";
    let row = client.query_one(sql, &[&id]).unwrap();
    let text = |column: usize| row.get::<_, Option<String>>(column).unwrap_or_default();
    (text(0), text(1), text(2))
}

fn finished(client: &mut Client, id: i64) -> (String, String, String) {
    wait_until("a question is answered", || {
        !["waiting", "running"].contains(&outcome(client, id).0.as_str())
    });
    outcome(client, id)
}

/// What `status()` says of questions without an answer; empty if nothing. The time is left out.
fn in_queue(client: &mut Client) -> String {
    let sql = "SELECT value FROM text2sql.status() WHERE item = 'questions in the queue'";
    let row = client.query_opt(sql, &[]).unwrap();
    let value = row.map_or_else(String::new, |row| row.get(0));
    let (counts, since) = value.split_once(", the oldest since ").unwrap_or_default();
    assert_eq!(since.is_empty(), value.is_empty(), "{value}");
    counts.to_owned()
}

fn count(client: &mut Client, sql: &str) -> i64 {
    client.query_one(sql, &[]).unwrap().get(0)
}

/// A role that may ask about orders.
fn asker(database: &TestDatabase, name: &str) -> String {
    let role = database.create_role(name, "LOGIN");
    database
        .superuser()
        .batch_execute(&format!(
            "SELECT text2sql.grant_access('{role}'); GRANT SELECT ON orders TO {role}"
        ))
        .unwrap();
    role
}

/// A model that takes its time, which the role may ask.
fn slow_model(database: &TestDatabase, milliseconds: u32, role: &str) -> ModelDouble {
    let reply = r#"{"sql": "SELECT count(*) AS n FROM orders", "sentence": "There are {rows[0].n} orders."}"#;
    let double = ModelDouble::start(Script::new().otherwise(reply)).unwrap();
    let url = double.base_url(&format!("delay-{milliseconds}"));
    database.add_model("m", "openai", &url, "");
    let grant = format!("GRANT USAGE ON FOREIGN SERVER m TO {role}");
    database.superuser().batch_execute(&grant).unwrap();
    double
}

#[test]
fn a_question_is_answered_with_the_rights_and_the_settings_of_who_asked() {
    let _alone = alone();
    let database = TestDatabase::new("queue_rights");
    let mut admin = database.superuser();
    let alice = asker(&database, "alice");
    let bob = asker(&database, "bob");
    let team = database.create_role("team", "NOLOGIN");
    admin
        .batch_execute(&format!(
            "GRANT {team} TO {alice}; GRANT SELECT ON orders TO {team}; SELECT text2sql.grant_access('{team}');
             CREATE TABLE mine (id int PRIMARY KEY, tenant text, login text);
             INSERT INTO mine SELECT n, CASE WHEN n <= 3 THEN 'a' ELSE 'b' END, '{alice}' FROM generate_series(1, 10) n;
             INSERT INTO mine SELECT n, 'a', '{bob}' FROM generate_series(11, 15) n;
             ALTER TABLE mine ENABLE ROW LEVEL SECURITY;
             CREATE POLICY own ON mine USING (tenant = current_setting('app.tenant', true) AND login = session_user);
             GRANT SELECT ON mine TO {alice}, {bob}, {team};
             CREATE SCHEMA other;
             CREATE TABLE other.parcels (id int PRIMARY KEY);
             INSERT INTO other.parcels VALUES (1), (2);
             GRANT USAGE ON SCHEMA other TO {alice};
             GRANT SELECT ON other.parcels TO {alice};
             ALTER ROLE {alice} SET text2sql.max_result_rows = 2"
        ))
        .unwrap();
    let mut asking = database.connect_as(&alice);
    asking
        .batch_execute("LISTEN text2sql_answers; SET app.tenant = 'a'")
        .unwrap();
    // Row-level security by the session's setting, and by the role that logged in.
    let id = submit(&mut asking, "How many mine are there?");
    let heard = {
        let mut notifications = asking.notifications();
        let mut waiting = notifications.timeout_iter(Duration::from_secs(60));
        waiting.next().unwrap().unwrap().payload().to_owned()
    };
    assert_eq!(heard, id.to_string());
    let (state, said, _) = outcome(&mut asking, id);
    assert_eq!(state, "done", "{said}");
    let rows = "SELECT result_rows::text FROM text2sql.answers WHERE id = $1";
    let row = asking.query_one(rows, &[&id]).unwrap();
    assert!(row.get::<_, &str>(0).contains('3'), "{said}");
    // The session has set another role; its login still decides.
    asking.batch_execute(&format!("SET ROLE {team}")).unwrap();
    let id = submit(&mut asking, "How many mine are there?");
    assert_eq!(finished(&mut asking, id).0, "done");
    let row = asking.query_one(rows, &[&id]).unwrap();
    assert!(row.get::<_, &str>(0).contains('3'));
    // Questions of that role do not belong to the login.
    asking.batch_execute("RESET ROLE").unwrap();
    assert!(asking.query_opt(rows, &[&id]).unwrap().is_none());
    // Settings of the role, and the session's search_path.
    let id = submit(&mut asking, "Show the total of each order");
    finished(&mut asking, id);
    let sql = "SELECT row_count, truncated FROM text2sql.answers WHERE id = $1";
    let row = asking.query_one(sql, &[&id]).unwrap();
    assert_eq!(
        (row.get::<_, Option<i64>>(0), row.get::<_, Option<bool>>(1)),
        (Some(2), Some(true))
    );
    asking.batch_execute("SET search_path = other").unwrap();
    let id = submit(&mut asking, "How many parcels are there?");
    assert_eq!(finished(&mut asking, id).0, "done");
    // No other role sees or changes any of it, and an administrator sees no answer.
    let mut other = database.connect_as(&bob);
    assert_eq!(
        count(&mut other, "SELECT count(*) FROM text2sql.answers"),
        0
    );
    let cancelled = format!("SELECT text2sql.cancel({id})");
    assert!(!other.query_one(&cancelled, &[]).unwrap().get::<_, bool>(0));
    let (code, ..) = error_of(
        &mut other,
        &format!("SELECT text2sql.forget('answer', {id})"),
    );
    assert_eq!(code, "42704");
    let row = admin.query_one(
        "SELECT count(question), count(answer) FROM text2sql.answers",
        &[],
    );
    let row = row.unwrap();
    // A superuser is not subject to row-level security; a role that may delete the history is.
    assert!(row.get::<_, i64>(0) >= 4);
    // The settings are gone with the questions.
    assert_eq!(
        count(
            &mut admin,
            "SELECT count(*) FROM text2sql._submitted_settings"
        ),
        0
    );
    // A privilege that is revoked later takes the answer away again.
    admin
        .batch_execute(&format!("REVOKE SELECT ON other.parcels FROM {alice}"))
        .unwrap();
    let (state, said, _) = outcome(&mut asking, id);
    assert_eq!((state.as_str(), said.as_str()), ("done", ""));
}

#[test]
fn what_was_revoked_meanwhile_is_not_used() {
    let _alone = alone();
    let database = TestDatabase::new("queue_revoked");
    let mut admin = database.superuser();
    let alice = asker(&database, "alice");
    let team = database.create_role("team", "NOLOGIN");
    admin
        .batch_execute(&format!(
            "GRANT {team} TO {alice}; GRANT SELECT ON orders TO {team}; SELECT text2sql.grant_access('{team}');
             CREATE FUNCTION submit_as_owner() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS
                 'SELECT text2sql.submit(''How many orders are there?'')'"
        ))
        .unwrap();
    // The question is not visible to a worker before the session commits.
    let mut revoked = |as_role: &str, revoke: &str| {
        let mut asking = database.connect_as(&alice);
        asking
            .batch_execute(&format!("BEGIN; SET ROLE {as_role}"))
            .unwrap();
        let id = submit(&mut asking, QUESTION);
        admin.batch_execute(revoke).unwrap();
        asking.batch_execute("COMMIT").unwrap();
        let sql = "SELECT state, coalesce(answer, ''), coalesce(sqlstate, '') FROM text2sql.answers WHERE id = $1";
        wait_until("the question is answered", || {
            let row = admin.query_one(sql, &[&id]).unwrap();
            !["waiting", "running"].contains(&row.get::<_, &str>(0))
        });
        let row = admin.query_one(sql, &[&id]).unwrap();
        (
            row.get::<_, String>(0),
            row.get::<_, String>(1),
            row.get::<_, String>(2),
        )
    };
    let (state, said, code) = revoked(&team, &format!("REVOKE {team} FROM {alice}"));
    assert_eq!(
        (state.as_str(), code.as_str()),
        ("failed", "42501"),
        "{said}"
    );
    assert!(said.contains("permission denied to set role"), "{said}");
    let (state, said, code) = revoked(
        &alice,
        "SELECT text2sql.revoke_access(rolname) FROM pg_roles WHERE rolname LIKE '%queue_revoked_alice'",
    );
    assert_eq!(
        (state.as_str(), code.as_str()),
        ("failed", "42501"),
        "{said}"
    );
    admin
        .batch_execute(&format!("SELECT text2sql.grant_access('{alice}')"))
        .unwrap();
    let mut asking = database.connect_as(&alice);
    asking.batch_execute("BEGIN").unwrap();
    let id = submit(&mut asking, QUESTION);
    admin
        .batch_execute(&format!("ALTER ROLE {alice} NOLOGIN"))
        .unwrap();
    asking.batch_execute("COMMIT").unwrap();
    // Somebody's call finds out that nobody can answer it.
    admin.batch_execute("CALL text2sql.work()").unwrap();
    let (state, said, code) = outcome(&mut asking, id);
    assert_eq!((state.as_str(), code.as_str()), ("failed", "42501"));
    assert!(said.contains("may not log in"), "{said}");
    // A role that is created again with that name has nothing to do with it.
    admin
        .batch_execute(&format!(
            "DROP OWNED BY {alice}; DROP ROLE {alice}; CREATE ROLE {alice} LOGIN; SELECT text2sql.grant_access('{alice}')"
        ))
        .unwrap();
    let mut again = database.connect_as(&alice);
    assert_eq!(
        count(&mut again, "SELECT count(*) FROM text2sql.answers"),
        0
    );
    let (code, ..) = error_of(&mut again, "SELECT submit_as_owner()");
    assert_eq!(code, "42501");
}

#[test]
#[ignore = "for make soak: takes all processes for workers"]
fn a_storm_of_cancels_and_kills_loses_nothing() {
    let _alone = alone();
    let database = TestDatabase::new("queue_storm");
    let alice = asker(&database, "alice");
    let _model = slow_model(&database, 30, &alice);
    let mut admin = database.superuser();
    let mut asking = database.connect_as(&alice);
    asking.batch_execute("LISTEN text2sql_answers").unwrap();
    let ids: Vec<i64> = (0..40).map(|_| submit(&mut asking, QUESTION)).collect();
    let left = "SELECT count(*) FROM text2sql.answers WHERE state IN ('waiting', 'running')";
    let mut hits = 0;
    // Each round cancels or ends whoever is there, and lets somebody go on.
    for round in 0.. {
        if count(&mut admin, left) == 0 {
            break;
        }
        assert!(round < 2_000, "the questions are never answered");
        let how = [
            "pg_cancel_backend",
            "pg_cancel_backend",
            "pg_terminate_backend",
        ][round % 3];
        if hits < STORM {
            hits += count(&mut admin, &format!("SELECT count({how}(pid)) {WORKERS}"));
        }
        if round % 5 == 4 {
            let caller = database.connect_as(&alice);
            let token = caller.cancel_token();
            let mut caller = caller;
            let call = thread::spawn(move || caller.batch_execute("CALL text2sql.work()").is_ok());
            thread::sleep(Duration::from_millis(120));
            // A call takes its workers along: on a fast machine nobody else is there to be hit.
            if hits < STORM {
                let _ = token.cancel_query(NoTls);
                hits += 1;
            }
            call.join().unwrap();
        }
        thread::sleep(Duration::from_millis(40));
    }
    assert!(hits > 0, "the storm hit nobody");
    // Every question has one answer, was told once, and is in the history once.
    let mut told: BTreeMap<String, usize> = BTreeMap::new();
    let mut notifications = asking.notifications();
    let mut waiting = notifications.timeout_iter(Duration::from_millis(300));
    while let Some(notification) = waiting.next().unwrap() {
        *told.entry(notification.payload().to_owned()).or_default() += 1;
    }
    drop(waiting);
    drop(notifications);
    assert_eq!(told.len(), ids.len());
    assert!(told.values().all(|times| *times == 1), "{told:?}");
    let done = "SELECT count(*) FROM text2sql.answers WHERE state = 'done' AND answer = 'There are 400 orders.'";
    assert_eq!(count(&mut asking, done), 40);
    let recorded =
        "SELECT count(*) FROM text2sql.history WHERE function = 'submit' AND status = 'ok'";
    assert_eq!(count(&mut admin, recorded), 40);
}

#[test]
fn a_question_is_cancelled_or_deleted_while_it_is_answered() {
    let _alone = alone();
    let database = TestDatabase::new("queue_cancel");
    let alice = asker(&database, "alice");
    let _model = slow_model(&database, 20_000, &alice);
    let mut asking = database.connect_as(&alice);
    let first = submit(&mut asking, QUESTION);
    let running = |client: &mut Client, id: i64| {
        wait_until("a question is being answered", || {
            outcome(client, id).0 == "running"
        });
    };
    running(&mut asking, first);
    let sql = format!("SELECT text2sql.cancel({first})");
    assert!(asking.query_one(&sql, &[]).unwrap().get::<_, bool>(0));
    assert_eq!(outcome(&mut asking, first).0, "cancelled");
    // The worker goes on at once: the next question runs, although the model takes twenty seconds.
    let second = submit(&mut asking, QUESTION);
    running(&mut asking, second);
    asking
        .batch_execute(&format!("SELECT text2sql.forget('answer', {second})"))
        .unwrap();
    assert_eq!(
        count(&mut asking, "SELECT count(*) FROM text2sql.answers"),
        1
    );
    assert!(
        !asking.query_one(&sql, &[]).unwrap().get::<_, bool>(0),
        "a second time"
    );
    // The cancel of a process gives the question back.
    let third = submit(&mut asking, QUESTION);
    running(&mut asking, third);
    let mut admin = database.superuser();
    let began = "SELECT started_at::text FROM text2sql.answers WHERE id = $1";
    let before: String = admin.query_one(began, &[&third]).unwrap().get(0);
    admin
        .query(&format!("SELECT pg_cancel_backend(pid) {WORKERS}"), &[])
        .unwrap();
    wait_until("it is answered again", || {
        let row = admin.query_one(began, &[&third]).unwrap();
        row.get::<_, String>(0) != before
    });
    asking
        .batch_execute(&format!("SELECT text2sql.cancel({third})"))
        .unwrap();
}

#[test]
fn a_batch_is_asked_several_at_a_time_and_goes_on_where_it_was() {
    let _alone = alone();
    let database = TestDatabase::new("queue_batch");
    let alice = asker(&database, "alice");
    let model = slow_model(&database, 400, &alice);
    let mut admin = database.superuser();
    admin
        .batch_execute(&format!(
            "CREATE TABLE asked AS SELECT n AS id, 'How many orders are there?' AS question FROM generate_series(1, 12) n;
             GRANT SELECT ON asked TO {alice}"
        ))
        .unwrap();
    let call =
        "CALL text2sql.ask_batch('SELECT id, question FROM asked', 'monday', max_concurrency => 3)";
    let mut asking = database.connect_as(&alice);
    let token = asking.cancel_token();
    let calling = thread::spawn(move || error_of(&mut asking, call).0);
    let busy = format!("SELECT count(*) {WORKERS} AND wait_event_type = 'Extension'");
    wait_until("three questions are asked at a time", || {
        count(&mut admin, &busy) == 3
    });
    let of_state = |state: &str| {
        format!(
            "SELECT count(*) FROM text2sql.answers WHERE batch = 'monday' AND state = '{state}'"
        )
    };
    wait_until("one is answered", || {
        count(&mut admin, &of_state("done")) > 0
    });
    token.cancel_query(NoTls).unwrap();
    assert_eq!(calling.join().unwrap(), "57014");
    wait_until("nobody goes on", || {
        count(&mut admin, &format!("SELECT count(*) {WORKERS}")) == 0
    });
    let done = count(&mut admin, &of_state("done"));
    assert!((1..12).contains(&done), "{done}");
    assert_eq!(count(&mut admin, &of_state("waiting")), 12 - done);
    let waiting = format!("{} waiting, 0 being answered", 12 - done);
    assert_eq!(in_queue(&mut database.connect_as(&alice)), waiting);
    assert_eq!(in_queue(&mut admin), waiting);
    let bob = asker(&database, "bob");
    assert_eq!(in_queue(&mut database.connect_as(&bob)), "");
    // The same call goes on.
    let mut asking = database.connect_as(&alice);
    asking.batch_execute(call).unwrap();
    assert_eq!(count(&mut admin, &of_state("done")), 12);
    let asked = model.requests().len();
    asking.batch_execute(call).unwrap();
    assert_eq!(model.requests().len(), asked, "nothing is asked again");
    let each_once = "SELECT count(DISTINCT key) FROM text2sql.answers WHERE batch = 'monday'";
    assert_eq!(count(&mut asking, each_once), 12);
    let (code, ..) = error_of(&mut asking, &format!("BEGIN; {call}"));
    assert_eq!(code, "25001");
}

#[test]
fn a_call_answers_the_questions_of_roles_that_it_may_become() {
    let _alone = alone();
    let database = TestDatabase::new("queue_work");
    let alice = asker(&database, "alice");
    let bob = asker(&database, "bob");
    let mut admin = database.superuser();
    let mut asking = database.connect_as(&alice);
    // Committed by itself, a question would be answered by a worker that nobody called for.
    asking.batch_execute("BEGIN").unwrap();
    let id = submit(&mut asking, QUESTION);
    asking.batch_execute("SET LOCAL ROLE NONE; COMMIT").unwrap();
    finished(&mut asking, id);
    admin
        .batch_execute("UPDATE text2sql._submitted SET state = 'waiting', not_before = 'infinity'; DELETE FROM text2sql._answers")
        .unwrap();
    // Bob may not become alice, so nothing is left for him.
    let mut other = database.connect_as(&bob);
    other.batch_execute("CALL text2sql.work()").unwrap();
    assert_eq!(outcome(&mut asking, id).0, "waiting");
    admin
        .batch_execute(&format!("GRANT {alice} TO {bob}"))
        .unwrap();
    admin
        .batch_execute("UPDATE text2sql._submitted SET not_before = '-infinity'")
        .unwrap();
    other.batch_execute("CALL text2sql.work()").unwrap();
    assert_eq!(outcome(&mut asking, id).0, "done");
    assert_eq!(
        count(&mut other, "SELECT count(*) FROM text2sql.answers"),
        0
    );
}

#[test]
fn a_standby_shows_answers_and_a_restart_loses_no_question() {
    let _alone = alone();
    let database = TestDatabase::new("queue_crash");
    let alice = asker(&database, "alice");
    let _model = slow_model(&database, 300, &alice);
    let mut primary = database.superuser();
    let mut asking = database.connect_as(&alice);
    let first = submit(&mut asking, QUESTION);
    finished(&mut asking, first);
    let settings = [
        "shared_preload_libraries=pg_text2sql",
        "text2sql.maintenance_interval=1s",
        // The test cluster has it off: a commit could then be lost in a crash.
        "synchronous_commit=on",
    ];
    let mut server = Standby::start("queue", &settings);
    let connect = |server: &Standby| server.connect(database.name(), &alice);
    {
        let mut client = connect(&server);
        catch_up(
            &mut primary,
            &mut server.connect(database.name(), "postgres"),
        );
        assert_eq!(outcome(&mut client, first).0, "done");
        assert_eq!(in_queue(&mut client), "");
        // One that nobody answers: the copy of a server shows what waits in it.
        for (state, expected) in [("waiting", "1 waiting, 0 being answered"), ("done", "")] {
            let hold = "UPDATE text2sql._submitted SET state = $1, not_before = 'infinity'";
            primary.execute(hold, &[&state]).unwrap();
            catch_up(
                &mut primary,
                &mut server.connect(database.name(), "postgres"),
            );
            assert_eq!(in_queue(&mut client), expected);
        }
        for sql in [
            "SELECT text2sql.submit('How many?')",
            "CALL text2sql.work()",
            "SELECT text2sql.cancel(1)",
            "SELECT text2sql.forget('answer', 1)",
            "CALL text2sql.ask_batch('SELECT 1', 'a')",
        ] {
            let (code, said, hint) = error_of(&mut client, sql);
            assert_eq!(code, "25006", "{sql}: {said}");
            assert!(hint.contains("primary"), "{sql}: {hint}");
        }
    }
    // From here on it is a server of its own, whose processes may be killed.
    server
        .connect("postgres", "postgres")
        .batch_execute("SELECT pg_promote()")
        .unwrap();
    let mut client = connect(&server);
    let ids: Vec<i64> = (0..12).map(|_| submit(&mut client, QUESTION)).collect();
    let kill = |server: &Standby| {
        wait_until("a worker that asks the model is killed", || {
            let Ok(mut admin) = server.try_connect(database.name(), "postgres") else {
                return false;
            };
            let sql = format!("SELECT pid {WORKERS} AND wait_event_type = 'Extension'");
            let row = admin.query_opt(&format!("{sql} LIMIT 1"), &[]);
            let Some(row) = row.ok().flatten() else {
                return false;
            };
            // It may have ended meanwhile: then the next one is.
            let process = row.get::<_, i32>(0).to_string();
            let killed = std::process::Command::new("kill")
                .args(["-9", &process])
                .stderr(std::process::Stdio::null())
                .status();
            killed.unwrap().success()
        });
        wait_until("the server has recovered", || {
            server
                .try_connect(database.name(), "postgres")
                .is_ok_and(|mut admin| admin.simple_query("SELECT 1").is_ok())
        });
    };
    kill(&server);
    kill(&server);
    server.stop("immediate");
    server.start_again();
    let mut client = connect(&server);
    // The launcher takes the questions up again without a call.
    for &id in &ids {
        let (state, said, _) = finished(&mut client, id);
        assert_eq!(
            (state.as_str(), said.as_str()),
            ("done", "There are 400 orders.")
        );
    }
    let sql = "SELECT count(*) FROM text2sql.history WHERE function = 'submit' AND status = 'ok'";
    assert_eq!(count(&mut client, sql), 13);
    let attempts = "SELECT max(attempts)::bigint FROM text2sql.answers";
    assert!(count(&mut client, attempts) > 1);
}
