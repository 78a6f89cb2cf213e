//! The names of tables that a prompt does not show, and the second look at the catalog: what they tell a role that
//! may not read everything, what they cost and what is recorded.

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::demo::DemoDatabase;

const GOOD: &str = r#"{"status": "ok", "sql": "SELECT count(*) AS n FROM customers"}"#;

/// Asks for readable tables, for one that the role may not read, and for one that does not exist.
const LACKING: &str = r#"{"status": "unanswerable", "sql": null, "missing": ["campaigns", "suppliers", "shipments", "employee_salaries", "hr.employee_salaries", "no_such_table"]}"#;

fn add_model(admin: &mut Client, double: &ModelDouble) {
    admin
        .batch_execute(&format!(
            "CREATE SERVER looking FOREIGN DATA WRAPPER text2sql OPTIONS (protocol 'openai', base_url '{}',
                 model 'double-1', allow_private 'true', allow_http 'true');
             GRANT USAGE ON FOREIGN SERVER looking TO demo_analyst",
            double.base_url("ok")
        ))
        .unwrap();
}

fn prompt(client: &mut Client, question: &str) -> String {
    let row = client.query_one("SELECT text2sql.preview_prompt($1)", &[&question]);
    row.unwrap().get(0)
}

#[test]
fn the_list_names_what_the_role_may_read() {
    let demo = DemoDatabase::new("other_tables");
    let double = ModelDouble::start(Script::new().on("", [LACKING, GOOD])).unwrap();
    let mut admin = demo.superuser();
    add_model(&mut admin, &double);
    admin
        .batch_execute("SELECT text2sql.protect('returns', 'hidden')")
        .unwrap();
    let question = "How many customers are there?";
    for is_indexed in [false, true] {
        if is_indexed {
            admin.batch_execute("CALL text2sql.refresh()").unwrap();
        }
        let mut analyst = demo.analyst();
        analyst
            .batch_execute(
                r#"SELECT text2sql._version(); SET text2sql.model = 'looking';
                   SET text2sql.tuning = '{"max_schema_chars": 3000}'"#,
            )
            .unwrap();
        let text = prompt(&mut analyst, question);
        let (_, list) = text.split_once("Further tables by name").expect(&text);
        assert!(list.contains("campaigns"), "{list}");
        assert!(!text.contains("salaries"), "{text}");
        assert!(
            !list.contains("returns") && !text.contains("\nreturns"),
            "{text}"
        );
        let status: String = analyst
            .query_one("SELECT status FROM text2sql.ask($1)", &[&question])
            .unwrap()
            .get(0);
        assert_eq!(status, "ok", "indexed: {is_indexed}");
        let look = analyst
            .query_one(
                "SELECT h.model_calls, array_agg(e.purpose ORDER BY e.egress_id), bool_or(e.tables::text LIKE '%salaries%')
                   FROM text2sql.history h JOIN text2sql.egress_log e USING (trace_id)
                  WHERE h.asked_at = (SELECT max(asked_at) FROM text2sql.history)
                  GROUP BY h.trace_id, h.model_calls",
                &[],
            )
            .unwrap();
        let (calls, purposes): (i32, Vec<String>) = (look.get(0), look.get(1));
        assert_eq!(
            (calls, purposes.join(" ").as_str()),
            (2, "generate second_look")
        );
        assert!(!look.get::<_, bool>(2));
    }
}

#[test]
fn a_context_length_bounds_the_schema() {
    let demo = DemoDatabase::new("context_length");
    let double = ModelDouble::start(Script::new().on("", [GOOD])).unwrap();
    let mut admin = demo.superuser();
    add_model(&mut admin, &double);
    let mut analyst = demo.analyst();
    analyst
        .batch_execute("SELECT text2sql._version(); SET text2sql.model = 'looking'")
        .unwrap();
    let question = "How many customers are there?";
    let whole = prompt(&mut analyst, question).len();
    admin
        .batch_execute("ALTER SERVER looking OPTIONS (ADD context_length '2048')")
        .unwrap();
    let bounded = prompt(&mut analyst, question);
    assert!(
        bounded.len() + 5_000 < whole,
        "{} of {whole}",
        bounded.len()
    );
    assert!(bounded.contains("customers"));
}
