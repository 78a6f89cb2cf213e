//! A question through a model endpoint that behaves, and through one that misbehaves in every way
//! we could think of: real HTTP on loopback.

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::crashes::LogFromNow;
use text2sql_server_tests::processes::process_of;
use text2sql_server_tests::{ANALYST, TestDatabase, connect_listening, error_of};

fn script() -> Script {
    Script::new()
        .on("how many customers", [r#"{"status": "ok", "sql": "SELECT count(*) AS n FROM customers", "sentence": "There are {rows[0].n} customers."}"#])
        .on("broken first", [r#"{"sql": "SELECT count(*) FROM custmers"}"#, r#"{"sql": "SELECT count(*) AS n FROM customers"}"#])
        .otherwise(r#"{"status": "unanswerable", "missing": ["everything"]}"#)
}

const QUESTION: &str =
    "SELECT status, answer, result_rows::text FROM text2sql.ask('How many customers?')";

/// The same for a function without a status column.
const ROWS: &str = "SELECT n FROM text2sql.ask_rows('How many customers?') AS t(n bigint)";

/// SQLSTATE, message and hint of a question that the endpoint failed: as `ask` reports it, which is in the
/// history; where the endpoint is `quick` to fail also as `show` reports it, and as `ask_rows` raises it.
fn failure_of(client: &mut Client, is_quick: bool) -> (String, String, String) {
    let row = client
        .query_one(
            "SELECT status, sqlstate, answer, warnings, result_rows IS NULL, trace_id::text
               FROM text2sql.ask('How many customers?')",
            &[],
        )
        .unwrap();
    let (status, sqlstate, message): (String, String, String) =
        (row.get(0), row.get(1), row.get(2));
    let warnings: Vec<String> = row.get(3);
    assert_eq!((status.as_str(), row.get::<_, bool>(4)), ("failed", true));
    let noted = client
        .query_one(
            "SELECT status, sqlstate FROM text2sql.history WHERE trace_id = $1::text::uuid",
            &[&row.get::<_, String>(5)],
        )
        .unwrap();
    assert_eq!(
        (noted.get::<_, &str>(0), noted.get::<_, &str>(1)),
        ("failed", sqlstate.as_str())
    );
    let hint = warnings.last().cloned().unwrap_or_default();
    if !is_quick {
        return (sqlstate, message, hint);
    }
    let lines: Vec<String> = client
        .query("SELECT * FROM text2sql.show('How many customers?')", &[])
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    let expected = [
        format!("status: failed (SQLSTATE {sqlstate})"),
        message.clone(),
    ];
    assert!(lines.starts_with(&expected), "{lines:?}");
    assert!(lines.contains(&format!("hint: {hint}")), "{lines:?}");
    let raised = error_of(client, ROWS);
    assert_eq!(raised, (sqlstate.clone(), message.clone(), hint.clone()));
    (sqlstate, message, hint)
}

#[test]
fn both_protocols_answer_and_send_what_they_should() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("protocols");
    for (name, protocol) in [("oai", "openai"), ("ant", "anthropic")] {
        double.reset();
        database.add_model(name, protocol, &double.base_url("ok"), "");
        let row = database.analyst().query_one(QUESTION, &[]).unwrap();
        assert_eq!(row.get::<_, &str>(0), "ok", "{protocol}");
        assert_eq!(row.get::<_, &str>(1), "There are 40 customers.");
        assert_eq!(row.get::<_, &str>(2), r#"[{"n": 40}]"#);
        let requests = double.requests();
        let sent = serde_json::to_string(&requests[0].body).unwrap();
        assert!(sent.contains("double-1") && sent.contains("How many customers?"));
        assert!(
            sent.contains("orders") && !sent.contains("salaries"),
            "only what the analyst may read"
        );
        assert!(
            !sent.contains("Germany") && !sent.contains("iban"),
            "no values at egress schema, no unreadable column"
        );
    }
}

#[test]
fn each_stage_announces_itself_when_asked_to() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("progress");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let (sender, notices) = std::sync::mpsc::channel();
    let listener = move |notice| sender.send(notice).unwrap_or_default();
    let mut client = connect_listening("t2s_progress", Some(ANALYST), listener);
    client.query_one(QUESTION, &[]).unwrap();
    assert_eq!(notices.try_iter().count(), 0, "silent unless asked to");
    client
        .batch_execute("SET text2sql.enable_progress = on")
        .unwrap();
    client.query_one(QUESTION, &[]).unwrap();
    let stages: Vec<String> = notices
        .try_iter()
        .map(|notice| notice.split(" (").next().unwrap_or_default().to_owned())
        .collect();
    let expected = [
        "retrieve",
        "interpret",
        "route",
        "prompt",
        "generate",
        "execute",
        "judge",
        "answer",
    ];
    assert_eq!(stages, expected.map(|stage| format!("text2sql: {stage}")));
}

#[test]
fn values_leave_at_egress_values_but_never_private_ones() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("egress");
    database.add_model("m", "openai", &double.base_url("ok"), ", egress 'values'");
    database.analyst().query_one(QUESTION, &[]).unwrap();
    let sent = serde_json::to_string(&double.requests()[0].body).unwrap();
    assert!(sent.contains("Germany"));
    assert!(!sent.contains("example.org"));
}

#[test]
fn repairs_go_back_with_what_is_known() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("repairs");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let row = database
        .analyst()
        .query_one(
            "SELECT status, result_rows::text FROM text2sql.ask('broken first')",
            &[],
        )
        .unwrap();
    assert_eq!(
        (row.get::<_, &str>(0), row.get::<_, &str>(1)),
        ("ok", r#"[{"n": 40}]"#)
    );
    let sent = serde_json::to_string(&double.requests()[1].body).unwrap();
    assert!(
        sent.contains("42P01") && sent.contains("Names that exist: customers"),
        "{sent}"
    );
}

#[test]
fn no_row_value_leaves_in_an_error_text() {
    let leak = r#"{"sql": "SELECT to_tsquery('simple', name || ' & & ') AS q FROM countries"}"#;
    let double = ModelDouble::start(Script::new().on("leak", [leak, leak])).unwrap();
    let database = TestDatabase::new("leak");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let row = database
        .analyst()
        .query_one("SELECT status FROM text2sql.ask('leak')", &[])
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "failed");
    let sent = serde_json::to_string(&double.requests())
        .unwrap_or_else(|_| format!("{:?}", double.requests()));
    assert!(
        sent.contains("42601") && !sent.contains("Germany"),
        "{sent}"
    );
}

#[test]
fn odd_but_usable_replies_are_used() {
    let double = ModelDouble::start(script()).unwrap();
    for (i, behaviour) in [
        "fenced",
        "bare-sql",
        "no-structured",
        "status-503-then-ok",
        "close-idle",
    ]
    .iter()
    .enumerate()
    {
        let database = TestDatabase::new(&format!("usable_{i}"));
        database.add_model("m", "openai", &double.base_url(behaviour), "");
        let mut client = database.analyst();
        for _ in 0..2 {
            let row = client.query_one(QUESTION, &[]).unwrap();
            assert_eq!(row.get::<_, &str>(0), "ok", "{behaviour}");
        }
    }
}

#[test]
fn every_way_to_fail_has_its_error() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("failures");
    let mut client = database.analyst();
    let cases = [
        (
            "status-401",
            "55000",
            "the endpoint of server \"m\" refused the key (401)",
        ),
        (
            "model-not-found",
            "55000",
            "the endpoint of server \"m\" has no model \"double-1\", or its base_url is wrong (404)",
        ),
        (
            "status-500",
            "08006",
            "the endpoint of server \"m\" answered 500 (server error) 3 times",
        ),
        (
            "status-429",
            "08006",
            "the endpoint of server \"m\" answered 429 (too many requests) 3 times",
        ),
        (
            "truncated-json",
            "38000",
            "the reply of server \"m\" is not JSON",
        ),
        (
            "malformed-json",
            "38000",
            "the reply of server \"m\" is not JSON",
        ),
        ("html", "38000", "the reply of server \"m\" is not JSON"),
        ("empty-body", "38000", "the reply of server \"m\" is empty"),
        (
            "empty-content",
            "38000",
            "the reply of server \"m\" contains no text",
        ),
        (
            "refusal",
            "38000",
            "the model of server \"m\" refused to answer",
        ),
        (
            "no-sql",
            "38000",
            "the reply of server \"m\" contains no SQL",
        ),
        (
            "length",
            "38000",
            "the reply of server \"m\" was cut off at the limit on output tokens",
        ),
        (
            "redirect",
            "22023",
            "the endpoint of server \"m\" redirects (302), which is not followed",
        ),
        (
            "big",
            "38000",
            "the reply of server \"m\" is larger than 8388608 bytes",
        ),
        ("reset", "08006", "the reply of server \"m\" broke off"),
        (
            "drip",
            "08006",
            "no complete reply from server \"m\" within 1500 ms",
        ),
    ];
    for (behaviour, sqlstate, message) in cases {
        // Retries with their pauses need a longer deadline than a reply that never ends.
        let is_retried = ["status-500", "status-429"].contains(&behaviour);
        let timeout = if is_retried { 60_000 } else { 1_500 };
        database.add_model(
            "m",
            "openai",
            &double.base_url(behaviour),
            &format!(", timeout_ms '{timeout}'"),
        );
        client.batch_execute("SET text2sql.model = 'm'").unwrap();
        let (code, text, hint) = failure_of(&mut client, !is_retried);
        assert_eq!(
            (code.as_str(), text.as_str()),
            (sqlstate, message),
            "{behaviour}"
        );
        assert!(!hint.is_empty() && !hint.contains("sk-test"), "{behaviour}");
        database
            .superuser()
            .batch_execute("DROP SERVER m CASCADE")
            .unwrap();
        // The session goes on.
        assert_eq!(
            client.query_one("SELECT 1", &[]).unwrap().get::<_, i32>(0),
            1
        );
    }
}

#[test]
fn hosts_that_are_not_there_are_named_as_such() {
    let double = ModelDouble::start_tls(script()).unwrap();
    let database = TestDatabase::new("hosts");
    let mut client = database.analyst();
    let tls = double.base_url("ok");
    let cases = [
        (
            "http://127.0.0.1:9/v1",
            "08006",
            "the endpoint of server \"m\" cannot be reached",
        ),
        (
            "http://no-such-host.invalid/v1",
            "08006",
            "the host name of server \"m\" does not resolve",
        ),
        (
            tls.as_str(),
            "08006",
            "no secure connection to the endpoint of server \"m\"",
        ),
    ];
    for (url, sqlstate, message) in cases {
        database.add_model("m", "openai", url, ", timeout_ms '2000'");
        client.batch_execute("SET text2sql.model = 'm'").unwrap();
        let (code, text, _) = failure_of(&mut client, true);
        assert_eq!((code.as_str(), text.as_str()), (sqlstate, message), "{url}");
        database
            .superuser()
            .batch_execute("DROP SERVER m CASCADE")
            .unwrap();
    }
}

#[test]
fn a_private_certificate_authority_is_trusted_when_named() {
    let double = ModelDouble::start_tls(script()).unwrap();
    let database = TestDatabase::new("ca");
    let pem = double.ca_pem().unwrap();
    // Through the server, because its user reads the file.
    database
        .superuser()
        .batch_execute(&format!(
            "COPY (SELECT unnest(string_to_array('{pem}', E'\\n'))) TO PROGRAM 'cat > test_ca.pem'"
        ))
        .unwrap();
    database.add_model(
        "m",
        "openai",
        &double.base_url("ok"),
        ", ca_file 'test_ca.pem'",
    );
    let row = database.analyst().query_one(QUESTION, &[]).unwrap();
    assert_eq!(row.get::<_, &str>(0), "ok");
}

#[test]
fn a_key_file_is_read_only_when_it_is_private() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("key_file");
    let mut admin = database.superuser();
    let write = "COPY (SELECT 'sk-from-file') TO PROGRAM 'cat > test.key && chmod";
    admin
        .batch_execute(&format!("{write} 644 test.key'"))
        .unwrap();
    database.add_model(
        "m",
        "openai",
        &double.base_url("ok"),
        ", api_key_file 'test.key'",
    );
    admin
        .batch_execute("DROP USER MAPPING FOR PUBLIC SERVER m")
        .unwrap();
    let mut client = database.analyst();
    let refused = "the key file \"test.key\" may be read or written by others";
    let row = client.query_one(QUESTION, &[]).unwrap();
    assert_eq!(
        (row.get::<_, &str>(0), row.get::<_, &str>(1)),
        ("failed", refused)
    );
    let (code, text, _) = error_of(&mut client, ROWS);
    assert_eq!((code.as_str(), text.as_str()), ("55000", refused));
    admin
        .batch_execute(&format!("{write} 600 test.key'"))
        .unwrap();
    client.query_one(QUESTION, &[]).unwrap();
    let requests = double.requests();
    let header = requests[0]
        .headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("authorization"));
    assert_eq!(header.unwrap().1, "Bearer sk-from-file");
}

#[test]
fn status_says_whether_the_endpoint_is_there() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("status");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut client = database.analyst();
    let ready = "SELECT value FROM text2sql.status() WHERE item = 'ready'";
    assert_eq!(
        client.query_one(ready, &[]).unwrap().get::<_, &str>(0),
        "yes"
    );
    drop(double);
    // The first may go over a connection that is being closed: its reply breaks off.
    client.query_one(ready, &[]).unwrap();
    let value: String = client.query_one(ready, &[]).unwrap().get(0);
    assert_eq!(value, "no: the endpoint of server \"m\" cannot be reached");
    let shown = client
        .query("SELECT * FROM text2sql.status()", &[])
        .unwrap();
    let text: String = shown.iter().map(|row| row.get::<_, String>(1)).collect();
    assert!(!text.contains("sk-test"));
}

#[test]
fn the_log_tells_what_left_and_neither_key_nor_question() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("log");
    for (name, behaviour) in [("good", "ok"), ("bad", "status-401")] {
        database.add_model(name, "openai", &double.base_url(behaviour), "");
        let log = LogFromNow::begin();
        let (sender, notices) = std::sync::mpsc::channel();
        let listener = move |notice| sender.send(notice).unwrap_or_default();
        let mut client = connect_listening("t2s_log", Some(ANALYST), listener);
        client
            .batch_execute("SET client_min_messages = log")
            .unwrap();
        let process = process_of(&mut client);
        let outcome = client.query_one(QUESTION, &[]).unwrap();
        assert_eq!(
            notices.try_iter().next(),
            None,
            "the client reads none of it"
        );
        let text = log.text();
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| line.contains("LOG:  text2sql: ") && line.contains("\"t2s_log\""))
            .collect();
        assert!(
            lines[0].contains(&format!(
                "purpose=generate endpoint=\"{name}\" host=\"127.0.0.1\""
            )),
            "{lines:?}"
        );
        let last = lines.last().unwrap();
        assert!(last.contains(&format!("model=\"{name}\"")), "{lines:?}");
        let how = match outcome.get(0) {
            "ok" => "outcome=\"ok\" calls=1 ",
            _ => "refused the key (401)",
        };
        assert!(last.contains(how), "{lines:?}");
        let everything = format!("{lines:?} {outcome:?}");
        assert!(!everything.contains("4711"), "the key");
        assert!(!lines.concat().contains("How many"), "the question");
        // Only this session: sessions of other tests show how they made their models.
        let shown = "SELECT query FROM pg_stat_activity WHERE pid = $1";
        let shown = database.superuser().query_one(shown, &[&process]).unwrap();
        assert_eq!(shown.get::<_, &str>(0), QUESTION);
    }
}

#[test]
fn a_prompt_can_be_seen_before_there_is_a_key() {
    let database = TestDatabase::new("preview");
    let mut admin = database.superuser();
    admin
        .batch_execute(&format!(
            "CREATE SERVER far FOREIGN DATA WRAPPER text2sql OPTIONS (protocol 'openai',
                 base_url 'https://host.example/v1', model 'm');
             GRANT USAGE ON FOREIGN SERVER far TO {ANALYST}"
        ))
        .unwrap();
    let mut client = database.analyst();
    client.batch_execute("SET text2sql.model = 'far'").unwrap();
    let prompt = "SELECT text2sql.preview_prompt('How many customers?')";
    let prompt: String = client.query_one(prompt, &[]).unwrap().get(0);
    assert!(prompt.contains("customers (") && !prompt.contains("Germany"));
    let no_key = "no API key found for model \"far\"";
    let asked = "SELECT status, sqlstate, answer FROM text2sql.ask('How many customers?')";
    let row = client.query_one(asked, &[]).unwrap();
    let texts: Vec<&str> = (0..3).map(|column| row.get(column)).collect();
    assert_eq!(texts, ["failed", "55000", no_key]);
    let (code, message, _) = error_of(&mut client, "SELECT text2sql.to_sql('How many customers?')");
    assert_eq!((code.as_str(), message.as_str()), ("55000", no_key));
}
