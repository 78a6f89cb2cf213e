//! Messages of the server log about crashed processes.

use std::path::PathBuf;

const SIGNS: [&str; 5] = [
    "PANIC",
    "TRAP",
    "terminated by signal",
    "was aborted",
    "all server processes terminated",
];

/// Checks that the log reports no crash.
pub fn assert_none(log: &str) {
    for sign in SIGNS {
        assert!(!log.contains(sign), "the server's log says {sign}");
    }
}

/// The log of the test cluster from a moment on: what other tests left before is theirs.
pub struct LogFromNow {
    file: Option<PathBuf>,
    begin: usize,
}

impl LogFromNow {
    /// Looks where the test cluster keeps it; it may be elsewhere.
    pub fn begin() -> Self {
        let folder = std::env::var_os("PGHOST").map(PathBuf::from);
        let file = folder.map(|folder| folder.join("log"));
        let log = Self { file, begin: 0 };
        Self {
            begin: log.text().len(),
            ..log
        }
    }

    /// What sessions of a database have logged since, in a cluster whose lines name it, as those of
    /// `scripts/cluster.sh` do.
    pub fn of_database(&self, name: &str) -> String {
        let sign = format!("] {name} ");
        let mut is_its = false;
        let of_it = |line: &&str| {
            // The further lines of an entry begin with a tab.
            if !line.starts_with('\t') {
                is_its = line.contains(&sign);
            }
            is_its
        };
        self.text()
            .lines()
            .filter(of_it)
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// What was logged since.
    pub fn text(&self) -> String {
        let text = self.file.as_ref().and_then(|file| std::fs::read(file).ok());
        let new = text.unwrap_or_default().into_iter().skip(self.begin);
        String::from_utf8_lossy(&new.collect::<Vec<u8>>()).into_owned()
    }
}
