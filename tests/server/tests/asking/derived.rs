//! Answers that are kept as views, views of others and models of dbt beside the tables that they are made of:
//! no question is linked to them by mistake.

use postgres::Client;
use text2sql_server_tests::demo::DemoDatabase;
use text2sql_server_tests::{TestDatabase, error_of};

struct Asked {
    status: String,
    answer: String,
    sql: String,
    warnings: Vec<String>,
}

fn ask(client: &mut Client, question: &str) -> Asked {
    let row = client
        .query_one(
            "SELECT status, answer, coalesce(sql, ''), warnings FROM text2sql.ask($1)",
            &[&question],
        )
        .unwrap();
    Asked {
        status: row.get(0),
        answer: row.get(1),
        sql: row.get(2),
        warnings: row.get(3),
    }
}

fn sql_of(client: &mut Client, question: &str) -> String {
    let asked = ask(client, question);
    assert_eq!(asked.status, "ok", "{question}: {}", asked.answer);
    asked.sql
}

/// Questions of users' trials, whose words were once taken away.
const QUESTIONS: [&str; 6] = [
    "How many orders by month?",
    "How many customers are there?",
    "How many customers per country?",
    "How many orders were placed in 2025 by channel?",
    "What is the total revenue of orders in 2025?",
    "How many products are there per category?",
];

#[test]
fn kept_answers_and_views_of_the_demo_change_no_answer() {
    let database = DemoDatabase::new("derived_demo");
    database
        .superuser()
        .batch_execute(
            "CREATE SCHEMA reports AUTHORIZATION demo_analyst; CREATE SCHEMA rep AUTHORIZATION demo_analyst",
        )
        .unwrap();
    let mut analyst = database.analyst();
    let before: Vec<String> = QUESTIONS
        .iter()
        .map(|question| sql_of(&mut analyst, question))
        .collect();
    let check = |client: &mut Client, when: &str| {
        for (question, before) in QUESTIONS.iter().zip(&before) {
            assert_eq!(&sql_of(client, question), before, "{when}: {question}");
        }
    };
    let view = |client: &mut Client, name: &str, question: &str| {
        client
            .query_one("SELECT text2sql.ask_view($1, $2)", &[&question, &name])
            .unwrap();
    };
    // The example of the reference, twice: the same definition, and months.
    let definition = "SELECT pg_get_viewdef('reports.orders_by_month'::regclass)";
    view(
        &mut analyst,
        "reports.orders_by_month",
        "How many orders by month?",
    );
    let first: String = analyst.query_one(definition, &[]).unwrap().get(0);
    view(
        &mut analyst,
        "reports.orders_by_month",
        "How many orders by month?",
    );
    let second: String = analyst.query_one(definition, &[]).unwrap().get(0);
    assert_eq!(first, second);
    let months: i64 = analyst
        .query_one("SELECT count(*) FROM reports.orders_by_month", &[])
        .unwrap()
        .get(0);
    assert_eq!(months, 48);
    check(&mut analyst, "orders_by_month");
    view(
        &mut analyst,
        "rep.customers",
        "How many customers per country?",
    );
    view(
        &mut analyst,
        "rep.revenue_by_channel",
        "What is the total revenue of orders by channel?",
    );
    view(
        &mut analyst,
        "rep.customers_per_country",
        "How many customers per country?",
    );
    check(&mut analyst, "kept answers");
    // Removing the comment changes nothing about that.
    analyst
        .batch_execute(
            "COMMENT ON VIEW reports.orders_by_month IS 'orders'; COMMENT ON VIEW rep.customers IS NULL",
        )
        .unwrap();
    check(&mut analyst, "without the mark");
    analyst
        .batch_execute(
            "CREATE VIEW rep.products AS SELECT * FROM public.products;
             CREATE VIEW rep.countries AS SELECT * FROM rep.customers;
             CREATE MATERIALIZED VIEW rep.channel AS SELECT channel, count(*) AS orders FROM public.orders GROUP BY 1;
             CREATE TABLE rep.\"Orders per Month\" AS SELECT * FROM reports.orders_by_month;
             CREATE TABLE rep.categories AS SELECT * FROM public.categories",
        )
        .unwrap();
    check(&mut analyst, "views and tables of others");
    // The first schema of the path is the one of the views.
    analyst
        .batch_execute("SET search_path = rep, public")
        .unwrap();
    let shadowed = sql_of(&mut analyst, "How many customers are there?");
    assert!(shadowed.contains("FROM public.customers"), "{shadowed}");
    analyst.batch_execute("RESET search_path").unwrap();
    // Other columns in place of those that others may read.
    let (code, message, hint) = error_of(
        &mut analyst,
        "SELECT text2sql.ask_view('How many customers are there?', 'rep.revenue_by_channel')",
    );
    assert_eq!(code, "42P16");
    assert!(
        message.contains("other columns than view rep.revenue_by_channel"),
        "{message}"
    );
    assert!(hint.contains("DROP VIEW rep.revenue_by_channel"), "{hint}");
}

#[test]
fn a_view_is_read_where_its_tables_are_closed_and_the_answer_says_so() {
    let database = TestDatabase::new("derived_closed");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "CREATE SCHEMA rep;
             SELECT text2sql.ask_view('How many orders by month?', 'rep.visits');
             ALTER VIEW rep.visits RESET (security_invoker);
             GRANT USAGE ON SCHEMA rep TO t2s_analyst;
             GRANT SELECT ON rep.visits TO t2s_analyst;
             REVOKE ALL ON orders FROM t2s_analyst",
        )
        .unwrap();
    let mut analyst = database.analyst();
    let asked = ask(&mut analyst, "How many visits are there?");
    assert_eq!(asked.status, "ok", "{}", asked.answer);
    assert!(asked.sql.contains("FROM rep.visits"), "{}", asked.sql);
    let note = "rep.visits holds the answer to an earlier question (text2sql.ask_view)";
    assert!(
        asked.warnings.iter().any(|warning| warning == note),
        "{:?}",
        asked.warnings
    );
}

#[test]
fn what_dbt_builds_yields_to_what_it_is_built_from() {
    let database = TestDatabase::new("derived_dbt");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            r#"CREATE SCHEMA marts;
             CREATE TABLE marts.web_customers AS SELECT * FROM customers;
             GRANT USAGE ON SCHEMA marts TO t2s_analyst;
             GRANT SELECT ON marts.web_customers TO t2s_analyst;
             SELECT text2sql.import_knowledge('{"nodes": {
                 "model.x.web_customers": {"resource_type": "model", "schema": "marts", "name": "web_customers",
                     "columns": {}, "depends_on": {"nodes": ["source.x.customers"]}}},
               "sources": {"source.x.customers": {"resource_type": "source", "schema": "public", "name": "customers",
                     "columns": {}}}}', 'dbt')"#,
        )
        .unwrap();
    let mut analyst = database.analyst();
    let made =
        "SELECT derived_from FROM text2sql.descriptions WHERE object = 'marts.web_customers'";
    let from: Vec<String> = analyst.query_one(made, &[]).unwrap().get(0);
    assert_eq!(from, ["public.customers"]);
    // The last words of its name are those of the source.
    let sql = sql_of(&mut analyst, "How many customers are there?");
    assert!(sql.contains("FROM customers"), "{sql}");
    let asked = ask(&mut analyst, "How many web_customers are there?");
    assert!(
        asked.sql.contains("FROM marts.web_customers"),
        "{}",
        asked.sql
    );
    let note = "marts.web_customers is a model of dbt, made of other tables";
    assert!(
        asked.warnings.iter().any(|warning| warning == note),
        "{:?}",
        asked.warnings
    );
    // In a prompt it is marked, and comes behind.
    let prompt: String = analyst
        .query_one("SELECT string_agg(to_jsonb(p)::text, ' ') FROM text2sql.preview_prompt('How many customers are there?') AS p", &[])
        .unwrap()
        .get(0);
    assert!(
        prompt.contains("a dbt model: prefer the tables that it is made of"),
        "{prompt}"
    );
    assert!(
        prompt.find("marts.web_customers") > prompt.find("customers ("),
        "{prompt}"
    );
    // It is found by name after it was rebuilt, and after a dump.
    admin
        .batch_execute(
            "CREATE TABLE marts.next AS SELECT * FROM customers;
             ALTER TABLE marts.web_customers RENAME TO web_customers_old;
             ALTER TABLE marts.next RENAME TO web_customers;
             DROP TABLE marts.web_customers_old;
             GRANT SELECT ON marts.web_customers TO t2s_analyst",
        )
        .unwrap();
    let asked = ask(&mut analyst, "How many web_customers are there?");
    assert!(
        asked.warnings.iter().any(|warning| warning == note),
        "{:?}",
        asked.warnings
    );
}
