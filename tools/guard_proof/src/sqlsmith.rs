//! Statements that sqlsmith made from the catalog of the very database they run in.

use std::process::Command;

use crate::database::{ANALYST, Database};
use crate::error::Fallible;
use crate::state;
use crate::trial::{Session, Tally};

/// Milliseconds that one statement may take.
const LIMIT_MS: u32 = 250;

/// Whether the program is installed.
pub fn is_installed() -> bool {
    Command::new("sqlsmith").arg("--version").output().is_ok()
}

/// Generates `statements` statements with sqlsmith, and runs them as an ordinary role and as a superuser in turn.
pub fn run(statements: usize, seed: u64, is_alone: bool, database_name: &str) -> Fallible<Tally> {
    let database = Database::with_everything(database_name)?;
    let mut admin = database.connect(None)?;
    let text = write(&database, statements, seed)?;
    let before = state::of_database(&mut admin, is_alone)?;
    let mut ordinary = Session::new(&database, Some(ANALYST), LIMIT_MS)?;
    let mut privileged = Session::new(&database, None, LIMIT_MS)?;
    for (index, sql) in text
        .split(";\n")
        .map(str::trim)
        .filter(|sql| !sql.is_empty())
        .enumerate()
    {
        let session = if index % 2 == 0 {
            &mut ordinary
        } else {
            &mut privileged
        };
        session.try_statement(sql)?;
    }
    let mut tally = ordinary.finish()?;
    tally.add(privileged.finish()?);
    let after = state::of_database(&mut admin, is_alone)?;
    tally.compared += before.len();
    tally.findings.extend(before.differences(&after));
    Ok(tally)
}

fn write(database: &Database, statements: usize, seed: u64) -> Fallible<String> {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let target = format!(
        "host={} port={} user={} dbname={}",
        variable("PGHOST"),
        variable("PGPORT"),
        variable("PGUSER"),
        database.name()
    );
    let output = Command::new("sqlsmith")
        .args(["--dry-run", "--exclude-catalog"])
        .arg(format!("--target={target}"))
        .arg(format!("--max-queries={statements}"))
        .arg(format!("--seed={seed}"))
        .output()
        .map_err(|error| format!("sqlsmith: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
