//! Statistics that would improve the planner's estimates: ANALYZE, and extended statistics on
//! dependent columns.

use super::{Planner, Proposal, ProposalKind, Storage};
use crate::findings::Effort;
use text2sql_domain::error::Error;
use text2sql_domain::ports::{Database, Outcome};
use text2sql_domain::schema::{TableKind, quote_identifier};
use text2sql_sql::tree::Tree;
use text2sql_sql::tree::syntax::without_parentheses;

/// Statistics are outdated if a larger fraction of the rows has changed.
const MUCH_CHANGED: f64 = 0.2;

/// Minimum factor of a wrong estimate for proposing statistics.
const FAR_OFF: f64 = 5.0;

/// Minimum number of rows for proposing statistics.
const FEW_ROWS: f64 = 100.0;

pub(super) fn proposals(
    tree: &Tree<'_>,
    storage: &[Storage],
    planner: &dyn Planner,
    database: &dyn Database,
    effort: &Effort,
) -> Result<Vec<Proposal>, Error> {
    let mut found = Vec::new();
    let mut seen: Vec<u32> = Vec::new();
    for (position, block) in tree.blocks.iter().enumerate() {
        for (number, source) in block.sources.iter().enumerate() {
            let Some(table) = source.table() else {
                continue;
            };
            if table.kind == TableKind::View || seen.contains(&table.oid) {
                continue;
            }
            seen.push(table.oid);
            let name = table.sql_name();
            let own = storage.iter().find(|own| own.table == table.oid);
            match table.row_estimate {
                None => {
                    let mut proposal = Proposal::new(
                        ProposalKind::Statistics,
                        format!(
                            "{name} was never analysed: the planner guesses its size and values."
                        ),
                    );
                    proposal.sql = Some(format!("ANALYZE {name}"));
                    found.push(proposal);
                    continue;
                }
                Some(rows) => {
                    let changed = own.map_or(0.0, |own| own.changed_rows);
                    if changed > FEW_ROWS && changed > rows * MUCH_CHANGED {
                        let mut proposal = Proposal::new(
                            ProposalKind::Statistics,
                            format!(
                                "{changed:.0} rows of {name} changed since its statistics were made \
                                 from {rows:.0}."
                            ),
                        );
                        proposal.sql = Some(format!("ANALYZE {name}"));
                        found.push(proposal);
                    }
                }
            }
            let columns = equal_columns(tree, position, number);
            let is_known = own.is_some_and(|own| {
                own.statistics
                    .iter()
                    .any(|known| columns.iter().all(|column| known.contains(column)))
            });
            if columns.len() >= 2 && !is_known {
                found.extend(dependent(
                    tree, position, number, &columns, planner, database, effort,
                )?);
            }
        }
    }
    Ok(found)
}

/// Columns that WHERE compares with constants by `=`, in table order.
fn equal_columns(tree: &Tree<'_>, block: usize, source: usize) -> Vec<String> {
    let mut columns: Vec<String> = constant_filters(tree, block, source)
        .into_iter()
        .map(|(column, _)| column)
        .collect();
    columns.sort();
    columns.dedup();
    columns
}

/// Column and condition of each filter `column = constant` of a source.
fn constant_filters(tree: &Tree<'_>, block: usize, source: usize) -> Vec<(String, String)> {
    use sqlparser::ast::{BinaryOperator, Expr};
    let Some(here) = tree.block(block) else {
        return Vec::new();
    };
    let own = |expression: &Expr| {
        tree.resolve(block, expression)
            .filter(|reference| reference.block == block && reference.source == source)
            .map(|reference| reference.column)
    };
    here.filters()
        .into_iter()
        .filter_map(|filter| match without_parentheses(filter) {
            Expr::BinaryOp {
                left,
                op: BinaryOperator::Eq,
                right,
            } if text2sql_sql::tree::syntax::is_constant(right) => {
                let column = own(left)?;
                let condition = format!("{} = {right}", quote_identifier(&column));
                Some((column, condition))
            }
            _ => None,
        })
        .collect()
}

/// Compares the planner's row estimate with the actual number.
fn dependent(
    tree: &Tree<'_>,
    block: usize,
    source: usize,
    columns: &[String],
    planner: &dyn Planner,
    database: &dyn Database,
    effort: &Effort,
) -> Result<Option<Proposal>, Error> {
    let Some(table) = tree
        .block(block)
        .and_then(|here| here.sources.get(source))
        .and_then(|source| source.table())
    else {
        return Ok(None);
    };
    let name = table.sql_name();
    let conditions: Vec<String> = constant_filters(tree, block, source)
        .into_iter()
        .map(|(_, condition)| condition)
        .collect();
    let from = format!("FROM {name} WHERE {}", conditions.join(" AND "));
    let Some(imagined) = planner.plan(&format!("SELECT 1 {from}"), &[])? else {
        return Ok(None);
    };
    let expected = imagined.plan.expected_rows();
    let counted = match database.run(&format!("SELECT count(*) {from}"), &effort.limits)? {
        Outcome::Passed(execution) => execution
            .rows
            .into_iter()
            .next()
            .and_then(|row| row.into_iter().next()?.text?.parse::<f64>().ok()),
        _ => None,
    };
    let Some(actual) = counted else {
        return Ok(None);
    };
    let factor = (actual.max(1.0) / expected.max(1.0)).max(expected.max(1.0) / actual.max(1.0));
    if factor < FAR_OFF || actual.max(expected) < FEW_ROWS {
        return Ok(None);
    }
    let list: Vec<String> = columns
        .iter()
        .map(|column| quote_identifier(column))
        .collect();
    let list = list.join(", ");
    let mut proposal = Proposal::new(
        ProposalKind::Statistics,
        format!(
            "{list} of {name} depend on each other: the planner expects {expected:.0} rows where \
             there are {actual:.0}."
        ),
    );
    proposal.sql = Some(format!(
        "CREATE STATISTICS (dependencies, ndistinct, mcv) ON {list} FROM {name};\nANALYZE {name}"
    ));
    proposal.caveats = Some(
        "Only the table's owner can make them; it changes plans, not results, and its effect shows \
         after ANALYZE."
            .to_owned(),
    );
    Ok(Some(proposal))
}
