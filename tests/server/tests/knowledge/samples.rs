//! Samples by consent reach a model that is shown no values otherwise, and the records say so.

use model_double::{ModelDouble, Script};
use text2sql_server_tests::{TestDatabase, error_of};

#[test]
fn samples_are_sent_at_egress_schema_and_recorded() {
    let double = ModelDouble::start(Script::new().otherwise(
        r#"{"status": "ok", "sql": "SELECT count(*) AS n FROM customers", "sentence": "{rows[0].n} customers."}"#,
    ))
    .unwrap();
    let database = TestDatabase::new("samples");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "SET text2sql.enable_history = 'prompts';
             SELECT text2sql.protect('countries.name', 'sample');
             SELECT text2sql.describe('customers.name', samples => '\"customer 0\"');
             SELECT text2sql.describe('orders', invented_samples => 1);",
        )
        .unwrap();
    let mut analyst = database.analyst();
    let sent = |analyst: &mut postgres::Client| -> (Vec<String>, Vec<String>) {
        analyst
            .query(
                "SELECT status FROM text2sql.ask('How many customers?')",
                &[],
            )
            .unwrap();
        let row = analyst
            .query_one(
                "SELECT value_columns, sample_columns FROM text2sql.egress_log ORDER BY egress_id DESC LIMIT 1",
                &[],
            )
            .unwrap();
        (row.get(0), row.get(1))
    };
    let (values, samples) = sent(&mut analyst);
    assert_eq!(values, ["countries.name"]);
    assert!(
        samples.contains(&"countries.name".to_owned()),
        "{samples:?}"
    );
    assert!(
        samples.contains(&"customers.name".to_owned()),
        "{samples:?}"
    );
    assert!(samples.contains(&"orders.total".to_owned()), "{samples:?}");
    let prompt: String = analyst
        .query_one("SELECT text2sql.preview_prompt('How many customers?')", &[])
        .unwrap()
        .get(0);
    assert!(
        prompt.contains("'Germany', 'France' (sample)")
            || prompt.contains("'France', 'Germany' (sample)"),
        "{prompt}"
    );
    assert!(prompt.contains(" e.g. 'customer 0' (written)"), "{prompt}");
    assert!(
        prompt.contains("  + row (invented): order_id = 1, "),
        "{prompt}"
    );
    assert!(prompt.contains("`(invented)` marks samples"), "{prompt}");

    // Taken back, it counts from the next question on, in a session that asked before.
    admin
        .batch_execute(
            "SELECT text2sql.protect('countries.name', 'open');
             SELECT text2sql.forget('sample', id) FROM text2sql.samples;",
        )
        .unwrap();
    let (values, samples) = sent(&mut analyst);
    assert!(
        values.is_empty() && samples.is_empty(),
        "{values:?} {samples:?}"
    );

    // Only the owner of the table may add samples.
    let (code, _, _) = error_of(
        &mut analyst,
        "SELECT text2sql.describe('customers.name', samples => '\"x\"')",
    );
    assert_eq!(code, "42501");
}
