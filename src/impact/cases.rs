//! Cases of suites whose gold statements name an object. Read as the caller, to whom row-level security shows those that
//! it could run.

use serde::Deserialize;
use text2sql_analysis::impact::mentions;
use text2sql_analysis::impact::{Node, Reader};
use text2sql_domain::error::Error;

use super::bodies::{Names, target, words};
use crate::pg::server::spi;

const CASES: &str = include_str!("../../sql/queries/impact_cases.sql");
const MAY_READ_CASES: &str = "
    SELECT coalesce(has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT'), false)
    FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid
    WHERE n.nspname = 'text2sql_eval' AND c.relname = 'cases'";

#[derive(Deserialize)]
struct Case {
    object: String,
    gold: Vec<String>,
}

/// The cases that name the objects, which have these names.
pub(super) fn readers(nodes: &[Node], names: &[Option<Names>]) -> Result<Vec<Reader>, Error> {
    if !spi::read_one(MAY_READ_CASES, &[])?.unwrap_or(false) {
        return Ok(Vec::new());
    }
    let cases: Vec<Case> = spi::read_json(CASES, &[words(names).into()])?;
    let mut readers = Vec::new();
    for (of, (node, names)) in nodes.iter().zip(names).enumerate() {
        let Some(names) = names else {
            continue;
        };
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
