//! Databases that those of tests are copies of: creating the extension takes five times as long as copying a database
//! that has it.

use std::sync::{Mutex, PoisonError};

use postgres::Client;

use crate::connection::{connect, connect_directly};
use crate::shared_roles::{ANALYST, create_once};

/// Key of the advisory lock of whoever makes a template. It holds in one database only: in `postgres`.
const LOCK: i64 = 7433;

/// Changes with every installation of another build of the extension, whose objects may be others.
const INSTALLED: &str = "
    WITH places AS (
        SELECT setting || '/extension' AS place FROM pg_config WHERE name = 'SHAREDIR'
        UNION ALL SELECT setting FROM pg_config WHERE name = 'PKGLIBDIR')
    SELECT md5(string_agg(concat_ws(' ', place, file, found.size, found.modification), ',' ORDER BY place, file) || $1)
    FROM places, pg_ls_dir(place) AS file, pg_stat_file(place || '/' || file) AS found
    WHERE file LIKE 'pg_text2sql%'";

/// What a template has.
pub(crate) struct Template {
    /// Its name.
    pub(crate) name: &'static str,
    /// The statements that fill it, in turn.
    pub(crate) statements: Vec<String>,
}

impl Template {
    /// The extension, with the role that may ask.
    pub(crate) fn of_extension() -> Self {
        create_once(ANALYST, "LOGIN");
        let sql = format!(
            "SET client_min_messages = warning; CREATE EXTENSION pg_text2sql CASCADE; SELECT text2sql.grant_access('{ANALYST}')"
        );
        Self {
            name: "t2s_template",
            statements: vec![sql],
        }
    }

    /// Creates a database that is a copy of it, in place of one of that name. What changes its knowledge and its tables
    /// starts no background worker: it would change at any moment what a test looks at.
    pub(crate) fn copy_to(&self, name: &str) {
        let mut admin = connect("postgres", None);
        self.make(&mut admin);
        recreate(&mut admin, name, self.name);
    }

    /// Makes it, unless it is there and of the build that is installed.
    fn make(&self, admin: &mut Client) {
        // Of the threads of this process; processes wait for the advisory lock.
        static MADE: Mutex<Vec<&str>> = Mutex::new(Vec::new());
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        if made.contains(&self.name) {
            return;
        }
        admin
            .execute("SELECT pg_advisory_lock($1)", &[&LOCK])
            .expect("the lock");
        let content = self.statements.concat();
        let installed: String = admin
            .query_one(INSTALLED, &[&content])
            .expect("what is installed")
            .get(0);
        let comment =
            "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = $1";
        let found = admin
            .query_opt(comment, &[&self.name])
            .expect("the template");
        let found: Option<String> = found.and_then(|row| row.get(0));
        if found.as_ref() != Some(&installed) {
            recreate(admin, self.name, "template0");
            let mut filling = connect_directly(self.name);
            for statement in &self.statements {
                filling.batch_execute(statement).expect(self.name);
            }
            drop(filling);
            // Nobody can copy a database that somebody is connected to. The comment says that it is complete.
            admin
                .batch_execute(&format!(
                    "ALTER DATABASE {0} ALLOW_CONNECTIONS false; COMMENT ON DATABASE {0} IS '{installed}'",
                    self.name
                ))
                .expect(self.name);
        }
        admin
            .execute("SELECT pg_advisory_unlock($1)", &[&LOCK])
            .expect("the lock");
        made.push(self.name);
    }
}

/// Creates a database in place of one of that name.
fn recreate(admin: &mut Client, name: &str, template: &str) {
    for statement in [
        format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"),
        format!("CREATE DATABASE {name} TEMPLATE {template} ENCODING 'UTF8'"),
        format!("ALTER DATABASE {name} SET text2sql.maintenance_interval = 0"),
    ] {
        admin.batch_execute(&statement).expect(name);
    }
}
