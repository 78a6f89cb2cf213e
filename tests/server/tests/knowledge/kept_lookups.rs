//! What a session keeps of earlier questions never outlives what it was read from: the same question, asked again
//! after a change of role, privileges, protection, rows, definitions or settings, is answered as in a new session.

use postgres::Client;
use text2sql_server_tests::TestDatabase;

/// Everything that a question finds, as one text.
fn found(client: &mut Client, question: &str) -> String {
    let sql =
        "SELECT coalesce(string_agg(concat_ws('|', object, kind, why), E'\\n' ORDER BY rank), '')
                 FROM text2sql.retrieve($1) WHERE kind <> 'certainty'";
    client.query_one(sql, &[&question]).unwrap().get(0)
}

/// The prompt of a question.
fn prompt(client: &mut Client, question: &str) -> String {
    let sql =
        "SELECT coalesce(string_agg(p::text, E'\\n'), '') FROM text2sql.preview_prompt($1) AS p";
    client.query_one(sql, &[&question]).unwrap().get(0)
}

fn run(client: &mut Client, sql: &str) {
    client.batch_execute(sql).unwrap();
}

/// A typing error, so that values are looked up by their spelling, and a word for a definition.
const QUESTION: &str = "How many pets of Zacharais are there, by turnover?";

/// The steps between two questions of one session: by an administrator, by the session itself, and a text that the
/// question must find or not find then.
const STEPS: &[(&str, &str, &str, bool)] = &[
    ("", "", "pets.holder", true),
    // Roles of a pool.
    ("", "SET ROLE t2s_kept_lookups_other", "pets.holder", false),
    ("", "RESET ROLE", "pets.holder", true),
    // Privileges.
    ("REVOKE SELECT ON pets FROM t2s_analyst", "", "pets", false),
    (
        "GRANT SELECT (kind) ON pets TO t2s_analyst",
        "",
        "pets.holder",
        false,
    ),
    (
        "GRANT SELECT ON pets TO t2s_analyst",
        "",
        "pets.holder",
        true,
    ),
    (
        "REVOKE USAGE ON SCHEMA public FROM PUBLIC",
        "",
        "pets",
        false,
    ),
    (
        "GRANT USAGE ON SCHEMA public TO PUBLIC",
        "",
        "pets.holder",
        true,
    ),
    // Protection.
    (
        "SELECT text2sql.protect('pets.holder', 'private')",
        "",
        "pets.holder",
        false,
    ),
    (
        "SELECT text2sql.protect('pets.holder', 'open')",
        "CALLED",
        "pets.holder",
        true,
    ),
    (
        "SELECT text2sql.protect('pets', 'hidden')",
        "",
        "pets",
        false,
    ),
    (
        "SELECT text2sql.protect('pets', 'open')",
        "CALLED",
        "pets.holder",
        true,
    ),
    // Under row-level security, no role gets the values of the table.
    (
        "ALTER TABLE pets ENABLE ROW LEVEL SECURITY",
        "",
        "pets.holder",
        false,
    ),
    (
        "ALTER TABLE pets DISABLE ROW LEVEL SECURITY",
        "CALLED",
        "pets.holder",
        true,
    ),
    // Rows, with nothing else changed: only the values of the index are new. An update of the index sees that from the
    // statistics, which a session otherwise reports once a second.
    (
        "UPDATE pets SET holder = 'Amalia'; SELECT pg_stat_force_next_flush()",
        "CALLED",
        "pets.holder",
        false,
    ),
    (
        "UPDATE pets SET holder = 'Zacharias'; SELECT pg_stat_force_next_flush()",
        "CALLED",
        "pets.holder",
        true,
    ),
    // DDL.
    (
        "ALTER TABLE pets RENAME holder TO keeper",
        "CALLED",
        "pets.keeper",
        true,
    ),
    (
        "ALTER TABLE pets RENAME TO animals",
        "CALLED",
        "animals.keeper",
        true,
    ),
    ("DROP TABLE animals", "", "animals", false),
];

#[test]
fn values_and_names_are_those_of_this_moment() {
    for is_indexed in [true, false] {
        let database = TestDatabase::new("kept_lookups");
        database.create_role("other", "");
        let mut admin = database.superuser();
        run(
            &mut admin,
            "CREATE TABLE pets (holder text, kind text);
             INSERT INTO pets SELECT 'Zacharias', 'cat' FROM generate_series(1, 20); ANALYZE pets;
             GRANT SELECT ON pets TO t2s_analyst; GRANT t2s_kept_lookups_other TO t2s_analyst;
             GRANT SELECT ON countries TO t2s_kept_lookups_other;
             SELECT text2sql.grant_access('t2s_kept_lookups_other')",
        );
        if is_indexed {
            run(&mut admin, "CALL text2sql.refresh()");
        }
        let mut session = database.analyst();
        for (by_admin, by_session, text, is_found) in STEPS {
            run(&mut admin, by_admin);
            let is_refreshed = *by_session == "CALLED";
            if is_refreshed && is_indexed {
                run(&mut admin, "CALL text2sql.refresh()");
            }
            if !is_refreshed {
                run(&mut session, by_session);
            }
            let mut fresh = database.analyst();
            if !is_refreshed && by_session.starts_with("SET") {
                run(&mut fresh, by_session);
            }
            let expected = found(&mut fresh, QUESTION);
            for _ in 0..2 {
                let now = found(&mut session, QUESTION);
                assert_eq!(now, expected, "{by_admin} {by_session} {is_indexed}");
            }
            // Without an index, the names of tables are all that is found.
            if is_indexed || !text.contains('.') {
                let holds = expected.contains(text);
                assert_eq!(holds, *is_found, "{by_admin} {by_session}: {expected}");
            }
        }
    }
}

#[test]
fn definitions_are_those_of_this_moment() {
    let database = TestDatabase::new("kept_definitions");
    let (mut admin, mut session) = (database.superuser(), database.analyst());
    run(
        &mut admin,
        "SELECT text2sql.define('net sales', 'turnover without tax')",
    );
    run(&mut admin, "CALL text2sql.refresh()");
    database.add_model("m", "openai", "http://127.0.0.1:9/v1", "");
    for client in [&mut admin, &mut session] {
        run(client, "SET text2sql.model = 'm'");
    }
    for change in [
        "SELECT 1",
        // The same number of definitions and words: only a version of a row tells the difference.
        "SELECT text2sql.define('net sales', 'turnover without fees')",
        "SELECT text2sql.define('churn', 'customers who left')",
        "SELECT text2sql.forget('definition', 'net sales')",
        "SELECT text2sql.define('turnover', 'all that came in')",
    ] {
        run(&mut admin, change);
        let mut fresh = database.analyst();
        run(&mut fresh, "SET text2sql.model = 'm'");
        let expected = prompt(&mut fresh, QUESTION);
        for _ in 0..2 {
            assert_eq!(prompt(&mut session, QUESTION), expected, "{change}");
        }
    }
}

#[test]
fn settings_and_language_are_those_of_this_moment() {
    let database = TestDatabase::new("kept_settings");
    // Only a superuser may set the allowed schemas.
    let mut session = database.superuser();
    run(&mut session, "CALL text2sql.refresh()");
    for (setting, question) in [
        ("SET text2sql.allowed_schemas = 'none'", QUESTION),
        ("RESET text2sql.allowed_schemas", QUESTION),
        ("SET search_path = pg_catalog", QUESTION),
        (
            "RESET search_path",
            "Wie viele Kunden gibt es in Deutschland?",
        ),
        (
            r#"SET text2sql.tuning = '{"without": ["interpret"]}'"#,
            QUESTION,
        ),
        ("RESET ALL", "How many customers live in Germny?"),
    ] {
        run(&mut session, setting);
        let mut fresh = database.superuser();
        run(&mut fresh, setting);
        let expected = found(&mut fresh, question);
        for _ in 0..2 {
            assert_eq!(found(&mut session, question), expected, "{setting}");
        }
    }
}

#[test]
fn what_a_rolled_back_transaction_saw_is_forgotten() {
    let database = TestDatabase::new("kept_rollback");
    let (mut admin, mut session) = (database.superuser(), database.superuser());
    run(&mut admin, "CALL text2sql.refresh()");
    let before = found(&mut session, QUESTION);
    run(
        &mut session,
        "BEGIN; CREATE TABLE pets (holder text, turnover numeric); COMMENT ON TABLE pets IS 'pets'",
    );
    assert_ne!(found(&mut session, QUESTION), before);
    run(&mut session, "ROLLBACK");
    assert_eq!(found(&mut session, QUESTION), before);
}
