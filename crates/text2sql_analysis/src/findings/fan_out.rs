//! Join fan-out: an aggregate sums a value of one table, and a join repeats that table's rows.

use sqlparser::ast::{Expr, GroupByExpr};
use text2sql_language::say;

use super::{Basis, Check, Finding, Probe, Severity, Verdict};
use text2sql_domain::schema::quote_identifier;
use text2sql_sql::tree::keys::meant_by;
use text2sql_sql::tree::{Aggregate, Block, JoinKind, Rows, Tree, aggregates};

pub(super) fn check(tree: &Tree<'_>, found: &mut Vec<Finding>) {
    for (position, block) in tree.blocks.iter().enumerate() {
        if block.sources.len() < 2 {
            continue;
        }
        for aggregate in aggregates(block.select, block.query) {
            let finding = match aggregate.argument {
                Some(argument) => multiplied(tree, position, &aggregate, argument),
                None => counted_twice(tree, position),
            };
            found.extend(finding);
        }
        found.extend(counted_by_each_other(tree, position, block));
    }
}

/// `sum(a.x)` where each row of `a` can match several rows.
fn multiplied(
    tree: &Tree<'_>,
    block: usize,
    aggregate: &Aggregate<'_>,
    argument: &Expr,
) -> Option<Finding> {
    let is_hidden = aggregate.is_distinct && matches!(aggregate.name.as_str(), "sum" | "avg");
    if !aggregate.counts_duplicates() && !is_hidden {
        return None;
    }
    let sources = tree.sources_in(block, argument);
    let [source] = sources.as_slice() else {
        return None;
    };
    let here = tree.block(block)?;
    let owner = here.sources.get(*source)?;
    let own_keys = owner.keys();
    let own_key = own_keys.first()?;
    if aggregate.name == "count" {
        // count(a.key) is a common way to count matching rows; only a sum is clearly wrong.
        let column = tree.resolve(block, argument)?;
        let is_key = own_key.as_slice() == [column.column.as_str()];
        if !is_key || owner.join != JoinKind::First {
            return None;
        }
    }
    let repeating = repeating(tree, block, *source);
    let names: Vec<String> = repeating
        .iter()
        .filter_map(|other| here.sources.get(*other))
        .map(|other| called(&other.name, other.table().map(|table| table.sql_name())))
        .collect();
    if names.is_empty() {
        return None;
    }
    let owner_name = called(&owner.name, owner.table().map(|table| table.sql_name()));
    let others = names.join(&format!(" {} ", say!("and")));
    let severity = match aggregate.name.as_str() {
        "count" => Severity::Note,
        _ => Severity::Warning,
    };
    if is_hidden {
        let evidence = say!(
            "{call} adds each different value once: equal values of different rows of {owner_name} are \
             lost, and {others} would repeat them without DISTINCT.",
            call = aggregate.call,
            owner_name,
            others
        );
        return Some(
            Finding::new(
                Check::DistinctHidesFanOut,
                Severity::Warning,
                Basis::Proved,
                evidence,
            )
            .with_fix(say!(
                "aggregate {owner_name} before joining {others}",
                owner_name,
                others
            )),
        );
    }
    let evidence = say!(
        "One row of {owner_name} can meet several rows of {others}, so {call} takes it more than once.",
        owner_name,
        others,
        call = aggregate.call
    );
    let fix = match aggregate.name.as_str() {
        "count" => say!(
            "count(DISTINCT {argument}), if each row of {owner_name} counts once",
            argument,
            owner_name
        ),
        _ => say!(
            "aggregate {owner_name} before joining {others}, or replace the join by EXISTS where \
             {others} only filters",
            owner_name,
            others
        ),
    };
    let finding =
        Finding::new(Check::JoinFanOut, severity, Basis::Possible, evidence).with_fix(fix);
    let Some(sql) = repetition_query(tree, block, *source, own_key) else {
        return Some(finding);
    };
    let worse = match (severity, aggregate.name.as_str()) {
        (Severity::Note, _) => Severity::Note,
        // An average over the joined rows can be intended: "of all trips, the mean size of their station".
        (_, "avg") => Severity::Warning,
        _ => Severity::Error,
    };
    Some(finding.with_probe(Probe::Rows {
        sql,
        found: Verdict {
            severity: worse,
            evidence: say!("The join with {others} repeats rows of {owner_name} in this data, and {call} takes \
                 each of them more than once.", others, owner_name, call = aggregate.call),
        },
        none: Some(Verdict {
            severity: Severity::Note,
            evidence: say!("No key keeps the join with {others} from repeating rows of {owner_name} under {call}; \
                 in the data of this moment it does not.", others, owner_name, call = aggregate.call),
        }),
    }))
}

/// `count(b.id), count(c.id)` where `b` and `c` are joined through a third table: each is counted once for
/// every row of the other.
fn counted_by_each_other(tree: &Tree<'_>, position: usize, block: &Block<'_>) -> Option<Finding> {
    let mut counted: Vec<(usize, String)> = Vec::new();
    for aggregate in aggregates(block.select, block.query) {
        let Some(argument) = aggregate.argument else {
            continue;
        };
        if aggregate.name != "count" || aggregate.is_distinct {
            continue;
        }
        if let [source] = tree.sources_in(position, argument).as_slice()
            && counted.iter().all(|(known, _)| known != source)
        {
            counted.push((*source, aggregate.call.to_string()));
        }
    }
    let (one, other) = counted.iter().enumerate().find_map(|(place, one)| {
        let repeated = repeating(tree, position, one.0);
        let others = counted.iter().skip(place + 1);
        others
            .filter(|other| repeated.contains(&other.0))
            .find(|other| repeating(tree, position, other.0).contains(&one.0))
            .map(|other| (one, other))
    })?;
    let name = |source: usize| {
        let source = block.sources.get(source)?;
        Some(called(
            &source.name,
            source.table().map(|table| table.sql_name()),
        ))
    };
    let (first, second) = (name(one.0)?, name(other.0)?);
    let finding = Finding::new(
        Check::JoinFanOut,
        Severity::Warning,
        Basis::Possible,
        say!("{first} and {second} meet through another table, so {one} counts a row once for each row \
             of {second}, and {other} once for each row of {first}.", first, second, one = one.1, other = other.1),
    )
    .with_fix(say!("count(DISTINCT …) of both, or count {first} and {second} in sub-queries of their own", first, second));
    let keys = block.sources.get(one.0)?.keys();
    let Some(sql) = repetition_query(tree, position, one.0, keys.first()?) else {
        return Some(finding);
    };
    let evidence = finding.evidence.clone();
    Some(finding.with_probe(Probe::Rows {
        sql,
        found: Verdict {
            severity: Severity::Error,
            evidence,
        },
        none: None,
    }))
}

/// `count(*)` where two independent tables are joined through a third: each row of
/// one is counted with each row of the other.
fn counted_twice(tree: &Tree<'_>, block: usize) -> Option<Finding> {
    let here = tree.block(block)?;
    let mut fixing = tree.fixing(block);
    fixing.fix_groups();
    let is_known = here.sources.iter().all(|source| !source.keys().is_empty());
    if !is_known || here.sources.len() < 3 {
        return None;
    }
    let covers = |source: usize| {
        fixing
            .determined(&[source])
            .iter()
            .enumerate()
            .all(|(other, is_fixed)| *is_fixed || fixing.has_constant(other))
    };
    if (0..here.sources.len()).any(covers) {
        return None;
    }
    // The sources that are not determined by another one: the branches that multiply each other.
    let branches: Vec<String> = (0..here.sources.len())
        .filter(|source| {
            !(0..here.sources.len()).any(|other| {
                other != *source
                    && fixing
                        .determined(&[other])
                        .get(*source)
                        .copied()
                        .unwrap_or(false)
            })
        })
        .filter_map(|source| here.sources.get(source))
        .map(|source| called(&source.name, source.table().map(|table| table.sql_name())))
        .collect();
    if branches.len() < 2 {
        return None;
    }
    let list = branches.join(&format!(" {} ", say!("and")));
    Some(
        Finding::new(
            Check::JoinFanOut,
            Severity::Warning,
            Basis::Proved,
            say!(
                "count(*) counts each combination of rows of {list}: none of them fixes the \
                 other, so every row of one is repeated for each row of the other.",
                list
            ),
        )
        .with_fix(say!("count {list} in sub-queries of their own", list)),
    )
}

/// The sources whose rows can repeat those of `source` according to the keys.
pub(super) fn repeating(tree: &Tree<'_>, block: usize, source: usize) -> Vec<usize> {
    let Some(here) = tree.block(block) else {
        return Vec::new();
    };
    let mut fixing = tree.fixing(block);
    fixing.fix_groups();
    let mut start = vec![source];
    // A name is meant to identify one object, even without a unique constraint.
    start.extend((0..here.sources.len()).filter(|other| fixing.has_constant(*other)));
    fixing
        .determined(&start)
        .iter()
        .enumerate()
        .filter(|(_, is_fixed)| !**is_fixed)
        .map(|(other, _)| other)
        .filter(|other| {
            here.sources.get(*other).is_some_and(|source| {
                let is_table = matches!(source.rows, Rows::Table(_) | Rows::Result(_));
                is_table && !source.keys().is_empty()
            })
        })
        .collect()
}

/// A query that returns a row if some row of `source` occurs twice in a group.
fn repetition_query(
    tree: &Tree<'_>,
    block: usize,
    source: usize,
    key: &[String],
) -> Option<String> {
    let here = tree.block(block)?;
    let owner = here.sources.get(source)?;
    if key.is_empty() {
        return None;
    }
    let mut groups: Vec<String> = key
        .iter()
        .map(|column| {
            format!(
                "{}.{}",
                quote_identifier(&owner.name),
                quote_identifier(column)
            )
        })
        .collect();
    let present = format!("{} IS NOT NULL", groups.first()?);
    if let GroupByExpr::Expressions(expressions, modifiers) = &here.select.group_by {
        if !modifiers.is_empty() {
            return None;
        }
        for expression in expressions {
            let meant = match tree.resolve(block, expression) {
                Some(_) => expression,
                None => meant_by(expression, &here.select.projection),
            };
            groups.push(meant.to_string());
        }
    }
    let (with, from) = here.frame();
    let filter = match &here.select.selection {
        Some(condition) => format!("({condition}) AND {present}"),
        None => present,
    };
    Some(format!(
        "{with}SELECT 1 {from} WHERE {filter} GROUP BY {} HAVING count(*) > 1 LIMIT 1",
        groups.join(", ")
    ))
}

/// The name of a source in a sentence: its table's name if it has one.
pub(super) fn called(name: &str, table: Option<String>) -> String {
    match table {
        Some(table) => table,
        None if name.is_empty() => say!("the sub-query"),
        None => quote_identifier(name),
    }
}
