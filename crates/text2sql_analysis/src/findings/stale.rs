//! Data that may be out of date: tables that were never analysed, materialised views.

use super::{Check, Finding, Probe, Severity, Verdict};
use text2sql_domain::schema::TableKind;
use text2sql_phrases::say;
use text2sql_sql::tree::Tree;

pub(super) fn check(tree: &Tree<'_>, found: &mut Vec<Finding>) {
    for block in &tree.blocks {
        for table in block.sources.iter().filter_map(|source| source.table()) {
            let name = table.sql_name();
            if table.kind == TableKind::MaterializedView {
                found.push(
                    Check::StaleView
                        .note(say!(
                            "{name} is a materialised view: it shows its tables as they were at \
                             its last refresh.",
                            name
                        ))
                        .with_fix(format!("REFRESH MATERIALIZED VIEW {name}")),
                );
            }
            if table.kind != TableKind::View && table.row_estimate.is_none() {
                found.push(
                    Check::NotAnalysed
                        .note(say!(
                            "{name} was never analysed: the planner and these checks guess how \
                             many rows and which values it has.",
                            name
                        ))
                        .with_fix(format!("ANALYZE {name}")),
                );
            }
        }
    }
}

/// Checks on the data whether a materialised view is out of date: `view` is its SQL name,
/// `definition` its query.
pub fn compare_view(findings: &mut [Finding], view: &str, definition: &str) {
    let definition = definition.trim().trim_end_matches(';');
    let start = say!("{view} is a materialised view:", view);
    for finding in findings {
        if finding.check != Check::StaleView || !finding.evidence.starts_with(&start) {
            continue;
        }
        finding.probe = Some(Probe::Rows {
            sql: format!(
                "SELECT 1 FROM ((SELECT * FROM {view} EXCEPT ALL ({definition})) UNION ALL \
                 (({definition}) EXCEPT ALL SELECT * FROM {view})) AS difference LIMIT 1"
            ),
            found: Verdict {
                severity: Severity::Warning,
                evidence: say!(
                    "{view} is out of date: its query gives other rows now than at its last refresh.",
                    view
                ),
            },
            none: Some(Verdict {
                severity: Severity::Note,
                evidence: say!(
                    "{view} is a materialised view; at this moment it holds what its query gives.",
                    view
                ),
            }),
        });
    }
}
