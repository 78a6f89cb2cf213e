//! A full disk.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

use text2sql_server_tests::TestDatabase;
use text2sql_server_tests::crashes;
use text2sql_server_tests::skipped::skip;
use text2sql_server_tests::standby::give_to_owner;

use super::{PLACES, VERSIONS, every_question_is_answered, outcome, own_server, some_of};

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
    every_question_is_answered(&mut connect());
    crashes::assert_none(&server.log());
}
