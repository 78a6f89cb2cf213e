//! Questions in sessions that are set up unlike most: what the caller has set neither stops ours nor
//! changes its results.

use text2sql_server_tests::{TestDatabase, error_of};

#[test]
fn a_client_of_a_small_encoding_can_read_what_is_said() {
    let database = TestDatabase::new("sessions_encoding");
    // The hint comes once in a session, to a role that may add a model.
    let connect = || {
        let mut client = database.superuser();
        client
            .batch_execute("SET client_encoding = 'LATIN1'")
            .unwrap();
        client
    };
    let lines = |sql: &str| -> Vec<String> {
        let rows = connect().query(sql, &[]).unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    };
    let shown = lines("SELECT * FROM text2sql.show('How many dragons are there?')");
    assert_eq!(
        shown,
        [
            "status: unanswerable",
            "the built-in engine does not understand \"dragons\"",
            "You can ask:",
            "  - How many countries are there?",
            "  - How many customers are there?",
            "  - How many orders are there?",
            "hint: the built-in engine answers simple questions only; for more, configure a model: SELECT text2sql.add_model(...); SET text2sql.model = '...'"
        ]
    );
    let warned = lines("SELECT unnest(warnings) FROM text2sql.ask('How many dragons are there?')");
    assert!(
        warned.iter().any(|w| w.contains("add_model(...)")),
        "{warned:?}"
    );
    let noted = lines("SELECT note FROM text2sql.status() WHERE item = 'ready'");
    assert!(
        noted.iter().any(|n| n.contains("add_model(...)")),
        "{noted:?}"
    );
    let (state, _, hint) = error_of(
        &mut connect(),
        "SELECT text2sql.to_sql('How many dragons are there?')",
    );
    assert_eq!(state, "T2002");
    assert!(hint.contains("SET text2sql.model = '...'"), "{hint}");
}

#[test]
fn row_security_off_is_about_the_callers_tables_alone() {
    let database = TestDatabase::new("sessions_policies");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "CREATE TABLE tickets (ticket_id integer PRIMARY KEY, is_open boolean);
             ALTER TABLE tickets ENABLE ROW LEVEL SECURITY;
             CREATE POLICY open_ones ON tickets USING (is_open);
             INSERT INTO tickets VALUES (1, true), (2, false);
             GRANT SELECT ON tickets TO t2s_analyst",
        )
        .unwrap();
    let mut analyst = database.analyst();
    analyst.batch_execute("SET row_security = off").unwrap();
    let mut answer = |question: &str| -> (String, String) {
        let sql = "SELECT status, answer FROM text2sql.ask($1)";
        let row = analyst.query_one(sql, &[&question]).unwrap();
        (row.get(0), row.get(1))
    };
    assert_eq!(
        answer("How many orders are there?"),
        ("ok".into(), "There are 400 orders.".into())
    );
    assert_eq!(
        answer("How many tickets are there?"),
        ("ok".into(), "There is 1 ticket.".into())
    );
    let kept: String = analyst.query_one("SHOW row_security", &[]).unwrap().get(0);
    assert_eq!(kept, "off");
}
