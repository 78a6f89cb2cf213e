//! What the owner of a table stores about it costs those who ask nothing: it is cut where it is read.

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
