//! Every function of the extension, called wrongly: with NULL for everything, with names that nothing
//! has, with options of the wrong type. The result is always an error that explains the mistake, never
//! one of Rust's.

use postgres::Client;
use text2sql_server_tests::{TestDatabase, error_of};

/// A call of each function and procedure, every argument NULL.
const CALLS: &str = "
    SELECT p.proname::text,
           CASE WHEN p.prokind = 'p' THEN format('CALL %s(%s)', p.oid::regproc, a.list)
                WHEN p.proname IN ('run', 'ask_rows') THEN format('SELECT * FROM %s(%s) AS t(a int)', p.oid::regproc, a.list)
                ELSE format('SELECT * FROM %s(%s)', p.oid::regproc, a.list) END
      FROM pg_proc p,
           LATERAL (SELECT coalesce(string_agg('NULL::' || format_type(u.type, NULL), ', ' ORDER BY u.position), '')
                      FROM unnest(p.proargtypes) WITH ORDINALITY AS u(type, position)) AS a(list)
     WHERE p.pronamespace IN ('text2sql'::regnamespace, 'text2sql_eval'::regnamespace) AND p.proname !~ '^_' AND p.provariadic = 0
     ORDER BY 1";

/// The SQLSTATE, message, detail and hint of what must fail.
fn failure(client: &mut Client, sql: &str) -> [String; 4] {
    let error = client.batch_execute(sql).expect_err(sql);
    let error = error.as_db_error().unwrap();
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    [
        error.code().code().to_owned(),
        error.message().to_owned(),
        text(error.detail()),
        text(error.hint()),
    ]
}

#[test]
fn null_for_every_argument_is_a_misuse_that_is_told() {
    let database = TestDatabase::new("misuse_null");
    let mut admin = database.superuser();
    let calls = admin.query(CALLS, &[]).unwrap();
    assert!(calls.len() > 60, "{}", calls.len());
    for call in calls {
        let (name, sql): (String, String) = (call.get(0), call.get(1));
        let Err(error) = admin.batch_execute(&sql) else {
            continue;
        };
        let error = error.as_db_error().expect(&sql);
        let (state, message) = (error.code().code(), error.message());
        assert!(
            !state.starts_with("XX"),
            "{name} with NULL: {state} {message}"
        );
        let first = message.chars().next().unwrap();
        assert!(!first.is_uppercase(), "{name}: {message}");
        let is_about_null = message.to_lowercase().ends_with("is null");
        assert!(
            !is_about_null || state == "22004",
            "{name} with NULL: {state} {message}"
        );
    }
}

#[test]
fn null_for_a_question_or_a_statement_is_one_and_the_same_error() {
    let database = TestDatabase::new("misuse_question");
    let mut admin = database.superuser();
    for (question, statement) in [
        ("ask_rows(NULL) AS t(a int)", "run(NULL) AS t(a int)"),
        ("ask_rows(NULL) AS t(a int)", "run_json(NULL)"),
        ("to_sql(NULL)", "explain(NULL)"),
        ("ask_view(NULL, 'pg_temp.v')", "explain_plan(NULL)"),
        ("preview_prompt(NULL)", "trust_report(NULL)"),
        ("retrieve(NULL)", "why_empty(NULL)"),
        ("score(NULL, 'SELECT 1')", "score('How many?', NULL)"),
        ("revise('SELECT 1', NULL)", "run_json(NULL)"),
        (
            "add_example(NULL, 'SELECT 1')",
            "add_example('How many?', NULL)",
        ),
        ("ask_rows(NULL) AS t(a int)", "validate(NULL)"),
        ("ask_rows(NULL) AS t(a int)", "impact(NULL)"),
    ] {
        for call in [question, statement] {
            let [state, message, ..] =
                failure(&mut admin, &format!("SELECT * FROM text2sql.{call}"));
            assert_eq!(state, "22004", "{call}: {message}");
            assert!(message.ends_with("must not be null"), "{call}: {message}");
        }
    }
    let [state, message, ..] = failure(&mut admin, "CALL text2sql.ask_into(NULL, 'x')");
    assert_eq!(
        (state.as_str(), message.as_str()),
        ("22004", "question must not be null")
    );
    let [state, message, ..] = failure(
        &mut admin,
        "SELECT * FROM text2sql.ask_rows(' ') AS t(a int)",
    );
    assert_eq!(
        (state.as_str(), message.as_str()),
        ("22023", "question must not be empty")
    );
}

#[test]
fn every_object_has_a_comment_and_public_may_call_no_function_that_does_something() {
    let database = TestDatabase::new("misuse_comments");
    let mut admin = database.superuser();
    let mut names = |sql: &str| -> Vec<String> {
        let rows = admin.query(sql, &[]).unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    };
    let silent = "
        SELECT p.oid::regprocedure::text FROM pg_proc p
         WHERE p.pronamespace IN ('text2sql'::regnamespace, 'text2sql_eval'::regnamespace) AND obj_description(p.oid, 'pg_proc') IS NULL
        UNION ALL
        SELECT c.oid::regclass::text FROM pg_class c
         WHERE c.relnamespace IN ('text2sql'::regnamespace, 'text2sql_eval'::regnamespace) AND c.relkind IN ('r', 'v', 'm', 'p')
           AND obj_description(c.oid, 'pg_class') IS NULL";
    assert_eq!(names(silent), Vec::<String>::new());
    let open = "
        SELECT p.proname::text FROM pg_proc p
         WHERE p.pronamespace IN ('text2sql'::regnamespace, 'text2sql_eval'::regnamespace) AND has_function_privilege('public', p.oid, 'EXECUTE')
           AND p.proname !~ '^_'";
    assert_eq!(names(open), Vec::<String>::new());
}

#[test]
fn options_of_a_call_are_checked_one_by_one() {
    let database = TestDatabase::new("misuse_options");
    let mut analyst = database.analyst();
    let mut check = |options: &str, message: &str, detail: &str, hint: &str| {
        let sql =
            format!("SELECT text2sql.ask('How many orders are there?', options => '{options}')");
        let [state, said, told, advice] = failure(&mut analyst, &sql);
        assert_eq!(state, "22023", "{options}");
        assert_eq!(
            (said.as_str(), told.as_str(), advice.as_str()),
            (message, detail, hint),
            "{options}"
        );
    };
    check(
        r#"{"max_result_rows": "many"}"#,
        r#"option "max_result_rows" is not a whole number from 1 to 2147483647"#,
        r#"The value is "many"."#,
        r#"Use options => '{"max_result_rows": 100}'."#,
    );
    check(
        r#"{"max_result_row": 3}"#,
        r#"unknown option "max_result_row""#,
        "The options are model, max_result_rows, max_result_size, max_cost, query_timeout, memory_limit, meaning, on_ambiguity, on_truncation, enable_narration, max_conversation_turns, max_repairs, repair_on, enable_relevance_check, enable_table_choice, judge_model, narration_model, table_choice_model, suggestion_model, rerank_model, max_schema_chars, usual_schema_chars, candidates, strategy, max_steps, max_looks, without, score_weights, score_threshold, topic_threshold, completeness_threshold, relevance_threshold, relevance_share, example_count, value_count, column_count, table_word_weight, table_vector_weight, table_value_weight, text_depth, text_word_weight, text_vector_weight, instructions, prompts.",
        r#"Use options => '{"max_result_rows": 100}'."#,
    );
    // A text is not a list of names: it must not be taken for "none".
    check(
        r#"{"without": "judge"}"#,
        r#"option "without" is not a list of names"#,
        r#"The value is "judge"."#,
        r#"Use options => '{"without": ["descriptions"]}'."#,
    );
    check(
        r#"{"enable_narration": "no"}"#,
        r#"option "enable_narration" is not true or false"#,
        r#"The value is "no"."#,
        r#"Use options => '{"enable_narration": false}'."#,
    );
    check(
        r#"{"strategy": "clever"}"#,
        r#"option "strategy" is not "auto", "direct", "one_shot", "chain_of_thought", "decompose" or "meaning""#,
        r#"The value is "clever"."#,
        r#"Use options => '{"strategy": "auto"}'."#,
    );
    check(
        r#"{"query_timeout": "soon"}"#,
        r#"option "query_timeout" is not a time such as "5s", or milliseconds from 1"#,
        r#"The value is "soon"."#,
        r#"Use options => '{"query_timeout": "5s"}'."#,
    );
    check(
        r#"{"max_result_size": "0kB"}"#,
        r#"option "max_result_size" is not a size such as "1MB", or kilobytes from 1"#,
        r#"The value is "0kB"."#,
        r#"Use options => '{"max_result_size": "1MB"}'."#,
    );
    check(
        "[1]",
        "options must be a JSON object",
        "The value is [1].",
        r#"Use options => '{"max_result_rows": 100, "enable_narration": false}'."#,
    );
}

#[test]
fn names_that_nothing_has_are_named_with_what_to_do() {
    let database = TestDatabase::new("misuse_names");
    let mut admin = database.superuser();
    let mut check = |sql: &str, state: &str, message: &str, hint: &str| {
        let said = error_of(&mut admin, sql);
        assert_eq!(said, (state.into(), message.into(), hint.into()), "{sql}");
    };
    check(
        "SELECT text2sql.accept('suggestion', 7)",
        "42704",
        "open suggestion 7 does not exist",
        "List the open suggestions: SELECT id, object, suggestion FROM text2sql.suggestions WHERE status = 'open';",
    );
    check(
        "SELECT text2sql.reject('suggestion', 7)",
        "42704",
        "open suggestion 7 does not exist",
        "List the open suggestions: SELECT id, object, suggestion FROM text2sql.suggestions WHERE status = 'open';",
    );
    check(
        "SELECT * FROM text2sql.check_examples(ids => ARRAY[7])",
        "42704",
        "example 7 does not exist",
        "List the examples: SELECT id, question FROM text2sql.examples;",
    );
    check(
        "SELECT text2sql.grant_access('nobody_of_that_name', 'curator')",
        "42704",
        "role \"nobody_of_that_name\" does not exist",
        "Give the name without quotes: SELECT text2sql.grant_access('analyst');",
    );
    check(
        "SELECT text2sql.describe('orders', synonyms => '{}')",
        "22023",
        "no synonyms given",
        "Give at least one: SELECT text2sql.describe('stores', synonyms => '{shops,branches}');",
    );
    let mut analyst = database.analyst();
    let [state, message, _, hint] = failure(
        &mut analyst,
        "SELECT * FROM text2sql.run('SELECT salary FROM salaries') AS t(salary numeric)",
    );
    assert_eq!(state, "T2003");
    assert_eq!(message, "permission denied for table salaries");
    assert_eq!(
        hint,
        "Ask the owner to run: GRANT SELECT ON public.salaries TO t2s_analyst;"
    );
}
