//! The state of the search index, for `text2sql.status()`.

use text2sql_domain::error::Error;
use text2sql_domain::ports::Embedder;
use text2sql_domain::ports::search_index::MAX_STALE;
use text2sql_language::english::counted;
use text2sql_language::terms::Analyzer;

use super::second_report::Item;
use super::storage::FORMAT;
use super::storage::{owner, search_form};
use super::vector_set::second_embedder;
use super::{embedder, second_report};
use crate::pg::search::maintenance;
use crate::pg::server::spi::role::{EffectiveRole, with_role};
use crate::pg::server::{settings, spi};

const STATUS: &str = include_str!("../../../../sql/queries/index_status.sql");

/// The hint for an index that is missing or out of date.
const REFRESH: &str = "CALL text2sql.refresh()";

struct Row {
    has_form: bool,
    embedder: String,
    dimensions: i32,
    language: String,
    tables: i64,
    definitions: i64,
    examples: i64,
    value_columns: i64,
    stale: i64,
    done: i32,
    total: i32,
    refreshed_at: Option<String>,
    refreshed_by: Option<String>,
    is_unfinished: bool,
    has_vector_index: bool,
}

/// The lines about the index.
pub(crate) fn report() -> Result<Vec<Item>, Error> {
    let Some(owner) = owner() else {
        return Ok(none());
    };
    let mut items = index(&owner)?;
    items.extend(maintenance::report::report(&owner)?);
    Ok(items)
}

fn line(what: &str, value: String, note: Option<String>) -> Item {
    (what.to_owned(), value, note)
}

fn none() -> Vec<Item> {
    let note = match settings::enable_maintenance() {
        true => {
            "questions search the catalog itself until a background worker has built it".to_owned()
        }
        false => format!("questions search the catalog itself; for large catalogs: {REFRESH}"),
    };
    vec![line("search index", "none".to_owned(), Some(note))]
}

fn index(owner: &EffectiveRole) -> Result<Vec<Item>, Error> {
    let rows = with_role(owner, || {
        spi::read_rows(STATUS, &[FORMAT.into()], 1, read_row)
    })?;
    let Some(row) = rows.into_iter().next() else {
        return Ok(none());
    };
    if !row.has_form {
        let note = format!("it was made by another version: {REFRESH}");
        return Ok(vec![line(
            "search index",
            "not usable".to_owned(),
            Some(note),
        )]);
    }
    let mut items = vec![line(
        "search index",
        format!(
            "{}, {}, {}, values of {}",
            counted(row.tables, "table", "tables"),
            counted(row.definitions, "definition", "definitions"),
            counted(row.examples, "example", "examples"),
            counted(row.value_columns, "column", "columns")
        ),
        row.is_unfinished.then(|| {
            format!(
                "a refresh runs or was interrupted at {} of {} tables: {REFRESH} goes on",
                row.done, row.total
            )
        }),
    )];
    let last = row.refreshed_at.map(|at| match row.refreshed_by {
        Some(by) => format!("{at} by {by}"),
        None => at,
    });
    items.push(line(
        "last refresh",
        last.unwrap_or_else(|| "never completed".to_owned()),
        None,
    ));
    let note = match row.stale {
        0 => None,
        stale if stale <= MAX_STALE as i64 => {
            let remedy = match settings::enable_maintenance() {
                true => "a background worker",
                false => REFRESH,
            };
            Some(format!("questions read them live; {remedy} takes them in"))
        }
        _ => Some(format!(
            "questions read only {MAX_STALE} of them live: {REFRESH}"
        )),
    };
    items.push(line("changed tables", row.stale.to_string(), note));
    let second = second_report::report(owner, &row.language)?;
    let uses_second = with_role(owner, second_embedder)?
        .is_some_and(|second| second.is_used_beside(&row.embedder));
    let mut line = vectors(
        &row.embedder,
        row.dimensions,
        &row.language,
        row.has_vector_index,
        uses_second,
    );
    // Their number and size are shown only if there are vectors of another embedder as well.
    match second {
        None => items.push(line),
        Some(second) => {
            line.1 = format!("{}; {}", line.1, second.of_index);
            items.extend([line, second.line]);
        }
    }
    Ok(items)
}

fn vectors(
    made_by: &str,
    dimensions: i32,
    language: &str,
    has_index: bool,
    uses_second: bool,
) -> Item {
    let form = search_form(dimensions, has_index);
    let wanted = settings::embedding_model();
    let analyzer = Analyzer::new(language);
    let is_of = |embedder: Result<Box<dyn Embedder>, Error>| {
        embedder.is_ok_and(|embedder| embedder.name() == made_by)
    };
    let note = if uses_second {
        Some("this session uses those of the second embedder".to_owned())
    } else if !is_of(embedder::for_vectors(made_by, &analyzer)) {
        Some(format!(
            "text2sql.embedding_model is '{wanted}', whose vectors cannot be compared with these, so questions go without: {REFRESH}"
        ))
    } else if !is_of(embedder::for_refresh(&analyzer)) {
        Some(format!(
            "a better embedder is installed meanwhile: {REFRESH}"
        ))
    } else {
        None
    };
    let value = format!("{made_by}, {dimensions} dimensions, {form}");
    ("vectors".to_owned(), value, note)
}

fn read_row(row: &spi::Row) -> Result<Row, Error> {
    Ok(Row {
        has_form: row.read(1)?.unwrap_or_default(),
        embedder: row.read(2)?.unwrap_or_default(),
        dimensions: row.read(3)?.unwrap_or_default(),
        language: row.read(4)?.unwrap_or_default(),
        tables: row.read(5)?.unwrap_or_default(),
        definitions: row.read(6)?.unwrap_or_default(),
        examples: row.read(7)?.unwrap_or_default(),
        value_columns: row.read(8)?.unwrap_or_default(),
        stale: row.read(9)?.unwrap_or_default(),
        done: row.read(10)?.unwrap_or_default(),
        total: row.read(11)?.unwrap_or_default(),
        refreshed_at: row.read(12)?,
        refreshed_by: row.read(13)?,
        is_unfinished: row.read(14)?.unwrap_or_default(),
        has_vector_index: row.read(15)?.unwrap_or_default(),
    })
}
