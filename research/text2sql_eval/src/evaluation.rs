//! Imports cases into their databases, evaluates them over several connections, and collects what came out.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::print::say;
use postgres::{Client, NoTls};
use serde_json::Value;
use text2sql_metrics::evaluation_data::EvaluationData;

use crate::arguments::Arguments;

type Failure = Box<dyn Error + Send + Sync>;

/// An evaluation in one database.
struct Job {
    database: String,
    evaluation_id: i64,
    is_finished: AtomicBool,
}

/// Evaluates what the arguments name, and returns all of it as one evaluation.
pub(crate) fn evaluate(arguments: &Arguments) -> Result<EvaluationData, Failure> {
    let jobs = begin(arguments)?;
    work(arguments, &jobs)?;
    let mut whole = EvaluationData::default();
    for job in &jobs {
        let mut data = read_evaluation(&mut connect(&job.database)?, job.evaluation_id)?;
        if jobs.len() > 1 {
            for row in &mut data.results {
                row.database = Some(job.database.clone());
            }
            data.evaluation.evaluation_id = 0;
        }
        if let Some(second) = &arguments.second_database {
            check_again(&mut data, second)?;
        }
        whole.results.append(&mut data.results);
        if whole.evaluation.suite.is_empty() || data.evaluation.state != "done" {
            whole.evaluation = data.evaluation;
        }
    }
    Ok(whole)
}

/// An evaluation that is stored in the database.
pub(crate) fn stored(arguments: &Arguments, evaluation_id: i64) -> Result<EvaluationData, Failure> {
    read_evaluation(&mut connect(&database_of(arguments))?, evaluation_id)
}

fn read_evaluation(client: &mut Client, evaluation_id: i64) -> Result<EvaluationData, Failure> {
    let row = client.query_one(
        "SELECT text2sql_eval._evaluation_data($1)::text",
        &[&evaluation_id],
    )?;
    let text: String = row.get(0);
    Ok(serde_json::from_str(&text)?)
}

fn from_env(name: &str, default: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| default.to_owned())
}

fn database_of(arguments: &Arguments) -> String {
    let default = || from_env("PGDATABASE", "postgres");
    arguments.database.clone().unwrap_or_else(default)
}

/// The server of the environment, without a database.
pub(crate) fn server() -> Result<postgres::Config, Failure> {
    let mut config = Client::configure();
    config
        .host(&from_env("PGHOST", "localhost"))
        .port(from_env("PGPORT", "5432").parse()?)
        .user(&from_env("PGUSER", "postgres"))
        .dbname(&from_env("PGDATABASE", "postgres"))
        .application_name("text2sql_eval");
    if let Ok(password) = std::env::var("PGPASSWORD") {
        config.password(password);
    }
    Ok(config)
}

fn connect(database: &str) -> Result<Client, Failure> {
    server()?
        .dbname(database)
        .connect(NoTls)
        .map_err(|error| format!("database {database}: {}", explained(&error)).into())
}

/// The server's own words, with its hint.
fn explained(error: &postgres::Error) -> String {
    match error.as_db_error() {
        Some(found) => match found.hint() {
            Some(hint) => format!("{}\n  hint: {hint}", found.message()),
            None => found.message().to_owned(),
        },
        None => error.to_string(),
    }
}

/// Imports the cases, where there are any, and begins an evaluation in each database.
fn begin(arguments: &Arguments) -> Result<Vec<Job>, Failure> {
    let job = |database: String, evaluation_id| Job {
        database,
        evaluation_id,
        is_finished: AtomicBool::new(false),
    };
    if let Some(evaluation_id) = arguments.resume {
        return Ok(vec![job(database_of(arguments), evaluation_id)]);
    }
    let suite = match (&arguments.suite, &arguments.cases) {
        (Some(suite), _) => suite.clone(),
        (None, Some(file)) => file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        (None, None) => return Err("there is no suite".into()),
    };
    let mut lines: BTreeMap<String, String> = BTreeMap::new();
    match &arguments.cases {
        None => {
            lines.insert(database_of(arguments), String::new());
        }
        Some(file) => {
            let text = std::fs::read_to_string(file)
                .map_err(|error| format!("{}: {error}", file.display()))?;
            let prefix = arguments.database_prefix.clone().unwrap_or_default();
            for (number, line) in text
                .lines()
                .enumerate()
                .filter(|(_, line)| !line.trim().is_empty())
            {
                let case: Value = serde_json::from_str(line)
                    .map_err(|error| format!("{}, line {}: {error}", file.display(), number + 1))?;
                let database = match (
                    &arguments.database,
                    case.get("database").and_then(Value::as_str),
                ) {
                    (None, Some(database)) => format!("{prefix}{database}"),
                    _ => database_of(arguments),
                };
                let text = lines.entry(database).or_default();
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    let settings: Value = match &arguments.settings {
        Some(text) => serde_json::from_str(text).map_err(|error| format!("--settings: {error}"))?,
        None => Value::Object(serde_json::Map::new()),
    };
    let databases: Vec<(String, String)> = lines.into_iter().collect();
    let begun = in_parallel(arguments.connections, databases.len(), |number| {
        let Some((database, lines)) = databases.get(number) else {
            return Ok(None);
        };
        let evaluation_id = begin_in(arguments, &suite, database, lines, &settings)
            .map_err(|error| format!("database {database}: {error}"))?;
        Ok(Some((database.clone(), evaluation_id)))
    })?;
    Ok(begun
        .into_iter()
        .map(|(database, evaluation_id)| job(database, evaluation_id))
        .collect())
}

fn begin_in(
    arguments: &Arguments,
    suite: &str,
    database: &str,
    lines: &str,
    settings: &Value,
) -> Result<i64, Failure> {
    let mut client = connect(database)?;
    let words = |error: postgres::Error| -> Failure { explained(&error).into() };
    if arguments.creates_extension {
        client
            .batch_execute("SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS pg_text2sql CASCADE")
            .map_err(words)?;
    }
    if let Some(clock) = &arguments.clock {
        client
            .execute(
                "SELECT text2sql_eval.add_suite($1, clock => coalesce((SELECT clock FROM text2sql_eval.suites WHERE suite = $1), $2::text::timestamptz))",
                &[&suite, clock],
            )
            .map_err(words)?;
    }
    if !lines.is_empty() {
        client
            .execute(
                "SELECT text2sql_eval.add_cases($1, 'lines', lines => $2)",
                &[&suite, &lines],
            )
            .map_err(words)?;
        for row in client
            .query(
                "SELECT question, problem FROM text2sql_eval.cases WHERE suite = $1 AND problem IS NOT NULL ORDER BY case_id",
                &[&suite],
            )
            .map_err(words)?
        {
            let (question, problem): (String, String) = (row.get(0), row.get(1));
            say(&format!(
                "not counted, its gold does not run: {question} ({problem})"
            ));
        }
    }
    let row = client
        .query_one(
            "SELECT text2sql_eval._begin_evaluation($1, $2, $3::text::jsonb, $4, $5,
                 text2sql_eval._chosen_cases($1, $6, $7, $8))",
            &[
                &suite,
                &arguments.repeats,
                &settings.to_string(),
                &arguments.name,
                &arguments.max_calls,
                &arguments.levels,
                &arguments.styles,
                &arguments.tags,
            ],
        )
        .map_err(words)?;
    Ok(row.get(0))
}

/// Lets the connections work: each begins with another database, and helps where work is left.
fn work(arguments: &Arguments, jobs: &[Job]) -> Result<(), Failure> {
    in_parallel(arguments.connections, arguments.connections, |worker| {
        let start = worker * jobs.len() / arguments.connections.max(1);
        for job in jobs.iter().cycle().skip(start).take(jobs.len()) {
            if job.is_finished.load(Ordering::Relaxed) {
                continue;
            }
            let mut client = connect(&job.database)?;
            client
                .batch_execute(&format!(
                    "CALL text2sql_eval.evaluate(evaluation_id => {})",
                    job.evaluation_id
                ))
                .map_err(|error| {
                    format!(
                        "database {}, evaluation {}: {}",
                        job.database,
                        job.evaluation_id,
                        explained(&error)
                    )
                })?;
            job.is_finished.store(true, Ordering::Relaxed);
        }
        Ok(None::<()>)
    })?;
    Ok(())
}

/// Runs `work` for each number below `count` on several threads.
fn in_parallel<T: Send>(
    threads: usize,
    count: usize,
    work: impl Fn(usize) -> Result<Option<T>, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    let work = &work;
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads.min(count))
            .map(|thread| {
                scope.spawn(move || {
                    let mut found = Vec::new();
                    for number in (thread..count).step_by(threads) {
                        found.extend(work(number)?);
                    }
                    Ok::<Vec<T>, Failure>(found)
                })
            })
            .collect();
        let mut all = Vec::new();
        for handle in handles {
            let found = handle
                .join()
                .map_err(|_| "a connection's thread ended with a panic")?;
            all.append(&mut found?);
        }
        Ok(all)
    })
}

/// Right answers must be right on the other database, too: on it the candidate is graded by the same
/// gold.
fn check_again(data: &mut EvaluationData, database: &str) -> Result<(), Failure> {
    let mut client = connect(database)?;
    for row in data.results.iter_mut().filter(|row| row.ex == Some(true)) {
        let Some(sql) = &row.sql else { continue };
        let mut options = match &row.comparison {
            Some(Value::Object(options)) => options.clone(),
            _ => serde_json::Map::new(),
        };
        if let Some(ordered) = row.ordered {
            options.insert("ordered".to_owned(), Value::from(ordered));
        }
        let options = Value::Object(options).to_string();
        let mut agrees = false;
        for gold in &row.gold {
            let found = client.query_one(
                "SELECT ex FROM text2sql_eval.grade($1, $2, $3::text::jsonb || jsonb_strip_nulls(jsonb_build_object('clock', $4::text)))",
                &[gold, sql, &options, &data.evaluation.clock],
            );
            agrees |= matches!(
                found.map(|found| found.get::<_, Option<bool>>(0)),
                Ok(Some(true))
            );
        }
        row.robust = Some(agrees && row.robust.unwrap_or(true));
    }
    for row in &mut data.results {
        row.test_suite = row.ex.map(|ex| ex && row.robust != Some(false));
    }
    Ok(())
}
