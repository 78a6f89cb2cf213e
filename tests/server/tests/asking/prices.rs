//! What questions cost: in the history, in budgets, and in evaluations, at the prices of the time.

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::{ANALYST, TestDatabase, error_of};

const ASK: &str = "SELECT status FROM text2sql.ask('How many customers?')";

fn script() -> Script {
    Script::new().otherwise(
        r#"{"status": "ok", "sql": "SELECT count(*) AS n FROM customers", "sentence": "There are {rows[0].n} customers."}"#,
    )
}

/// The cost and the currency of the latest question.
fn cost(client: &mut Client) -> (Option<String>, Option<String>) {
    let sql = "SELECT cost::text, currency FROM text2sql.history ORDER BY asked_at DESC LIMIT 1";
    let row = client.query_one(sql, &[]).unwrap();
    (row.get(0), row.get(1))
}

/// SQLSTATE and answer of a question that is refused.
fn refused(client: &mut Client) -> (String, String) {
    let sql = "SELECT status, sqlstate, answer FROM text2sql.ask('How many customers?')";
    let row = client.query_one(sql, &[]).unwrap();
    assert_eq!(row.get::<_, &str>(0), "failed");
    (row.get(1), row.get(2))
}

#[test]
fn the_cost_of_a_question_is_kept_as_it_was() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("prices");
    // 2,000 tokens in and 2,000 out.
    let url = double.base_url("usage-2000");
    database.add_model(
        "m",
        "openai",
        &url,
        ", price_input '2.5', price_output '10'",
    );
    let mut admin = database.superuser();
    let mut analyst = database.analyst();
    analyst.query_one(ASK, &[]).unwrap();
    assert_eq!(
        cost(&mut analyst),
        (Some("0.025".to_owned()), Some("USD".to_owned()))
    );
    admin
        .batch_execute(
            "ALTER SERVER m OPTIONS (SET price_input '0', SET price_output '0.5', ADD currency 'usd')",
        )
        .unwrap();
    analyst.query_one(ASK, &[]).unwrap();
    assert_eq!(cost(&mut analyst).0.as_deref(), Some("0.001"));
    let sql = "SELECT string_agg(cost::text, ' ' ORDER BY sent_at) FROM text2sql.egress_log";
    let each: String = analyst.query_one(sql, &[]).unwrap().get(0);
    assert_eq!(each, "0.025 0.001");
    let sql = "SELECT sum(cost)::text, string_agg(DISTINCT currency, ', ') FROM text2sql.history";
    let row = analyst.query_one(sql, &[]).unwrap();
    assert_eq!(row.get::<_, &str>(0), "0.026");
    assert_eq!(row.get::<_, &str>(1), "USD");
    let sql = "SELECT concat_ws(' ', price_input, price_output, currency) FROM text2sql.models";
    assert_eq!(
        analyst.query_one(sql, &[]).unwrap().get::<_, &str>(0),
        "0 0.5 USD"
    );
    // There is no cost without prices, or if nothing was sent.
    admin
        .batch_execute("ALTER SERVER m OPTIONS (DROP price_input, DROP price_output)")
        .unwrap();
    analyst.query_one(ASK, &[]).unwrap();
    assert_eq!(cost(&mut analyst), (None, None));
    let (code, message, _) = error_of(&mut admin, "ALTER SERVER m OPTIONS (ADD price_input '-1')");
    assert_eq!(code, "22023", "{message}");
}

#[test]
fn a_budget_of_cost_is_used_up_in_its_currency() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("cost_budget");
    let url = double.base_url("usage-2000");
    database.add_model(
        "m",
        "openai",
        &url,
        ", price_input '2.5', price_output '10'",
    );
    let mut admin = database.superuser();
    let mut analyst = database.analyst();
    let budget = |admin: &mut Client, arguments: &str| {
        admin
            .batch_execute(&format!(
                "SELECT text2sql.set_budget('{ANALYST}', {arguments})"
            ))
            .unwrap();
    };
    budget(&mut admin, "cost_per_day => 0.04");
    // What is rolled back counts.
    analyst
        .batch_execute(&format!("BEGIN; {ASK}; ROLLBACK"))
        .unwrap();
    let sql =
        "SELECT concat_ws(' ', cost_today, cost_per_day, currency, status) FROM text2sql.budgets";
    let seen: String = analyst.query_one(sql, &[]).unwrap().get(0);
    assert_eq!(seen, "0.025 0.04 USD available");
    // The question that uses it up is answered, the next one is not.
    analyst.query_one(ASK, &[]).unwrap();
    let (code, message) = refused(&mut analyst);
    assert_eq!(code, "54000");
    assert!(message.ends_with("is used up: 0.04 USD a day"), "{message}");
    let rows = "SELECT * FROM text2sql.ask_rows('How many customers?') AS t(n bigint)";
    let (_, _, hint) = error_of(&mut analyst, rows);
    assert!(hint.ends_with("cost_per_day => 1)"), "{hint}");
    let seen: String = analyst.query_one(sql, &[]).unwrap().get(0);
    assert_eq!(seen, "0.05 0.04 USD used up");
    let requests = double.requests().len();
    // A model in another currency cannot be counted.
    budget(&mut admin, "cost_per_day => 100, currency => 'EUR'");
    let (code, message) = refused(&mut analyst);
    assert_eq!(code, "54000");
    assert!(
        message.ends_with("is in EUR, and model \"m\" has prices in USD"),
        "{message}"
    );
    assert_eq!(double.requests().len(), requests, "nothing was sent");
    // The built-in engine costs nothing.
    let builtin = "SELECT status FROM text2sql.ask('How many orders?', options => '{\"model\": \"builtin\"}')";
    assert_eq!(
        analyst.query_one(builtin, &[]).unwrap().get::<_, &str>(0),
        "ok"
    );
}

#[test]
fn texts_that_are_embedded_cost_something_too() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("price_of_vectors");
    database.add_model(
        "v",
        "embeddings",
        &double.base_url("ok"),
        ", price_input '0.02'",
    );
    let mut admin = database.superuser();
    admin
        .batch_execute(&format!(
            "ALTER DATABASE {0} SET text2sql.model = 'builtin';
             ALTER DATABASE {0} SET text2sql.embedding_model = 'v'",
            database.name()
        ))
        .unwrap();
    database.end_pooled_sessions();
    let mut admin = database.superuser();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    let sql = "SELECT sum(cost) > 0 AND bool_and(currency = 'USD') AND sum(input_tokens) > 0
                 FROM text2sql.egress_log WHERE purpose = 'embed'";
    assert!(admin.query_one(sql, &[]).unwrap().get::<_, bool>(0));
    let sql = "SELECT h.cost = (SELECT sum(e.cost) FROM text2sql.egress_log AS e WHERE e.trace_id = h.trace_id)
                 FROM text2sql.history AS h WHERE h.function = 'refresh'";
    assert!(admin.query_one(sql, &[]).unwrap().get::<_, bool>(0));
    let mut analyst = database.analyst();
    admin
        .batch_execute(&format!(
            "SELECT text2sql.set_budget('{ANALYST}', cost_per_day => 1)"
        ))
        .unwrap();
    let search = "SELECT count(*) FROM text2sql.retrieve('people who buy')";
    analyst.query_one(search, &[]).unwrap();
    let (spent, currency) = cost(&mut analyst);
    assert!(spent.is_some() && currency.as_deref() == Some("USD"));
    let sql = "SELECT cost_today > 0 FROM text2sql.budgets";
    assert!(analyst.query_one(sql, &[]).unwrap().get::<_, bool>(0));
}

#[test]
fn an_evaluation_says_what_it_cost() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("cost_of_evaluation");
    let url = double.base_url("usage-2000");
    database.add_model(
        "m",
        "openai",
        &url,
        ", price_input '2.5', price_output '10', currency 'CHF'",
    );
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "SELECT text2sql_eval.add_suite('s');
             SELECT text2sql_eval.add_case('s', 'How many customers?', 'SELECT count(*) FROM customers');
             SELECT text2sql_eval.add_case('s', 'The number of customers', 'SELECT count(*) FROM customers')",
        )
        .unwrap();
    admin
        .batch_execute("CALL text2sql_eval.evaluate('s')")
        .unwrap();
    let sql = "SELECT concat_ws(' ', s.cost, s.currency, (SELECT string_agg(c.cost::float8::text, ' ') FROM text2sql_eval._case_results AS c))
                 FROM text2sql_eval.evaluations AS s";
    let seen: String = admin.query_one(sql, &[]).unwrap().get(0);
    assert_eq!(seen, "0.050 CHF 0.025 0.025");
    let report: String = admin
        .query_one(
            "SELECT text2sql_eval.report(max(evaluation_id)) FROM text2sql_eval.evaluations",
            &[],
        )
        .unwrap()
        .get(0);
    assert!(report.contains("0.0500 CHF"));
}
