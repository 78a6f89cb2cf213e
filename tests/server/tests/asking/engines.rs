//! Engines in order against endpoints that fail in every way: a status where there is a status column, an error where
//! there is none, and another engine where one is named.

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::{TestDatabase, error_of};

/// A question that the built-in engine answers, and one that it declines.
const EASY: &str = "How many customers are there?";
const HARD: &str = "Which customer is the most valuable to us?";

const SQL: &str = r#"{"status": "ok", "sql": "SELECT count(*) AS n FROM customers", "sentence": "There are {rows[0].n} customers."}"#;
const DECLINED: &str = r#"{"status": "unanswerable", "missing": ["value"]}"#;
const REFUSED: &str = r#"{"status": "ok", "sql": "SELECT pg_sleep(100)"}"#;
const FAILING: &str =
    r#"{"status": "ok", "sql": "SELECT 1 / (count(*) - 40) AS n FROM customers"}"#;

fn double(reply: &str) -> ModelDouble {
    ModelDouble::start(Script::new().otherwise(reply)).expect("a double")
}

/// Status, SQLSTATE, engine and warnings of an answer.
type Outcome = (String, Option<String>, Option<String>, Vec<String>);

fn ask_with(client: &mut Client, question: &str, options: &str) -> Outcome {
    let row = client
        .query_one(
            "SELECT status, sqlstate, engine, warnings FROM text2sql.ask($1, options => $2::text::jsonb)",
            &[&question, &options],
        )
        .expect("a row, not an error");
    (row.get(0), row.get(1), row.get(2), row.get(3))
}

fn ask(client: &mut Client, question: &str) -> Outcome {
    ask_with(client, question, "{}")
}

fn show(client: &mut Client, question: &str) -> Vec<String> {
    let rows = client.query("SELECT * FROM text2sql.show($1)", &[&question]);
    rows.expect("lines").iter().map(|row| row.get(0)).collect()
}

fn set_models(client: &mut Client, list: &str) {
    client
        .batch_execute(&format!("SET text2sql.model = '{list}'"))
        .expect("a list of models");
}

fn at(client: &mut Client, sql: &str) -> String {
    client.query_one(sql, &[]).expect("a value").get(0)
}

/// Ways to fail, the script, more options of the model, and the status with its SQLSTATE.
fn failures() -> Vec<(
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
)> {
    let short = ", timeout_ms '1200'";
    vec![
        ("refused-connection", SQL, short, "failed", "08006"),
        ("hang-up", SQL, short, "failed", "08006"),
        ("cut-body", SQL, short, "failed", "08006"),
        ("html", SQL, "", "failed", "38000"),
        ("truncated-json", SQL, "", "failed", "38000"),
        ("status-401", SQL, "", "failed", "55000"),
        ("status-429", SQL, short, "failed", "08006"),
        ("status-500", SQL, short, "failed", "08006"),
        ("delay-5000", SQL, ", timeout_ms '400'", "failed", "08006"),
        ("no-sql", SQL, "", "failed", "38000"),
        ("empty-content", SQL, "", "failed", "38000"),
        ("ok", REFUSED, "", "blocked", "T2004"),
        ("ok", FAILING, "", "failed", "22012"),
    ]
}

#[test]
fn every_failure_is_a_status_or_an_error_and_hands_over() {
    let database = TestDatabase::new("engines_fail");
    for (behaviour, reply, options, status, sqlstate) in failures() {
        let double = double(reply);
        let url = match behaviour {
            "refused-connection" => "http://127.0.0.1:9/v1".to_owned(),
            behaviour => double.base_url(behaviour),
        };
        database.add_model("m", "openai", &url, options);
        let mut client = database.analyst();
        let case = format!("{behaviour} {reply}");

        // Alone: a row, lines, an error. The transaction goes on.
        client
            .batch_execute("BEGIN; CREATE TEMP TABLE kept (n integer) ON COMMIT PRESERVE ROWS")
            .unwrap();
        let (was, code, engine, _) = ask(&mut client, HARD);
        assert_eq!(
            (was.as_str(), code.as_deref()),
            (status, Some(sqlstate)),
            "{case}"
        );
        let has_sql = matches!(reply, REFUSED | FAILING);
        assert_eq!(engine.is_some(), has_sql, "{case}");
        client
            .batch_execute("INSERT INTO kept VALUES (1); COMMIT")
            .unwrap();
        assert_eq!(at(&mut client, "SELECT count(*)::text FROM kept"), "1");
        client.batch_execute("DROP TABLE kept").unwrap();
        let recorded =
            "SELECT status || ' ' || coalesce(sqlstate, '-') || ' ' || model FROM text2sql.history
             ORDER BY asked_at DESC LIMIT 1";
        let recorded = at(&mut client, recorded);
        assert!(
            recorded.starts_with(status) && recorded.ends_with(" m"),
            "{recorded}"
        );
        let lines = show(&mut client, HARD);
        assert!(
            lines[0].starts_with(&format!("status: {status}")),
            "{lines:?}"
        );
        assert!(
            !lines.iter().any(|line| line.starts_with("engine:")),
            "{lines:?}"
        );
        for function in [
            "SELECT * FROM text2sql.ask_rows($q$Q$q$) AS t(n bigint)",
            "CALL text2sql.ask_into($q$Q$q$, 'cursor:c')",
        ] {
            let sql = function.replace('Q', HARD);
            assert_eq!(error_of(&mut client, &sql).0, sqlstate, "{case}: {sql}");
        }

        // With another engine after it.
        set_models(&mut client, "m, builtin");
        let (was, code, engine, warnings) = ask(&mut client, EASY);
        assert_eq!((was.as_str(), code), ("ok", None), "{case}");
        assert_eq!(engine.as_deref(), Some("builtin"), "{case}");
        assert!(
            warnings
                .iter()
                .any(|warning| warning.starts_with("m failed")),
            "{warnings:?}"
        );
        let lines = show(&mut client, EASY);
        let line = lines
            .iter()
            .find(|line| line.starts_with("engine: builtin (m failed"));
        assert!(line.is_some(), "{lines:?}");
        let rows = client
            .query(
                "SELECT n FROM text2sql.ask_rows($1) AS t(n bigint)",
                &[&EASY],
            )
            .unwrap();
        assert_eq!(rows[0].get::<_, i64>(0), 40);
        let over = "SELECT string_agg((input->>'from') || ' > ' || (input->>'to'), ' ')
             FROM (SELECT trace_id FROM text2sql.history ORDER BY asked_at DESC LIMIT 1) AS h,
                  text2sql.trace(h.trace_id) WHERE stage = 'hand_over'";
        assert_eq!(at(&mut client, over), "m > builtin");

        // And before it: the built-in engine declines, and the reason is that of the model.
        set_models(&mut client, "builtin, m");
        let (was, code, ..) = ask(&mut client, HARD);
        assert_eq!(
            (was.as_str(), code.as_deref()),
            (status, Some(sqlstate)),
            "{case}"
        );
        let lines = show(&mut client, HARD);
        assert!(
            lines.iter().any(|line| line.contains("builtin declined")),
            "{lines:?}"
        );
        database
            .superuser()
            .batch_execute("DROP SERVER m CASCADE")
            .unwrap();
    }
}

#[test]
fn the_built_in_engine_answers_first_without_a_request_a_slot_or_a_charge() {
    let double = double(SQL);
    let database = TestDatabase::new("engines_builtin_first");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    database
        .superuser()
        .batch_execute("SELECT text2sql.set_budget('t2s_analyst', questions_per_day => 1)")
        .unwrap();
    let mut client = database.analyst();
    set_models(&mut client, "builtin, m");
    for _ in 0..3 {
        let (status, _, engine, warnings) = ask(&mut client, EASY);
        assert_eq!(
            (status.as_str(), engine.as_deref()),
            ("ok", Some("builtin"))
        );
        assert!(warnings.is_empty(), "{warnings:?}");
    }
    assert!(double.requests().is_empty());
    let (status, _, engine, warnings) = ask(&mut client, HARD);
    assert_eq!((status.as_str(), engine.as_deref()), ("ok", Some("m")));
    assert!(
        warnings.is_empty(),
        "that it declines is usual: {warnings:?}"
    );
    assert_eq!(double.requests().len(), 1);
    let models = "SELECT string_agg(model, ' ' ORDER BY asked_at) FROM text2sql.history";
    assert_eq!(at(&mut client, models), "builtin builtin builtin m");
    let listed = "SELECT DISTINCT settings->>'model' FROM text2sql.history";
    assert_eq!(at(&mut client, listed), "builtin, m");

    // The budget is used up: the model is not asked, the built-in engine is.
    let (status, code, engine, warnings) = ask(&mut client, HARD);
    assert_eq!(
        (status.as_str(), code.as_deref(), engine),
        ("failed", Some("54000"), None)
    );
    assert!(
        warnings.iter().any(|text| text.contains("set_budget")),
        "the hint: {warnings:?}"
    );
    assert_eq!(ask(&mut client, EASY).0, "ok");
    set_models(&mut client, "m, builtin");
    let (status, _, engine, warnings) = ask(&mut client, EASY);
    assert_eq!(
        (status.as_str(), engine.as_deref()),
        ("ok", Some("builtin"))
    );
    assert!(
        warnings[0].starts_with("m was not asked: the budget of role"),
        "{warnings:?}"
    );
    set_models(&mut client, "m");
    assert_eq!(ask(&mut client, EASY).1.as_deref(), Some("54000"));
    let rows = format!("SELECT * FROM text2sql.ask_rows('{EASY}') AS t(n bigint)");
    assert_eq!(error_of(&mut client, &rows).0, "54000");
    assert_eq!(double.requests().len(), 1);
    let locks = "SELECT count(*)::text FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory'";
    assert_eq!(at(&mut client, locks), "0");
}

#[test]
fn a_model_that_may_not_be_used_is_an_error_wherever_it_stands() {
    let double = double(SQL);
    let database = TestDatabase::new("engines_usage");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    database.add_model("hidden", "openai", &double.base_url("ok"), "");
    database
        .superuser()
        .batch_execute("REVOKE USAGE ON FOREIGN SERVER hidden FROM t2s_analyst")
        .unwrap();
    let mut client = database.analyst();
    for list in ["builtin, hidden", "m, hidden", "hidden, builtin", "hidden"] {
        set_models(&mut client, list);
        for function in [
            "SELECT status FROM text2sql.ask($q$Q$q$)",
            "SELECT text2sql.show($q$Q$q$)",
            "SELECT text2sql.to_sql($q$Q$q$)",
            "SELECT text2sql.preview_prompt($q$Q$q$)",
        ] {
            let (code, message, hint) = error_of(&mut client, &function.replace('Q', EASY));
            assert_eq!(
                (code.as_str(), message.as_str()),
                ("42501", "permission denied for model \"hidden\"")
            );
            assert!(
                hint.contains("GRANT USAGE ON FOREIGN SERVER hidden TO t2s_analyst"),
                "{hint}"
            );
            assert!(!hint.contains("127.0.0.1"), "{hint}");
        }
    }
    assert!(double.requests().is_empty());
    // One that does not exist, too; and what is no list is refused by SET.
    set_models(&mut client, "builtin, nobody_there");
    let (_, message, _) = error_of(
        &mut client,
        &format!("SELECT status FROM text2sql.ask('{EASY}')"),
    );
    assert_eq!(message, "model \"nobody_there\" does not exist");
    for wrong in ["", "builtin, ", "builtin, m, builtin", "\"m"] {
        let set = format!("SET text2sql.model = '{wrong}'");
        assert_eq!(error_of(&mut client, &set).0, "22023", "{wrong}");
    }
    let options =
        format!("SELECT status FROM text2sql.ask('{EASY}', options => '{{\"model\": \"m, m\"}}')");
    assert_eq!(error_of(&mut client, &options).0, "22023");
    // A role without any privilege.
    let role = database.create_role("nobody", "LOGIN");
    let mut nobody = database.connect_as(&role);
    let ask = format!("SELECT status FROM text2sql.ask('{EASY}')");
    assert_eq!(error_of(&mut nobody, &ask).0, "42501");
}

#[test]
fn a_missing_key_is_a_failure_that_hands_over() {
    let database = TestDatabase::new("engines_key");
    database
        .superuser()
        .batch_execute(
            "CREATE SERVER keyless FOREIGN DATA WRAPPER text2sql OPTIONS (protocol 'openai',
                 base_url 'https://model.example/v1', model 'x');
             GRANT USAGE ON FOREIGN SERVER keyless TO t2s_analyst",
        )
        .unwrap();
    let mut client = database.analyst();
    set_models(&mut client, "keyless");
    let (status, code, engine, warnings) = ask(&mut client, EASY);
    assert_eq!(
        (status.as_str(), code.as_deref(), engine),
        ("failed", Some("55000"), None)
    );
    assert!(
        warnings
            .iter()
            .any(|text| text.contains("CREATE USER MAPPING")),
        "{warnings:?}"
    );
    set_models(&mut client, "keyless, builtin");
    let (status, _, engine, warnings) = ask(&mut client, EASY);
    assert_eq!(
        (status.as_str(), engine.as_deref()),
        ("ok", Some("builtin"))
    );
    assert_eq!(
        warnings,
        ["keyless was not asked: no API key found for model \"keyless\""]
    );
}

#[test]
fn nothing_of_an_endpoint_that_may_see_values_reaches_one_that_may_not() {
    // The first one may see values, writes a query with one of them, and fails with it.
    let first = double(
        r#"{"status": "ok", "sql": "SELECT 1 / (count(*) - 1) AS n FROM countries WHERE name = 'Germany'"}"#,
    );
    let second = double(SQL);
    let database = TestDatabase::new("engines_egress");
    database.add_model("open", "openai", &first.base_url("ok"), ", egress 'rows'");
    database.add_model(
        "closed",
        "openai",
        &second.base_url("ok"),
        ", egress 'schema'",
    );
    let mut client = database.analyst();
    set_models(&mut client, "open, closed");
    let (status, _, engine, _) = ask(&mut client, HARD);
    assert_eq!((status.as_str(), engine.as_deref()), ("ok", Some("closed")));
    let texts = |double: &ModelDouble| {
        let bodies = double
            .requests()
            .into_iter()
            .map(|request| request.body.to_string());
        bodies.collect::<String>()
    };
    assert!(texts(&first).contains("Germany"));
    assert!(!texts(&second).contains("Germany") && !texts(&second).contains("France"));
    // The SQL that the first one wrote is judged by the second: without the value.
    let judged = double(
        r#"{"status": "ok", "sql": "SELECT count(*) AS n FROM countries WHERE name = 'Germany'"}"#,
    );
    let judge = double(r#"{"relevance": 0.9, "reason": "fits"}"#);
    database.add_model(
        "writer",
        "openai",
        &judged.base_url("ok"),
        ", egress 'values'",
    );
    database.add_model("judge", "openai", &judge.base_url("ok"), "");
    let options = r#"{"model": "writer", "judge_model": "judge", "enable_relevance_check": true}"#;
    let (status, ..) = ask_with(&mut client, HARD, options);
    assert_eq!((status.as_str(), judge.requests().len()), ("ok", 1));
    assert!(!texts(&judge).contains("Germany"), "{}", texts(&judge));
}

#[test]
fn other_calls_have_models_of_their_own_and_do_not_fail_the_question() {
    let writer = double(
        r#"{"status": "ok", "sql": "SELECT k.name, count(*) AS n FROM customers c JOIN countries k USING (country_id) GROUP BY k.name"}"#,
    );
    let judge = double(r#"{"relevance": 0.9, "reason": "fits"}"#);
    let narrator = double(r#"{"sentence": "There are 20 of Germany and 20 of France."}"#);
    let database = TestDatabase::new("engines_purposes");
    database.add_model("judge", "openai", &judge.base_url("ok"), "");
    database.add_model(
        "narrator",
        "openai",
        &narrator.base_url("ok"),
        ", egress 'rows'",
    );
    database.add_model("writer", "openai", &writer.base_url("ok"), "");
    let mut client = database.analyst();
    client
        .batch_execute(
            r#"SET text2sql.tuning = '{"judge_model": "judge", "narration_model": "narrator",
                                      "enable_relevance_check": true, "max_repairs": 0}'"#,
        )
        .unwrap();
    assert_eq!(ask(&mut client, HARD).0, "ok");
    let counts = [&writer, &judge, &narrator].map(|double| double.requests().len());
    assert_eq!(counts, [1, 1, 1]);
    let sent = "SELECT string_agg(endpoint || ' ' || purpose, ', ' ORDER BY egress_id) FROM text2sql.egress_log";
    assert_eq!(
        at(&mut client, sent),
        "writer generate, judge relevance, narrator narrate"
    );
    let settings = "SELECT (settings->>'judge_model') || ' ' || (settings->>'narration_model') FROM text2sql.history";
    assert_eq!(at(&mut client, settings), "judge narrator");
    // Without a privilege, without an endpoint, and none at all.
    database
        .superuser()
        .batch_execute(
            "REVOKE USAGE ON FOREIGN SERVER judge FROM t2s_analyst;
             ALTER SERVER narrator OPTIONS (SET base_url 'http://127.0.0.1:9/v1', ADD timeout_ms '500')",
        )
        .unwrap();
    let (status, _, engine, warnings) = ask(&mut client, HARD);
    assert_eq!((status.as_str(), engine.as_deref()), ("ok", Some("writer")));
    let denied = "judge_model was not asked: permission denied for model \"judge\"";
    assert!(
        warnings.iter().any(|warning| warning == denied),
        "{warnings:?}"
    );
    let (status, _, _, warnings) = ask_with(
        &mut client,
        HARD,
        r#"{"judge_model": "builtin", "narration_model": "builtin"}"#,
    );
    assert_eq!(status, "ok");
    assert!(
        !warnings.iter().any(|warning| warning.contains("judge")),
        "{warnings:?}"
    );
    // A call that is not made needs no model.
    client
        .batch_execute(
            r#"SET text2sql.tuning = '{"judge_model": "judge", "narration_model": "narrator", "max_repairs": 0}'"#,
        )
        .unwrap();
    let (.., warnings) = ask(&mut client, HARD);
    assert!(
        !warnings.iter().any(|warning| warning.contains("judge")),
        "{warnings:?}"
    );
}

#[test]
fn suggestions_come_from_their_own_model() {
    let opinion = r#"{"intent": "yes", "reason": "it counts customers"}"#;
    let (writer, adviser) = (double(opinion), double(opinion));
    let database = TestDatabase::new("engines_suggest");
    database.add_model("adviser", "openai", &adviser.base_url("ok"), "");
    database.add_model("writer", "openai", &writer.base_url("ok"), "");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "SELECT text2sql.add_example('How many customers?', 'SELECT count(*) FROM customers')",
        )
        .unwrap();
    let check = "SELECT intent_model FROM text2sql.examples";
    for (settings, model) in [
        ("SET text2sql.model = 'builtin, writer'", "writer"),
        (
            "SET text2sql.tuning = '{\"suggestion_model\": \"adviser\"}'",
            "adviser",
        ),
        ("SET text2sql.model = 'builtin'", "adviser"),
    ] {
        admin.batch_execute(settings).unwrap();
        admin
            .batch_execute(
                "SELECT text2sql.check_examples(ids => ARRAY[id]) FROM text2sql.examples",
            )
            .unwrap();
        assert_eq!(at(&mut admin, check), model, "{settings}");
    }
}

#[test]
fn a_cancel_hands_nothing_over() {
    let slow = double(SQL);
    let database = TestDatabase::new("engines_cancel");
    database.add_model("m", "openai", &slow.base_url("delay-5000"), "");
    let mut client = database.analyst();
    set_models(&mut client, "m, builtin");
    client
        .batch_execute("SET statement_timeout = '300ms'")
        .unwrap();
    for function in [
        "SELECT status FROM text2sql.ask($q$Q$q$)",
        "SELECT text2sql.show($q$Q$q$)",
    ] {
        assert_eq!(
            error_of(&mut client, &function.replace('Q', EASY)).0,
            "57014"
        );
    }
}

#[test]
fn what_writes_nothing_asks_in_order_too() {
    let double = double("no SQL at all");
    let database = TestDatabase::new("engines_read_only");
    database.add_model("m", "openai", &double.base_url("no-sql"), "");
    let mut client = database.analyst();
    set_models(&mut client, "m, builtin");
    client.batch_execute("BEGIN READ ONLY").unwrap();
    let (status, _, engine, warnings) = ask(&mut client, EASY);
    assert_eq!(
        (status.as_str(), engine.as_deref()),
        ("ok", Some("builtin"))
    );
    assert!(warnings[0].starts_with("m failed"), "{warnings:?}");
    set_models(&mut client, "builtin, m");
    assert_eq!(ask(&mut client, HARD).0, "failed");
    client.batch_execute("COMMIT").unwrap();
    // A budget that cannot be counted: the built-in engine costs nothing.
    database
        .superuser()
        .batch_execute("SELECT text2sql.set_budget('t2s_analyst', questions_per_day => 5)")
        .unwrap();
    client.batch_execute("BEGIN READ ONLY").unwrap();
    assert_eq!(ask(&mut client, EASY).0, "ok");
    let (status, code, ..) = ask(&mut client, HARD);
    assert_eq!(
        (status.as_str(), code.as_deref()),
        ("failed", Some("54000"))
    );
    client.batch_execute("COMMIT").unwrap();
}

#[test]
fn a_conversation_goes_on_with_another_engine() {
    let double = double(SQL);
    let database = TestDatabase::new("engines_conversation");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut client = database.analyst();
    set_models(&mut client, "builtin, m");
    let mut ask = |question: &str| {
        let row = client
            .query_one(
                "SELECT status, engine FROM text2sql.ask($1, 'talk')",
                &[&question],
            )
            .unwrap();
        (row.get::<_, String>(0), row.get::<_, Option<String>>(1))
    };
    assert_eq!(ask(EASY), ("ok".to_owned(), Some("builtin".to_owned())));
    // The built-in engine does not know how this goes on; the model reads what was asked before.
    assert_eq!(
        ask("and why is that so?"),
        ("ok".to_owned(), Some("m".to_owned()))
    );
    let body = double.requests()[0].body.to_string();
    assert!(body.contains(EASY), "{body}");
    let row = client
        .query_one("SELECT status, engine FROM text2sql.ask(NULL)", &[])
        .unwrap();
    assert_eq!(
        (row.get::<_, &str>(0), row.get::<_, Option<&str>>(1)),
        ("failed", None)
    );
}

#[test]
fn a_weaker_answer_is_said_where_there_is_no_column_for_it() {
    let double = double(DECLINED);
    let database = TestDatabase::new("engines_weaker");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut client = database.analyst();
    set_models(&mut client, "m, builtin");
    let sql = at(&mut client, &format!("SELECT text2sql.to_sql('{EASY}')"));
    assert!(sql.starts_with("-- m declined\n"), "{sql}");
    let (status, _, engine, warnings) = ask(&mut client, EASY);
    assert_eq!(
        (status.as_str(), engine.as_deref()),
        ("ok", Some("builtin"))
    );
    assert_eq!(warnings, ["m declined"]);
    assert_eq!(ask(&mut client, HARD).0, "unanswerable");
}
