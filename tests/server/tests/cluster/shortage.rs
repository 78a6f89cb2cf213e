//! A full disk, at the places that write: a clear error, nothing half-written, the session stays, and when there is room
//! again everything works.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

use postgres::Client;
use text2sql_server_tests::TestDatabase;
use text2sql_server_tests::crashes;
use text2sql_server_tests::skipped::skip;
use text2sql_server_tests::standby::{Standby, give_to_owner};
use text2sql_server_tests::waiting::wait_until;

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
    match client.batch_execute(sql) {
        Ok(()) => String::new(),
        Err(error) => match error.as_db_error() {
            Some(error) if error.code().code().starts_with("XX") => {
                panic!("{sql}: {}", error.message())
            }
            Some(error) => error.code().code().to_owned(),
            None => "lost".to_owned(),
        },
    }
}

/// A file system of that size in memory, until it is dropped.
struct SmallDisk {
    place: PathBuf,
}

impl SmallDisk {
    /// `None` where this process may not mount one.
    fn of_megabytes(megabytes: usize) -> Option<Self> {
        let place =
            std::env::temp_dir().join(format!("text2sql_small_disk_{}", std::process::id()));
        std::fs::create_dir_all(&place).unwrap();
        let size = format!("size={megabytes}m");
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", &size, "tmpfs"])
            .arg(&place);
        let mounted = mount.output().is_ok_and(|output| output.status.success());
        if !mounted {
            let _ = std::fs::remove_dir(&place);
            return None;
        }
        Some(Self { place })
    }

    fn ballast(&self) -> PathBuf {
        self.place.join("ballast")
    }

    /// Leaves about that many kilobytes.
    fn fill(&self, left: usize) {
        let mut file = File::create(self.ballast()).unwrap();
        let block = [0; 4096];
        while file.write_all(&block).is_ok() {}
        let length = file.metadata().unwrap().len();
        let left = u64::try_from(left * 1024).unwrap();
        file.set_len(length.saturating_sub(left)).unwrap();
    }

    fn empty(&self) {
        let _ = std::fs::remove_file(self.ballast());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.place).status();
        let _ = std::fs::remove_dir(&self.place);
    }
}

/// All of them with `make nightly`, the first two in a test of every commit.
fn some_of(levels: &[usize]) -> &[usize] {
    match std::env::var_os("TEXT2SQL_KILLS") {
        Some(_) => levels,
        None => &levels[..2],
    }
}

/// A primary of its own.
fn own_server(name: &str, settings: &[&str]) -> Standby {
    let server = Standby::start(name, settings);
    let mut admin = server.connect("postgres", "postgres");
    admin.batch_execute("SELECT pg_promote()").unwrap();
    server
}

#[test]
fn a_full_disk_is_an_error_and_nothing_is_half_written() {
    let Some(disk) = SmallDisk::of_megabytes(160) else {
        return skip("the right to mount a file system");
    };
    let database = TestDatabase::new("disk_full");
    let server = own_server(
        "disk_full",
        &[
            "shared_preload_libraries=pg_text2sql",
            "synchronous_commit=on",
            // The call that promotes it must not be cancelled.
            "max_standby_streaming_delay=-1",
        ],
    );
    let folder = disk.place.join("tablespace");
    std::fs::create_dir(&folder).unwrap();
    give_to_owner(&folder);
    let mut other = server.connect("postgres", "postgres");
    for sql in [
        format!("CREATE TABLESPACE small LOCATION '{}'", folder.display()),
        format!("ALTER DATABASE {} SET TABLESPACE small", database.name()),
    ] {
        other.batch_execute(&sql).unwrap();
    }
    let connect = || server.connect(database.name(), "postgres");
    let mut found = Vec::new();
    let mut number = 0;
    for (name, sql) in PLACES {
        for &left in some_of(&[0, 256, 16, 64, 1024, 4096]) {
            number += 1;
            let sql = sql.replace("$n", &number.to_string());
            let mut client = connect();
            disk.fill(left);
            let code = outcome(&mut client, &sql);
            assert!(
                code.is_empty() || code == "53100",
                "{name} with {left} kB: {code}"
            );
            found.push(format!("{name} with {left} kB: {code}"));
            assert!(
                !client.is_closed(),
                "{name} with {left} kB ended the session"
            );
            disk.empty();
            let whole = client
                .query_one(VERSIONS, &[])
                .map(|row| row.get::<_, bool>(0));
            assert!(
                whole.unwrap_or(name == "upgrade"),
                "{name} with {left} kB is half-written"
            );
            if !code.is_empty() {
                let again = outcome(&mut client, &sql);
                assert_eq!(again, "", "{name} with {left} kB, when there is room again");
            }
        }
    }
    println!("{}", found.join("\n"));
    let full = found.iter().filter(|line| line.ends_with("53100")).count();
    assert!(
        full >= PLACES.len(),
        "the disk was hardly ever full: {found:#?}"
    );
    // The questions that could not be answered meanwhile are.
    let mut client = connect();
    wait_until("every question is answered", || {
        let open = "SELECT count(*) FROM text2sql._submitted WHERE state IN ('waiting', 'running')";
        client.query_one(open, &[]).unwrap().get::<_, i64>(0) == 0
    });
    let lost = "SELECT count(*) FROM text2sql._submitted WHERE state <> 'done'";
    assert_eq!(client.query_one(lost, &[]).unwrap().get::<_, i64>(0), 0);
    crashes::assert_none(&server.log());
}
