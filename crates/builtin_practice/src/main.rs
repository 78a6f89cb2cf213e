//! Measures the built-in engine: questions with gold queries, over the databases of a cluster. With
//! `--findings`, measures the false alarms of the checks on the gold queries instead, and with
//! `--show=CHECK` shows those of one check.
//!
//! `builtin_practice QUESTIONS.jsonl [DATABASE_PREFIX] [--wrong] [--declined] [--right] [--findings]`,
//! with the cluster named by PGHOST, PGPORT and PGUSER. One question a line: `database`, `question`, `gold` (accepted
//! statements), `ordered`. Result multisets are compared, columns in any order; the order of rows
//! only where the gold orders.
#![allow(
    clippy::print_stdout,
    reason = "the report is the purpose of this program"
)]

mod catalog;
mod compare;
mod findings;

use std::collections::BTreeMap;
use std::error::Error;

use postgres::{Client, NoTls};
use serde_json::Value;
use text2sql_core::builtin::propose;
use text2sql_core::proposal::Proposal;

/// The day on which relative dates are read.
const TODAY: &str = "2026-01-15";

#[derive(Default)]
struct Tally {
    asked: usize,
    answered: usize,
    right: usize,
    failed: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let shows = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let named: Vec<&String> = arguments
        .iter()
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    let file = named
        .first()
        .ok_or("usage: builtin_practice QUESTIONS.jsonl [DATABASE_PREFIX]")?;
    let prefix = named.get(1).map_or("practice_", |prefix| prefix.as_str());
    let mut by_database: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in std::fs::read_to_string(file)?
        .lines()
        .filter(|line| !line.trim().is_empty())
    {
        let case: Value = serde_json::from_str(line)?;
        let database = text_of(&case, "database").to_owned();
        by_database.entry(database).or_default().push(case);
    }
    if shows("--findings") {
        return measure_findings(&by_database, prefix, &arguments);
    }
    let mut kinds: BTreeMap<&'static str, Tally> = BTreeMap::new();
    let mut total = Tally::default();
    // Databases at even places are the half to develop on, the others the half to check on.
    let half = if shows("--first-half") {
        Some(0)
    } else {
        shows("--second-half").then_some(1)
    };
    let chosen = by_database
        .iter()
        .enumerate()
        .filter(|(place, _)| half.is_none_or(|half| place % 2 == half))
        .map(|(_, entry)| entry);
    for (database, cases) in chosen {
        let mut client = connect(&format!("{prefix}{database}"))?;
        let tables = catalog::read_tables(&mut client)?;
        let mut own = Tally::default();
        for case in cases {
            let question = text_of(case, "question");
            let gold: Vec<&str> = case
                .get("gold")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            let ordered = case
                .get("ordered")
                .and_then(Value::as_bool)
                .unwrap_or(false);
            let kind = kinds
                .entry(kind_of(gold.first().copied().unwrap_or_default()))
                .or_default();
            let proposal = propose(question, &tables, &[], TODAY);
            let verdict = match &proposal {
                Proposal::Sql(sql) => {
                    Some(compare::is_right(&mut client, &sql.sql, &gold, ordered))
                }
                _ => None,
            };
            for tally in [&mut own, kind, &mut total] {
                tally.asked += 1;
                tally.answered += usize::from(verdict.is_some());
                tally.right += usize::from(matches!(verdict, Some(Ok(true))));
                tally.failed += usize::from(matches!(verdict, Some(Err(_))));
            }
            let show = match &verdict {
                None => shows("--declined"),
                Some(Ok(true)) => shows("--right"),
                Some(_) => shows("--wrong"),
            };
            if show {
                show_case(
                    database,
                    question,
                    &gold,
                    &proposal,
                    verdict.and_then(Result::err),
                );
            }
        }
        print_tally(database, &own);
    }
    println!();
    for (kind, tally) in &kinds {
        print_tally(kind, tally);
    }
    println!();
    print_tally("all", &total);
    Ok(())
}

fn measure_findings(
    by_database: &BTreeMap<String, Vec<Value>>,
    prefix: &str,
    arguments: &[String],
) -> Result<(), Box<dyn Error>> {
    let show = arguments
        .iter()
        .find_map(|argument| argument.strip_prefix("--show="));
    let mut alarms = findings::Alarms::default();
    for (database, cases) in by_database {
        let mut client = connect(&format!("{prefix}{database}"))?;
        let tables = catalog::read_tables(&mut client)?;
        for case in cases {
            let gold = case.get("gold").and_then(Value::as_array);
            for sql in gold.into_iter().flatten().filter_map(Value::as_str) {
                alarms.add(&mut client, &tables, sql, show)?;
            }
        }
    }
    alarms.print();
    Ok(())
}

fn text_of<'a>(case: &'a Value, key: &str) -> &'a str {
    case.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn connect(database: &str) -> Result<Client, Box<dyn Error>> {
    let from_env =
        |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_owned());
    let mut config = Client::configure();
    config
        .host(&from_env("PGHOST", "localhost"))
        .port(from_env("PGPORT", "5432").parse()?)
        .user(&from_env("PGUSER", "postgres"))
        .dbname(database);
    Ok(config.connect(NoTls)?)
}

fn show_case(
    database: &str,
    question: &str,
    gold: &[&str],
    proposal: &Proposal,
    error: Option<String>,
) {
    println!("-- {database}: {question}");
    println!("   gold: {}", gold.first().copied().unwrap_or_default());
    match proposal {
        Proposal::Sql(sql) => {
            println!("   ours: {}", sql.sql.replace('\n', " "));
            println!(
                "   says: {} {:?}",
                sql.sentence.as_deref().unwrap_or_default(),
                (&sql.links, &sql.notes)
            );
        }
        Proposal::Ambiguous { question, readings } => {
            println!("   ambiguous: {question} {readings:?}")
        }
        Proposal::Unanswerable { reason, .. } => println!("   declined: {reason}"),
    }
    if let Some(error) = error {
        println!("   error: {error}");
    }
}

fn print_tally(name: &str, tally: &Tally) {
    let share = |part: usize, whole: usize| {
        if whole == 0 {
            0.0
        } else {
            100.0 * part as f64 / whole as f64
        }
    };
    println!(
        "{name:<32} asked {:>5}  answered {:>5} ({:>5.1} %)  right {:>5} ({:>5.1} %)  errors {}",
        tally.asked,
        tally.answered,
        share(tally.answered, tally.asked),
        tally.right,
        share(tally.right, tally.answered),
        tally.failed
    );
}

/// What a gold query does, by its words.
fn kind_of(gold: &str) -> &'static str {
    let has = |word: &str| gold.contains(word);
    if has("INTERSECT") || has("UNION") || has("EXCEPT") {
        "set operation"
    } else if gold.matches("SELECT").count() > 1 {
        "sub-query"
    } else if has("GROUP BY") && has("LIMIT") {
        "ranked groups"
    } else if has("HAVING") {
        "having"
    } else if has("GROUP BY") {
        "groups"
    } else if has("LIMIT") {
        "superlative"
    } else if has("COUNT(") {
        "count"
    } else if has("SUM(") || has("AVG(") || has("MIN(") || has("MAX(") {
        "aggregate"
    } else if has("JOIN") {
        "list with join"
    } else if has("WHERE") {
        "list with filter"
    } else {
        "list"
    }
}
