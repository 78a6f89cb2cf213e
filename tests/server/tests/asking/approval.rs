//! A query waits for another person: over logins and a pool, with privileges and tables that go meanwhile.

use postgres::Client;
use text2sql_server_tests::{TestDatabase, connect, error_of};

const QUESTION: &str = "How many orders are there?";

fn first(client: &mut Client, sql: &str) -> String {
    let row = client.query_one(sql, &[]).unwrap();
    row.get::<_, Option<String>>(0).unwrap_or_default()
}

/// Status and answer of a question.
fn ask(client: &mut Client, question: &str) -> (String, String) {
    let row = client
        .query_one("SELECT status, answer FROM text2sql.ask($1)", &[&question])
        .unwrap();
    (row.get(0), row.get(1))
}

/// The id of the latest question of that client.
fn latest(client: &mut Client) -> i64 {
    let sql = "SELECT max(id) FROM text2sql.approvals WHERE asked_by = current_user";
    client.query_one(sql, &[]).unwrap().get(0)
}

/// Status and SQLSTATE of the answer to a question that waits or waited.
fn answer(client: &mut Client, id: i64) -> (String, Option<String>) {
    let sql = "SELECT status, sqlstate FROM text2sql.answer($1)";
    let row = client.query_one(sql, &[&id]).unwrap();
    (row.get(0), row.get(1))
}

/// A role that may ask about orders, and whose questions wait.
fn asker(database: &TestDatabase, name: &str) -> String {
    let role = database.create_role(name, "LOGIN");
    let mut admin = database.superuser();
    admin
        .batch_execute(&format!(
            "SELECT text2sql.grant_access('{role}'), text2sql.set_approval('{role}', 'always');
             GRANT SELECT ON orders TO {role}"
        ))
        .unwrap();
    role
}

fn approver(database: &TestDatabase, options: &str) -> String {
    let role = database.create_role("lead", options);
    let mut admin = database.superuser();
    admin
        .batch_execute(&format!(
            "SELECT text2sql.grant_access('{role}', 'approver')"
        ))
        .unwrap();
    role
}

#[test]
fn what_goes_meanwhile_is_noticed() {
    let database = TestDatabase::new("approval_meanwhile");
    let mut admin = database.superuser();
    let (alice, lead) = (asker(&database, "alice"), approver(&database, "LOGIN"));
    let (mut asking, mut deciding) = (database.connect_as(&alice), database.connect_as(&lead));
    deciding.batch_execute("LISTEN text2sql_approvals").unwrap();
    let (status, said) = ask(&mut asking, QUESTION);
    assert_eq!(status, "waiting", "{said}");
    let id = latest(&mut asking);
    assert!(said.contains(&format!("(id {id})")), "{said}");
    // The approver hears of it, and needs no privilege on the table.
    let heard = {
        use postgres::fallible_iterator::FallibleIterator;
        let mut notifications = deciding.notifications();
        let mut waiting = notifications.timeout_iter(std::time::Duration::from_secs(20));
        waiting.next().unwrap().unwrap().payload().to_owned()
    };
    assert_eq!(heard, id.to_string());
    let (code, ..) = error_of(&mut deciding, "SELECT * FROM orders");
    assert_eq!(code, "42501");
    deciding
        .execute("SELECT text2sql.accept('query', $1)", &[&id])
        .unwrap();
    assert_eq!(answer(&mut asking, id), ("ok".to_owned(), None));
    // Neither row nor result is stored.
    let stored = first(&mut admin, "SELECT a::text FROM text2sql._approvals AS a");
    assert!(!stored.contains("400"), "{stored}");
    admin
        .batch_execute(&format!("REVOKE SELECT ON orders FROM {alice}"))
        .unwrap();
    assert_eq!(
        answer(&mut asking, id),
        ("not_permitted".to_owned(), Some("T2003".to_owned()))
    );
    admin
        .batch_execute(&format!("GRANT SELECT ON orders TO {alice}"))
        .unwrap();
    assert_eq!(answer(&mut asking, id).0, "ok");
    admin.batch_execute("DROP TABLE orders").unwrap();
    assert_eq!(
        answer(&mut asking, id),
        ("failed".to_owned(), Some("42P01".to_owned()))
    );
    // A role that is dropped leaves its questions, by name.
    drop(asking);
    admin
        .batch_execute(&format!(
            "SELECT text2sql.revoke_access('{alice}'); DROP ROLE {alice}"
        ))
        .unwrap();
    let asked_by = first(
        &mut deciding,
        "SELECT asked_by::text FROM text2sql.approvals",
    );
    assert_eq!(asked_by, alice);
}

#[test]
fn nobody_decides_about_a_question_of_their_own() {
    let database = TestDatabase::new("approval_own");
    let mut admin = database.superuser();
    let (team, lead) = (asker(&database, "team"), approver(&database, "LOGIN"));
    let alice = database.create_role("alice", "LOGIN");
    admin
        .batch_execute(&format!("GRANT {team}, {lead} TO {alice}"))
        .unwrap();
    let mut client = connect(database.name(), Some(&alice));
    // A member waits as its role does, and still does after SET ROLE to a role without a rule.
    assert_eq!(ask(&mut client, QUESTION).0, "waiting");
    let free = database.create_role("free", "");
    admin
        .batch_execute(&format!(
            "GRANT {free} TO {alice}; SELECT text2sql.grant_access('{free}'); GRANT SELECT ON orders TO {free}"
        ))
        .unwrap();
    client.batch_execute(&format!("SET ROLE {free}")).unwrap();
    assert_eq!(ask(&mut client, QUESTION).0, "waiting");
    // One person, whatever roles it sets.
    for asks_as in [&alice, &team, &free] {
        client
            .batch_execute(&format!("RESET ROLE; SET ROLE {asks_as}"))
            .unwrap();
        assert_eq!(ask(&mut client, QUESTION).0, "waiting");
        let id = latest(&mut client);
        for decides_as in [&alice, &lead] {
            client
                .batch_execute(&format!("RESET ROLE; SET ROLE {decides_as}"))
                .unwrap();
            let (code, message, _) = error_of(
                &mut client,
                &format!("SELECT text2sql.accept('query', {id})"),
            );
            assert_eq!(code, "42501", "{asks_as} {decides_as}: {message}");
        }
        // Another role may approve it.
        let mut other = database.connect_as(&lead);
        other
            .execute("SELECT text2sql.accept('query', $1)", &[&id])
            .unwrap();
        client
            .batch_execute(&format!("RESET ROLE; SET ROLE {asks_as}"))
            .unwrap();
        assert_eq!(answer(&mut client, id).0, "ok", "{asks_as}");
    }
    client.batch_execute("RESET ROLE").unwrap();
}

#[test]
fn several_persons_share_the_login_of_a_pool() {
    let database = TestDatabase::new("approval_pool");
    let mut admin = database.superuser();
    let alice = asker(&database, "alice");
    let lead = approver(&database, "NOLOGIN");
    let pool = database.create_role("pool", "LOGIN NOINHERIT");
    admin
        .batch_execute(&format!("GRANT {alice}, {lead} TO {pool}"))
        .unwrap();
    let mut client = database.connect_as(&pool);
    client.batch_execute(&format!("SET ROLE {alice}")).unwrap();
    assert_eq!(ask(&mut client, QUESTION).0, "waiting");
    let id = latest(&mut client);
    client.batch_execute(&format!("SET ROLE {lead}")).unwrap();
    let (code, ..) = error_of(&mut client, &format!("SELECT * FROM text2sql.answer({id})"));
    assert_eq!(code, "42704");
    client
        .execute("SELECT text2sql.accept('query', $1)", &[&id])
        .unwrap();
    client.batch_execute(&format!("SET ROLE {alice}")).unwrap();
    assert_eq!(answer(&mut client, id).0, "ok");
    // The login itself may not ask.
    client.batch_execute("RESET ROLE").unwrap();
    let (code, ..) = error_of(
        &mut client,
        "SELECT * FROM text2sql.ask('How many orders?')",
    );
    assert_eq!(code, "42501");
}

#[test]
fn functions_of_others_do_not_lead_around_it() {
    let database = TestDatabase::new("approval_around");
    let mut admin = database.superuser();
    let alice = asker(&database, "alice");
    // The owner of the function has no rule; whoever logged in has.
    admin
        .batch_execute(&format!(
            "CREATE FUNCTION asks(question text) RETURNS text LANGUAGE sql SECURITY DEFINER
                 AS 'SELECT status FROM text2sql.ask(question)';
             GRANT EXECUTE ON FUNCTION asks(text) TO {alice}"
        ))
        .unwrap();
    let mut client = database.connect_as(&alice);
    assert_eq!(
        first(&mut client, &format!("SELECT asks('{QUESTION}')")),
        "waiting"
    );
    // Each function that would run the query says so, and leaves nothing behind.
    for sql in [
        format!("SELECT * FROM text2sql.ask_rows('{QUESTION}') AS t(n bigint)"),
        format!("CALL text2sql.ask_into('{QUESTION}', 'found')"),
    ] {
        let (code, message, hint) = error_of(&mut client, &sql);
        assert_eq!(code, "T2006", "{sql}: {message}");
        assert!(!hint.contains(QUESTION), "errors go to the log: {hint}");
    }
    let waiting = "SELECT count(*)::text FROM text2sql.approvals";
    assert_eq!(
        first(&mut client, waiting),
        "0",
        "the other asked as its owner"
    );
    // A rule is not a setting.
    let (code, ..) = error_of(&mut client, "SET text2sql.approval = 'never'");
    assert_eq!(code, "42602");
    let options = format!(
        "SELECT * FROM text2sql.ask('{QUESTION}', options => '{{\"approval\": \"never\"}}')"
    );
    assert_eq!(error_of(&mut client, &options).0, "22023");
}
