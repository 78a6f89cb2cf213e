//! What of the taught knowledge reaches a prompt, and what does not: examples and definitions must be near the
//! question, and what is searched by vectors has vectors.

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::{ANALYST, TestDatabase};

const TEACH: &str = "
    SELECT text2sql.accept('example', text2sql.add_example('Orders by customer', 'SELECT customer_id, count(*) FROM orders GROUP BY 1'));
    SELECT text2sql.accept('example', text2sql.add_example('How many countries are there?', 'SELECT count(*) FROM countries'));
    SELECT text2sql.define('net sales', 'what customers paid, without returns', 'sum(total)', 'orders');
    SELECT text2sql.define('net wages', 'turnover of those who work here', 'sum(salary)', 'salaries');
";

/// A database with knowledge, and a model that gives the same answer to every question.
fn taught(name: &str, script: Script) -> (ModelDouble, TestDatabase, Client) {
    let double =
        ModelDouble::start(script.otherwise(r#"{"sql": "SELECT count(*) AS n FROM orders"}"#))
            .unwrap();
    let database = TestDatabase::new(name);
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut admin = database.superuser();
    admin.batch_execute(TEACH).unwrap();
    (double, database, admin)
}

/// Collection, unit and how many vectors there are.
fn units(admin: &mut Client) -> Vec<(String, i16, i64)> {
    let sql = "SELECT collection::text, unit, count(*) FROM text2sql._index_vectors
        WHERE collection <> 's' GROUP BY 1, 2 ORDER BY 1, 2 DESC";
    let rows = admin.query(sql, &[]).unwrap();
    rows.iter()
        .map(|row| (row.get(0), row.get(1), row.get(2)))
        .collect()
}

/// The prompt that the model reads of a question.
fn prompt(double: &ModelDouble, client: &mut Client, question: &str) -> String {
    double.reset();
    let sql = "SELECT status FROM text2sql.ask($1)";
    let status: String = client.query_one(sql, &[&question]).unwrap().get(0);
    assert_eq!(status, "ok", "{question}");
    let requests = double.requests();
    let chat = requests
        .iter()
        .find(|request| request.path.ends_with("/chat/completions"))
        .expect("the model is asked");
    serde_json::to_string(&chat.body).unwrap()
}

/// Whether the file of the embedder `multilingual` is installed.
fn knows_meaning(admin: &mut Client) -> bool {
    let sql = "SELECT value LIKE 'multilingual%' FROM text2sql.status() WHERE item = 'embedder'";
    admin
        .batch_execute("SET text2sql.embedding_model = 'auto'")
        .unwrap();
    admin.query_one(sql, &[]).unwrap().get(0)
}

fn refresh_with(admin: &mut Client, embedder: &str) {
    admin
        .batch_execute(&format!("SET text2sql.embedding_model = '{embedder}'"))
        .unwrap();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
}

#[test]
fn both_halves_of_an_example_have_vectors() {
    let (_double, _database, mut admin) = taught("related_units", Script::new());
    // The question is unit 0, the SQL's shape the other one.
    let of_examples = [("e".to_owned(), 0, 2), ("e".to_owned(), i16::MIN, 2)];
    refresh_with(&mut admin, "hash");
    // Letters say nothing of what a definition means.
    assert_eq!(units(&mut admin), of_examples);
    if knows_meaning(&mut admin) {
        refresh_with(&mut admin, "multilingual");
        let mut expected = vec![("d".to_owned(), 0, 2)];
        expected.extend(of_examples);
        assert_eq!(units(&mut admin), expected);
    }
}

#[test]
fn an_example_that_has_nothing_to_do_with_the_question_is_not_shown() {
    let (double, database, mut admin) = taught("related_examples", Script::new());
    let mut client = database.analyst();
    // Without an index, and with one.
    for _ in 0..2 {
        let sent = prompt(&double, &mut client, "How many employees live in Graz?");
        assert!(!sent.contains("Orders by customer"), "{sent}");
        let sent = prompt(&double, &mut client, "How many orders by each customer?");
        assert!(sent.contains("Orders by customer"), "{sent}");
        admin.batch_execute("CALL text2sql.refresh()").unwrap();
    }
}

#[test]
fn a_definition_that_is_nearly_written_is_shown_as_what_may_be_meant() {
    let (double, database, mut admin) = taught("related_letters", Script::new());
    let mut client = database.analyst();
    for _ in 0..2 {
        let sent = prompt(&double, &mut client, "What were the netsales in May?");
        assert!(sent.contains("may mean"), "{sent}");
        assert!(sent.contains("net sales := sum(total)"), "{sent}");
        // It is about what the analyst may not read.
        assert!(!sent.contains("net wages"), "{sent}");
        let sent = prompt(&double, &mut client, "What were the net sales in May?");
        assert!(!sent.contains("may mean"), "{sent}");
        let sent = prompt(&double, &mut client, "How many countries are there in May?");
        assert!(!sent.contains("net sales"), "{sent}");
        admin.batch_execute("CALL text2sql.refresh()").unwrap();
    }
}

#[test]
fn a_definition_is_found_by_what_it_means() {
    // The double takes a turnover for what net sales are.
    let meaning = "net sales what customers paid without returns";
    let script = Script::new().on("turnover", vec![meaning; 40]);
    let (double, database, mut admin) = taught("related_meaning", script);
    admin
        .batch_execute(&format!(
            "CREATE SERVER minilm FOREIGN DATA WRAPPER text2sql OPTIONS (protocol 'embeddings', base_url '{}',
                 model 'minilm-1', allow_private 'true', allow_http 'true', least_similarity '0.6');
             CREATE USER MAPPING FOR PUBLIC SERVER minilm OPTIONS (api_key 'sk-test');
             GRANT USAGE ON FOREIGN SERVER minilm TO {ANALYST};
             ALTER DATABASE t2s_related_meaning SET text2sql.embedding_model = 'minilm'",
            double.base_url("ok")
        ))
        .unwrap();
    database.end_pooled_sessions();
    let mut admin = database.superuser();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    let counted = units(&mut admin);
    assert!(counted.contains(&("d".to_owned(), 0, 2)), "{counted:?}");
    let mut client = database.analyst();
    // Asked of the chat model, whose script takes "turnover" for the reply: it is only the prompt that counts.
    let shown = |client: &mut Client, question: &str| {
        double.reset();
        let _ = client.query_one("SELECT status FROM text2sql.ask($1)", &[&question]);
        let requests = double.requests();
        let chat = requests
            .iter()
            .find(|request| request.path.ends_with("/chat/completions"))
            .expect("the model is asked");
        serde_json::to_string(&chat.body).unwrap()
    };
    let sent = shown(&mut client, "What was the turnover?");
    assert!(
        sent.contains("may mean") && sent.contains("net sales"),
        "{sent}"
    );
    assert!(!sent.contains("net wages"), "{sent}");
    let sent = shown(&mut client, "Which countries are there?");
    assert!(!sent.contains("net sales"), "{sent}");
    // What the server no longer accepts is not shown.
    admin
        .batch_execute("ALTER TABLE orders RENAME COLUMN total TO amount")
        .unwrap();
    let sent = shown(&mut client, "What was the turnover?");
    assert!(!sent.contains("net sales"), "{sent}");
}
