//! Readers that are texts: functions whose bodies PostgreSQL does not analyse.

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

/// What an object is called.
#[derive(Deserialize)]
pub(super) struct Names {
    schema: String,
    name: String,
    column: Option<String>,
    pub(super) is_on_path: bool,
}

/// The names to look for in texts, in lower case.
pub(super) fn words(names: &[Option<Names>]) -> Vec<String> {
    let mut wanted: Vec<String> = names
        .iter()
        .flatten()
        .map(|names| names.name.to_lowercase())
        .collect();
    wanted.sort_unstable();
    wanted.dedup();
    wanted
}

/// The functions whose texts name the objects, which have these names.
pub(super) fn readers(
    nodes: &[Node],
    names: &[Option<Names>],
    caller: Oid,
) -> Result<Vec<Reader>, Error> {
    // Only what names the column is concerned where a single one is meant.
    let with_triggers = nodes
        .iter()
        .filter(|node| node.class == Class::Relation && node.column.is_some())
        .map(|node| node.oid);
    let arguments = [
        words(names).into(),
        caller.into(),
        spi::oid_array(with_triggers),
    ];
    let bodies: Vec<Body> = spi::read_json(BODIES, &arguments)?;
    let mut readers = Vec::new();
    for (of, (node, names)) in nodes.iter().zip(names).enumerate() {
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

/// What to look for in a text.
pub(super) fn target<'a>(names: &'a Names, node: &Node, is_on_path: bool) -> Target<'a> {
    Target {
        schema: &names.schema,
        name: &names.name,
        is_function: node.class == Class::Function,
        column: names.column.as_deref(),
        is_on_path,
    }
}

/// The names of the objects; `None` for one that was dropped meanwhile.
pub(super) fn names(nodes: &[Node]) -> Result<Vec<Option<Names>>, Error> {
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
