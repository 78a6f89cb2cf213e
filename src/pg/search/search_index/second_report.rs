//! The second embedder, for `text2sql.status()`.

use text2sql_domain::config::TextEgress;
use text2sql_domain::error::Error;
use text2sql_domain::ports::Embedder;
use text2sql_domain::schema::quote_literal;
use text2sql_language::english::counted;
use text2sql_language::terms::Analyzer;

use super::embedder::{self, build_vectors};
use super::storage::search_form;
use super::vector_set::second_embedder;
use crate::pg::server::settings;
use crate::pg::server::spi;
use crate::pg::server::spi::role::{EffectiveRole, with_role};

const STATUS: &str = include_str!("../../../../sql/queries/second_status.sql");

/// One line of the status: item, value, hint.
pub(super) type Item = (String, String, Option<String>);

/// Which vectors there are.
pub(super) struct Report {
    /// How many vectors the index has, and their size.
    pub(super) of_index: String,
    /// The line of the second embedder.
    pub(super) line: Item,
}

struct Row {
    model: String,
    embedder: String,
    dimensions: i32,
    is_built: bool,
    has_index: bool,
    of_index: (i64, String),
    of_second: (i64, String),
    waiting: [i64; 5],
}

/// The second embedder; `None` if there is none.
pub(super) fn report(owner: &EffectiveRole, language: &str) -> Result<Option<Report>, Error> {
    let Some(stored) = with_role(owner, second_embedder)? else {
        return Ok(None);
    };
    let made = embedder::named(&stored.model, &Analyzer::new(language));
    // What is never sent to an endpoint does not wait for it.
    let is = |fact: fn(&dyn Embedder) -> bool| made.as_deref().is_ok_and(fact).into();
    let arguments = [
        is(|made| made.knows_meaning()),
        is(|made| made.endpoint().is_none()),
        is(|made| made.endpoint().is_none() || made.text_egress() == TextEgress::Passages),
        is(|made| made.endpoint().is_none()),
    ];
    let rows = with_role(owner, || spi::read_rows(STATUS, &arguments, 1, read_row))?;
    let Some(row) = rows.into_iter().next() else {
        return Ok(None);
    };
    let note = match &made {
        Err(error) => format!("not usable: {}", error.message()),
        Ok(made) if made.name() != row.embedder => format!(
            "not usable: it makes other vectors now; {}",
            build_vectors(&row.model)
        ),
        Ok(made) => note(&row, made.endpoint().is_some()),
    };
    let value = format!(
        "{}: {}, {} dimensions, {}; {}",
        row.model,
        row.embedder,
        row.dimensions,
        search_form(row.dimensions, row.has_index),
        size(&row.of_second)
    );
    Ok(Some(Report {
        of_index: size(&row.of_index),
        line: ("second embedder".to_owned(), value, Some(note)),
    }))
}

fn size((count, size): &(i64, String)) -> String {
    format!("{}, {size}", counted(*count, "vector", "vectors"))
}

/// Which sessions use it, or what is missing.
fn note(row: &Row, is_of_endpoint: bool) -> String {
    if !row.is_built {
        return format!(
            "used by no session yet: it is being built, or was interrupted; {} goes on",
            build_vectors(&row.model)
        );
    }
    let name = quote_literal(&row.model);
    let used = format!(
        "used by sessions with text2sql.embedding_model = {name}; SELECT text2sql.forget('vectors', {name}) removes it"
    );
    let [tables, definitions, examples, words, passages] = row.waiting;
    let waiting: Vec<String> = [
        (tables, "table", "tables"),
        (definitions, "definition", "definitions"),
        (examples, "example", "examples"),
        (words, "word", "words"),
        (passages, "passage", "passages"),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .map(|(count, one, many)| counted(count, one, many))
    .collect();
    if waiting.is_empty() {
        return used;
    }
    let remedy = match settings::enable_maintenance() && !is_of_endpoint {
        true => "a background worker makes them".to_owned(),
        false => build_vectors(&row.model),
    };
    format!(
        "{} without its vectors, found by words alone: {remedy}; {used}",
        waiting.join(", ")
    )
}

fn read_row(row: &spi::Row) -> Result<Row, Error> {
    let size = |column| {
        Ok::<_, Error>((
            row.read::<i64>(column)?.unwrap_or_default(),
            row.read::<String>(column + 1)?.unwrap_or_default(),
        ))
    };
    let mut waiting = [0; 5];
    for (count, column) in waiting.iter_mut().zip(10..) {
        *count = row.read(column)?.unwrap_or_default();
    }
    Ok(Row {
        model: row.read(1)?.unwrap_or_default(),
        embedder: row.read(2)?.unwrap_or_default(),
        dimensions: row.read(3)?.unwrap_or_default(),
        is_built: row.read(4)?.unwrap_or_default(),
        has_index: row.read(5)?.unwrap_or_default(),
        of_index: size(6)?,
        of_second: size(8)?,
        waiting,
    })
}
