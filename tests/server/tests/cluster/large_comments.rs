//! What the owner of a table stores about it costs those who ask nothing: it is cut where it is read.

use postgres::Client;
use text2sql_server_tests::TestDatabase;

/// Peak memory of the process, in MB.
fn peak(process: i32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    let kilobytes = line.split_whitespace().nth(1).unwrap();
    kilobytes.parse::<u64>().unwrap() / 1024
}

#[test]
fn a_comment_of_a_hundred_megabytes_costs_no_session_memory() {
    let database = TestDatabase::new("large_comments");
    let role = database.create_role("asker", "LOGIN");
    let mut admin = database.superuser();
    let grant = format!(
        "SELECT text2sql.grant_access('{role}'); GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role};
         CREATE TABLE heavy (id int PRIMARY KEY, note text); GRANT SELECT ON heavy TO {role}"
    );
    admin.batch_execute(&grant).unwrap();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    let memory = |question: &str| {
        let mut client = database.connect_as(&role);
        let process: i32 = client
            .query_one("SELECT pg_backend_pid()", &[])
            .unwrap()
            .get(0);
        client
            .query_one("SELECT status FROM text2sql.ask($1)", &[&question])
            .unwrap();
        peak(process)
    };
    let before = memory("How many orders are there?");
    for object in ["TABLE heavy", "COLUMN heavy.note"] {
        admin
            .batch_execute(&format!(
                "DO $$ BEGIN EXECUTE 'COMMENT ON {object} IS ' || quote_literal(repeat('gizmo blurb ', 8000000)); END $$"
            ))
            .unwrap();
    }
    for question in [
        "How many orders are there?",
        "How many gizmo blurbs are there?",
    ] {
        let after = memory(question);
        assert!(
            after < before + 60,
            "{question}: {before} MB before, {after} MB after"
        );
    }
    // Nor the index, which others read.
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    assert!(memory("How many heavy are there?") < before + 60);
}

/// A text of 36 MB as SQL writes it, which compresses to almost nothing.
const LONG: &str = "quote_literal(repeat('gizmo blurb ', 3000000))";

/// What an owner who wants to do harm can store, by name.
const TEXTS: [(&str, &str); 6] = [
    (
        "partition key",
        "EXECUTE 'CREATE TABLE mine.parts (a text, b int) PARTITION BY LIST ((a || ' || LONG || '))'",
    ),
    (
        "expressions",
        "EXECUTE 'CREATE TABLE mine.defaults (id int, note text DEFAULT ' || LONG || ')';
         EXECUTE 'CREATE TABLE mine.made (id text, note text GENERATED ALWAYS AS (id || ' || LONG || ') STORED)';
         EXECUTE 'CREATE TABLE mine.checked (id text CHECK (id <> ' || LONG || '))';
         CREATE TABLE mine.guarded (id text); ALTER TABLE mine.guarded ENABLE ROW LEVEL SECURITY;
         EXECUTE 'CREATE POLICY p ON mine.guarded USING (id <> ' || LONG || ')'",
    ),
    (
        "view",
        "EXECUTE 'CREATE VIEW mine.seen AS SELECT ' || LONG || '::text AS note'",
    ),
    (
        "function",
        "EXECUTE 'CREATE FUNCTION mine.long() RETURNS text LANGUAGE plpgsql AS ' || quote_literal('BEGIN RETURN ' || LONG || '; END')",
    ),
    (
        "labels",
        "EXECUTE 'CREATE TYPE mine.label AS ENUM (' || (SELECT string_agg(quote_literal('label ' || g || repeat('x', 40)), ',') FROM generate_series(1, 3000) g) || ')';
         FOR i IN 1..2 LOOP
             EXECUTE format('CREATE TABLE mine.orders_%s (order_id int, %s)', i, (SELECT string_agg('c' || g || ' mine.label', ',') FROM generate_series(1, 1000) g));
         END LOOP",
    ),
    (
        "many comments",
        "EXECUTE format('CREATE TABLE mine.wide (%s)', (SELECT string_agg('c' || g || ' int', ',') FROM generate_series(1, 1500) g));
         FOR i IN 1..1500 LOOP
             EXECUTE format('COMMENT ON COLUMN mine.wide.c%s IS %L', i, repeat('gizmo blurb ', 4000));
         END LOOP",
    ),
];

/// Whatever the owner of some table has stored, a question about another one, its neighbours and the index need no more
/// memory than before.
#[test]
fn no_text_of_an_owner_costs_others_memory() {
    let database = TestDatabase::new("large_texts");
    let role = database.create_role("asker", "LOGIN");
    let owner = database.create_role("owner", "LOGIN");
    let mut admin = database.superuser();
    admin
        .batch_execute(&format!(
            "SELECT text2sql.grant_access('{role}'); GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role};
             CREATE SCHEMA mine AUTHORIZATION {owner}; GRANT USAGE ON SCHEMA mine TO {role};
             SELECT text2sql.protect('public.salaries.salary', 'private')"
        ))
        .unwrap();
    let calls = [
        // Looks for the word in all tables.
        "SELECT count(status) FROM text2sql.ask('How many blue orders are there?')",
        "SELECT count(*) FROM text2sql.impact('public.orders')",
    ];
    let memory = |user: &str, call: &str| {
        let mut client = match user {
            "" => database.superuser(),
            user => database.connect_as(user),
        };
        client
            .batch_execute("SET statement_timeout = '60s'")
            .unwrap();
        let process: i32 = client
            .query_one("SELECT pg_backend_pid()", &[])
            .unwrap()
            .get(0);
        client.batch_execute(call).unwrap();
        peak(process)
    };
    const REFRESH: &str = "CALL text2sql.refresh()";
    memory("", REFRESH);
    let before: Vec<u64> = calls.iter().map(|call| memory(&role, call)).collect();
    let of_refresh = memory("", REFRESH);
    let mut owning: Client = database.connect_as(&owner);
    for (what, statements) in TEXTS {
        let statements = statements.replace("LONG", LONG);
        owning
            .batch_execute(&format!(
                "DO $do$ BEGIN {statements}; END $do$; GRANT SELECT ON ALL TABLES IN SCHEMA mine TO {role}"
            ))
            .unwrap();
        for (call, before) in calls.iter().zip(&before) {
            let after = memory(&role, call);
            assert!(
                after < before + 60,
                "{what}: {call}: {before} MB before, {after} MB after"
            );
        }
        let after = memory("", REFRESH);
        // A thousand columns take some memory by themselves.
        assert!(
            after < of_refresh + 250,
            "{what}: refresh: {of_refresh} MB before, {after} MB after"
        );
        admin
            .batch_execute(&format!(
                "DROP SCHEMA IF EXISTS mine CASCADE; CREATE SCHEMA mine AUTHORIZATION {owner}; GRANT USAGE ON SCHEMA mine TO {role}"
            ))
            .unwrap();
    }
}
