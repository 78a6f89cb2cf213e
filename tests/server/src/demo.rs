//! The demo company in a database of its own.

use std::path::Path;

use postgres::Client;

use crate::connect;
use crate::corpus::read;
use crate::shared_roles::create_once;
use crate::template::Template;

/// A copy of the demo database, dropped at the end of the test.
pub struct DemoDatabase {
    name: String,
}

impl DemoDatabase {
    /// Loads it. `test` is its name, unique among all tests.
    pub fn new(test: &str) -> Self {
        let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../demo");
        // Before roles.sql, which creates it without the lock.
        create_once("demo_analyst", "LOGIN");
        let parts = ["schema.sql", "data.sql", "roles.sql"];
        let mut statements: Vec<String> = parts.iter().map(|part| read(&files, part)).collect();
        statements.push(
            "ANALYZE; CREATE EXTENSION pg_text2sql CASCADE; SELECT text2sql.grant_access('demo_analyst')"
                .to_owned(),
        );
        let template = Template {
            name: "t2s_template_demo",
            statements,
        };
        let database = Self {
            name: format!("t2s_{test}"),
        };
        template.copy_to(&database.name);
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
