//! Questions that continue earlier ones: what a model sees of them, what the built-in engine
//! makes of them, and which roles may see, export and delete them.

use std::sync::{Arc, Mutex};

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::{ANALYST, TestDatabase, connect_listening, error_of};

const COUNT: &str = r#"{"status": "ok", "sql": "SELECT count(*) AS n FROM customers AS k JOIN countries AS c USING (country_id) WHERE c.name = 'Germany' AND k.mail <> 'mail1@example.org'"}"#;

fn double() -> ModelDouble {
    ModelDouble::start(
        Script::new()
            .on("how many customers are in germany", [COUNT])
            .on("and in France", [r#"{"status": "ok", "sql": "SELECT count(*) AS n FROM customers JOIN countries AS c USING (country_id) WHERE c.name = 'France'"}"#])
            .on("highest salary", [r#"{"status": "ok", "sql": "SELECT max(salary) AS salary FROM salaries"}"#])
            .on("What is the highest total", [r#"{"status": "ok", "sql": "SELECT max(total) AS total FROM orders"}"#])
            .on("which amount", [r#"{"status": "ambiguous", "clarification": "Which amount?", "readings": ["What is the total of the orders?", "What is the highest total of an order?"]}"#])
            .otherwise(r#"{"status": "unanswerable", "missing": ["everything"]}"#),
    )
    .unwrap()
}

/// The status, and the first value of the rows.
fn ask(client: &mut Client, question: &str, conversation: Option<&str>) -> (String, String) {
    let sql =
        "SELECT status, coalesce(result_rows::text, '') FROM text2sql.ask($1, conversation => $2)";
    let row = client.query_one(sql, &[&question, &conversation]).unwrap();
    (row.get(0), row.get(1))
}

/// The user's turn of the latest request.
fn last_prompt(double: &ModelDouble) -> String {
    let body = double.requests().last().unwrap().body.clone();
    body["messages"][1]["content"].as_str().unwrap().to_owned()
}

#[test]
fn a_model_reads_what_was_asked_before_in_the_same_conversation() {
    let double = double();
    let database = TestDatabase::new("conversation_model");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut analyst = database.analyst();
    let (status, rows) = ask(
        &mut analyst,
        "How many customers are in germany?",
        Some("a"),
    );
    assert_eq!((status.as_str(), rows.as_str()), ("ok", r#"[{"n": 13}]"#));
    assert!(!last_prompt(&double).contains("Asked before"));
    ask(&mut analyst, "and in France?", Some("a"));
    let prompt = last_prompt(&double);
    assert!(
        prompt.contains("Asked before in this conversation"),
        "{prompt}"
    );
    assert!(prompt.contains("Question: How many customers are in germany?\nSQL: SELECT count(*)"));
    assert!(prompt.contains("c.name = 'Germany'"), "the person typed it");
    assert!(
        prompt.contains("k.mail <> '…'"),
        "nobody typed that text: {prompt}"
    );
    assert!(!prompt.contains("mail1@"));
    // Neither rows nor another conversation, nor questions without one.
    assert!(!prompt.contains("13"));
    ask(&mut analyst, "and in France?", Some("b"));
    assert!(!last_prompt(&double).contains("Asked before"));
    ask(&mut analyst, "and in France?", None);
    assert!(!last_prompt(&double).contains("Asked before"));
    // Only this many turns are used.
    analyst
        .batch_execute("SET text2sql.tuning = '{\"max_conversation_turns\": 0}'")
        .unwrap();
    ask(&mut analyst, "and in France?", Some("a"));
    assert!(!last_prompt(&double).contains("Asked before"));
}

#[test]
fn a_turn_about_what_is_closed_now_is_as_if_never_asked() {
    let double = double();
    let database = TestDatabase::new("conversation_closed");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut admin = database.superuser();
    admin
        .batch_execute("GRANT SELECT ON salaries TO t2s_analyst")
        .unwrap();
    let mut analyst = database.analyst();
    assert_eq!(
        ask(&mut analyst, "What is the highest salary?", Some("a")).0,
        "ok"
    );
    ask(&mut analyst, "and in France?", Some("a"));
    assert!(last_prompt(&double).contains("highest salary"));
    admin
        .batch_execute("REVOKE SELECT ON salaries FROM t2s_analyst")
        .unwrap();
    ask(&mut analyst, "and in France?", Some("a"));
    assert!(
        !last_prompt(&double).contains("salar"),
        "no privilege, no trace of it"
    );
    admin
        .batch_execute("GRANT SELECT ON salaries TO t2s_analyst; SELECT text2sql.protect('public.salaries', 'hidden')")
        .unwrap();
    ask(&mut analyst, "and in France?", Some("a"));
    assert!(
        !last_prompt(&double).contains("salar"),
        "hidden, so it is not there"
    );
}

#[test]
fn a_reading_is_picked_by_its_number() {
    let double = double();
    let database = TestDatabase::new("conversation_pick");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut analyst = database.analyst();
    assert_eq!(
        ask(&mut analyst, "Which amount is it?", Some("a")).0,
        "ambiguous"
    );
    let (status, rows) = ask(&mut analyst, "the second one", Some("a"));
    assert_eq!(
        (status.as_str(), rows.as_str()),
        ("ok", r#"[{"total": 400.00}]"#)
    );
    assert!(last_prompt(&double).contains("What is the highest total of an order?"));
    let standalone: Option<String> = analyst
        .query_one(
            "SELECT standalone FROM text2sql.conversation_turns ORDER BY turn_id DESC LIMIT 1",
            &[],
        )
        .unwrap()
        .get(0);
    assert_eq!(
        standalone.as_deref(),
        Some("What is the highest total of an order?")
    );
}

#[test]
fn the_likeliest_reading_is_answered_on_request() {
    let double = double();
    let database = TestDatabase::new("conversation_choose");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut analyst = database.analyst();
    analyst
        .batch_execute("SET text2sql.tuning = '{\"on_ambiguity\": \"choose\"}'")
        .unwrap();
    let script_has = "What is the total of the orders?";
    let row = analyst
        .query_one("SELECT status, array_to_string(warnings, '|') FROM text2sql.ask('Which amount is it?')", &[])
        .unwrap();
    // The test double does not know the first interpretation: it only matters that it was asked.
    assert_eq!(row.get::<_, &str>(0), "unanswerable");
    assert!(last_prompt(&double).contains(script_has));
    assert!(
        row.get::<_, &str>(1)
            .contains("Which amount? Answered: What is the total of the orders?"),
        "{}",
        row.get::<_, &str>(1)
    );
    assert_eq!(double.requests().len(), 2);
}

#[test]
fn the_builtin_engine_joins_what_it_can_and_says_when_it_cannot_follow() {
    let database = TestDatabase::new("conversation_builtin");
    let mut analyst = database.analyst();
    let mut ask = |question: &str| {
        let sql = "SELECT status, coalesce(result_rows::text, answer), array_to_string(warnings, '|') FROM text2sql.ask($1, conversation => 'a')";
        let row = analyst.query_one(sql, &[&question]).unwrap();
        (
            row.get::<_, String>(0),
            row.get::<_, String>(1),
            row.get::<_, String>(2),
        )
    };
    assert_eq!(
        ask("How many customers are in Germany?").1,
        r#"[{"customers": 20}]"#
    );
    let (_, rows, warnings) = ask("and in France?");
    assert_eq!(rows, r#"[{"customers": 20}]"#);
    assert!(
        warnings.contains(
            "'and in France?' changes 'How many customers are in Germany': which rows count"
        ),
        "{warnings}"
    );
    let (status, answer, warnings) = ask("why so few?");
    assert_eq!(status, "unanswerable");
    assert_eq!(
        answer,
        "the built-in engine cannot tell how this goes on from \"How many customers are in Germany → and in France\""
    );
    assert!(warnings.contains("ask the whole question"));
    // A failed question cannot be continued; the follow-up continues the last answer.
    assert_eq!(ask("only in Germany").0, "ok");
    assert_eq!(ask("How many orders are there?").1, r#"[{"orders": 400}]"#);
    let (status, rows, _) = ask("and by month?");
    assert_eq!(status, "ok");
    assert!(rows.contains("2025-01-01"), "{rows}");
}

#[test]
fn turns_are_the_askers_own() {
    let database = TestDatabase::new("conversation_own");
    let neighbour = database.create_role("neighbour", "LOGIN");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            &format!(
                "SELECT text2sql.grant_access('{neighbour}'); GRANT SELECT ON countries, orders TO {neighbour}"
            ),
        )
        .unwrap();
    let mut analyst = database.analyst();
    analyst
        .batch_execute("SET text2sql.keep_answers = off")
        .unwrap();
    for question in ["How many orders are there?", "and by month?"] {
        ask(&mut analyst, question, Some("mine"));
    }
    let listed = analyst
        .query_one(
            "SELECT conversation, turn, (SELECT f.question FROM text2sql.conversation_turns f
                                        WHERE f.conversation = c.conversation AND f.turn = 1)
               FROM text2sql.conversation_turns c WHERE is_last",
            &[],
        )
        .unwrap();
    assert_eq!(listed.get::<_, &str>(0), "mine");
    assert_eq!(listed.get::<_, i64>(1), 2);
    assert_eq!(listed.get::<_, &str>(2), "How many orders are there?");
    let export: String = analyst
        .query_one("SELECT json_agg(t ORDER BY turn)::text FROM text2sql.conversation_turns AS t WHERE conversation = 'mine'", &[])
        .unwrap()
        .get(0);
    let mut export: serde_json::Value = serde_json::from_str(&export).unwrap();
    assert_eq!(
        export[1]["standalone"],
        "How many orders are there → and by month"
    );
    // Random ids and times may hold any digits.
    for turn in export.as_array_mut().unwrap() {
        let kept = |key: &String| !key.ends_with("_id") && !key.ends_with("_at");
        turn.as_object_mut().unwrap().retain(|key, _| kept(key));
    }
    assert!(!export.to_string().contains("400"), "no row is kept");
    // No role can write or forge turns, or read those of other roles.
    let (code, ..) = error_of(
        &mut analyst,
        "UPDATE text2sql._conversation_turns SET question = 'x'",
    );
    assert_eq!(code, "42501");
    let (code, ..) = error_of(
        &mut analyst,
        "INSERT INTO text2sql._conversation_turns (asked_by, conversation, trace_id, question, status, readings, egress)
         VALUES (current_user, 'mine', gen_random_uuid(), 'x', 'ok', '{}', 'rows')",
    );
    assert_eq!(code, "42501");
    let mut neighbour = database.connect_as(&neighbour);
    let count =
        |client: &mut Client, sql: &str| -> i64 { client.query_one(sql, &[]).unwrap().get(0) };
    let all = "SELECT count(*) FROM text2sql.conversation_turns";
    assert_eq!(count(&mut neighbour, all), 0);
    assert_eq!(
        count(
            &mut neighbour,
            "SELECT count(*) FROM text2sql.forget('conversation', 'mine')"
        ),
        0
    );
    let (status, _) = ask(&mut neighbour, "and by month?", Some("mine"));
    assert_eq!(status, "unanswerable", "the name alone opens nothing");
    assert_eq!(
        count(
            &mut analyst,
            "SELECT count(*) FROM text2sql.forget('conversation', 'mine')"
        ),
        2
    );
    assert_eq!(count(&mut analyst, all), 0);
    // The administrator's retention applies to turns too.
    ask(&mut analyst, "How many orders are there?", Some("old"));
    admin
        .batch_execute("SELECT text2sql.drop_history('0 seconds')")
        .unwrap();
    assert_eq!(count(&mut analyst, all), 0);
}

#[test]
fn a_conversation_is_bounded() {
    let database = TestDatabase::new("conversation_bounds");
    let mut analyst = database.analyst();
    let (code, message, _) = error_of(
        &mut analyst,
        "SELECT * FROM text2sql.ask('How many orders?', conversation => ' ')",
    );
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("22023", "conversation name must not be empty")
    );
    let (code, ..) = error_of(
        &mut analyst,
        "SELECT * FROM text2sql.ask('How many orders?', conversation => repeat('x', 201))",
    );
    assert_eq!(code, "22023");
    database
        .superuser()
        .batch_execute(
            "INSERT INTO text2sql._conversation_turns (asked_by, conversation, trace_id, question, status, sql, readings, egress)
             SELECT 't2s_analyst', 'long', gen_random_uuid(), 'q' || n, 'ok', 'SELECT 1', '{}', 'rows'
             FROM generate_series(1, 300) AS n",
        )
        .unwrap();
    ask(&mut analyst, "How many orders are there?", Some("long"));
    let count: i64 = analyst
        .query_one("SELECT count(*) FROM text2sql.conversation_turns", &[])
        .unwrap()
        .get(0);
    assert_eq!(count, 200);
}

#[test]
fn a_read_only_transaction_answers_without_memory_and_warns_once() {
    let _database = TestDatabase::new("conversation_read_only");
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&heard);
    let mut client =
        connect_listening("t2s_conversation_read_only", Some(ANALYST), move |notice| {
            listener.lock().unwrap().push(notice);
        });
    ask(&mut client, "How many orders are there?", Some("a"));
    client
        .batch_execute("SET default_transaction_read_only = on")
        .unwrap();
    for _ in 0..2 {
        let (status, rows) = ask(&mut client, "and by month?", Some("a"));
        assert_eq!(status, "ok");
        assert!(rows.contains("2025-02-01"), "earlier turns are still there");
    }
    let turns: i64 = client
        .query_one("SELECT count(*) FROM text2sql.conversation_turns", &[])
        .unwrap()
        .get(0);
    assert_eq!(turns, 1);
    assert_eq!(
        *heard.lock().unwrap(),
        ["conversation \"a\" is not recorded in a read-only transaction"]
    );
}

/// A kept answer is shown while its query may run over the tables that it was made of, not over others of their names.
#[test]
fn a_kept_answer_is_not_reached_by_a_table_of_the_same_name() {
    let database = TestDatabase::new("kept_relations");
    let mut admin = database.superuser();
    let alice = database.create_role("alice", "LOGIN");
    admin
        .batch_execute(&format!(
            "CREATE SCHEMA s1; CREATE TABLE s1.pay (id int PRIMARY KEY); INSERT INTO s1.pay VALUES (1);
             GRANT USAGE ON SCHEMA s1 TO {alice}; GRANT SELECT ON s1.pay TO {alice};
             CREATE SCHEMA AUTHORIZATION {alice}; SELECT text2sql.grant_access('{alice}')"
        ))
        .unwrap();
    let mut asking = database.connect_as(&alice);
    asking
        .batch_execute("SET search_path = \"$user\", s1")
        .unwrap();
    let asked = ask(&mut asking, "How many pay are there?", Some("c"));
    assert_eq!(asked.0, "ok");
    let submitted = "SELECT text2sql.submit('How many pay are there?')";
    asking.batch_execute(submitted).unwrap();
    asking.batch_execute("CALL text2sql.work()").unwrap();
    let mut kept = || {
        let sql = "SELECT (SELECT count(answer) FROM text2sql.conversation_turns),
                          (SELECT count(result_rows) FROM text2sql.answers)";
        let row = asking.query_one(sql, &[]).unwrap();
        (row.get::<_, i64>(0), row.get::<_, i64>(1))
    };
    assert_eq!(kept(), (1, 1));
    admin
        .batch_execute(&format!("REVOKE SELECT ON s1.pay FROM {alice}"))
        .unwrap();
    assert_eq!(kept(), (0, 0));
    let mut own = database.connect_as(&alice);
    own.batch_execute(&format!("CREATE TABLE {alice}.pay (id int PRIMARY KEY)"))
        .unwrap();
    assert_eq!(kept(), (0, 0));
    own.batch_execute(&format!("DROP TABLE {alice}.pay"))
        .unwrap();
    admin
        .batch_execute(&format!("GRANT SELECT ON s1.pay TO {alice}"))
        .unwrap();
    assert_eq!(kept(), (1, 1));
}

#[test]
fn an_answer_from_a_view_with_security_barrier_is_not_kept() {
    let database = TestDatabase::new("kept_barrier");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "CREATE VIEW parcels WITH (security_barrier) AS
                 SELECT order_id AS parcel_id, total FROM orders WHERE total > current_setting('shop.least')::numeric;
             GRANT SELECT ON parcels TO t2s_analyst",
        )
        .unwrap();
    let mut analyst = database.analyst();
    analyst.batch_execute("SET shop.least = '0'").unwrap();
    let mut kept = |conversation: &str| -> i64 {
        let question = "How many parcels are there?";
        assert_eq!(ask(&mut analyst, question, Some(conversation)).0, "ok");
        let kept = "SELECT count(answer) FROM text2sql.conversation_turns WHERE conversation = $1";
        analyst.query_one(kept, &[&conversation]).unwrap().get(0)
    };
    assert_eq!(
        kept("behind"),
        0,
        "its rows may be others in another session"
    );
    let opened = "ALTER VIEW parcels RESET (security_barrier)";
    admin.batch_execute(opened).unwrap();
    assert_eq!(kept("open"), 1);
}
