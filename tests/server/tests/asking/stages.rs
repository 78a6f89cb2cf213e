//! Each stage can be switched off by name, for one question or for a session, so that an ablation can
//! measure what it is worth.

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::TestDatabase;

const RIGHT: &str = r#"{"sql": "SELECT count(*) AS n FROM countries WHERE name = 'Germany'", "sentence": "{rows[0].n} there."}"#;
const BROKEN: &str = r#"{"sql": "SELECT count(*) AS n FROM nowhere"}"#;

/// What was asked: how often the model, with which last prompt, and through which stages.
struct Asked {
    calls: usize,
    prompt: String,
    stages: Vec<String>,
    answer: Option<String>,
}

fn ask(client: &mut Client, double: &ModelDouble, question: &str, off: &str) -> Asked {
    let before = double.requests().len();
    let off: Vec<&str> = off.split(", ").filter(|name| !name.is_empty()).collect();
    let options = serde_json::json!({ "without": off }).to_string();
    let row = client
        .query_one(
            "SELECT answer, trace_id::text FROM text2sql.ask($1, options => $2::text::jsonb)",
            &[&question, &options],
        )
        .unwrap();
    let (answer, trace): (Option<String>, String) = (row.get(0), row.get(1));
    let stages = client.query(
        "SELECT stage FROM text2sql.trace($1::text::uuid) ORDER BY step",
        &[&trace],
    );
    let requests = double.requests();
    Asked {
        calls: requests.len() - before,
        prompt: requests
            .last()
            .map(|request| request.body.to_string())
            .unwrap_or_default(),
        stages: stages.unwrap().iter().map(|row| row.get(0)).collect(),
        answer,
    }
}

#[test]
fn every_stage_can_be_left_out() {
    let double =
        ModelDouble::start(Script::new().on("repair", [BROKEN, RIGHT]).on("", [RIGHT])).unwrap();
    let database = TestDatabase::new("switches");
    database.add_model("m", "openai", &double.base_url("ok"), ", egress 'values'");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "SELECT text2sql.accept('example', text2sql.add_example(
                 'How many countries are called Germany?',
                 'SELECT count(*) AS seen_before FROM countries WHERE name = ''Germany'''));
             SELECT text2sql.define('big buyers', 'customers with many orders')",
        )
        .unwrap();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    let mut analyst = database.analyst();
    let known = "How many countries are called Germany?";
    let near = "How many countries called Germany have big buyers?";

    assert_eq!(ask(&mut analyst, &double, known, "").calls, 0, "replayed");
    let asked = ask(&mut analyst, &double, known, "replay");
    assert_eq!(asked.calls, 1);
    assert!(asked.prompt.contains("seen_before"), "few-shot stays");
    let asked = ask(&mut analyst, &double, known, "replay, few_shot");
    assert!(!asked.prompt.contains("seen_before"));
    assert!(
        !ask(&mut analyst, &double, known, "examples")
            .prompt
            .contains("seen_before")
    );

    let asked = ask(&mut analyst, &double, near, "");
    assert!(asked.prompt.contains("customers with many orders"));
    // The question's word, linked to a value that the database holds.
    let linked = "\\\"Germany\\\"";
    assert!(asked.prompt.contains(linked), "{}", asked.prompt);
    assert!(asked.stages.contains(&"judge".to_owned()));
    assert_eq!(asked.answer.as_deref(), Some("1 there."));
    let asked = ask(&mut analyst, &double, near, "definitions");
    assert!(!asked.prompt.contains("customers with many orders"));
    let asked = ask(&mut analyst, &double, near, "values, few_shot");
    assert!(!asked.prompt.contains(linked), "{}", asked.prompt);
    // Neither is left out, and both are bounded.
    for (counts, has_value, has_example) in [
        (r#"{"value_count": 0}"#, false, true),
        (r#"{"example_count": 0}"#, true, false),
        (r#"{"value_count": 1, "example_count": 1}"#, true, true),
    ] {
        analyst
            .batch_execute(&format!("SET text2sql.tuning = '{counts}'"))
            .unwrap();
        let prompt = ask(&mut analyst, &double, known, "replay").prompt;
        assert_eq!(prompt.contains("seen_before"), has_example, "{counts}");
        let prompt = ask(&mut analyst, &double, near, "few_shot").prompt;
        assert_eq!(prompt.contains(linked), has_value, "{counts}");
    }
    analyst.batch_execute("RESET text2sql.tuning").unwrap();
    let asked = ask(&mut analyst, &double, near, "judge, narrate");
    assert!(!asked.stages.contains(&"judge".to_owned()) && asked.answer.is_none());

    assert_eq!(ask(&mut analyst, &double, "repair this", "").calls, 2);
    assert_eq!(ask(&mut analyst, &double, "repair this", "repair").calls, 1);
    analyst
        .batch_execute("SET text2sql.tuning = '{\"candidates\": 3}'")
        .unwrap();
    assert_eq!(ask(&mut analyst, &double, near, "").calls, 3);
    assert_eq!(ask(&mut analyst, &double, near, "candidates").calls, 1);
    // Every other name is one of retrieval's legs: with each of them off, questions are answered.
    for leg in [
        "interpret",
        "route",
        "search",
        "spelling",
        "table_vectors",
        "word_vectors",
        "second_look",
        "table_choice",
        "relevance_check",
        "steps",
        "mend",
        "names",
        "columns",
        "tables",
        "vectors",
        "rerank",
        "coherence",
        "closure",
        "families",
    ] {
        assert!(ask(&mut analyst, &double, near, leg).calls > 0, "{leg}");
    }
    // As a setting, hence as a variant of evaluate().
    analyst
        .batch_execute("SET text2sql.tuning = '{\"candidates\": 1}'")
        .unwrap();
    admin
        .batch_execute("SELECT text2sql.grant_access('t2s_analyst', 'evaluation')")
        .unwrap();
    analyst
        .batch_execute(
            "SET client_min_messages = warning;
             SELECT text2sql_eval.add_case('s', 'How many countries are called Germany?', 'SELECT 1')",
        )
        .unwrap();
    analyst
        .batch_execute(
            r#"CALL text2sql_eval.evaluate('s', variants => '{"no replay": {"without": ["replay"]}}')"#,
        )
        .unwrap();
    let rows = analyst
        .query(
            "SELECT variant, model_calls FROM text2sql_eval.evaluations WHERE baseline IS NOT NULL ORDER BY evaluation_id",
            &[],
        )
        .unwrap();
    let calls: Vec<(String, i64)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    assert_eq!(
        calls.last(),
        Some(&("no replay".to_owned(), 1)),
        "{calls:?}"
    );
    assert_eq!(calls.first().map(|(_, calls)| *calls), Some(0), "{calls:?}");
}

/// What a prompt shows of the schema, for each ingredient that is left out: by options of a preview, of a question, and
/// as variants of an ablation.
#[test]
fn every_ingredient_of_a_prompt_can_be_left_out() {
    let double = ModelDouble::start(Script::new().on("", [RIGHT])).unwrap();
    let database = TestDatabase::new("ingredients");
    database.add_model("m", "openai", &double.base_url("ok"), ", egress 'values'");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "COMMENT ON TABLE countries IS 'commented table';
             COMMENT ON COLUMN countries.name IS 'commented column';
             SELECT text2sql.describe('countries', 'described table');
             SELECT text2sql.describe('customers.name', meanings => '{\"A\": \"meaning of a\"}');
             SELECT text2sql.describe('countries', synonyms => '{nations of synonyms}');
             SELECT text2sql.add_instruction('Instruction of the shop.');
             SELECT text2sql.add_join('{orders.total}', '{customers.customer_id}');",
        )
        .unwrap();
    let mut analyst = database.analyst();
    let mut prompt = |without: &str| -> String {
        let options = format!("{{\"without\": [{without}]}}");
        let row = analyst
            .query_one(
                "SELECT text2sql.preview_prompt('How many customers are there per country?', options => $1::text::jsonb)",
                &[&options],
            )
            .unwrap();
        row.get(0)
    };
    let all = prompt("");
    for (name, sign) in [
        ("descriptions", "described table"),
        ("comments", "commented column"),
        ("synonyms", "nations of synonyms"),
        ("meanings", "meaning of a"),
        ("instructions", "Instruction of the shop."),
        ("keys", "-> countries(country_id)"),
        ("taught_joins", "~> customers(customer_id)"),
        ("samples", "'Germany'"),
    ] {
        assert!(all.contains(sign), "{name}: {all}");
        let without = prompt(&format!("\"{name}\""));
        assert!(!without.contains(sign), "{name}: {without}");
        assert!(without.contains("country_id integer"), "{name}: {without}");
    }
    // Beneath a description is the comment.
    assert!(!all.contains("commented table"));
    assert!(prompt("\"descriptions\"").contains("commented table"));
    let bare = prompt("\"descriptions\", \"comments\"");
    assert!(!bare.contains("commented table") && !bare.contains("described table"));
    // Without a schema only the question is left.
    let nothing = prompt("\"schema\"");
    assert!(
        !nothing.contains("country_id") && nothing.contains("Schema (not shown)"),
        "{nothing}"
    );
    assert!(nothing.contains("How many customers are there per country?"));
    // The prompt does not mention a plan.
    let strategy =
        |without: &str| format!("{{\"strategy\": \"chain_of_thought\", \"without\": [{without}]}}");
    let mut planned = |without: &str| -> String {
        let row = analyst.query_one(
            "SELECT text2sql.preview_prompt('How many customers are there per country?', options => $1::text::jsonb)",
            &[&strategy(without)],
        );
        row.unwrap().get(0)
    };
    assert_ne!(planned(""), planned("\"plan\""));

    // What protects is no part of an experiment.
    for name in ["guard", "protection", "approval", "egress"] {
        let error = analyst
            .query_one(
                "SELECT text2sql.preview_prompt('x', options => $1::text::jsonb)",
                &[&format!("{{\"without\": [\"{name}\"]}}")],
            )
            .unwrap_err();
        let error = error.as_db_error().unwrap().message().to_owned();
        let expected = format!(
            "option \"without\" names nothing that can be left out with \"{name}\"; the names are schema, descriptions, "
        );
        assert!(error.starts_with(&expected), "{error}");
    }
}
