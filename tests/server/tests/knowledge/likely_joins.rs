//! Joins that nobody declared: what refresh() infers, who sees it, and what a decision or a change does to it.

use postgres::Client;
use text2sql_server_tests::{TestDatabase, error_of};

/// A shop without a foreign key, which the analyst may read but for the clients.
fn shop(test: &str) -> TestDatabase {
    let database = TestDatabase::new(test);
    database
        .superuser()
        .batch_execute(
            "CREATE SCHEMA likely;
             CREATE TABLE likely.clients (id int PRIMARY KEY, name text);
             INSERT INTO likely.clients SELECT n, 'client ' || n FROM generate_series(1, 60) AS n;
             CREATE TABLE likely.bills (id int PRIMARY KEY, client_id int, amount numeric);
             INSERT INTO likely.bills SELECT n, 1 + n % 60, n FROM generate_series(1, 300) AS n;
             CREATE TABLE likely.letters (id int PRIMARY KEY, client_id int, text text);
             INSERT INTO likely.letters SELECT n, 1 + n % 60, 'x' FROM generate_series(1, 90) AS n;
             ALTER TABLE likely.letters ENABLE ROW LEVEL SECURITY;
             -- A column without values references nothing, whatever its name.
             CREATE TABLE likely.drafts (id int PRIMARY KEY, client_id int);
             INSERT INTO likely.drafts SELECT n, NULL FROM generate_series(1, 40) AS n;
             GRANT USAGE ON SCHEMA likely TO t2s_analyst;
             GRANT SELECT ON likely.bills, likely.letters TO t2s_analyst;
             GRANT SELECT (name) ON likely.clients TO t2s_analyst;
             SELECT text2sql.grant_access('t2s_analyst', 'curator')",
        )
        .unwrap();
    refresh(&mut database.superuser());
    database
}

/// Alone in its message: it cannot run in a transaction block.
fn refresh(client: &mut Client) {
    client.batch_execute("CALL text2sql.refresh()").unwrap();
}

/// The proposals that a role sees, with their evidence.
fn proposals(client: &mut Client) -> Vec<(String, f32, String)> {
    let sql = "SELECT column_names[1] || ' ~> ' || target_column_names[1], certainty, evidence
               FROM text2sql.joins WHERE status = 'suggested' AND column_names[1] LIKE 'likely.%' ORDER BY 1";
    let rows = client.query(sql, &[]).unwrap();
    rows.iter()
        .map(|row| (row.get(0), row.get(1), row.get(2)))
        .collect()
}

fn names(client: &mut Client) -> Vec<String> {
    proposals(client)
        .into_iter()
        .map(|(name, ..)| name)
        .collect()
}

/// Lines of the prompt with a join to the clients.
fn prompt(client: &mut Client) -> Vec<String> {
    let sql = "SELECT text2sql.preview_prompt('What is the amount of the bills of each client?')";
    let text: String = client.query_one(sql, &[]).unwrap().get(0);
    let lines = text.lines().filter(|line| line.contains("clients(id)"));
    lines.map(|line| line.trim().to_owned()).collect()
}

const BILLS: &str = "likely.bills.client_id ~> likely.clients.id";
const LETTERS: &str = "likely.letters.client_id ~> likely.clients.id";

#[test]
fn a_proposal_is_shown_to_those_who_may_read_both_sides() {
    let database = shop("likely_roles");
    let (mut admin, mut analyst) = (database.superuser(), database.analyst());
    let all = proposals(&mut admin);
    let [bills, letters] = all.as_slice() else {
        panic!("{all:?}");
    };
    assert_eq!(bills.0, BILLS);
    assert!(
        bills.1 >= 0.95 && bills.2.contains("60 of 60 sampled values"),
        "{bills:?}"
    );
    // Rows behind row-level security are not read: it is judged by names.
    assert_eq!(letters.0, LETTERS);
    assert!(
        letters.1 < bills.1 && !letters.2.contains("sampled"),
        "{letters:?}"
    );
    let shown = prompt(&mut admin);
    assert!(
        shown.iter().any(|line| line.starts_with("client_id")
            && line.ends_with('%')
            && line.contains(" ~> ")),
        "{shown:?}"
    );
    assert!(proposals(&mut analyst).is_empty());
    assert!(prompt(&mut analyst).is_empty());
    admin
        .batch_execute("GRANT SELECT (id) ON likely.clients TO t2s_analyst")
        .unwrap();
    assert_eq!(names(&mut analyst), [BILLS, LETTERS]);
    // In a session that has described the tables without the join.
    assert!(!prompt(&mut analyst).is_empty());
    admin.batch_execute("REVOKE SELECT (client_id) ON likely.bills FROM t2s_analyst; REVOKE SELECT ON likely.bills FROM t2s_analyst; GRANT SELECT (id, amount) ON likely.bills TO t2s_analyst").unwrap();
    assert_eq!(names(&mut analyst), [LETTERS]);
    admin
        .batch_execute("SELECT text2sql.protect('likely.clients.id', 'hidden')")
        .unwrap();
    assert!(names(&mut analyst).is_empty() && prompt(&mut analyst).is_empty());
    refresh(&mut admin);
    assert!(proposals(&mut admin).is_empty());
    let sql = "SELECT FROM text2sql._index_join_counts";
    assert_eq!(error_of(&mut analyst, sql).0, "42501");
}

#[test]
fn a_decision_and_a_declared_key_end_a_proposal() {
    let database = shop("likely_decided");
    let mut admin = database.superuser();
    let decide = |client: &mut Client, call: &str, join: &str| {
        client
            .execute(
                &format!(
                    "SELECT text2sql.{call} FROM text2sql.joins
                     WHERE column_names[1] || ' ~> ' || target_column_names[1] = $1"
                ),
                &[&join],
            )
            .unwrap();
    };
    decide(&mut admin, "accept('join', id)", BILLS);
    decide(&mut admin, "reject('join', id)", LETTERS);
    assert!(prompt(&mut admin).iter().all(|line| !line.ends_with('%')));
    refresh(&mut admin);
    assert!(proposals(&mut admin).is_empty());
    decide(&mut admin, "forget('join', id)", BILLS);
    decide(&mut admin, "forget('join', id)", LETTERS);
    refresh(&mut admin);
    assert_eq!(names(&mut admin), [BILLS, LETTERS]);
    admin
        .batch_execute(
            "ALTER TABLE likely.bills ADD FOREIGN KEY (client_id) REFERENCES likely.clients;
             DROP TABLE likely.letters",
        )
        .unwrap();
    refresh(&mut admin);
    assert!(proposals(&mut admin).is_empty());
}

#[test]
fn a_proposal_follows_the_rows() {
    let database = shop("likely_rows");
    let mut admin = database.superuser();
    admin
        .batch_execute("UPDATE likely.bills SET client_id = client_id + 100000; SELECT pg_stat_force_next_flush()")
        .unwrap();
    // The counters of rows are read in another session a moment later.
    let mut other = database.superuser();
    for _ in 0..50 {
        refresh(&mut other);
        if names(&mut other) == [LETTERS] {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert_eq!(names(&mut other), [LETTERS]);
}

#[test]
fn a_refresh_leaves_what_others_inferred_from_tables_that_it_cannot_read() {
    let database = shop("likely_partial");
    let mut admin = database.superuser();
    let before = proposals(&mut admin);
    let mut analyst = database.analyst();
    refresh(&mut analyst);
    assert_eq!(proposals(&mut admin), before);
}
