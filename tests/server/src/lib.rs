//! Shared by all black-box tests: a database per test, with a small shop, roles and the
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
pub mod hostile;
pub mod processes;
pub mod roles;
pub mod siege;
pub mod skipped;
pub mod standby;
pub mod waiting;

use std::sync::Mutex;

use std::time::{Duration, Instant};

use postgres::{Client, Config, NoTls};

/// A role that may ask questions and read the shop.
pub const ANALYST: &str = "t2s_analyst";

/// A database that is dropped at the end of the test.
pub struct TestDatabase {
    name: String,
    roles: Mutex<Vec<String>>,
}

impl TestDatabase {
    /// Creates the database. `test` is its name, unique among all tests.
    pub fn new(test: &str) -> Self {
        let name = format!("t2s_{test}");
        let mut admin = connect("postgres", None);
        roles::create_once(ANALYST, "LOGIN");
        admin
            .batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
            .expect("drop");
        admin
            .batch_execute(&format!("CREATE DATABASE {name}"))
            .expect("create");
        let database = Self {
            name,
            roles: Mutex::default(),
        };
        database.superuser().batch_execute(SHOP).expect("shop");
        database
    }

    /// Creates a role for this test alone and returns its name: the database's with `_name` behind it.
    /// `options` is what follows the name in `CREATE ROLE`. The role is dropped with the database.
    pub fn create_role(&self, name: &str, options: &str) -> String {
        let role = format!("{}_{name}", self.name);
        // A killed run leaves its roles behind; their privileges were dropped with the database.
        self.superuser()
            .batch_execute(&format!(
                "SET client_min_messages = warning; DROP ROLE IF EXISTS {role}; CREATE ROLE {role} {options}"
            ))
            .expect("a role of the test");
        self.roles.lock().expect("roles").push(role.clone());
        role
    }

    /// A connection as a role of this test.
    pub fn connect_as(&self, role: &str) -> Client {
        connect(&self.name, Some(role))
    }

    /// A connection as the superuser.
    pub fn superuser(&self) -> Client {
        connect(&self.name, None)
    }

    /// A connection as the role that may ask.
    pub fn analyst(&self) -> Client {
        connect(&self.name, Some(ANALYST))
    }

    /// A connection as the role that may ask, with settings that only a superuser may choose.
    pub fn analyst_with(&self, settings: &str) -> Client {
        connect_with(&self.name, ANALYST, settings)
    }

    /// Creates a model of that name for `base_url`, lets the analyst use it and makes it the default.
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
        if let Ok(roles) = self.roles.lock() {
            for role in roles.iter() {
                let _ = admin.batch_execute(&format!("DROP ROLE IF EXISTS {role}"));
            }
        }
    }
}

/// A setting of the whole server, as its configuration file has it. Tests that run meanwhile have it too.
pub struct ServerSetting {
    name: &'static str,
}

impl ServerSetting {
    /// Sets it, and waits until new sessions have it.
    pub fn set(name: &'static str, value: u32) -> Self {
        let setting = Self { name };
        setting.change(&format!("ALTER SYSTEM SET {name} = {value}"));
        let deadline = Instant::now() + Duration::from_secs(10);
        let shown = || -> String {
            let mut client = connect("postgres", None);
            client.batch_execute("LOAD 'pg_text2sql'").expect("library");
            let row = client.query_one(&format!("SHOW {name}"), &[]);
            row.expect("the setting").get(0)
        };
        while shown() != value.to_string() {
            assert!(Instant::now() < deadline, "the server did not read {name}");
            std::thread::sleep(Duration::from_millis(10));
        }
        setting
    }

    fn change(&self, statement: &str) {
        let mut admin = connect("postgres", None);
        // The server knows the setting when the library is loaded.
        for statement in ["LOAD 'pg_text2sql'", statement, "SELECT pg_reload_conf()"] {
            admin.batch_execute(statement).expect(self.name);
        }
    }
}

impl Drop for ServerSetting {
    fn drop(&mut self) {
        self.change(&format!("ALTER SYSTEM RESET {}", self.name));
    }
}

/// Connects to a database, as the user of the environment or another.
pub fn connect(database: &str, user: Option<&str>) -> Client {
    connect_listening(database, user, |_| {})
}

/// Connects as the superuser, runs `settings`, and goes on as `role`.
pub fn connect_with(database: &str, role: &str, settings: &str) -> Client {
    let mut client = connect(database, None);
    client
        .batch_execute(&format!("{settings}; SET SESSION AUTHORIZATION {role}"))
        .expect("settings");
    client
}

/// Connects, and passes each notice to `listener`.
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
