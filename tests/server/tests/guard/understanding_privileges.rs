//! Explanations of a query reveal nothing that the caller cannot see: tables without
//! privileges, columns without privileges, hidden columns, rows behind a policy, what is behind a
//! view.

use postgres::{Client, SimpleQueryMessage};
use text2sql_server_tests::TestDatabase;

const FUNCTIONS: [&str; 5] = [
    "explain",
    "trust_report",
    "why_empty",
    "explain_plan",
    "optimize",
];

const SECRETS: &str = "
SET client_min_messages = warning;
CREATE TABLE ledger (keeper text PRIMARY KEY, hoard numeric, COMMENT_free text);
INSERT INTO ledger SELECT 'keeper ' || n, n + 500000, 'x' FROM generate_series(1, 3000) n;
COMMENT ON TABLE ledger IS 'what the dragon owns';
CREATE VIEW keepers AS SELECT keeper FROM ledger WHERE hoard < 502345;
CREATE TABLE letters (letter_id integer PRIMARY KEY, writer text, body text, password text);
INSERT INTO letters SELECT n, CASE n % 3 WHEN 0 THEN 'Umbriel' ELSE 'Ariel' END, 'body ' || n, 'swordfish' || n
FROM generate_series(1, 6000) n;
COMMENT ON COLUMN letters.password IS 'in plain text, alas';
ALTER TABLE letters ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON letters USING (writer <> 'Umbriel');
CREATE INDEX letters_by_password ON letters (password);
CREATE TABLE guests (guest_id integer PRIMARY KEY, alias text, passport text);
INSERT INTO guests SELECT n, 'guest ' || n, 'P-' || n + 770000 FROM generate_series(1, 3000) n;
CREATE INDEX guests_by_passport ON guests (passport);
GRANT SELECT ON keepers, guests TO t2s_analyst;
GRANT SELECT (letter_id, writer, body) ON letters TO t2s_analyst;
SELECT text2sql.protect('guests.passport', 'hidden');
ANALYZE";

/// The complete output of a function: rows, or the error with all its fields.
fn said(client: &mut Client, function: &str, sql: &str) -> String {
    let quoted = sql.replace('\'', "''");
    let query = format!("SELECT * FROM text2sql.{function}('{quoted}')");
    match client.simple_query(&query) {
        Ok(messages) => {
            let mut text = String::new();
            for message in messages {
                if let SimpleQueryMessage::Row(row) = message {
                    for place in 0..row.len() {
                        text.push_str(row.get(place).unwrap_or_default());
                        text.push('\n');
                    }
                }
            }
            text
        }
        Err(error) => {
            let error = error.as_db_error().expect("an error of the database");
            format!(
                "{} {} {}",
                error.message(),
                error.detail().unwrap_or_default(),
                error.hint().unwrap_or_default()
            )
        }
    }
}

#[test]
fn nothing_is_said_that_the_reader_may_not_see() {
    let database = TestDatabase::new("understanding_privileges");
    database.superuser().batch_execute(SECRETS).unwrap();
    let mut analyst = database.analyst();
    for (sql, secrets) in [
        // Behind a view: its table, the column and the constant of its condition.
        (
            "SELECT * FROM keepers WHERE upper(keeper) = 'KEEPER 5'",
            &["ledger", "hoard", "502345", "dragon"][..],
        ),
        (
            "SELECT * FROM keepers WHERE keeper = 'keeper 2999'",
            &["ledger", "hoard", "502345"],
        ),
        (
            "SELECT count(*) FROM keepers k JOIN guests g ON g.alias = k.keeper",
            &["ledger", "502345"],
        ),
        // A policy: its constant, and the rows that it holds back.
        (
            "SELECT letter_id FROM letters WHERE body = 'body 3'",
            &["Umbriel", "password", "swordfish"],
        ),
        (
            "SELECT letter_id FROM letters WHERE writer = 'Umbrie'",
            &["Umbriel", "password"],
        ),
        (
            "SELECT writer, count(*) FROM letters GROUP BY writer ORDER BY 2",
            &["Umbriel", "password"],
        ),
        // A table without privileges, asked for and mistyped: its columns, its rows, its comment.
        (
            "SELECT * FROM ledger WHERE keeper = 'nobody'",
            &["hoard", "dragon", "keeper 1", "keeper 2"],
        ),
        ("SELECT hord FROM ledger", &["hoard", "dragon"]),
        ("SELECT * FROM ledgr", &["ledger", "dragon"]),
        (
            "UPDATE ledger SET keeper = 'me' WHERE keeper = 'x'",
            &["hoard", "dragon", "3000"],
        ),
        // A column without privileges: its name where it was mistyped, its comment, its values.
        ("SELECT pasword FROM letters", &["password", "alas"]),
        (
            "SELECT password FROM letters WHERE password = 'swordfish'",
            &["alas", "swordfish1"],
        ),
        (
            "DELETE FROM letters WHERE password LIKE 'sword%'",
            &["alas", "swordfish", "6000", "4000"],
        ),
        // A hidden column.
        ("SELECT pasport FROM guests", &["passport", "P-77"]),
        (
            "SELECT guest_id FROM guests WHERE passport = 'P-1'",
            &["P-770", "guests_by"],
        ),
        (
            "SELECT alias FROM guests WHERE alias = 'guest 0'",
            &["passport", "P-77"],
        ),
    ] {
        for function in FUNCTIONS {
            let text = said(&mut analyst, function, sql);
            assert!(
                !text.is_empty() || function != "explain",
                "{function}: {sql}"
            );
            for secret in secrets {
                assert!(!text.contains(secret), "{function} of {sql}: {text}");
            }
        }
    }
}

#[test]
fn with_measured_runs_no_count_of_hidden_rows_is_told() {
    let database = TestDatabase::new("understanding_measured");
    database.superuser().batch_execute(SECRETS).unwrap();
    let mut analyst = database.analyst();
    let rows = analyst
        .query(
            "SELECT explanation || coalesce(problem, '') FROM text2sql.explain_plan($1, '{\"analyze\": true}')",
            &[&"SELECT letter_id FROM letters WHERE body = 'body 4'"],
        )
        .unwrap();
    let text: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    let text = text.join("\n");
    assert!(text.contains("a condition that you may not see"), "{text}");
    for secret in ["Umbriel", "5999", "3999"] {
        assert!(!text.contains(secret), "{text}");
    }
}

#[test]
fn examples_about_closed_tables_are_not_named() {
    let database = TestDatabase::new("understanding_examples");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "SELECT text2sql.accept('example', text2sql.add_example('How many orders are there?', 'SELECT count(*) FROM orders'));
             SELECT text2sql.accept('example', text2sql.add_example('How many orders of well paid people?',
                 'SELECT count(*) FROM orders WHERE total > (SELECT min(salary) FROM salaries)'));
             SELECT text2sql.add_example('How many orders, unverified?', 'SELECT count(*) AS n FROM orders')",
        )
        .unwrap();
    let named = |client: &mut Client| -> Vec<String> {
        let query = "SELECT explanation FROM text2sql.explain('SELECT count(*) FROM orders') WHERE clause = 'EXAMPLE'";
        let rows = client.query(query, &[]).unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    };
    for has_index in [false, true] {
        if has_index {
            database
                .superuser()
                .batch_execute("CALL text2sql.refresh()")
                .unwrap();
        }
        assert_eq!(
            named(&mut database.analyst()),
            [
                "\"How many orders are there?\" (verified by postgres) is answered by this query, constants aside."
            ],
            "{has_index}"
        );
        assert_eq!(named(&mut admin).len(), 2, "{has_index}");
    }
}
