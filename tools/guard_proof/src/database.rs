//! A database of its own for each trial, in the cluster that `PGHOST`, `PGPORT` and `PGUSER` name.

use postgres::{Client, Config, NoTls};

use crate::error::Fallible;

/// The role that an ordinary caller is.
pub const ANALYST: &str = "proof_analyst";

const SETUP: &str = include_str!("database.sql");

/// A database that is dropped at the end.
#[derive(Debug)]
pub struct Database {
    name: String,
}

impl Database {
    /// Makes an empty database.
    pub fn create(name: &str) -> Fallible<Self> {
        let mut admin = connect("postgres", None)?;
        admin.batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))?;
        admin.batch_execute(&format!("CREATE DATABASE {name}"))?;
        // What statements leave behind is compared: nothing else may write meanwhile.
        admin.batch_execute(&format!(
            "ALTER DATABASE {name} SET text2sql.maintenance_interval = 0"
        ))?;
        // Trials run at the same time. The lock is taken in one database, `postgres`, and held until the
        // role is committed.
        admin.batch_execute(&format!(
            "BEGIN;
             SELECT pg_advisory_xact_lock(7434);
             DO $$ BEGIN
                 IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{ANALYST}') THEN
                     CREATE ROLE {ANALYST} LOGIN;
                 END IF;
             END $$;
             COMMIT"
        ))?;
        Ok(Self {
            name: name.to_owned(),
        })
    }

    /// Makes the database that generated statements read.
    pub(crate) fn with_everything(name: &str) -> Fallible<Self> {
        let database = Self::create(name)?;
        let mut admin = database.connect(None)?;
        let (setup, vacuum) = SETUP.split_once("VACUUM").unwrap_or((SETUP, ""));
        admin.batch_execute(setup)?;
        // Not in a transaction with anything else.
        admin.batch_execute(&format!("VACUUM{vacuum}"))?;
        Ok(database)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A connection, as the superuser or as another role.
    pub fn connect(&self, user: Option<&str>) -> Fallible<Client> {
        connect(&self.name, user)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Ok(mut admin) = connect("postgres", None) {
            let drop = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
            let _ = admin.batch_execute(&drop);
        }
    }
}

fn connect(database: &str, user: Option<&str>) -> Fallible<Client> {
    let variable = |name: &str| std::env::var(name).ok();
    let mut config = Config::new();
    config
        .host(&variable("PGHOST").ok_or("PGHOST is not set")?)
        .dbname(database)
        .application_name("guard_proof");
    config.user(user.unwrap_or(&variable("PGUSER").unwrap_or_else(|| "postgres".to_owned())));
    if let Some(port) = variable("PGPORT").and_then(|port| port.parse().ok()) {
        config.port(port);
    }
    Ok(config.connect(NoTls)?)
}
