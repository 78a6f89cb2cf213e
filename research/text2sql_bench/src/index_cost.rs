//! What the search index costs: building it, following a change, and asking it, in catalogs of 100,
//! 1,000 and 10,000 tables of 20 columns.

use crate::cluster_names::{ALONE, CATALOGS, FEW_ROLE, ROLE, SERVER};
use crate::error::Fallible;
use crate::memory;
use crate::progress::tell;
use crate::report::{Aim, Section};
use crate::session::{Cluster, Session, milliseconds};
use crate::setup;
use crate::statistics::summarise;
use crate::synthetic::{self, Table};
use crate::workload::{Question, call};

/// A role that may read this many tables of the largest catalog.
const FEW: usize = 20;

/// The base URL of the model whose prompts are rendered, but never sent.
const NOBODY: &str = "http://127.0.0.1:9/v1";

/// DDL statements timed with and without the event triggers, each.
const DDL_STATEMENTS: usize = 200;

/// Building the index with the default embedder.
const BUILD_SECONDS: f64 = 600.0;
/// Retrieval in the largest catalog, 95 of 100 questions.
const RETRIEVAL_MS: f64 = 20.0;
/// What a prompt takes in the largest catalog over the smallest, 95 of 100 questions: as a whole, and beside its
/// retrieval, which has an aim of its own.
const PROMPT_MS: f64 = 5.0;

/// What is kept of one catalog for the aims.
struct Cost {
    tables: usize,
    build_seconds: f64,
    asked: Asked,
}

/// The times of later questions.
struct Asked {
    retrieval: Vec<f64>,
    prompt: Vec<f64>,
    /// Each prompt less the retrieval of the same question.
    beside: Vec<f64>,
}

/// Measures all catalogs, each in this number of new sessions.
pub(crate) fn measure(cluster: &Cluster, sessions: usize) -> Fallible<(Vec<Section>, Vec<Aim>)> {
    let (mut sections, mut costs) = (Vec::new(), Vec::new());
    for (database, count) in CATALOGS {
        tell(&format!("{count} tables: creating …"));
        let tables = synthetic::catalog(count);
        setup::create_database(cluster, database, &tables)?;
        setup::prepare(cluster, database)?;
        setup::add_model(cluster, database, NOBODY)?;
        tell(&format!("{count} tables: measuring …"));
        let mut section = Section::new(format!("{count} tables: the search index"));
        let build_seconds = building(cluster, database, &tables, &mut section)?;
        let asked = asking(cluster, database, &tables, sessions, &mut section)?;
        if count > FEW * 10 {
            few(cluster, database, &tables, &mut section)?;
        }
        sections.push(section);
        costs.push(Cost {
            tables: count,
            build_seconds,
            asked,
        });
    }
    Ok((sections, aims(&costs)))
}

fn aims(costs: &[Cost]) -> Vec<Aim> {
    let (Some(smallest), Some(largest)) = (costs.first(), costs.last()) else {
        return Vec::new();
    };
    let tables = largest.tables;
    let more = |times: fn(&Asked) -> &[f64]| {
        summarise(times(&largest.asked)).p95 - summarise(times(&smallest.asked)).p95
    };
    vec![
        Aim::at_most(
            &format!("{tables} tables: building the index"),
            largest.build_seconds,
            BUILD_SECONDS,
            "s",
        ),
        Aim::at_most(
            &format!("{tables} tables: retrieval, p95"),
            summarise(&largest.asked.retrieval).p95,
            RETRIEVAL_MS,
            "ms",
        ),
        Aim::at_most(
            &format!(
                "{tables} tables: a prompt beside its retrieval, p95 over that with {}",
                smallest.tables
            ),
            more(|asked| &asked.beside),
            PROMPT_MS,
            "ms",
        ),
        Aim::at_most(
            &format!(
                "{tables} tables: a prompt with its retrieval, p95 over that with {}",
                smallest.tables
            ),
            more(|asked| &asked.prompt),
            PROMPT_MS,
            "ms",
        ),
    ]
}

/// Builds the index, follows one change and none, and times DDL with and without its notes.
fn building(
    cluster: &Cluster,
    database: &str,
    tables: &[Table],
    section: &mut Section,
) -> Fallible<f64> {
    let mut session = cluster.administrate(database)?;
    session.run("SET statement_timeout = 0; SET client_min_messages = warning")?;
    let refresh = "CALL text2sql.refresh()";
    let (build, _) = session.timed(refresh)?;
    section.number("building it", "s", build / 1_000.0);
    section.number(
        "a refresh when nothing changed",
        "ms",
        session.timed(refresh)?.0,
    );
    let Some(table) = tables.get(tables.len() / 2) else {
        return Ok(build / 1_000.0);
    };
    session.run(&format!(
        "ALTER TABLE {} ADD COLUMN warranty_until date",
        table.name
    ))?;
    section.number(
        "a refresh after one table changed",
        "ms",
        session.timed(refresh)?.0,
    );
    let size = session.value(
        "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c
         WHERE c.relnamespace = 'text2sql'::regnamespace AND c.relname LIKE '\\_index\\_%' AND c.relkind = 'r'",
    )?;
    section.number("its size", "MB", size.parse::<f64>()? / 1e6);
    let mut ddl = |name: &str, state: &str| -> Fallible<()> {
        for trigger in ["text2sql_note_ddl", "text2sql_note_drop"] {
            session.run(&format!("ALTER EVENT TRIGGER {trigger} {state}"))?;
        }
        let mut times = Vec::new();
        for number in 0..DDL_STATEMENTS {
            let start = std::time::Instant::now();
            session.run(&format!(
                "COMMENT ON TABLE {} IS 'as of {number}'",
                table.name
            ))?;
            times.push(milliseconds(start));
        }
        section.series(name, "ms", &times);
        Ok(())
    };
    ddl("COMMENT ON TABLE, noted", "ENABLE")?;
    ddl("COMMENT ON TABLE, not noted", "DISABLE")?;
    ddl("COMMENT ON TABLE, noted, again", "ENABLE")?;
    session.run(refresh)?;
    Ok(build / 1_000.0)
}

/// Asks in fresh sessions; gives the times of later retrievals, and what the prompts of the same questions take beside
/// them, each in a session that has seen as much.
fn asking(
    cluster: &Cluster,
    database: &str,
    tables: &[Table],
    sessions: usize,
    section: &mut Section,
) -> Fallible<Asked> {
    let (mut first, mut later, mut again) = (Vec::new(), Vec::new(), Vec::new());
    let (mut preview_first, mut preview) = (Vec::new(), Vec::new());
    let mut grown = Vec::new();
    for number in 0..sessions {
        let questions = synthetic::questions_of(tables, (number, sessions));
        let mut session = cluster.connect(database, ROLE)?;
        session.run("SELECT text2sql._version()")?;
        let backend = session.backend()?;
        let before = memory::of_process(backend);
        for (question, _) in &questions {
            let (time, _) = session.timed(&call("retrieve", &question.text))?;
            if first.len() == number {
                first.push(time);
            } else {
                later.push(time);
            }
        }
        if let (Some(before), Some(after)) = (before, memory::of_process(backend)) {
            grown.push(after.anonymous.saturating_sub(before.anonymous) as f64 / 1_000.0);
        }
        for (question, _) in &questions {
            again.push(session.timed(&call("retrieve", &question.text))?.0);
        }
        let mut session = cluster.connect(database, ROLE)?;
        session.run(&format!("SET text2sql.model = '{SERVER}'"))?;
        session.run("SELECT text2sql._version()")?;
        for (question, _) in &questions {
            let (time, _) = session.timed(&question.preview())?;
            if preview_first.len() == number {
                preview_first.push(time);
            } else {
                preview.push(time);
            }
        }
    }
    section.series("retrieve, first of a session", "ms", &first);
    section.series("retrieve, later, words not asked before", "ms", &later);
    section.series("retrieve, asked before", "ms", &again);
    section.series("prompt, first of a session", "ms", &preview_first);
    section.series("prompt, later, words not asked before", "ms", &preview);
    let beside: Vec<f64> = preview
        .iter()
        .zip(&later)
        .map(|(prompt, retrieval)| prompt - retrieval)
        .collect();
    section.series("the same less the retrieval of the question", "ms", &beside);
    section.series("memory gained by 24 questions", "MB", &grown);
    let mut session = cluster.connect(database, ROLE)?;
    let asked =
        (0..sessions).flat_map(|number| synthetic::questions_of(tables, (number, sessions)));
    recall(&mut session, &asked.collect::<Vec<_>>(), "", section)?;
    Ok(Asked {
        retrieval: later,
        prompt: preview,
        beside,
    })
}

/// Share of the questions whose table is among the first 5, 10 and 20.
fn recall(
    session: &mut Session,
    questions: &[(Question, &Table)],
    who: &str,
    section: &mut Section,
) -> Fallible<()> {
    let mut places = Vec::new();
    for (question, table) in questions {
        let rows = session.run(&format!(
            "SELECT rank FROM text2sql.retrieve({}) WHERE object = '{}' AND kind <> 'value'",
            crate::workload::literal(&question.text),
            table.name
        ))?;
        let place = rows
            .first()
            .and_then(|row| row.get(0)?.parse::<usize>().ok());
        places.push(place.unwrap_or(usize::MAX));
    }
    for most in [5, 10, 20] {
        let within = places.iter().filter(|place| **place <= most).count();
        let share = within as f64 * 100.0 / places.len().max(1) as f64;
        section.number(&format!("{who}table within the first {most}"), "%", share);
    }
    Ok(())
}

/// The same for a role that may read few of the tables.
fn few(cluster: &Cluster, database: &str, tables: &[Table], section: &mut Section) -> Fallible<()> {
    let step = (tables.len() / FEW).max(1);
    let chosen: Vec<Table> = tables.iter().step_by(step).take(FEW).cloned().collect();
    let mut administrator = cluster.administrate(database)?;
    let grants: Vec<String> = chosen
        .iter()
        .map(|table| format!("GRANT SELECT ON {} TO {FEW_ROLE};", table.name))
        .collect();
    administrator.run("SET client_min_messages = warning")?;
    administrator.run(&format!(
        "DO $$ BEGIN
           IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{FEW_ROLE}') THEN CREATE ROLE {FEW_ROLE} LOGIN; END IF;
         END $$"
    ))?;
    administrator.run(&format!(
        "SELECT text2sql.grant_access('{FEW_ROLE}'); {}",
        grants.concat()
    ))?;
    let questions = synthetic::questions_of(&chosen, (0, 1));
    let (mut first, mut later) = (Vec::new(), Vec::new());
    for number in 0..3 {
        let mut session = cluster.connect(database, FEW_ROLE)?;
        session.run("SELECT text2sql._version()")?;
        for (question, _) in questions.iter().cycle().skip(number).take(questions.len()) {
            let (time, _) = session.timed(&call("retrieve", &question.text))?;
            if first.len() == number {
                first.push(time);
            } else {
                later.push(time);
            }
        }
    }
    section.series("a role that reads 20 tables: first", "ms", &first);
    section.series("a role that reads 20 tables: later", "ms", &later);
    let mut session = cluster.connect(database, FEW_ROLE)?;
    recall(
        &mut session,
        &questions,
        "a role that reads 20 tables: ",
        section,
    )?;
    alone(
        cluster,
        &mut session,
        tables,
        (&chosen, &questions),
        section,
    )
}

/// Compares what that role finds with what it finds where the few tables are all there are.
fn alone(
    cluster: &Cluster,
    among_others: &mut Session,
    all: &[Table],
    (chosen, questions): (&[Table], &[(Question, &Table)]),
    section: &mut Section,
) -> Fallible<()> {
    // Keys must lead somewhere: what the few refer to is there as well, and not for that role.
    let is_wanted = |table: &&Table| {
        chosen.iter().any(|own| {
            let target = own.reference.as_ref().map(|(_, target)| target);
            own.name == table.name || target == Some(&table.name)
        })
    };
    let is_chosen = |table: &Table| chosen.iter().any(|own| own.name == table.name);
    let tables: Vec<Table> = all
        .iter()
        .filter(is_wanted)
        .cloned()
        .map(|mut table| {
            if !is_chosen(&table) {
                table.reference = None;
            }
            table
        })
        .collect();
    setup::create_database(cluster, ALONE, &tables)?;
    setup::prepare(cluster, ALONE)?;
    let mut administrator = cluster.administrate(ALONE)?;
    administrator.run("SET client_min_messages = warning")?;
    let grants: Vec<String> = chosen
        .iter()
        .map(|table| format!("GRANT SELECT ON {} TO {FEW_ROLE};", table.name))
        .collect();
    administrator.run(&format!(
        "SELECT text2sql.grant_access('{FEW_ROLE}'); {}",
        grants.concat()
    ))?;
    administrator.run("CALL text2sql.refresh()")?;
    let mut by_themselves = cluster.connect(ALONE, FEW_ROLE)?;
    recall(
        &mut by_themselves,
        questions,
        "the same 20 tables alone: ",
        section,
    )?;
    let mut same = 0;
    for (question, _) in questions {
        let find = format!(
            "SELECT string_agg(object, ',' ORDER BY rank) FROM text2sql.retrieve({}) WHERE kind <> 'value' AND rank <= 5",
            crate::workload::literal(&question.text)
        );
        same += usize::from(among_others.value(&find)? == by_themselves.value(&find)?);
    }
    let share = same as f64 * 100.0 / questions.len().max(1) as f64;
    section.number("questions with the same first 5 either way", "%", share);
    Ok(())
}
