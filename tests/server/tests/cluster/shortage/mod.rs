//! A full disk and no memory, at the places that write: a clear error, nothing half-written, no other session is ended, and
//! when there is room again everything works.

mod disk;
mod memory;

use postgres::{Client, NoTls, SimpleQueryMessage};
use text2sql_server_tests::standby::Standby;
use text2sql_server_tests::waiting::wait_until;
use tokio::runtime::Runtime;

/// What is done. A number makes each call a new one.
const PLACES: [(&str, &str); 9] = [
    ("question", "SELECT * FROM text2sql.ask('How many orders are there?')"),
    ("submitted question", "SELECT text2sql.submit('How many orders are there?')"),
    ("refresh", "CALL text2sql.refresh()"),
    ("rebuild", "CALL text2sql.refresh('{\"rebuild\": true}')"),
    (
        "glossary",
        "SELECT count(*) FROM text2sql.import_knowledge(
             (SELECT 'term,meaning' || string_agg(E'\\nterm ' || n || ',version $n: ' || repeat(md5(n::text), 20), '') FROM generate_series(1, 50) n), 'glossary', 'glossary.csv')",
    ),
    (
        "documents",
        "SELECT count(*) FROM text2sql.import_knowledge(
             (SELECT string_agg(json_build_object('title', 'page ' || n, 'body', 'version $n ' || repeat(md5(n::text) || ' ', 400))::text, E'\\n') FROM generate_series(1, 20) n),
             'documents', 'handbook', mode => 'replace')",
    ),
    (
        "file",
        "SELECT count(*) FROM text2sql.load_file('loaded_$n', (SELECT 'id,name' || string_agg(E'\\n' || n || ',' || md5(n::text), '') FROM generate_series(1, 5000) n))",
    ),
    ("batch", "CALL text2sql.ask_batch('SELECT order_id, ''How many orders are there?'' FROM orders WHERE order_id <= 3', 'batch $n')"),
    (
        "upgrade",
        "DROP EXTENSION pg_text2sql CASCADE; CREATE EXTENSION pg_text2sql VERSION '0.1.0' CASCADE; ALTER EXTENSION pg_text2sql UPDATE",
    ),
];

/// Everything of an import is of one version.
const VERSIONS: &str = "
    SELECT (SELECT count(DISTINCT split_part(meaning, ':', 1)) <= 1 AND count(*) IN (0, 50) FROM text2sql._definitions WHERE origin = 'import')
       AND (SELECT count(DISTINCT split_part(body, ' ', 2)) <= 1 AND count(*) IN (0, 20) FROM text2sql._documents)
       AND (SELECT count(*) = 0 FROM text2sql._passages p
             WHERE NOT EXISTS (SELECT FROM text2sql._documents d WHERE d.id = p.document))";

/// The SQLSTATE of a statement; empty where it succeeded.
fn outcome(client: &mut Client, sql: &str) -> String {
    code_of(sql, client.batch_execute(sql))
}

fn code_of<T>(sql: &str, outcome: Result<T, postgres::Error>) -> String {
    match outcome {
        Ok(_) => String::new(),
        Err(error) => match error.as_db_error() {
            Some(error) if error.code().code().starts_with("XX") => {
                panic!("{sql}: {}", error.message())
            }
            Some(error) => error.code().code().to_owned(),
            None => "lost".to_owned(),
        },
    }
}

/// A session whose last message is read, too. The crate `postgres` forgets it where the end of the connection is there
/// as soon: of 1,000 sessions of a server without the library, which called `pg_terminate_backend` for themselves, it
/// told the message of 514. Read by a task of its own it is never lost.
struct Session {
    runtime: Runtime,
    client: tokio_postgres::Client,
}

impl Session {
    fn begin(server: &Standby, database: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let address = server.address(database, "postgres");
        let client = runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&address, NoTls).await.unwrap();
            tokio::spawn(connection);
            client
        });
        Self { runtime, client }
    }

    fn run(&self, sql: &str) -> Result<Vec<SimpleQueryMessage>, postgres::Error> {
        self.runtime.block_on(self.client.simple_query(sql))
    }

    fn process(&self) -> i32 {
        let messages = self.run("SELECT pg_backend_pid()").unwrap();
        let mut rows = messages.iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        rows.next().unwrap().parse().unwrap()
    }
}

fn is_nightly() -> bool {
    std::env::var_os("TEXT2SQL_KILLS").is_some()
}

/// All of them with `make nightly`, the first two in a test of every commit.
fn some_of(levels: &[usize]) -> &[usize] {
    match is_nightly() {
        true => levels,
        false => &levels[..2],
    }
}

/// A primary of its own.
fn own_server(name: &str, settings: &[&str]) -> Standby {
    let server = Standby::start(name, settings);
    let mut admin = server.connect("postgres", "postgres");
    admin.batch_execute("SELECT pg_promote()").unwrap();
    server
}

/// The questions that could not be answered meanwhile are.
fn every_question_is_answered(client: &mut Client) {
    wait_until("every question is answered", || {
        let open = "SELECT count(*) FROM text2sql._submitted WHERE state IN ('waiting', 'running')";
        client.query_one(open, &[]).unwrap().get::<_, i64>(0) == 0
    });
    let lost = "SELECT count(*) FROM text2sql._submitted WHERE state <> 'done'";
    assert_eq!(client.query_one(lost, &[]).unwrap().get::<_, i64>(0), 0);
}
