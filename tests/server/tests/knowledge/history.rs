//! What left the server is recorded: names, columns with values, prompts by hash or word for word,
//! tokens against a budget, also when the caller rolls back the transaction.

use std::collections::{HashMap, HashSet};
use std::thread;

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::crashes::LogFromNow;
use text2sql_server_tests::{ANALYST, TestDatabase, connect, connect_listening, error_of};

fn script() -> Script {
    Script::new()
        .on("how many customers", [r#"{"status": "ok", "sql": "SELECT count(*) AS n FROM customers", "sentence": "There are {rows[0].n} customers."}"#])
        .on("broken first", [r#"{"sql": "SELECT count(*) FROM custmers"}"#, r#"{"sql": "SELECT count(*) AS n FROM customers"}"#])
        .otherwise(r#"{"status": "unanswerable", "missing": ["everything"]}"#)
}

const QUESTION: &str = "SELECT status FROM text2sql.ask('How many customers?')";

#[test]
fn the_egress_log_tells_what_left() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("egress_log");
    database.add_model("m", "openai", &double.base_url("ok"), ", egress 'values'");
    let mut analyst = database.analyst();
    analyst.query_one(QUESTION, &[]).unwrap();
    analyst
        .query_one("SELECT status FROM text2sql.ask('Broken first')", &[])
        .unwrap();
    let rows = analyst
        .query(
            "SELECT e.endpoint, e.purpose, e.tables, e.value_columns, e.result_rows, e.prompt,
                    e.characters, e.prompt_sha256, h.question
             FROM text2sql.egress_log AS e JOIN text2sql.history AS h USING (trace_id) ORDER BY egress_id",
            &[],
        )
        .unwrap();
    let purposes: Vec<&str> = rows.iter().map(|row| row.get("purpose")).collect();
    assert_eq!(purposes, ["generate", "generate", "repair"]);
    let first = &rows[0];
    assert_eq!(first.get::<_, &str>("endpoint"), "m");
    assert_eq!(
        first.get::<_, Vec<String>>("tables"),
        ["countries", "customers", "orders"],
        "no salaries: the analyst may not read them"
    );
    let value_columns: Vec<String> = first.get("value_columns");
    assert!(value_columns.contains(&"countries.name".to_owned()));
    assert!(
        !value_columns.contains(&"customers.mail".to_owned()),
        "addresses look private and never leave"
    );
    assert_eq!(first.get::<_, i64>("result_rows"), 0);
    assert_eq!(first.get::<_, Option<String>>("prompt"), None);
    assert_eq!(first.get::<_, &str>("prompt_sha256").len(), 64);
    assert_eq!(first.get::<_, &str>("question"), "How many customers?");
}

#[test]
fn prompts_are_kept_word_for_word_on_request() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("history_prompts");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    database
        .superuser()
        .batch_execute("ALTER DATABASE t2s_history_prompts SET text2sql.enable_history = 'prompts'")
        .unwrap();
    let mut analyst = database.analyst();
    analyst.query_one(QUESTION, &[]).unwrap();
    let row = analyst
        .query_one(
            "SELECT prompt, reply, encode(sha256(convert_to(prompt, 'UTF8')), 'hex') = prompt_sha256
             FROM text2sql.egress_log",
            &[],
        )
        .unwrap();
    let sent = double.requests()[0].body.clone();
    let user_turn = sent["messages"][1]["content"].as_str().unwrap();
    assert!(row.get::<_, &str>(0).ends_with(user_turn));
    assert!(row.get::<_, &str>(1).contains("SELECT count(*) AS n"));
    assert!(row.get::<_, bool>(2));
}

#[test]
fn no_row_value_is_on_record() {
    let double = ModelDouble::start(
        Script::new()
            .on("who", [r#"{"sql": "SELECT name FROM customers WHERE customer_id = 7", "sentence": "It is {rows[0].name}."}"#])
            .on("bad cast", [r#"{"sql": "SELECT name::integer AS n FROM customers WHERE customer_id = 7"}"#]),
    )
    .unwrap();
    let database = TestDatabase::new("history_values");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut analyst = database.analyst();
    let row = analyst
        .query_one("SELECT answer FROM text2sql.ask('Who is it?')", &[])
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "It is customer 7.");
    let failed = analyst
        .query_one("SELECT status, answer FROM text2sql.ask('Bad cast')", &[])
        .unwrap();
    assert_eq!(failed.get::<_, &str>(0), "failed");
    assert!(failed.get::<_, &str>(1).contains("customer 7"));
    let row = analyst
        .query_one(
            "SELECT count(*), count(*) FILTER (WHERE h::text LIKE '%customer 7%') FROM text2sql.history AS h",
            &[],
        )
        .unwrap();
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1)), (2, 0));
}

#[test]
fn tokens_count_past_a_rollback() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("token_budget");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    database
        .superuser()
        .batch_execute("SELECT text2sql.set_budget('t2s_analyst', tokens_per_day => 1)")
        .unwrap();
    let mut analyst = database.analyst();
    analyst
        .batch_execute(&format!("BEGIN; {QUESTION}; ROLLBACK"))
        .unwrap();
    let count: i64 = analyst
        .query_one("SELECT count(*) FROM text2sql.history", &[])
        .unwrap()
        .get(0);
    assert_eq!(count, 0, "the record went with the transaction");
    let refused = "SELECT status, sqlstate, answer, array_to_string(warnings, ' ') FROM text2sql.ask('How many customers?')";
    let row = analyst.query_one(refused, &[]).unwrap();
    let texts: Vec<&str> = (0..3).map(|column| row.get(column)).collect();
    let message = "the budget of role t2s_analyst is used up: 1 tokens a day";
    assert_eq!(texts, ["failed", "54000", message]);
    let rows = "SELECT * FROM text2sql.ask_rows('How many customers?') AS t(n bigint)";
    let (code, raised, _) = error_of(&mut analyst, rows);
    assert_eq!((code.as_str(), raised.as_str()), ("54000", message));
    let hint: &str = row.get(3);
    assert!(hint.contains("text2sql.set_budget('t2s_analyst', tokens_per_day"));
    assert_eq!(
        double.requests().len(),
        1,
        "nothing was sent for the second"
    );
}

#[test]
fn a_reply_with_a_nul_is_on_record() {
    let double = ModelDouble::start(Script::new().otherwise(
        r#"{"status": "ok", "sql": "SELECT 1 AS one -- a\u0000b", "sentence": "o\u0000ne", "assumptions": ["x\u0000 \\u0000"]}"#,
    ))
    .unwrap();
    let database = TestDatabase::new("history_nul");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut analyst = database.analyst();
    for conversation in [None, Some("\\u0000")] {
        let row = analyst
            .query_one(
                "SELECT a.status, count(h.*) FROM text2sql.ask('How many orders \\u0000?', conversation => $1) AS a
                 LEFT JOIN text2sql.history AS h ON false GROUP BY 1",
                &[&conversation],
            )
            .unwrap();
        assert!(!row.get::<_, String>(0).is_empty());
    }
    let kept: i64 = analyst
        .query_one(
            "SELECT count(*) FROM text2sql.history WHERE stages::text LIKE '%x %'",
            &[],
        )
        .unwrap()
        .get(0);
    assert_eq!(kept, 2);
}

#[test]
fn what_an_endpoint_counts_is_kept_within_reason() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("absurd_usage");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "SELECT text2sql.set_budget('t2s_analyst', tokens_per_day => 9223372036854775807)",
        )
        .unwrap();
    let mut analyst = database.analyst();
    let most = 200_000 + 100_000;
    let mut before = 0;
    for usage in [
        "9223372036854775807",
        "100000000000",
        "3000000000",
        "-5",
        "0",
    ] {
        database.add_model(
            "m",
            "openai",
            &double.base_url(&format!("usage-{usage}")),
            "",
        );
        let ask = "SELECT status FROM text2sql.ask('How many customers?', options => '{\"model\": \"m\"}')";
        let row = analyst.query_one(ask, &[]).unwrap();
        assert_eq!(row.get::<_, &str>(0), "ok", "{usage}");
        let counted: i64 = admin
            .query_one(
                "SELECT input_tokens + output_tokens FROM text2sql.history ORDER BY asked_at DESC LIMIT 1",
                &[],
            )
            .unwrap()
            .get(0);
        assert!((0..=most).contains(&counted), "{usage}: {counted}");
        assert_eq!(counted > 200_000, usage.len() > 2, "{usage}: {counted}");
        let used: i64 = admin
            .query_one("SELECT tokens_today FROM text2sql.budgets", &[])
            .unwrap()
            .get(0);
        // In hundreds, a part of one as a whole.
        assert_eq!(used, before + (counted + 99) / 100 * 100, "{usage}");
        before = used;
        admin.batch_execute("DROP SERVER m CASCADE").unwrap();
    }
}

#[test]
fn sessions_that_count_at_once_lose_nothing() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("count_at_once");
    // Each question is two counts of tokens and one of questions.
    database.add_model("m", "openai", &double.base_url("usage-2000"), "");
    let mut admin = database.superuser();
    admin
        .batch_execute("SELECT text2sql.set_budget('t2s_analyst', 1000, 1000000000)")
        .unwrap();
    const SESSIONS: i64 = 6;
    const EACH: i64 = 10;
    thread::scope(|scope| {
        for _ in 0..SESSIONS {
            scope.spawn(|| {
                let mut analyst = database.analyst();
                for turn in 0..EACH {
                    let end = if turn % 2 == 0 { "ROLLBACK" } else { "COMMIT" };
                    analyst
                        .batch_execute(&format!("BEGIN; {QUESTION}; {end}"))
                        .unwrap();
                }
            });
        }
    });
    let row = admin
        .query_one(
            "SELECT questions_today, tokens_today FROM text2sql.budgets",
            &[],
        )
        .unwrap();
    let asked = SESSIONS * EACH;
    assert_eq!(
        (row.get::<_, i64>(0), row.get::<_, i64>(1)),
        (asked, asked * 4_000)
    );
}

/// The pairs of each line of that kind that the server's log has about the database.
fn lines(log: &LogFromNow, kind: &str, database: &str) -> Vec<HashMap<String, String>> {
    let begin = format!("text2sql: {kind} ");
    let of_database = format!("database=\"{database}\"");
    log.text()
        .lines()
        .filter(|line| line.contains(&of_database))
        .filter_map(|line| Some(pairs(line.split_once("LOG:  ")?.1.strip_prefix(&begin)?)))
        .collect()
}

/// Reads `key=value`, where a value in double quotes is as JSON has it.
fn pairs(mut text: &str) -> HashMap<String, String> {
    let mut pairs = HashMap::new();
    while let Some((key, rest)) = text.split_once('=') {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        let (value, length) = match values.next() {
            Some(Ok(value)) if rest.starts_with('"') => (value, values.byte_offset()),
            _ => {
                let length = rest.find(' ').unwrap_or(rest.len());
                (rest[..length].to_owned(), length)
            }
        };
        assert!(pairs.insert(key.to_owned(), value).is_none(), "{key} twice");
        text = rest[length..].trim_start();
    }
    pairs
}

fn egress(admin: &mut Client) -> Vec<HashMap<String, String>> {
    let sql = "SELECT trace_id::text, endpoint, purpose, characters::text, prompt_sha256 AS sha256
        FROM text2sql.egress_log ORDER BY egress_id";
    let rows = admin.query(sql, &[]).unwrap();
    let names = ["trace_id", "endpoint", "purpose", "characters", "sha256"];
    rows.iter()
        .map(|row| {
            let pair = |name: &&str| ((*name).to_owned(), row.get::<_, String>(*name));
            names.iter().map(pair).collect()
        })
        .collect()
}

#[test]
fn the_servers_log_keeps_what_a_rollback_takes_away() {
    let log = LogFromNow::begin();
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("audit");
    database.add_model("m", "openai", &double.base_url("ok"), ", egress 'rows'");
    database.add_model("e", "embeddings", &double.base_url("ok"), "");
    database.add_model("r", "rerank", &double.base_url("ok"), "");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "SET text2sql.embedding_model = 'e';
             ALTER DATABASE t2s_audit SET text2sql.embedding_model = 'e';
             ALTER DATABASE t2s_audit SET text2sql.model = 'm';
             ALTER DATABASE t2s_audit SET text2sql.tuning = '{\"rerank_model\": \"r\", \"max_schema_chars\": 1000, \"enable_relevance_check\": true}'",
        )
        .unwrap();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    // A client that requests all messages does not see these.
    let told = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let listener = std::sync::Arc::clone(&told);
    let mut analyst = connect_listening("t2s_audit", Some(ANALYST), move |notice| {
        listener.lock().unwrap().push(notice);
    });
    analyst
        .batch_execute("SET client_min_messages = debug5")
        .unwrap();
    analyst
        .batch_execute(
            "SELECT status FROM text2sql.ask('Broken first?');
             SELECT count(*) FROM text2sql.retrieve('Which customers are there?');
             SELECT count(*) FROM text2sql.explain('SELECT count(*) FROM customers', language => 'English')",
        )
        .unwrap();
    let kept = egress(&mut admin);
    analyst
        .batch_execute("BEGIN; SELECT status FROM text2sql.ask('How many customers?'); ROLLBACK")
        .unwrap();
    assert_eq!(
        egress(&mut admin),
        kept,
        "the record went with the transaction"
    );

    let requests = lines(&log, "request", "t2s_audit");
    // Every entry of the table has its line, with the same name, purpose, size and hash.
    for entry in &kept {
        let is_same = |line: &&HashMap<String, String>| {
            entry
                .iter()
                .all(|(key, value)| line.get(key) == Some(value))
        };
        assert_eq!(
            requests.iter().filter(is_same).count(),
            1,
            "{entry:?} in {requests:#?}"
        );
    }
    let purposes: HashSet<&str> = kept.iter().map(|entry| entry["purpose"].as_str()).collect();
    for purpose in [
        "generate",
        "repair",
        "embed",
        "rerank",
        "relevance",
        "narrate",
        "advise",
    ] {
        assert!(purposes.contains(purpose), "{purpose} in {purposes:?}");
    }
    // What was rolled back is there as well, under one name, with who asked.
    let known: HashSet<&str> = kept
        .iter()
        .map(|entry| entry["trace_id"].as_str())
        .collect();
    let rolled_back: Vec<_> = requests
        .iter()
        .filter(|line| !known.contains(line["trace_id"].as_str()))
        .collect();
    let last = rolled_back.last().unwrap();
    let of_last: Vec<_> = rolled_back
        .iter()
        .filter(|line| line["trace_id"] == last["trace_id"])
        .collect();
    assert!(of_last.iter().any(|line| line["purpose"] == "generate"));
    for line in of_last {
        assert_eq!(
            (line["role"].as_str(), line["session_role"].as_str()),
            (ANALYST, ANALYST)
        );
        assert_eq!(line["host"], "127.0.0.1");
        assert_eq!(line["sha256"].len(), 64);
        assert!(line["characters"].parse::<usize>().unwrap() > 0);
        assert!(line["bytes"].parse::<usize>().unwrap() > 0);
    }
    let ends = lines(&log, "question", "t2s_audit");
    let end = ends
        .iter()
        .find(|line| line["trace_id"] == last["trace_id"])
        .unwrap();
    assert_eq!(
        (end["model"].as_str(), end["outcome"].as_str()),
        ("m", "ok")
    );
    // Nothing but names: no question, no SQL, no value.
    for line in log
        .text()
        .lines()
        .filter(|line| line.contains("text2sql: "))
    {
        for word in [
            "How many",
            "Broken first",
            "Which customers",
            "SELECT",
            "sk-test",
        ] {
            assert!(!line.contains(word), "{line}");
        }
    }
    let told = told.lock().unwrap();
    assert!(
        !told.iter().any(|notice| notice.contains("sha256")),
        "{told:?}"
    );
}

#[test]
fn no_role_forges_a_line_of_the_log() {
    let log = LogFromNow::begin();
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("forged");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let role = "t2s_forger\nLOG:  text2sql: request role=\"boss\" sha256=0";
    let quoted = format!("\"{}\"", role.replace('"', "\"\""));
    let mut admin = database.superuser();
    admin
        .batch_execute(&format!(
            "DROP ROLE IF EXISTS {quoted}; CREATE ROLE {quoted} LOGIN; GRANT {quoted} TO t2s_analyst;
             GRANT SELECT ON customers TO {quoted}; GRANT USAGE ON FOREIGN SERVER m TO {quoted}"
        ))
        .unwrap();
    admin
        .execute("SELECT text2sql.grant_access($1)", &[&role])
        .unwrap();
    let mut analyst = database.analyst();
    analyst
        .batch_execute(&format!("SET ROLE {quoted}; {QUESTION}"))
        .unwrap();
    let mut forger = connect("t2s_forged", Some(role));
    forger.batch_execute(QUESTION).unwrap();
    let found: Vec<(String, String)> = lines(&log, "request", "t2s_forged")
        .into_iter()
        .map(|line| (line["role"].clone(), line["session_role"].clone()))
        .collect();
    let expected = [
        (role.to_owned(), ANALYST.to_owned()),
        (role.to_owned(), role.to_owned()),
    ];
    assert_eq!(found, expected);
    let is_forged = |line: &&str| line.starts_with("LOG:  text2sql");
    assert_eq!(log.text().lines().find(is_forged), None);
    drop((analyst, forger));
    admin
        .batch_execute(&format!("DROP OWNED BY {quoted}; DROP ROLE {quoted}"))
        .unwrap();
}
