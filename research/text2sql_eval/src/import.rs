//! `text2sql_eval import`: a published benchmark becomes databases and a suite.

use std::path::{Path, PathBuf};
use std::time::Duration;

use benchmark_suites::{Kind, Options};

use crate::evaluation::server;
use crate::print::say;

/// What it says about itself.
pub(crate) const USAGE: &str = "\
text2sql_eval import: loads the published files of a benchmark, and makes a suite of its questions

  text2sql_eval import spider|sparc|wikisql|bird|defog|beaver DIRECTORY
  text2sql_eval --cases spider.jsonl --connections 4      evaluates what was imported, over all its databases

Each database of the benchmark becomes one of the server. A gold query is kept if its translation gives the rows
of the original; docs/benchmarks.md explains what is read and what is left out.
The server is the one of PGHOST, PGPORT, PGUSER and PGPASSWORD; its user may make databases and extensions.

  --prefix TEXT      before the name of each database; the benchmark's name and _ by default
  --suite NAME       the suite in each of them; the benchmark's name by default
  --questions FILE   these questions instead of the published development set; may be given several times
  --only NAME        only this database of the benchmark; may be given several times
  --role NAME        a role that gets SELECT on the tables and may evaluate
  --timeout SECONDS  how long one gold query may take in either database; 60 by default
  --replace          drops databases of these names first
  --cases FILE       where the cases are written; the suite's name and .jsonl by default
  --report FILE      where all is listed that is not as it was published; the suite's name and .md by default
";

/// What the command line asks for.
struct Arguments {
    kind: Kind,
    directory: PathBuf,
    options: Options,
    cases: PathBuf,
    report: PathBuf,
}

/// Imports, and says what came of it.
pub(crate) fn run(given: &[String]) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let arguments = read(given)?;
    let imported =
        benchmark_suites::import(arguments.kind, &arguments.directory, &arguments.options)?;
    write(&arguments.cases, &imported.cases)?;
    write(&arguments.report, &imported.report())?;
    print!("{}", imported.summary());
    println!(
        "cases: {}\nreport: {}",
        arguments.cases.display(),
        arguments.report.display()
    );
    Ok(())
}

fn read(given: &[String]) -> Result<Arguments, Box<dyn std::error::Error + Send + Sync>> {
    let mut options = Options::new(server()?);
    options.tell = say;
    let (mut places, mut cases, mut report) = (Vec::new(), None, None);
    let mut given = given.iter();
    while let Some(name) = given.next() {
        let mut text = || {
            given
                .next()
                .cloned()
                .ok_or_else(|| format!("{name} needs a value"))
        };
        match name.as_str() {
            "--prefix" => options.prefix = Some(text()?),
            "--suite" => options.suite = Some(text()?),
            "--questions" => options.questions.push(text()?.into()),
            "--only" => options.only.push(text()?),
            "--role" => options.role = Some(text()?),
            "--timeout" => {
                let seconds = text()?;
                let seconds: u64 = seconds
                    .parse()
                    .map_err(|_| format!("--timeout is not a number: {seconds}"))?;
                options.timeout = Duration::from_secs(seconds);
            }
            "--replace" => options.replaces = true,
            "--cases" => cases = Some(PathBuf::from(text()?)),
            "--report" => report = Some(PathBuf::from(text()?)),
            other if other.starts_with("--") => {
                return Err(format!("unknown argument {other}").into());
            }
            place => places.push(place.to_owned()),
        }
    }
    let [kind, directory] = places.as_slice() else {
        return Err(
            "name a benchmark and its directory: text2sql_eval import spider DIRECTORY".into(),
        );
    };
    let kind = Kind::named(kind).ok_or_else(|| {
        let known = Kind::ALL.map(Kind::name).join(", ");
        format!("unknown benchmark {kind}; there are {known}")
    })?;
    let suite = options
        .suite
        .clone()
        .unwrap_or_else(|| kind.name().to_owned());
    Ok(Arguments {
        kind,
        directory: directory.into(),
        options,
        cases: cases.unwrap_or_else(|| format!("{suite}.jsonl").into()),
        report: report.unwrap_or_else(|| format!("{suite}.md").into()),
    })
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(line: &str) -> String {
        let given: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        match read(&given) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn arguments_are_read_or_explained() {
        assert_eq!(error("spider files --only a --only b --replace"), "");
        for (line, message) in [
            (
                "spider",
                "name a benchmark and its directory: text2sql_eval import spider DIRECTORY",
            ),
            (
                "wikisql files",
                "unknown benchmark wikisql: spider, bird, defog and beaver are known",
            ),
            ("spider files --colour", "unknown argument --colour"),
            (
                "spider files --timeout long",
                "--timeout is not a number: long",
            ),
            ("spider files --only", "--only needs a value"),
        ] {
            assert_eq!(error(line), message);
        }
    }
}
