//! The statements of PostgreSQL's own regression suite. First psql runs each script in the order of the
//! suite's schedule, with every statement tried under the guard right before it is typed: so its tables
//! are there. Then all of them once more, on what the suite leaves behind, between two checksums.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::database::Database;
use crate::error::Fallible;
use crate::script::{MARK, with_trials};
use crate::trial::{Session, Tally};
use crate::{report, state};

/// The function that tries a statement: what `validate` says, what `run_json` says, whether the session changed.
const TRY: &str = include_str!("regression.sql");

/// Milliseconds that one statement may take under the guard, the second time.
const LIMIT_MS: u32 = 250;

/// What came of it.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The second run.
    pub tally: Tally,
    /// Statements tried while the suite ran.
    statements: usize,
    /// SELECTs that work when typed.
    working: usize,
    /// Statements that the guard allowed and ran.
    allowed: usize,
    /// Allowed statements that a limit or a run-time error ended.
    ended: BTreeMap<String, usize>,
    /// Refused ones by rule and offender.
    refused: BTreeMap<(String, String), Vec<String>>,
}

/// Runs the suite of a source directory (`src/test/regress`).
pub fn run(directory: &Path, is_alone: bool, database_name: &str) -> Fallible<Outcome> {
    let database = Database::create(database_name)?;
    let mut admin = database.connect(None)?;
    admin.batch_execute(TRY)?;
    let mut outcome = Outcome::default();
    let mut all = Vec::new();
    for name in schedule(directory)? {
        let file = directory.join("sql").join(format!("{name}.sql"));
        let Ok(bytes) = std::fs::read(&file) else {
            continue;
        };
        let (script, statements) = with_trials(&String::from_utf8_lossy(&bytes), all.len());
        all.extend(statements);
        let output = psql(&database, directory, &script)?;
        outcome.read(&output, &all);
    }
    outcome.statements = all.len();
    let mut admin = database.connect(None)?;
    let before = state::of_database(&mut admin, is_alone)?;
    let mut session = Session::new(&database, None, LIMIT_MS)?;
    for sql in &all {
        session.try_statement(sql)?;
    }
    outcome.tally.add(session.finish()?);
    let after = state::of_database(&mut admin, is_alone)?;
    outcome.tally.compared += before.len();
    outcome.tally.findings.extend(before.differences(&after));
    Ok(outcome)
}

/// The scripts in order. Those that need a second database, a tablespace or the library of the suite
/// fail in part; what fails when it is typed is not counted.
fn schedule(directory: &Path) -> Fallible<Vec<String>> {
    let path = directory.join("parallel_schedule");
    let text =
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines = text.lines().filter_map(|line| line.strip_prefix("test: "));
    Ok(lines
        .flat_map(str::split_whitespace)
        .map(str::to_owned)
        .collect())
}

fn psql(database: &Database, directory: &Path, script: &str) -> Fallible<String> {
    let directory = directory.canonicalize()?;
    let mut child = Command::new("psql")
        .args([
            "-XqAt",
            "-v",
            "HIDE_TABLEAM=on",
            "-v",
            "HIDE_TOAST_COMPRESSION=on",
            "-d",
            database.name(),
        ])
        .env("PG_ABS_SRCDIR", &directory)
        .env("PG_ABS_BUILDDIR", &directory)
        .env("PG_LIBDIR", "/nowhere")
        .env("PG_DLSUFFIX", ".so")
        .env("PGTZ", "PST8PDT")
        .env("PGDATESTYLE", "Postgres, MDY")
        .env(
            "PGOPTIONS",
            "-c statement_timeout=10s -c lock_timeout=2s -c client_min_messages=error",
        )
        .current_dir(&directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("psql: {error}"))?;
    let mut input = child.stdin.take().ok_or("psql has no input")?;
    let output = std::thread::scope(|scope| {
        scope.spawn(move || {
            let _ = input.write_all(script.as_bytes());
        });
        child.wait_with_output()
    })?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What the trial of one statement printed.
#[derive(Default)]
struct Trial<'a> {
    is_allowed: bool,
    rule: &'a str,
    offender: &'a str,
    run: &'a str,
    has_trace: bool,
}

impl Outcome {
    fn read(&mut self, output: &str, statements: &[String]) {
        let mut tried: BTreeMap<usize, Trial<'_>> = BTreeMap::new();
        for line in output.lines().filter_map(|line| line.strip_prefix(MARK)) {
            let fields: Vec<&str> = line.split('|').map(str::trim).collect();
            match fields.as_slice() {
                ["typed", sqlstate, number] => {
                    let Ok(number) = number.parse::<usize>() else {
                        continue;
                    };
                    let (Some(trial), Some(sql)) = (tried.get(&number), statements.get(number))
                    else {
                        continue;
                    };
                    self.count(trial, sql, sqlstate);
                }
                [allowed, rule, offender, run, trace, number] => {
                    let Ok(number) = number.parse() else { continue };
                    let trial = Trial {
                        is_allowed: *allowed == "t",
                        rule,
                        offender,
                        run,
                        has_trace: *trace == "t",
                    };
                    tried.insert(number, trial);
                }
                _ => {}
            }
        }
    }

    fn count(&mut self, trial: &Trial<'_>, sql: &str, typed: &str) {
        if trial.has_trace {
            self.tally
                .findings
                .push(format!("left a trace in its session: {sql}"));
        }
        if !trial.is_allowed && trial.run == "00000" && trial.rule != "error" {
            self.tally
                .findings
                .push(format!("refused ({}), yet it ran: {sql}", trial.rule));
        }
        if trial.run.starts_with("XX") && trial.run != typed {
            self.tally.findings.push(format!("{}: {sql}", trial.run));
        }
        let start = sql
            .trim_start_matches('(')
            .trim_start()
            .to_ascii_lowercase();
        let is_query = ["select", "with", "values", "table"]
            .iter()
            .any(|word| start.starts_with(word));
        if typed != "00000" || !is_query {
            return;
        }
        self.working += 1;
        if trial.is_allowed {
            self.allowed += 1;
            if trial.run != "00000" {
                *self.ended.entry(trial.run.to_owned()).or_default() += 1;
            }
        } else {
            let key = (trial.rule.to_owned(), trial.offender.to_owned());
            self.refused.entry(key).or_default().push(sql.to_owned());
        }
    }

    /// The figures in words.
    pub fn text(&self) -> String {
        let refused: usize = self.refused.values().map(Vec::len).sum();
        let mut text = format!(
            "regression suite: {} statements; {} queries that work when typed: {} allowed, {} refused\n",
            self.statements, self.working, self.allowed, refused
        );
        let _ = writeln!(text, "  allowed, but ended by: {:?}", self.ended);
        let mut by_rule: BTreeMap<&str, Vec<(&str, usize, &str)>> = BTreeMap::new();
        for ((rule, offender), statements) in &self.refused {
            let example = statements.first().map_or("", String::as_str);
            by_rule
                .entry(rule)
                .or_default()
                .push((offender, statements.len(), example));
        }
        for (rule, mut offenders) in by_rule {
            offenders.sort_by_key(|(_, count, _)| std::cmp::Reverse(*count));
            let count: usize = offenders.iter().map(|(_, count, _)| count).sum();
            let _ = writeln!(text, "  refused by rule {rule}: {count}");
            for (offender, count, example) in offenders {
                let example: String = example
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" ")
                    .chars()
                    .take(150)
                    .collect();
                let _ = writeln!(text, "    {count:5} {offender}    {example}");
            }
        }
        text + &report::text(
            "regression suite again, on what it left behind",
            &self.tally,
        )
    }
}
