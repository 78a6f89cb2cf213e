//! `text2sql_eval`: evaluates suites of cases with pg_text2sql, for people and for CI. See `arguments.rs` for
//! what it takes; the figures are core's, the evaluations stay in the database.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line program speaks on its outputs"
)]

mod arguments;
mod evaluation;
mod import;
mod junit;
mod print;

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use arguments::Arguments;
use print::say;
use serde::Serialize;
use text2sql_metrics::evaluation_data::EvaluationData;
use text2sql_metrics::report;
use text2sql_metrics::summary::{Summary, compare, summarise};

/// What `--json` writes and `--compare` reads.
#[derive(Serialize)]
struct Written<'a> {
    summary: &'a Summary,
    #[serde(flatten)]
    data: &'a EvaluationData,
}

fn main() -> ExitCode {
    let given: Vec<String> = std::env::args().skip(1).collect();
    if let Some(("import", given)) = given
        .split_first()
        .map(|(first, rest)| (first.as_str(), rest))
    {
        return import(given);
    }
    if given.is_empty() || given.iter().any(|argument| argument == "--help") {
        print!("{}", arguments::USAGE);
        return ExitCode::SUCCESS;
    }
    if given.iter().any(|argument| argument == "--version") {
        println!("text2sql_eval {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    let arguments = match arguments::read(given.into_iter()) {
        Ok(arguments) => arguments,
        Err(message) => {
            say(&format!("error: {message}\n  see: text2sql_eval --help"));
            return ExitCode::from(2);
        }
    };
    match evaluate(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            say(&format!("error: {error}"));
            ExitCode::from(2)
        }
    }
}

fn import(given: &[String]) -> ExitCode {
    if given.is_empty() || given.iter().any(|argument| argument == "--help") {
        print!("{}", import::USAGE);
        return ExitCode::SUCCESS;
    }
    match import::run(given) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!(
                "error: {error}\n  see: text2sql_eval import --help"
            ));
            ExitCode::from(2)
        }
    }
}

/// Evaluates, prints and writes; returns whether no figure is below its minimum.
fn evaluate(arguments: &Arguments) -> Result<bool, Box<dyn Error + Send + Sync>> {
    let earlier = match (&arguments.compare, arguments.compare_evaluation) {
        (Some(file), _) => {
            let text = read(file)?;
            Some(
                serde_json::from_str::<EvaluationData>(&text)
                    .map_err(|error| format!("{}: {error}", file.display()))?,
            )
        }
        (None, Some(evaluation_id)) => Some(evaluation::stored(arguments, evaluation_id)?),
        (None, None) => None,
    };
    let data = evaluation::evaluate(arguments)?;
    let summary = summarise(&data);
    if !arguments.is_quiet {
        print!("{}", print::table(&summary));
    }
    let difference = earlier.as_ref().map(|earlier| compare(earlier, &data));
    if let Some(found) = &difference {
        print!("\n{}", print::difference(found));
    }
    if let Some(file) = &arguments.json {
        let written = Written {
            summary: &summary,
            data: &data,
        };
        write(file, &serde_json::to_string_pretty(&written)?)?;
    }
    if let Some(file) = &arguments.junit {
        write(file, &junit::junit(&data))?;
    }
    if let Some(file) = &arguments.html {
        write(file, &report::render(&data, earlier.as_ref(), &[], &[]))?;
    }
    let mut is_good_enough = true;
    let mut fail = |message: String| {
        say(&format!("failed: {message}"));
        is_good_enough = false;
    };
    for (name, least, found) in [
        ("accuracy", arguments.min_accuracy, summary.accuracy.value()),
        (
            "precision",
            arguments.min_precision,
            summary.precision.value(),
        ),
    ] {
        if let Some(least) = least.filter(|least| found < *least) {
            fail(format!("{name} is {found:.3}, below {least}"));
        }
    }
    if let Some(found) = difference
        .filter(|found| arguments.no_worse && found.after < found.before && found.p_mid < 0.05)
    {
        fail(format!(
            "{} cases lost against {} won, mid-p {:.3}",
            found.lost.len(),
            found.won.len(),
            found.p_mid
        ));
    }
    if summary.waiting > 0 {
        fail(format!("{} attempts were not made", summary.waiting));
    }
    Ok(is_good_enough)
}

fn read(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}
