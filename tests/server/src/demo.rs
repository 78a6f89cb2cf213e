//! The demo company in a database of its own: loading it takes some seconds, so few tests do.

use std::path::Path;

use postgres::Client;

use crate::corpus::read;
use crate::{connect, shared_roles};

/// A copy of the demo database, dropped at the end of the test.
pub struct DemoDatabase {
    name: String,
}

impl DemoDatabase {
    /// Loads it. `test` is its name, unique among all tests.
    pub fn new(test: &str) -> Self {
        let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../demo");
        let database = Self {
            name: format!("t2s_{test}"),
        };
        let name = &database.name;
        let mut admin = connect("postgres", None);
        admin
            .batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
            .expect("drop");
        admin
            .batch_execute(&format!(
                "CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'"
            ))
            .expect("create");
        // As for every database of a test.
        admin
            .batch_execute(&format!(
                "ALTER DATABASE {name} SET text2sql.enable_maintenance = off"
            ))
            .expect("maintenance");
        // Before roles.sql, which creates it without the lock.
        shared_roles::create_once("demo_analyst", "LOGIN");
        for part in ["schema.sql", "data.sql", "roles.sql"] {
            let sql = read(&files, part);
            database.superuser().batch_execute(&sql).expect(part);
        }
        database
            .superuser()
            .batch_execute(
                "ANALYZE; CREATE EXTENSION pg_text2sql CASCADE; SELECT text2sql.grant_usage('demo_analyst')",
            )
            .expect("extension");
        database
    }

    /// A connection as the superuser.
    pub fn superuser(&self) -> Client {
        connect(&self.name, None)
    }

    /// A connection as the demo's analyst.
    pub fn analyst(&self) -> Client {
        connect(&self.name, Some("demo_analyst"))
    }
}

impl Drop for DemoDatabase {
    fn drop(&mut self) {
        let mut admin = connect("postgres", None);
        let _ = admin.batch_execute(&format!(
            "DROP DATABASE IF EXISTS {} WITH (FORCE)",
            self.name
        ));
    }
}
