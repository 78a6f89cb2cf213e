//! The guard on the corpus outside the repository, and side effects that must not remain after a run.

use postgres::Client;
use serde_json::Value;
use text2sql_server_tests::corpus::{expanded, hostile_database, lines, read, verdict};
use text2sql_server_tests::skipped::shared_or_skip;
use text2sql_server_tests::{ANALYST, TestDatabase, connect, connect_listening, error_of};

/// Which verdicts are right for a class of statements to refuse: the right layer must do it.
fn may_refuse(class: &str) -> &'static [&'static str] {
    match class {
        "stmt" | "utility" | "multi" | "dml-cte" | "into" | "lock" => &["statement"],
        "function" => &["function", "type", "node", "limit"],
        "hidden" => &["function"],
        "implicit" => &["function", "type"],
        "permission" => &["permission"],
        "view" => &["view"],
        "foreign" => &["relation"],
        "sequence" => &["relation", "function"],
        // Without USAGE on its schema a catalog does not exist.
        "catalog" => &["relation", "42P01"],
        "input" => &[
            "input", "42601", "42P01", "42P02", "42602", "22021", "22025",
        ],
        "cost" => &["cost"],
        "size" => &["limit", "54000", "54001", "42601", "53200"],
        _ => &[],
    }
}

/// Whether the server has what the statement is about: `since` is a major version, `needs` an extension.
fn is_for(case: &Value, version: u64, extensions: &[String]) -> bool {
    let is_new_enough = case["since"].as_u64().is_none_or(|since| version >= since);
    let has_needed = case["needs"]
        .as_str()
        .is_none_or(|needed| extensions.iter().any(|extension| extension == needed));
    is_new_enough && has_needed
}

fn judge(database: &str, cases: &[Value]) {
    let about_server =
        "SELECT current_setting('server_version_num')::int / 10000, array_agg(extname::text)
        FROM pg_extension";
    let server = connect(database, None)
        .query_one(about_server, &[])
        .unwrap();
    let version = u64::try_from(server.get::<_, i32>(0)).unwrap();
    let extensions: Vec<String> = server.get(1);
    let mut client = connect(database, Some("analyst"));
    let mut wrong = Vec::new();
    for case in cases {
        if !is_for(case, version, &extensions) {
            continue;
        }
        // The corpus names its database where a statement qualifies a table with it.
        let sql = expanded(case["sql"].as_str().unwrap())
            .replace("safety.public", &format!("{database}.public"));
        // A NUL byte cannot even be sent: the client refuses it.
        if sql.contains('\0') {
            continue;
        }
        let verdict = verdict(&mut client, &sql);
        let is_right = match (case["expect"].as_str(), case["rule"].as_str()) {
            (Some("allow"), _) => verdict == "allow",
            (_, Some(rule)) => verdict == rule,
            _ => may_refuse(case["class"].as_str().unwrap()).contains(&verdict.as_str()),
        };
        if !is_right {
            wrong.push(format!(
                "{} {} {}: {verdict}: {sql}",
                case["id"], case["class"], case["expect"]
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} wrong:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

#[test]
fn the_shared_corpus_is_judged_rightly() {
    let Some(shared) = shared_or_skip("the guard's corpus") else {
        return;
    };
    let _database = hostile_database("corpus", &read(&shared, "attacks_setup.sql"));
    judge("t2s_corpus", &lines(&read(&shared, "attacks.jsonl")));
}

#[test]
fn our_own_corpus_is_judged_rightly() {
    let _database = hostile_database("own_corpus", include_str!("../../cases/guard_setup.sql"));
    judge(
        "t2s_own_corpus",
        &lines(include_str!("../../cases/guard.jsonl")),
    );
}

#[test]
fn our_own_corpus_has_every_class() {
    let cases = lines(include_str!("../../cases/guard.jsonl"));
    let count = |wanted: &str| {
        cases
            .iter()
            .filter(|case| case["expect"] == wanted)
            .inspect(|case| assert!(!case["why"].as_str().unwrap().is_empty()))
            .count()
    };
    assert!(count("reject") >= 150 && count("allow") >= 80);
    for version in 16..=18 {
        let of_version = |expect: &str| {
            let is_new = |case: &&Value| case["since"] == version && case["expect"] == expect;
            cases.iter().filter(is_new).count()
        };
        assert!(
            of_version("reject") >= 20 && of_version("allow") >= 10,
            "{version}"
        );
    }
    let classes = "stmt utility multi dml-cte into lock function hidden implicit permission view foreign \
                   sequence catalog input cost size";
    for class in classes.split_whitespace() {
        let of_class = |case: &&Value| case["class"] == class && case["expect"] == "reject";
        assert!(cases.iter().filter(of_class).count() >= 3, "{class}");
    }
}

/// Everything of a session and its database that a statement could change, in one text.
const STATE: &str = "SELECT concat_ws(' | ',
    (SELECT md5(string_agg(name || setting || source, ',' ORDER BY name)) FROM pg_settings),
    (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype NOT IN ('relation', 'virtualxid')),
    (SELECT string_agg(relation::regclass::text, ',' ORDER BY relation) FROM pg_locks
      WHERE pid = pg_backend_pid() AND locktype = 'relation' AND relation >= 16384),
    (SELECT count(*) FROM pg_cursors WHERE name <> ''), current_user, session_user,
    (SELECT count(*) FROM pg_class WHERE relpersistence = 't'), (SELECT count(*) FROM pg_class),
    (SELECT count(*) FROM pg_largeobject_metadata), (SELECT last_value || is_called::text FROM numbers),
    (SELECT sum(total) FROM orders), (SELECT count(*) FROM pg_listening_channels()),
    coalesce(pg_current_xact_id_if_assigned()::text, 'no transaction id'))";

#[test]
fn nothing_of_a_run_remains() {
    let database = TestDatabase::new("remains");
    let setup = "CREATE SEQUENCE numbers; GRANT ALL ON SEQUENCE numbers TO t2s_analyst;
        GRANT INSERT, UPDATE, DELETE ON orders TO t2s_analyst; GRANT CREATE ON SCHEMA public TO t2s_analyst";
    database.superuser().batch_execute(setup).unwrap();
    let mut listener = database.superuser();
    listener.batch_execute("LISTEN news").unwrap();
    // The library brings its settings along when it is loaded.
    let mut client =
        database.analyst_with("SELECT text2sql._version(); SET text2sql.query_timeout = '200ms'");
    let read = |client: &mut Client| client.query_one(STATE, &[]).unwrap().get::<_, String>(0);
    let before = read(&mut client);
    for sql in [
        "SELECT count(*) FROM orders",
        "SELECT order_id FROM orders ORDER BY random()",
        "SELECT 1/0",
        "SELECT nme FROM orders",
        "SELECT count(*) FROM orders a, orders b, orders c, orders d, orders e",
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
        "SELECT pg_advisory_lock(1)",
        "SELECT set_config('work_mem', '1MB', false)",
        "SELECT nextval('numbers')",
        "SELECT setval('numbers', 77)",
        "SELECT lo_create(0)",
        "SELECT pg_notify('news', 'x')",
        "NOTIFY news, 'x'",
        "LISTEN news",
        "CREATE TEMP TABLE t (a int)",
        "SELECT 1 AS a INTO t",
        "DELETE FROM orders",
        "SET ROLE NONE",
        "DECLARE c CURSOR WITH HOLD FOR SELECT 1",
    ] {
        let call = sql.replace('\'', "''");
        // As a statement of its own, and in a transaction that continues and commits.
        for around in [("", ""), ("BEGIN; SAVEPOINT s", "COMMIT")] {
            client.batch_execute(around.0).unwrap();
            let run = client.simple_query(&format!("SELECT * FROM text2sql.run_json('{call}')"));
            if run.is_err() && !around.0.is_empty() {
                client.batch_execute("ROLLBACK TO s").unwrap();
            }
            client.batch_execute(around.1).unwrap();
        }
        assert_eq!(read(&mut client), before, "{sql}");
    }
    let wait = std::time::Duration::from_millis(300);
    let mut notifications = listener.notifications();
    let heard =
        postgres::fallible_iterator::FallibleIterator::next(&mut notifications.timeout_iter(wait));
    assert!(heard.unwrap().is_none(), "a notification was sent");
}

#[test]
fn the_caller_goes_on_after_a_refusal_inside_a_transaction() {
    let database = TestDatabase::new("transaction");
    let mut admin = database.superuser();
    let mut transaction = admin.transaction().unwrap();
    transaction
        .batch_execute("INSERT INTO countries VALUES (3, 'Spain')")
        .unwrap();
    let row = transaction
        .query_one(
            "SELECT status, result_rows::text FROM text2sql.ask('How many countries are there?')",
            &[],
        )
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "ok");
    assert!(
        row.get::<_, &str>(1).contains('3'),
        "the caller's own writes are seen"
    );
    transaction.batch_execute("SAVEPOINT a").unwrap();
    let refused = transaction.query(
        "SELECT * FROM text2sql.run_json('DELETE FROM countries')",
        &[],
    );
    assert_eq!(
        refused.unwrap_err().as_db_error().unwrap().code().code(),
        "T2004"
    );
    transaction
        .batch_execute("ROLLBACK TO a; INSERT INTO countries VALUES (4, 'Italy')")
        .unwrap();
    transaction.commit().unwrap();
    assert_eq!(
        admin
            .query_one("SELECT count(*) FROM countries", &[])
            .unwrap()
            .get::<_, i64>(0),
        4
    );
}

#[test]
fn limits_end_a_query_and_not_the_session() {
    let database = TestDatabase::new("limits");
    let mut client = database.analyst_with("SET text2sql.query_timeout = '200ms'");
    let start = std::time::Instant::now();
    let endless =
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r";
    let (code, message, _) = error_of(
        &mut client,
        &format!("SELECT * FROM text2sql.run_json('{endless}')"),
    );
    assert_eq!(code, "57014");
    assert!(message.contains("text2sql.query_timeout"), "{message}");
    assert!(start.elapsed() < std::time::Duration::from_secs(10));
    // A late timer of the guard must not cancel the next statement.
    client.query_one("SELECT pg_sleep(0.3)", &[]).unwrap();
    client
        .batch_execute("SET text2sql.max_result_size = '1kB'")
        .unwrap();
    let row = client
        .query_one(
            "SELECT truncated FROM text2sql.run_json('SELECT repeat(''x'', 100) FROM orders')",
            &[],
        )
        .unwrap();
    assert!(row.get::<_, bool>(0));
}

#[test]
fn the_column_list_is_no_way_to_run_another_users_code() {
    let database = TestDatabase::new("casts");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "CREATE SCHEMA m; GRANT USAGE ON SCHEMA m TO PUBLIC;
             CREATE TYPE m.t AS ENUM ('a', 'b');
             CREATE TABLE m.people (id int, name m.t); INSERT INTO m.people VALUES (1, 'a');
             GRANT SELECT ON m.people TO PUBLIC;
             CREATE FUNCTION m.evil(m.t) RETURNS text LANGUAGE plpgsql AS
               $$BEGIN RAISE EXCEPTION 'evil ran'; END$$;
             CREATE CAST (m.t AS text) WITH FUNCTION m.evil(m.t) AS ASSIGNMENT;
             CREATE DOMAIN m.checked AS text CHECK (m.evil('a') IS NOT NULL)",
        )
        .unwrap();
    for (sql, columns) in [
        ("SELECT name FROM m.people", "name text"),
        ("SELECT ''x''::text AS name FROM m.people", "name m.checked"),
    ] {
        for mut client in [database.analyst(), database.superuser()] {
            let call = format!("SELECT * FROM text2sql.run('{sql}') AS t({columns})");
            let (code, message, hint) = error_of(&mut client, &call);
            assert_eq!(code, "42804", "{message}");
            assert!(hint.starts_with("AS t("), "{hint}");
        }
    }
    let row = "SELECT name::text = 'a' FROM text2sql.run('SELECT id, name FROM m.people') AS t(id bigint, name m.t)";
    let typed =
        "SELECT id FROM text2sql.run('SELECT id, name FROM m.people') AS t(id bigint, name m.t)";
    assert_eq!(admin.query_one(typed, &[]).unwrap().get::<_, i64>(0), 1);
    assert!(
        admin.query_one(row, &[]).is_err(),
        "the caller's own cast is the caller's own business"
    );
}

#[test]
fn an_operator_of_a_user_cannot_change_what_equal_means() {
    let database = TestDatabase::new("operators");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "CREATE OPERATOR public.= (LEFTARG = text, RIGHTARG = text, FUNCTION = pg_catalog.textne);
             ALTER DATABASE t2s_operators SET search_path = public, pg_catalog",
        )
        .unwrap();
    let mut client = database.analyst();
    let verdict = verdict(&mut client, "SELECT 'a'::text = 'a'::text AS same");
    assert_eq!(verdict, "function");
}

#[test]
fn rows_that_were_cut_are_an_error_or_come_with_a_warning() {
    let _database = TestDatabase::new("cut");
    let (sender, notices) = std::sync::mpsc::channel();
    let listener = move |notice| sender.send(notice).unwrap_or_default();
    let mut client = connect_listening("t2s_cut", Some(ANALYST), listener);
    client
        .batch_execute("SET text2sql.max_result_rows = 5")
        .unwrap();
    let all = "SELECT count(*) FROM text2sql.run('SELECT order_id FROM orders') AS t(id bigint)";
    let (code, message, hint) = error_of(&mut client, all);
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("54000", "the result exceeds text2sql.max_result_rows = 5")
    );
    // The hint can be pasted, up to the alternative.
    let (raise, _) = hint.split_once(';').expect("a remedy and another one");
    client.batch_execute(raise).unwrap();
    let all_of_them: i64 = client.query_one(all, &[]).unwrap().get(0);
    assert_eq!(all_of_them, 400);
    client
        .batch_execute("SET text2sql.max_result_rows = 5; SET text2sql.tuning = '{\"on_truncation\": \"warning\"}'")
        .unwrap();
    assert_eq!(client.query_one(all, &[]).unwrap().get::<_, i64>(0), 5);
    assert!(
        notices
            .try_iter()
            .any(|notice| notice.starts_with("result was truncated to the first 5 rows"))
    );
    client
        .batch_execute("RESET text2sql.tuning; SET text2sql.max_result_size = '1kB'; SET text2sql.max_result_rows = 1000")
        .unwrap();
    let wide =
        "SELECT count(*) FROM text2sql.run('SELECT repeat(''x'', 300) FROM orders') AS t(x text)";
    let (code, message, _) = error_of(&mut client, wide);
    assert_eq!(
        (code.as_str(), message.as_str()),
        (
            "54000",
            "the result exceeds text2sql.max_result_size = '1kB'"
        )
    );
    let huge = "SELECT * FROM text2sql.run('SELECT repeat(''x'', 50000) AS x') AS t(x text)";
    let (code, message, _) = error_of(&mut client, huge);
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("54000", "the first row of the result has more than 1 kB")
    );
}

#[test]
fn what_protects_the_server_is_lowered_by_anybody_and_raised_by_grant() {
    let database = TestDatabase::new("granted_limits");
    let mut client = database.analyst();
    let ask = |limit: &str| {
        format!(
            r#"SELECT status FROM text2sql.ask('How many orders?', options => '{{"query_timeout": {limit}}}')"#
        )
    };
    client.query_one(&ask("\"5s\""), &[]).unwrap();
    client.query_one(&ask("30000"), &[]).unwrap();
    let (code, message, hint) = error_of(&mut client, &ask("\"1min\""));
    assert_eq!(
        (code.as_str(), message.as_str()),
        (
            "42501",
            "option \"query_timeout\" is higher than text2sql.query_timeout: \"1min\""
        )
    );
    let set = "SET text2sql.query_timeout = '1min'";
    let grant = "GRANT SET ON PARAMETER text2sql.query_timeout TO t2s_analyst";
    assert_eq!(
        hint,
        format!("{set} first. A role that is not a superuser needs a superuser to run: {grant}.")
    );
    for name in ["max_cost", "memory_limit"] {
        let none =
            format!(r#"SELECT text2sql.ask('How many orders?', options => '{{"{name}": 0}}')"#);
        assert_eq!(error_of(&mut client, &none).0, "42501", "{name}");
    }
    assert_eq!(error_of(&mut client, set).0, "42501");
    let mut admin = database.superuser();
    admin.batch_execute(grant).unwrap();
    client.batch_execute(set).unwrap();
    client.query_one(&ask("\"1min\""), &[]).unwrap();
    admin
        .batch_execute("REVOKE SET ON PARAMETER text2sql.query_timeout FROM t2s_analyst")
        .unwrap();
}
