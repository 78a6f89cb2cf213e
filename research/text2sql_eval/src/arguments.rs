//! The command line: what to evaluate, over which connections, and what to write.

use std::path::PathBuf;

/// What the program says about itself.
pub(crate) const USAGE: &str = "\
text2sql_eval: evaluates a suite of cases with pg_text2sql and prints how many are right

  text2sql_eval --database shop --suite sales
  text2sql_eval --database shop --cases cases.jsonl --suite sales --connections 4
  text2sql_eval --cases questions.jsonl --database-prefix practice_   one database for each `database` of the file
  text2sql_eval import spider DIRECTORY              loads a published benchmark: see text2sql_eval import --help

The server is the one of PGHOST, PGPORT, PGUSER and PGPASSWORD.

what to evaluate
  --suite NAME             the suite; the name of the file when cases are imported
  --cases FILE             imports cases first, one JSON object a line
  --database NAME          PGDATABASE by default
  --database-prefix TEXT   before the name in a case's `database`
  --resume ID              continues an evaluation that was interrupted
  --connections N          1
  --repeats N              1
  --settings JSON          such as {\"max_repairs\": 0}
  --clock TIMESTAMP        what now() means, for suites that have no clock
  --level NAME             only cases of that level; may be given several times, as the next two
  --style NAME             only cases of that style
  --tag NAME               only cases with that tag
  --max-calls N            maximum number of calls of the model
  --name TEXT              the name of the evaluation
  --create-extension       CREATE EXTENSION where it is not there
  --second-database NAME   checks right answers again on another copy of the data, by text2sql_eval.grade there
what to write
  --json FILE              the evaluation, to compare later ones with
  --junit FILE             for CI
  --html FILE              a report
  --compare FILE           an earlier evaluation, written by --json
  --compare-evaluation ID  an earlier evaluation in the database
  --quiet                  no table
when to fail (exit 1)
  --min-accuracy SHARE     share of cases that are right, 0 to 1
  --min-precision SHARE    share of answers that are right
  --no-worse               fails when --compare shows a loss that is hardly chance (mid-p below 0.05)
";

/// What the command line asks for.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Arguments {
    pub(crate) suite: Option<String>,
    pub(crate) cases: Option<PathBuf>,
    pub(crate) database: Option<String>,
    pub(crate) database_prefix: Option<String>,
    pub(crate) resume: Option<i64>,
    pub(crate) connections: usize,
    pub(crate) repeats: i32,
    pub(crate) settings: Option<String>,
    pub(crate) clock: Option<String>,
    pub(crate) levels: Vec<String>,
    pub(crate) styles: Vec<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) max_calls: Option<i32>,
    pub(crate) name: Option<String>,
    pub(crate) creates_extension: bool,
    pub(crate) second_database: Option<String>,
    pub(crate) json: Option<PathBuf>,
    pub(crate) junit: Option<PathBuf>,
    pub(crate) html: Option<PathBuf>,
    pub(crate) compare: Option<PathBuf>,
    pub(crate) compare_evaluation: Option<i64>,
    pub(crate) is_quiet: bool,
    pub(crate) min_accuracy: Option<f64>,
    pub(crate) min_precision: Option<f64>,
    pub(crate) no_worse: bool,
}

/// Reads the arguments; the error is for the person who typed them.
pub(crate) fn read(given: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut arguments = Arguments {
        connections: 1,
        repeats: 1,
        ..Arguments::default()
    };
    let mut given = given;
    while let Some(name) = given.next() {
        let mut text = || given.next().ok_or_else(|| format!("{name} needs a value"));
        match name.as_str() {
            "--suite" => arguments.suite = Some(text()?),
            "--cases" => arguments.cases = Some(text()?.into()),
            "--database" => arguments.database = Some(text()?),
            "--database-prefix" => arguments.database_prefix = Some(text()?),
            "--resume" => arguments.resume = Some(number(&name, &text()?)?),
            "--connections" => arguments.connections = number(&name, &text()?)?,
            "--repeats" => arguments.repeats = number(&name, &text()?)?,
            "--settings" => arguments.settings = Some(text()?),
            "--clock" => arguments.clock = Some(text()?),
            "--level" => arguments.levels.push(text()?),
            "--style" => arguments.styles.push(text()?),
            "--tag" => arguments.tags.push(text()?),
            "--max-calls" => arguments.max_calls = Some(number(&name, &text()?)?),
            "--name" => arguments.name = Some(text()?),
            "--create-extension" => arguments.creates_extension = true,
            "--second-database" => arguments.second_database = Some(text()?),
            "--json" => arguments.json = Some(text()?.into()),
            "--junit" => arguments.junit = Some(text()?.into()),
            "--html" => arguments.html = Some(text()?.into()),
            "--compare" => arguments.compare = Some(text()?.into()),
            "--compare-evaluation" => arguments.compare_evaluation = Some(number(&name, &text()?)?),
            "--quiet" => arguments.is_quiet = true,
            "--min-accuracy" => arguments.min_accuracy = Some(share(&name, &text()?)?),
            "--min-precision" => arguments.min_precision = Some(share(&name, &text()?)?),
            "--no-worse" => arguments.no_worse = true,
            other => return Err(format!("unknown argument {other}")),
        }
    }
    if !(1..=64).contains(&arguments.connections) {
        return Err("--connections is not from 1 to 64".to_owned());
    }
    if arguments.suite.is_none() && arguments.cases.is_none() && arguments.resume.is_none() {
        return Err("name what to evaluate: --suite, --cases or --resume".to_owned());
    }
    Ok(arguments)
}

fn number<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| format!("{name} is not a number: {text}"))
}

fn share(name: &str, text: &str) -> Result<f64, String> {
    let share: f64 = number(name, text)?;
    match (0.0..=1.0).contains(&share) {
        true => Ok(share),
        false => Err(format!("{name} is not from 0 to 1: {text}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, String> {
        read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn arguments_are_read_or_explained() {
        let found = parse("--suite sales --connections 4 --min-accuracy 0.8 --no-worse").unwrap();
        assert_eq!(
            (found.suite.as_deref(), found.connections, found.repeats),
            (Some("sales"), 4, 1)
        );
        assert_eq!((found.min_accuracy, found.no_worse), (Some(0.8), true));
        let found = parse("--suite sales --level hard --level medium --tag join").unwrap();
        assert_eq!(found.levels, ["hard", "medium"]);
        assert_eq!((found.styles.len(), found.tags.len()), (0, 1));
        for (line, message) in [
            ("", "name what to evaluate: --suite, --cases or --resume"),
            ("--suite", "--suite needs a value"),
            ("--colour red", "unknown argument --colour"),
            (
                "--suite a --connections 0",
                "--connections is not from 1 to 64",
            ),
            (
                "--suite a --min-accuracy 80",
                "--min-accuracy is not from 0 to 1: 80",
            ),
        ] {
            assert_eq!(parse(line).unwrap_err(), message);
        }
    }
}
