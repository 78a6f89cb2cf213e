//! A table through COPY.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Instant;

use bytes::Bytes;
use futures_util::SinkExt;
use text2sql_files::{Bad, DateOrder, FileError, OnError, Plan, Read, Source, copy, quoted};
use tokio::runtime::Handle;
use tokio::task::block_in_place;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Transaction};

use super::messages::{Progress, say};
use crate::config::LoadOptions;
use crate::convert::Kind;
use crate::problem::Problem;

/// Rows that are copied in one command.
const BATCH_ROWS: usize = 50_000;
/// Bytes that are copied in one command.
const BATCH_BYTES: usize = 8 << 20;
/// Bytes of a message of COPY.
const MESSAGE_BYTES: usize = 128 << 10;
/// Maximum number of lines that are set aside: if more do not fit, the file was read in a wrong way.
const MAX_REJECTED: u64 = 1_000_000;

const NAME: &str = "SELECT pg_catalog.parse_ident($1)";

/// Rows as COPY reads them, one text for all: a million texts of their own take longer than reading the file.
#[derive(Default)]
struct Batch {
    text: String,
    /// The line of each row in the file, and where its text ends.
    rows: Vec<(u64, usize)>,
    /// The rows as the file has them, where lines that do not fit are set aside.
    raw: Vec<String>,
    /// Lines that do not fit, as the file has them.
    bad: Vec<(Bad, String)>,
    /// Bytes of the file up to the end of the batch.
    read: usize,
}

impl Batch {
    fn push(&mut self, line: u64, values: &[Option<Cow<'_, str>>], raw: Option<&str>) {
        copy::push_row(values, &mut self.text);
        self.rows.push((line, self.text.len()));
        self.raw.extend(raw.map(str::to_owned));
    }

    fn is_full(&self) -> bool {
        self.rows.len() + self.bad.len() >= BATCH_ROWS || self.text.len() >= BATCH_BYTES
    }

    /// The text of some rows.
    fn part(&self, rows: &Range<usize>) -> &str {
        let end_of = |row: usize| self.rows.get(row).map_or(0, |(_, end)| *end);
        let start = rows.start.checked_sub(1).map_or(0, end_of);
        let end = rows.end.checked_sub(1).map_or(0, end_of);
        self.text.get(start..end).unwrap_or_default()
    }
}

/// Makes a table of a file.
pub(super) async fn load(
    client: &mut Client,
    kind: Kind,
    text: &str,
    stem: &str,
    options: &LoadOptions,
) -> Result<(), Problem> {
    let begun = Instant::now();
    let style: String = client
        .query_typed_one("SELECT pg_catalog.current_setting('DateStyle')", &[])
        .await?
        .try_get(0)?;
    let order = match style.to_uppercase() {
        style if style.contains("DMY") => DateOrder::Dmy,
        style if style.contains("YMD") => DateOrder::Ymd,
        _ => DateOrder::Mdy,
    };
    let source = match kind {
        Kind::Json => Source::Json(text),
        _ => Source::Csv(text),
    };
    let plan = block_in_place(|| Plan::of(source, &options.values, order, &|| {}))
        .map_err(Problem::from)?;
    let names = Names::of(client, options, stem).await?;
    for note in &plan.notes {
        say(&format!("note: {note}"));
    }
    for column in &plan.columns {
        let notes: String = column
            .notes
            .iter()
            .map(|note| format!("  -- {note}"))
            .collect();
        say(&format!("  {} {}{notes}", column.name, column.type_name));
    }
    let mut loading = Loading {
        transaction: client.transaction().await?,
        plan: &plan,
        names,
        collects: options.values.on_error == OnError::Collect,
        rejected: Vec::new(),
        count_rejected: 0,
        rows: 0,
        progress: Progress::of(text.len(), options.progress),
    };
    loading.make().await?;
    let here = Handle::current();
    block_in_place(|| loading.fill(&here))?;
    loading.end(options.values.dry_run, begun).await
}

/// Why a file is not read to its end.
enum Stopped {
    /// The receiver has stopped; it holds the reason.
    Unwanted,
    Failed(FileError),
}

impl From<FileError> for Stopped {
    fn from(error: FileError) -> Self {
        Self::Failed(error)
    }
}

/// Reads the file and hands over its rows in batches.
fn read(plan: &Plan<'_>, collects: bool, to: &SyncSender<Batch>) -> Result<(), Stopped> {
    let mut batch = Batch::default();
    plan.rows(|read| {
        match read {
            Read::Bad { bad, raw } => {
                batch.read += raw.len() + 1;
                batch.bad.push((bad, raw.to_owned()));
            }
            Read::Row { line, values, raw } => {
                batch.read += raw.len() + 1;
                batch.push(line, values, collects.then_some(raw));
            }
        }
        // A bad line ends the loading at once, unless it is set aside.
        if batch.is_full() || !collects && !batch.bad.is_empty() {
            let read = batch.read;
            to.send(std::mem::take(&mut batch))
                .map_err(|_| Stopped::Unwanted)?;
            batch.read = read;
        }
        Ok::<(), Stopped>(())
    })?;
    to.send(batch).map_err(|_| Stopped::Unwanted)
}

/// The names of the two tables, as SQL writes them.
struct Names {
    table: String,
    rejected: String,
}

impl Names {
    async fn of(client: &Client, options: &LoadOptions, stem: &str) -> Result<Self, Problem> {
        let parts = match &options.table {
            Some(name) => parsed(client, name).await?,
            None => vec![text2sql_files::clean_name(stem)],
        };
        let rejected = match &options.values.rejected_table {
            Some(name) => parsed(client, name).await?,
            None => {
                let mut parts = parts.clone();
                if let Some(last) = parts.last_mut() {
                    last.truncate(last.floor_char_boundary(54));
                    last.push_str("_rejected");
                }
                parts
            }
        };
        let written = |parts: Vec<String>| {
            parts
                .iter()
                .map(|part| quoted(part))
                .collect::<Vec<_>>()
                .join(".")
        };
        Ok(Self {
            table: written(parts),
            rejected: written(rejected),
        })
    }
}

async fn parsed(client: &Client, name: &str) -> Result<Vec<String>, Problem> {
    let row = client.query_typed_one(NAME, &[(&name, Type::TEXT)]).await?;
    let parts: Vec<String> = row.try_get(0)?;
    match parts.iter().all(|part| part.len() <= 63) && parts.len() <= 2 {
        true => Ok(parts),
        false => Err(Problem::bad_request(format!(
            "\"{name}\" is not a valid name of a table"
        ))),
    }
}

struct Loading<'c, 'p> {
    transaction: Transaction<'c>,
    plan: &'p Plan<'p>,
    names: Names,
    collects: bool,
    rejected: Vec<String>,
    count_rejected: u64,
    rows: u64,
    progress: Progress,
}

impl Loading<'_, '_> {
    /// Copies the rows of the file, which a thread of its own reads meanwhile, at most two batches ahead.
    fn fill(&mut self, here: &Handle) -> Result<(), Problem> {
        let (plan, collects) = (self.plan, self.collects);
        let (to, batches) = sync_channel::<Batch>(1);
        std::thread::scope(|scope| {
            let reader = scope.spawn(move || read(plan, collects, &to));
            let mut copied = Ok(());
            for batch in &batches {
                copied = here.block_on(self.copy_batch(&batch));
                if copied.is_err() {
                    break;
                }
            }
            // A reader that waits learns that nobody wants more.
            drop(batches);
            let read = reader.join();
            copied?;
            match read {
                Ok(Ok(()) | Err(Stopped::Unwanted)) => Ok(()),
                Ok(Err(Stopped::Failed(error))) => Err(error.into()),
                Err(_) => Err(Problem::bad_request("the file could not be read")),
            }
        })
    }

    async fn make(&self) -> Result<(), Problem> {
        let table = &self.names.table;
        let columns: Vec<String> = self
            .plan
            .columns
            .iter()
            .map(|column| format!("{} {}", quoted(&column.name), column.type_name))
            .collect();
        self.transaction
            .batch_execute(&format!("CREATE TABLE {table} ({})", columns.join(", ")))
            .await?;
        for column in &self.plan.columns {
            let Some(comment) = column.comment().filter(|comment| *comment != column.name) else {
                continue;
            };
            let literal = self.literal(&comment).await?;
            let column = quoted(&column.name);
            self.transaction
                .batch_execute(&format!("COMMENT ON COLUMN {table}.{column} IS {literal}"))
                .await?;
        }
        Ok(())
    }

    async fn literal(&self, text: &str) -> Result<String, Problem> {
        let row = self
            .transaction
            .query_typed_one(
                "SELECT pg_catalog.quote_literal($1)",
                &[(&text, Type::TEXT)],
            )
            .await?;
        Ok(row.try_get(0)?)
    }

    fn set_aside(&mut self, bad: &Bad, raw: &str) -> Result<(), Problem> {
        if !self.collects {
            return Err(self.plan.refused(bad).into());
        }
        self.count_rejected += 1;
        if self.count_rejected > MAX_REJECTED {
            return Err(Problem::bad_request(format!(
                "more than {MAX_REJECTED} lines do not fit"
            )));
        }
        let column = bad.column.and_then(|column| self.plan.columns.get(column));
        let mut row = String::new();
        copy::push_row(
            &[
                Some(bad.line.to_string().into()),
                column.map(|column| column.name.as_str().into()),
                Some(bad.reason.as_str().into()),
                Some(raw.replace('\0', "\u{fffd}").into()),
            ],
            &mut row,
        );
        self.rejected.push(row);
        Ok(())
    }

    /// Copies the rows of a batch. Where the server does not take them all, the row is found by halves.
    async fn copy_batch(&mut self, batch: &Batch) -> Result<(), Problem> {
        let mut left = Vec::new();
        left.push(0..batch.rows.len());
        while let Some(rows) = left.pop() {
            if rows.is_empty() {
                continue;
            }
            let Err(error) = self.copy(batch.part(&rows)).await else {
                self.rows += rows.len() as u64;
                continue;
            };
            // About a value, or a row that is too big. Everything else would not go away.
            let code = error.code().map_or("", |code| code.code());
            if !["22", "23", "54000"]
                .iter()
                .any(|about| code.starts_with(about))
            {
                return Err(error.into());
            }
            if rows.len() > 1 {
                let middle = rows.start + rows.len() / 2;
                left.push(middle..rows.end);
                left.push(rows.start..middle);
                continue;
            }
            let column = self.column_of(batch.part(&rows)).await?;
            let reason = match code {
                "54000" => "the row is too big for a table".to_owned(),
                code => format!("the value is not of its type (SQLSTATE {code})"),
            };
            let bad = Bad {
                line: batch.rows.get(rows.start).map_or(0, |(line, _)| *line),
                column,
                reason,
            };
            let raw = batch.raw.get(rows.start).map_or("", String::as_str);
            self.set_aside(&bad, raw)?;
        }
        for (bad, raw) in &batch.bad {
            self.set_aside(bad, raw)?;
        }
        self.progress.show(self.rows, batch.read);
        Ok(())
    }

    async fn copy(&mut self, rows: &str) -> Result<(), tokio_postgres::Error> {
        let savepoint = self.transaction.savepoint("batch").await?;
        copy_in(&savepoint, &self.names.table, rows).await?;
        savepoint.commit().await
    }

    /// Which column of a row the server does not take.
    async fn column_of(&mut self, row: &str) -> Result<Option<usize>, Problem> {
        for (place, value) in row.trim_end_matches('\n').split('\t').enumerate() {
            let Some(column) = self.plan.columns.get(place) else {
                break;
            };
            let savepoint = self.transaction.savepoint("value").await?;
            let table = &self.names.table;
            let name = quoted(&column.name);
            let one = format!("{table} ({name})");
            let outcome = copy_in(&savepoint, &one, &format!("{value}\n")).await;
            drop(savepoint);
            if outcome.is_err() {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    async fn end(self, is_dry: bool, begun: Instant) -> Result<(), Problem> {
        self.progress.end();
        let Self {
            transaction,
            names: Names { table, rejected },
            rows,
            count_rejected,
            ..
        } = self;
        if count_rejected > 0 {
            transaction
                .batch_execute(&format!(
                    "CREATE TABLE {rejected} (line bigint, column_name text, reason text, content text)"
                ))
                .await?;
            copy_in(&transaction, &rejected, &self.rejected.concat()).await?;
        }
        if is_dry {
            transaction.rollback().await?;
            say(&format!(
                "{rows} rows would be loaded into {table}, {count_rejected} set aside"
            ));
            return Ok(());
        }
        transaction
            .batch_execute(&format!("ANALYZE {table}"))
            .await?;
        transaction.commit().await?;
        let seconds = begun.elapsed().as_secs_f64();
        say(&format!("{rows} rows in {table} ({seconds:.1} s)"));
        if count_rejected > 0 {
            say(&format!("{count_rejected} lines set aside in {rejected}"));
        }
        Ok(())
    }
}

/// Copies rows into a table, or some of its columns.
async fn copy_in(
    transaction: &Transaction<'_>,
    into: &str,
    rows: &str,
) -> Result<(), tokio_postgres::Error> {
    let sink = transaction
        .copy_in::<_, Bytes>(&format!("COPY {into} FROM STDIN"))
        .await?;
    let mut sink = std::pin::pin!(sink);
    for piece in rows.as_bytes().chunks(MESSAGE_BYTES) {
        sink.send(Bytes::copy_from_slice(piece)).await?;
    }
    sink.finish().await.map(|_| ())
}
