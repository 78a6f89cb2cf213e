//! What every black-box test needs: a database of its own, with a small shop, roles and the
//! extension, in the cluster that `PGHOST`, `PGPORT` and `PGUSER` name (`make test` starts one).
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot set itself up fails, with the reason"
)]

pub mod corpus;
pub mod crashes;
pub mod demo;
pub mod dice;
pub mod processes;
pub mod siege;
pub mod standby;

use postgres::{Client, Config, NoTls};

/// A role that may ask and read the shop.
pub const ANALYST: &str = "t2s_analyst";

/// A database that is dropped at the end of the test.
pub struct TestDatabase {
    name: String,
}

impl TestDatabase {
    /// Makes the database. `test` is its name, unique among all tests.
    pub fn new(test: &str) -> Self {
        let name = format!("t2s_{test}");
        let mut admin = connect("postgres", None);
        // Tests run in parallel and share the roles of the cluster.
        admin
            .batch_execute(&format!(
                "DO $$ BEGIN
                     PERFORM pg_advisory_lock(7432);
                     IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{ANALYST}') THEN
                         CREATE ROLE {ANALYST} LOGIN;
                     END IF;
                     PERFORM pg_advisory_unlock(7432);
                 END $$"
            ))
            .expect("roles");
        admin
            .batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
            .expect("drop");
        admin
            .batch_execute(&format!("CREATE DATABASE {name}"))
            .expect("create");
        let database = Self { name };
        database.superuser().batch_execute(SHOP).expect("shop");
        database
    }

    /// A connection as the superuser.
    pub fn superuser(&self) -> Client {
        connect(&self.name, None)
    }

    /// A connection as the role that may ask.
    pub fn analyst(&self) -> Client {
        connect(&self.name, Some(ANALYST))
    }

    /// Makes a model of that name for `base_url`, lets the analyst use it and makes it the default.
    pub fn add_model(&self, name: &str, protocol: &str, base_url: &str, more_options: &str) {
        let mut admin = self.superuser();
        admin
            .batch_execute(&format!(
                "CREATE SERVER {name} FOREIGN DATA WRAPPER text2sql OPTIONS (protocol '{protocol}',
                     base_url '{base_url}', model 'double-1', allow_private 'true', allow_http 'true' {more_options});
                 GRANT USAGE ON FOREIGN SERVER {name} TO {ANALYST};
                 CREATE USER MAPPING FOR PUBLIC SERVER {name} OPTIONS (api_key 'sk-test-key-4711');
                 ALTER DATABASE {} SET text2sql.model = '{name}'",
                self.name
            ))
            .expect("model");
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let mut admin = connect("postgres", None);
        let _ = admin.batch_execute(&format!(
            "DROP DATABASE IF EXISTS {} WITH (FORCE)",
            self.name
        ));
    }
}

/// Connects to a database, as the user of the environment or another.
pub fn connect(database: &str, user: Option<&str>) -> Client {
    connect_listening(database, user, |_| {})
}

/// Connects, and hands each notice to `listener`.
pub fn connect_listening(
    database: &str,
    user: Option<&str>,
    listener: impl Fn(String) + Send + Sync + 'static,
) -> Client {
    let variable = |name: &str| std::env::var(name).ok();
    let host = variable("PGHOST").expect("PGHOST is not set: run these tests through `make test`");
    let mut config = Config::new();
    config
        .host(&host)
        .dbname(database)
        .application_name("text2sql_server_tests");
    config.user(user.unwrap_or(&variable("PGUSER").unwrap_or_else(|| "postgres".to_owned())));
    if let Some(port) = variable("PGPORT").and_then(|port| port.parse().ok()) {
        config.port(port);
    }
    config.notice_callback(move |notice| listener(notice.message().to_owned()));
    config.connect(NoTls).expect("connection")
}

/// The SQLSTATE, message and hint of the error that a query must raise.
pub fn error_of(client: &mut Client, sql: &str) -> (String, String, String) {
    match client.simple_query(sql) {
        Ok(_) => panic!("no error: {sql}"),
        Err(error) => {
            let error = error.as_db_error().expect("an error of the database");
            (
                error.code().code().to_owned(),
                error.message().to_owned(),
                error.hint().unwrap_or_default().to_owned(),
            )
        }
    }
}

const SHOP: &str = "
SET client_min_messages = warning;
CREATE EXTENSION pg_text2sql CASCADE;
SELECT text2sql.grant_usage('t2s_analyst');
CREATE TABLE countries (country_id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE customers (
    customer_id integer PRIMARY KEY, name text NOT NULL, mail text, iban text,
    country_id integer REFERENCES countries);
CREATE TABLE orders (
    order_id bigint PRIMARY KEY, customer_id integer REFERENCES customers,
    ordered_on date NOT NULL, total numeric(12,2) NOT NULL);
INSERT INTO countries VALUES (1, 'Germany'), (2, 'France');
INSERT INTO customers SELECT n, 'customer ' || n, 'mail' || n % 3 || '@example.org', 'DE' || n, 1 + n % 2
FROM generate_series(1, 40) AS n;
INSERT INTO orders SELECT n, 1 + n % 40, DATE '2025-01-01' + n % 100, n FROM generate_series(1, 400) AS n;
CREATE TABLE salaries (employee text PRIMARY KEY, salary numeric);
INSERT INTO salaries VALUES ('boss', 987654);
GRANT SELECT ON countries, orders TO t2s_analyst;
GRANT SELECT (customer_id, name, mail, country_id) ON customers TO t2s_analyst;
ANALYZE;
";
