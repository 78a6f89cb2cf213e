//! The program, as a process of its own.

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use super::client::Request;
use crate::TestDatabase;
use crate::waiting::wait_until;

/// text2sql-server in front of a database. It is killed at the end of the test.
pub struct Server {
    child: Child,
    address: SocketAddr,
    log: PathBuf,
}

impl Server {
    /// Starts it for a database, with further options: `["--limits-streams", "3"]`.
    ///
    /// # Panics
    /// If it does not start.
    pub fn start(database: &TestDatabase, options: &[&str]) -> Self {
        Self::start_at(&target(database), options)
    }

    /// Starts it with this connection string.
    ///
    /// # Panics
    /// If it does not start.
    pub fn start_at(database: &str, options: &[&str]) -> Self {
        let all = [
            &["--listen", "127.0.0.1:0", "--database", database],
            options,
        ]
        .concat();
        match Self::try_start(&all) {
            Ok(server) => server,
            Err(log) => panic!("text2sql-server did not start: {log}"),
        }
    }

    /// Starts it for several databases, each with a name.
    ///
    /// # Panics
    /// If it does not start.
    pub fn start_several(databases: &[(&str, &TestDatabase)], options: &[&str]) -> Self {
        let named = databases
            .iter()
            .map(|(name, database)| format!("{name}={}", target(database)));
        let named: Vec<String> = named.collect();
        let mut all = vec!["--listen", "127.0.0.1:0"];
        for database in &named {
            all.extend(["--database", database]);
        }
        all.extend(options);
        match Self::try_start(&all) {
            Ok(server) => server,
            Err(log) => panic!("text2sql-server did not start: {log}"),
        }
    }

    /// Starts it with these options alone.
    ///
    /// # Errors
    /// What it wrote, if it ended at once.
    pub fn try_start(options: &[&str]) -> Result<Self, String> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("text2sql_server_{}_{number}.log", std::process::id());
        let log = std::env::temp_dir().join(name);
        let file = std::fs::File::create(&log).expect("a log");
        let child = program()
            .arg("serve")
            .args(options)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(file)
            .spawn()
            .expect("text2sql-server");
        let mut server = Self {
            child,
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            log,
        };
        let mut ended = None;
        wait_until("text2sql-server listens", || {
            ended = server.child.try_wait().expect("a process");
            let text = server.log();
            let listening = text.split_once("listening on http://");
            // The line may be there by half.
            let address = listening.and_then(|(_, rest)| rest.split_once('\n'));
            if let Some((address, _)) = address {
                server.address = address.trim().parse().expect("an address");
            }
            ended.is_some() || address.is_some()
        });
        match ended {
            Some(_) => Err(server.log()),
            None => Ok(server),
        }
    }

    /// What the program prints with these arguments, and whether it succeeded.
    pub fn output(arguments: &[&str]) -> (String, bool) {
        let output = program().args(arguments).output().expect("text2sql-server");
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).expect("UTF-8");
        (text, output.status.success())
    }

    /// What `text2sql-server load` prints as this role, and whether it succeeded. `environment` is added to that of the
    /// process.
    pub fn load(
        database: &TestDatabase,
        role: &str,
        arguments: &[&str],
        environment: &[(&str, &str)],
    ) -> (String, bool) {
        let output = program()
            .args(["load", "--database", &target(database)])
            .args(arguments)
            .env("PGUSER", role)
            .env("PGPASSWORD", super::people::PASSWORD)
            .envs(environment.iter().copied())
            .output()
            .expect("text2sql-server");
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).expect("UTF-8");
        (text, output.status.success())
    }

    /// What `text2sql-server ask` prints as this role, and with which code it ends.
    pub fn ask(database: &TestDatabase, role: &str, arguments: &[&str]) -> (String, Option<i32>) {
        let output = program()
            .args(["ask", "--database", &target(database)])
            .args(arguments)
            .env("PGUSER", role)
            .env("PGPASSWORD", super::people::PASSWORD)
            .output()
            .expect("text2sql-server");
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).expect("UTF-8");
        (text, output.status.code())
    }

    /// A request with this method for this path.
    pub fn request(&self, method: &str, path: &str) -> Request {
        Request::new(self.address, method, path)
    }

    /// `GET path`
    pub fn get(&self, path: &str) -> Request {
        self.request("GET", path)
    }

    /// `POST path` with a body of JSON.
    pub fn post(&self, path: &str, body: impl serde::Serialize) -> Request {
        let body = serde_json::to_vec(&body).expect("JSON");
        self.request("POST", path)
            .header("Content-Type", "application/json")
            .body(body)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it has written to standard error.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Its process.
    pub fn process(&self) -> i32 {
        self.child.id().try_into().expect("a process id")
    }

    /// Sends it a signal, such as `KILL`.
    pub fn signal(&self, name: &str) {
        let process = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &process]).status();
        assert!(sent.is_ok_and(|status| status.success()), "kill -s {name}");
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("a process").is_some()
    }

    /// Waits until it has ended.
    pub fn wait(&mut self) -> ExitStatus {
        let mut ended = None;
        wait_until("text2sql-server ends", || {
            ended = self.child.try_wait().expect("a process");
            ended.is_some()
        });
        ended.expect("an end")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            let log = self.log();
            let lines: Vec<&str> = log.lines().collect();
            let last = lines.len().saturating_sub(10);
            eprintln!("the end of its log:\n{}", lines[last..].join("\n"));
        }
        let _ = std::fs::remove_file(&self.log);
    }
}

/// A port of this machine that nobody uses.
pub fn free_port() -> u16 {
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    free.local_addr().expect("a port").port()
}

/// Over TCP, where the test cluster asks for passwords.
fn target(database: &TestDatabase) -> String {
    let port = std::env::var("PGPORT").unwrap_or_else(|_| "5432".to_owned());
    format!("host=127.0.0.1 port={port} dbname={}", database.name())
}

/// Beside the tests, where cargo puts it, or in `TEXT2SQL_PROGRAMS`. Nothing of the environment is a part of its
/// configuration.
fn program() -> Command {
    let test = std::env::current_exe().expect("the test");
    let folder = test.ancestors().nth(2).expect("a folder");
    let folder = std::env::var_os("TEXT2SQL_PROGRAMS").map_or(folder.to_owned(), PathBuf::from);
    let program = folder.join("text2sql-server");
    assert!(
        program.exists(),
        "{} is not there: run scripts/text2sql_server.sh build debug",
        program.display()
    );
    let mut command = Command::new(program);
    // As packaging/server/text2sql-server.service says it.
    command.env("MALLOC_MMAP_THRESHOLD_", "8192");
    for (name, _) in std::env::vars_os() {
        let name_text = name.to_string_lossy();
        if name_text.starts_with("PG") || name_text.starts_with("TEXT2SQL_") {
            command.env_remove(&name);
        }
    }
    command
}
