//! The sentence that states the answer, for every engine: a model that may see no rows and gives no sentence, or one
//! that says less than the rows, a verified example, totals of nothing, and empty results.

use model_double::{ModelDouble, Script};
use serde_json::json;
use text2sql_server_tests::TestDatabase;

/// Asks the questions with the replies of a model that sees only the schema; gives the sentences.
fn said(test: &str, pairs: &[(&str, &str, Option<&str>)]) -> Vec<String> {
    let mut script = Script::new();
    for (question, sql, sentence) in pairs {
        let reply = json!({"status": "ok", "sql": sql, "sentence": sentence}).to_string();
        script = script.on(question, [reply.as_str()]);
    }
    let double = ModelDouble::start(script).unwrap();
    let database = TestDatabase::new(test);
    database.add_model("m", "openai", &double.base_url("ok"), ", egress 'schema'");
    let mut analyst = database.analyst();
    let mut ask = |question: &str| -> String {
        let sql = "SELECT status || ': ' || answer FROM text2sql.ask($1)";
        analyst.query_one(sql, &[&question]).unwrap().get(0)
    };
    pairs.iter().map(|(question, ..)| ask(question)).collect()
}

#[test]
fn a_model_without_a_sentence_gets_one_from_the_rows() {
    let pairs = [
        (
            "How many orders did we get?",
            "SELECT count(*) AS n FROM orders",
            None,
        ),
        (
            "What are the customers by country?",
            "SELECT c.name AS country, count(*) AS customers FROM customers k JOIN countries c USING (country_id) GROUP BY c.name ORDER BY 1",
            // It says less than the rows.
            Some("Customers by country: {row_count} rows."),
        ),
        (
            "Which country has the most customers of all?",
            "SELECT c.name FROM customers k JOIN countries c USING (country_id) GROUP BY c.name ORDER BY count(*) DESC LIMIT 1",
            // The rows contradict it: two countries have as many.
            Some("{rows[0].name} leads."),
        ),
        (
            "What is the sum of all totals of orders?",
            "SELECT count(*) AS orders FROM orders",
            // A number of its own is refused.
            Some("It is 4711."),
        ),
        (
            "How many countries do we sell to?",
            "SELECT count(*) AS countries FROM countries",
            Some("We sell to {rows[0].countries} countries."),
        ),
    ];
    assert_eq!(
        said("sentence_from_rows", &pairs),
        [
            "ok: The answer is 400 orders.",
            "ok: Number of customers by country: France 20 (50%) and Germany 20 (50%); 40 in all.",
            "ok: France and Germany share the first place with 20 customers each.",
            "ok: The sum of all totals of orders is 400.",
            "ok: We sell to 2 countries.",
        ]
    );
}

#[test]
fn of_a_cut_result_only_the_end_of_its_order_is_said() {
    let pairs = [
        (
            "Which order has the highest total?",
            "SELECT order_id, total FROM orders ORDER BY order_id LIMIT 3",
            Some("The highest total is {rows[0].total}."),
        ),
        (
            "Which order is the largest of all?",
            "SELECT order_id, order_id * 10 AS size FROM orders ORDER BY size DESC, order_id LIMIT 1",
            Some("Order {rows[0].order_id} is the largest with {rows[0].size}."),
        ),
        // The database counts what the LIMIT leaves out.
        (
            "Which orders were placed in January 2025?",
            "SELECT order_id FROM orders WHERE ordered_on >= '2025-01-01' AND ordered_on < '2025-02-01' ORDER BY order_id LIMIT 3",
            None,
        ),
    ];
    let said = said("sentence_of_cut", &pairs);
    assert!(!said[0].contains("highest total is"), "{}", said[0]);
    assert_eq!(
        said[1],
        "ok: Order 400 is the largest of all: size 4,000, 10 more than order 399 (3,990)."
    );
    assert!(
        said[2].starts_with("ok: 124 orders were placed in January 2025: "),
        "{}",
        said[2]
    );
    assert!(said[2].ends_with(" and 121 more."), "{}", said[2]);
}

#[test]
fn nothing_is_said_with_its_reason_whichever_engine_wrote_the_sql() {
    let pairs = [
        (
            "What was the total of the orders of 2031?",
            "SELECT sum(total) AS total FROM orders WHERE ordered_on >= DATE '2031-01-01' AND ordered_on < DATE '2032-01-01'",
            Some("The total was {rows[0].total}."),
        ),
        (
            "How many orders came in 2031?",
            "SELECT count(*) AS n FROM orders WHERE extract(year FROM ordered_on) = 2031",
            None,
        ),
        (
            "Which customers are from germany?",
            "SELECT k.customer_id FROM customers k JOIN countries c USING (country_id) WHERE c.name = 'germany'",
            Some("{row_count} customers."),
        ),
    ];
    let said = said("sentence_nothing", &pairs);
    let [total, count, customers] = said.as_slice() else {
        panic!("{said:?}");
    };
    let end = "The last date in orders.ordered_on is ";
    assert!(
        total.starts_with("ok: Nothing was found from 2031-01-01 to 2031-12-31. "),
        "{total}"
    );
    assert!(total.contains(end), "{total}");
    assert!(
        count.starts_with("ok: No orders came in 2031. ") && count.contains(end),
        "{count}"
    );
    assert!(
        customers.contains("No row meets `c.name = 'germany'`") && customers.contains("'Germany'"),
        "{customers}"
    );
}

#[test]
fn a_private_column_gives_no_reason() {
    let script = Script::new().on(
        "2031",
        [r#"{"status": "ok", "sql": "SELECT sum(total) FROM orders WHERE ordered_on >= DATE '2031-01-01'", "sentence": null}"#],
    );
    let double = ModelDouble::start(script).unwrap();
    let database = TestDatabase::new("sentence_private");
    database.add_model("m", "openai", &double.base_url("ok"), ", egress 'schema'");
    let mut admin = database.superuser();
    admin
        .batch_execute("SELECT text2sql.protect('column orders.ordered_on', 'private')")
        .unwrap();
    let row = database
        .analyst()
        .query_one(
            "SELECT answer FROM text2sql.ask('What is the total since 2031?')",
            &[],
        )
        .unwrap();
    let answer: String = row.get(0);
    assert!(
        answer.starts_with("Nothing was found") && !answer.contains("last date"),
        "{answer}"
    );
}

#[test]
fn a_replayed_example_says_what_it_is() {
    let database = TestDatabase::new("sentence_example");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "SELECT text2sql.accept('example', text2sql.add_example(
                 'How many buyers are there?', 'SELECT count(*) FROM customers'));
             SELECT text2sql.accept('example', text2sql.add_example(
                 'What did the buyers pay in all?', 'SELECT sum(total) FROM orders WHERE total < 0'))",
        )
        .unwrap();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    let mut analyst = database.analyst();
    let mut ask = |question: &str| -> (String, Option<String>) {
        let sql = "SELECT answer, verified_by FROM text2sql.ask($1)";
        let row = analyst.query_one(sql, &[&question]).unwrap();
        (row.get(0), row.get(1))
    };
    let postgres = Some("postgres".to_owned());
    assert_eq!(
        ask("How many buyers are there?"),
        ("There are 40 buyers.".to_owned(), postgres.clone())
    );
    let (answer, verified_by) = ask("What did the buyers pay in all?");
    assert_eq!(verified_by, postgres);
    assert!(
        answer.starts_with("Nothing was found.") && answer.contains("total < 0"),
        "{answer}"
    );
}

#[test]
fn without_narration_nothing_is_looked_up() {
    let database = TestDatabase::new("sentence_off");
    let mut analyst = database.analyst();
    let row = analyst
        .query_one(
            "SELECT answer FROM text2sql.ask('How many orders are there?', options => '{\"enable_narration\": false}')",
            &[],
        )
        .unwrap();
    assert_eq!(row.get::<_, Option<String>>(0), None);
}
