//! A question is answered as far as possible, and `withheld` lists what was omitted for lack of a privilege, named only as
//! far as the caller may know.

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::TestDatabase;

struct Answered {
    status: String,
    answer: String,
    withheld: Vec<String>,
    warnings: Vec<String>,
}

fn ask(client: &mut Client, question: &str) -> Answered {
    let row = client
        .query_one(
            "SELECT status, answer, withheld, warnings FROM text2sql.ask($1)",
            &[&question],
        )
        .unwrap();
    Answered {
        status: row.get(0),
        answer: row.get(1),
        withheld: row.get(2),
        warnings: row.get(3),
    }
}

#[test]
fn the_permitted_part_is_answered_and_the_rest_named() {
    let count = r#"{"sql": "SELECT count(*) AS n FROM customers"}"#;
    let double = ModelDouble::start(
        Script::new()
            .on("said missing", [r#"{"sql": "SELECT count(*) AS n FROM customers", "missing": ["IBAN of the customers", "the weather"]}"#])
            .on("only iban", [r#"{"status": "unanswerable", "missing": ["IBAN"]}"#])
            .otherwise(count),
    )
    .unwrap();
    let database = TestDatabase::new("withheld");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut analyst = database.analyst();
    let salaries = "public.salaries: permission denied. Ask the owner to run: GRANT SELECT ON public.salaries TO t2s_analyst;";
    let iban = "public.customers.iban: permission denied. Ask the owner to run: GRANT SELECT (iban) ON public.customers TO t2s_analyst;";
    // A table and a column that the question names.
    let answered = ask(
        &mut analyst,
        "How many customers, and what are the salaries?",
    );
    assert_eq!(answered.status, "ok");
    assert_eq!(answered.withheld, [salaries]);
    assert_eq!(
        ask(&mut analyst, "How many customers, with their iban?").withheld,
        [iban]
    );
    // What the model could not answer: one closed, one not there.
    let answered = ask(&mut analyst, "Customers, said missing");
    assert_eq!(answered.withheld, [iban]);
    assert_eq!(
        answered.warnings,
        ["not answered: the schema does not hold the weather"]
    );
    // Nothing is left: then it is not permitted.
    let answered = ask(&mut analyst, "only iban");
    assert_eq!(answered.status, "not_permitted");
    assert_eq!(
        answered.answer,
        "answering seems to require SELECT on public.customers.iban"
    );
    // Words that something readable explains name nothing closed.
    let answered = ask(&mut analyst, "How many customers by name and country?");
    assert!(answered.withheld.is_empty(), "{:?}", answered.withheld);
    for request in double.requests() {
        let sent = request.body.to_string();
        assert!(
            !sent.contains("salaries (") && !sent.contains("GRANT"),
            "{sent}"
        );
    }
    // What is hidden, or in a schema that is closed, does not exist.
    let mut admin = database.superuser();
    admin
        .batch_execute("SELECT text2sql.protect('public.customers.iban', 'hidden'); CREATE SCHEMA hr; ALTER TABLE salaries SET SCHEMA hr")
        .unwrap();
    for question in [
        "How many customers, and what are the salaries?",
        "How many customers, with their iban?",
    ] {
        let answered = ask(&mut analyst, question);
        assert_eq!(answered.status, "ok");
        assert!(answered.withheld.is_empty(), "{:?}", answered.withheld);
    }
    // Nothing is withheld from a role that may read everything.
    admin.batch_execute("SET text2sql.model = 'm'").unwrap();
    let answered = ask(&mut admin, "How many customers, and what are the salaries?");
    assert!(answered.withheld.is_empty(), "{:?}", answered.withheld);
}

#[test]
fn rows_alone_come_with_a_warning() {
    let double = ModelDouble::start(
        Script::new().otherwise(r#"{"sql": "SELECT count(*) AS n FROM customers"}"#),
    )
    .unwrap();
    let database = TestDatabase::new("withheld_rows");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let heard = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let listener = std::sync::Arc::clone(&heard);
    let mut analyst = text2sql_server_tests::connect_listening(
        "t2s_withheld_rows",
        Some(text2sql_server_tests::ANALYST),
        move |notice| listener.lock().unwrap().push(notice),
    );
    analyst
        .batch_execute(
            "SELECT * FROM text2sql.ask_rows('How many customers and salaries?') AS t(n bigint)",
        )
        .unwrap();
    let heard = heard.lock().unwrap().join("\n");
    assert!(heard.contains("withheld: public.salaries"), "{heard}");
}

#[test]
fn sql_alone_comes_with_a_warning_and_a_line_that_names_nothing() {
    let double = ModelDouble::start(Script::new().otherwise(
        r#"{"sql": "SELECT count(*) AS n FROM customers", "missing": ["the\nweather"]}"#,
    ))
    .unwrap();
    let database = TestDatabase::new("withheld_sql");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let heard = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let listener = std::sync::Arc::clone(&heard);
    let mut analyst = text2sql_server_tests::connect_listening(
        "t2s_withheld_sql",
        Some(text2sql_server_tests::ANALYST),
        move |notice| listener.lock().unwrap().push(notice),
    );
    let mut text = |sql: &str| -> String { analyst.query_one(sql, &[]).unwrap().get(0) };
    let left_out = "-- withheld: a table or column in the question on which t2s_analyst lacks SELECT\n\
                    -- not answered: the schema does not hold the weather\n";
    assert_eq!(
        text("SELECT text2sql.to_sql('How many customers and salaries?')"),
        format!("{left_out}SELECT count(*) AS n FROM customers")
    );
    let guarded = text(
        "SELECT text2sql.to_sql('How many customers and salaries?', options => '{\"guarded\": true}')",
    );
    assert!(
        guarded.starts_with(&format!("{left_out}SELECT * FROM text2sql.run($$SELECT")),
        "{guarded}"
    );
    // Others read the comment of a view, and models do.
    let view = text("SELECT text2sql.ask_view('How many customers and salaries?', 'pg_temp.n')");
    let comment = text(&format!("SELECT obj_description('{view}'::regclass)"));
    let lines: Vec<&str> = comment.lines().collect();
    assert_eq!(
        lines[..3],
        [
            "How many customers and salaries?",
            "withheld: a table or column in the question on which t2s_analyst lacks SELECT",
            "not answered: the schema does not hold the weather",
        ]
    );
    let whole = text("SELECT text2sql.to_sql('How many customers?')");
    assert!(!whole.contains("withheld"), "{whole}");
    let heard = heard.lock().unwrap();
    let count = |part: &str| heard.iter().filter(|notice| notice.contains(part)).count();
    let named = "withheld: public.salaries: permission denied. Ask the owner to run: GRANT SELECT ON public.salaries TO t2s_analyst;";
    assert_eq!(count(named), 3, "{heard:?}");
    assert_eq!(
        count("not answered: the schema does not hold"),
        4,
        "{heard:?}"
    );
}
