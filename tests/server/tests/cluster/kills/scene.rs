//! The server whose processes are ended, and what is in it.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::TestDatabase;
use text2sql_server_tests::standby::{Standby, directory};
use text2sql_server_tests::web::{Server, person};

/// A database of the server in which updates are tried.
pub(super) const UPDATED_DATABASE: &str = "t2s_kills_upgrade";

/// A server of its own with a database, a model, text2sql-server before it, and what those who use it know.
pub(super) struct Scene {
    pub(super) web: Mutex<Server>,
    /// Where text2sql-server finds the database.
    pub(super) target: String,
    pub(super) server: Standby,
    /// Asks over a connection, and over text2sql-server.
    pub(super) alice: String,
    pub(super) person: String,
    /// Ids of questions that were submitted: the statement had succeeded.
    pub(super) submitted: Mutex<Vec<i64>>,
    outcomes: Mutex<BTreeMap<String, usize>>,
    is_over: AtomicBool,
    /// Where the program of model files stands, if this test put it there.
    program: Option<PathBuf>,
    model_file: PathBuf,
    database: TestDatabase,
    _double: ModelDouble,
}

impl Scene {
    pub(super) fn new() -> Self {
        let database = TestDatabase::maintained("kills");
        let reply = r#"{"sql": "SELECT count(*) AS n FROM orders"}"#;
        let double = ModelDouble::start(Script::new().otherwise(reply)).unwrap();
        database.add_model("m", "openai", &double.base_url("delay-40"), "");
        let alice = database.create_role("alice", "LOGIN");
        let person = person(&database, "person");
        let (model_file, program) = (write_model_file(), place_program());
        let mut admin = database.superuser();
        admin
            .batch_execute(&format!(
                "SELECT text2sql.grant_access('{alice}'), text2sql.grant_access('t2s_analyst');
                 GRANT SELECT ON orders TO {alice};
                 GRANT USAGE ON FOREIGN SERVER m TO {alice};
                 SELECT text2sql.add_model('own', 'local', model_file => '{}');
                 GRANT USAGE ON FOREIGN SERVER own TO {alice}",
                model_file.display()
            ))
            .unwrap();
        let settings = [
            "listen_addresses=127.0.0.1",
            // The call that promotes it must not be cancelled.
            "max_standby_streaming_delay=-1",
            "shared_preload_libraries=pg_text2sql",
            "text2sql.maintenance_interval=1s",
            "max_worker_processes=32",
            // The test cluster has it off: a commit could then be lost in a crash.
            "synchronous_commit=on",
        ];
        let server = Standby::start("kills", &settings);
        server
            .connect("postgres", "postgres")
            .batch_execute("SELECT pg_promote()")
            .unwrap();
        server
            .connect("postgres", "postgres")
            .batch_execute(&format!("CREATE DATABASE {UPDATED_DATABASE}"))
            .unwrap();
        let target = format!(
            "host=127.0.0.1 port={} dbname={}",
            server.port(),
            database.name()
        );
        Self {
            web: Mutex::new(Server::start_at(&target, &[])),
            target,
            server,
            alice,
            person,
            submitted: Mutex::default(),
            outcomes: Mutex::default(),
            is_over: AtomicBool::new(false),
            program,
            model_file,
            database,
            _double: double,
        }
    }

    pub(super) fn try_superuser(&self) -> Result<Client, postgres::Error> {
        self.server.try_connect(self.database.name(), "postgres")
    }

    /// The name of the database.
    pub(super) fn database(&self) -> &str {
        self.database.name()
    }

    /// Whether the program of model files is there to be asked and ended.
    pub(super) fn has_program(&self) -> bool {
        self.program.is_some()
    }

    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::SeqCst);
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }

    pub(super) fn note(&self, outcome: &str) {
        let mut outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        *outcomes.entry(outcome.to_owned()).or_default() += 1;
    }

    pub(super) fn outcomes(&self) -> BTreeMap<String, usize> {
        let outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        outcomes.clone()
    }

    /// The process of the program of model files, if it runs.
    pub(super) fn model_program(&self) -> Option<i32> {
        let file = self.model_file.display().to_string();
        let processes = std::fs::read_dir("/proc").ok()?.flatten();
        let mut processes = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        processes.find(|process: &i32| {
            let line = std::fs::read_to_string(format!("/proc/{process}/cmdline"));
            line.is_ok_and(|line| line.contains("text2sql-model") && line.contains(&file))
        })
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.model_file);
        if let Some(program) = &self.program {
            let _ = std::fs::remove_file(program);
        }
    }
}

/// A file that looks like a model.
fn write_model_file() -> PathBuf {
    let name = format!("text2sql_kills_{}.gguf", std::process::id());
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, b"GGUF").unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
    file
}

/// Puts a double of text2sql-model beside the programs of the test's server, unless the program itself is there.
fn place_program() -> Option<PathBuf> {
    let double = std::fs::read(env!("CARGO_BIN_EXE_model_program_double")).unwrap();
    let program = directory("BINDIR").join("text2sql-model");
    let is_free = std::fs::read(&program).map_or(true, |there| there == double);
    if !is_free || std::fs::write(&program, &double).is_err() {
        return None;
    }
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    Some(program)
}
