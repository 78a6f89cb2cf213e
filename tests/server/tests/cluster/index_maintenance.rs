//! The search index follows the catalog, the knowledge and the data without a call of `refresh()`.

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::standby::Standby;
use text2sql_server_tests::waiting::wait_until;
use text2sql_server_tests::{ANALYST, TestDatabase, connect, error_of};

const FIRST_BUILD: &str = "SELECT count(*) > 0 FROM text2sql._maintenance WHERE error IS NULL";

fn is(client: &mut Client, sql: &str) -> bool {
    client.query_one(sql, &[]).unwrap().get(0)
}

/// Waits until the query returns true.
fn wait_for(client: &mut Client, sql: &str) {
    wait_until(sql, || is(client, sql));
}

/// The same, with questions, which start a worker where one is due.
fn wait_with_questions(admin: &mut Client, asking: &mut Client, sql: &str) {
    wait_until(sql, || {
        if is(admin, sql) {
            return true;
        }
        ask(asking);
        std::thread::sleep(std::time::Duration::from_millis(200));
        false
    });
}

fn ask(client: &mut Client) {
    client
        .query(
            "SELECT object FROM text2sql.retrieve('How many orders are there?')",
            &[],
        )
        .unwrap();
}

/// Waits until the index has been built and no worker is left, which would go on with the settings that it began with.
fn wait_for_the_first_build(database: &TestDatabase) {
    wait_for(&mut database.superuser(), FIRST_BUILD);
    wait_until("the end of the worker", || workers(database.name()) == 0);
}

/// Lets the next question start a worker, as if the interval were over.
fn let_a_worker_start(admin: &mut Client) {
    admin
        .batch_execute("UPDATE text2sql._maintenance SET not_before = now(), next_at = now()")
        .unwrap();
}

fn is_indexed(table: &str) -> String {
    format!(
        "SELECT count(*) = 1 FROM text2sql._index_documents WHERE collection = 's' AND item = '{table}'::regclass"
    )
}

fn has_value(value: &str) -> String {
    format!("SELECT count(*) > 0 FROM text2sql._index_values WHERE value = '{value}'")
}

fn status(client: &mut Client, item: &str) -> String {
    let sql = "SELECT value || coalesce(': ' || note, '') FROM text2sql.status() WHERE item = $1";
    client.query_one(sql, &[&item]).unwrap().get(0)
}

/// How many background workers are in the database.
fn workers(database: &str) -> i64 {
    let sql = "SELECT count(*) FROM pg_stat_activity
        WHERE datname = $1 AND backend_type = 'pg_text2sql maintenance'";
    let mut admin = connect("postgres", None);
    admin.query_one(sql, &[&database]).unwrap().get(0)
}

#[test]
fn the_index_is_there_and_follows_ddl_and_rows() {
    let database = TestDatabase::maintained("maintained_ddl");
    let mut admin = database.superuser();
    // It was built after CREATE EXTENSION, without any question.
    wait_for(&mut admin, &is_indexed("orders"));
    wait_for_the_first_build(&database);
    let mut analyst = database.analyst();
    admin
        .batch_execute(
            "ALTER DATABASE t2s_maintained_ddl SET text2sql.maintenance_interval = '1s';
             CREATE TABLE parcels (id int PRIMARY KEY, carrier text);
             INSERT INTO parcels VALUES (1, 'Seven League Boots')",
        )
        .unwrap();
    wait_with_questions(&mut admin, &mut analyst, &is_indexed("parcels"));
    wait_with_questions(&mut admin, &mut analyst, &has_value("Seven League Boots"));
    assert_eq!(status(&mut admin, "values read as"), "pg_read_all_data");
    // Rows alone.
    admin
        .batch_execute("INSERT INTO parcels VALUES (2, 'Flying Carpet')")
        .unwrap();
    wait_with_questions(&mut admin, &mut analyst, &has_value("Flying Carpet"));
    // Values of a table with row-level security are not in it, and those of a table of others are found by nobody else.
    admin
        .batch_execute("ALTER TABLE parcels ENABLE ROW LEVEL SECURITY")
        .unwrap();
    let gone =
        "SELECT count(*) = 0 FROM text2sql._index_values WHERE relation = 'parcels'::regclass";
    wait_with_questions(&mut admin, &mut analyst, gone);
    let seen = "SELECT count(*) FROM text2sql.retrieve('Who is the boss in salaries?') WHERE object LIKE 'salaries%'";
    assert_eq!(analyst.query_one(seen, &[]).unwrap().get::<_, i64>(0), 0);
    // Read-only transactions and the analyst's lack of rights are no obstacle, and raise nothing.
    admin
        .batch_execute("CREATE TABLE letters (id int PRIMARY KEY)")
        .unwrap();
    analyst
        .batch_execute("SET default_transaction_read_only = on")
        .unwrap();
    wait_with_questions(&mut admin, &mut analyst, &is_indexed("letters"));
}

#[test]
fn knowledge_is_indexed_by_the_statement_that_stores_it() {
    let database = TestDatabase::maintained("maintained_knowledge");
    let mut admin = database.superuser();
    wait_for_the_first_build(&database);
    // No worker helps from here on.
    admin
        .batch_execute(
            "UPDATE text2sql._maintenance SET not_before = 'infinity', next_at = 'infinity'",
        )
        .unwrap();
    for statement in [
        "SELECT text2sql.define('net sales', 'total of the orders', 'sum(total)', 'orders')",
        "SELECT text2sql.accept('example', text2sql.add_example('How many orders are there?', 'SELECT count(*) FROM orders'))",
    ] {
        admin.batch_execute(statement).unwrap();
    }
    let indexed =
        "SELECT (SELECT count(*) FROM text2sql._index_documents WHERE collection = 'd') = 1
        AND (SELECT count(DISTINCT unit) FROM text2sql._index_vectors WHERE collection = 'e') = 2";
    assert!(is(&mut admin, indexed));
    assert!(is(
        &mut admin,
        "SELECT count(*) = 0 FROM text2sql.status() WHERE item = 'waiting for the index'"
    ));
    // A transaction block leaves it to a worker after its end, so that nobody waits for it.
    admin
        .batch_execute("BEGIN; SELECT text2sql.forget('definition', 'net sales'); ROLLBACK")
        .unwrap();
    assert!(is(&mut admin, indexed));
    let mut other = database.superuser();
    other
        .batch_execute(
            "BEGIN; SELECT text2sql.define('gross', 'with tax', 'sum(total) * 1.2', 'orders')",
        )
        .unwrap();
    admin
        .batch_execute("SELECT text2sql.define('orders count', 'how many', 'count(*)', 'orders')")
        .unwrap();
    assert!(is(
        &mut admin,
        "SELECT count(*) = 2 FROM text2sql._index_documents WHERE collection = 'd'"
    ));
    other.batch_execute("COMMIT").unwrap();
    assert!(status(&mut admin, "waiting for the index").starts_with("1 definitions"));
    // The next worker takes it in.
    let_a_worker_start(&mut admin);
    let mut analyst = database.analyst();
    let all = "SELECT count(*) = 3 FROM text2sql._index_documents WHERE collection = 'd'";
    wait_with_questions(&mut admin, &mut analyst, all);
    // What is removed is removed from the index.
    admin
        .batch_execute("SELECT text2sql.forget('definition', 'net sales')")
        .unwrap();
    let rest = "SELECT count(*) = 2 FROM text2sql._index_documents WHERE collection = 'd'";
    wait_with_questions(&mut admin, &mut analyst, rest);
}

#[test]
fn refresh_and_ddl_and_a_dropped_database_do_not_wait_for_a_worker() {
    let database = TestDatabase::maintained("maintained_drop");
    let mut admin = database.superuser();
    // While a worker may run at any moment, refresh() works, two at a time are refused as before, and the extension can
    // be dropped and created again.
    for round in 0..3 {
        admin
            .batch_execute(&format!("CREATE TABLE made_{round} (id int)"))
            .unwrap();
        admin.batch_execute("CALL text2sql.refresh()").unwrap();
        assert!(is(&mut admin, &is_indexed(&format!("made_{round}"))));
        admin
            .batch_execute(
                "DROP EXTENSION pg_text2sql CASCADE; SET client_min_messages = warning; CREATE EXTENSION pg_text2sql CASCADE",
            )
            .unwrap();
    }
    // The worker of the dropped extension may be there when the last one is created; then a question starts the next.
    let mut asking = database.superuser();
    wait_with_questions(&mut admin, &mut asking, &is_indexed("orders"));
    drop((admin, asking));
    // A worker that looks again and again does not keep the database from being dropped.
    let mut other = connect("postgres", None);
    connect(database.name(), None)
        .batch_execute("CREATE TABLE last_one (id int)")
        .unwrap();
    wait_until("a copy of the database", || {
        other
            .batch_execute("DROP DATABASE IF EXISTS t2s_maintained_copy")
            .unwrap();
        other
            .batch_execute("CREATE DATABASE t2s_maintained_copy TEMPLATE t2s_maintained_drop")
            .is_ok()
    });
    other
        .batch_execute("DROP DATABASE t2s_maintained_copy")
        .unwrap();
    other
        .batch_execute(&format!("DROP DATABASE {}", database.name()))
        .unwrap();
}

#[test]
fn a_worker_that_ends_is_followed_by_another() {
    let database = TestDatabase::maintained("maintained_end");
    let mut admin = database.superuser();
    let mut analyst = database.analyst();
    wait_for_the_first_build(&database);
    admin
        .batch_execute(
            "ALTER DATABASE t2s_maintained_end SET text2sql.maintenance_interval = '1s';
             CREATE TABLE first_one (id int)",
        )
        .unwrap();
    // Whenever one is seen, it is terminated.
    for _ in 0..50 {
        admin
            .batch_execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE datname = current_database() AND backend_type = 'pg_text2sql maintenance'",
            )
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    admin
        .batch_execute("CREATE TABLE second_one (id int)")
        .unwrap();
    wait_with_questions(&mut admin, &mut analyst, &is_indexed("second_one"));
    assert!(is(&mut admin, &is_indexed("first_one")));
}

#[test]
fn values_are_read_as_the_role_that_was_chosen() {
    let database = TestDatabase::maintained("maintained_role");
    let mut admin = database.superuser();
    let mut analyst = database.analyst();
    wait_for_the_first_build(&database);
    // The analyst may not choose.
    ask(&mut analyst);
    let (code, ..) = error_of(&mut analyst, "SET text2sql.maintenance_role = 'postgres'");
    assert_eq!(code, "42501");
    admin
        .batch_execute(&format!(
            "ALTER DATABASE t2s_maintained_role SET text2sql.maintenance_interval = '1s';
             ALTER DATABASE t2s_maintained_role SET text2sql.maintenance_role = '{ANALYST}';
             CREATE TABLE letters (id int PRIMARY KEY, sender text);
             INSERT INTO letters VALUES (1, 'The Postman')"
        ))
        .unwrap();
    let_a_worker_start(&mut admin);
    let mut asking = database.analyst();
    let role = format!("SELECT values_read_as = '{ANALYST}' FROM text2sql._maintenance");
    wait_with_questions(&mut admin, &mut asking, &role);
    assert!(is(&mut admin, &is_indexed("letters")));
    assert!(!is(&mut admin, &has_value("The Postman")));
    // Nor are those that another reader found kept.
    assert!(!is(&mut admin, &has_value("boss")));
    assert!(is(&mut admin, &has_value("Germany")));
    // A role that does not exist: everything but values, and status() says so.
    admin
        .batch_execute(
            "ALTER DATABASE t2s_maintained_role SET text2sql.maintenance_role = 'nobody_at_all'",
        )
        .unwrap();
    let none = "SELECT values_read_as IS NULL FROM text2sql._maintenance";
    let mut asking = database.analyst();
    wait_with_questions(&mut admin, &mut asking, none);
    assert_eq!(
        status(&mut admin, "values read as"),
        "not read: role \"nobody_at_all\" of text2sql.maintenance_role does not exist"
    );
    assert_eq!(status(&mut asking, "values read as"), "not read");
}

#[test]
fn a_standby_is_left_alone() {
    let database = TestDatabase::maintained("maintained_standby");
    wait_for_the_first_build(&database);
    let standby = Standby::start("maintained", &["shared_preload_libraries=pg_text2sql"]);
    let mut client = standby.connect(database.name(), ANALYST);
    ask(&mut client);
    let sql = "SELECT count(*) FROM pg_stat_activity WHERE backend_type LIKE 'pg_text2sql%'";
    assert_eq!(client.query_one(sql, &[]).unwrap().get::<_, i64>(0), 0);
}

#[test]
fn where_the_library_is_preloaded_nobody_needs_to_ask() {
    let database = TestDatabase::maintained("maintained_launcher");
    wait_for_the_first_build(&database);
    // A server of its own: a copy of the cluster that becomes a primary.
    let only = format!("text2sql.maintenance_databases={}", database.name());
    let settings = [
        "shared_preload_libraries=pg_text2sql",
        "text2sql.maintenance_interval=1s",
        only.as_str(),
    ];
    let server = Standby::start("launcher", &settings);
    let mut admin = server.connect(database.name(), "postgres");
    let launchers =
        "SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'pg_text2sql launcher'";
    // Not before it is a primary.
    assert!(!is(&mut admin, launchers));
    admin.execute("SELECT pg_promote()", &[]).unwrap();
    wait_for(&mut admin, launchers);
    admin
        .batch_execute("CREATE TABLE parcels (id int PRIMARY KEY, carrier text)")
        .unwrap();
    wait_for(&mut admin, &is_indexed("parcels"));
    // Only rows change, which no event trigger sees.
    admin
        .batch_execute("INSERT INTO parcels VALUES (1, 'Seven League Boots')")
        .unwrap();
    wait_for(&mut admin, &has_value("Seven League Boots"));
    assert!(status(&mut admin, "index maintenance").starts_with("every 1 s, and after changes"));
    // A launcher that ends is started again, in ten seconds.
    let sql = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'pg_text2sql launcher'";
    let first: i32 = admin.query_one(sql, &[]).unwrap().get(0);
    admin
        .execute("SELECT pg_terminate_backend($1)", &[&first])
        .unwrap();
    wait_until("another launcher", || {
        let found = admin.query_opt(sql, &[]).unwrap();
        found.is_some_and(|row| row.get::<_, i32>(0) != first)
    });
    // Databases come and go.
    drop(admin);
    let mut other = server.connect("postgres", "postgres");
    other
        .batch_execute(&format!("DROP DATABASE {}", database.name()))
        .unwrap();
    assert!(is(&mut other, launchers));
}

#[test]
fn what_an_endpoint_embeds_waits_for_a_worker_and_a_failure_is_said_once() {
    let database = TestDatabase::maintained("maintained_endpoint");
    let double = ModelDouble::start(Script::new().otherwise("{}")).unwrap();
    let mut admin = database.superuser();
    wait_for_the_first_build(&database);
    let url = double.base_url("ok");
    admin
        .batch_execute(&format!(
            "CREATE SERVER vectors FOREIGN DATA WRAPPER text2sql OPTIONS (protocol 'embeddings',
                 base_url '{url}', model 'vectors-1', allow_private 'true', allow_http 'true');
             GRANT USAGE ON FOREIGN SERVER vectors TO {ANALYST};
             ALTER DATABASE t2s_maintained_endpoint SET text2sql.maintenance_interval = '1s';
             ALTER DATABASE t2s_maintained_endpoint SET text2sql.embedding_model = 'vectors'"
        ))
        .unwrap();
    let_a_worker_start(&mut admin);
    let mut asking = database.analyst();
    // The model of the database has changed, and the index follows without a call of refresh().
    let remade = "SELECT count(*) = 1 FROM text2sql._index_state WHERE embedder = 'embeddings:vectors-1' AND refreshed_at > started_at";
    wait_with_questions(&mut admin, &mut asking, remade);
    let mut curator = database.superuser();
    curator
        .batch_execute(
            "SELECT text2sql.define('net sales', 'total of the orders', 'sum(total)', 'orders')",
        )
        .unwrap();
    let indexed =
        "SELECT count(*) = 1 FROM text2sql._index_documents WHERE collection = 'd' AND is_embedded";
    wait_with_questions(&mut admin, &mut asking, indexed);
    // What was sent is on record.
    let sent = "SELECT count(*) > 0 FROM text2sql.egress_log WHERE purpose = 'embed'";
    assert!(is(&mut admin, sent));
    // The endpoint is gone: questions go on, status() says why to those who may refresh.
    drop(double);
    curator
        .batch_execute("SELECT text2sql.define('gross', 'with tax', 'sum(total) * 1.2', 'orders')")
        .unwrap();
    let failed = "SELECT failures > 0 FROM text2sql._maintenance";
    wait_with_questions(&mut admin, &mut asking, failed);
    let said = status(&mut admin, "index maintenance");
    assert!(said.contains("failed, "), "{said}");
    assert!(!status(&mut asking, "index maintenance").contains("127.0.0.1"));
    assert!(status(&mut admin, "waiting for the index").starts_with("1 definitions"));
}
