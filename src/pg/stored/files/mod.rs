//! Texts of files become tables. What the text means is decided by `text2sql_files`; here the types are proved by the
//! server's own casts, and the table is made as the caller.

mod batch;
mod column_type;
mod progress;
mod proof;
mod refusal;
mod rejected;
mod target;

use std::panic::AssertUnwindSafe;

use pgrx::{PgSqlErrorCode, PgTryBuilder, check_for_interrupts, pg_sys};
use text2sql_files::{Bad, DateOrder, FileError, Options, Plan, Read, Source, quoted};

use crate::pg::server::error::ErrorReport;
use crate::pg::server::spi;
use crate::pg::stored::files::batch::{Batch, BatchOf};
use crate::pg::stored::files::progress::Progress;
use crate::pg::stored::files::refusal::{BadLines, Refused, raised, too_big};
use crate::pg::stored::files::rejected::Rejected;
use crate::pg::stored::files::target::Target;

/// Columns beyond which a row may be too big for a table, in which a value takes up to 24 bytes, and how many rows are
/// inserted together then: the lines of all of them are what the error can name.
const MANY_COLUMNS: usize = 300;
const MAX_ROWS_OF_MANY_COLUMNS: usize = 20;

/// What became of a file.
pub(crate) struct Loaded {
    pub(crate) table: String,
    pub(crate) rows: i64,
    pub(crate) rejected: i64,
    pub(crate) columns: Vec<LoadedColumn>,
}

/// A row of the functions that load: table, rows, rejected lines, and a column with its type, its name in the file and
/// a note.
pub(crate) type LoadedRow = (
    String,
    i64,
    i64,
    String,
    String,
    Option<String>,
    Option<String>,
);

impl Loaded {
    /// A row for each column.
    pub(crate) fn rows(self) -> impl Iterator<Item = LoadedRow> {
        let Self {
            table,
            rows,
            rejected,
            columns,
        } = self;
        columns.into_iter().map(move |column| {
            (
                table.clone(),
                rows,
                rejected,
                column.name,
                column.type_name,
                column.original,
                column.note,
            )
        })
    }
}

/// A column of the table.
pub(crate) struct LoadedColumn {
    pub(crate) name: String,
    pub(crate) type_name: String,
    pub(crate) original: Option<String>,
    pub(crate) note: Option<String>,
}

/// Makes a table of a file.
pub(crate) fn load(
    name: Option<&str>,
    text: Option<&str>,
    options: Option<&serde_json::Value>,
) -> Result<Loaded, ErrorReport> {
    loaded(name, text, options).map_err(|refused| refused.report())
}

fn loaded(
    name: Option<&str>,
    text: Option<&str>,
    options: Option<&serde_json::Value>,
) -> Result<Loaded, Refused> {
    let options = match options {
        Some(options) => Options::read(options)
            .map_err(|error| raised(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, error))?,
        None => Options::default(),
    };
    let Some(text) = text else {
        let error = FileError::new("text must not be null");
        return Err(raised(PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED, error).into());
    };
    let source = Source::of(text, options.format);
    let target = Target::read(name, &options)?;
    if !options.dry_run {
        target.check()?;
    }
    let mut plan = Plan::of(source, &options, date_order(), &|| {
        check_for_interrupts!();
    })?;
    let bad_lines = proof::prove(&mut plan, &options)?;
    let mut rejected = Rejected::new(&target, &options)?;
    let mut rows = 0_i64;
    if options.dry_run {
        plan.rows(|read| {
            match sorted(read, &bad_lines) {
                Ok(_) => rows += 1,
                Err((bad, raw)) => rejected.add(&plan, &bad, raw)?,
            }
            Ok::<(), Refused>(())
        })?;
    } else {
        make(&target, &plan)?;
        rows = fill(&target, &plan, &bad_lines, &mut rejected)?;
        rejected.keep()?;
        spi::define(&format!("ANALYZE {}", target.sql_name()))?;
        target.note()?;
    }
    for note in &plan.notes {
        pgrx::notice!("text2sql: {note}");
    }
    if rejected.count() > 0 && !options.dry_run {
        pgrx::warning!(
            "text2sql: {} lines are in {}",
            rejected.count(),
            rejected.sql_name()
        );
    }
    let columns = plan.columns.into_iter().map(|column| LoadedColumn {
        name: column.name,
        type_name: column.type_name,
        original: column.original,
        note: (!column.notes.is_empty()).then(|| column.notes.join("; ")),
    });
    Ok(Loaded {
        table: target.sql_name(),
        rows,
        rejected: rejected.count(),
        columns: columns.collect(),
    })
}

/// A row with its line, or why it does not fit: the server's own reasons included.
fn sorted<'r>(read: Read<'r>, bad_lines: &BadLines) -> Result<BatchOf<'r>, (Bad, &'r str)> {
    match read {
        Read::Bad { bad, raw } => Err((bad, raw)),
        Read::Row { line, values, raw } => match bad_lines.get(&line) {
            Some(bad) => Err((bad.clone(), raw)),
            None => Ok(BatchOf { line, values }),
        },
    }
}

fn make(target: &Target, plan: &Plan<'_>) -> Result<(), Refused> {
    let columns: Vec<String> = plan
        .columns
        .iter()
        .map(|column| {
            format!(
                "{} {}",
                quoted(&column.name),
                column_type::in_statement(column)
            )
        })
        .collect();
    let (create, name) = (target.create(), target.sql_name());
    spi::define(&format!("{create} {name} ({})", columns.join(", ")))?;
    for column in &plan.columns {
        check_for_interrupts!();
        let Some(comment) = column.comment().filter(|comment| *comment != column.name) else {
            continue;
        };
        spi::define(&format!(
            "COMMENT ON COLUMN {name}.{} IS {}",
            quoted(&column.name),
            text2sql_domain::schema::quote_literal(&comment)
        ))?;
    }
    Ok(())
}

/// Inserts the rows; returns how many.
fn fill(
    target: &Target,
    plan: &Plan<'_>,
    bad_lines: &BadLines,
    rejected: &mut Rejected,
) -> Result<i64, Refused> {
    let names: Vec<String> = plan
        .columns
        .iter()
        .map(|column| quoted(&column.name))
        .collect();
    let casts: Vec<String> = plan
        .columns
        .iter()
        .enumerate()
        .map(|(place, column)| format!("v.c{place}::{}", column_type::in_statement(column)))
        .collect();
    let arguments: Vec<String> = (1..=plan.columns.len())
        .map(|number| format!("pg_catalog.unnest(${number})"))
        .collect();
    let aliases: Vec<String> = (0..plan.columns.len())
        .map(|place| format!("c{place}"))
        .collect();
    let insert = format!(
        "INSERT INTO {} ({}) SELECT {} FROM ROWS FROM ({}) AS v({})",
        target.sql_name(),
        names.join(", "),
        casts.join(", "),
        arguments.join(", "),
        aliases.join(", ")
    );
    let mut rows = 0_i64;
    let mut progress = Progress::begin();
    let mut batch = Batch::new(plan.columns.len());
    let mut lines = None;
    let most = match plan.columns.len() > MANY_COLUMNS {
        true => MAX_ROWS_OF_MANY_COLUMNS,
        false => usize::MAX,
    };
    plan.rows(|read| {
        match sorted(read, bad_lines) {
            Ok(row) => {
                rows += 1;
                batch.push(row.values);
                let (_, last) = lines.get_or_insert((row.line, row.line));
                *last = row.line;
                if batch.is_full() || batch.rows() >= most {
                    run_naming(&mut batch, &insert, lines.take())?;
                    progress.show(rows);
                }
            }
            Err((bad, raw)) => rejected.add(plan, &bad, raw)?,
        }
        Ok::<(), Refused>(())
    })?;
    run_naming(&mut batch, &insert, lines)?;
    Ok(rows)
}

/// Inserts a batch. The server does not say which row is too big for a table: the error has the lines of the batch.
fn run_naming(batch: &mut Batch, insert: &str, lines: Option<(u64, u64)>) -> Result<(), Refused> {
    PgTryBuilder::new(AssertUnwindSafe(|| {
        batch.run(insert).map_err(Refused::from)
    }))
    .catch_when(
        PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
        |caught| match lines {
            Some(lines) => Err(too_big(&caught, lines)),
            None => caught.rethrow(),
        },
    )
    .execute()
}

/// In which order the session writes a date with slashes.
fn date_order() -> DateOrder {
    // SAFETY: a variable of the session.
    match unsafe { pg_sys::DateOrder }.cast_unsigned() {
        pg_sys::DATEORDER_DMY => DateOrder::Dmy,
        pg_sys::DATEORDER_YMD => DateOrder::Ymd,
        _ => DateOrder::Mdy,
    }
}
