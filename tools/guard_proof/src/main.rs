//! `guard_proof generated [--statements N] [--seed S]`, `guard_proof sqlsmith [--statements N] [--seed S]`,
//! `guard_proof regression DIRECTORY`; with `--alone` if the cluster has no other users.
#![forbid(unsafe_code)]

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use guard_proof::{Fallible, generated, regression, report, sqlsmith};

const USAGE: &str = "usage: guard_proof generated|sqlsmith|regression [DIRECTORY] [--statements N] [--seed S] [--alone]";

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "guard_proof: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether everything was as it must be.
fn run() -> Fallible<bool> {
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next().ok_or(USAGE)?;
    let (mut statements, mut seed, mut is_alone, mut directory) = (None, 1, false, None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--statements" => statements = Some(arguments.next().ok_or(USAGE)?.parse()?),
            "--seed" => seed = arguments.next().ok_or(USAGE)?.parse()?,
            "--alone" => is_alone = true,
            _ => directory = Some(PathBuf::from(argument)),
        }
    }
    let (text, findings) = match command.as_str() {
        "generated" => {
            let plan = generated::Plan {
                statements: statements.unwrap_or(100_000),
                seed,
                is_alone,
            };
            let tally = generated::run(plan, "guard_proof_generated")?;
            (report::text("generated", &tally), tally.findings.len())
        }
        "sqlsmith" => {
            let statements = statements.unwrap_or(20_000);
            let tally = sqlsmith::run(statements, seed, is_alone, "guard_proof_sqlsmith")?;
            (report::text("sqlsmith", &tally), tally.findings.len())
        }
        "regression" => {
            let outcome =
                regression::run(&directory.ok_or(USAGE)?, is_alone, "guard_proof_regression")?;
            (outcome.text(), outcome.tally.findings.len())
        }
        _ => return Err(USAGE.into()),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(findings == 0)
}
