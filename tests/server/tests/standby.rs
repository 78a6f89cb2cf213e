//! Questions on a hot standby: a real one, made by `pg_basebackup` beside the test cluster.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use model_double::{ModelDouble, Script};
use postgres::{Client, Config, NoTls};
use text2sql_server_tests::{ANALYST, TestDatabase, error_of};

/// A standby that is stopped and removed at the end of the test.
struct Standby {
    data: PathBuf,
    port: u16,
}

/// The server's programs.
fn programs() -> PathBuf {
    let pg_config = std::env::var_os("PG_CONFIG").unwrap_or_else(|| "pg_config".into());
    let output = Command::new(pg_config).arg("--bindir").output();
    let text = String::from_utf8(output.expect("pg_config").stdout).unwrap();
    PathBuf::from(text.trim())
}

/// A program of the server, run by the user whom the test cluster belongs to.
fn program(name: &str) -> Command {
    let owner = std::fs::metadata(socket_folder()).unwrap();
    let mut command = Command::new(programs().join(name));
    command
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    if owner.uid() != std::fs::metadata("/proc/self").unwrap().uid() {
        command.uid(owner.uid()).gid(owner.gid());
    }
    command
}

fn socket_folder() -> PathBuf {
    std::env::var_os("PGHOST").expect("PGHOST").into()
}

fn run(command: &mut Command) {
    let status = command.status().unwrap();
    assert!(status.success(), "{command:?}: {status}");
}

impl Standby {
    fn start() -> Self {
        let data = socket_folder().join("standby_of_a_test");
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        let standby = Self { data, port };
        standby.remove();
        run(program("pg_basebackup")
            .args([
                "--write-recovery-conf",
                "--checkpoint=fast",
                "--no-sync",
                "--pgdata",
            ])
            .arg(&standby.data));
        let options = format!("-p {port} -c listen_addresses='' -c hot_standby=on");
        run(program("pg_ctl")
            .args(["start", "--wait", "--silent", "--log"])
            .arg(standby.data.join("log_of_the_test"))
            .args(["--options", &options, "--pgdata"])
            .arg(&standby.data));
        standby
    }

    fn connect(&self, database: &str, user: &str) -> Client {
        let mut config = Config::new();
        config
            .host_path(Path::new(&socket_folder()))
            .port(self.port)
            .dbname(database)
            .user(user);
        config.connect(NoTls).unwrap()
    }

    fn remove(&self) {
        if self.data.exists() {
            let stop = ["stop", "--mode=immediate", "--silent", "--pgdata"];
            let _ = program("pg_ctl")
                .args(stop)
                .arg(&self.data)
                .stderr(Stdio::null())
                .status();
            std::fs::remove_dir_all(&self.data).unwrap();
        }
    }
}

impl Drop for Standby {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Waits until the standby has what the primary wrote, which commits without waiting for its log.
fn catch_up(primary: &mut Client, standby: &mut Client) {
    let position: String = primary
        .query_one("SELECT pg_current_wal_insert_lsn()::text", &[])
        .unwrap()
        .get(0);
    let has = format!("SELECT pg_last_wal_replay_lsn() >= '{position}'");
    let deadline = Instant::now() + Duration::from_secs(20);
    while !standby.query_one(&has, &[]).unwrap().get::<_, bool>(0) {
        assert!(Instant::now() < deadline, "the standby does not catch up");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_hot_standby_answers_and_writes_nothing() {
    let reply = r#"{"sql": "SELECT count(*) AS n FROM orders", "sentence": "There are {rows[0].n} orders."}"#;
    let double = ModelDouble::start(Script::new().otherwise(reply)).unwrap();
    let database = TestDatabase::new("standby");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut primary = database.superuser();
    primary
        .batch_execute(
            "SELECT text2sql.verify_example(text2sql.add_example('Which orders were the first?', 'SELECT order_id FROM orders ORDER BY 1 LIMIT 3'))",
        )
        .unwrap();
    primary.batch_execute("CALL text2sql.refresh()").unwrap();
    let standby = Standby::start();
    let mut client = standby.connect("t2s_standby", ANALYST);
    let in_recovery = "SELECT pg_is_in_recovery()";
    assert!(
        client
            .query_one(in_recovery, &[])
            .unwrap()
            .get::<_, bool>(0)
    );

    // Of a conversation nothing can be kept, and it is answered all the same.
    let sql = "SELECT status FROM text2sql.ask('How many orders are there?', conversation => 'a')";
    let status: String = client.query_one(sql, &[]).unwrap().get(0);
    assert_eq!(status, "ok");
    for options in ["{}", r#"{"model": "builtin"}"#] {
        let sql = "SELECT status, answer, rows::text FROM text2sql.ask('How many orders are there?', $1::text::jsonb)";
        let row = client.query_one(sql, &[&options]).unwrap();
        assert_eq!(row.get::<_, &str>(0), "ok", "{options}");
        assert!(row.get::<_, &str>(2).contains("400"), "{options}");
    }
    let shown = client
        .query("SELECT text2sql.show('How many orders are there?')", &[])
        .unwrap();
    assert!(!shown.is_empty());
    let row = client
        .query_one(
            "SELECT allowed, estimated_rows FROM text2sql.validate('SELECT order_id FROM orders')",
            &[],
        )
        .unwrap();
    assert!(row.get::<_, bool>(0) && row.get::<_, f64>(1) > 1.0);
    let row = client
        .query_one(
            "SELECT rows::text FROM text2sql.run_json('SELECT max(total) AS m FROM orders')",
            &[],
        )
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), r#"[{"m": 400.00}]"#);
    for sql in [
        "DELETE FROM orders",
        "SELECT salary FROM salaries",
        "SELECT pg_promote()",
    ] {
        let call = format!("SELECT * FROM text2sql.run_json('{sql}')");
        let (code, _, _) = error_of(&mut client, &call);
        assert!(["T2003", "T2004"].contains(&code.as_str()), "{sql}: {code}");
    }
    // The search index came with replication, and is not built here.
    let found = |client: &mut Client, question: &str| -> Vec<String> {
        let sql = "SELECT object FROM text2sql.retrieve($1) ORDER BY kind = 'value', rank";
        let rows = client.query(sql, &[&question]).unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    };
    let of_france = found(&mut client, "who is in frence?");
    assert!(
        of_france.contains(&"countries.name".to_owned()),
        "{of_france:?}"
    );
    let row = client
        .query_one("SELECT status, verified_by IS NOT NULL FROM text2sql.ask('Which orders were the first?')", &[])
        .unwrap();
    assert_eq!((row.get::<_, &str>(0), row.get::<_, bool>(1)), ("ok", true));
    let mut standby_admin = standby.connect("t2s_standby", "postgres");
    let (code, message, _) = error_of(&mut standby_admin, "CALL text2sql.refresh()");
    assert_eq!(code, "55000");
    assert!(message.contains("standby"), "{message}");
    primary
        .batch_execute(
            "CREATE TABLE warranties (months integer); GRANT SELECT ON warranties TO t2s_analyst",
        )
        .unwrap();
    catch_up(&mut primary, &mut standby_admin);
    assert_eq!(found(&mut client, "how many warranties?")[0], "warranties");
    primary.batch_execute("CALL text2sql.refresh()").unwrap();
    catch_up(&mut primary, &mut standby_admin);
    assert_eq!(found(&mut client, "how many warranties?")[0], "warranties");
    // In a transaction of each kind that a standby knows.
    for mode in ["READ ONLY", "ISOLATION LEVEL REPEATABLE READ"] {
        client.batch_execute(&format!("BEGIN {mode}")).unwrap();
        let status = "SELECT status FROM text2sql.ask('How many orders are there?')";
        assert_eq!(
            client.query_one(status, &[]).unwrap().get::<_, &str>(0),
            "ok"
        );
        client.batch_execute("COMMIT").unwrap();
    }
    let mut admin = standby.connect("t2s_standby", "postgres");
    let locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'";
    assert_eq!(admin.query_one(locks, &[]).unwrap().get::<_, i64>(0), 0);
    let log = std::fs::read_to_string(standby.data.join("log_of_the_test")).unwrap();
    for word in ["PANIC", "terminated by signal", "during recovery"] {
        assert!(!log.contains(word), "the standby's log says {word}");
    }

    // What changes on the primary is what the standby's next question sees.
    primary
        .batch_execute(
            "DELETE FROM orders WHERE order_id > 300; REVOKE SELECT ON countries FROM t2s_analyst",
        )
        .unwrap();
    catch_up(&mut primary, &mut admin);
    let rows = "SELECT rows::text FROM text2sql.ask('How many orders are there?')";
    assert_eq!(
        client.query_one(rows, &[]).unwrap().get::<_, &str>(0),
        r#"[{"n": 300}]"#
    );
    let (code, _, _) = error_of(
        &mut client,
        "SELECT * FROM text2sql.run_json('SELECT * FROM countries')",
    );
    assert_eq!(code, "T2003");
}
