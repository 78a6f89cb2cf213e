//! Measures the built-in engine: questions with gold queries, over the databases of a cluster.
//!
//! `builtin_practice QUESTIONS.jsonl [DATABASE_PREFIX] [--wrong] [--declined] [--right]
//! [--first-half|--second-half] [--findings]`, with the cluster named by PGHOST, PGPORT and PGUSER. One question a
//! line: `database`, `question`, `gold` (accepted statements), `ordered`. Result multisets are compared,
//! columns in any order; the order of rows only where the gold orders.
//!
//! `--near=FILE` lets the engine use words of the tables for words that they do not have, with the file of the
//! embedder `multilingual`.
//!
//! `--findings` measures the false alarms of the checks on the gold queries instead, fails above 2 %, and
//! `--show=CHECK` shows those of one check.
//!
//! `--gate` grades what sends a query back, each trigger by itself: false alarms on right queries, and catches on
//! broken ones; fails above 2 % false alarms of the default. `--show=TRIGGER` shows its false alarms, `--show=passed`
//! the wrong queries that no trigger catches.
//!
//! `--judge` measures how many right queries the judge complains of, also with a note beside the question, and how many
//! mutants with one fault it catches, by class. `--show=right` shows the former, `--show=passed` the mutants that pass.
//! `--only=CLASS,…` leaves out other classes than those that begin so. At the end it says what a total means: how many of
//! the queries with it are right, over each half of the databases.
//! `--paraphrases=questions/paraphrases.jsonl` asks about the right ones in other words and languages.
//!
//! `--replay` measures verified replay instead: each question as a verified example, the others asked; it
//! fails when one replay is wrong.
//! `--examples` measures which of the verified examples a prompt gets, and at what similarity.
//! `--ambiguity` measures what names and values decide about questions with several readings, on pairs
//! over the practice databases and the demo database, and with `--wrong` shows which of the questions
//! are asked back.
//!
//! `--values` measures the stored values that questions are linked to, against the literals of the gold queries;
//! `--wrong` shows what was linked without need, and what was not linked.
//!
//! `builtin_practice first-questions FILE… [--engine] [--near=FILE] [--right] [--led] [--declined] [--wrong]` asks
//! first questions over sample databases that nobody has prepared, with `text2sql.ask` of the databases, and with
//! `--engine` without the extension.
//!
//! `builtin_practice meaning FILE… [--prefix=PREFIX] [--right] [--declined] [--wrong]` measures what is understood without
//! help, over databases called PREFIX and the name in the file. `--random=COUNT` compares that many compiled
//! meanings with a naive evaluation over random rows.
//!
//! `builtin_practice report QUESTIONS.jsonl` measures everything and writes `docs/reference/builtin.md`.
#![allow(
    clippy::print_stdout,
    reason = "the report is the purpose of this program"
)]

mod ambiguity;
mod compare;
mod curve;
mod examples;
mod findings;
mod first_questions;
mod gate;
mod judged;
mod meaning;
mod mutants;
mod near;
mod provable;
mod questions;
mod random;
mod replay;
mod report;
mod tally;
mod values;

use std::collections::BTreeMap;
use std::error::Error;

use text2sql_builtin::confidence::Kind;
use text2sql_domain::proposal::Proposal;
use text2sql_language::understanding::Understanding;

use self::questions::{Case, TODAY};
use self::tally::{Tally, kind_of};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let shows = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let named: Vec<&str> = arguments
        .iter()
        .map(String::as_str)
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    let file = match named.as_slice() {
        ["first-questions", files @ ..] => {
            let encoder = arguments
                .iter()
                .find_map(|argument| argument.strip_prefix("--near="));
            let is_shown = |outcome: &str| shows(&format!("--{outcome}"));
            return first_questions::measure(files, shows("--engine"), encoder, is_shown);
        }
        ["meaning", files @ ..] => {
            let option = |name: &str| {
                let mut options = arguments.iter();
                options.find_map(|argument| argument.strip_prefix(name))
            };
            if let Some(count) = option("--random=") {
                let mut client = questions::connect("postgres")?;
                println!("{}", random::compare(&mut client, count.parse()?)?);
                return Ok(());
            }
            let is_shown = |outcome: &str| shows(&format!("--{outcome}"));
            return meaning::measure(files, option("--prefix=").unwrap_or_default(), is_shown);
        }
        ["report", practice] => {
            println!("{}", report::write(practice)?);
            return Ok(());
        }
        [file, ..] if *file != "report" => file,
        _ => {
            return Err(
                "usage: builtin_practice [report|first-questions] QUESTIONS.jsonl [DATABASE_PREFIX]".into(),
            );
        }
    };
    let prefix = named.get(1).copied().unwrap_or("practice_");
    let by_database = questions::read(&std::fs::read_to_string(file)?)?;
    if shows("--replay") {
        return replay::measure(&by_database, prefix, shows("--right"));
    }
    if shows("--examples") {
        return examples::measure(&by_database);
    }
    if shows("--ambiguity") {
        return ambiguity::measure(&by_database, prefix, shows("--wrong"));
    }
    if shows("--values") {
        return values::measure(&by_database, prefix, shows("--wrong"));
    }
    let show = arguments
        .iter()
        .find_map(|argument| argument.strip_prefix("--show="));
    if shows("--judge") {
        let others = arguments
            .iter()
            .find_map(|argument| argument.strip_prefix("--paraphrases="));
        let by_database = match others {
            Some(file) => questions::in_other_words(&by_database, &std::fs::read_to_string(file)?)?,
            None => by_database,
        };
        let only = arguments
            .iter()
            .find_map(|argument| argument.strip_prefix("--only="));
        return judged::measure(&by_database, prefix, show, only);
    }
    if shows("--gate") {
        return gate::measure(&by_database, prefix, show);
    }
    if shows("--findings") {
        return measure_findings(&by_database, prefix, &arguments);
    }
    let encoder = arguments
        .iter()
        .find_map(|argument| argument.strip_prefix("--near="));
    let mut kinds: BTreeMap<&'static str, Tally> = BTreeMap::new();
    let mut own_kinds: BTreeMap<Kind, Tally> = BTreeMap::new();
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
        let mut client = questions::connect(&format!("{prefix}{database}"))?;
        let tables = practice_catalog::read_tables(&mut client)?;
        let near = near::NearWords::of(&format!("{prefix}{database}"), &tables, encoder)?;
        let mut own = Tally::default();
        for case in cases {
            let gold = case.gold.first().map_or("", String::as_str);
            let proposal = near.propose(&Understanding::of(&case.question, TODAY), &tables)?;
            let verdict = compare::verdict(&mut client, &proposal, case);
            if let Proposal::Sql(sql) = &proposal {
                let tally = own_kinds.entry(Kind::of(&sql.sql)).or_default();
                tally.add(verdict.as_ref());
            }
            for tally in [
                &mut own,
                kinds.entry(kind_of(gold)).or_default(),
                &mut total,
            ] {
                tally.add(verdict.as_ref());
            }
            let show = match &verdict {
                None => shows("--declined"),
                Some(Ok(true)) => shows("--right"),
                Some(_) => shows("--wrong"),
            };
            if show {
                show_case(database, case, &proposal, verdict.and_then(Result::err));
            }
        }
        println!("{}", own.line(database));
    }
    println!();
    for (kind, tally) in &kinds {
        println!("{}", tally.line(kind));
    }
    println!("\nby the query that it wrote, for crates/text2sql_builtin/src/confidence.rs");
    for (kind, tally) in &own_kinds {
        println!("{}", tally.line(kind.as_str()));
    }
    println!();
    println!("{}", total.line("all"));
    Ok(())
}

/// Share of correct queries on which a check may say something.
const MAX_FALSE_ALARMS: f64 = 0.02;

fn measure_findings(
    by_database: &BTreeMap<String, Vec<Case>>,
    prefix: &str,
    arguments: &[String],
) -> Result<(), Box<dyn Error>> {
    let show = arguments
        .iter()
        .find_map(|argument| argument.strip_prefix("--show="));
    let mut alarms = findings::Alarms::default();
    for (database, cases) in by_database {
        let mut client = questions::connect(&format!("{prefix}{database}"))?;
        let tables = practice_catalog::read_tables(&mut client)?;
        for sql in cases.iter().flat_map(|case| &case.gold) {
            alarms.add(&mut client, &tables, sql, show)?;
        }
    }
    match alarms.print(MAX_FALSE_ALARMS).as_slice() {
        [] => Ok(()),
        wolves => Err(format!("too many false alarms: {}", wolves.join(", ")).into()),
    }
}

fn show_case(database: &str, case: &Case, proposal: &Proposal, error: Option<String>) {
    println!("-- {database}: {}", case.question);
    println!("   gold: {}", case.gold.first().map_or("", String::as_str));
    match proposal {
        Proposal::Sql(sql) => {
            println!("   ours: {}", sql.sql.replace('\n', " "));
            println!(
                "   says: {} {:?} {:?}",
                sql.sentence.as_deref().unwrap_or_default(),
                sql.links,
                sql.notes
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
