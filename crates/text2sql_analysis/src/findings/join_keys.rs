//! Joins that a foreign key contradicts: on a part of its columns, or with another table than the one that it refers
//! to.

use sqlparser::ast::{BinaryOperator, Expr};
use text2sql_language::say;

use super::fan_out::repetition_query;
use super::{Basis, Check, Finding, Probe, Severity, Verdict};
use text2sql_domain::schema::{ForeignKey, Table, quote_identifier};
use text2sql_sql::tree::syntax::without_parentheses;
use text2sql_sql::tree::{Reference, Tree};

pub(super) fn check(tree: &Tree<'_>, found: &mut Vec<Finding>) {
    for (position, block) in tree.blocks.iter().enumerate() {
        let conditions: Vec<&Expr> = block
            .sources
            .iter()
            .flat_map(|source| source.conditions.iter().copied())
            .chain(block.filters())
            .collect();
        let mut equal: Vec<(Reference, Reference)> = conditions
            .iter()
            .filter_map(|condition| equality(tree, position, condition))
            .collect();
        for (place, source) in block.sources.iter().enumerate() {
            equal.extend(source.shared.iter().map(|(left, column)| {
                let of = |source| Reference {
                    block: position,
                    source,
                    column: column.clone(),
                };
                (of(*left), of(place))
            }));
        }
        for (from, source) in block.sources.iter().enumerate() {
            let Some(table) = source.table() else {
                continue;
            };
            for key in table
                .foreign_keys
                .iter()
                .filter(|key| key.columns.len() > 1)
            {
                found.extend(partial(
                    tree,
                    position,
                    (from, table),
                    key,
                    &equal,
                    &conditions,
                ));
            }
        }
        for (one, other) in &equal {
            found.extend(other_table(tree, one, other).or_else(|| other_table(tree, other, one)));
        }
    }
}

/// Two columns of different sources of the block that a condition equates.
fn equality(tree: &Tree<'_>, block: usize, condition: &Expr) -> Option<(Reference, Reference)> {
    let Expr::BinaryOp {
        left,
        op: BinaryOperator::Eq,
        right,
    } = without_parentheses(condition)
    else {
        return None;
    };
    let (one, other) = (tree.resolve(block, left)?, tree.resolve(block, right)?);
    let are_here = one.block == block && other.block == block && one.source != other.source;
    are_here.then_some((one, other))
}

/// A join on some columns of a foreign key, where nothing is said of the others.
fn partial(
    tree: &Tree<'_>,
    block: usize,
    (from, table): (usize, &Table),
    key: &ForeignKey,
    equal: &[(Reference, Reference)],
    conditions: &[&Expr],
) -> Option<Finding> {
    let here = tree.block(block)?;
    let (to, target) = here
        .sources
        .iter()
        .enumerate()
        .find_map(|(position, source)| {
            let target = source.table()?;
            (position != from && target.oid == key.target).then_some((position, target))
        })?;
    let pairs = || key.columns.iter().zip(&key.target_columns);
    let meets = |(column, target_column): &(&String, &String)| {
        let is = |reference: &Reference, source: usize, name: &String| {
            reference.source == source && reference.column == *name
        };
        equal.iter().any(|(one, other)| {
            (is(one, from, column) && is(other, to, target_column))
                || (is(other, from, column) && is(one, to, target_column))
        })
    };
    let missing: Vec<&String> = pairs()
        .filter(|pair| !meets(pair))
        .map(|(_, target_column)| target_column)
        .collect();
    if missing.is_empty() || missing.len() == key.columns.len() {
        return None;
    }
    // Any other word on the column may say which row is meant.
    let is_said = |column: &String| {
        let mut all = conditions
            .iter()
            .flat_map(|condition| tree.columns_in(block, condition));
        all.any(|used| used.source == to && used.column == *column)
    };
    if missing.iter().any(|column| is_said(column)) {
        return None;
    }
    let list = |columns: &[String]| {
        let quoted: Vec<String> = columns
            .iter()
            .map(|column| quote_identifier(column))
            .collect();
        quoted.join(", ")
    };
    let left_out: Vec<String> = missing.into_iter().cloned().collect();
    let evidence = say!(
        "{table} refers to {target} by ({columns}) together, and the join says nothing of {missing}: a row meets rows \
         of {target} that are not its own.",
        table = table.sql_name(),
        target = target.sql_name(),
        columns = list(&key.columns),
        missing = list(&left_out)
    );
    let finding = Finding::new(
        Check::PartialKey,
        Severity::Warning,
        Basis::Possible,
        evidence.clone(),
    )
    .with_fix(say!("join on all columns of the foreign key"));
    let owner = here.sources.get(from)?;
    let own_keys = owner.keys();
    let sql = own_keys
        .first()
        .and_then(|own| repetition_query(tree, block, from, own, &[]));
    Some(match sql {
        Some(sql) => finding.with_probe(Probe::Rows {
            sql,
            found: Verdict {
                severity: Severity::Error,
                evidence,
            },
            none: None,
        }),
        None => finding,
    })
}

/// A foreign key column compared with the key of another table than it refers to: a table of the same name in another
/// schema, or one whose key is called otherwise.
fn other_table(tree: &Tree<'_>, one: &Reference, other: &Reference) -> Option<Finding> {
    let (table, column) = tree.column(one)?;
    let (stranger, strange) = tree.column(other)?;
    let only = [column.name.clone()];
    let key = table.foreign_keys.iter().find(|key| key.columns == only)?;
    let own_keys = table
        .foreign_keys
        .iter()
        .filter(|key| key.columns.contains(&column.name));
    let target_column = key.target_columns.first()?;
    let is_key = stranger.primary_key == [strange.name.clone()];
    let refers = !stranger.foreign_keys.is_empty()
        && stranger
            .foreign_keys
            .iter()
            .any(|key| key.columns.contains(&strange.name));
    if own_keys.count() > 1 || key.is_taught || !is_key || refers || stranger.oid == key.target {
        return None;
    }
    // What is derived from the target may have its key.
    if !stranger.made_of.is_empty() {
        return None;
    }
    let is_twin = stranger.name == key.target_name && stranger.schema != key.target_schema;
    let is_called_alike = strange.name == column.name || strange.name == *target_column;
    if !is_twin && is_called_alike {
        return None;
    }
    let name = |schema: &str, table: &str| {
        format!("{}.{}", quote_identifier(schema), quote_identifier(table))
    };
    Some(
        Finding::new(
            Check::WrongKey,
            Severity::Error,
            Basis::Proved,
            say!(
                "{column} refers to {target}, and the join compares it with {stranger}.{strange}.",
                column = format!("{}.{}", table.sql_name(), quote_identifier(&column.name)),
                target = name(&key.target_schema, &key.target_name),
                stranger = name(&stranger.schema, &stranger.name),
                strange = quote_identifier(&strange.name)
            ),
        )
        .with_fix(say!("join the table that the foreign key refers to")),
    )
}
