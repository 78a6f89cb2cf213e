//! A database for one test, with a small shop.

use std::sync::Mutex;

use postgres::Client;

use crate::connection::{connect, connect_with, end_pooled_sessions};
use crate::shared_roles::ANALYST;
use crate::template::Template;

/// A database that is dropped at the end of the test.
pub struct TestDatabase {
    name: String,
    roles: Mutex<Vec<String>>,
}

impl TestDatabase {
    /// Makes the database. `test` is its name, unique among all tests. Its search index is as `refresh()` leaves it.
    pub fn new(test: &str) -> Self {
        let database = Self::without_shop(test);
        database.superuser().batch_execute(SHOP).expect("shop");
        database
    }

    /// The same with background workers that keep the search index up to date.
    pub fn maintained(test: &str) -> Self {
        let database = Self::without_shop(test);
        connect("postgres", None)
            .batch_execute(&format!(
                "ALTER DATABASE {} RESET text2sql.maintenance_interval",
                database.name
            ))
            .expect("maintenance");
        database.superuser().batch_execute(SHOP).expect("shop");
        database
    }

    fn without_shop(test: &str) -> Self {
        let name = format!("t2s_{test}");
        Template::of_extension().copy_to(&name);
        Self {
            name,
            roles: Mutex::default(),
        }
    }

    /// Creates a role for this test alone and returns its name: the database's followed by `_name`.
    /// `options` is what follows the name in `CREATE ROLE`. The role is dropped with the database.
    pub fn create_role(&self, name: &str, options: &str) -> String {
        let role = format!("{}_{name}", self.name);
        // A run that was killed leaves its roles; their privileges were dropped with the database.
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

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A connection as the role that may ask.
    pub fn analyst(&self) -> Client {
        connect(&self.name, Some(ANALYST))
    }

    /// A connection as the role that may ask, with settings that only a superuser may choose.
    pub fn analyst_with(&self, settings: &str) -> Client {
        connect_with(&self.name, ANALYST, settings)
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
        self.end_pooled_sessions();
    }

    /// After ALTER DATABASE … SET: a new client is a new session behind a pooler, too.
    pub fn end_pooled_sessions(&self) {
        end_pooled_sessions(&self.name);
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

const SHOP: &str = "
SET client_min_messages = warning;
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
