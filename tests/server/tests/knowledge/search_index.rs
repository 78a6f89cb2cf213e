//! The search index: whom it shows what, how it follows changes, and what happens to a refresh that is
//! interrupted, disturbed or not possible.

use std::thread;

use postgres::Client;
use text2sql_server_tests::waiting::wait_until;
use text2sql_server_tests::{ANALYST, TestDatabase, error_of};

/// What a question finds: the objects of a kind, best first.
fn found(client: &mut Client, question: &str, is_value: bool) -> Vec<String> {
    let rows = client
        .query(
            "SELECT object FROM text2sql.retrieve($1) WHERE (kind = 'value') = $2 AND kind <> 'certainty' ORDER BY rank",
            &[&question, &is_value],
        )
        .unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

fn tables(client: &mut Client, question: &str) -> Vec<String> {
    found(client, question, false)
}

fn refresh(client: &mut Client) {
    client.batch_execute("CALL text2sql.refresh()").unwrap();
}

/// Everything that the index stores about tables, in a fixed order.
fn fingerprint(client: &mut Client) -> String {
    let sql = "SELECT concat_ws(' ',
        (SELECT md5(string_agg(concat_ws('|', collection, term, segment, md5(bytes)), ',' ORDER BY collection, term, segment)) FROM text2sql._index_postings),
        (SELECT md5(string_agg(concat_ws('|', collection, item, fingerprint, is_public, totals::text, is_embedded), ',' ORDER BY collection, item)) FROM text2sql._index_documents),
        (SELECT md5(string_agg(concat_ws('|', collection, item, unit, embedding::text), ',' ORDER BY collection, item, unit)) FROM text2sql._index_vectors),
        (SELECT md5(string_agg(concat_ws('|', from_table, from_columns::text, to_table, to_columns::text), ',' ORDER BY from_table, from_columns, to_table)) FROM text2sql._index_joins),
        (SELECT md5(string_agg(concat_ws('|', key, relation, attribute, value, is_first), ',' ORDER BY key, relation, attribute, value)) FROM text2sql._index_values),
        (SELECT md5(string_agg(key, ',' ORDER BY key)) FROM text2sql._index_value_keys),
        (SELECT string_agg(collection::text || totals::text, ',' ORDER BY collection) FROM text2sql._index_totals))";
    client.query_one(sql, &[]).unwrap().get(0)
}

/// Makes `count` tables with a few words in their names.
fn many(client: &mut Client, count: usize) {
    client
        .batch_execute(&format!(
            "DO $$ DECLARE n integer; BEGIN
                FOR n IN 1..{count} LOOP
                    EXECUTE format('CREATE TABLE %s_%s_%s (id integer PRIMARY KEY, name text, status text, customer_id integer REFERENCES customers)',
                        (ARRAY['order','invoice','shipment','ticket','audit'])[1 + n % 5], (ARRAY['item','log','note','line'])[1 + n % 4], n);
                    EXECUTE format('INSERT INTO %s_%s_%s VALUES (1, ''name %s'', ''open'')',
                        (ARRAY['order','invoice','shipment','ticket','audit'])[1 + n % 5], (ARRAY['item','log','note','line'])[1 + n % 4], n, n % 7);
                END LOOP;
            END $$"
        ))
        .unwrap();
}

#[test]
fn a_question_finds_what_its_role_may_read_without_a_refresh_after_grants() {
    let database = TestDatabase::new("index_privileges");
    database.create_role("group", "");
    let (mut admin, mut analyst) = (database.superuser(), database.analyst());
    refresh(&mut admin);
    let question = "What is the salary of each employee? Which countries?";
    assert_eq!(tables(&mut analyst, question)[0], "countries");
    let sees = |client: &mut Client| tables(client, question).contains(&"salaries".to_owned());
    for (sql, expected) in [
        ("SELECT", false),
        ("GRANT SELECT ON salaries TO t2s_analyst", true),
        ("REVOKE SELECT ON salaries FROM t2s_analyst", false),
        ("GRANT SELECT (employee) ON salaries TO t2s_analyst", true),
        (
            "REVOKE SELECT (employee) ON salaries FROM t2s_analyst",
            false,
        ),
        ("GRANT SELECT ON salaries TO PUBLIC", true),
        ("REVOKE SELECT ON salaries FROM PUBLIC", false),
        (
            "GRANT SELECT ON salaries TO t2s_index_privileges_group; GRANT t2s_index_privileges_group TO t2s_analyst",
            true,
        ),
        (
            "DROP OWNED BY t2s_index_privileges_group; DROP ROLE t2s_index_privileges_group",
            false,
        ),
    ] {
        admin.batch_execute(sql).unwrap();
        assert_eq!(sees(&mut analyst), expected, "{sql}");
        assert_eq!(
            sees(&mut database.analyst()),
            expected,
            "{sql}, in a new session"
        );
    }
}

#[test]
fn nobody_reads_the_tables_of_the_index() {
    let database = TestDatabase::new("index_closed");
    refresh(&mut database.superuser());
    let mut analyst = database.analyst();
    for table in [
        "index_documents",
        "index_postings",
        "index_vectors",
        "index_words",
        "index_values",
        "index_value_keys",
        "index_value_columns",
        "index_joins",
        "index_join_counts",
        "index_families",
        "index_changes",
        "index_state",
        "index_totals",
        "maintenance",
    ] {
        let sql = format!("SELECT FROM text2sql._{table}");
        assert_eq!(error_of(&mut analyst, &sql).0, "42501", "{table}");
    }
    assert_eq!(error_of(&mut analyst, "CALL text2sql.refresh()").0, "42501");
}

#[test]
fn values_are_those_of_columns_that_may_be_read() {
    let database = TestDatabase::new("index_values");
    let (mut admin, mut analyst) = (database.superuser(), database.analyst());
    admin
        .batch_execute(
            "CREATE TABLE secrets (holder text, nickname text); INSERT INTO secrets VALUES ('Zacharias', 'Zebedee');
             GRANT SELECT (holder) ON secrets TO t2s_analyst;
             CREATE TABLE guarded (owner text); INSERT INTO guarded VALUES ('Zacharias');
             ALTER TABLE guarded ENABLE ROW LEVEL SECURITY; GRANT SELECT ON guarded TO t2s_analyst",
        )
        .unwrap();
    refresh(&mut admin);
    let question = "secrets guarded of zacharias and zebedee";
    let values = |client: &mut Client| found(client, question, true);
    assert_eq!(values(&mut analyst), ["secrets.holder"]);
    assert_eq!(values(&mut admin), ["secrets.holder", "secrets.nickname"]);
    admin
        .batch_execute("ALTER TABLE secrets ENABLE ROW LEVEL SECURITY")
        .unwrap();
    assert!(values(&mut analyst).is_empty());
    admin.batch_execute("ALTER TABLE secrets DISABLE ROW LEVEL SECURITY; SELECT text2sql.protect('secrets.holder', 'private')").unwrap();
    assert!(values(&mut analyst).is_empty());
    refresh(&mut admin);
    let kept: i64 = admin
        .query_one(
            "SELECT count(*) FROM text2sql._index_values WHERE value = 'Zacharias'",
            &[],
        )
        .unwrap()
        .get(0);
    assert_eq!(kept, 0);
}

#[test]
fn accents_case_plural_initials_and_typos_lead_to_the_value() {
    let database = TestDatabase::new("index_linking");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "INSERT INTO countries VALUES (3, 'Côte d''Ivoire'), (4, 'United States of America'), (5, 'Österreich'), (6, 'Switzerland'), (7, 'Austria'), (8, 'Australia')",
        )
        .unwrap();
    refresh(&mut admin);
    for (question, value) in [
        ("customers in FRANCE", "France"),
        ("customers in Frence", "France"),
        ("customers in cote d'ivoire", "Côte d''Ivoire"),
        ("customers in osterreich", "Österreich"),
        ("customers in the USA", "United States of America"),
        ("customers in Switzerlnad", "Switzerland"),
        ("customers of \"germany\"", "Germany"),
        ("customers in Switz.", "Switzerland"),
        (
            "how many customers live in unit. now?",
            "United States of America",
        ),
    ] {
        let why: Vec<String> = admin
            .query(
                "SELECT why FROM text2sql.retrieve($1) WHERE object = 'countries.name'",
                &[&question],
            )
            .unwrap()
            .iter()
            .map(|row| row.get(0))
            .collect();
        assert!(
            why.iter().any(|why| why.contains(&format!("'{value}'"))),
            "{question}: {why:?}"
        );
    }
    // The beginning of two values, and a word that is not marked as a beginning.
    for question in ["customers in Aust.", "customers who unit"] {
        let found = found(&mut admin, question, true);
        assert!(
            !found.contains(&"countries.name".to_owned()),
            "{question}: {found:?}"
        );
    }
}

#[test]
fn what_ddl_changed_is_read_live() {
    let database = TestDatabase::new("index_ddl");
    let (mut admin, mut analyst) = (database.superuser(), database.analyst());
    refresh(&mut admin);
    admin.batch_execute("CREATE TABLE \"Größe der Käufer\" (\"Schuh\" text); GRANT SELECT ON \"Größe der Käufer\" TO t2s_analyst").unwrap();
    assert_eq!(
        tables(&mut analyst, "groesse? Größe, kaufer")[0],
        "\"Größe der Käufer\""
    );
    admin.batch_execute("ALTER TABLE orders RENAME TO purchases; ALTER TABLE purchases ADD COLUMN warranty interval").unwrap();
    assert_eq!(tables(&mut analyst, "how many purchases?")[0], "purchases");
    assert_eq!(tables(&mut analyst, "which warranty?")[0], "purchases");
    admin.batch_execute("ALTER TABLE purchases ALTER COLUMN warranty TYPE text USING warranty::text, DROP COLUMN ordered_on").unwrap();
    assert_eq!(tables(&mut analyst, "which warranty?")[0], "purchases");
    admin
        .batch_execute("COMMENT ON TABLE countries IS 'territories'")
        .unwrap();
    assert_eq!(tables(&mut analyst, "which territories?")[0], "countries");
    admin
        .batch_execute("SELECT text2sql.describe('countries', synonyms => ARRAY['fatherland'])")
        .unwrap();
    assert_eq!(tables(&mut analyst, "which fatherland?")[0], "countries");
    admin
        .batch_execute("DROP TABLE \"Größe der Käufer\"")
        .unwrap();
    assert!(
        !tables(&mut analyst, "Größe der Käufer")
            .iter()
            .any(|name| name.contains("Größe"))
    );
    let before = tables(
        &mut analyst,
        "which warranty of purchases in which territories?",
    );
    refresh(&mut admin);
    assert_eq!(
        tables(
            &mut analyst,
            "which warranty of purchases in which territories?"
        ),
        before
    );
    let changes: i64 = admin
        .query_one("SELECT count(*) FROM text2sql._index_changes", &[])
        .unwrap()
        .get(0);
    assert_eq!(changes, 0);
}

#[test]
fn ddl_of_any_role_goes_on() {
    let database = TestDatabase::new("index_anybody");
    let mut admin = database.superuser();
    refresh(&mut admin);
    admin
        .batch_execute(&format!("CREATE SCHEMA play AUTHORIZATION {ANALYST}"))
        .unwrap();
    let mut analyst = database.analyst();
    for sql in [
        "CREATE TABLE play.a (x int); CREATE VIEW play.v AS SELECT 1 AS x; COMMENT ON TABLE play.a IS 'toys'",
        "GRANT SELECT ON play.a TO PUBLIC; CREATE TEMP TABLE t (x int); CREATE TABLE play.b AS SELECT 1 AS y",
        "BEGIN ISOLATION LEVEL SERIALIZABLE; ALTER TABLE play.a ADD COLUMN y int; DROP TABLE play.b; COMMIT",
        "BEGIN ISOLATION LEVEL REPEATABLE READ; ALTER TABLE play.a ADD COLUMN z int; DROP VIEW play.v; COMMIT",
    ] {
        analyst.batch_execute(sql).unwrap();
    }
    assert_eq!(tables(&mut analyst, "which toys?")[0], "play.a");
    admin
        .batch_execute("DROP EXTENSION pg_text2sql CASCADE")
        .unwrap();
    analyst
        .batch_execute("ALTER TABLE play.a DROP COLUMN y; DROP TABLE play.a")
        .unwrap();
}

#[test]
fn an_interrupted_refresh_goes_on_and_ends_as_if_it_had_not_been() {
    let database = TestDatabase::new("index_interrupt");
    let mut admin = database.superuser();
    many(&mut admin, 1_100);
    let mut interrupted = 0;
    for timeout in [250, 500, 900, 1_500, 2_500, 60_000] {
        admin
            .batch_execute(&format!("SET statement_timeout = {timeout}"))
            .unwrap();
        match admin.batch_execute("CALL text2sql.refresh()") {
            Ok(()) => break,
            Err(error) => assert_eq!(error.code().unwrap().code(), "57014", "{error}"),
        }
        interrupted += 1;
    }
    assert!(interrupted > 0);
    admin.batch_execute("RESET statement_timeout").unwrap();
    refresh(&mut admin);
    let resumed = fingerprint(&mut admin);
    admin
        .batch_execute("CALL text2sql.refresh('{\"rebuild\": true}')")
        .unwrap();
    assert_eq!(fingerprint(&mut admin), resumed);
}

#[test]
fn ddl_goes_on_beside_a_refresh_and_a_second_one_is_refused() {
    let database = TestDatabase::new("index_concurrent");
    let mut admin = database.superuser();
    many(&mut admin, 700);
    thread::scope(|scope| {
        let refreshing = scope.spawn(|| refresh(&mut database.superuser()));
        // Or the second one would be the first, now and then.
        let running = "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory'
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))";
        wait_until("the first refresh", || {
            refreshing.is_finished() || admin.query_one(running, &[]).unwrap().get(0)
        });
        let mut refused = 0;
        let mut number = 0;
        while !refreshing.is_finished() {
            number += 1;
            admin
                .batch_execute(&format!(
                    "SET lock_timeout = '5s'; CREATE TABLE beside_{number} (a int); ALTER TABLE beside_{number} ADD COLUMN b{number} text;
                     ALTER TABLE countries ADD COLUMN c{number} int; ALTER TABLE countries DROP COLUMN c{number}"
                ))
                .unwrap();
            if number % 3 == 0 {
                admin
                    .batch_execute(&format!("DROP TABLE beside_{number}"))
                    .unwrap();
            }
            if let Err(error) = database
                .superuser()
                .batch_execute("CALL text2sql.refresh()")
            {
                let error = error.as_db_error().unwrap().clone();
                if error.message().starts_with("another refresh()") {
                    assert_eq!(error.code().code(), "55000");
                    refused += 1;
                }
            }
        }
        refreshing.join().unwrap();
        assert!(refused > 0);
    });
    refresh(&mut admin);
    let followed = fingerprint(&mut admin);
    admin
        .batch_execute("CALL text2sql.refresh('{\"rebuild\": true}')")
        .unwrap();
    assert_eq!(fingerprint(&mut admin), followed);
}

#[test]
fn who_sees_few_tables_finds_as_if_there_were_no_others() {
    let (large, small) = (
        TestDatabase::new("index_large"),
        TestDatabase::new("index_small"),
    );
    let mut kept: Vec<String> = Vec::new();
    let mut admin = large.superuser();
    many(&mut admin, 600);
    for row in admin.query("SELECT relname FROM (SELECT oid, relname::text FROM pg_class WHERE relname ~ '_[0-9]+$' AND relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY md5(relname) LIMIT 20) AS chosen ORDER BY oid", &[]).unwrap() {
        kept.push(row.get(0));
    }
    for (database, table) in kept
        .iter()
        .flat_map(|table| [(&large, table), (&small, table)])
    {
        let create = format!(
            "CREATE TABLE IF NOT EXISTS {table} (id integer PRIMARY KEY, name text, status text, customer_id integer REFERENCES customers)"
        );
        let mut admin = database.superuser();
        admin
            .batch_execute("SET client_min_messages = warning")
            .unwrap();
        admin.batch_execute(&create).unwrap();
        // The same rows: values are found, too.
        let number = table.rsplit('_').next().unwrap_or_default();
        let fill = format!(
            "INSERT INTO {table} VALUES (1, 'name ' || {number} % 7, 'open') ON CONFLICT DO NOTHING"
        );
        admin.batch_execute(&fill).unwrap();
        admin
            .batch_execute(&format!("GRANT SELECT ON {table} TO {ANALYST}"))
            .unwrap();
    }
    for database in [&large, &small] {
        // With many vectors the search is approximate, and equally near tables come in any order.
        let hash = format!(
            "ALTER DATABASE {} SET text2sql.embedding_model = 'hash'",
            database.name()
        );
        database.superuser().batch_execute(&hash).unwrap();
        refresh(&mut database.superuser());
    }
    small
        .superuser()
        .batch_execute("REVOKE ALL ON salaries FROM PUBLIC")
        .unwrap();
    for question in [
        "open invoice lines",
        "status of the shipment note",
        "names of customers with tickets",
        "audit log of orders",
    ] {
        let (one, other) = (
            tables(&mut large.analyst(), question),
            tables(&mut small.analyst(), question),
        );
        assert!(one.len() > 5);
        assert_eq!(one, other, "{question}");
    }
}

/// The vector index holds tables; their columns are compared where the table is near.
#[test]
fn a_large_catalog_is_searched_by_meaning_through_the_vectors_of_its_tables() {
    let database = TestDatabase::new("index_meaning");
    let (mut admin, mut analyst) = (database.superuser(), database.analyst());
    many(&mut admin, 540);
    admin
        .batch_execute(&format!(
            "CREATE TABLE staff_wages (id integer PRIMARY KEY, amount numeric, paid_on date);
             GRANT SELECT ON ALL TABLES IN SCHEMA public TO {ANALYST};
             REVOKE SELECT ON staff_wages FROM {ANALYST}"
        ))
        .unwrap();
    refresh(&mut admin);
    let definition = "SELECT pg_get_indexdef('text2sql._index_vectors_s_hnsw'::regclass)";
    let definition: String = admin.query_one(definition, &[]).unwrap().get(0);
    assert!(definition.contains("(unit = 0)"), "{definition}");
    // No word of the question is in the name of the table that is meant.
    let near = "SELECT object FROM text2sql.retrieve('remuneration of personnel') WHERE why LIKE '%meaning is close%'";
    let near = |client: &mut Client| -> Vec<String> {
        let rows = client.query(near, &[]).unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    };
    assert!(!near(&mut analyst).is_empty());
    assert!(!tables(&mut analyst, "remuneration of personnel").contains(&"staff_wages".to_owned()));
    // A role that may read one column of it finds the table, as by words.
    admin
        .batch_execute(&format!(
            "GRANT SELECT (amount) ON staff_wages TO {ANALYST}"
        ))
        .unwrap();
    let found = tables(&mut analyst, "remuneration of personnel");
    let place = found.iter().position(|table| table == "staff_wages");
    assert!(place.is_some_and(|place| place < 5), "{found:?}");
}

#[test]
fn refresh_says_where_it_cannot_run() {
    let database = TestDatabase::new("index_where");
    let mut admin = database.superuser();
    let (code, _, hint) = error_of(&mut admin, "BEGIN; CALL text2sql.refresh()");
    assert_eq!(code, "25001");
    assert!(hint.contains("CALL text2sql.refresh()"));
    admin
        .batch_execute("ROLLBACK; SET default_transaction_read_only = on")
        .unwrap();
    assert_eq!(error_of(&mut admin, "CALL text2sql.refresh()").0, "55000");
    assert!(!tables(&mut admin, "orders").is_empty());
    admin
        .batch_execute("SET default_transaction_read_only = off")
        .unwrap();
    let description = format!(
        "COMMENT ON TABLE orders IS '{}'",
        "a megabyte of words ".repeat(52_429)
    );
    admin.batch_execute(&description).unwrap();
    refresh(&mut admin);
    assert_eq!(tables(&mut admin, "orders")[0], "orders");
    admin
        .batch_execute("SET default_transaction_read_only = on")
        .unwrap();
    assert_eq!(tables(&mut admin, "orders")[0], "orders");
}

/// A session reports its changes to the statistics at most once a second: the last ones before a refresh only after it.
#[test]
fn values_written_just_before_a_refresh_are_up_to_date_after_it() {
    let database = TestDatabase::new("values_just_written");
    let mut writer = database.superuser();
    let (mut other, mut admin) = (database.superuser(), database.superuser());
    writer
        .batch_execute("CREATE TABLE moods (mood text); INSERT INTO moods VALUES ('cheerful')")
        .unwrap();
    for mood in ["gloomy", "pensive"] {
        writer
            .execute("INSERT INTO moods VALUES ($1)", &[&mood])
            .unwrap();
    }
    writer.batch_execute("CALL text2sql.refresh()").unwrap();
    let up_to_date = format!(
        "SELECT known.rows = {} FROM text2sql._index_value_tables known
           JOIN pg_class c ON c.oid = known.relation WHERE c.relname = 'moods'",
        include_str!("../../../../sql/queries/rows_state.sql")
    );
    let mut is_up_to_date = || -> bool { other.query_one(&up_to_date, &[]).unwrap().get(0) };
    assert!(is_up_to_date());
    // At the latest when it ends.
    drop(writer);
    wait_until("all inserts in the statistics", || {
        let inserted = "SELECT pg_stat_get_tuples_inserted('moods'::regclass)";
        admin.query_one(inserted, &[]).unwrap().get::<_, i64>(0) == 3
    });
    assert!(is_up_to_date());
}
