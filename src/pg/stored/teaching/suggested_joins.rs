//! Joins that no foreign key declares, learned from statements: suggestions with evidence. A curator accepts or
//! rejects each; none is used before that.
//!
//! Statements come from `pg_stat_statements`, where it is installed, without their constants, and from the
//! examples that the caller can see.

use std::collections::HashMap;

use pgrx::check_for_interrupts;
use serde::Deserialize;
use serde_json::{Value, json};
use text2sql_domain::error::Error;
use text2sql_retrieval::joins::learned_joins::{LearnedJoin, NamedTable, learn};

use super::joins::{self, Suggested};
use crate::pg::access::objects::{catalog_stamp, search_path};
use crate::pg::server::spi;
use crate::pg::server::spi::sandbox::run_and_undo;

const FACTS: &str = include_str!("../../../../sql/queries/facts_of_joins.sql");
const STATEMENTS_SCHEMA: &str = "SELECT quote_ident(n.nspname) FROM pg_extension e
     JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_stat_statements'";
const EXAMPLES: &str = "SELECT e.sql FROM text2sql._examples e ORDER BY e.id LIMIT $1";

/// Maximum number of statements read from each source, the most frequent first.
const MAX_STATEMENTS: i64 = 10_000;

/// Maximum number of joins looked up in the catalog in one query.
const BATCH: usize = 200;

/// The evidence for a join from statements of one kind.
struct Evidence {
    origin: &'static str,
    join: LearnedJoin,
}

/// What the catalog knows about a join; `place` is its index in the request.
#[derive(Deserialize)]
struct Facts {
    place: usize,
    columns: Vec<String>,
    target_columns: Vec<String>,
    is_key: bool,
    is_target_key: bool,
    rows: f64,
    target_rows: f64,
}

/// Suggests at most `max_joins` new joins; returns them.
pub(crate) fn suggest(max_joins: i32) -> Result<Vec<Suggested>, Error> {
    let max_joins = usize::try_from(max_joins).unwrap_or(0);
    let evidence = gathered()?;
    let mut made = Vec::new();
    for some in evidence.chunks(BATCH) {
        check_for_interrupts!();
        let asked: Vec<Value> = some.iter().map(|known| sides(known)).collect();
        let arguments = [
            Value::from(asked).to_string().into(),
            spi::oid_array(search_path().into_iter()),
            catalog_stamp().into(),
        ];
        let facts: Vec<Facts> = spi::read_json(FACTS, &arguments)?;
        for fact in facts {
            if made.len() >= max_joins {
                break;
            }
            if let Some(sources) = some.get(fact.place) {
                made.extend(keep(fact, sources)?);
            }
        }
    }
    joins::suggested(made)
}

/// The evidence of each source, by join, the most frequent first.
fn gathered() -> Result<Vec<Vec<Evidence>>, Error> {
    let statements = statements()?;
    let examples = spi::read_rows(EXAMPLES, &[MAX_STATEMENTS.into()], 0, |row| {
        row.read::<String>(1)
    })?;
    let ran = learn(statements.iter().map(|(sql, calls)| (sql.as_str(), *calls)));
    let shown = learn(examples.iter().flatten().map(|sql| (sql.as_str(), 0)));
    let mut all: Vec<Vec<Evidence>> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (origin, joins) in [("statements", ran), ("examples", shown)] {
        for join in joins {
            let evidence = Evidence { origin, join };
            let place = *places
                .entry(sides_of(&evidence.join).to_string())
                .or_insert(all.len());
            match all.get_mut(place) {
                Some(known) => known.push(evidence),
                None => all.push(vec![evidence]),
            }
        }
    }
    Ok(all)
}

/// Statements counted by the server in this database, those that the caller can see.
fn statements() -> Result<Vec<(String, u64)>, Error> {
    let Some(schema) = spi::read_one::<String>(STATEMENTS_SCHEMA, &[])? else {
        return Ok(Vec::new());
    };
    let sql = format!(
        "SELECT s.query, s.calls FROM {schema}.pg_stat_statements AS s
         WHERE s.dbid = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database())
         ORDER BY s.calls DESC LIMIT $1"
    );
    // Where the library is not loaded, or the caller cannot read it, the view raises an error.
    let read = run_and_undo(
        |_| {
            spi::read_once(&sql, &[MAX_STATEMENTS.into()], |row| {
                Ok((
                    row.read::<String>(1)?.unwrap_or_default(),
                    u64::try_from(row.read::<i64>(2)?.unwrap_or_default()).unwrap_or(0),
                ))
            })
        },
        |_| None,
    );
    match read {
        Ok(statements) => statements,
        Err(error) => {
            pgrx::notice!(
                "text2sql: pg_stat_statements is not used: {}",
                error.message
            );
            Ok(Vec::new())
        }
    }
}

fn sides(sources: &[Evidence]) -> Value {
    sources
        .first()
        .map_or(Value::Null, |evidence| sides_of(&evidence.join))
}

fn sides_of(join: &LearnedJoin) -> Value {
    let side = |table: &NamedTable, columns: Vec<&String>| json!({"schema": table.schema, "table": table.table, "columns": columns});
    json!([
        side(
            &join.left,
            join.columns.iter().map(|(left, _)| left).collect()
        ),
        side(
            &join.right,
            join.columns.iter().map(|(_, right)| right).collect()
        ),
    ])
}

/// Stores a suggestion; returns its id unless another session has stored the same one.
fn keep(fact: Facts, sources: &[Evidence]) -> Result<Option<i64>, Error> {
    // The side that need not be unique references the other; if neither is unique, the larger table does.
    let is_turned = match (fact.is_key, fact.is_target_key) {
        (true, false) => true,
        (false, true) => false,
        _ => fact.target_rows > fact.rows,
    };
    let has_key = fact.is_key || fact.is_target_key;
    let (columns, targets) = match is_turned {
        true => (fact.target_columns, fact.columns),
        false => (fact.columns, fact.target_columns),
    };
    let evidence = evidence(sources, has_key, &targets);
    let origin = sources.first().map_or("statements", |first| first.origin);
    joins::suggest(&columns, &targets, &evidence, origin)
}

/// The evidence in words.
fn evidence(sources: &[Evidence], has_key: bool, targets: &[String]) -> String {
    let plural = |count: usize, one: &str, many: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    };
    let mut parts: Vec<String> = sources
        .iter()
        .map(|source| {
            let count = source.join.statements;
            match source.origin {
                "statements" => {
                    let statements = plural(count, "statement", "statements");
                    format!("{statements} that ran {} times", source.join.calls)
                }
                _ => plural(count, "example", "examples"),
            }
        })
        .collect();
    parts.push(match has_key {
        true => format!("{} is unique", targets.join(", ")),
        false => "neither side is unique".to_owned(),
    });
    let example = sources.first().map(|source| source.join.example.as_str());
    let example: Vec<&str> = example.unwrap_or_default().split_whitespace().collect();
    format!("{}: {}", parts.join("; "), example.join(" "))
}
