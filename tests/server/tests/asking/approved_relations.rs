//! A query is approved for the tables that its names meant, not for those that they mean later.

use postgres::Client;
use text2sql_server_tests::{TestDatabase, error_of};

const QUESTION: &str = "How many pay are there?";

fn status(client: &mut Client, sql: &str) -> (String, Option<String>) {
    let row = client.query_one(sql, &[]).unwrap();
    (row.get(0), row.get(1))
}

/// Two schemas with a table of one name: one row in `s1`, five in `s2`.
fn two_tables_called_pay(admin: &mut Client, readers: &[&str]) {
    let readers = readers.join(", ");
    admin
        .batch_execute(&format!(
            "CREATE SCHEMA s1; CREATE TABLE s1.pay (id int PRIMARY KEY); INSERT INTO s1.pay VALUES (1);
             CREATE SCHEMA s2; CREATE TABLE s2.pay (id int PRIMARY KEY); INSERT INTO s2.pay SELECT generate_series(1, 5);
             GRANT USAGE ON SCHEMA s1, s2 TO {readers}; GRANT SELECT ON s1.pay, s2.pay TO {readers}"
        ))
        .unwrap();
}

/// A view of another owner over the first of two tables: one row in `few`, five in `many`.
fn stock_of(admin: &mut Client, owner: &str, readers: &[&str]) {
    let readers = readers.join(", ");
    admin
        .batch_execute(&format!(
            "CREATE SCHEMA mine AUTHORIZATION {owner}; SET ROLE {owner};
             CREATE TABLE mine.few (id int PRIMARY KEY); INSERT INTO mine.few VALUES (1);
             CREATE TABLE mine.many (id int PRIMARY KEY); INSERT INTO mine.many SELECT generate_series(1, 5);
             CREATE VIEW mine.stock AS SELECT id FROM mine.few;
             GRANT USAGE ON SCHEMA mine TO {readers}; GRANT SELECT ON mine.stock TO {readers}; RESET ROLE"
        ))
        .unwrap();
}

/// The owner makes it a view over the other.
fn stock_is_of(admin: &mut Client, owner: &str, table: &str) {
    admin
        .batch_execute(&format!(
            "SET ROLE {owner}; CREATE OR REPLACE VIEW mine.stock AS SELECT id FROM mine.{table}; RESET ROLE"
        ))
        .unwrap();
}

#[test]
fn another_path_a_table_in_front_and_a_table_in_its_place_are_not_approved() {
    let database = TestDatabase::new("approved_relations");
    let mut admin = database.superuser();
    let alice = database.create_role("alice", "LOGIN");
    let lead = database.create_role("lead", "LOGIN");
    two_tables_called_pay(&mut admin, &[&alice]);
    admin
        .batch_execute(&format!(
            "SELECT text2sql.grant_access('{alice}'), text2sql.set_approval('{alice}', 'always'), text2sql.grant_access('{lead}', 'approver')"
        ))
        .unwrap();
    let mut asking = database.connect_as(&alice);
    let ask = format!("SELECT status, answer FROM text2sql.ask('{QUESTION}')");
    let answer = "SELECT status, result_rows::text FROM text2sql.answer(1)";
    asking.batch_execute("SET search_path = s1").unwrap();
    assert_eq!(status(&mut asking, &ask).0, "waiting");
    let mut approving = database.connect_as(&lead);
    let row = approving
        .query_one(
            "SELECT relations, search_path FROM text2sql.approvals WHERE id = 1",
            &[],
        )
        .unwrap();
    assert_eq!(row.get::<_, Vec<String>>(0), ["s1.pay"]);
    assert_eq!(row.get::<_, String>(1), "s1");
    approving
        .batch_execute("SELECT text2sql.accept('query', 1)")
        .unwrap();

    asking.batch_execute("SET search_path = s2").unwrap();
    assert_eq!(status(&mut asking, answer).0, "blocked");
    assert_eq!(status(&mut asking, &ask).0, "waiting");

    asking.batch_execute("SET search_path = s1").unwrap();
    assert_eq!(status(&mut asking, &ask).0, "ok");
    let (of_answer, rows) = status(&mut asking, answer);
    assert_eq!(
        (of_answer.as_str(), rows.as_deref()),
        ("ok", Some("[{\"pay\": 1}]"))
    );

    // The same name, another table.
    admin
        .batch_execute(&format!(
            "ALTER TABLE s1.pay RENAME TO paid; CREATE TABLE s1.pay (id int); GRANT SELECT ON s1.pay TO {alice}"
        ))
        .unwrap();
    assert_eq!(status(&mut asking, answer).0, "blocked");
}

/// A verified example is the query that its curator read, over the tables that its names meant to the curator.
#[test]
fn under_another_path_a_verified_example_is_not_replayed() {
    let database = TestDatabase::new("verified_relations");
    let mut admin = database.superuser();
    let alice = database.create_role("alice", "LOGIN");
    let curator = database.create_role("curator", "LOGIN");
    two_tables_called_pay(&mut admin, &[&alice, &curator]);
    admin
        .batch_execute(&format!(
            "SELECT text2sql.grant_access('{alice}'), text2sql.grant_access('{curator}', 'curator')"
        ))
        .unwrap();
    let question = "What is the sum of the wages in the ledger?";
    let sql = "SELECT count(*) AS n FROM pay";
    let mut curating = database.connect_as(&curator);
    curating
        .batch_execute(&format!(
            "SET search_path = s1; SELECT text2sql.accept('example', text2sql.add_example('{question}', '{sql}'))"
        ))
        .unwrap();
    let ask = format!(
        "SELECT status, coalesce(verified_by, '') FROM text2sql.ask('{question}', options => '{{\"model\": \"builtin\"}}')"
    );
    let mut asking = database.connect_as(&alice);
    let mut asked = |path: &str| {
        asking
            .batch_execute(&format!("SET search_path = {path}"))
            .unwrap();
        let row = asking.query_one(&ask, &[]).unwrap();
        (row.get::<_, String>(0), row.get::<_, String>(1))
    };
    assert_eq!(asked("s1"), ("ok".to_owned(), curator.clone()));
    assert_eq!(asked("s2").1, "", "another table has the name");
    assert_eq!(asked("s2, s1").1, "", "another table is in front");
    // A curator who verifies it under another path verifies another query.
    curating
        .batch_execute(
            "SET search_path = s2; SELECT text2sql.accept('example', id) FROM text2sql.examples",
        )
        .unwrap();
    assert_eq!(asked("s2"), ("ok".to_owned(), curator.clone()));
    assert_eq!(asked("s1").1, "");
    // Moved, a table is still the same.
    admin
        .batch_execute("DROP TABLE s1.pay; ALTER TABLE s2.pay SET SCHEMA s1")
        .unwrap();
    assert_eq!(asked("s1"), ("ok".to_owned(), curator));
}

/// A view is the same view whatever it reads, and the tables behind it are not.
#[test]
fn a_query_is_approved_for_the_tables_behind_its_views() {
    let database = TestDatabase::new("approved_views");
    let mut admin = database.superuser();
    let alice = database.create_role("alice", "LOGIN");
    let lead = database.create_role("lead", "LOGIN");
    let owner = database.create_role("owner", "LOGIN");
    stock_of(&mut admin, &owner, &[&alice]);
    admin
        .batch_execute(&format!(
            "SELECT text2sql.grant_access('{alice}'), text2sql.set_approval('{alice}', 'always'), text2sql.grant_access('{lead}', 'approver')"
        ))
        .unwrap();
    let mut asking = database.connect_as(&alice);
    let ask = "SELECT status, answer FROM text2sql.ask('How many stock are there?')";
    let answer = "SELECT status, result_rows::text FROM text2sql.answer(1)";
    assert_eq!(status(&mut asking, ask).0, "waiting");
    let mut approving = database.connect_as(&lead);
    let row = approving
        .query_one("SELECT relations FROM text2sql.approvals WHERE id = 1", &[])
        .unwrap();
    let mut relations: Vec<String> = row.get(0);
    relations.sort();
    assert_eq!(relations, ["mine.few", "mine.stock"]);
    approving
        .batch_execute("SELECT text2sql.accept('query', 1)")
        .unwrap();
    assert_eq!(status(&mut asking, ask).0, "ok");
    let mut replace = |table: &str| stock_is_of(&mut admin, &owner, table);
    replace("many");
    assert_eq!(status(&mut asking, answer).0, "blocked");
    assert_eq!(status(&mut asking, ask).0, "waiting");
    replace("few");
    let (of_answer, rows) = status(&mut asking, answer);
    assert_eq!(
        (of_answer.as_str(), rows.as_deref()),
        ("ok", Some("[{\"stock\": 1}]"))
    );
}

/// The same of a verified example: its view may be replaced by its owner.
#[test]
fn a_verified_example_is_for_the_tables_behind_its_views() {
    let database = TestDatabase::new("verified_views");
    let mut admin = database.superuser();
    let alice = database.create_role("alice", "LOGIN");
    let curator = database.create_role("curator", "LOGIN");
    let owner = database.create_role("owner", "LOGIN");
    let question = "What is the sum of the wages in the ledger?";
    stock_of(&mut admin, &owner, &[&alice, &curator]);
    admin
        .batch_execute(&format!(
            "SELECT text2sql.grant_access('{alice}'), text2sql.grant_access('{curator}', 'curator')"
        ))
        .unwrap();
    let mut curating = database.connect_as(&curator);
    curating
        .batch_execute(&format!(
            "SELECT text2sql.accept('example', text2sql.add_example('{question}', 'SELECT count(*) AS n FROM mine.stock'))"
        ))
        .unwrap();
    let ask = format!(
        "SELECT status, verified_by FROM text2sql.ask('{question}', options => '{{\"model\": \"builtin\"}}')"
    );
    let mut asking = database.connect_as(&alice);
    assert_eq!(status(&mut asking, &ask).1, Some(curator.clone()));
    let mut replace = |table: &str| stock_is_of(&mut admin, &owner, table);
    replace("many");
    assert_eq!(status(&mut asking, &ask).1, None);
    replace("few");
    assert_eq!(status(&mut asking, &ask).1, Some(curator.clone()));
    // A curator who verifies it again has seen what it reads now.
    replace("many");
    curating
        .batch_execute("SELECT text2sql.accept('example', id) FROM text2sql.examples")
        .unwrap();
    assert_eq!(status(&mut asking, &ask).1, Some(curator));
}

/// What becomes an example is the query that was approved, and not what its text means under the path of who approves.
#[test]
fn an_example_of_an_approval_is_what_was_approved() {
    let database = TestDatabase::new("approved_example");
    let mut admin = database.superuser();
    let alice = database.create_role("alice", "LOGIN");
    let lead = database.create_role("lead", "LOGIN");
    two_tables_called_pay(&mut admin, &[&alice, &lead]);
    admin
        .batch_execute(&format!(
            "SELECT text2sql.grant_access('{alice}'), text2sql.set_approval('{alice}', 'always');
             SELECT text2sql.grant_access('{lead}', 'approver'), text2sql.grant_access('{lead}', 'curator')"
        ))
        .unwrap();
    let mut asking = database.connect_as(&alice);
    let ask = format!("SELECT status, verified_by FROM text2sql.ask('{QUESTION}')");
    asking.batch_execute("SET search_path = s1").unwrap();
    assert_eq!(status(&mut asking, &ask).0, "waiting");
    let mut approving = database.connect_as(&lead);
    approving
        .batch_execute(
            "SET search_path = s2; SELECT text2sql.accept('query', 1, as_example => true)",
        )
        .unwrap();
    // The path of the session is what it was.
    let path: String = approving.query_one("SHOW search_path", &[]).unwrap().get(0);
    assert_eq!(path, "s2");
    assert_eq!(status(&mut asking, &ask), ("ok".to_owned(), Some(lead)));
    asking.batch_execute("SET search_path = s2").unwrap();
    assert_eq!(status(&mut asking, &ask).0, "waiting");
}

/// The path of another role may have the role's own schema in it.
#[test]
fn an_approval_that_means_other_tables_for_its_approver_is_no_example() {
    let database = TestDatabase::new("approved_own_schema");
    let mut admin = database.superuser();
    let alice = database.create_role("alice", "LOGIN");
    let lead = database.create_role("lead", "LOGIN");
    admin
        .batch_execute(&format!(
            "CREATE SCHEMA {alice}; CREATE TABLE {alice}.pay (id int PRIMARY KEY);
             CREATE SCHEMA {lead}; CREATE TABLE {lead}.pay (id int PRIMARY KEY);
             GRANT USAGE ON SCHEMA {alice}, {lead} TO {alice}, {lead};
             GRANT SELECT ON {alice}.pay, {lead}.pay TO {alice}, {lead};
             SELECT text2sql.grant_access('{alice}'), text2sql.set_approval('{alice}', 'always');
             SELECT text2sql.grant_access('{lead}', 'approver'), text2sql.grant_access('{lead}', 'curator')"
        ))
        .unwrap();
    let mut asking = database.connect_as(&alice);
    let ask = format!("SELECT status, answer FROM text2sql.ask('{QUESTION}')");
    assert_eq!(status(&mut asking, &ask).0, "waiting");
    let mut approving = database.connect_as(&lead);
    let accept = "SELECT text2sql.accept('query', 1, as_example => true)";
    let (code, message, _) = error_of(&mut approving, accept);
    assert_eq!(code, "55000");
    assert_eq!(
        message,
        "the query reads other tables for you than for the role that asked"
    );
    assert_eq!(status(&mut asking, &ask).0, "waiting");
}
