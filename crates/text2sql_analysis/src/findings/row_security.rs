//! Row-level security: the caller sees only some of the rows.

use super::{Basis, Check, Finding, Severity};
use text2sql_phrases::say;
use text2sql_sql::tree::{Tree, aggregates};

pub(super) fn check(tree: &Tree<'_>, found: &mut Vec<Finding>) {
    let is_summed = tree
        .blocks
        .iter()
        .any(|block| !aggregates(block.select, block.query).is_empty());
    for block in &tree.blocks {
        for table in block.sources.iter().filter_map(|source| source.table()) {
            if !table.has_row_security {
                continue;
            }
            let (severity, effect) = if is_summed {
                (Severity::Warning, say!("counts and sums are of that part"))
            } else {
                (Severity::Note, say!("rows may be missing"))
            };
            found.push(
                Finding::new(
                    Check::RowSecurity,
                    severity,
                    Basis::Proved,
                    say!("You see a part of {sql_name}: row-level security is in effect for you, so {effect}.", sql_name = table.sql_name(), effect),
                )
                .with_fix(say!("ask a role that sees every row, if the whole is needed")),
            );
        }
    }
}
