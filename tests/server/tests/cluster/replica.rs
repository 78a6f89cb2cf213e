//! Ask here, run there: queries on a hot standby of the test cluster, sent by the primary.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use model_double::{ModelDouble, Script};
use postgres::Client;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use text2sql_server_tests::standby::{Standby, catch_up};
use text2sql_server_tests::waiting::wait_until;
use text2sql_server_tests::{ANALYST, TestDatabase, error_of};

/// The directory of the Unix sockets of the test cluster.
fn socket_directory() -> String {
    let directory = std::env::var_os("PGHOST")
        .map(PathBuf::from)
        .expect("PGHOST");
    directory.to_str().expect("a path in UTF-8").to_owned()
}

/// Makes the standby known as the server `replica`, on which the analyst may run queries, logging in as `user`.
fn add_replica(admin: &mut Client, standby: &Standby, user: &str, more: &str) {
    admin
        .batch_execute(&format!(
            "CREATE SERVER replica FOREIGN DATA WRAPPER text2sql_replica
                 OPTIONS (host '{}', port '{}' {more});
             GRANT USAGE ON FOREIGN SERVER replica TO {ANALYST};
             CREATE USER MAPPING FOR PUBLIC SERVER replica OPTIONS (user '{user}')",
            socket_directory(),
            standby.port()
        ))
        .unwrap();
}

/// One standby at a time: two that are made at once would choose the same port.
static ONE_STANDBY: Mutex<()> = Mutex::new(());

/// What the trace of the last question says about where its query ran.
const TRACED: &str = "SELECT t.output::jsonb -> 'notes' ->> 0
     FROM (SELECT trace_id FROM text2sql.history ORDER BY asked_at DESC LIMIT 1) h, text2sql.trace(h.trace_id) t
     WHERE t.stage = 'execute'";

fn text(client: &mut Client, sql: &str) -> String {
    client.query_one(sql, &[]).unwrap().get(0)
}

/// Lets the role that logs in run queries as the analyst, whatever they cost.
fn let_in(admin: &mut Client, database: &TestDatabase, gate: &str) {
    admin
        .batch_execute(&format!(
            "GRANT {ANALYST} TO {gate}; ALTER DATABASE {} SET text2sql.max_cost = 0",
            database.name()
        ))
        .unwrap();
}

#[test]
fn queries_run_on_the_replica_as_who_asks() {
    let reply = r#"{"sql": "SELECT count(*) AS n FROM orders", "sentence": "There are {rows[0].n} orders."}"#;
    let double = ModelDouble::start(Script::new().otherwise(reply)).unwrap();
    let database = TestDatabase::new("replica");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut admin = database.superuser();
    let gate = database.create_role("gate", "LOGIN NOINHERIT");
    let stranger = database.create_role("stranger", "LOGIN");
    admin
        .batch_execute(&format!(
            "GRANT {ANALYST} TO {gate};
             CREATE TYPE mood AS ENUM ('sad', 'glad');
             CREATE DOMAIN grade AS numeric(6, 2) CHECK (VALUE < 1000);
             CREATE TABLE \"Typed Things\" (\"Id\" int PRIMARY KEY, mood mood, grade grade, at timestamptz, spans interval,
                                    words text[], doc jsonb, raw bytea, part real, flag boolean);
             INSERT INTO \"Typed Things\" VALUES
                 (1, 'glad', 12.5, '2026-03-01 12:00+00', '1 day 02:00', ARRAY['a', NULL, 'Ü,\"'], '{{\"a\": 1.50}}', '\\x00ff', 0.1, true),
                 (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
             GRANT SELECT ON \"Typed Things\" TO {ANALYST};
             CREATE TABLE asked_by (name text);
             INSERT INTO asked_by VALUES ('{ANALYST}'), ('{gate}');
             ALTER TABLE asked_by ENABLE ROW LEVEL SECURITY;
             CREATE POLICY own ON asked_by USING (name = current_user);
             GRANT SELECT ON asked_by TO {ANALYST};
             ALTER DATABASE {} SET text2sql.max_cost = 0",
            database.name()
        ))
        .unwrap();
    let _one = ONE_STANDBY.lock().unwrap_or_else(PoisonError::into_inner);
    let standby = Standby::start("run_on", &[]);
    add_replica(&mut admin, &standby, &gate, "");
    let mut there = standby.connect(database.name(), "postgres");
    catch_up(&mut admin, &mut there);
    let mut analyst = database.analyst();

    // Here, there, and here again.
    let ask =
        "SELECT status || ' ' || result_rows::text || coalesce(array_to_string(warnings, '; '), '')
                 FROM text2sql.ask('How many orders are there?')";
    assert!(text(&mut analyst, ask).starts_with(r#"ok [{"n": 400}]"#));
    analyst
        .batch_execute("SET text2sql.run_on = 'replica'")
        .unwrap();
    let answered = text(&mut analyst, ask);
    assert!(
        answered.starts_with(r#"ok [{"n": 400}]the query ran on replica replica, which is"#),
        "{answered}"
    );
    let traced = text(&mut analyst, TRACED);
    assert!(
        traced.starts_with("the query ran on replica replica, which is"),
        "{traced}"
    );

    // Values and types are the same, as JSON and as typed rows.
    let statement = r#"SELECT * FROM "Typed Things" ORDER BY 1"#;
    let as_json = format!(
        "SELECT result_columns::text || result_rows::text FROM text2sql.run_json('{statement}')"
    );
    let typed = format!(
        "SELECT md5(string_agg(t::text, '|')) FROM text2sql.run('{statement}') AS t(\"Id\" int, mood mood, grade grade,
             at timestamptz, spans interval, words text[], doc jsonb, raw bytea, part real, flag boolean)"
    );
    for settings in [
        "SET TimeZone = 'Asia/Tokyo'; SET DateStyle = 'SQL, DMY'; SET IntervalStyle = 'iso_8601'; SET bytea_output = 'escape'",
        "SET TimeZone = 'UTC'; SET DateStyle = 'ISO, MDY'; SET IntervalStyle = 'postgres'; SET bytea_output = 'hex'",
    ] {
        analyst.batch_execute(settings).unwrap();
        let mut seen = Vec::new();
        for place in ["", "replica"] {
            analyst
                .batch_execute(&format!("SET text2sql.run_on = '{place}'"))
                .unwrap();
            seen.push((text(&mut analyst, &as_json), text(&mut analyst, &typed)));
        }
        assert_eq!(seen[0], seen[1], "{settings}");
    }

    // The role is the one that asks, not the one that logs in; policies see it.
    let names = "SELECT result_rows::text FROM text2sql.run_json('SELECT name, current_user = name AS me FROM asked_by')";
    assert_eq!(
        text(&mut analyst, names),
        format!(r#"[{{"name": "{ANALYST}", "me": true}}]"#)
    );
    let (code, message, _) = error_of(
        &mut analyst,
        "SELECT * FROM text2sql.run_json('SELECT salary FROM salaries')",
    );
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("T2003", "permission denied for table salaries")
    );

    // The error of a statement is its own, and limits of the session apply there.
    let (code, _, _) = error_of(
        &mut analyst,
        "SELECT * FROM text2sql.run_json('SELECT 1 / (order_id - order_id) FROM orders')",
    );
    assert_eq!(code, "22012");
    analyst
        .batch_execute("SET text2sql.max_result_rows = 3")
        .unwrap();
    let rows = "SELECT row_count::text || truncated::text FROM text2sql.run_json('SELECT order_id FROM orders')";
    assert_eq!(text(&mut analyst, rows), "3true");
    analyst
        .batch_execute("RESET text2sql.max_result_rows")
        .unwrap();
    let slow = "SELECT * FROM text2sql.run_json('SELECT count(*) FROM orders a, orders b, orders c, orders d')";
    let mut hurried = database
        .analyst_with("SET text2sql.run_on = 'replica'; SET text2sql.query_timeout = '300ms'");
    let (code, message, _) = error_of(&mut hurried, slow);
    assert_eq!(code, "57014", "{message}");
    assert!(
        message.contains("text2sql.query_timeout (300 ms)"),
        "{message}"
    );

    // What this server has just protected is refused, whatever the replica knows.
    there.batch_execute("SELECT pg_wal_replay_pause()").unwrap();
    admin
        .batch_execute("SELECT text2sql.protect('orders', 'hidden')")
        .unwrap();
    let (code, _, _) = error_of(
        &mut analyst,
        "SELECT * FROM text2sql.run_json('SELECT total FROM orders')",
    );
    assert_eq!(code, "T2004");
    admin
        .batch_execute("SELECT text2sql.protect('orders', 'open')")
        .unwrap();
    let behind = text(&mut analyst, ask);
    assert!(
        behind.contains("which is up to ") || behind.contains("it is not known how far"),
        "{behind}"
    );
    admin
        .batch_execute("ALTER SERVER replica OPTIONS (ADD max_lag '0')")
        .unwrap();
    let late = text(
        &mut analyst,
        "SELECT status || ' ' || answer || ' ' || sqlstate FROM text2sql.ask('How many orders are there?')",
    );
    assert!(
        late.starts_with("failed replica \"replica\" failed: it is up to")
            && late.ends_with("08001"),
        "{late}"
    );
    there
        .batch_execute("SELECT pg_wal_replay_resume()")
        .unwrap();
    admin
        .batch_execute("ALTER SERVER replica OPTIONS (DROP max_lag)")
        .unwrap();

    // A login that may not become the role that asks is refused, and so is a superuser.
    admin
        .batch_execute(&format!(
            "ALTER USER MAPPING FOR PUBLIC SERVER replica OPTIONS (SET user '{stranger}')"
        ))
        .unwrap();
    let (code, message, hint) = error_of(&mut analyst, rows);
    assert_eq!(code, "08001");
    assert!(
        message.contains(&format!("cannot run there as role \"{ANALYST}\"")),
        "{message}"
    );
    assert!(
        hint.contains(&format!("GRANT \"{ANALYST}\" TO \"{stranger}\"")),
        "{hint}"
    );
    admin
        .batch_execute("ALTER USER MAPPING FOR PUBLIC SERVER replica OPTIONS (SET user 'postgres')")
        .unwrap();
    let (_, message, _) = error_of(&mut analyst, rows);
    assert!(message.contains("is a superuser"), "{message}");

    // Only the owner decides where queries go.
    let (code, _, _) = error_of(
        &mut analyst,
        "CREATE SERVER mine FOREIGN DATA WRAPPER text2sql_replica OPTIONS (host 'x')",
    );
    assert_eq!(code, "42501");
    admin
        .batch_execute(&format!("GRANT USAGE ON FOREIGN DATA WRAPPER text2sql_replica TO {stranger};
             SET ROLE {stranger}; CREATE SERVER theirs FOREIGN DATA WRAPPER text2sql_replica OPTIONS (host 'x');
             GRANT USAGE ON FOREIGN SERVER theirs TO {ANALYST}; RESET ROLE"))
        .unwrap();
    for (place, code) in [("theirs", "42501"), ("m", "55000"), ("nowhere", "55000")] {
        analyst
            .batch_execute(&format!("SET text2sql.run_on = '{place}'"))
            .unwrap();
        assert_eq!(error_of(&mut analyst, rows).0, code, "{place}");
    }
}

#[test]
fn a_replica_that_is_down_fails_or_is_replaced() {
    let database = TestDatabase::new("replica_down");
    let mut admin = database.superuser();
    let gate = database.create_role("gate", "LOGIN NOINHERIT");
    let_in(&mut admin, &database, &gate);
    let _one = ONE_STANDBY.lock().unwrap_or_else(PoisonError::into_inner);
    let mut standby = Standby::start("run_on_down", &[]);
    add_replica(&mut admin, &standby, &gate, "");
    let mut there = standby.connect(database.name(), "postgres");
    catch_up(&mut admin, &mut there);
    let mut analyst = database.analyst();
    analyst
        .batch_execute("SET text2sql.run_on = 'replica'")
        .unwrap();

    // A cancel reaches the replica.
    let process: i32 = analyst
        .query_one("SELECT pg_backend_pid()", &[])
        .unwrap()
        .get(0);
    let waiting = std::thread::spawn(move || {
        let slow = "SELECT * FROM text2sql.run_json('SELECT count(*) FROM orders a, orders b, orders c, orders d')";
        let (code, _, _) = error_of(&mut analyst, slow);
        (code, analyst)
    });
    let running = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pg_text2sql' AND state = 'active'";
    let is_running =
        |there: &mut Client| there.query_one(running, &[]).unwrap().get::<_, i64>(0) > 0;
    wait_until("the query runs there", || is_running(&mut there));
    admin
        .execute("SELECT pg_cancel_backend($1)", &[&process])
        .unwrap();
    let (code, mut analyst) = waiting.join().unwrap();
    assert_eq!(code, "57014");
    wait_until("the query there has ended", || !is_running(&mut there));
    drop(there);

    standby.stop("fast");
    let started = Instant::now();
    let ask = "SELECT status || ' ' || coalesce(sqlstate, '') || ' ' || answer || coalesce(array_to_string(warnings, '; '), '')
                 FROM text2sql.ask('How many orders are there?')";
    let answered = text(&mut analyst, ask);
    assert!(
        answered.starts_with("failed 08001 replica \"replica\" failed: it cannot be reached"),
        "{answered}"
    );
    let (code, message, hint) = error_of(
        &mut analyst,
        "SELECT * FROM text2sql.run_json('SELECT 1 AS n')",
    );
    assert_eq!(code, "08001", "{message}");
    assert_eq!(
        hint,
        "To run queries on this server: SET text2sql.run_on = '';"
    );
    assert!(started.elapsed() < Duration::from_secs(30));
    admin
        .batch_execute("ALTER SERVER replica OPTIONS (ADD on_failure 'primary')")
        .unwrap();
    let answered = text(&mut analyst, ask);
    assert!(
        answered.starts_with("ok ")
            && answered.contains("the query ran on this server: replica \"replica\" failed"),
        "{answered}"
    );
    let traced = text(&mut analyst, TRACED);
    assert!(
        traced.starts_with("the query ran on this server: replica \"replica\" failed"),
        "{traced}"
    );
}

/// A file in the directory of the sockets that only the owner of the cluster may read, as its key must be.
fn private_file(name: &str, text: &str) -> String {
    let path = PathBuf::from(socket_directory()).join(name);
    let owner = std::fs::metadata(socket_directory()).unwrap();
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::chown(&path, Some(owner.uid()), Some(owner.gid())).unwrap();
    path.to_str().unwrap().to_owned()
}

/// An authority, and a certificate with its key that it has signed for `localhost`; all as PEM.
fn authority() -> (String, String, String) {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let own = params.self_signed(&key).unwrap().pem();
    let issuer = Issuer::new(params, key);
    let key = KeyPair::generate().unwrap();
    let server = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let certificate = server.signed_by(&key, &issuer).unwrap().pem();
    (own, certificate, key.serialize_pem())
}

#[test]
fn a_replica_is_believed_only_with_a_certificate_of_its_authority_for_its_name() {
    let database = TestDatabase::new("replica_tls");
    let mut admin = database.superuser();
    let gate = database.create_role("gate", "LOGIN NOINHERIT PASSWORD 'through the gate'");
    let (own, certificate, key) = authority();
    let (other, _, _) = authority();
    let trusted = private_file("tls_authority.pem", &own);
    let foreign = private_file("tls_other_authority.pem", &other);
    let certificate = private_file("tls_certificate.pem", &certificate);
    let key = private_file("tls_key.pem", &key);
    let_in(&mut admin, &database, &gate);
    let _one = ONE_STANDBY.lock().unwrap_or_else(PoisonError::into_inner);
    let certificate = format!("ssl_cert_file={certificate}");
    let key = format!("ssl_key_file={key}");
    let settings = [
        "listen_addresses=127.0.0.1",
        "log_connections=on",
        "ssl=on",
        &certificate,
        &key,
    ];
    let standby = Standby::start("run_on_tls", &settings);
    admin
        .batch_execute(&format!(
            "CREATE SERVER replica FOREIGN DATA WRAPPER text2sql_replica
                 OPTIONS (host 'localhost', port '{}', sslmode 'verify-full', sslrootcert '{trusted}');
             GRANT USAGE ON FOREIGN SERVER replica TO {ANALYST};
             CREATE USER MAPPING FOR PUBLIC SERVER replica OPTIONS (user '{gate}', password 'through the gate')",
            standby.port()
        ))
        .unwrap();
    catch_up(
        &mut admin,
        &mut standby.connect(database.name(), "postgres"),
    );
    let mut analyst = database.analyst();
    analyst
        .batch_execute("SET text2sql.run_on = 'replica'")
        .unwrap();
    let count = "SELECT * FROM text2sql.run_json('SELECT count(*) AS n FROM orders')";
    let counted = format!("SELECT result_rows::text FROM ({count}) AS ran");
    assert_eq!(text(&mut analyst, &counted), r#"[{"n": 400}]"#);
    let log_ins = |standby: &Standby| {
        let log = standby.log();
        let of_gate = log
            .lines()
            .filter(|line| line.contains(&format!("connection authorized: user={gate}")))
            .map(|line| line.contains("SSL enabled (protocol=TLSv1.3"));
        of_gate.collect::<Vec<bool>>()
    };
    assert_eq!(log_ins(&standby), [true]);

    // An authority of the same name with another key, and a name of the server that the certificate does not have.
    for (options, expected) in [
        (format!("SET sslrootcert '{foreign}'"), "BadSignature"),
        (
            format!("SET sslrootcert '{trusted}', SET host '127.0.0.1'"),
            "certificate not valid for name",
        ),
    ] {
        admin
            .batch_execute(&format!("ALTER SERVER replica OPTIONS ({options})"))
            .unwrap();
        let (code, message, _) = error_of(&mut analyst, count);
        assert_eq!(code, "08001", "{message}");
        assert!(message.contains(expected), "{message}");
    }
    admin
        .batch_execute("ALTER SERVER replica OPTIONS (SET host 'localhost')")
        .unwrap();
    assert_eq!(log_ins(&standby), [true], "nobody else has logged in");
    drop(standby);
    let plain = Standby::start("run_on_tls", &["listen_addresses=127.0.0.1"]);
    admin
        .batch_execute(&format!(
            "ALTER SERVER replica OPTIONS (SET port '{}')",
            plain.port()
        ))
        .unwrap();
    let (code, message, _) = error_of(&mut analyst, count);
    assert_eq!(code, "08001", "{message}");
    assert!(message.contains("does not support TLS"), "{message}");
}

#[test]
fn options_are_checked_and_a_password_is_never_shown() {
    let database = TestDatabase::new("replica_options");
    let mut admin = database.superuser();
    let create =
        |options: &str| format!("CREATE SERVER r FOREIGN DATA WRAPPER text2sql_replica {options}");
    for (options, expected) in [
        ("", "a replica needs the option \"host\""),
        ("OPTIONS (host 'h', hosst 'x')", "invalid option \"hosst\""),
        (
            "OPTIONS (host 'h', port '70000')",
            "invalid value for option \"port\"",
        ),
        (
            "OPTIONS (host 'h', sslmode 'prefer')",
            "invalid value for option \"sslmode\"",
        ),
        (
            "OPTIONS (host 'h', password 'hunter2')",
            "invalid option \"password\"",
        ),
        (
            "OPTIONS (host 'h', on_failure 'shrug')",
            "invalid value for option \"on_failure\"",
        ),
    ] {
        let (_, message, hint) = error_of(&mut admin, &create(options));
        assert_eq!(message, expected);
        assert!(!hint.contains("hunter2"), "{hint}");
    }
    admin
        .batch_execute(&format!(
            "{}; CREATE USER MAPPING FOR {ANALYST} SERVER r OPTIONS (user 'nobody', password 'hunter2');
             GRANT USAGE ON FOREIGN SERVER r TO {ANALYST}",
            create("OPTIONS (host '127.0.0.1', port '1', connect_timeout '1')")
        ))
        .unwrap();
    let mut analyst = database.analyst();
    analyst.batch_execute("SET text2sql.run_on = 'r'").unwrap();
    let (code, message, hint) = error_of(
        &mut analyst,
        "SELECT * FROM text2sql.run_json('SELECT 1 AS n')",
    );
    assert_eq!(code, "08001");
    assert!(!format!("{message}{hint}").contains("hunter2"));
}
