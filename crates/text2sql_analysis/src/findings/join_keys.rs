//! Joins that a foreign key contradicts: on a part of its columns, or with another table than the one that it refers
//! to.

use std::sync::Arc;

use sqlparser::ast::{BinaryOperator, Expr};
use text2sql_phrases::say;

use super::fan_out::repetition_query;
use super::{Check, Finding, Probe, Severity, Verdict};
use text2sql_domain::schema::{ForeignKey, Table, quote_identifier};
use text2sql_sql::tree::syntax::without_parentheses;
use text2sql_sql::tree::{Reference, Tree};

/// How many references are followed from one key to another.
const MAX_STEPS: usize = 4;

pub(super) fn check(tree: &Tree<'_>, tables: &[Arc<Table>], found: &mut Vec<Finding>) {
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
            let strange = |one, other| other_table(tree, tables, one, other);
            found.extend(strange(one, other).or_else(|| strange(other, one)));
            found.extend(other_column(tree, position, (one, other), &equal));
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

/// The columns that equal a column, with itself.
fn equal_to(column: &Reference, equal: &[(Reference, Reference)]) -> Vec<Reference> {
    let mut all = vec![column.clone()];
    let mut place = 0;
    while let Some(one) = all.get(place).cloned() {
        place += 1;
        for (left, right) in equal {
            let other = match (*left == one, *right == one) {
                (true, _) => right,
                (_, true) => left,
                _ => continue,
            };
            if !all.contains(other) {
                all.push(other.clone());
            }
        }
    }
    all
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
    // Any other word on the column, or on one that it equals, may say which row is meant. That it equals one of a third
    // table does not.
    let is_said = |column: &String| {
        let own = Reference {
            block,
            source: to,
            column: column.clone(),
        };
        let alike = equal_to(&own, equal);
        alike.iter().any(|one| one.source == from)
            || conditions.iter().any(|condition| {
                equality(tree, block, condition).is_none()
                    && tree
                        .columns_in(block, condition)
                        .iter()
                        .any(|used| alike.contains(used))
            })
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
    let finding = Check::PartialKey
        .doubt(evidence.clone())
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
fn other_table(
    tree: &Tree<'_>,
    tables: &[Arc<Table>],
    one: &Reference,
    other: &Reference,
) -> Option<Finding> {
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
    // A candidate is a person, with the same key.
    if leads(tables, key, stranger) {
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
        Check::WrongKey
            .error(say!(
                "{column} refers to {target}, and the join compares it with {stranger}.{strange}.",
                column = format!("{}.{}", table.sql_name(), quote_identifier(&column.name)),
                target = name(&key.target_schema, &key.target_name),
                stranger = name(&stranger.schema, &stranger.name),
                strange = quote_identifier(&strange.name)
            ))
            .with_fix(say!("join the table that the foreign key refers to")),
    )
}

/// Whether the column that a key refers to is itself a reference to a table, at most some tables on.
fn leads(tables: &[Arc<Table>], key: &ForeignKey, to: &Table) -> bool {
    let mut key = key;
    for _ in 0..MAX_STEPS {
        let target = tables.iter().find(|table| table.oid == key.target);
        let mut keys = target.into_iter().flat_map(|table| &table.foreign_keys);
        let Some(next) = keys.find(|next| next.columns == key.target_columns) else {
            return false;
        };
        if next.target == to.oid {
            return true;
        }
        key = next;
    }
    false
}

/// A join of two tables by columns that have nothing to do with each other, where a foreign key, or a column called like
/// the key of the other table, connects them, and the query does not use it.
fn other_column(
    tree: &Tree<'_>,
    block: usize,
    (one, other): (&Reference, &Reference),
    equal: &[(Reference, Reference)],
) -> Option<Finding> {
    let table_of = |reference: &Reference| tree.source(reference)?.table();
    let (first, second) = (table_of(one)?, table_of(other)?);
    let links: Vec<(String, String)> = links(first, second)
        .into_iter()
        .chain(
            links(second, first)
                .into_iter()
                .map(|(from, to)| (to, from)),
        )
        .collect();
    let are_alike = |one: &str, other: &str| one.contains(other) || other.contains(one);
    let bare = |name: &str| name.trim_end_matches('s').to_lowercase();
    let is_named_after = |column: &str, table: &Table| are_alike(column, &bare(&table.name));
    // What refers to one table is compared with what refers to it as well, or is called alike.
    let have_one_target = first.foreign_keys.iter().any(|key| {
        key.columns.contains(&one.column)
            && second
                .foreign_keys
                .iter()
                .any(|own| own.target == key.target && own.columns.contains(&other.column))
    });
    // Two keys of their own tables, both called `id`, have nothing to do with each other.
    let are_own_keys = one.column == other.column
        && one.column.chars().count() <= 2
        && first.primary_key == [one.column.clone()]
        && second.primary_key == [other.column.clone()];
    // A foreign key meets the column that it refers to, and no other one of that table.
    let is_crossed = refers(first, &one.column, second) || refers(second, &other.column, first);
    let is_meant = first.oid == second.oid
        || have_one_target
        || (!are_own_keys
            && !is_crossed
            && (are_alike(&one.column, &other.column)
                || is_named_after(&one.column, second)
                || is_named_after(&other.column, first)))
        || first.made_of.len() + second.made_of.len() > 0
        || equal.iter().any(|(from, to)| {
            let is_pair = |from: &Reference, to: &Reference| {
                from.source == one.source
                    && to.source == other.source
                    && (links.contains(&(from.column.clone(), to.column.clone()))
                        || (from.column == to.column && !are_own_keys))
            };
            is_pair(from, to) || is_pair(to, from)
        });
    let used = |reference: &Reference, column: &String| {
        let here = tree.block(block);
        let mut all = here
            .into_iter()
            .flat_map(|here| text2sql_sql::tree::walk::expressions(here.select, here.query));
        all.any(|part| {
            tree.columns_in(block, part)
                .iter()
                .any(|used| used.source == reference.source && used.column == *column)
        })
    };
    let (from, to) = links.first()?;
    let is_used = used(one, from) && used(other, to) && *from != one.column && *to != other.column;
    if is_meant || is_used {
        return None;
    }
    let label =
        |table: &Table, column: &str| format!("{}.{}", table.sql_name(), quote_identifier(column));
    Some(
        Check::WrongKey
            .error(say!(
                "{from} belongs to {to}, and the join compares {one} with {other} instead.",
                from = label(first, from),
                to = label(second, to),
                one = label(first, &one.column),
                other = label(second, &other.column)
            ))
            .with_fix(format!("{} = {}", label(first, from), label(second, to))),
    )
}

/// Whether a column is the only one of a declared foreign key to the table.
fn refers(from: &Table, column: &str, to: &Table) -> bool {
    let mut keys = from.foreign_keys.iter().filter(|key| !key.is_taught);
    keys.any(|key| key.target == to.oid && key.columns == [column.to_owned()])
}

/// The columns of one table that refer to the other: by a foreign key, or called like its table and its only key.
fn links(from: &Table, to: &Table) -> Vec<(String, String)> {
    let mut links: Vec<(String, String)> = from
        .foreign_keys
        .iter()
        .filter(|key| key.target == to.oid)
        .flat_map(|key| {
            key.columns
                .iter()
                .cloned()
                .zip(key.target_columns.iter().cloned())
        })
        .collect();
    if let [key] = to.primary_key.as_slice() {
        let name = to.name.to_lowercase();
        let singular = text2sql_language::names::singular(&name);
        let called = [
            format!("{singular}_{key}"),
            format!("{name}_{key}"),
            format!("{singular}{key}"),
        ];
        let columns = from.columns.iter().filter(|column| {
            let own = column.name.to_lowercase();
            called.contains(&own)
                || (own == *key && key.chars().count() > 2 && own.contains(&singular))
        });
        for column in columns {
            let link = (column.name.clone(), key.clone());
            if !links.contains(&link) {
                links.push(link);
            }
        }
    }
    links
}
