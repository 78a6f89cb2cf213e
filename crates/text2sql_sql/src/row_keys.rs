//! Two queries from one: which rows of a table are behind the rows of a result, and the same query over some of its
//! rows only.
//!
//! This joins both sides of an answer: the texts of the rows behind a result are searched, and the rows whose texts
//! were found narrow a query. What is written here runs behind the guard like any generated query. Only a query
//! whose outermost FROM lists the tables is changed; any other gives `None`.

use sqlparser::ast::{
    BinaryOperator, Expr, GroupByExpr, Query, Select, SelectItem, SetExpr, TableFactor,
};

use crate::reader;
use crate::tree::syntax::{fold, fold_parts};
use text2sql_domain::schema::{ForeignKey, Table, quote_identifier, quote_literal};
use text2sql_domain::sql_result::Execution;

/// Maximum number of rows whose keys are asked for, and of keys that narrow a query.
pub const MAX_KEYS: usize = 1_000;

/// Maximum number of rows of a result whose names narrow the rows behind it.
const MAX_NAMES: usize = 50;

/// The query that returns the keys of the rows of `table` that are behind the rows of a result, or that reference
/// them: `key` are the columns of its key.
pub fn keys_behind(
    sql: &str,
    execution: &Execution,
    table: &Table,
    key: &[String],
) -> Option<String> {
    let query = plain_query(sql)?;
    let select = select_of(&query)?;
    let mut conditions: Vec<String> = select
        .selection
        .iter()
        .map(|condition| format!("({condition})"))
        .collect();
    if is_reduced(&query, select) {
        conditions.extend(conditions_of_rows(select, execution)?);
    }
    let from: Vec<String> = select.from.iter().map(ToString::to_string).collect();
    let from = from.join(", ");
    let with = query.with.as_ref();
    let with = with.map_or(String::new(), |with| format!("{with} "));
    let condition = match conditions.is_empty() {
        true => String::new(),
        false => format!(" WHERE {}", conditions.join(" AND ")),
    };
    if let Some(qualifier) = qualifier_of(select, &table.schema, &table.name) {
        let columns = columns_of(&qualifier, key);
        return Some(format!(
            "{with}SELECT DISTINCT {columns} FROM {from}{condition} LIMIT {MAX_KEYS}"
        ));
    }
    let (reference, qualifier) = referenced(select, table)?;
    let target = columns_of(&qualifier, &reference.target_columns);
    Some(format!(
        "{with}SELECT {} FROM {} AS text_rows WHERE ({}) IN (SELECT {target} FROM {from}{condition}) LIMIT {MAX_KEYS}",
        columns_of("text_rows", key),
        full_name(table),
        columns_of("text_rows", &reference.columns),
    ))
}

/// The query over only those rows of `table`, or rows that they reference, whose key is one of `keys`: values as text,
/// in the order of `key`.
pub fn narrowed(sql: &str, table: &Table, key: &[String], keys: &[Vec<String>]) -> Option<String> {
    if keys.is_empty() || keys.len() > MAX_KEYS || key.is_empty() {
        return None;
    }
    let mut query = plain_query(sql)?;
    let select = select_of(&query)?;
    let condition = match qualifier_of(select, &table.schema, &table.name) {
        Some(qualifier) => is_one_of(&qualifier, key, keys),
        None => {
            let (reference, qualifier) = referenced(select, table)?;
            format!(
                "({}) IN (SELECT {} FROM {} AS text_rows WHERE {})",
                columns_of(&qualifier, &reference.target_columns),
                columns_of("text_rows", &reference.columns),
                full_name(table),
                is_one_of("text_rows", key, keys),
            )
        }
    };
    let condition = reader::expression(&condition).ok().flatten()?;
    let SetExpr::Select(select) = &mut *query.body else {
        return None;
    };
    select.selection = Some(match select.selection.take() {
        None => condition,
        Some(given) => Expr::BinaryOp {
            left: Box::new(Expr::Nested(Box::new(given))),
            op: BinaryOperator::And,
            right: Box::new(condition),
        },
    });
    Some(query.to_string())
}

fn plain_query(sql: &str) -> Option<Box<Query>> {
    let query = crate::tree::read_query(sql)?;
    (query.locks.is_empty() && query.fetch.is_none()).then_some(query)
}

fn select_of(query: &Query) -> Option<&Select> {
    match &*query.body {
        SetExpr::Select(select) => Some(select),
        _ => None,
    }
}

/// Whether the result has fewer rows than are behind it.
fn is_reduced(query: &Query, select: &Select) -> bool {
    let has_groups =
        !matches!(&select.group_by, GroupByExpr::Expressions(groups, _) if groups.is_empty());
    has_groups || select.having.is_some() || query.limit_clause.is_some()
}

/// The condition that a row has the names of one of the rows of the result: "the three products that were returned
/// most" are three.
fn conditions_of_rows(select: &Select, execution: &Execution) -> Option<Vec<String>> {
    if execution.is_truncated || execution.rows.len() > MAX_NAMES {
        return Some(Vec::new());
    }
    let mut conditions = Vec::new();
    for (place, item) in select.projection.iter().enumerate() {
        let (SelectItem::UnnamedExpr(expression)
        | SelectItem::ExprWithAlias {
            expr: expression, ..
        }) = item
        else {
            return Some(Vec::new());
        };
        if !matches!(
            expression,
            Expr::Identifier(_) | Expr::CompoundIdentifier(_)
        ) {
            continue;
        }
        let texts = execution
            .rows
            .iter()
            .map(|row| row.get(place)?.text.as_deref());
        let texts: Option<Vec<&str>> = texts.collect();
        // A NULL among them is no name.
        let Some(texts) = texts.filter(|texts| !texts.is_empty()) else {
            continue;
        };
        let literals: Vec<String> = texts.into_iter().map(quote_literal).collect();
        conditions.push(format!("{expression} IN ({})", literals.join(", ")));
    }
    Some(conditions)
}

/// The qualifier of a table in the outermost FROM.
fn qualifier_of(select: &Select, schema: &str, table: &str) -> Option<String> {
    let sources = select.from.iter().flat_map(|from| {
        std::iter::once(&from.relation).chain(from.joins.iter().map(|join| &join.relation))
    });
    for source in sources {
        let TableFactor::Table {
            name, alias, args, ..
        } = source
        else {
            continue;
        };
        let parts = fold_parts(name);
        let is_meant = match parts.as_slice() {
            [name] => name == table,
            [of, name] => of == schema && name == table,
            _ => false,
        };
        if args.is_none() && is_meant {
            return Some(match alias {
                Some(alias) => fold(&alias.name),
                None => table.to_owned(),
            });
        }
    }
    None
}

/// A table of the outermost FROM that `table` references, and its qualifier.
fn referenced<'t>(select: &Select, table: &'t Table) -> Option<(&'t ForeignKey, String)> {
    table.foreign_keys.iter().find_map(|reference| {
        let qualifier = qualifier_of(select, &reference.target_schema, &reference.target_name)?;
        Some((reference, qualifier))
    })
}

fn full_name(table: &Table) -> String {
    format!(
        "{}.{}",
        quote_identifier(&table.schema),
        quote_identifier(&table.name)
    )
}

fn columns_of(qualifier: &str, columns: &[String]) -> String {
    let qualifier = quote_identifier(qualifier);
    let columns = columns
        .iter()
        .map(|column| format!("{qualifier}.{}", quote_identifier(column)));
    columns.collect::<Vec<_>>().join(", ")
}

fn is_one_of(qualifier: &str, key: &[String], keys: &[Vec<String>]) -> String {
    let values = keys.iter().map(|values| {
        let literals: Vec<String> = values.iter().map(|value| quote_literal(value)).collect();
        format!("({})", literals.join(", "))
    });
    let values = values.collect::<Vec<_>>().join(", ");
    format!("({}) IN ({values})", columns_of(qualifier, key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::value::RawValue;
    use text2sql_domain::sql_result::Cell;

    fn reviews() -> Table {
        Table {
            schema: "shop".to_owned(),
            name: "reviews".to_owned(),
            foreign_keys: vec![ForeignKey {
                columns: vec!["product_id".to_owned()],
                target_schema: "shop".to_owned(),
                target_name: "products".to_owned(),
                target_columns: vec!["product_id".to_owned()],
                ..ForeignKey::default()
            }],
            ..Table::default()
        }
    }

    fn rows(names: &[&str]) -> Execution {
        let row = |name: &&str| {
            vec![Cell {
                text: Some((*name).to_owned()),
                json: RawValue::from_string("null".to_owned()).unwrap(),
            }]
        };
        Execution {
            rows: names.iter().map(row).collect(),
            ..Execution::default()
        }
    }

    fn keys(sql: &str, names: &[&str]) -> Option<String> {
        keys_behind(sql, &rows(names), &reviews(), &["review_id".to_owned()])
    }

    #[test]
    fn the_rows_behind_a_result() {
        assert_eq!(
            keys(
                "SELECT count(*) FROM shop.reviews r WHERE r.stars < 3 OR r.stars IS NULL",
                &["7"]
            )
            .as_deref(),
            Some(
                "SELECT DISTINCT r.review_id FROM shop.reviews r WHERE (r.stars < 3 OR r.stars IS NULL) LIMIT 1000"
            )
        );
        assert_eq!(
            keys(
                "SELECT count(*) FROM products p WHERE p.kind = 'jacket'",
                &["7"]
            )
            .as_deref(),
            Some(
                "SELECT text_rows.review_id FROM shop.reviews AS text_rows WHERE (text_rows.product_id) IN (SELECT p.product_id FROM products p WHERE (p.kind = 'jacket')) LIMIT 1000"
            )
        );
        // Only the groups that are in the result.
        assert_eq!(
            keys(
                "SELECT p.name, count(*) FROM products p JOIN sold USING (product_id) GROUP BY p.name ORDER BY 2 DESC LIMIT 2",
                &["O'Hara", "B"]
            )
            .as_deref(),
            Some(
                "SELECT text_rows.review_id FROM shop.reviews AS text_rows WHERE (text_rows.product_id) IN (SELECT p.product_id FROM products p JOIN sold USING(product_id) WHERE p.name IN ('O''Hara', 'B')) LIMIT 1000"
            )
        );
    }

    #[test]
    fn what_is_not_understood_is_not_changed() {
        for sql in [
            "SELECT 1 UNION SELECT 2",
            "SELECT count(*) FROM orders",
            "SELECT count(*) FROM other.reviews",
            "SELECT n FROM (SELECT count(*) AS n FROM reviews) AS t",
            "no SQL",
        ] {
            assert_eq!(keys(sql, &["7"]), None, "{sql}");
        }
    }

    #[test]
    fn a_query_over_the_rows_whose_texts_were_found() {
        let key = ["review_id".to_owned()];
        let found = [vec!["1".to_owned()], vec!["2'".to_owned()]];
        let narrow = |sql: &str| narrowed(sql, &reviews(), &key, &found);
        assert_eq!(
            narrow("SELECT count(*) FROM reviews WHERE a OR b GROUP BY c").as_deref(),
            Some(
                "SELECT count(*) FROM reviews WHERE (a OR b) AND (reviews.review_id) IN (('1'), ('2''')) GROUP BY c"
            )
        );
        assert_eq!(
            narrow("SELECT count(*) FROM products").as_deref(),
            Some(
                "SELECT count(*) FROM products WHERE (products.product_id) IN (SELECT text_rows.product_id FROM shop.reviews AS text_rows WHERE (text_rows.review_id) IN (('1'), ('2''')))"
            )
        );
        assert_eq!(narrow("SELECT count(*) FROM orders"), None);
        assert_eq!(
            narrowed("SELECT 1 FROM reviews", &reviews(), &key, &[]),
            None
        );
    }
}
