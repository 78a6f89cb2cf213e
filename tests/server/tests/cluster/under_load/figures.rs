//! What the load costs, and what came of the questions.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use postgres::{Client, NoTls};
use text2sql_server_tests::processes::{open_files, private_kb, resident_kb};

/// What the server has in use.
#[derive(Clone, Copy)]
pub(super) struct Figures {
    resident_kb: i64,
    private_kb: i64,
    files: usize,
    /// Sessions of the database.
    pub(super) sessions: usize,
}

impl Figures {
    /// The figures of the process now. It has no sessions while the database is away.
    pub(super) fn now(process: i32, database: &str) -> Self {
        let sessions = "SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()";
        let counted =
            Client::connect(database, NoTls).and_then(|mut client| client.query_one(sessions, &[]));
        let counted: i64 = counted.map_or(0, |row| row.get(0));
        Self {
            resident_kb: resident_kb(process).unwrap_or(0),
            private_kb: private_kb(process).unwrap_or(0),
            files: open_files(process),
            sessions: usize::try_from(counted).unwrap_or(0),
        }
    }

    /// The larger of each.
    pub(super) fn or_more(self, other: Self) -> Self {
        Self {
            resident_kb: self.resident_kb.max(other.resident_kb),
            private_kb: self.private_kb.max(other.private_kb),
            files: self.files.max(other.files),
            sessions: self.sessions.max(other.sessions),
        }
    }

    /// Whether they are what they were: files and sessions before anybody came, memory after the first wave.
    pub(super) fn are_back(&self, before: &Self, warm: &Self, kept_kb: i64) -> bool {
        self.private_kb <= warm.private_kb + kept_kb
            && self.files <= before.files
            && self.sessions <= before.sessions
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} kB resident, {} kB of them private, {} open files, {} sessions of the database",
            self.resident_kb, self.private_kb, self.files, self.sessions
        )
    }
}

/// What came of a question: when it began, how long it took, and its status; 0 where the connection was lost.
struct Asked {
    begin: Instant,
    time: Duration,
    status: u16,
}

/// The questions that were asked.
#[derive(Default)]
pub(super) struct Questions(Mutex<Vec<Asked>>);

impl Questions {
    pub(super) fn note(&self, begin: Instant, status: u16) {
        let time = begin.elapsed();
        self.0.lock().unwrap().push(Asked {
            begin,
            time,
            status,
        });
    }

    /// What came of them. Those that touched the time of the restart stand for themselves.
    pub(super) fn within(&self, restart: (Instant, Instant)) -> Found {
        let asked = self.0.lock().unwrap();
        let mut found = Found::default();
        for asked in &*asked {
            let touched = asked.begin + asked.time >= restart.0 && asked.begin <= restart.1;
            let counts = match touched {
                true => &mut found.of_restart,
                false => &mut found.of_rest,
            };
            *counts.entry(asked.status).or_default() += 1;
            if asked.status == 200 {
                found.times.push(asked.time);
            }
        }
        let first = asked.iter().map(|asked| asked.begin).min();
        let last = asked.iter().map(|asked| asked.begin + asked.time).max();
        found.span = last
            .zip(first)
            .map_or(Duration::ZERO, |(last, first)| last - first);
        found.times.sort();
        found
    }
}

/// Counts by status, and the times of those that were answered.
#[derive(Default)]
pub(super) struct Found {
    of_restart: BTreeMap<u16, usize>,
    of_rest: BTreeMap<u16, usize>,
    times: Vec<Duration>,
    span: Duration,
}

impl Found {
    /// How many were not answered though the database was there.
    pub(super) fn beyond(&self) -> usize {
        let failed = self.of_rest.iter().filter(|(status, _)| **status != 200);
        failed.map(|(_, count)| count).sum()
    }

    fn percentile(&self, percent: usize) -> Duration {
        let place = (self.times.len() * percent / 100).min(self.times.len().saturating_sub(1));
        self.times.get(place).copied().unwrap_or_default()
    }
}

impl fmt::Display for Found {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: usize = self.of_restart.values().chain(self.of_rest.values()).sum();
        let of_second = all as f64 / self.span.as_secs_f64().max(1.0);
        writeln!(
            formatter,
            "{all} questions, {of_second:.1} a second: median {:.1?}, p95 {:.1?}, p99 {:.1?}, longest {:.1?}",
            self.percentile(50),
            self.percentile(95),
            self.percentile(99),
            self.percentile(100)
        )?;
        write!(
            formatter,
            "by status, 0 is a lost connection: {:?}; those that touched the restart: {:?}",
            self.of_rest, self.of_restart
        )
    }
}

/// What the log of the server warns of, each with how often, without requests and their ids.
pub(super) fn warnings(log: &str) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in log.lines() {
        let warning = ["WARN ", "ERROR "]
            .iter()
            .find_map(|level| line.split_once(level));
        if let Some((_, text)) = warning {
            let text = text.split_once("}: ").map_or(text, |(_, text)| text);
            // A request that failed ends with its figures, which differ.
            let text = text.split_once(" status=").map_or(text, |(text, _)| text);
            *counts.entry(text).or_default() += 1;
        }
    }
    let lines = counts
        .iter()
        .map(|(text, count)| format!("{count} times in the log: {text}\n"));
    lines.collect()
}
