//! What may be out of date: tables that were never analysed, materialised views.

use super::{Basis, Check, Finding, Severity};
use crate::schema::TableKind;
use crate::sql_tree::Tree;

pub(super) fn check(tree: &Tree<'_>, found: &mut Vec<Finding>) {
    for block in &tree.blocks {
        for table in block.sources.iter().filter_map(|source| source.table()) {
            let name = table.sql_name();
            if table.kind == TableKind::MaterializedView {
                found.push(
                    Finding::new(
                        Check::StaleView,
                        Severity::Note,
                        Basis::Proved,
                        format!(
                            "{name} is a materialised view: it shows its tables as they were at \
                             its last refresh."
                        ),
                    )
                    .with_fix(format!("REFRESH MATERIALIZED VIEW {name}")),
                );
            }
            if table.kind != TableKind::View && table.row_estimate.is_none() {
                found.push(
                    Finding::new(
                        Check::NotAnalysed,
                        Severity::Note,
                        Basis::Proved,
                        format!(
                            "{name} was never analysed: the planner and these checks guess how \
                             many rows and which values it has."
                        ),
                    )
                    .with_fix(format!("ANALYZE {name}")),
                );
            }
        }
    }
}
