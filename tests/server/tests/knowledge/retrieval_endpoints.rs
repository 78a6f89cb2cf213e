//! Endpoints that embed and re-rank: what they are sent, what they change, and what happens without
//! them.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use model_double::{ModelDouble, RecordedRequest, Script};
use pgvector::Vector;
use postgres::Client;
use text2sql_server_tests::waiting::wait_for_model;
use text2sql_server_tests::{ANALYST, TestDatabase, connect_listening, error_of};

/// The double knows that clients are customers.
fn script() -> Script {
    Script::new()
        .on("clientele", ["customers"])
        .otherwise(r#"{"sql": "SELECT count(*) AS n FROM customers"}"#)
}

/// Makes a server of that name and protocol, which the analyst may use.
fn add_server(database: &TestDatabase, name: &str, protocol: &str, url: &str, more: &str) {
    database
        .superuser()
        .batch_execute(&format!(
            "CREATE SERVER {name} FOREIGN DATA WRAPPER text2sql OPTIONS (protocol '{protocol}',
                 base_url '{url}', model '{name}-1', allow_private 'true', allow_http 'true' {more});
             GRANT USAGE ON FOREIGN SERVER {name} TO {ANALYST}"
        ))
        .unwrap();
}

fn set(database: &str, setting: &str, client: &mut Client) {
    client
        .batch_execute(&format!(
            "ALTER DATABASE t2s_{database} SET text2sql.{setting}; SET text2sql.{setting}"
        ))
        .unwrap();
}

fn tables(client: &mut Client, question: &str) -> Vec<String> {
    let sql = "SELECT object FROM text2sql.retrieve($1) WHERE kind NOT IN ('value', 'certainty') ORDER BY rank";
    let rows = client.query(sql, &[&question]).unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

fn legs(client: &mut Client, question: &str) -> Vec<String> {
    let sql = "SELECT DISTINCT jsonb_object_keys(legs) FROM text2sql.retrieve($1) ORDER BY 1";
    let rows = client.query(sql, &[&question]).unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

fn refresh(client: &mut Client) {
    client.batch_execute("CALL text2sql.refresh()").unwrap();
}

fn status(client: &mut Client, item: &str) -> String {
    let sql = "SELECT value || coalesce(': ' || note, '') FROM text2sql.status() WHERE item = $1";
    client.query_one(sql, &[&item]).unwrap().get(0)
}

fn warnings(client: &mut Client, question: &str) -> Vec<String> {
    let sql = "SELECT status, warnings FROM text2sql.ask($1)";
    let row = client.query_one(sql, &[&question]).unwrap();
    assert_eq!(row.get::<_, String>(0), "ok");
    row.get(1)
}

/// A database with a server of embeddings, `minilm`.
fn with_embeddings(name: &'static str) -> (ModelDouble, TestDatabase, Client) {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new(name);
    let url = double.base_url("ok");
    add_server(&database, "minilm", "embeddings", &url, "");
    let admin = database.superuser();
    (double, database, admin)
}

/// The texts of requests to a path.
fn sent(requests: &[RecordedRequest], path: &str, member: &str) -> Vec<Vec<String>> {
    let requests = requests.iter().filter(|one| one.path.ends_with(path));
    let texts = requests.map(|one| {
        let texts = one.body.get(member).cloned().unwrap_or_default();
        serde_json::from_value(texts).unwrap()
    });
    texts.collect()
}

/// The vectors of the search index.
fn stored_vectors(admin: &mut Client) -> Vec<Vector> {
    let sql = "SELECT embedding::vector FROM text2sql._index_vectors";
    let rows = admin.query(sql, &[]).unwrap();
    assert!(!rows.is_empty());
    rows.iter().map(|row| row.get(0)).collect()
}

#[test]
fn an_endpoint_embeds_tables_in_batches_and_each_question_once() {
    let (double, database, mut admin) = with_embeddings("embeddings");
    admin
        .batch_execute(
            "DO $$ BEGIN EXECUTE (SELECT format('CREATE TABLE wide (%s)', string_agg('w' || n || ' integer', ', ')) FROM generate_series(1, 40) AS n); END $$;
             CREATE TABLE sealed (secret_name text); INSERT INTO sealed VALUES ('Rumpelstilzchen');
             SELECT text2sql.protect('table sealed', 'hidden'); SELECT text2sql.protect('customers.iban', 'hidden')",
        )
        .unwrap();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    set("embeddings", "embedding_model = 'minilm'", &mut admin);
    let mut analyst = database.analyst();
    // Until a refresh, vectors of two models would be compared; that is reported and not done.
    let told = warnings(&mut analyst, "how many customers are there");
    assert!(
        told.is_empty(),
        "the schema fits and needs no search: {told:?}"
    );
    assert!(status(&mut admin, "vectors").contains("cannot be compared"));
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    let line = status(&mut admin, "vectors");
    assert_eq!(
        line,
        "embeddings:minilm-1, 16 dimensions, exact search: there are few"
    );
    for vector in stored_vectors(&mut admin) {
        let length: f32 = vector.as_slice().iter().map(|x| x * x).sum();
        assert_eq!(vector.as_slice().len(), 16);
        assert!((length.sqrt() - 1.0).abs() < 1e-3, "scaled to length 1");
    }
    let batches = sent(&double.requests(), "/embeddings", "input");
    assert!(batches.iter().all(|batch| batch.len() <= 32));
    assert!(batches.iter().any(|batch| batch.len() == 32), "{batches:?}");
    let all = batches.concat().join("\n");
    assert!(all.contains("table customers") && all.contains("mail of customers"));
    for hidden in ["sealed", "secret", "iban", "Germany", "987654"] {
        assert!(!all.contains(hidden), "{hidden} was sent");
    }
    // No word of the question is in the database.
    double.reset();
    assert_eq!(tables(&mut analyst, "our clientele")[0], "customers");
    assert!(legs(&mut analyst, "our clientele").contains(&"vectors".to_owned()));
    assert_eq!(
        sent(&double.requests(), "/embeddings", "input"),
        [
            ["clientele", "our clientele"],
            ["clientele", "our clientele"]
        ]
    );
    // What is protected from now on is embedded anew, without it.
    double.reset();
    admin
        .batch_execute("SELECT text2sql.protect('customers.mail', 'hidden')")
        .unwrap();
    refresh(&mut admin);
    let batches = sent(&double.requests(), "/embeddings", "input").concat();
    assert!(
        batches
            .iter()
            .any(|text| text.starts_with("table customers"))
    );
    assert!(
        !batches.iter().any(|text| text.contains("mail")),
        "{batches:?}"
    );
    // What left is on record.
    let row = admin
        .query_one(
            "SELECT count(DISTINCT trace_id), count(*) FILTER (WHERE 'public.customers' = ANY (tables)), min(endpoint)
             FROM text2sql.egress_log JOIN text2sql.history USING (trace_id) WHERE function = 'refresh' AND purpose = 'embed'",
            &[],
        )
        .unwrap();
    assert_eq!(row.get::<_, i64>(0), 2);
    assert_eq!(row.get::<_, i64>(1), 2);
    assert_eq!(row.get::<_, String>(2), "minilm");
}

#[test]
fn another_model_or_length_is_never_mixed_in() {
    let (_double, _database, mut admin) = with_embeddings("dimensions");
    set("dimensions", "embedding_model = 'minilm'", &mut admin);
    set(
        "dimensions",
        r#"tuning = '{"max_schema_chars": 1000}'"#,
        &mut admin,
    );
    admin
        .batch_execute(
            "DO $$ BEGIN FOR n IN 1..520 LOOP
                 EXECUTE format('CREATE TABLE part_%s (field_%s_3 text)', n, n);
                 EXECUTE format('GRANT SELECT ON part_%s TO t2s_analyst', n);
             END LOOP; END $$",
        )
        .unwrap();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    assert_eq!(
        status(&mut admin, "vectors"),
        "embeddings:minilm-1, 16 dimensions, HNSW"
    );
    let notices = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&notices);
    let mut listener = connect_listening("t2s_dimensions", None, move |notice| {
        kept.lock().unwrap().push(notice);
    });
    let heard = move || std::mem::take(&mut *notices.lock().unwrap()).join("\n");
    // The model now returns longer vectors under the same name.
    admin
        .batch_execute("ALTER SERVER minilm OPTIONS (ADD extra_body '{\"dimensions\": 2500}')")
        .unwrap();
    assert!(!tables(&mut listener, "field 7 3 of clientele").is_empty());
    let told = heard();
    assert!(
        told.contains("gives 2500 dimensions and the search index has 16; CALL text2sql.refresh()"),
        "{told}"
    );
    listener.batch_execute("CALL text2sql.refresh()").unwrap();
    let told = heard();
    assert!(
        told.contains("with 16 dimensions to \"embeddings:minilm-1\" with 2500"),
        "{told}"
    );
    let line = status(&mut admin, "vectors");
    assert!(line.ends_with("2500 dimensions, HNSW"), "{line}");
    // An approximate index finds what its graph leads to, and the graph is random: that it answers at all is
    // certain. What its vectors say is asked without it.
    assert!(!tables(&mut listener, "clientele").is_empty());
    admin
        .batch_execute("DROP INDEX text2sql._index_vectors_s_hnsw")
        .unwrap();
    heard();
    let found = tables(&mut listener, "clientele");
    assert_eq!(found.first().map(String::as_str), Some("customers"));
    assert_eq!(heard(), "");
    // Longer than any index of pgvector takes.
    admin
        .batch_execute("ALTER SERVER minilm OPTIONS (SET extra_body '{\"dimensions\": 4001}')")
        .unwrap();
    refresh(&mut admin);
    let line = status(&mut admin, "vectors");
    assert!(
        line.contains("4001 dimensions, exact search: pgvector indexes at most 4000"),
        "{line}"
    );
    assert_eq!(tables(&mut listener, "clientele")[0], "customers");
    // Another model.
    admin
        .batch_execute("ALTER SERVER minilm OPTIONS (SET model 'other')")
        .unwrap();
    heard();
    tables(&mut listener, "clientele");
    let told = heard();
    assert!(
        told.contains("those of the search index are of \"embeddings:minilm-1\""),
        "{told}"
    );
}

#[test]
fn a_question_goes_on_without_endpoints_that_fail() {
    let (double, database, mut admin) = with_embeddings("retrieval_fails");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    add_server(&database, "judge", "rerank", &double.base_url("ok"), "");
    set("retrieval_fails", "embedding_model = 'minilm'", &mut admin);
    set(
        "retrieval_fails",
        r#"tuning = '{"rerank_model": "judge", "max_schema_chars": 1000}'"#,
        &mut admin,
    );
    // Little fits into a prompt of a thousand characters.
    admin
        .batch_execute("ALTER TABLE customers ADD COLUMN a_column_with_a_long_name_that_fills_the_prompt_of_the_question text;
             ALTER TABLE customers ADD COLUMN another_column_with_a_long_name_that_fills_the_prompt text;
             ALTER TABLE countries ADD COLUMN a_column_with_a_long_name_that_fills_the_prompt_of_it text;
             ALTER TABLE orders ADD COLUMN a_column_with_a_long_name_that_fills_the_prompt_of_it text;
             COMMENT ON TABLE customers IS 'people and companies who bought at least once, and those who asked for a catalogue and have not bought yet, with the country that they live in and where they can be reached';
             COMMENT ON TABLE orders IS 'what customers bought, with the day of the order and what it comes to, taxes and all else included; one row for each time that somebody bought something of what there is, and none for what was sent back, which is kept by another department and in another place and of which nothing is known here; this comment is as long as it is because it fills the prompt';
             GRANT SELECT ON ALL TABLES IN SCHEMA public TO t2s_analyst")
        .unwrap();
    refresh(&mut admin);
    let mut analyst = database.analyst();
    assert!(warnings(&mut analyst, "How many customers?").is_empty());
    let paths: Vec<String> = double
        .requests()
        .iter()
        .map(|one| one.path.clone())
        .collect();
    assert!(
        paths.iter().any(|path| path.ends_with("/rerank")),
        "{paths:?}"
    );
    let ok = double.base_url("ok");
    for (server, broken, said) in [
        (
            "judge",
            double.base_url("status-503"),
            "without rerank_model: ",
        ),
        (
            "judge",
            double.base_url("malformed-json"),
            "without rerank_model: ",
        ),
        (
            "judge",
            double.base_url("hang-up"),
            "without rerank_model: ",
        ),
        ("minilm", double.base_url("status-503"), "without vectors: "),
        (
            "minilm",
            double.base_url("truncated-json"),
            "without vectors: ",
        ),
    ] {
        let alter = |url: &str| format!("ALTER SERVER {server} OPTIONS (SET base_url '{url}')");
        admin.batch_execute(&alter(&broken)).unwrap();
        let told = warnings(&mut analyst, "How many customers?").join("; ");
        assert!(
            told.contains(said) && told.contains(&format!("\"{server}\"")),
            "{broken}: {told}"
        );
        admin.batch_execute(&alter(&ok)).unwrap();
    }
    assert!(warnings(&mut analyst, "How many customers?").is_empty());
    // A role that may not use an endpoint gets answers without it.
    admin
        .batch_execute("REVOKE USAGE ON FOREIGN SERVER judge FROM t2s_analyst; REVOKE USAGE ON FOREIGN SERVER minilm FROM t2s_analyst")
        .unwrap();
    let told = warnings(&mut analyst, "How many customers?").join("; ");
    assert!(
        told.contains("permission denied for model \"judge\""),
        "{told}"
    );
    assert!(
        told.contains("permission denied for model \"minilm\""),
        "{told}"
    );
    // What is to build the index must work.
    admin
        .batch_execute("SET text2sql.embedding_model = 'judge'")
        .unwrap();
    let (code, message, _) = error_of(&mut admin, "CALL text2sql.refresh()");
    assert_eq!(code, "22023", "{message}");
    assert!(message.contains("does not embed texts"), "{message}");
}

#[test]
fn a_reranker_has_the_last_word_and_sees_names_and_comments_alone() {
    let double = ModelDouble::start(Script::new().on("who spends", ["salaries"])).unwrap();
    let database = TestDatabase::new("rerank");
    let mut admin = database.superuser();
    add_server(
        &database,
        "judge",
        "rerank",
        &double.base_url("ok"),
        ", egress 'rows'",
    );
    admin
        .batch_execute(
            "COMMENT ON TABLE orders IS 'what customers spend'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO t2s_analyst;
             SELECT text2sql.describe('orders.total', meanings => '{\"1\": \"a meaning of a value\"}');
             SELECT text2sql.protect('customers.iban', 'hidden'); ANALYZE",
        )
        .unwrap();
    // Words alone, which name `customers` first.
    set("rerank", "embedding_model = 'hash'", &mut admin);
    refresh(&mut admin);
    let question = "who spends what, customers or countries or salaries?";
    let mut analyst = database.analyst();
    assert_ne!(tables(&mut analyst, question)[0], "salaries");
    set(
        "rerank",
        r#"tuning = '{"rerank_model": "judge"}'"#,
        &mut admin,
    );
    let mut analyst = database.analyst();
    assert_eq!(tables(&mut analyst, question)[0], "salaries");
    assert!(legs(&mut analyst, question).contains(&"reranker".to_owned()));
    let request = double.requests().pop().unwrap();
    assert_eq!(request.body["query"], question);
    let documents = sent(&[request], "/rerank", "documents").concat().join("\n");
    assert!(
        documents.contains("table orders (what customers spend)"),
        "{documents}"
    );
    for value in [
        "Germany",
        "customer 1",
        "iban",
        "meaning of a value",
        "987654",
    ] {
        assert!(!documents.contains(value), "{value} was sent");
    }
    let row = analyst
        .query_one(
            "SELECT e.endpoint, e.tables::text, e.value_columns = '{}' FROM text2sql.egress_log e JOIN text2sql.history USING (trace_id)
             WHERE purpose = 'rerank' AND function = 'retrieve' ORDER BY egress_id LIMIT 1",
            &[],
        )
        .unwrap();
    assert_eq!(row.get::<_, String>(0), "judge");
    assert!(row.get::<_, String>(1).contains("salaries"));
    assert!(row.get::<_, bool>(2));
    // A preview sends nothing.
    double.reset();
    analyst
        .query("SELECT text2sql.preview_prompt($1)", &[&question])
        .unwrap();
    assert!(double.requests().is_empty());
    assert!(status(&mut analyst, "re-ranker").starts_with("judge"));
}

#[test]
fn waiting_for_them_holds_no_lock_and_ends_with_a_cancel() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("retrieval_waits");
    let mut admin = database.superuser();
    for (server, protocol, setting) in [
        ("judge", "rerank", r#"tuning = '{"rerank_model": "judge"}'"#),
        ("minilm", "embeddings", "embedding_model = 'minilm'"),
    ] {
        add_server(&database, server, protocol, &double.base_url("ok"), "");
        set("retrieval_waits", setting, &mut admin);
        admin.batch_execute("CALL text2sql.refresh()").unwrap();
        admin
            .batch_execute(&format!(
                "ALTER SERVER {server} OPTIONS (SET base_url '{}')",
                double.base_url("delay-20000")
            ))
            .unwrap();
        let mut client = database.analyst();
        let token = client.cancel_token();
        let pid: i32 = client
            .query_one("SELECT pg_backend_pid()", &[])
            .unwrap()
            .get(0);
        let waiter = thread::spawn(move || {
            error_of(
                &mut client,
                "SELECT text2sql.retrieve('customers and their orders')",
            )
            .0
        });
        wait_for_model(&mut admin, pid);
        let held: Vec<String> = admin
            .query("SELECT relation::regclass::text FROM pg_locks WHERE pid = $1 AND locktype = 'relation'", &[&pid])
            .unwrap()
            .iter()
            .map(|row| row.get(0))
            .collect();
        assert_eq!(held, Vec::<String>::new(), "{server}");
        admin
            .batch_execute(
                "SET lock_timeout = '10s'; ALTER TABLE orders ADD COLUMN IF NOT EXISTS note text",
            )
            .unwrap();
        let asked = Instant::now();
        token.cancel_query(postgres::NoTls).unwrap();
        assert_eq!(waiter.join().unwrap(), "57014");
        // The endpoint takes 20 seconds.
        assert!(asked.elapsed() < Duration::from_secs(10), "{server}");
        admin
            .batch_execute(&format!(
                "ALTER SERVER {server} OPTIONS (SET base_url '{}')",
                double.base_url("ok")
            ))
            .unwrap();
    }
}
