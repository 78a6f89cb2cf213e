//! What is tried before a question is declined by the built-in engine, and what a refusal comes with: never a name or
//! a value that the role may not read.

use postgres::Client;
use text2sql_server_tests::TestDatabase;

/// Members who live in homes in towns in nations. More nations than the statistics hold, and no search index.
fn club(test: &str) -> TestDatabase {
    let database = TestDatabase::new(test);
    database
        .superuser()
        .batch_execute(
            "CREATE TABLE nations (nation_id int PRIMARY KEY, nation text NOT NULL UNIQUE);
             CREATE TABLE towns (town_id int PRIMARY KEY, town text NOT NULL, nation_id int NOT NULL REFERENCES nations);
             CREATE TABLE homes (home_id int PRIMARY KEY, street text NOT NULL, town_id int NOT NULL REFERENCES towns);
             CREATE TABLE members (member_id int PRIMARY KEY, first_name text NOT NULL, last_name text NOT NULL,
                                   fee numeric NOT NULL, home_id int NOT NULL REFERENCES homes);
             INSERT INTO nations SELECT n, 'Nation ' || n FROM generate_series(1, 300) AS n;
             INSERT INTO nations VALUES (301, 'Norway'), (302, 'Germany');
             INSERT INTO towns SELECT t, 'Town ' || t, t FROM generate_series(1, 302) AS t;
             INSERT INTO homes SELECT h, 'Street ' || h, h FROM generate_series(1, 302) AS h;
             INSERT INTO members SELECT m, 'First ' || m, 'Last ' || m, m, m FROM generate_series(1, 302) AS m;
             INSERT INTO members VALUES (303, 'Ada', 'Berg', 7, 301);
             GRANT SELECT ON nations, towns, homes, members TO t2s_analyst;
             ANALYZE",
        )
        .unwrap();
    database
}

/// Status, answer, warnings and clarification of a question.
fn ask(client: &mut Client, question: &str) -> (String, String, String, String) {
    let sql = "SELECT status, answer, array_to_string(warnings, E'\\n'), coalesce(clarification::text, '')
               FROM text2sql.ask($1)";
    let row = client.query_one(sql, &[&question]).unwrap();
    (row.get(0), row.get(1), row.get(2), row.get(3))
}

fn only_value(client: &mut Client, question: &str) -> String {
    let sql = "SELECT coalesce((SELECT value FROM json_each_text(result_rows->0) LIMIT 1), status || ': ' || answer)
               FROM text2sql.ask($1)";
    client.query_one(sql, &[&question]).unwrap().get(0)
}

#[test]
fn a_value_behind_foreign_keys_is_found_without_an_index() {
    let database = club("refusals_values");
    let mut analyst = database.analyst();
    for (question, count) in [
        ("How many members are in Norway?", "2"),
        ("How many members are from Germany?", "1"),
        ("how many members are in norway?", "2"),
        ("Wie viele Mitglieder kommen aus Norwegen?", "2"),
    ] {
        assert_eq!(only_value(&mut analyst, question), count, "{question}");
    }
    let (_, _, warnings, _) = ask(&mut analyst, "Which members are in Norway?");
    assert!(
        warnings.contains("'Norway' is nations.nation"),
        "{warnings}"
    );
    let (_, _, warnings, _) = ask(&mut analyst, "Wie viele Mitglieder kommen aus Norwegen?");
    assert!(
        warnings.contains("„Mitglieder“ ist die Tabelle members")
            && warnings.contains("„Norwegen“ wird als Norway gelesen"),
        "{warnings}"
    );
}

#[test]
fn no_value_is_found_that_the_role_may_not_read() {
    let database = club("refusals_privileges");
    let (mut admin, mut analyst) = (database.superuser(), database.analyst());
    let question = "How many members are in Norway?";
    assert_eq!(ask(&mut analyst, question).0, "ok");
    let is_silent = |client: &mut Client| {
        let (status, answer, warnings, clarification) = ask(client, question);
        assert_ne!(status, "ok", "{answer}");
        let said = [answer, warnings, clarification].concat();
        assert!(!said.contains("nations.nation"), "{said}");
    };
    admin
        .batch_execute("REVOKE SELECT ON nations FROM t2s_analyst")
        .unwrap();
    is_silent(&mut analyst);
    admin
        .batch_execute(
            "GRANT SELECT ON nations TO t2s_analyst;
             SELECT text2sql.protect('column nations.nation', 'private')",
        )
        .unwrap();
    is_silent(&mut analyst);
    // A policy may call functions of the table's owner that the question did not ask for.
    admin
        .batch_execute(
            "SELECT text2sql.protect('column nations.nation', 'open');
             CREATE FUNCTION told(text) RETURNS boolean LANGUAGE plpgsql AS
                 $$ BEGIN RAISE EXCEPTION 'the policy was run'; END $$;
             ALTER TABLE nations ENABLE ROW LEVEL SECURITY;
             CREATE POLICY told ON nations USING (told(nation))",
        )
        .unwrap();
    is_silent(&mut analyst);
}

#[test]
fn a_misspelt_word_is_read_as_the_only_one_that_is_meant() {
    let database = club("refusals_words");
    let mut analyst = database.analyst();
    assert_eq!(
        only_value(&mut analyst, "How many membres are there?"),
        "303"
    );
    let (_, _, warnings, _) = ask(&mut analyst, "How many membres are there?");
    assert!(
        warnings.contains("'membres' is table members"),
        "{warnings}"
    );
    assert_eq!(only_value(&mut analyst, "Wie viele Städte gibt es?"), "302");
    // A word of its own is no misspelt one.
    let (status, answer, _, _) = ask(&mut analyst, "How many embers are there?");
    assert_eq!(status, "unanswerable", "{answer}");
}

#[test]
fn a_refusal_offers_questions_that_have_an_answer() {
    let database = club("refusals_suggestions");
    let mut analyst = database.analyst();
    for (question, introduction, offered) in [
        (
            "Which members are happy in Norway?",
            "You can ask:",
            "How many members with nation 'Norway' are there?",
        ),
        (
            "Wie viele Mitglieder sind glücklich?",
            "Sie können fragen:",
            "Wie viele Mitglieder gibt es?",
        ),
        (
            "total fee worries of members per town",
            "You can ask:",
            "total fee of members per town",
        ),
    ] {
        let (status, answer, _, clarification) = ask(&mut analyst, question);
        assert_eq!(status, "unanswerable", "{answer}");
        let said: serde_json::Value = serde_json::from_str(&clarification).unwrap();
        assert_eq!(said["question"], introduction);
        let readings = said["readings"].as_array().unwrap();
        assert!((1..=3).contains(&readings.len()), "{readings:?}");
        assert!(readings.iter().any(|one| one == offered), "{readings:?}");
        for reading in readings {
            let (status, answer, _, _) = ask(&mut analyst, reading.as_str().unwrap());
            assert_eq!(status, "ok", "{reading}: {answer}");
        }
    }
    // The next question of a conversation may pick one.
    let sql = "SELECT status FROM text2sql.ask($1, 'refused')";
    let mut status =
        |question: &str| -> String { analyst.query_one(sql, &[&question]).unwrap().get(0) };
    assert_eq!(status("Which members are happy in Norway?"), "unanswerable");
    assert_eq!(status("the first one"), "ok");
}

#[test]
fn nothing_that_is_offered_names_what_the_role_may_not_read() {
    let database = club("refusals_offered");
    let (mut admin, mut analyst) = (database.superuser(), database.analyst());
    let question = "Which members pay the strangest sums per town?";
    admin
        .batch_execute(
            "REVOKE SELECT ON members, towns FROM t2s_analyst;
             GRANT SELECT (member_id, first_name, last_name, home_id) ON members TO t2s_analyst",
        )
        .unwrap();
    let (status, answer, warnings, clarification) = ask(&mut analyst, question);
    assert_ne!(status, "ok", "{answer}");
    let said = [warnings, clarification].concat();
    assert!(!said.contains("fee"), "{said}");
}

#[test]
fn the_hint_about_models_comes_once_and_only_to_who_may() {
    let database = club("refusals_hint");
    let question = "How many dragons are there?";
    let advice = |client: &mut Client| ask(client, question).2;
    let mut admin = database.superuser();
    assert!(advice(&mut admin).contains("text2sql.add_model"));
    assert!(!advice(&mut admin).contains("add_model"));
    let mut analyst = database.analyst();
    assert!(!advice(&mut analyst).contains("model"));
    admin
        .batch_execute(
            "CREATE SERVER gpt FOREIGN DATA WRAPPER text2sql
                 OPTIONS (protocol 'openai', base_url 'https://localhost/v1', model 'm');
             GRANT USAGE ON FOREIGN SERVER gpt TO t2s_analyst",
        )
        .unwrap();
    // Where there was nothing to advise, the advice comes later.
    let hint = advice(&mut analyst);
    assert!(hint.contains("SET text2sql.model = 'gpt'"), "{hint}");
    assert!(!advice(&mut analyst).contains("SET text2sql.model"));
    database.end_pooled_sessions();
    let mut germans = database.analyst();
    let hint = ask(&mut germans, "Wie viele Drachen gibt es?").2;
    assert!(hint.contains("ein Modell ist eingerichtet"), "{hint}");
}
