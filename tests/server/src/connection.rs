//! Connections to the cluster of `PGHOST`, `PGPORT` and `PGUSER`, or to a pooler before it that listens on
//! `TEXT2SQL_POOL_PORT` of this machine, and the errors that come over them.

use postgres::error::DbError;
use postgres::{Client, Config, NoTls};

use crate::waiting::wait_until;

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

/// Connects, and hands the message of each notice to `listener`.
pub fn connect_listening(
    database: &str,
    user: Option<&str>,
    listener: impl Fn(String) + Send + Sync + 'static,
) -> Client {
    connect_noticing(database, user, move |notice| {
        listener(notice.message().to_owned())
    })
}

/// Connects, and hands each notice to `listener`.
pub fn connect_noticing(
    database: &str,
    user: Option<&str>,
    listener: impl Fn(DbError) + Send + Sync + 'static,
) -> Client {
    // Not `postgres`: tests create and drop databases there, and end the pooler's sessions.
    let pool = variable("TEXT2SQL_POOL_PORT").filter(|_| database != "postgres");
    let mut config = config(database, user, pool);
    config.notice_callback(listener);
    config.connect(NoTls).expect("connection")
}

/// Connects as the user of the environment, past a pooler: one that holds a database open would keep it from being
/// copied.
pub(crate) fn connect_directly(database: &str) -> Client {
    config(database, None, None)
        .connect(NoTls)
        .expect("connection")
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn config(database: &str, user: Option<&str>, pool: Option<String>) -> Config {
    let host = variable("PGHOST").expect("PGHOST is not set: run these tests through `make test`");
    let mut config = Config::new();
    config
        .host(if pool.is_some() { "127.0.0.1" } else { &host })
        .dbname(database)
        .application_name("text2sql_server_tests");
    config.user(user.unwrap_or(&variable("PGUSER").unwrap_or_else(|| "postgres".to_owned())));
    let port = pool.or_else(|| variable("PGPORT"));
    if let Some(port) = port.and_then(|port| port.parse().ok()) {
        config.port(port);
    }
    config
}

/// Behind a pooler, ends its sessions in the database, so that a new client has a new one: only there does what ALTER
/// DATABASE … SET says hold. Without a pooler, each client has.
pub fn end_pooled_sessions(database: &str) {
    if std::env::var("TEXT2SQL_POOL_PORT").is_err() {
        return;
    }
    let mut direct = connect("postgres", None);
    let mut sessions = || -> Vec<i32> {
        let sql = "SELECT pid FROM pg_stat_activity
            WHERE datname::text = $1 AND backend_type = 'client backend'";
        let rows = direct.query(sql, &[&database]).expect("sessions");
        rows.iter().map(|row| row.get(0)).collect()
    };
    let before = sessions();
    connect("pgbouncer", None)
        .batch_execute(&format!("RECONNECT {database}"))
        .expect("the pooler's console");
    // A session that ends reports what it has changed.
    wait_until("the end of the sessions", || {
        !sessions().iter().any(|session| before.contains(session))
    });
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
