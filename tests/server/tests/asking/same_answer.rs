//! Under the guard a statement returns the same rows as outside of it: with row-level security, barriers,
//! privileges on columns, roles that change in a pool, and in every kind of transaction.

use postgres::Client;
use serde_json::Value;
use text2sql_server_tests::shared_roles::create_once;
use text2sql_server_tests::{ANALYST, TestDatabase, connect, error_of};

/// A shop whose people see different parts of it.
const PEOPLE: &str = "
SELECT text2sql.grant_access(r) FROM unnest(ARRAY['t2s_east', 't2s_west', 't2s_auditor', 't2s_pool']) AS r;
CREATE SCHEMA area;
GRANT USAGE ON SCHEMA area TO PUBLIC;
CREATE TABLE area.sales (id int PRIMARY KEY, region text, amount numeric, margin numeric);
INSERT INTO area.sales SELECT n, (ARRAY['east', 'west'])[1 + n % 2], n, n / 10.0 FROM generate_series(1, 50) AS n;
ALTER TABLE area.sales ENABLE ROW LEVEL SECURITY;
CREATE FUNCTION area.my_region() RETURNS text LANGUAGE plpgsql STABLE AS
    $$BEGIN RETURN substr(current_user, 5); END$$;
CREATE POLICY own ON area.sales TO t2s_east, t2s_west USING (region = area.my_region());
CREATE POLICY every ON area.sales TO t2s_auditor USING (true);
GRANT SELECT ON area.sales TO t2s_auditor;
GRANT SELECT (id, region, amount) ON area.sales TO t2s_east, t2s_west;
CREATE VIEW area.large WITH (security_barrier) AS SELECT id, region, amount FROM area.sales WHERE amount > 20;
CREATE VIEW area.mine WITH (security_invoker) AS SELECT id, amount FROM area.sales;
GRANT SELECT ON area.large, area.mine TO t2s_east, t2s_west, t2s_auditor;
CREATE TABLE area.days (day date, amount int) PARTITION BY RANGE (day);
CREATE TABLE area.days_2024 PARTITION OF area.days FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE TABLE area.days_2025 PARTITION OF area.days FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
INSERT INTO area.days SELECT DATE '2024-07-01' + n, n FROM generate_series(1, 300) AS n;
GRANT SELECT ON area.days TO t2s_east, t2s_auditor;
GRANT SELECT ON area.days_2025 TO t2s_west;
ANALYZE;
";

const STATEMENTS: [&str; 12] = [
    "SELECT count(*) AS n, sum(amount) AS total FROM area.sales",
    "SELECT region, max(amount) AS largest FROM area.sales GROUP BY region ORDER BY region",
    "SELECT id, margin FROM area.sales ORDER BY id LIMIT 3",
    "SELECT * FROM area.sales ORDER BY id LIMIT 3",
    "SELECT id, amount FROM area.large ORDER BY id",
    "SELECT count(*) AS n FROM area.mine",
    "SELECT count(*) AS n FROM area.days",
    "SELECT count(*) AS n FROM area.days_2025",
    "SELECT date_trunc('month', day)::date AS m, sum(amount) AS s FROM area.days WHERE day >= '2024-12-01' GROUP BY 1 ORDER BY 1",
    "SELECT current_user::text AS who",
    "SELECT s.id FROM area.sales s WHERE s.amount > (SELECT avg(amount) FROM area.sales) ORDER BY s.id",
    "SELECT tableoid::regclass::text AS part, count(*) AS n FROM area.days GROUP BY 1 ORDER BY 1",
];

fn shop_of_people(test: &str) -> TestDatabase {
    let database = TestDatabase::new(test);
    for role in ["t2s_east", "t2s_west", "t2s_auditor"] {
        create_once(role, "LOGIN");
    }
    create_once(
        "t2s_pool",
        "LOGIN NOINHERIT IN ROLE t2s_east, t2s_west, t2s_auditor",
    );
    database.superuser().batch_execute(PEOPLE).unwrap();
    database
}

/// The rows of a statement as JSON, or the kind of its failure.
type Answer = Result<Value, &'static str>;

fn typed(client: &mut Client, sql: &str) -> Answer {
    let json = format!("SELECT coalesce(json_agg(t), '[]')::text FROM ({sql}) AS t");
    answer(client.query_one(&json, &[]))
}

fn guarded(client: &mut Client, sql: &str) -> Answer {
    answer(client.query_one(
        "SELECT result_rows::text FROM text2sql.run_json($1)",
        &[&sql],
    ))
}

fn answer(result: Result<postgres::Row, postgres::Error>) -> Answer {
    match result {
        Ok(row) => Ok(serde_json::from_str(row.get(0)).unwrap()),
        Err(error) => match error.as_db_error().unwrap().code().code() {
            // PostgreSQL's word for it, and the extension's.
            "42501" | "T2003" => Err("no privilege"),
            _ => panic!("{error:?}"),
        },
    }
}

fn agree(client: &mut Client, when: &str) {
    for sql in STATEMENTS {
        let typed = typed(client, sql);
        assert_eq!(guarded(client, sql), typed, "{when}: {sql}");
    }
}

/// In a transaction a failed statement ends it; each gets a savepoint.
fn agree_in_transaction(client: &mut Client, when: &str) {
    for sql in STATEMENTS {
        let mut answers = Vec::new();
        for ask in [typed, guarded] {
            client.batch_execute("SAVEPOINT s").unwrap();
            answers.push(ask(client, sql));
            client.batch_execute("ROLLBACK TO s").unwrap();
        }
        assert_eq!(answers.first(), answers.last(), "{when}: {sql}");
    }
}

#[test]
fn every_role_gets_what_it_would_get_by_typing() {
    let _database = shop_of_people("same_roles");
    for role in ["t2s_east", "t2s_west", "t2s_auditor", ANALYST] {
        let mut client = connect("t2s_same_roles", Some(role));
        agree(&mut client, role);
    }
    let mut east = connect("t2s_same_roles", Some("t2s_east"));
    let count = guarded(&mut east, "SELECT count(*) AS n FROM area.sales").unwrap();
    assert_eq!(count, serde_json::json!([{"n": 25}]), "half of the rows");
    assert!(guarded(&mut east, "SELECT margin FROM area.sales").is_err());
}

#[test]
fn a_pooled_connection_gives_each_role_its_own_rows() {
    let database = shop_of_people("same_pool");
    let mut pooled = connect("t2s_same_pool", Some("t2s_pool"));
    for round in 0..3 {
        for role in ["t2s_east", "t2s_west", "t2s_auditor"] {
            pooled.batch_execute(&format!("SET ROLE {role}")).unwrap();
            agree(&mut pooled, &format!("SET ROLE {role}, round {round}"));
        }
        pooled.batch_execute("RESET ROLE").unwrap();
        agree(&mut pooled, "RESET ROLE");
        pooled
            .batch_execute("BEGIN; SET LOCAL ROLE t2s_west")
            .unwrap();
        agree_in_transaction(&mut pooled, "SET LOCAL ROLE");
        pooled.batch_execute("COMMIT").unwrap();
    }
    let mut admin = database.superuser();
    for role in ["t2s_east", "t2s_west"] {
        admin
            .batch_execute(&format!("SET SESSION AUTHORIZATION {role}"))
            .unwrap();
        agree(&mut admin, &format!("SET SESSION AUTHORIZATION {role}"));
        admin.batch_execute("RESET SESSION AUTHORIZATION").unwrap();
    }
    // A plan that was made for one role must not serve the next.
    pooled
        .batch_execute("PREPARE q AS SELECT result_rows::text FROM text2sql.run_json('SELECT count(*) AS n FROM area.sales')")
        .unwrap();
    for (role, rows) in [("t2s_east", 25), ("t2s_auditor", 50), ("t2s_west", 25)] {
        pooled.batch_execute(&format!("SET ROLE {role}")).unwrap();
        let messages = pooled.simple_query("EXECUTE q").unwrap();
        let text = messages.iter().find_map(|message| match message {
            postgres::SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        assert_eq!(
            text,
            Some(format!(r#"[{{"n": {rows}}}]"#).as_str()),
            "{role}"
        );
    }
}

#[test]
fn every_kind_of_transaction_gives_the_same_answer() {
    let database = shop_of_people("same_transactions");
    let mut client = connect("t2s_same_transactions", Some("t2s_east"));
    for mode in [
        "READ ONLY",
        "ISOLATION LEVEL REPEATABLE READ",
        "ISOLATION LEVEL SERIALIZABLE",
        "ISOLATION LEVEL SERIALIZABLE, READ ONLY, DEFERRABLE",
    ] {
        client.batch_execute(&format!("BEGIN {mode}")).unwrap();
        agree_in_transaction(&mut client, mode);
        let status: String = client
            .query_one("SELECT status FROM text2sql.ask('How many days are there?', options => '{\"model\": \"builtin\"}')", &[])
            .unwrap()
            .get(0);
        assert_eq!(status, "ok", "{mode}");
        client.batch_execute("COMMIT").unwrap();
    }
    // What a snapshot does not see, the guarded statement does not see either.
    let mut admin = database.superuser();
    client
        .batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        .unwrap();
    let count = "SELECT count(*) AS n FROM area.days";
    let before = guarded(&mut client, count);
    admin
        .batch_execute("INSERT INTO area.days VALUES ('2025-12-31', 1)")
        .unwrap();
    assert_eq!(guarded(&mut client, count), before);
    client.batch_execute("COMMIT").unwrap();
    assert_ne!(guarded(&mut client, count), before);
}

#[test]
fn a_serialization_failure_is_the_transactions_and_not_hidden() {
    let database = TestDatabase::new("same_serializable");
    let mut admin = database.superuser();
    admin
        .batch_execute("GRANT UPDATE ON countries TO t2s_analyst")
        .unwrap();
    let (mut one, mut other) = (database.analyst(), database.analyst());
    for client in [&mut one, &mut other] {
        client
            .batch_execute("BEGIN ISOLATION LEVEL SERIALIZABLE")
            .unwrap();
        // Only through the guard: its reads must count, though its subtransaction is rolled back.
        guarded(
            client,
            "SELECT string_agg(name, ',') AS names FROM countries",
        )
        .unwrap();
    }
    one.batch_execute("UPDATE countries SET name = 'A' WHERE country_id = 1")
        .unwrap();
    other
        .batch_execute("UPDATE countries SET name = 'B' WHERE country_id = 2")
        .unwrap();
    one.batch_execute("COMMIT").unwrap();
    let error = other.batch_execute("COMMIT").unwrap_err();
    assert_eq!(error.as_db_error().unwrap().code().code(), "40001");
}

#[test]
fn a_stand_in_never_gives_a_silent_empty_answer() {
    let database = shop_of_people("same_run_as");
    let mut admin = database.superuser();
    let count = "SELECT * FROM text2sql.run_json('SELECT count(*) AS n FROM area.sales')";
    // With a policy for it, without one, and with none of the rows.
    for role in ["t2s_east", "t2s_auditor", ANALYST, "pg_read_all_data"] {
        admin
            .batch_execute(&format!("GRANT SELECT ON area.sales TO {role}; GRANT USAGE ON SCHEMA area TO {role}; SET text2sql.run_as = '{role}'"))
            .unwrap();
        let (code, message, _) = error_of(&mut admin, count);
        assert_eq!(code, "T2003", "{role}: {message}");
        assert!(message.contains("row-level security"), "{role}: {message}");
        // Through a view that reads as its caller, too; one that reads as its owner shows the owner's rows.
        let (code, _, _) = error_of(
            &mut admin,
            "SELECT * FROM text2sql.run_json('SELECT count(*) AS n FROM area.mine')",
        );
        assert_eq!(code, "T2003", "{role}");
    }
    admin
        .batch_execute("SET text2sql.run_as = 't2s_auditor'")
        .unwrap();
    let large = guarded(&mut admin, "SELECT count(*) AS n FROM area.large").unwrap();
    assert_eq!(large, serde_json::json!([{"n": 30}]));
}

#[test]
fn a_question_inside_a_question_is_refused() {
    let database = TestDatabase::new("same_recursion");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "CREATE FUNCTION asks() RETURNS text LANGUAGE sql STABLE AS
                 $$SELECT result_rows::text FROM text2sql.run_json('SELECT 1 AS one')$$;
             CREATE TABLE notes (id int); INSERT INTO notes VALUES (1); GRANT SELECT ON notes TO t2s_analyst;
             ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
             CREATE POLICY p ON notes USING (asks() IS NOT NULL);
             CREATE VIEW asking AS SELECT asks() AS answer; GRANT SELECT ON asking TO t2s_analyst",
        )
        .unwrap();
    let mut client = database.analyst();
    for sql in [
        "SELECT * FROM text2sql.ask(''How many orders?'')",
        "SELECT text2sql.show(''How many orders?'')",
        "SELECT * FROM text2sql.run_json(''SELECT 1'')",
        "SELECT asks()",
        "SELECT * FROM asking",
        "SELECT * FROM notes",
    ] {
        let (code, message, _) = error_of(
            &mut client,
            &format!("SELECT * FROM text2sql.run_json('{sql}')"),
        );
        assert!(
            ["T2003", "T2004", "42501"].contains(&code.as_str()),
            "{sql}: {code} {message}"
        );
    }
    // The guard is not stuck: the next question is an ordinary one.
    assert!(guarded(&mut client, "SELECT 1 AS one").is_ok());
}
