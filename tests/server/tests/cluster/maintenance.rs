//! Maintenance and evaluation never run code of one role with the privileges of another: a hostile owner of tables against
//! `refresh()`, `perturb()` and what judges queries, called by a superuser and by roles that may.

use postgres::Client;
use text2sql_server_tests::error_of;
use text2sql_server_tests::siege::{Besieged, heard};
use text2sql_server_tests::waiting::wait_until;

/// Tables that hold a word, and so show that they were read.
const WORDS: [&str; 11] = [
    "predicate word",
    "expression word",
    "generation word",
    "row word",
    "domain word 1",
    "mood word",
    "type word",
    "default word",
    "predicate word kept",
    "partition word",
    "child word",
];

#[test]
fn refresh_runs_no_code_of_a_tables_owner() {
    let besieged = Besieged::new("maintenance_refresh");
    let evaluator = besieged.evaluator.clone();
    for role in [None, Some(evaluator.as_str())] {
        let told = besieged.told(role, &["CALL text2sql.refresh('{\"rebuild\": true}')"]);
        assert_eq!(heard(&told), Vec::<&str>::new(), "{role:?}");
        besieged.assert_unharmed();
        let mut admin = besieged.superuser();
        let values: Vec<String> = admin
            .query(
                "SELECT DISTINCT value FROM text2sql._index_values WHERE is_first",
                &[],
            )
            .unwrap()
            .iter()
            .map(|row| row.get(0))
            .collect();
        for word in WORDS {
            assert!(
                values.iter().any(|value| value == word),
                "{role:?} {word}: {values:?}"
            );
        }
        assert!(!values.iter().any(|value| value == "policy word"));
        let state = "SELECT refreshed_at > started_at FROM text2sql._index_state";
        assert!(admin.query_one(state, &[]).unwrap().get::<_, bool>(0));
    }
}

#[test]
fn a_background_worker_runs_no_code_of_a_tables_owner() {
    let besieged = Besieged::new("maintenance_worker");
    let mut admin = besieged.superuser();
    admin
        .batch_execute(
            "ALTER DATABASE t2s_maintenance_worker SET text2sql.maintenance_interval = '1min'",
        )
        .unwrap();
    // The worker is a superuser's process, started by a question of a role that is not a superuser.
    let mut evaluator = besieged.evaluator();
    let words = WORDS.join("', '");
    let all = format!(
        "SELECT count(DISTINCT value) = {} FROM text2sql._index_values WHERE value IN ('{words}')",
        WORDS.len()
    );
    wait_until("all values", || {
        evaluator
            .query("SELECT * FROM text2sql.retrieve('How many orders?')", &[])
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(200));
        admin.query_one(&all, &[]).unwrap().get::<_, bool>(0)
    });
    besieged.assert_unharmed();
    let read_as = "SELECT values_read_as::text FROM text2sql._maintenance";
    wait_until("the end of the worker's run", || {
        let row = admin.query_opt(read_as, &[]).unwrap();
        row.is_some_and(|row| {
            row.get::<_, Option<String>>(0).as_deref() == Some("pg_read_all_data")
        })
    });
    let policy = "SELECT count(*) FROM text2sql._index_values WHERE value = 'policy word'";
    assert_eq!(admin.query_one(policy, &[]).unwrap().get::<_, i64>(0), 0);
}

#[test]
fn refresh_goes_on_behind_a_table_that_cannot_be_read() {
    let besieged = Besieged::new("maintenance_unreadable");
    let mut admin = besieged.superuser();
    // Two levels down there is a table of another server, and one that takes longer to read than a statement may.
    admin
        .batch_execute(
            "CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
             CREATE TABLE top (word text); CREATE TABLE middle () INHERITS (top);
             CREATE FOREIGN TABLE bottom (word text) SERVER files OPTIONS (filename '/nowhere');
             ALTER FOREIGN TABLE bottom INHERIT middle;
             CREATE TABLE huge AS SELECT 'huge word ' || n % 7 AS word FROM generate_series(1, 300000) AS n",
        )
        .unwrap();
    let told = besieged.told(
        None,
        &[
            "SET text2sql.query_timeout = '1ms'",
            "CALL text2sql.refresh()",
        ],
    );
    let about = |name: &str| told.iter().any(|message| message.contains(name));
    assert!(about("could not read values of public.huge"), "{told:?}");
    assert!(about("tables could not be read"), "{told:?}");
    // The next call tries again.
    let told = besieged.told(None, &["CALL text2sql.refresh()"]);
    let about = |name: &str| told.iter().any(|message| message.contains(name));
    assert!(!about("public.huge"), "{told:?}");
    // Not before: in a millisecond, a busy machine does not get as far as to see it.
    assert!(
        about("could not read values of public.top: a part of it is a foreign table"),
        "{told:?}"
    );
    let values =
        "SELECT count(DISTINCT value) FROM text2sql._index_values WHERE value LIKE 'huge word%'";
    assert_eq!(admin.query_one(values, &[]).unwrap().get::<_, i64>(0), 7);
}

#[test]
fn copies_are_made_without_code_of_a_tables_owner() {
    let besieged = Besieged::new("maintenance_copies");
    let mut admin = besieged.superuser();
    let (code, message, hint) = error_of(&mut admin, "SELECT * FROM text2sql_eval.perturb()");
    assert_eq!(code, "42501", "{message}");
    assert!(hint.contains("'evaluation'"), "{hint}");
    // Nor does a member of a superuser role, nor a superuser through the internal functions.
    admin
        .batch_execute(&format!("GRANT postgres TO {}", besieged.evaluator))
        .unwrap();
    let mut evaluator = besieged.evaluator();
    let (code, ..) = error_of(&mut evaluator, "SELECT * FROM text2sql_eval.perturb()");
    assert_eq!(code, "42501");
    admin
        .batch_execute(&format!(
            "REVOKE postgres FROM {0};
             ALTER DEFAULT PRIVILEGES FOR ROLE {0} GRANT ALL ON TABLES TO {1}, PUBLIC",
            besieged.evaluator, besieged.mallory
        ))
        .unwrap();
    // Boundaries of columns that are domains.
    evaluator
        .batch_execute(
            "SELECT text2sql_eval.add_case('siege', 'How many?', 'SELECT count(*) FROM mal.by_domain WHERE amount > 5 AND id > 3');
             SELECT text2sql_eval.add_case('siege', 'How many orders are there?', 'SELECT count(*) FROM orders')",
        )
        .unwrap();
    let told = besieged.told(
        Some(&besieged.evaluator),
        &["SELECT * FROM text2sql_eval.perturb(suite => 'siege', keep => 0.7)"],
    );
    assert_eq!(heard(&told), Vec::<&str>::new());
    assert!(
        told.iter()
            .any(|message| message
                == "text2sql: mal.by_policy is not copied: it has row-level security"),
        "{told:?}"
    );
    besieged.assert_unharmed();
    let copied: Vec<String> = admin
        .query(
            "SELECT original::text FROM text2sql_eval._perturbed_tables WHERE version = 2 ORDER BY 1",
            &[],
        )
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    for table in [
        "mal.by_domain",
        "mal.by_enum",
        "mal.by_types",
        "mal.by_generation",
        "measures",
        "parents",
    ] {
        assert!(
            copied.iter().any(|copy| copy == table),
            "{table}: {copied:?}"
        );
    }
    assert!(
        !copied
            .iter()
            .any(|copy| copy == "mal.by_policy" || copy == "mal.odd")
    );
    assert!(
        told.iter()
            .any(|message| message.starts_with("text2sql: mal.odd is not copied"))
    );
    let strangers = "SELECT count(*) FROM pg_class c, aclexplode(c.relacl) AS a
        WHERE c.relnamespace = 'text2sql_perturbed'::regnamespace AND a.grantee <> c.relowner";
    assert_eq!(admin.query_one(strangers, &[]).unwrap().get::<_, i64>(0), 0);
    // What is stored out of line arrived; what a copy refers to is there; plain boundaries are planted.
    let copy_of = |client: &mut Client, table: &str| -> String {
        let sql = "SELECT copy::text FROM text2sql_eval._perturbed_tables WHERE version = 2 AND original = $1::text::regclass";
        client.query_one(sql, &[&table]).unwrap().get(0)
    };
    let types = copy_of(&mut admin, "mal.by_types");
    let sql = format!(
        "SELECT count(*) > 20 AND min(length(far)) = 64000 AND count(span) = count(*) FROM {types}"
    );
    assert!(admin.query_one(&sql, &[]).unwrap().get::<_, bool>(0));
    let (enums, moods) = (
        copy_of(&mut admin, "mal.by_enum"),
        copy_of(&mut admin, "mal.moods"),
    );
    let sql = format!(
        "SELECT count(*) > 5 AND bool_and(enum_out(mood) IN (SELECT enum_out(m.mood) FROM {moods} m)) FROM {enums}"
    );
    let sql = sql
        .replace("enum_out(mood)", "enum_out(mood)::text")
        .replace("enum_out(m.mood)", "enum_out(m.mood)::text");
    assert!(admin.query_one(&sql, &[]).unwrap().get::<_, bool>(0));
    let told = besieged.told(
        Some(&besieged.evaluator),
        &["CALL text2sql_eval.evaluate('siege', settings => '{\"copies\": true}')"],
    );
    assert_eq!(
        heard(&told)
            .iter()
            .filter(|message| message.starts_with("DID"))
            .count(),
        0,
        "{told:?}"
    );
    let robust = "SELECT robust FROM text2sql_eval.results WHERE question = 'How many orders are there?' AND ex";
    assert_eq!(
        evaluator
            .query_one(robust, &[])
            .unwrap()
            .get::<_, Option<bool>>(0),
        Some(true)
    );
    besieged.assert_unharmed();
    let dropped: i64 = evaluator
        .query_one(
            "SELECT split_part(reason, ': ', 2)::bigint FROM text2sql.forget('copies')",
            &[],
        )
        .unwrap()
        .get(0);
    assert!(dropped > 20);
    let left = "SELECT count(*) FROM text2sql_eval._perturbed_tables";
    assert_eq!(admin.query_one(left, &[]).unwrap().get::<_, i64>(0), 0);
}

/// What judges and measures queries, over every relation of the siege.
fn measures() -> Vec<String> {
    let tables = [
        "by_predicate",
        "by_expression",
        "by_generation",
        "by_row_cast",
        "by_domain",
        "by_enum",
        "by_types",
        "by_default",
        "by_view",
        "by_matview",
    ];
    let mut statements = vec![
        "SELECT * FROM text2sql.suggest('joins')".to_owned(),
        "SELECT * FROM text2sql.status()".to_owned(),
        "SELECT * FROM text2sql.retrieve('How many by predicate are there?')".to_owned(),
        "SELECT * FROM text2sql.ask('How many by enum are there with mood glad?')".to_owned(),
    ];
    let relations = tables.iter().map(|table| format!("mal.{table}"));
    for relation in relations.chain(["measures".to_owned(), "parents".to_owned()]) {
        let query = format!("SELECT id FROM {relation} WHERE id = 4711");
        for function in [
            "why_empty",
            "trust_report",
            "optimize",
            "explain_plan",
            "explain",
            "run_json",
            "validate",
        ] {
            statements.push(format!("SELECT * FROM text2sql.{function}('{query}')"));
        }
        statements.push(format!(
            "SELECT * FROM text2sql_eval.grade('{query}', '{query} AND true')"
        ));
        statements.push(format!("SELECT text2sql_eval._attempt('{{\"question\": \"How many orders are there?\", \"gold\": [\"{query}\"], \"expected_status\": \"ok\", \"copies\": true}}')"));
        statements.push(format!("SELECT * FROM text2sql.impact('{relation}.id')"));
        statements.push(format!(
            "SELECT text2sql.add_example('Which of {relation}?', '{query}')"
        ));
    }
    statements.push("SELECT * FROM text2sql.examples".to_owned());
    statements
}

#[test]
fn what_judges_queries_runs_owners_code_as_nobody_that_may_harm() {
    let besieged = Besieged::new("maintenance_questions");
    let statements = measures();
    let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
    for role in [None, Some(besieged.evaluator.as_str())] {
        let told = besieged.told(role, &statements);
        let reader = role.unwrap_or("pg_read_all_data");
        // The ways in are open: without the guard this would be the caller.
        assert!(heard(&told).contains(&format!("HEARD predicate as {reader}").as_str()));
        for message in heard(&told) {
            assert!(
                message.starts_with("HEARD") && message.ends_with(&format!(" as {reader}")),
                "{role:?}: {message}"
            );
        }
        besieged.assert_unharmed();
    }
}
