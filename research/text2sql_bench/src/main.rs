//! Measures what text2sql adds to a question:
//! `text2sql_bench [soak|warehouse|index|texts] [--quick] [--keep] [--json FILE]`.
//!
//! Asks through the whole pipeline, with a model double that answers at once, and compares with
//! the same SQL sent directly plus one loopback request: on the demo database and on a synthetic
//! catalog of 1,000 tables, which it makes and drops. `scripts/bench.sh` starts the cluster;
//! PGHOST, PGPORT and PGUSER say where it is. Ends with an error when something fails, not when an
//! aim is missed.
//!
//! `soak` asks very many questions in one session instead and watches memory. `index` measures the
//! search index in catalogs of up to 10,000 tables. `texts` measures documents, text columns and files. `--quick` shows that
//! it works, not how fast. `--keep` keeps the role, the foreign servers and the synthetic database
//! for profiling.
#![forbid(unsafe_code)]

mod advice_cost;
mod builtin_cost;
mod cluster_names;
mod demo;
mod direct_request;
mod error;
mod figures;
mod guard_cost;
mod index_cost;
mod machine;
mod memory;
mod passages;
mod pipeline_cost;
mod progress;
mod report;
mod server_cost;
mod session;
mod session_cost;
mod setup;
mod soak;
mod statistics;
mod subject;
mod synthetic;
mod texts_cost;
mod vocabulary;
mod warehouse;
mod workload;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use error::Fallible;
use guard_cost::GuardCost;
use pipeline_cost::PipelineCost;
use progress::tell;
use report::Report;
use session::Cluster;
use session_cost::SessionCost;
use subject::Subject;

const USAGE: &str =
    "usage: text2sql_bench [soak|warehouse|index|texts] [--quick] [--keep] [--json FILE]";

/// How often each thing is measured: enough for a median that moves by a few percent from run to
/// run, in under three minutes together.
struct Rounds {
    pairs: usize,
    stages: usize,
    sessions: usize,
    memory: usize,
    guard: usize,
    builtin: usize,
    advice: usize,
    server: usize,
}

const FULL: Rounds = Rounds {
    pairs: 1_000,
    stages: 300,
    sessions: 15,
    memory: 1_000,
    guard: 500,
    builtin: 100,
    advice: 200,
    server: 500,
};

/// Shows that it works, not how fast.
const QUICK: Rounds = Rounds {
    pairs: 30,
    stages: 10,
    sessions: 2,
    memory: 50,
    guard: 20,
    builtin: 5,
    advice: 10,
    server: 20,
};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&format!("text2sql_bench: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run() -> Fallible<()> {
    let mut rounds = FULL;
    let mut json_file = None;
    let (mut only_soak, mut only_warehouse, mut only_index) = (false, false, false);
    let mut only_texts = false;
    let mut texts = &texts_cost::FULL;
    let mut keep = false;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "soak" => only_soak = true,
            "warehouse" => only_warehouse = true,
            "index" => only_index = true,
            "texts" => only_texts = true,
            "--keep" => keep = true,
            "--quick" => (rounds, texts) = (QUICK, &texts_cost::QUICK),
            "--json" => json_file = Some(PathBuf::from(arguments.next().ok_or(USAGE)?)),
            _ => return Err(USAGE.into()),
        }
    }
    let start = Instant::now();
    let cluster = Cluster::from_environment()?;
    setup::tear_down(&cluster)?;
    let measured = match () {
        () if only_soak => watch(&cluster),
        () if only_warehouse => warehouse::measure(&cluster),
        () if only_index => index(&cluster, &rounds),
        () if only_texts => texts_cost::measure(&cluster, texts),
        () => measure(&cluster, &rounds),
    };
    let cleaned = match keep {
        true => Ok(()),
        false => setup::tear_down(&cluster),
    };
    let report = measured?;
    std::io::stdout().write_all(report.text().as_bytes())?;
    cleaned?;
    if let Some(file) = json_file {
        let json = serde_json::to_string_pretty(&report)?;
        std::fs::write(&file, json).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    tell(&format!("took {:.0} s", start.elapsed().as_secs_f64()));
    Ok(())
}

/// The soak test.
fn watch(cluster: &Cluster) -> Fallible<Report> {
    let subject = open_demo(cluster)?;
    let machine = machine::facts(&mut subject.session()?)?;
    let (section, aims) = soak::soak(&subject)?;
    Ok(Report {
        machine,
        sections: vec![section],
        aims,
    })
}

/// The search index.
fn index(cluster: &Cluster, rounds: &Rounds) -> Fallible<Report> {
    let machine = machine::facts(&mut cluster.administrate(demo::DATABASE)?)?;
    let (sections, aims) = index_cost::measure(cluster, rounds.sessions)?;
    Ok(Report {
        machine,
        sections,
        aims,
    })
}

fn open_demo(cluster: &Cluster) -> Fallible<Subject<'_>> {
    Subject::open(cluster, "Demo database", demo::DATABASE, demo::questions())
}

/// The benchmark.
fn measure(cluster: &Cluster, rounds: &Rounds) -> Fallible<Report> {
    tell("demo database …");
    let small = open_demo(cluster)?;
    let mut report = Report {
        machine: machine::facts(&mut small.session()?)?,
        sections: Vec::new(),
        aims: Vec::new(),
    };
    let small_costs = catalog(&small, &demo::builtin_questions(), rounds, &mut report)?;
    let statements = guard(&small, rounds)?;
    report.sections.push(figures::guard(&statements));
    let advice = advice_cost::measure(&small, rounds.advice)?;
    if advice.is_none() {
        tell("hypopg is not installed: the proposed indexes are NOT measured");
    }
    report.sections.push(figures::advice(advice.as_deref()));
    let server = server_cost::measure(&small, demo::DATABASE, rounds.server)?;
    if server.is_none() {
        tell("text2sql-server is not built: what it adds is NOT measured");
    }
    report.sections.push(figures::server(server.as_ref()));
    tell("1,000 tables: creating …");
    let tables = synthetic::tables();
    setup::create_synthetic(cluster, &tables)?;
    tell("1,000 tables: measuring …");
    let questions = synthetic::questions(&tables);
    let large = Subject::open(cluster, "1,000 tables", synthetic::DATABASE, questions)?;
    let builtin_questions = synthetic::builtin_questions(&tables);
    let large_costs = catalog(&large, &builtin_questions, rounds, &mut report)?;
    report.aims = figures::aims(
        (&small_costs.0, &small_costs.1),
        (&large_costs.0, &large_costs.1),
        &statements,
    );
    report.aims.extend(figures::server_aims(server.as_ref()));
    Ok(report)
}

/// Measures everything that depends on the catalog.
fn catalog(
    subject: &Subject<'_>,
    builtin_questions: &[String],
    rounds: &Rounds,
    report: &mut Report,
) -> Fallible<(PipelineCost, SessionCost)> {
    let pipeline = pipeline_cost::measure(subject, rounds.pairs)?;
    report.sections.push(figures::pipeline(subject, &pipeline));
    let stages = pipeline_cost::stages(subject, rounds.stages)?;
    report.sections.push(figures::stages(subject, &stages));
    let sessions = session_cost::measure(subject, rounds.sessions)?;
    let parts = session_cost::cold_parts(subject, rounds.sessions)?;
    report
        .sections
        .push(figures::sessions(subject, &sessions, &parts));
    let asking = session_cost::memory_of_asking(subject, rounds.memory)?;
    let querying = session_cost::memory_of_queries(subject, rounds.memory)?;
    let memory = figures::memory(subject, rounds.memory, asking.as_ref(), querying.as_ref());
    report.sections.push(memory);
    let builtin = builtin_cost::measure(subject, builtin_questions, rounds.builtin)?;
    report.sections.push(figures::builtin(subject, &builtin));
    Ok((pipeline, sessions))
}

fn guard(subject: &Subject<'_>, rounds: &Rounds) -> Fallible<Vec<(&'static str, GuardCost)>> {
    let mut session = subject.session()?;
    let long = demo::long_statement();
    Ok(vec![
        (
            "empty call of a function",
            guard_cost::empty_call(&mut session, rounds.guard)?,
        ),
        (
            "simple query",
            guard_cost::measure(&mut session, demo::SIMPLE_STATEMENT, rounds.guard)?,
        ),
        (
            "200-line query",
            guard_cost::measure(&mut session, &long, rounds.guard)?,
        ),
    ])
}
