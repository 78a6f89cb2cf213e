//! `text2sql.optimize` without a statement on a server that counts statements: a copy of the test cluster that loads
//! pg_stat_statements.

use postgres::Client;
use text2sql_server_tests::skipped::{extension_or_skip, skip};
use text2sql_server_tests::standby::Standby;
use text2sql_server_tests::{ANALYST, TestDatabase, error_of};

const LIBRARY: &str =
    "SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_stat_statements'";

/// A table of two hundred thousand rows, with an index that nothing uses, one that is there twice, and one whose column
/// begins another.
const TABLE: &str = "
    CREATE TABLE parcels (
        parcel_id bigint PRIMARY KEY, customer_id integer NOT NULL, sent_on date NOT NULL, state text NOT NULL,
        weight numeric NOT NULL);
    INSERT INTO parcels
    SELECT n, n % 20000, DATE '2020-01-01' + n % 1500, CASE n % 50 WHEN 0 THEN 'lost' ELSE 'sent' END, n % 97
    FROM generate_series(1, 200000) AS n;
    CREATE INDEX parcels_weight ON parcels (weight);
    CREATE INDEX parcels_sent ON parcels (sent_on);
    CREATE INDEX parcels_sent_again ON parcels (sent_on);
    CREATE INDEX parcels_sent_state ON parcels (sent_on, state);
    GRANT SELECT, UPDATE ON parcels TO t2s_analyst;
    ANALYZE parcels";

/// What an application runs: with constants, parameters, a lock, an interval, a statement that writes, and what cannot be
/// planned here.
fn run_workload(client: &mut Client) {
    for n in 0..40_i32 {
        client
            .query("SELECT weight FROM parcels WHERE customer_id = $1", &[&n])
            .unwrap();
        let lock =
            format!("SELECT 1 FROM parcels WHERE customer_id = {n} AND state = 'lost' FOR UPDATE");
        client.batch_execute(&lock).unwrap();
    }
    client
        .batch_execute(
            "UPDATE parcels SET state = 'found' WHERE customer_id = 7;
             SELECT count(*) FROM parcels WHERE sent_on > DATE '2024-01-01' - interval '30 days';
             SELECT parcel_id FROM parcels WHERE parcel_id = 5;
             CREATE TEMP TABLE gone AS SELECT 1 AS a;
             SELECT a FROM gone;
             DROP TABLE gone;
             SELECT text2sql._version()",
        )
        .unwrap();
}

struct Line {
    kind: String,
    explanation: String,
    sql: Option<String>,
    before: Option<f64>,
    after: Option<f64>,
    size: Option<i64>,
    caveats: Option<String>,
    statements: Option<String>,
}

fn proposed(client: &mut Client, arguments: &str) -> Vec<Line> {
    let sql = format!(
        "SELECT kind, explanation, sql, cost_before, cost_after, size, caveats, statements::text
         FROM text2sql.optimize({arguments})"
    );
    let rows = client.query(&sql, &[]).unwrap();
    rows.iter()
        .map(|row| Line {
            kind: row.get(0),
            explanation: row.get(1),
            sql: row.get(2),
            before: row.get(3),
            after: row.get(4),
            size: row.get(5),
            caveats: row.get(6),
            statements: row.get(7),
        })
        .collect()
}

fn of_kind<'l>(lines: &'l [Line], kind: &str) -> Vec<&'l Line> {
    lines.iter().filter(|line| line.kind == kind).collect()
}

/// A copy of the cluster that counts statements, with a database of its own.
fn counting(name: &str) -> Option<(Standby, TestDatabase)> {
    let database = TestDatabase::new(name);
    let has: i64 = database.superuser().query_one(LIBRARY, &[]).unwrap().get(0);
    if has == 0 {
        skip("the library pg_stat_statements");
        return None;
    }
    database.superuser().batch_execute(TABLE).unwrap();
    let server = Standby::start(
        name,
        &[
            "shared_preload_libraries=pg_stat_statements",
            "max_parallel_workers_per_gather=0",
        ],
    );
    let mut client = server.connect("postgres", "postgres");
    client.batch_execute("SELECT pg_promote()").unwrap();
    let mut client = server.connect(database.name(), "postgres");
    client
        .batch_execute("CREATE EXTENSION pg_stat_statements; SELECT pg_stat_statements_reset()")
        .unwrap();
    Some((server, database))
}

#[test]
fn a_workload_gets_one_set_of_indexes() {
    let Some((server, database)) = counting("workload") else {
        return;
    };
    let mut client = server.connect(database.name(), "postgres");
    run_workload(&mut client);
    let can_imagine = extension_or_skip(&mut client, "hypopg");
    let lines = proposed(&mut client, "");
    let told: Vec<String> = lines
        .iter()
        .map(|line| {
            format!(
                "{}: {} {:?} {:?}",
                line.kind, line.explanation, line.sql, line.caveats
            )
        })
        .collect();
    let told = told.join("\n");
    let indexes = of_kind(&lines, "index");
    let [index] = indexes.as_slice() else {
        panic!("{told}");
    };
    let ddl = index.sql.clone().unwrap();
    assert!(
        ddl.starts_with("CREATE INDEX CONCURRENTLY ON public.parcels (customer_id"),
        "{told}"
    );
    assert!(
        index.before.unwrap() > index.after.unwrap() * 5.0 && index.size.unwrap() > 100_000,
        "{told}"
    );
    let gains = index.statements.clone().unwrap();
    // The query, the one that locks, and the update, by their numbers and calls.
    assert_eq!(gains.matches("\"queryid\"").count(), 3, "{gains}");
    assert_eq!(gains.matches("\"calls\":40").count(), 2, "{gains}");
    assert!(gains.contains("UPDATE parcels SET state"), "{gains}");
    let caveats = index.caveats.clone().unwrap();
    assert!(
        caveats.contains("200000 rows inserted") || caveats.contains("0 rows inserted"),
        "{caveats}"
    );
    assert!(caveats.contains("it has 5 indexes"), "{caveats}");
    assert_eq!(caveats.contains("guessed"), !can_imagine, "{caveats}");
    let explanations = |kind: &str| -> Vec<String> {
        of_kind(&lines, kind)
            .iter()
            .map(|line| line.explanation.clone())
            .collect()
    };
    assert_eq!(
        explanations("duplicate"),
        [
            "public.parcels_sent has the columns with which public.parcels_sent_state begins.",
            "public.parcels_sent_again has the same definition as public.parcels_sent."
        ],
        "{told}"
    );
    assert!(
        explanations("unused")
            .iter()
            .any(|one| one
                .starts_with("Nothing on this server has used public.parcels_weight since ")),
        "{told}"
    );
    assert!(
        lines
            .iter()
            .all(|line| line.sql.as_deref().is_none_or(|sql| !sql.contains("DROP"))),
        "{told}"
    );
    assert!(
        explanations("note")
            .iter()
            .any(|note| note.contains("relation \"gone\" does not exist (1)")),
        "{told}"
    );
    // Nothing ran, nothing is left: the proposal works as it is.
    let before: i64 = client
        .query_one("SELECT count(*) FROM parcels WHERE state = 'found'", &[])
        .unwrap()
        .get(0);
    assert_eq!(before, 10);
    client.batch_execute(&ddl).unwrap();
    client.batch_execute("ANALYZE parcels").unwrap();
    let again = proposed(&mut client, "");
    let is_again = |line: &Line| line.sql.as_deref() == Some(ddl.as_str());
    assert!(!again.iter().any(is_again), "{told}");
    // Within a budget that allows nothing.
    client
        .batch_execute("DROP INDEX parcels_customer_id_state_idx")
        .unwrap();
    for arguments in [
        r#"options => '{"max_indexes": 0}'"#,
        r#"options => '{"max_size": "1kB"}'"#,
    ] {
        assert!(
            of_kind(&proposed(&mut client, arguments), "index").is_empty(),
            "{arguments}"
        );
    }
    client
        .batch_execute("SET text2sql.language = 'de'")
        .unwrap();
    let german = proposed(&mut client, "");
    assert!(
        german[0].explanation.contains("der Anweisungen"),
        "{}",
        german[0].explanation
    );
}

#[test]
fn a_role_sees_its_own_statements_and_is_told_of_the_others() {
    let Some((server, database)) = counting("workload_rights") else {
        return;
    };
    let mut owner = server.connect(database.name(), "postgres");
    run_workload(&mut owner);
    let mut analyst = server.connect(database.name(), ANALYST);
    for n in 0..5_i32 {
        analyst
            .query(
                "SELECT parcel_id FROM parcels WHERE customer_id = $1",
                &[&n],
            )
            .unwrap();
    }
    let lines = proposed(&mut analyst, "");
    let gains: Vec<String> = lines
        .iter()
        .filter_map(|line| line.statements.clone())
        .collect();
    assert!(
        gains.iter().all(|gains| !gains.contains("UPDATE")),
        "{gains:?}"
    );
    let hidden: Vec<&Line> = of_kind(&lines, "note")
        .into_iter()
        .filter(|line| line.explanation.contains("You may not see"))
        .collect();
    assert_eq!(hidden.len(), 1);
    assert_eq!(
        hidden[0].sql.as_deref(),
        Some("GRANT pg_read_all_stats TO t2s_analyst")
    );
    // A table that the role may not read is neither planned nor described.
    owner
        .batch_execute(
            "REVOKE ALL ON parcels FROM t2s_analyst; GRANT pg_read_all_stats TO t2s_analyst",
        )
        .unwrap();
    let lines = proposed(&mut analyst, "");
    assert!(of_kind(&lines, "index").is_empty() && of_kind(&lines, "unused").is_empty());
    let told: Vec<&str> = lines.iter().map(|line| line.explanation.as_str()).collect();
    assert!(
        told.iter().any(|line| line.contains("permission denied")),
        "{told:?}"
    );
    assert!(
        !told.iter().any(|line| line.contains("You may not see")),
        "{told:?}"
    );
}

#[test]
fn what_is_missing_is_said() {
    let database = TestDatabase::new("workload_without");
    let sql = "SELECT * FROM text2sql.optimize()";
    let (sqlstate, message, hint) = error_of(&mut database.analyst(), sql);
    assert_eq!(
        (sqlstate.as_str(), message.as_str()),
        (
            "55000",
            "pg_stat_statements is not installed in this database"
        )
    );
    assert!(
        hint.contains("CREATE EXTENSION pg_stat_statements"),
        "{hint}"
    );
}
