//! Every function that reads, on a primary and on a hot standby, during catalog changes,
//! replay cancels queries and sessions are cancelled and ended at any moment: whatever is answered, no
//! server process may die. `TEXT2SQL_STORM` is the number of seconds; `make soak` takes 120.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::crashes::{self, LogFromNow};
use text2sql_server_tests::standby::{Standby, catch_up};
use text2sql_server_tests::{ANALYST, TestDatabase, connect};

/// Readers of each server; the machine of CI has two cores.
const READERS: u64 = 3;

const REPLY: &str = r#"{"sql": "SELECT c.name, sum(o.total) AS total FROM orders o JOIN customers c USING (customer_id) GROUP BY 1 ORDER BY 2 DESC LIMIT 3"}"#;

/// Statements over tables that come, go and change.
const STATEMENTS: [&str; 14] = [
    "SELECT o.order_id, c.name FROM orders o JOIN customers c USING (customer_id) WHERE o.total > 10 ORDER BY 1 LIMIT 5",
    "SELECT * FROM orders LIMIT 3",
    "SELECT orders FROM orders LIMIT 2",
    "SELECT array_agg(p) FROM parcels p",
    "SELECT p.weight, p.size FROM parcels p WHERE p.size IS NOT NULL",
    "SELECT * FROM heavy_parcels",
    "SELECT (v).a FROM heavy_parcels h, LATERAL (SELECT ROW(1,2)) AS r, parcels q",
    "SELECT name FROM customers WHERE country_id IN (SELECT country_id FROM countries WHERE name = 'France') AND 1 = 0",
    "SELECT order_id FROM orders WHERE total = (SELECT max(total) FROM orders)",
    "SELECT ordered_on, count(*) FROM orders GROUP BY 1 ORDER BY 2 DESC LIMIT 4",
    "SELECT * FROM salaries",
    "SELECT nothing FROM nowhere",
    "WITH a AS (SELECT customer_id, sum(total) t FROM orders GROUP BY 1) SELECT name, t FROM a JOIN customers USING (customer_id) WHERE t > 1e6",
    "SELECT count(*) FROM events e JOIN orders o ON o.order_id = e.order_id WHERE e.happened_on > '2025-01-05'",
];

/// What is done with a statement.
const FUNCTIONS: [&str; 11] = [
    "SELECT * FROM text2sql.validate($sql$)",
    "SELECT text2sql.validate($sql$)",
    "SELECT * FROM text2sql.run_json($sql$)",
    "SELECT * FROM text2sql.run($sql$) AS t(a text, b text)",
    "SELECT * FROM text2sql.explain($sql$)",
    "SELECT * FROM text2sql.explain_plan($sql$)",
    "SELECT * FROM text2sql.explain_plan($sql$, '{\"analyze\": true}')",
    "SELECT * FROM text2sql.optimize($sql$)",
    "SELECT * FROM text2sql.why_empty($sql$)",
    "SELECT * FROM text2sql.trust_report($sql$)",
    "SELECT * FROM text2sql.score('Which customers bought most?', $sql$)",
];

/// Questions.
const QUESTIONS: [&str; 14] = [
    "SELECT * FROM text2sql.show('How many orders are there?')",
    "SELECT * FROM text2sql.ask('How many customers are in France?')",
    "SELECT * FROM text2sql.ask('Which customers bought most?', options => '{\"model\": \"m\"}')",
    "SELECT * FROM text2sql.ask('How many parcels are heavy?', options => '{\"model\": \"m\", \"enable_narration\": true}')",
    "SELECT * FROM text2sql.ask_rows('How many orders are there?') AS t(n bigint)",
    "BEGIN; CALL text2sql.ask_into('How many orders are there?', 'cursor:c'); COMMIT",
    "SELECT * FROM text2sql.retrieve('who is in frence and bought parcels?')",
    "SELECT * FROM text2sql.preview_prompt('Which customers bought most?')",
    "SELECT text2sql.to_sql('How many orders are there?', options => '{\"guarded\": true}')",
    "SELECT * FROM text2sql.status()",
    "SELECT * FROM text2sql.permissions",
    "BEGIN READ ONLY; SELECT * FROM text2sql.ask('How many parcels are there?'); SAVEPOINT a; SELECT * FROM text2sql.validate('SELECT * FROM parcels'); ROLLBACK TO a; SELECT * FROM text2sql.run_json('SELECT * FROM parcels'); COMMIT",
    "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT * FROM text2sql.validate('SELECT * FROM orders'); SELECT * FROM text2sql.ask('How many orders are there?'); SELECT * FROM text2sql.run_json('SELECT * FROM parcels'); COMMIT",
    "SET statement_timeout = '7ms'; SELECT * FROM text2sql.ask('Which customers bought most?', options => '{\"model\": \"m\"}')",
];

/// What changes meanwhile. Failing is fine.
const CHANGES: [&str; 34] = [
    "ALTER TABLE orders ADD COLUMN extra_note text DEFAULT 'none'",
    "ALTER TABLE orders DROP COLUMN extra_note",
    "ALTER TABLE parcels RENAME COLUMN weight TO mass",
    "ALTER TABLE parcels RENAME COLUMN mass TO weight",
    "ALTER TABLE parcels ALTER COLUMN weight TYPE text USING weight::text",
    "ALTER TABLE parcels ALTER COLUMN weight TYPE numeric USING weight::numeric",
    "DROP TABLE IF EXISTS parcels CASCADE",
    "CREATE TABLE parcels (parcel_id integer PRIMARY KEY, weight numeric, size box_size); GRANT SELECT ON parcels TO t2s_analyst; INSERT INTO parcels SELECT n, n, (n, n)::box_size FROM generate_series(1, 50) n; CREATE VIEW heavy_parcels AS SELECT * FROM parcels WHERE weight > 3; GRANT SELECT ON heavy_parcels TO t2s_analyst",
    "ALTER TYPE box_size ADD ATTRIBUTE depth integer CASCADE",
    "ALTER TYPE box_size DROP ATTRIBUTE IF EXISTS depth CASCADE",
    "ALTER TABLE orders ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON orders USING (total > 5)",
    "DROP POLICY IF EXISTS p ON orders; ALTER TABLE orders DISABLE ROW LEVEL SECURITY",
    "VACUUM FULL orders",
    "VACUUM FULL customers",
    "UPDATE orders SET total = total + 1; DELETE FROM orders WHERE order_id % 97 = 3",
    "VACUUM orders",
    "REINDEX TABLE orders",
    "REINDEX TABLE pg_class",
    "VACUUM FULL pg_statistic",
    "VACUUM FULL pg_attribute",
    "VACUUM FULL text2sql._protections",
    "REINDEX SCHEMA text2sql",
    "DO $$ DECLARE t regclass; BEGIN FOR t IN SELECT oid FROM pg_class WHERE relnamespace IN ('text2sql'::regnamespace, 'text2sql_eval'::regnamespace) AND relkind = 'r' LOOP EXECUTE format('ALTER TABLE %s SET (fillfactor = 90)', t); EXECUTE format('CLUSTER %s', t); END LOOP; EXCEPTION WHEN others THEN NULL; END $$",
    "CALL text2sql.refresh()",
    "CALL text2sql.refresh('{\"rebuild\": true}')",
    "SELECT text2sql.protect('public.customers.mail', 'hidden')",
    "SELECT text2sql.protect('public.customers.mail', 'open')",
    "COMMENT ON TABLE orders IS 'what was bought'; COMMENT ON COLUMN orders.total IS 'in euros'",
    "ANALYZE",
    "REVOKE SELECT ON countries FROM t2s_analyst",
    "GRANT SELECT ON countries TO t2s_analyst",
    "CREATE TABLE events (order_id bigint, happened_on date) PARTITION BY RANGE (happened_on); CREATE TABLE events_a PARTITION OF events FOR VALUES FROM ('2025-01-01') TO ('2025-02-01'); INSERT INTO events SELECT n, '2025-01-01'::date + n % 31 FROM generate_series(1, 200) n; GRANT SELECT ON events TO t2s_analyst",
    "ALTER TABLE events DETACH PARTITION events_a; DROP TABLE events_a; DROP TABLE events",
    "DROP INDEX IF EXISTS by_total; CREATE INDEX by_total ON orders (total)",
];

/// PostgreSQL's errors for an object dropped between two look-ups.
const RACES: [&str; 4] = [
    "cache lookup failed for",
    "could not open relation with OID",
    "catalog is missing",
    "tuple concurrently",
];

/// Everything of the extension goes, and comes back.
const AGAIN: &str = "DROP EXTENSION pg_text2sql CASCADE; SET client_min_messages = warning; CREATE EXTENSION pg_text2sql CASCADE; SELECT text2sql.grant_access('t2s_analyst')";

/// A call of some function, about some statement or question.
fn call(random: &mut fastrand::Rng) -> String {
    if random.u64(..3) == 0 {
        return random
            .choice(QUESTIONS)
            .expect("a list that is not empty")
            .to_owned();
    }
    let statement = random
        .choice(STATEMENTS)
        .expect("a list that is not empty")
        .replace('\'', "''");
    random
        .choice(FUNCTIONS)
        .expect("a list that is not empty")
        .replace("$sql$", &format!("'{statement}'"))
}

/// What came of the calls, by SQLSTATE.
type Outcomes = BTreeMap<String, usize>;

/// One of the two servers.
enum Server<'a> {
    Primary(&'a TestDatabase),
    Standby(&'a Standby),
}

impl Server<'_> {
    fn reader(&self) -> Option<Client> {
        match self {
            Self::Primary(database) => Some(database.analyst()),
            Self::Standby(standby) => standby.try_connect("t2s_storm", ANALYST).ok(),
        }
    }

    fn killer(&self) -> Client {
        match self {
            Self::Primary(_) => connect("postgres", None),
            Self::Standby(standby) => standby.connect("postgres", "postgres"),
        }
    }
}

/// Calls in sessions of all lengths.
fn read(server: &Server<'_>, seed: u64, end: Instant) -> Outcomes {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut outcomes = Outcomes::new();
    let mut note = |outcome: &str| *outcomes.entry(outcome.to_owned()).or_default() += 1;
    while Instant::now() < end {
        let Some(mut client) = server.reader() else {
            note("refused");
            thread::sleep(Duration::from_millis(20));
            continue;
        };
        let calls = [1, 4, 40, 400][usize::try_from(random.u64(..4)).unwrap()];
        for _ in 0..calls {
            if Instant::now() > end || client.is_closed() {
                break;
            }
            match client.simple_query(&call(&mut random)) {
                Ok(_) => note("ok"),
                Err(error) => {
                    let outcome = match error.as_db_error() {
                        Some(error) if error.code().code() == "XX000" => {
                            format!("XX000 {}", error.message())
                        }
                        Some(error) => error.code().code().to_owned(),
                        None => "gone".to_owned(),
                    };
                    note(&outcome);
                    let _ = client.batch_execute("ROLLBACK; RESET statement_timeout");
                }
            }
        }
    }
    outcomes
}

/// Cancels and ends sessions.
fn kill(server: &Server<'_>, seed: u64, end: Instant) -> Outcomes {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut killer = server.killer();
    while Instant::now() < end {
        thread::sleep(Duration::from_millis(random.u64(..150)));
        let how = if random.u64(..6) == 0 {
            "pg_terminate_backend"
        } else {
            "pg_cancel_backend"
        };
        let sql = format!(
            "SELECT {how}(pid) FROM (SELECT pid FROM pg_stat_activity WHERE datname = 't2s_storm' AND usename = 't2s_analyst' AND state = 'active' ORDER BY random() LIMIT 1) AS one"
        );
        killer.simple_query(&sql).unwrap();
    }
    Outcomes::new()
}

/// Changes the catalog.
fn change(database: &TestDatabase, double: &ModelDouble, end: Instant) -> Outcomes {
    let mut random = fastrand::Rng::with_seed(4711);
    let mut outcomes = Outcomes::new();
    let mut admin = database.superuser();
    admin.batch_execute("SET lock_timeout = '2s'").unwrap();
    let url = double.base_url("delay-10");
    while Instant::now() < end {
        let sql = if random.u64(..60) == 0 {
            AGAIN
        } else {
            random.choice(CHANGES).expect("a list that is not empty")
        };
        // One after the other: what may not be in a transaction block is alone anyhow.
        let outcome = match admin.batch_execute(sql) {
            Ok(()) => "changed".to_owned(),
            Err(error) => match error.code() {
                Some(code) => format!("change {}", code.code()),
                None => panic!("the primary is gone: {error}"),
            },
        };
        *outcomes.entry(outcome).or_default() += 1;
        if sql == AGAIN {
            database.add_model("m", "openai", &url, "");
        }
        thread::sleep(Duration::from_millis(random.u64(..20)));
    }
    outcomes
}

#[test]
fn no_server_process_dies_while_the_catalog_changes() {
    let seconds = std::env::var("TEXT2SQL_STORM").map_or(6, |count| count.parse().unwrap());
    let double = ModelDouble::start(Script::new().otherwise(REPLY)).unwrap();
    let database = TestDatabase::new("storm");
    database.add_model("m", "openai", &double.base_url("delay-10"), "");
    let mut admin = database.superuser();
    admin
        .batch_execute(&format!(
            "CREATE TYPE box_size AS (width integer, height integer); {}; ALTER DATABASE t2s_storm SET text2sql.model = 'builtin'",
            CHANGES[7]
        ))
        .unwrap();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    let standby = Standby::start(
        "storm",
        &["max_standby_streaming_delay=30ms", "log_min_messages=fatal"],
    );
    let log = LogFromNow::begin();
    let end = Instant::now() + Duration::from_secs(seconds);
    let servers = [Server::Primary(&database), Server::Standby(&standby)];
    let (changes, outcomes) = thread::scope(|scope| {
        let changes = scope.spawn(|| change(&database, &double, end));
        let mut threads = Vec::new();
        for (place, server) in servers.iter().enumerate() {
            for seed in 1..=READERS {
                threads.push((place, scope.spawn(move || read(server, seed * 7919, end))));
            }
            threads.push((place, scope.spawn(move || kill(server, 31, end))));
        }
        let mut outcomes = [Outcomes::new(), Outcomes::new()];
        for (place, thread) in threads {
            for (outcome, count) in thread.join().unwrap() {
                *outcomes[place].entry(outcome).or_default() += count;
            }
        }
        (changes.join().unwrap(), outcomes)
    });
    println!(
        "{seconds} s: {changes:?}\nprimary: {:?}\nstandby: {:?}",
        outcomes[0], outcomes[1]
    );
    crashes::assert_none(&log.text());
    crashes::assert_none(&standby.log());
    // A panic is not a crash, but must not be visible either. PostgreSQL itself has internal errors for what is dropped
    // while it is being looked up.
    for outcome in outcomes.iter().flat_map(Outcomes::keys) {
        let is_race = RACES.iter().any(|race| outcome.contains(race));
        assert!(!outcome.starts_with("XX000") || is_race, "{outcome}");
    }
    let mut client = standby.connect("t2s_storm", "postgres");
    // This must hold whatever the last changes were.
    admin
        .batch_execute("CREATE TABLE after_all (n integer)")
        .unwrap();
    catch_up(&mut admin, &mut client);
    let sql = "SELECT allowed FROM text2sql.validate('SELECT n FROM after_all')";
    for client in [&mut admin, &mut client] {
        assert!(client.query_one(sql, &[]).unwrap().get::<_, bool>(0));
    }
}
