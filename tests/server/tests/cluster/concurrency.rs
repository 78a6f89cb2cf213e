//! The maximum number of questions that wait for a model at the same time, in a database and of one role.

use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use model_double::{ModelDouble, Script};
use postgres::{CancelToken, Client, NoTls};
use text2sql_server_tests::waiting::{count_waiting, wait_until};
use text2sql_server_tests::{ServerSetting, TestDatabase, connect, error_of};

const QUESTION: &str = "SELECT status FROM text2sql.ask('How many customers?')";

const OTHER: &str = "t2s_concurrency_other";

/// How soon an excess question is refused; tolerant of busy machines.
const SOON: Duration = Duration::from_millis(400);

/// A question that waits for the model until it is cancelled.
struct Waiting {
    token: CancelToken,
    thread: JoinHandle<String>,
}

impl Waiting {
    fn begin(mut client: Client, admin: &mut Client) -> Self {
        let before = count_waiting(admin);
        let token = client.cancel_token();
        let thread = thread::spawn(move || error_of(&mut client, QUESTION).0);
        wait_until("it asks", || count_waiting(admin) > before);
        Self { token, thread }
    }

    fn end(self) {
        self.token.cancel_query(NoTls).unwrap();
        assert_eq!(self.thread.join().unwrap(), "57014");
    }
}

/// Refused immediately, by the setting of that name: with a status, with an error where there is none, and not at all
/// where another engine answers.
fn is_refused(client: &mut Client, message: &str, setting: &str) {
    let start = Instant::now();
    let refused = "SELECT status, sqlstate, answer, array_to_string(warnings, ' ') FROM text2sql.ask('How many customers?')";
    let row = client.query_one(refused, &[]).unwrap();
    let texts: Vec<&str> = (0..3).map(|column| row.get(column)).collect();
    assert_eq!(texts, ["failed", "54000", message]);
    let hint: &str = row.get(3);
    assert!(
        hint.contains(&format!("{setting} in postgresql.conf")),
        "{hint}"
    );
    assert!(start.elapsed() < SOON);
    let rows = "SELECT * FROM text2sql.ask_rows('How many customers?') AS t(n bigint)";
    let (code, said, _) = error_of(client, rows);
    assert_eq!((code.as_str(), said.as_str()), ("54000", message));
    let other = "SELECT engine, warnings[1] FROM text2sql.ask('How many orders are there?', options => '{\"model\": \"m, builtin\"}')";
    let row = client.query_one(other, &[]).unwrap();
    assert_eq!(row.get::<_, &str>(0), "builtin");
    assert_eq!(row.get::<_, &str>(1), format!("m was not asked: {message}"));
}

/// One test, because the settings are the server's.
#[test]
fn questions_that_wait_are_bounded() {
    let double =
        ModelDouble::start(Script::new().otherwise(r#"{"sql": "SELECT 1 AS n"}"#)).unwrap();
    let database = TestDatabase::new("concurrency");
    database.add_model("m", "openai", &double.base_url("delay-20000"), "");
    let mut admin = database.superuser();
    admin
        .batch_execute(&format!(
            "DROP ROLE IF EXISTS {OTHER}; CREATE ROLE {OTHER} LOGIN;
             SELECT text2sql.grant_access('{OTHER}');
             GRANT USAGE ON FOREIGN SERVER m TO {OTHER};
             GRANT SELECT ON orders TO {OTHER}"
        ))
        .unwrap();
    let other = || connect("t2s_concurrency", Some(OTHER));

    nobody_has_a_bound_of_his_own(&mut admin);

    {
        let _three = ServerSetting::set("text2sql.max_concurrency", 3);
        let first = Waiting::begin(database.analyst(), &mut admin);
        let second = Waiting::begin(database.analyst(), &mut admin);
        // One slot is left to others.
        is_refused(
            &mut database.analyst(),
            "too many questions of role t2s_analyst are waiting for a model in this database: 2",
            "text2sql.max_concurrency_per_role",
        );
        let third = Waiting::begin(other(), &mut admin);
        let everybody = "too many questions are waiting for a model in this database: 3";
        is_refused(&mut other(), everybody, "text2sql.max_concurrency");
        is_refused(
            &mut database.superuser(),
            everybody,
            "text2sql.max_concurrency",
        );
        // A refused question holds no slot: as soon as one is free, the role gets it.
        first.end();
        let fourth = Waiting::begin(other(), &mut admin);
        is_refused(
            &mut other(),
            &format!(
                "too many questions of role {OTHER} are waiting for a model in this database: 2"
            ),
            "text2sql.max_concurrency_per_role",
        );
        for waiting in [second, third, fourth] {
            waiting.end();
        }
    }
    {
        let _per_role = ServerSetting::set("text2sql.max_concurrency_per_role", 1);
        let superusers = Waiting::begin(database.superuser(), &mut admin);
        is_refused(
            &mut database.superuser(),
            "too many questions of role postgres are waiting for a model in this database: 1",
            "text2sql.max_concurrency_per_role",
        );
        let mut client = database.analyst();
        let analysts = Waiting::begin(database.analyst(), &mut admin);
        // The built-in engine does not wait.
        client
            .batch_execute(
                "SET text2sql.model = 'builtin';
                 SELECT status FROM text2sql.ask('How many orders are there?')",
            )
            .unwrap();
        superusers.end();
        analysts.end();
    }
    {
        // A database with one slot gives it to the first question.
        let _one = ServerSetting::set("text2sql.max_concurrency", 1);
        Waiting::begin(database.analyst(), &mut admin).end();
        Waiting::begin(other(), &mut admin).end();
    }
    let left = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database =
        (SELECT oid FROM pg_database WHERE datname = current_database())";
    let left: i64 = admin.query_one(left, &[]).unwrap().get(0);
    assert_eq!(left, 0, "a slot is still taken");
    admin
        .batch_execute(&format!("DROP OWNED BY {OTHER}; DROP ROLE {OTHER}"))
        .unwrap();
}

/// A session with another bound would use places that the others do not look at.
fn nobody_has_a_bound_of_his_own(admin: &mut Client) {
    admin.batch_execute("LOAD 'pg_text2sql'").unwrap();
    for setting in [
        "text2sql.max_concurrency",
        "text2sql.max_concurrency_per_role",
    ] {
        for statement in [
            format!("SET {setting} = 1000"),
            format!("ALTER ROLE {OTHER} SET {setting} = 1000"),
            format!("ALTER DATABASE t2s_concurrency SET {setting} = 1000"),
        ] {
            assert_eq!(error_of(admin, &statement).0, "55P02", "{statement}");
        }
    }
    // Before the library is loaded, the server takes any setting with a dot; loading it drops this one.
    let mut early = connect("t2s_concurrency", None);
    early
        .batch_execute("SET text2sql.max_concurrency = 1000; LOAD 'pg_text2sql'")
        .unwrap();
    let bound: String = early
        .query_one("SHOW text2sql.max_concurrency", &[])
        .unwrap()
        .get(0);
    assert_eq!(bound, "8");
}
