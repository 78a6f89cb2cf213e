//! The rows that a query without GROUP BY aggregates: such a query always returns a row, so that its own rows do not
//! show that it found nothing.

use sqlparser::ast::{Distinct, GroupByExpr, Query, SetExpr};

use text2sql_domain::error::Error;
use text2sql_sql::tree as sql_tree;
use text2sql_sql::tree::{Place, Tree, aggregates};

/// The query without its outputs, if it aggregates all rows of its FROM and WHERE to one: `SELECT 1 FROM … WHERE …`.
pub fn aggregated_rows(sql: &str) -> Result<Option<String>, Error> {
    let Some(query) = sql_tree::parse(sql)? else {
        return Ok(None);
    };
    Ok(of_query(&query))
}

fn of_query(query: &Query) -> Option<String> {
    let SetExpr::Select(select) = &*query.body else {
        return None;
    };
    let groups = matches!(&select.group_by, GroupByExpr::Expressions(groups, modifiers) if groups.is_empty() && modifiers.is_empty());
    let is_distinct = matches!(select.distinct, Some(Distinct::On(_)));
    if !groups || is_distinct || select.having.is_some() || select.from.is_empty() {
        return None;
    }
    let tree = Tree::read(query, &[]);
    let block = tree.blocks.iter().find(|block| block.place == Place::Top)?;
    if aggregates(block.select, block.query).is_empty() {
        return None;
    }
    let (with, from) = block.frame();
    Some(match &select.selection {
        Some(filter) => format!("{with}SELECT 1 {from} WHERE {filter}"),
        None => format!("{with}SELECT 1 {from}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(sql: &str) -> Option<String> {
        aggregated_rows(sql).expect("a statement that can be read")
    }

    #[test]
    fn the_outputs_of_a_total_are_left_out() {
        assert_eq!(
            rows("SELECT sum(total), count(*) FROM orders o JOIN customers c USING (id) WHERE c.name = 'x'").as_deref(),
            Some("SELECT 1 FROM orders o JOIN customers c USING(id) WHERE c.name = 'x'")
        );
        assert_eq!(
            rows("WITH a AS (SELECT 1 AS n) SELECT max(n) + 1 FROM a").as_deref(),
            Some("WITH a AS (SELECT 1 AS n) SELECT 1 FROM a")
        );
    }

    #[test]
    fn what_returns_no_row_where_nothing_is_found_stays() {
        for sql in [
            "SELECT name FROM customers",
            "SELECT name, count(*) FROM customers GROUP BY name",
            "SELECT count(*) FROM customers HAVING count(*) > 3",
            "SELECT count(*)",
            "SELECT count(*) FROM a UNION SELECT count(*) FROM b",
        ] {
            assert_eq!(rows(sql), None, "{sql}");
        }
    }
}
