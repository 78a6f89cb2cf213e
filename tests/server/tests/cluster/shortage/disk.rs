//! A full disk: of everything but the WAL, where a statement fails, and of the WAL, where PostgreSQL itself restarts.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

use postgres::Client;
use text2sql_server_tests::TestDatabase;
use text2sql_server_tests::skipped::skip;
use text2sql_server_tests::standby::{Standby, as_owner, give_to_owner};
use text2sql_server_tests::waiting::wait_until;

use super::{
    PLACES, Session, VERSIONS, code_of, every_question_is_answered, is_nightly, outcome,
    own_server, some_of,
};

const SETTINGS: [&str; 7] = [
    "shared_preload_libraries=pg_text2sql",
    "synchronous_commit=on",
    // The call that promotes it must not be cancelled.
    "max_standby_streaming_delay=-1",
    // No segment is kept for later, so a disk without room has none.
    "wal_recycle=off",
    "min_wal_size=32MB",
    "checkpoint_timeout=1h",
    "restart_after_crash=on",
];

const SEGMENT: i64 = 16 * 1024 * 1024;

/// A file system in memory, until it is dropped.
struct SmallDisk {
    place: PathBuf,
}

impl SmallDisk {
    /// At that place, for the owner of the server; `None` where this process may not mount one.
    fn mount(place: PathBuf) -> Option<Self> {
        std::fs::create_dir_all(&place).unwrap();
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", "size=4g,mode=700", "tmpfs"])
            .arg(&place);
        if !mount.output().is_ok_and(|output| output.status.success()) {
            let _ = std::fs::remove_dir(&place);
            return None;
        }
        give_to_owner(&place);
        Some(Self { place })
    }

    /// Gives it as many megabytes as it has in use, and some more.
    fn limit_to_used_and(&self, more: usize) {
        let used = Command::new("du").arg("-sm").arg(&self.place).output();
        let used = String::from_utf8(used.unwrap().stdout).unwrap();
        let used: usize = used.split_whitespace().next().unwrap().parse().unwrap();
        let size = format!("remount,size={}m", used + more);
        let mut mount = Command::new("mount");
        let limited = mount.args(["-o", &size]).arg(&self.place).status();
        assert!(limited.is_ok_and(|status| status.success()));
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

/// Stops the server, moves its WAL there, and starts it again.
fn move_wal(server: &mut Standby, folder: &PathBuf) {
    server.stop("fast");
    let wal = server.data().join("pg_wal");
    let moved = as_owner("cp").arg("-a").arg(&wal).arg(folder).status();
    assert!(moved.is_ok_and(|status| status.success()));
    std::fs::remove_dir_all(&wal).unwrap();
    std::os::unix::fs::symlink(folder.join("pg_wal"), &wal).unwrap();
    server.start_again();
}

fn is_whole(client: &mut Client) -> Option<bool> {
    client.query_one(VERSIONS, &[]).ok().map(|row| row.get(0))
}

/// Nothing is half-written, and what failed works when there is room again.
fn check_recovered(client: &mut Client, (name, sql): (&str, &str), code: &str, line: &str) {
    let is_whole = is_whole(client).unwrap_or(name == "upgrade");
    assert!(is_whole, "{line}: half-written");
    if !code.is_empty() {
        let again = outcome(client, sql);
        assert_eq!(again, "", "{line}, when there is room again");
    }
}

#[test]
fn a_full_disk_is_an_error_and_nothing_is_half_written() {
    let name = "disk_full";
    let Some(disk) = SmallDisk::mount(Standby::folder(name)) else {
        return skip("the right to mount a file system");
    };
    let database = TestDatabase::new(name);
    let mut server = own_server(name, &SETTINGS);
    let wal = Standby::folder("disk_full_wal");
    std::fs::create_dir_all(&wal).unwrap();
    give_to_owner(&wal);
    move_wal(&mut server, &wal);
    disk.limit_to_used_and(128);
    let connect = || server.connect(database.name(), "postgres");
    let mut witness = connect();
    let mut found = Vec::new();
    let mut number = 0;
    for (name, sql) in PLACES {
        for &left in some_of(&[0, 256, 16, 64, 1024, 4096]) {
            number += 1;
            let sql = sql.replace("$n", &number.to_string());
            let mut client = connect();
            disk.fill(left);
            let code = outcome(&mut client, &sql);
            disk.empty();
            let line = format!("{name} with {left} kB: {code}");
            assert!(code.is_empty() || code == "53100", "{line}");
            assert!(
                !client.is_closed() && witness.batch_execute("SELECT").is_ok(),
                "{line}: it ended a session"
            );
            check_recovered(&mut client, (name, &sql), &code, &line);
            found.push(line);
        }
    }
    println!("{}", found.join("\n"));
    let full = found.iter().filter(|line| line.ends_with("53100")).count();
    assert!(
        full >= PLACES.len(),
        "the disk was hardly ever full: {found:#?}"
    );
    every_question_is_answered(&mut connect());
    drop(server);
    let _ = std::fs::remove_dir_all(wal);
}

/// Writes WAL until so many bytes are left of the segments that are there. Any process may need the next one first, which ends
/// this session.
fn use_wal(client: &mut Client, left: i64) -> Result<(), postgres::Error> {
    let open = "
        SELECT (SELECT count(*) FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$' AND name > pg_walfile_name(pg_current_wal_lsn())) * $1::bigint
             + $1::bigint - ((pg_current_wal_lsn() - '0/0')::bigint % $1::bigint) - $2::bigint";
    loop {
        let bytes: i64 = client.query_one(open, &[&SEGMENT, &left])?.get(0);
        if bytes < 16 * 1024 {
            return Ok(());
        }
        let length = i32::try_from(bytes.min(1_000_000) - 8 * 1024).unwrap();
        let write = "SELECT pg_logical_emit_message(true, '', repeat('x', $1))";
        client.query_one(write, &[&length])?;
    }
}

/// Waits for the server, which restarts by itself where its recovery needs no room, and is started where it gave up.
fn wait_for(server: &Standby, database: &str) -> Client {
    let mut client = None;
    wait_until("the server is there again", || {
        let is_running = server.data().join("postmaster.pid").exists();
        if !is_running {
            server.start_again();
        }
        client = server.try_connect(database, "postgres").ok();
        let answer = client.as_mut().map(|client| client.batch_execute("SELECT"));
        answer.is_some_and(|answer| answer.is_ok())
    });
    client.unwrap()
}

#[test]
fn without_room_for_wal_the_server_restarts_and_nothing_is_half_written() {
    let Some(disk) = SmallDisk::mount(Standby::folder("wal_full_wal")) else {
        return skip("the right to mount a file system");
    };
    let database = TestDatabase::new("wal_full");
    let mut server = own_server("wal_full", &SETTINGS);
    move_wal(&mut server, &disk.place);
    disk.limit_to_used_and(128);
    let (places, levels): (Vec<_>, &[i64]) = match is_nightly() {
        true => (PLACES.iter().collect(), &[0, 64, 512, 2048]),
        false => (PLACES.iter().skip(1).step_by(4).collect(), &[0]),
    };
    let mut found = Vec::new();
    let mut number = 0;
    for (name, sql) in places {
        for &left in levels {
            number += 1;
            let sql = sql.replace("$n", &number.to_string());
            let mut writer = wait_for(&server, database.name());
            writer.batch_execute("CHECKPOINT").unwrap();
            let session = Session::begin(&server, database.name());
            disk.fill(0);
            let _ = use_wal(&mut writer, left * 1024);
            let code = code_of(&sql, session.run(&sql));
            disk.empty();
            let line = format!("{name} with {left} kB of WAL: {code}");
            // A PANIC of the session itself, or that of another process, which ends all sessions.
            assert!(
                matches!(code.as_str(), "" | "53100" | "57P02" | "lost"),
                "{line}"
            );
            let mut client = wait_for(&server, database.name());
            check_recovered(&mut client, (name, &sql), &code, &line);
            found.push(line);
        }
    }
    println!("{}", found.join("\n"));
    assert!(
        found.iter().any(|line| !line.ends_with(": ")),
        "the disk was never full: {found:#?}"
    );
    every_question_is_answered(&mut wait_for(&server, database.name()));
    // Only the server's own PANIC about its WAL.
    let log = server.log();
    let panics = log.lines().filter(|line| line.contains("PANIC"));
    for panic in panics {
        assert!(panic.contains("No space left on device"), "{panic}");
    }
    let mut ends = log.lines().filter(|line| line.contains("by signal"));
    assert!(ends.all(|line| line.contains("signal 6")), "{log}");
}
