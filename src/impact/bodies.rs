//! Readers that are texts: functions whose bodies PostgreSQL does not analyse, and gold statements of suites.

use serde::Deserialize;
use text2sql_analysis::impact::mentions::{self, Target};
use text2sql_analysis::impact::{Certainty, Class, Node, Reader};
use text2sql_domain::error::Error;
use text2sql_domain::object_name;

use crate::pg::Oid;
use crate::pg::access::objects;
use crate::pg::server::spi;

const BODIES: &str = include_str!("../../sql/queries/impact_bodies.sql");
const NAMES: &str = include_str!("../../sql/queries/impact_names.sql");
const CASES: &str = include_str!("../../sql/queries/impact_cases.sql");
const MAY_READ_CASES: &str = "
    SELECT coalesce(has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT'), false)
    FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid
    WHERE n.nspname = 'text2sql_eval' AND c.relname = 'cases'";

#[derive(Deserialize)]
struct Body {
    function: u32,
    object: String,
    kind: String,
    language: String,
    body: String,
    path: Option<String>,
    triggers: Vec<u32>,
    is_visible: bool,
}

#[derive(Deserialize)]
struct Names {
    schema: String,
    name: String,
    column: Option<String>,
    is_on_path: bool,
}

#[derive(Deserialize)]
struct Case {
    object: String,
    gold: Vec<String>,
}

/// The texts that name the objects.
pub(super) fn readers(nodes: &[Node], caller: Oid) -> Result<Vec<Reader>, Error> {
    let names = names(nodes)?;
    let mut wanted: Vec<String> = names
        .iter()
        .flatten()
        .map(|names| names.name.to_lowercase())
        .collect();
    wanted.sort_unstable();
    wanted.dedup();
    // Only what names the column is concerned where a single one is meant.
    let with_triggers = nodes
        .iter()
        .filter(|node| node.class == Class::Relation && node.column.is_some())
        .map(|node| node.oid);
    let arguments = [
        wanted.clone().into(),
        caller.into(),
        spi::oid_array(with_triggers),
    ];
    let bodies: Vec<Body> = spi::read_json(BODIES, &arguments)?;
    let cases: Vec<Case> = match spi::read_one(MAY_READ_CASES, &[])?.unwrap_or(false) {
        true => spi::read_json(CASES, &[wanted.into()])?,
        false => Vec::new(),
    };
    let mut readers = Vec::new();
    for (of, (node, names)) in nodes.iter().zip(&names).enumerate() {
        let Some(names) = names else {
            continue;
        };
        for body in &bodies {
            if node.class == Class::Function && node.oid == body.function {
                continue;
            }
            let Some(certainty) = certainty(body, node, names)? else {
                continue;
            };
            readers.push(Reader {
                of,
                kind: body.kind.clone(),
                object: body.object.clone(),
                columns: Vec::new(),
                certainty,
                is_visible: body.is_visible,
                next: vec![Node {
                    class: Class::Function,
                    oid: body.function,
                    column: None,
                }],
            });
        }
        for case in &cases {
            let target = target(names, node, names.is_on_path);
            let mut best = None;
            for gold in &case.gold {
                best = best.max(mentions::in_sql(gold, &target)?);
            }
            readers.extend(best.map(|certainty| Reader {
                of,
                kind: "suite case".to_owned(),
                object: case.object.clone(),
                columns: Vec::new(),
                certainty,
                is_visible: true,
                next: Vec::new(),
            }));
        }
    }
    Ok(readers)
}

fn certainty(body: &Body, node: &Node, names: &Names) -> Result<Option<Certainty>, Error> {
    if let Some(column) = &names.column
        && body.triggers.contains(&node.oid)
        && let Some(certainty) = mentions::of_trigger_row(&body.body, column)?
    {
        return Ok(Some(certainty));
    }
    let is_on_path = match &body.path {
        Some(path) => path.split(',').any(|schema| {
            object_name::split(schema.trim()).is_some_and(|parts| parts == [names.schema.as_str()])
        }),
        None => names.is_on_path,
    };
    let target = target(names, node, is_on_path);
    match body.language.as_str() {
        "sql" | "plpgsql" => mentions::in_sql(&body.body, &target),
        _ => Ok(mentions::in_words(&body.body, &target)),
    }
}

fn target<'a>(names: &'a Names, node: &Node, is_on_path: bool) -> Target<'a> {
    Target {
        schema: &names.schema,
        name: &names.name,
        is_function: node.class == Class::Function,
        column: names.column.as_deref(),
        is_on_path,
    }
}

/// The names of the objects; `None` for one that was dropped meanwhile.
fn names(nodes: &[Node]) -> Result<Vec<Option<Names>>, Error> {
    let path: Vec<Oid> = objects::search_path().into_iter().map(Oid::from).collect();
    let is_function: Vec<bool> = nodes
        .iter()
        .map(|node| node.class == Class::Function)
        .collect();
    let numbers: Vec<i32> = nodes
        .iter()
        .map(|node| node.column.unwrap_or(0).into())
        .collect();
    let oids = spi::oid_array(nodes.iter().map(|node| node.oid));
    spi::read_json(
        NAMES,
        &[is_function.into(), oids, numbers.into(), path.into()],
    )
}
