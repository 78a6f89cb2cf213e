//! Readers that PostgreSQL records.

use serde::Deserialize;
use text2sql_analysis::impact::{Certainty, Class, Node, Reader};
use text2sql_domain::error::Error;

use crate::pg::Oid;
use crate::pg::access::objects::references::{Place, name_of};
use crate::pg::access::objects::{FUNCTION_CATALOG, RELATION_CATALOG};
use crate::pg::access::protection::visible::is_visible;
use crate::pg::access::query_tree::carried::{Carried, carried};
use crate::pg::server::spi;

const READERS: &str = include_str!("../../sql/queries/impact_readers.sql");

#[derive(Deserialize)]
struct Line {
    of: usize,
    kind: String,
    object: String,
    relation: u32,
    function: u32,
    next: Option<i16>,
    is_certain: bool,
    is_visible: bool,
}

/// What depends on the objects.
pub(super) fn readers(nodes: &[Node], caller: Oid) -> Result<Vec<Reader>, Error> {
    let class = |node: &Node| match node.class {
        Class::Relation => RELATION_CATALOG,
        Class::Function => FUNCTION_CATALOG,
    };
    let classes: Vec<Oid> = nodes.iter().map(class).collect();
    let numbers: Vec<i32> = nodes
        .iter()
        .map(|node| node.column.unwrap_or(0).into())
        .collect();
    let oids = spi::oid_array(nodes.iter().map(|node| node.oid));
    let arguments = [classes.into(), oids, numbers.into(), caller.into()];
    let lines: Vec<Line> = spi::read_json(READERS, &arguments)?;
    let mut readers = Vec::new();
    for line in lines {
        if let Some(node) = nodes.get(line.of) {
            readers.extend(reader(line, node));
        }
    }
    Ok(readers)
}

/// The reader; `None` for a view that reads other columns of the table.
fn reader(line: Line, of: &Node) -> Option<Reader> {
    let is_view = line.next == Some(0) && line.function == 0;
    let mut columns = Vec::new();
    let next = match (line.next, of.class, of.column) {
        (None, ..) => Vec::new(),
        (Some(0), Class::Relation, Some(column)) if is_view => {
            let Carried {
                columns: carrying,
                decides_rows,
            } = carried(line.relation.into(), of.oid.into(), column)?;
            if carrying.is_empty() && !decides_rows {
                return None;
            }
            for number in &carrying {
                let place = Place {
                    oid: line.relation.into(),
                    column_number: *number,
                };
                if is_visible(place) {
                    columns.extend(column_name(place));
                }
            }
            let node = |column| Node {
                class: Class::Relation,
                oid: line.relation,
                column,
            };
            match decides_rows {
                true => vec![node(None)],
                false => carrying
                    .into_iter()
                    .map(|number| node(Some(number)))
                    .collect(),
            }
        }
        (Some(number), ..) => vec![Node {
            class: match line.function {
                0 => Class::Relation,
                _ => Class::Function,
            },
            oid: line.function.max(line.relation),
            column: (number > 0).then_some(number),
        }],
    };
    Some(Reader {
        of: line.of,
        kind: line.kind,
        object: line.object,
        columns,
        certainty: match line.is_certain {
            true => Certainty::Certain,
            false => Certainty::Possible,
        },
        is_visible: line.is_visible,
        next,
    })
}

/// The column's own name, quoted where SQL needs it.
fn column_name(place: Place) -> Option<String> {
    let parts = text2sql_domain::object_name::split(&name_of(place)?)?;
    Some(text2sql_domain::object_name::join(&[parts.last()?]))
}
