//! Readers in stored knowledge.

use serde::Deserialize;
use text2sql_analysis::impact::mentions;
use text2sql_analysis::impact::{Certainty, Class, Node, Reader};
use text2sql_domain::error::Error;

use crate::pg::access::objects::own_tables::may_read;
use crate::pg::access::objects::references::{Place, WHOLE_TABLE, name_of};
use crate::pg::server::spi;

const KNOWLEDGE: &str = include_str!("../../sql/queries/impact_knowledge.sql");
const INSTRUCTIONS: &str = "
    SELECT coalesce(json_agg(i.instruction ORDER BY i.id), '[]')::text FROM text2sql._instructions i";

#[derive(Deserialize)]
struct Line {
    of: usize,
    kind: String,
    object: String,
    next: u32,
    is_certain: bool,
}

/// Definitions, joins, examples, instructions, text indexes and models of dbt about the objects.
pub(super) fn readers(nodes: &[Node]) -> Result<Vec<Reader>, Error> {
    let tables = [
        c"_definitions",
        c"_joins",
        c"_examples",
        c"_text_sources",
        c"_instructions",
        c"_annotations",
    ];
    // The role of `text2sql.run_as` may have no privilege on the extension.
    if !tables.into_iter().all(may_read) {
        return Ok(Vec::new());
    }
    let relations: Vec<(usize, &Node)> = nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| node.class == Class::Relation)
        .collect();
    if relations.is_empty() {
        return Ok(Vec::new());
    }
    let oids = spi::oid_array(relations.iter().map(|(_, node)| node.oid));
    let number = |node: &Node| i32::from(node.column.unwrap_or(WHOLE_TABLE));
    let numbers: Vec<i32> = relations.iter().map(|(_, node)| number(node)).collect();
    let lines: Vec<Line> = spi::read_json(KNOWLEDGE, &[oids, numbers.into()])?;
    let mut readers: Vec<Reader> = lines
        .into_iter()
        .filter_map(|line| {
            let (of, node) = relations.get(line.of)?;
            Some(reader(*of, node, line))
        })
        .collect();
    readers.extend(instructions(&relations)?);
    Ok(readers)
}

fn reader(of: usize, node: &Node, line: Line) -> Reader {
    let next = (line.next != 0).then_some(Node {
        class: Class::Relation,
        oid: line.next,
        column: None,
    });
    Reader {
        of,
        kind: line.kind,
        object: line.object,
        columns: Vec::new(),
        certainty: match (line.is_certain, node.column) {
            (true, _) => Certainty::Certain,
            (false, None) => Certainty::Likely,
            // Which columns a model of dbt is built from is not known.
            (false, Some(_)) => Certainty::Possible,
        },
        is_visible: true,
        next: next.into_iter().collect(),
    }
}

/// Instructions whose text has the name of a relation in it, and that of the column where one is meant.
fn instructions(relations: &[(usize, &Node)]) -> Result<Vec<Reader>, Error> {
    let instructions: Vec<String> = spi::read_json(INSTRUCTIONS, &[])?;
    if instructions.is_empty() {
        return Ok(Vec::new());
    }
    let mut readers = Vec::new();
    for (of, node) in relations {
        let place = Place {
            oid: node.oid.into(),
            column_number: node.column.unwrap_or(WHOLE_TABLE),
        };
        let Some(parts) =
            name_of(place).and_then(|name| text2sql_domain::object_name::split(&name))
        else {
            continue;
        };
        // What a column is called may be an everyday word: its table must be named too.
        for instruction in &instructions {
            if parts
                .iter()
                .skip(1)
                .all(|part| mentions::has_word(instruction, part))
            {
                readers.push(Reader {
                    of: *of,
                    kind: "instruction".to_owned(),
                    object: instruction.clone(),
                    columns: Vec::new(),
                    certainty: Certainty::Possible,
                    is_visible: true,
                    next: Vec::new(),
                });
            }
        }
    }
    Ok(readers)
}
