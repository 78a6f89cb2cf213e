//! `customer_id IN (SELECT customer_id FROM lines)`: where `lines` has no such column, SQL takes that of the outer table, and
//! each row is compared with itself. Nobody means that.

use std::collections::HashSet;
use std::sync::Arc;

use sqlparser::ast::{Expr, SetExpr};

use text2sql_domain::schema::{Table, quote_identifier};
use text2sql_sql::tree::walk::expressions;
use text2sql_sql::tree::{Tree, read_query, walk};

use super::apply::{self, Edit, expression};
use super::uses::{Clause, address, uses};

/// The statement with such columns under the name of their own table, so that it fails and can be mended; `None` if there
/// are none.
pub fn without_outer_outputs(sql: &str, tables: &[Arc<Table>]) -> Option<String> {
    let mut query = read_query(sql)?;
    let mut edits = Vec::new();
    let tree = Tree::read(&query, tables);
    let mut compared = HashSet::new();
    for block in &tree.blocks {
        for expression in expressions(block.select, block.query) {
            walk(expression, &mut |part| {
                if let Expr::InSubquery { subquery, .. } = part
                    && let SetExpr::Select(select) = &*subquery.body
                {
                    compared.insert(address(&**select));
                }
            });
        }
    }
    for one in uses(&tree) {
        let block = tree.block(one.block)?;
        let is_output = matches!(one.clause, Clause::Output) && one.qualifier.is_none();
        if !is_output || !compared.contains(&address(block.select)) {
            continue;
        }
        let lacks_it = |source: &text2sql_sql::tree::Source<'_>| {
            source.has_column(&one.column) == Some(false) && source.name != one.column
        };
        if let Some(first) = block.sources.first()
            && block.sources.iter().all(lacks_it)
        {
            let name = quote_identifier(&first.name);
            let own = format!("{name}.{}", quote_identifier(&one.column));
            edits.push(Edit::Replace {
                at: one.at,
                by: expression(&own)?,
            });
        }
    }
    (!edits.is_empty() && apply::apply(&mut query, edits)).then(|| query.to_string())
}
