//! Explains why a query returns no rows: which condition or join is the cause, and the smallest change that
//! returns rows.
//!
//! Conditions are removed one at a time, and the remaining query is run for one row through the
//! guard, within limits. The result reveals nothing that the caller could not query.

use std::sync::Arc;
use text2sql_phrases::say;

use sqlparser::ast::{Query, SetExpr};

use crate::findings::{Effort, Probe, find};
use text2sql_domain::error::Error;
use text2sql_domain::ports::{Database, Outcome};
use text2sql_domain::schema::Table;
use text2sql_domain::validate::Rule;
use text2sql_sql::tree as sql_tree;
use text2sql_sql::tree::{Rows, Tree};

mod aggregated_rows;
mod cause;
mod neighbours;
mod prober;
mod removable;
#[cfg(test)]
mod tests;

pub use aggregated_rows::aggregated_rows;
pub use cause::{Cause, CauseKind};
use prober::Prober;
use removable::{Removable, without};

/// Explains why `sql` returns no rows. `tables` are those that it names and that the caller may read.
///
/// Invalid SQL and statements rejected by the guard for reasons other than a privilege are returned as such.
pub fn why_empty(
    sql: &str,
    tables: &[Arc<Table>],
    database: &dyn Database,
    effort: &Effort,
) -> Result<Outcome<Vec<Cause>>, Error> {
    let mut one_row = effort.limits.clone();
    one_row.max_result_rows = 1;
    let execution = match database.run(sql, &one_row)? {
        Outcome::Passed(execution) => execution,
        Outcome::Failed(error) => return Ok(Outcome::Failed(error)),
        Outcome::Rejected(rejection) if rejection.rule == Rule::Permission => {
            let explanation = say!(
                "It is not run at all: {reason}. Whoever owns it can GRANT SELECT to you.",
                reason = rejection.reason
            );
            let cause = Cause::new(CauseKind::Privilege, rejection.offender, explanation);
            return Ok(Outcome::Passed(vec![cause]));
        }
        Outcome::Rejected(rejection) => return Ok(Outcome::Rejected(rejection)),
    };
    if !execution.rows.is_empty() {
        let cause = Cause::new(CauseKind::NotEmpty, None, say!("The query gives rows."));
        return Ok(Outcome::Passed(vec![cause]));
    }
    Ok(Outcome::Passed(causes_of_empty(
        sql, tables, database, effort,
    )?))
}

/// Explains why `sql`, which is known to return no rows, does so.
pub fn causes_of_empty(
    sql: &str,
    tables: &[Arc<Table>],
    database: &dyn Database,
    effort: &Effort,
) -> Result<Vec<Cause>, Error> {
    let unread = || {
        Cause::new(
            CauseKind::Unknown,
            None,
            say!(
                "The query gives no rows, and it uses a part of SQL that cannot be taken apart yet."
            ),
        )
    };
    let Some(query) = sql_tree::parse(sql)? else {
        return Ok(vec![unread()]);
    };
    let mut prober = Prober::new(database, effort);
    let mut causes = Vec::new();
    explore(sql, &query, tables, &mut prober, &mut causes)?;
    if causes.is_empty() {
        causes.push(unread());
    }
    for cause in security(&query, tables) {
        let is_known = |known: &Cause| known.kind == cause.kind && known.part == cause.part;
        if !causes.iter().any(is_known) {
            causes.push(cause);
        }
    }
    Ok(causes)
}

/// Finds the causes for one empty query.
fn explore(
    sql: &str,
    query: &Query,
    tables: &[Arc<Table>],
    prober: &mut Prober<'_>,
    causes: &mut Vec<Cause>,
) -> Result<(), Error> {
    if let SetExpr::SetOperation {
        left, op, right, ..
    } = &*query.body
    {
        return branches(query, left, right, &op.to_string(), prober, causes);
    }
    let tree = Tree::read(query, tables);
    let Some((position, block)) = tree
        .blocks
        .iter()
        .enumerate()
        .find(|(_, block)| block.place == sql_tree::Place::Top)
    else {
        return Ok(());
    };
    let mut is_source_empty = false;
    for source in &block.sources {
        let name = match &source.rows {
            Rows::Table(table) => table.sql_name(),
            Rows::Result(_) => source.factor.to_string(),
            Rows::Function | Rows::Unknown => continue,
        };
        let (with, _) = block.frame();
        let from = match &source.rows {
            Rows::Table(table) => table.sql_name(),
            _ => source.factor.to_string(),
        };
        if prober.has_rows(&format!("{with}SELECT 1 FROM {from}"))? != Some(false) {
            continue;
        }
        let is_needed = !matches!(source.join, sql_tree::JoinKind::Left);
        is_source_empty |= is_needed;
        let cause = match &source.rows {
            Rows::Table(table) => {
                let explanation = if table.has_row_security {
                    say!(
                        "{name} has no rows that you may see: row-level security is in effect for you."
                    )
                } else {
                    say!("{name} has no rows.")
                };
                let kind = if table.has_row_security {
                    CauseKind::RowSecurity
                } else {
                    CauseKind::EmptyTable
                };
                Cause::new(kind, Some(name.clone()), explanation)
            }
            _ => {
                let label = text2sql_domain::schema::quote_identifier(&source.name);
                Cause::new(
                    CauseKind::Part,
                    Some(label.clone()),
                    say!("{label} gives no rows itself."),
                )
            }
        };
        if is_needed {
            causes.push(cause);
            if let Some(inner) = inner_query(&tree, source) {
                let text = inner.to_string();
                let known = causes.len();
                explore(&text, inner, tables, prober, causes)?;
                let whole = query.to_string();
                for cause in causes.iter_mut().skip(known) {
                    cause.changed = around(&whole, &text, cause.changed.take(), prober)?;
                }
            }
        }
    }
    if is_source_empty {
        return Ok(());
    }
    remove_conditions(sql, query, &tree, position, prober, causes, tables)
}

/// The complete query with the changed part, if it returns rows.
fn around(
    whole: &str,
    part: &str,
    changed: Option<String>,
    prober: &mut Prober<'_>,
) -> Result<Option<String>, Error> {
    let Some(changed) = changed else {
        return Ok(None);
    };
    let whole = whole.replacen(part, &changed, 1);
    Ok((prober.has_rows(&whole)? == Some(true)).then_some(whole))
}

/// The query of a derived table or CTE.
fn inner_query<'q>(tree: &Tree<'q>, source: &sql_tree::Source<'q>) -> Option<&'q Query> {
    use sqlparser::ast::TableFactor;
    match source.factor {
        TableFactor::Derived { subquery, .. } => Some(subquery),
        TableFactor::Table { name, .. } => {
            let name = sql_tree::syntax::fold_parts(name).pop()?;
            let helpers = tree.blocks.iter().flat_map(|block| &block.helpers);
            helpers
                .into_iter()
                .find(|helper| sql_tree::syntax::fold(&helper.alias.name) == name)
                // Without the preceding CTEs, it can only run if it does not use them.
                .filter(|helper| helper.query.with.is_none())
                .map(|helper| &*helper.query)
        }
        _ => None,
    }
}

/// Removes conditions one at a time, then in pairs.
fn remove_conditions(
    sql: &str,
    query: &Query,
    tree: &Tree<'_>,
    position: usize,
    prober: &mut Prober<'_>,
    causes: &mut Vec<Cause>,
    tables: &[Arc<Table>],
) -> Result<(), Error> {
    let Some(block) = tree.block(position) else {
        return Ok(());
    };
    let members = Removable::of(query, block);
    let mut decisive = Vec::new();
    for (number, member) in members.iter().enumerate() {
        let Some(changed) = without(query, &[member]) else {
            continue;
        };
        if prober.has_rows(&changed)? == Some(true) {
            decisive.push((number, changed));
        }
    }
    let near = near_values(sql, tables, prober)?;
    for (number, changed) in decisive.iter().take(5) {
        let Some(member) = members.get(*number) else {
            continue;
        };
        let mut cause = member.cause();
        cause.changed = Some(changed.clone());
        if let Removable::Where(_, filter) = member
            && let Some((values, sentence)) = neighbours::beside(tree, position, filter, prober)?
        {
            cause.explanation.push_str(&sentence);
            cause.nearest = values;
        } else if let Some(text) = &cause.part
            && let Some((literal, values)) = near
                .iter()
                .find(|(literal, values)| text.contains(literal.as_str()) && !values.is_empty())
        {
            let list: Vec<String> = values
                .iter()
                .map(|value| text2sql_domain::schema::quote_literal(value))
                .collect();
            cause.explanation.push_str(&say!(
                " No row holds {literal}; nearest: {list}.",
                list = list.join(", ")
            ));
            if let Some(first) = list.first() {
                let replaced = sql.replacen(literal.as_str(), first, 1);
                if prober.has_rows(&replaced)? == Some(true) {
                    cause.changed = Some(replaced);
                }
            }
            cause.nearest = values.clone();
        }
        causes.push(cause);
    }
    if !decisive.is_empty() {
        return Ok(());
    }
    for (first, one) in members.iter().enumerate() {
        for other in members.iter().skip(first + 1) {
            let Some(changed) = without(query, &[one, other]) else {
                continue;
            };
            if prober.has_rows(&changed)? == Some(true) {
                let mut cause = Cause::new(
                    CauseKind::Combination,
                    Some(format!("{}; {}", one.text(), other.text())),
                    say!(
                        "`{one}` and `{other}` each leave no row, so both have to change.",
                        one = one.text(),
                        other = other.text()
                    ),
                );
                cause.changed = Some(changed);
                causes.push(cause);
                return Ok(());
            }
        }
    }
    // More than two: add them one by one until no row is left.
    let all: Vec<&Removable<'_>> = members.iter().collect();
    for kept in 0..members.len() {
        let (_, dropped) = all.split_at(kept + 1);
        let Some(changed) = without(query, dropped) else {
            break;
        };
        if prober.has_rows(&changed)? == Some(false)
            && let Some(member) = members.get(kept)
        {
            causes.push(Cause::new(
                CauseKind::Combination,
                Some(member.text()),
                say!("Read in order, `{member}` is the first condition after which no row is left; later \
                     ones leave none either.", member = member.text()),
            ));
            return Ok(());
        }
    }
    Ok(())
}

/// Literals of the query that do not occur in the data, as written, with the most similar values.
fn near_values(
    sql: &str,
    tables: &[Arc<Table>],
    prober: &mut Prober<'_>,
) -> Result<Vec<(String, Vec<String>)>, Error> {
    let mut near = Vec::new();
    for finding in find(sql, tables)?.into_iter().flatten() {
        if let Some(Probe::Value(value)) = &finding.probe
            && !value.is_negated
            && let Some(values) = prober.near(value)?
        {
            near.push((value.literal.clone(), values));
        }
    }
    Ok(near)
}

/// The relevant branches of a set operation.
fn branches(
    query: &Query,
    left: &SetExpr,
    right: &SetExpr,
    operator: &str,
    prober: &mut Prober<'_>,
    causes: &mut Vec<Cause>,
) -> Result<(), Error> {
    let with = query
        .with
        .as_ref()
        .map_or_else(String::new, |with| format!("{with} "));
    let has_left = prober.has_rows(&format!("{with}{left}"))?;
    let has_right = prober.has_rows(&format!("{with}{right}"))?;
    let (part, explanation) = match (operator, has_left, has_right) {
        ("UNION", _, _) => (None, say!("No branch of the UNION gives a row.")),
        (_, Some(false), _) => (
            Some(left.to_string()),
            say!("The query before {operator} gives no rows itself."),
        ),
        ("INTERSECT", _, Some(false)) => (
            Some(right.to_string()),
            say!("The query after INTERSECT gives no rows itself."),
        ),
        ("INTERSECT", Some(true), Some(true)) => (
            None,
            say!("Both queries give rows, and no row is in both results."),
        ),
        ("EXCEPT", Some(true), _) => (
            Some(right.to_string()),
            say!("The query after EXCEPT takes every row away."),
        ),
        _ => (None, say!("The {operator} gives no rows.")),
    };
    let mut cause = Cause::new(CauseKind::SetOperation, part, explanation);
    if has_left == Some(true) {
        cause.changed = Some(format!("{with}{left}"));
    }
    causes.push(cause);
    Ok(())
}

/// Tables with row-level security, which may hide the rows.
fn security(query: &Query, tables: &[Arc<Table>]) -> Vec<Cause> {
    let tree = Tree::read(query, tables);
    let mut names: Vec<String> = tree
        .blocks
        .iter()
        .flat_map(|block| &block.sources)
        .filter_map(|source| source.table())
        .filter(|table| table.has_row_security)
        .map(|table| table.sql_name())
        .collect();
    names.sort();
    names.dedup();
    names
        .into_iter()
        .map(|name| {
            let explanation = say!(
                "Row-level security is in effect for you on {name}: the rows that you look for \
                 may exist, hidden from you."
            );
            Cause::new(CauseKind::RowSecurity, Some(name), explanation)
        })
        .collect()
}
