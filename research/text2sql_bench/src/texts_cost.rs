//! What texts cost: adding passages with the default embedder, searching 100,000 of them as a role that may read all
//! rows and as one whom row-level security leaves 1 %, without and with an index for its policy, and loading a file of
//! a million rows beside a bare COPY.

use std::io::Write;
use std::process::Command;

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::cluster_names::{FEW_ROLE, ROLE, TEXTS};
use crate::error::Fallible;
use crate::passages::Writer;
use crate::progress::tell;
use crate::report::{Aim, Report, Section};
use crate::session::{Cluster, Session};
use crate::statistics::{median, summarise};
use crate::workload::literal;
use crate::{machine, memory, setup};

/// Adding 1,000 passages to those that are there.
const ADD_SECONDS: f64 = 10.0;
/// A search, 95 of 100.
const SEARCH_MS: f64 = 30.0;
/// Loading a file, times a bare COPY of the same rows.
const LOAD_TIMES: f64 = 3.0;

/// How much is measured.
pub(crate) struct Amounts {
    rows: usize,
    searches: usize,
    additions: usize,
    file: usize,
}

/// 100,000 passages and a file of a million rows.
pub(crate) const FULL: Amounts = Amounts {
    rows: 97_000,
    searches: 200,
    additions: 3,
    file: 1_000_000,
};

/// Shows that it works, not how fast.
pub(crate) const QUICK: Amounts = Amounts {
    rows: 6_000,
    searches: 10,
    additions: 1,
    file: 20_000,
};

/// Documents that are added at once, each of one passage.
const ADDED: usize = 1_000;

/// Measures, and leaves the database to be dropped.
pub(crate) fn measure(cluster: &Cluster, amounts: &Amounts) -> Fallible<Report> {
    setup::create_empty_database(cluster, TEXTS)?;
    setup::prepare(cluster, TEXTS)?;
    let mut session = cluster.administrate(TEXTS)?;
    session.run("SET statement_timeout = 0; SET client_min_messages = warning")?;
    let mut report = Report {
        machine: machine::facts(&mut session)?,
        sections: Vec::new(),
        aims: Vec::new(),
    };
    let mut writer = Writer::new();
    tell(&format!("{} rows with texts: creating …", amounts.rows));
    create_rows(&mut session, &mut writer, amounts.rows)?;
    report.sections.push(adding(
        &mut session,
        &mut writer,
        amounts,
        &mut report.aims,
    )?);
    tell("searching …");
    for (role, whose, before) in [
        (ROLE, "may read all", ""),
        (FEW_ROLE, "may read 1 % of the rows", ""),
        (
            FEW_ROLE,
            "may read 1 % of the rows, found by an index",
            "CREATE INDEX ON reviews (region); CALL text2sql.refresh()",
        ),
    ] {
        for statement in before.split_terminator("; ") {
            session.run(statement)?;
        }
        report.sections.push(searching(
            cluster,
            role,
            whose,
            &mut writer,
            amounts.searches,
            &mut report.aims,
        )?);
    }
    tell(&format!("a file of {} rows: loading …", amounts.file));
    report
        .sections
        .push(loading(&mut session, amounts.file, &mut report.aims)?);
    Ok(report)
}

/// A table of texts. One role reads all rows, another those of one region in 100.
fn create_rows(session: &mut Session, writer: &mut Writer, rows: usize) -> Fallible<()> {
    session.run(&format!(
        "CREATE TABLE reviews (review_id int PRIMARY KEY, region int NOT NULL, title text, body text);
         DO $$ BEGIN
           IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{FEW_ROLE}') THEN
             CREATE ROLE {FEW_ROLE} LOGIN;
           END IF;
         END $$;
         GRANT SELECT ON reviews TO {ROLE}, {FEW_ROLE};
         ALTER TABLE reviews ENABLE ROW LEVEL SECURITY;
         CREATE POLICY everything ON reviews TO {ROLE} USING (true);
         CREATE POLICY one_region ON reviews TO {FEW_ROLE} USING (region = 7);
         SELECT text2sql.grant_access({})",
        literal(FEW_ROLE)
    ))?;
    let lines: String = (1..=rows)
        .map(|number| {
            let (title, body) = writer.text(30..=60);
            format!("{number}\t{}\t{title}\t{body}\n", writer.region())
        })
        .collect();
    session.copy("COPY reviews FROM STDIN", lines.as_bytes())?;
    session.run("ANALYZE reviews")?;
    Ok(())
}

/// Indexes the rows, builds the vector index, and adds documents to it.
fn adding(
    session: &mut Session,
    writer: &mut Writer,
    amounts: &Amounts,
    aims: &mut Vec<Aim>,
) -> Fallible<Section> {
    let backend = session.backend()?;
    let mut section = Section::new("Texts: adding passages, with the default embedder");
    let passages = |session: &mut Session| -> Fallible<f64> {
        let count = session.value("SELECT count(*) FROM text2sql._passages")?;
        Ok(count.parse()?)
    };
    tell("indexing the texts of the rows …");
    let before = memory::processor_seconds(backend);
    let (time, _) =
        session.timed("SELECT text2sql.index_text('reviews.body', title => 'reviews.title')")?;
    let count = passages(session)?;
    section.number("passages of rows", "passages", count);
    section.number("index_text, for 1,000 passages", "s", time / count);
    let used = memory::processor_seconds(backend).zip(before);
    if let Some((after, before)) = used {
        let each = (after - before) * 1_000.0 / count;
        section.number("index_text, for 1,000 passages, processor", "s", each);
    }
    tell("building the vector index …");
    let (time, _) = session.timed("CALL text2sql.refresh()")?;
    section.number("refresh() with the vector index", "s", time / 1_000.0);
    let (mut times, mut processor) = (Vec::new(), Vec::new());
    for number in 0..amounts.additions {
        tell(&format!("adding {ADDED} documents …"));
        let lines: String = (0..ADDED)
            .map(|_| {
                let (title, body) = writer.text(110..=120);
                format!("{{\"title\": \"{title}\", \"body\": \"{body}\"}}\n")
            })
            .collect();
        let call = format!(
            "SELECT count(*) FROM text2sql.import_knowledge({}, 'documents', source => 'handbook {number}', readers => '{{public}}')",
            literal(&lines)
        );
        let (known, before) = (passages(session)?, memory::processor_seconds(backend));
        let (time, _) = session.timed(&call)?;
        let thousands = (passages(session)? - known) / 1_000.0;
        times.push(time / 1_000.0 / thousands);
        let used = memory::processor_seconds(backend).zip(before);
        processor.extend(used.map(|(after, before)| (after - before) / thousands));
    }
    section.series("documents, for 1,000 passages", "s", &times);
    section.series("documents, for 1,000 passages, processor", "s", &processor);
    section.note("passages of documents have about 800 characters, those of rows about 350");
    aims.push(Aim::at_most(
        "adding 1,000 passages",
        median(&times),
        ADD_SECONDS,
        "s",
    ));
    session.run("VACUUM (ANALYZE)")?;
    Ok(section)
}

/// Searches with different questions in one session of a role.
fn searching(
    cluster: &Cluster,
    role: &str,
    whose: &str,
    writer: &mut Writer,
    searches: usize,
    aims: &mut Vec<Aim>,
) -> Fallible<Section> {
    let mut session = cluster.connect(TEXTS, role)?;
    let backend = session.backend()?;
    let mut section = Section::new(format!("Texts: search_text, a role that {whose}"));
    let mut search = |writer: &mut Writer| -> Fallible<(f64, usize)> {
        let call = format!(
            "SELECT passage FROM text2sql.search_text({})",
            literal(&writer.question())
        );
        let (time, rows) = session.timed(&call)?;
        Ok((time, rows.len()))
    };
    section.number("first of a session", "ms", search(writer)?.0);
    let first = memory::of_process(backend);
    let before = memory::processor_seconds(backend);
    let (mut times, mut found) = (Vec::new(), 0);
    for _ in 0..searches {
        let (time, count) = search(writer)?;
        times.push(time);
        found += count;
    }
    section.series("later, other questions", "ms", &times);
    if let Some((after, before)) = memory::processor_seconds(backend).zip(before) {
        let each = (after - before) * 1_000.0 / searches as f64;
        section.number("later, processor, the mean", "ms", each);
    }
    section.number(
        "passages found, the mean",
        "",
        found as f64 / searches as f64,
    );
    if let (Some(first), Some(last)) = (first, memory::of_process(backend)) {
        let gained = last.anonymous.saturating_sub(first.anonymous) as f64 / 1_000.0;
        section.number("memory gained after the first", "MB", gained);
    }
    aims.push(Aim::at_most(
        &format!("search_text of a role that {whose}, p95"),
        summarise(&times).p95,
        SEARCH_MS,
        "ms",
    ));
    Ok(section)
}

/// Loads one file three ways.
fn loading(session: &mut Session, rows: usize, aims: &mut Vec<Aim>) -> Fallible<Section> {
    let mut section = Section::new(format!("A file of {rows} rows and eight columns"));
    let path = std::env::temp_dir().join(format!("text2sql_bench_{}.csv", std::process::id()));
    let text = csv(rows);
    std::fs::File::create(&path)?.write_all(text.as_bytes())?;
    let outcome = loading_file(session, rows, &path, &text, &mut section, aims);
    std::fs::remove_file(&path)?;
    outcome?;
    Ok(section)
}

fn loading_file(
    session: &mut Session,
    rows: usize,
    path: &std::path::Path,
    text: &str,
    section: &mut Section,
    aims: &mut Vec<Aim>,
) -> Fallible<()> {
    section.number("its size", "MB", text.len() as f64 / 1e6);
    session.run(
        "CREATE TABLE copied (sale_id int, shop text, sold_on date, amount numeric, quantity int, is_paid boolean, note text, sent_at timestamp)",
    )?;
    let start = std::time::Instant::now();
    session.copy(
        "COPY copied FROM STDIN (FORMAT csv, HEADER)",
        text.as_bytes(),
    )?;
    session.run("ANALYZE copied")?;
    let bare = start.elapsed().as_secs_f64();
    let each_second = |seconds: f64| rows as f64 / seconds;
    section.number("bare COPY and ANALYZE", "s", bare);
    section.number("bare COPY and ANALYZE", "rows/s", each_second(bare));
    let program = std::env::current_exe()?.with_file_name("text2sql-server");
    if program.exists() {
        let start = std::time::Instant::now();
        let target = format!("dbname={TEXTS}");
        let status = Command::new(program)
            .args([
                "load",
                "--progress",
                "--database",
                &target,
                "--table",
                "sent",
            ])
            .arg(path)
            .status()?;
        if !status.success() {
            return Err("text2sql-server load failed".into());
        }
        let seconds = start.elapsed().as_secs_f64();
        section.number("text2sql-server load", "s", seconds);
        section.number("text2sql-server load", "rows/s", each_second(seconds));
        same(session, "sent")?;
        aims.push(Aim::at_most(
            "text2sql-server load over a bare COPY",
            seconds / bare,
            LOAD_TIMES,
            "x",
        ));
    } else {
        tell("text2sql-server is not built: loading with it is NOT measured");
    }
    let read = format!("pg_read_file({})", literal(&path.display().to_string()));
    let call = format!("SELECT * FROM text2sql.load_file('public.given', {read})");
    let (time, _) = session.timed(&call)?;
    section.number("load_file", "s", time / 1_000.0);
    section.number("load_file", "rows/s", each_second(time / 1_000.0));
    same(session, "given")
}

/// An error unless a table has the rows of the one that was copied.
fn same(session: &mut Session, table: &str) -> Fallible<()> {
    let differing = session.value(&format!(
        "SELECT count(*) FROM (TABLE copied EXCEPT ALL TABLE {table}) AS d"
    ))?;
    match differing.as_str() {
        "0" => Ok(()),
        count => Err(format!("{count} rows of {table} are not those of the file").into()),
    }
}

/// A file of sales.
fn csv(rows: usize) -> String {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(41);
    let mut text = String::from("sale_id,shop,sold_on,amount,quantity,is_paid,note,sent_at\n");
    for number in 1..=rows {
        let (month, day) = (random.random_range(1..=12), random.random_range(1..=28));
        let note = match random.random_range(0..10) {
            0 => "\"said \"\"later\"\", then paid\"",
            1..4 => "",
            _ => "as agreed",
        };
        text.push_str(&format!(
            "{number},Shop {},2025-{month:02}-{day:02},{}.{:02},{},{},{note},2025-{month:02}-{day:02} {:02}:{:02}:00\n",
            random.random_range(1..=400),
            random.random_range(1..5_000),
            random.random_range(0..100),
            random.random_range(1..40),
            random.random_bool(0.9),
            random.random_range(0..24),
            random.random_range(0..60),
        ));
    }
    text
}
