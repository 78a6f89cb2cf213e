//! The keys of `text2sql.tuning` about tables: what each changes of a search and of a prompt, as an option, a setting, a
//! variant of `evaluate` and a value of `tune`.

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::TestDatabase;
use text2sql_server_tests::skipped::skip;

const ANSWER: &str = r#"{"sql": "SELECT count(*) AS n FROM storehouse"}"#;

/// Tables: the first shares a word with the question, another its meaning, and another holds a value of it.
fn farm(test: &str) -> TestDatabase {
    let database = TestDatabase::new(test);
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "CREATE TABLE harvest (harvest_id int PRIMARY KEY, tonnes numeric, gathered_on date);
             CREATE TABLE storehouse (storehouse_id int PRIMARY KEY, place text, area numeric, roof text, floor text, door text,
                                      harvest_id int REFERENCES harvest);
             INSERT INTO storehouse VALUES (1, 'Riverbend', 3), (2, 'Hillside', 4), (3, 'Oldtown', 4);
             CREATE TABLE canteen_worker (id int PRIMARY KEY, meal text);
             CREATE TABLE salary (id int PRIMARY KEY, amount numeric, paid_on date);
             GRANT SELECT ON harvest, storehouse, canteen_worker, salary TO t2s_analyst;
             ANALYZE",
        )
        .unwrap();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    database
}

/// The table that a search puts first, of two.
fn first_of(client: &mut Client, question: &str, tables: [&str; 2], options: &str) -> String {
    let sql = "SELECT object FROM text2sql.retrieve($1, options => $2::text::jsonb) WHERE object = ANY ($3) AND kind = 'table'
                ORDER BY rank LIMIT 1";
    let tables = tables.as_slice();
    let row = client.query_one(sql, &[&question, &options, &tables]);
    row.unwrap().get(0)
}

#[test]
fn what_words_and_vectors_count_changes_the_order_of_tables() {
    let database = farm("table_weights");
    let mut analyst = database.analyst();
    let wages = "Worker wages";
    let both = ["salary", "canteen_worker"];
    // Only that embedder knows that "wages" means salary.
    let is_multilingual =
        "SELECT value LIKE 'multilingual%' FROM text2sql.status() WHERE item = 'embedder'";
    if !analyst
        .query_one(is_multilingual, &[])
        .unwrap()
        .get::<_, bool>(0)
    {
        return skip("the file of the embedder multilingual");
    }
    for (options, first) in [
        ("{}", "salary"),
        (r#"{"table_vector_weight": 0}"#, "canteen_worker"),
        (r#"{"table_word_weight": 10}"#, "canteen_worker"),
        (
            r#"{"table_word_weight": 10, "table_vector_weight": 10}"#,
            "salary",
        ),
    ] {
        let found = first_of(&mut analyst, wages, both, options);
        assert_eq!(found, first, "{options}");
    }
}

#[test]
fn what_values_count_changes_the_order_of_tables() {
    let database = farm("value_weight");
    let mut analyst = database.analyst();
    let stored = "harvest of Riverbend";
    let both = ["harvest", "storehouse"];
    for (options, first) in [
        ("{}", "harvest"),
        (r#"{"table_value_weight": 8}"#, "storehouse"),
        (
            r#"{"table_value_weight": 8, "without": ["values"]}"#,
            "harvest",
        ),
        (
            r#"{"table_value_weight": 0, "without": ["rerank"]}"#,
            "harvest",
        ),
        (
            r#"{"table_value_weight": 8, "without": ["rerank"]}"#,
            "storehouse",
        ),
    ] {
        let found = first_of(&mut analyst, stored, both, options);
        assert_eq!(found, first, "{options}");
    }
    analyst
        .batch_execute("SET text2sql.tuning = '{\"table_value_weight\": 8}'")
        .unwrap();
    assert_eq!(first_of(&mut analyst, stored, both, "{}"), "storehouse");
}

/// The columns that a prompt shows of a table, and how many it says there are besides.
fn columns(prompt: &str, table: &str) -> (Vec<String>, Option<usize>) {
    let block = prompt.split("\n\n").find_map(|block| {
        let at = block.find(&format!("{table} ("))?;
        block.get(at..)
    });
    let lines: Vec<&str> = block.unwrap().lines().skip(1).collect();
    let more = lines.iter().find_map(|line| {
        let line = line.trim().strip_prefix("… and ")?;
        line.split_once(" more columns")?.0.parse().ok()
    });
    let names = lines.iter().take_while(|line| line.starts_with("  "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    let names = names.filter(|name| *name != "…").map(str::to_owned);
    (names.collect(), more)
}

#[test]
fn a_prompt_shows_as_many_columns_of_a_table_as_it_may() {
    let double = ModelDouble::start(Script::new().on("", [ANSWER])).unwrap();
    let database = farm("column_count");
    database.add_model("m", "openai", &double.base_url("ok"), ", egress 'values'");
    let mut analyst = database.analyst();
    let question = "What is the roof of the storehouse in Riverbend?";
    let mut shown = |options: &str, question: &str| {
        let sql = "SELECT text2sql.preview_prompt($1, options => $2::text::jsonb)";
        let row = analyst.query_one(sql, &[&question, &options]).unwrap();
        columns(row.get(0), "storehouse")
    };
    let (all, more) = shown("{}", question);
    assert_eq!((all.len(), more), (7, None));
    assert_eq!(shown(r#"{"column_count": 0}"#, question), (all, None));
    // The column of the value and the one that is named, then keys and joins, then others.
    for (options, expected, more) in [
        (r#"{"column_count": 2}"#, "place roof", 5),
        (
            r#"{"column_count": 4}"#,
            "storehouse_id place roof harvest_id",
            3,
        ),
        (
            r#"{"column_count": 5}"#,
            "storehouse_id place area roof harvest_id",
            2,
        ),
        // The same where tables are searched for.
        (
            r#"{"column_count": 4, "usual_schema_chars": 1000, "max_schema_chars": 1000}"#,
            "storehouse_id place roof harvest_id",
            3,
        ),
    ] {
        let (names, omitted) = shown(options, question);
        assert_eq!(
            (names.join(" ").as_str(), omitted),
            (expected, Some(more)),
            "{options}"
        );
    }
    let (names, _) = shown(
        r#"{"column_count": 1}"#,
        "How many storehouses have a door?",
    );
    assert_eq!(names, ["door"]);
}

/// `evaluate` and `tune` vary the keys, and what is asked changes.
#[test]
fn the_keys_can_be_compared_and_searched() {
    let double = ModelDouble::start(Script::new().on("", [ANSWER])).unwrap();
    let database = farm("table_keys");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    database
        .superuser()
        .batch_execute("SELECT text2sql.grant_access('t2s_analyst', 'evaluation')")
        .unwrap();
    let mut analyst = database.analyst();
    analyst
        .batch_execute(
            "SET client_min_messages = warning;
             SELECT text2sql_eval.add_case('farm', 'How many storehouses are there, in words of person ' || n || '?',
                                           'SELECT count(*) FROM storehouse', key => 'case ' || n) FROM generate_series(1, 10) AS n",
        )
        .unwrap();
    analyst
        .batch_execute(
            r#"CALL text2sql_eval.evaluate('farm', variants => '{"few columns": {"column_count": 2, "table_word_weight": 2}}')"#,
        )
        .unwrap();
    let prompts: Vec<String> = double
        .requests()
        .iter()
        .map(|request| request.body.to_string())
        .collect();
    let cut = prompts
        .iter()
        .filter(|prompt| prompt.contains("more columns"));
    // The prompts of one of the two variants.
    assert_eq!(2 * cut.count(), prompts.len());
    assert!(!prompts.is_empty());
    analyst
        .batch_execute(
            r#"CALL text2sql_eval.tune('farm', '{"column_count": [2, 4], "table_word_weight": {"min": 0, "max": 2, "steps": 2},
                "table_vector_weight": [2], "table_value_weight": [4]}', hold_out => 0.5, max_questions => 100)"#,
        )
        .unwrap();
    let tried = "SELECT coalesce(string_agg(settings::text, ' '), '') FROM text2sql_eval.trials";
    let tried: String = analyst.query_one(tried, &[]).unwrap().get(0);
    for setting in [
        r#""column_count": 2"#,
        r#""column_count": 4"#,
        r#""table_word_weight": 2"#,
        r#""table_vector_weight": 2"#,
        r#""table_value_weight": 4"#,
    ] {
        assert!(tried.contains(setting), "{setting}: {tried}");
    }
}
