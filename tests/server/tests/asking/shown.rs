//! What `show` and `ask` say about an answer, and about what hides one.

use text2sql_server_tests::TestDatabase;

#[test]
fn an_answer_that_a_person_verified_says_its_value_and_who() {
    let database = TestDatabase::new("shown_verified");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "SELECT text2sql.accept('example', text2sql.add_example('How many big orders are there?', 'SELECT count(*) FROM orders WHERE total > 300'))",
        )
        .unwrap();
    let rows = database
        .analyst()
        .query(
            "SELECT * FROM text2sql.show('How many big orders are there?')",
            &[],
        )
        .unwrap();
    let lines: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    let (said, who) = (
        "There are 100 big orders.".to_owned(),
        "verified by postgres".to_owned(),
    );
    let at = lines.iter().position(|line| *line == said);
    assert!(at.is_some(), "{lines:?}");
    assert_eq!(lines.get(at.unwrap() + 1), Some(&who), "{lines:?}");
}

#[test]
fn a_superuser_is_told_how_to_see_rows_that_a_policy_hides() {
    let database = TestDatabase::new("shown_policies");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "CREATE TABLE tickets (ticket_id integer PRIMARY KEY, is_open boolean);
             ALTER TABLE tickets ENABLE ROW LEVEL SECURITY;
             CREATE POLICY open_ones ON tickets USING (is_open)",
        )
        .unwrap();
    let row = admin
        .query_one(
            "SELECT status, warnings FROM text2sql.ask('How many tickets are there?')",
            &[],
        )
        .unwrap();
    let (status, warnings): (String, Vec<String>) = (row.get(0), row.get(1));
    assert_eq!(status, "not_permitted");
    assert_eq!(
        warnings,
        ["Use SET ROLE to become the role whose rows are meant."]
    );
}
