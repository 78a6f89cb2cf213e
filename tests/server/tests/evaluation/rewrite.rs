//! What a question takes for granted is worked out in the server: the model reads it as a fact, the
//! person reads it as an assumption, the trace keeps it, and it can be switched off.

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::TestDatabase;

fn warnings(client: &mut Client, question: &str, options: &str) -> Vec<String> {
    let sql = "SELECT warnings FROM text2sql.ask($1, options => $2::text::jsonb)";
    client
        .query_one(sql, &[&question, &options])
        .unwrap()
        .get(0)
}

/// The month before this one, as the server's clock has it.
fn last_month(client: &mut Client) -> (String, String) {
    let row = client
        .query_one(
            "SELECT (date_trunc('month', current_date) - interval '1 month')::date::text,
                    date_trunc('month', current_date)::date::text",
            &[],
        )
        .unwrap();
    (row.get(0), row.get(1))
}

fn last_prompt(double: &ModelDouble) -> String {
    let body = double.requests().last().unwrap().body.clone();
    body["messages"][1]["content"].as_str().unwrap().to_owned()
}

#[test]
fn a_period_is_a_fact_for_the_model_and_an_assumption_for_the_reader() {
    let double = ModelDouble::start(
        Script::new()
            .on("forgotten", [r#"{"status": "ok", "sql": "SELECT count(*) AS n FROM orders"}"#])
            .otherwise(r#"{"status": "ok", "sql": "SELECT count(*) AS n FROM orders WHERE ordered_on >= date_trunc('month', CURRENT_DATE) - INTERVAL '1 month' AND ordered_on < date_trunc('month', CURRENT_DATE)"}"#),
    )
    .unwrap();
    let database = TestDatabase::new("rewrite_period");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut analyst = database.analyst();
    let (from, before) = last_month(&mut analyst);
    let statement = format!("'last month' is {from} up to but without {before}");
    let question = "How many orders were placed last month?";
    assert!(warnings(&mut analyst, question, "{}").contains(&statement));
    assert!(last_prompt(&double).contains(&statement));
    // The language of the question.
    let german = warnings(&mut analyst, "Wie viele orders gab es letzten Monat?", "{}");
    assert!(
        german.contains(&format!(
            "'letzten Monat' ist {from} bis ausschließlich {before}"
        )),
        "{german:?}"
    );
    // A query without the period is reported.
    let forgotten = warnings(&mut analyst, "forgotten orders last month", "{}");
    assert!(
        forgotten
            .iter()
            .any(|warning| warning.starts_with("the query has no date for 'last month'")),
        "{forgotten:?}"
    );
    // Switched off.
    assert!(
        !warnings(&mut analyst, question, r#"{"without": ["interpret"]}"#).contains(&statement)
    );
    assert!(!last_prompt(&double).contains(&statement));
    analyst
        .batch_execute(r#"SET text2sql.tuning = '{"without": ["interpret"]}'"#)
        .unwrap();
    assert!(!warnings(&mut analyst, question, "{}").contains(&statement));
    let stage: String = analyst
        .query_one(
            "SELECT (t.output -> 'facts')::text FROM text2sql.history AS h, text2sql.trace(h.trace_id) AS t
             WHERE t.stage = 'interpret' ORDER BY h.asked_at LIMIT 1",
            &[],
        )
        .unwrap()
        .get(0);
    assert!(stage.contains(&statement), "{stage}");
    // The preview is what would be sent.
    analyst.batch_execute("RESET text2sql.tuning").unwrap();
    let preview: String = analyst
        .query_one("SELECT text2sql.preview_prompt($1)", &[&question])
        .unwrap()
        .get(0);
    assert!(preview.contains(&statement));
}

#[test]
fn days_are_those_of_the_session() {
    let database = TestDatabase::new("rewrite_zone");
    let mut analyst = database.analyst();
    let mut today = |zone: &str| {
        analyst
            .batch_execute(&format!("SET timezone = '{zone}'"))
            .unwrap();
        let day: String = analyst
            .query_one("SELECT current_date::text", &[])
            .unwrap()
            .get(0);
        let said = warnings(&mut analyst, "How many orders were placed today?", "{}");
        assert!(said.contains(&format!("'today' is {day}")), "{said:?}");
        day
    };
    // Two zones 26 hours apart never share a day.
    assert_ne!(today("Etc/GMT+12"), today("Etc/GMT-14"));
}

#[test]
fn words_of_the_house_are_told() {
    let double = ModelDouble::start(
        Script::new()
            .otherwise(r#"{"status": "ok", "sql": "SELECT avg(total) AS aov FROM orders"}"#),
    )
    .unwrap();
    let database = TestDatabase::new("rewrite_words");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    database
        .superuser()
        .batch_execute(
            "SELECT text2sql.define('average order value', 'mean total of an order', 'avg(total)', 'public.orders', ARRAY['AOV']);
             SELECT text2sql.describe('public.customers', synonyms => ARRAY['accounts'])",
        )
        .unwrap();
    let mut analyst = database.analyst();
    let said = warnings(&mut analyst, "What is the AOV of our accounts?", "{}");
    assert!(
        said.contains(&"'AOV' means mean total of an order: avg(total)".to_owned()),
        "{said:?}"
    );
    assert!(
        said.contains(&"'accounts' is customers".to_owned()),
        "{said:?}"
    );
    assert!(last_prompt(&double).contains("'accounts' is customers"));
}

#[test]
fn what_is_no_question_about_data_reaches_no_model() {
    let double = ModelDouble::start(Script::new().otherwise("Roses are red.")).unwrap();
    let database = TestDatabase::new("rewrite_route");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut analyst = database.analyst();
    let mut answer = |question: &str| {
        let row = analyst
            .query_one(
                "SELECT status, answer, array_to_string(warnings, '|') FROM text2sql.ask($1)",
                &[&question],
            )
            .unwrap();
        (
            row.get::<_, String>(0),
            row.get::<_, String>(1),
            row.get::<_, String>(2),
        )
    };
    let (status, reason, hint) = answer("Write me a poem");
    assert_eq!(
        (status.as_str(), reason.as_str()),
        ("unanswerable", "this is not a question about the data")
    );
    assert!(hint.contains("there is data in"), "{hint}");
    let (status, reason, _) = answer("Delete all customers");
    assert_eq!(
        (status.as_str(), reason.as_str()),
        (
            "unanswerable",
            "this asks to change data: questions only read"
        )
    );
    assert_eq!(double.requests().len(), 0);
    // Names decide that there are two readings, without a model.
    let clarification: String = analyst
        .query_one(
            "SELECT clarification::text FROM text2sql.ask('List all names')",
            &[],
        )
        .unwrap()
        .get(0);
    assert!(
        clarification.contains("List all customer name"),
        "{clarification}"
    );
    assert_eq!(double.requests().len(), 0);
    let row = analyst
        .query("SELECT text2sql.to_sql('List all names')", &[])
        .unwrap_err();
    assert_eq!(row.as_db_error().unwrap().code().code(), "T2001");
    // If disabled, the model is called.
    let asked = analyst
        .query_one(
            r#"SELECT status FROM text2sql.ask('List all names', options => '{"without": ["route"]}')"#,
            &[],
        )
        .unwrap();
    assert_eq!(asked.get::<_, &str>(0), "failed", "a poem is no reply");
    assert!(!double.requests().is_empty());
}
