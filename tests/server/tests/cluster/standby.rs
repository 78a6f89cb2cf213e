//! Questions on a hot standby: a real one, made by `pg_basebackup` beside the test cluster.

use std::sync::{Arc, Mutex};

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::crashes;
use text2sql_server_tests::standby::{Standby, catch_up};
use text2sql_server_tests::{ANALYST, TestDatabase, error_of};

#[test]
fn a_hot_standby_answers_and_writes_nothing() {
    let reply = r#"{"sql": "SELECT count(*) AS n FROM orders", "sentence": "There are {rows[0].n} orders."}"#;
    let double = ModelDouble::start(Script::new().otherwise(reply)).unwrap();
    let database = TestDatabase::new("standby");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut primary = database.superuser();
    primary
        .batch_execute(
            "SELECT text2sql.accept('example', text2sql.add_example('Which orders were the first?', 'SELECT order_id FROM orders ORDER BY 1 LIMIT 3'))",
        )
        .unwrap();
    primary.batch_execute("CALL text2sql.refresh()").unwrap();
    let standby = Standby::start("of_a_test", &[]);
    let mut client = standby.connect("t2s_standby", ANALYST);
    let in_recovery = "SELECT pg_is_in_recovery()";
    assert!(
        client
            .query_one(in_recovery, &[])
            .unwrap()
            .get::<_, bool>(0)
    );

    // A standby cannot store a conversation; the question is answered all the same.
    let sql = "SELECT status FROM text2sql.ask('How many orders are there?', conversation => 'a')";
    let status: String = client.query_one(sql, &[]).unwrap().get(0);
    assert_eq!(status, "ok");
    for options in [
        "{}",
        r#"{"model": "builtin"}"#,
        r#"{"model": "builtin, m"}"#,
        r#"{"model": "m, builtin"}"#,
    ] {
        let sql = "SELECT status, answer, result_rows::text FROM text2sql.ask('How many orders are there?', options => $1::text::jsonb)";
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
            "SELECT result_rows::text FROM text2sql.run_json('SELECT max(total) AS m FROM orders')",
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
    // Functions that write raise an error with a hint.
    for call in [
        "SELECT text2sql.forget('conversation', 'a')",
        "SELECT text2sql.describe('public.orders', 'sold')",
        "SELECT text2sql.define('sold', 'x', 'count(*)', 'public.orders')",
        "SELECT text2sql.protect('public.orders', 'private')",
        "SELECT text2sql.set_budget('t2s_analyst', questions_per_day => 1)",
        "SELECT text2sql_eval.add_suite('s')",
        "SELECT text2sql.drop_history()",
        "SELECT text2sql_eval.add_case('s', 'How many orders?', 'SELECT count(*) FROM orders')",
        "CALL text2sql_eval.evaluate('s')",
        "SELECT * FROM text2sql.load_file('loaded', 'a,b')",
        "SELECT * FROM text2sql.load_file('public.loaded', '[{}]')",
        "SELECT text2sql.add_document('t', 'b')",
        "SELECT text2sql.index_text('public.customers.mail')",
    ] {
        let (code, message, hint) = error_of(&mut standby_admin, call);
        assert_eq!(code, "25006", "{call}: {message}");
        assert!(message.contains("on a standby"), "{call}: {message}");
        assert!(hint.contains("on the primary server"), "{call}: {hint}");
    }
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
    let log = standby.log();
    crashes::assert_none(&log);
    assert!(!log.contains("during recovery"));

    // What changes on the primary is what the standby's next question sees.
    primary
        .batch_execute(
            "DELETE FROM orders WHERE order_id > 300; REVOKE SELECT ON countries FROM t2s_analyst",
        )
        .unwrap();
    catch_up(&mut primary, &mut admin);
    let rows = "SELECT result_rows::text FROM text2sql.ask('How many orders are there?')";
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

/// A call of each function with arguments that it may accept: those without a default, by their name or type.
const CALLS: &str = r"
    SELECT format('%s %I.%I(%s)', CASE p.prokind WHEN 'p' THEN 'CALL' ELSE 'SELECT' END, n.nspname, p.proname,
                  string_agg(coalesce(quote_literal(coalesce(by_name.value, by_type.value)), 'NULL'), ', ' ORDER BY a.place)
                      FILTER (WHERE a.place IS NOT NULL))
      FROM pg_proc AS p
      JOIN pg_namespace AS n ON n.oid = p.pronamespace
      LEFT JOIN LATERAL (
           SELECT place, p.proargnames[place] AS name, p.proargtypes[place - 1]::regtype::text AS type
             FROM generate_series(1, p.pronargs - p.pronargdefaults) AS place) AS a ON true
      LEFT JOIN (VALUES
           ('question', 'How many orders are there?'), ('sql', 'SELECT count(*) FROM orders'), ('object', 'public.orders'),
           ('column_name', 'public.customers.mail'), ('role_name', 't2s_analyst'), ('conversation', 'monday'),
           ('format', 'cube'), ('schema_ddl', 'CREATE TABLE t (a integer)'), ('level', 'private'),
           ('column_names', '{orders.customer_id}'), ('target_column_names', '{customers.customer_id}'),
           ('kind', 'example'), ('protocol', 'openai'), ('base_url', 'https://example.org/v1'), ('approval', 'always')
           ) AS by_name(name, value) ON by_name.name = a.name
      LEFT JOIN (VALUES
           ('text', 'x'), ('jsonb', '{}'), ('json', '{}'), ('bigint', '1'), ('integer', '1'), ('text[]', '{x}'),
           ('uuid', '00000000-0000-0000-0000-000000000000'), ('boolean', 'true'), ('double precision', '0.5')
           ) AS by_type(type, value) ON by_type.type = a.type
     WHERE n.nspname IN ('text2sql', 'text2sql_eval') AND p.proname !~ '^_' AND p.prorettype <> 'event_trigger'::regtype
     GROUP BY p.oid, n.nspname, p.proname, p.prokind";

#[test]
fn no_function_ends_with_an_error_of_its_own_queries() {
    let database = TestDatabase::new("standby_functions");
    let mut admin = database.superuser();
    let calls: Vec<String> = admin
        .query(CALLS, &[])
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    assert!(calls.len() > 70, "{calls:#?}");
    // As on a standby, which would take longer to make.
    admin
        .batch_execute("SET default_transaction_read_only = on")
        .unwrap();
    let mut wrong = Vec::new();
    for call in calls {
        if let Err(error) = admin.simple_query(&call) {
            let error = error.as_db_error().unwrap();
            if error.message().contains("cannot execute") {
                wrong.push(format!("{call}: {}", error.message()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_standby_says_once_what_it_does_not_keep() {
    let database = TestDatabase::new("standby_told");
    let mut primary = database.superuser();
    let ask = |client: &mut Client, question: &str, conversation: &str| -> (String, String) {
        let sql = "SELECT coalesce(answer, ''), array_to_string(warnings, '; ') FROM text2sql.ask($1, $2)";
        let row = client.query_one(sql, &[&question, &conversation]).unwrap();
        (row.get(0), row.get(1))
    };
    let mut analyst = database.analyst();
    ask(&mut analyst, "How many orders are there?", "monday");
    let standby = Standby::start("told", &[]);
    let told = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&told);
    let mut client = standby.connect_listening(database.name(), ANALYST, move |message| {
        listener.lock().unwrap().push(message);
    });
    // What was begun on the primary goes on here.
    let (answer, _) = ask(&mut client, "and in March 2025?", "monday");
    assert!(answer.contains("124"), "{answer}");
    let (answer, _) = ask(&mut client, "How many customers are there?", "monday");
    assert!(answer.contains("40"), "{answer}");
    let told_once = [
        "questions are not recorded in text2sql.history on a standby",
        "conversation \"monday\" is not recorded on a standby",
    ];
    assert_eq!(*told.lock().unwrap(), told_once);
    // What was begun here does not.
    ask(&mut client, "How many orders are there?", "tuesday");
    let (answer, hint) = ask(&mut client, "and in March 2025?", "tuesday");
    assert_eq!(
        answer,
        "this goes on from an earlier question, and conversation \"tuesday\" has none"
    );
    assert!(hint.contains("begin it on the primary server"), "{hint}");
    assert_eq!(*told.lock().unwrap(), told_once);
    let is_told = "SELECT count(*) FROM text2sql.status() WHERE item = 'standby'";
    let count = |client: &mut Client| -> i64 { client.query_one(is_told, &[]).unwrap().get(0) };
    assert_eq!((count(&mut client), count(&mut primary)), (1, 0));
}
