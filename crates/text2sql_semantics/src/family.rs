//! How a table that stands for a family is written: as its members, one below the other.

use std::sync::Arc;

use crate::query::{Condition, Expression, Literal, Operator, SemanticQuery};
use text2sql_domain::schema::{Table, TableFamily, quote_identifier, quote_literal};

/// What stands in a statement for a family until all of the statement is written: only the columns that it reads are
/// taken from the members.
const MARK: char = '\u{1}';

/// The table in a FROM clause.
pub(crate) fn source(table: &Table) -> String {
    match table.family {
        None => table.sql_name(),
        Some(_) => mark(table),
    }
}

fn mark(table: &Table) -> String {
    format!("{MARK}{}.{}{MARK}", table.schema, table.name)
}

/// The statement with the members of its families.
pub(crate) fn written(sql: String, tables: &[Arc<Table>]) -> String {
    if !sql.contains(MARK) {
        return sql;
    }
    let mut whole = sql.clone();
    for table in tables {
        let Some(family) = &table.family else {
            continue;
        };
        let columns = table
            .columns
            .iter()
            .map(|column| quote_identifier(&column.name));
        let read: Vec<String> = columns.filter(|column| has_name(&sql, column)).collect();
        whole = whole.replace(&mark(table), &members(family, &read));
    }
    whole
}

/// Whether the statement has the name: `a.title`, not `a.subtitle`.
fn has_name(sql: &str, name: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    sql.match_indices(name).any(|(at, found)| {
        let before = sql.get(..at).and_then(|before| before.chars().next_back());
        let after = sql.get(at + found.len()..);
        !is_part(before) && !is_part(after.and_then(|after| after.chars().next()))
    })
}

fn members(family: &TableFamily, read: &[String]) -> String {
    let column = quote_identifier(&family.column);
    let has_part = read.contains(&column);
    if let ([member], false) = (family.members.as_slice(), has_part) {
        return member.table.sql_name();
    }
    let selects = family.members.iter().map(|member| {
        let part = format!("{} AS {column}", quote_literal(&member.part));
        let own = read.iter().filter(|name| **name != column).cloned();
        let shown: Vec<String> = has_part.then_some(part).into_iter().chain(own).collect();
        let shown = match shown.is_empty() {
            true => "1".to_owned(),
            false => shown.join(", "),
        };
        format!("SELECT {shown} FROM {}", member.table.sql_name())
    });
    format!(
        "({})",
        selects.collect::<Vec<_>>().join("\n      UNION ALL ")
    )
}

/// The question about some members of its subject as one over a family of these alone.
pub(crate) fn narrowed(
    query: &SemanticQuery,
    tables: &[Arc<Table>],
) -> Option<(SemanticQuery, Vec<Arc<Table>>)> {
    let at = tables.iter().position(|table| {
        table.name == query.subject.name && table.schema == query.subject.schema
    })?;
    let table = tables.get(at)?;
    let family = table.family.as_deref()?;
    let (place, parts) = query
        .conditions
        .iter()
        .enumerate()
        .find_map(|(place, condition)| Some((place, parts_of(condition, &family.column)?)))?;
    let mut members = family.members.clone();
    members.retain(|member| parts.contains(&member.part.as_str()));
    if members.is_empty() {
        return None;
    }
    let mut query = query.clone();
    query.conditions.remove(place);
    let mut own = table.as_ref().clone();
    if members.len() == 1 {
        own.primary_key.retain(|column| *column != family.column);
    }
    own.family = Some(Box::new(TableFamily {
        column: family.column.clone(),
        members,
    }));
    let mut tables = tables.to_vec();
    *tables.get_mut(at)? = Arc::new(own);
    Some((query, tables))
}

/// The members that the condition asks for.
fn parts_of<'c>(condition: &'c Condition, column: &str) -> Option<Vec<&'c str>> {
    let text = |literal: &'c Literal| match literal {
        Literal::Text(text) => Some(text.as_str()),
        _ => None,
    };
    match condition {
        Condition::Compare {
            left: Expression::Column(left),
            operator: Operator::Equal,
            right,
        } if left.path.is_empty() && left.column == column => Some(vec![text(right)?]),
        Condition::OneOf {
            column: left,
            values,
            is_negated: false,
        } if left.path.is_empty() && left.column == column => values.iter().map(text).collect(),
        _ => None,
    }
}
