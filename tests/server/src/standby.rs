//! A hot standby of the test cluster, created by `pg_basebackup`.

use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use postgres::{Client, Config, NoTls};

static ONE_BACKUP: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// A standby that is stopped and removed at the end of the test.
pub struct Standby {
    data: PathBuf,
    port: u16,
    options: String,
}

/// A directory of the installation of the test cluster, as `pg_config` calls it. Programs of another one would load
/// another library, whose functions may differ from the catalog: that crashed a standby with signal 11.
pub fn directory(name: &str) -> PathBuf {
    let sql = "SELECT setting FROM pg_config WHERE name = $1";
    let row = crate::connect("postgres", None).query_one(sql, &[&name]);
    PathBuf::from(row.expect("a directory of the server").get::<_, String>(0))
}

/// A program of the server, run by the owner of the test cluster.
fn program(name: &str) -> Command {
    let mut command = as_owner(directory("BINDIR").join(name));
    command
        // The system's libpq may be older than that of the server.
        .env("LD_LIBRARY_PATH", directory("LIBDIR"));
    command
}

/// A program, run by the owner of the test cluster.
pub fn as_owner(program: impl AsRef<OsStr>) -> Command {
    let owner = std::fs::metadata(socket_folder()).expect("PGHOST is a folder");
    let mut command = Command::new(program);
    command
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let own = std::fs::metadata("/proc/self").expect("the process");
    if owner.uid() != own.uid() {
        command.uid(owner.uid()).gid(owner.gid());
    }
    command
}

fn socket_folder() -> PathBuf {
    std::env::var_os("PGHOST").expect("PGHOST").into()
}

/// Makes a directory that of the owner of the test cluster.
pub fn give_to_owner(folder: &Path) {
    let owner = std::fs::metadata(socket_folder()).expect("PGHOST is a folder");
    std::os::unix::fs::chown(folder, Some(owner.uid()), Some(owner.gid())).expect("an owner");
}

fn run(command: &mut Command) {
    let status = command.status().expect("a program of the server");
    assert!(status.success(), "{command:?}: {status}");
}

/// A port that nobody uses, and that no outgoing connection takes while the standby is stopped.
fn port() -> u16 {
    static TAKEN: AtomicU16 = AtomicU16::new(0);
    let process = u16::try_from(std::process::id() % 8_000).expect("a number");
    // One that is about to start does not listen yet.
    let first = process + TAKEN.fetch_add(1, Ordering::Relaxed) * 100;
    let mut ports = (0..8_000).map(|number| 12_000 + (first + number) % 8_000);
    let is_free = |port: &u16| std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok();
    ports.find(is_free).expect("a port")
}

impl Standby {
    /// Creates the standby of that name, unique among all tests, with these settings (`name=value`).
    pub fn start(name: &str, settings: &[&str]) -> Self {
        let data = Self::folder(name);
        let port = port();
        let mut options = format!("-p {port} -c listen_addresses='' -c hot_standby=on");
        for setting in settings {
            options.push_str(" -c ");
            options.push_str(setting);
        }
        let standby = Self {
            data,
            port,
            options,
        };
        standby.remove();
        {
            // The checkpoint of another backup would remove the WAL that this one needs.
            let _alone = ONE_BACKUP
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            run(program("pg_basebackup")
                .args([
                    "--write-recovery-conf",
                    "--checkpoint=fast",
                    "--no-sync",
                    "--pgdata",
                ])
                .arg(&standby.data));
        }
        standby.start_again();
        standby
    }

    /// Where the standby of that name has its data.
    pub fn folder(name: &str) -> PathBuf {
        socket_folder().join(format!("standby_{name}"))
    }

    /// Its data.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// Stops it, as `pg_ctl stop --mode` does.
    pub fn stop(&mut self, mode: &str) {
        let stop = ["stop", "--wait", "--silent", "--mode", mode, "--pgdata"];
        run(program("pg_ctl").args(stop).arg(&self.data));
    }

    /// Starts it after [`Standby::stop`].
    pub fn start_again(&self) {
        let started = program("pg_ctl")
            .args(["start", "--wait", "--silent", "--log"])
            .arg(self.log_file())
            .args(["--options", &self.options, "--pgdata"])
            .arg(&self.data)
            .env("RUST_BACKTRACE", "0")
            .status();
        assert!(
            started.is_ok_and(|status| status.success()),
            "{}",
            self.log()
        );
    }

    /// The port on which it listens, if a setting lets it.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// A connection to the standby.
    pub fn connect(&self, database: &str, user: &str) -> Client {
        self.try_connect(database, user).expect("the standby")
    }

    /// A connection that hands the message of each notice to `listener`.
    pub fn connect_listening(
        &self,
        database: &str,
        user: &str,
        listener: impl Fn(String) + Send + Sync + 'static,
    ) -> Client {
        self.config(database, user)
            .notice_callback(move |notice| listener(notice.message().to_owned()))
            .connect(NoTls)
            .expect("the standby")
    }

    /// A connection, or why there is none.
    ///
    /// # Errors
    /// When the standby refuses, as while it restarts.
    pub fn try_connect(&self, database: &str, user: &str) -> Result<Client, postgres::Error> {
        self.config(database, user).connect(NoTls)
    }

    fn config(&self, database: &str, user: &str) -> Config {
        self.address(database, user).parse().expect("an address")
    }

    /// What other clients connect to.
    pub fn address(&self, database: &str, user: &str) -> String {
        let folder = socket_folder();
        let port = self.port;
        format!(
            "host='{}' port={port} dbname='{database}' user='{user}'",
            folder.display()
        )
    }

    /// What the standby has logged.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.log_file()).expect("the log of the standby")
    }

    fn log_file(&self) -> PathBuf {
        self.data.join("log_of_the_test")
    }

    fn remove(&self) {
        if self.data.exists() {
            let stop = ["stop", "--mode=immediate", "--silent", "--pgdata"];
            let _ = program("pg_ctl")
                .args(stop)
                .arg(&self.data)
                .stderr(Stdio::null())
                .status();
            let _ = std::fs::remove_dir_all(&self.data);
        }
    }
}

impl Drop for Standby {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Waits until the standby has replayed all commits of the primary.
pub fn catch_up(primary: &mut Client, standby: &mut Client) {
    // Written at once, with all commits before it: the cluster of the tests writes its log later.
    let mut transaction = primary.transaction().expect("a transaction");
    transaction
        .batch_execute("SET LOCAL synchronous_commit = on")
        .expect("a setting");
    let position: String = transaction
        .query_one(
            "SELECT pg_logical_emit_message(true, 'catch_up', '')::text",
            &[],
        )
        .expect("a position")
        .get(0);
    transaction.commit().expect("a commit");
    let has = format!("SELECT pg_last_wal_replay_lsn() >= '{position}'");
    let deadline = Instant::now() + Duration::from_secs(60);
    while !standby
        .query_one(&has, &[])
        .expect("the standby's position")
        .get::<_, bool>(0)
    {
        assert!(Instant::now() < deadline, "the standby does not catch up");
        std::thread::sleep(Duration::from_millis(20));
    }
}
