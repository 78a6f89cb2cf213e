//! Join fan-out: an aggregate sums a value of one table, and a join repeats that table's rows.

use sqlparser::ast::{BinaryOperator, Expr, GroupByExpr, WindowType};
use text2sql_phrases::say;

use super::{Basis, Check, Finding, Probe, Severity, Verdict};
use text2sql_domain::schema::quote_identifier;
use text2sql_language::names::readable;
use text2sql_sql::tree::keys::meant_by;
use text2sql_sql::tree::syntax::{read_call, without_parentheses};
use text2sql_sql::tree::walk::grouped_expressions;
use text2sql_sql::tree::{Aggregate, Block, JoinKind, Reference, Tree, aggregates, walk};

pub(super) fn check(tree: &Tree<'_>, found: &mut Vec<Finding>) {
    for (position, block) in tree.blocks.iter().enumerate() {
        for aggregate in aggregates(block.select, block.query) {
            if let Some(argument) = aggregate.argument {
                found.extend(repeated_below(tree, position, &aggregate, argument));
            }
        }
        if block.sources.len() < 2 {
            continue;
        }
        for aggregate in aggregates(block.select, block.query) {
            let finding = match aggregate.argument {
                Some(argument) => multiplied(tree, position, &aggregate, argument)
                    .or_else(|| one_of_several(tree, position, &aggregate, argument)),
                None => counted_twice(tree, position),
            };
            found.extend(finding);
        }
        for expression in grouped_expressions(block.select, block.query) {
            walk(expression, &mut |part| {
                found.extend(over_window(tree, position, part))
            });
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
    let repeating = tree.repeating(block, *source, &[]);
    // Where a table has no key, only the data can say whether it repeats rows.
    let is_open = repeating.is_empty();
    let names = match is_open {
        true => names_of(here, &tree.not_determined(block, *source, &[])),
        false => names_of(here, &repeating),
    };
    if names.is_empty() || (is_open && (is_hidden || aggregate.name != "sum")) {
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
        return Some(Check::DistinctHidesFanOut.warning(evidence).with_fix(say!(
            "aggregate {owner_name} before joining {others}",
            owner_name,
            others
        )));
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
    let evidence = match is_open {
        true => String::new(),
        false => evidence,
    };
    let finding =
        Finding::new(Check::JoinFanOut, severity, Basis::Possible, evidence).with_fix(fix);
    let Some(sql) = repetition_query(tree, block, *source, own_key, &[]) else {
        return Some(finding).filter(|_| !is_open);
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
        none: (!is_open).then(|| Verdict {
            severity: Severity::Note,
            evidence: say!("No key keeps the join with {others} from repeating rows of {owner_name} under {call}; \
                 in the data of this moment it does not.", others, owner_name, call = aggregate.call),
        }),
    }))
}

/// `sum(a.x - b.y)` where each row of `a` can match several rows of `b`. Prices or days of both may be compared row by
/// row, so this is never proved.
fn one_of_several(
    tree: &Tree<'_>,
    block: usize,
    aggregate: &Aggregate<'_>,
    argument: &Expr,
) -> Option<Finding> {
    if aggregate.name != "sum" || aggregate.is_distinct {
        return None;
    }
    let addends = addends(argument);
    let last_word = |addend: &&Expr| {
        let column = tree.columns_in(block, addend).into_iter().next()?;
        let words = readable(&column.column);
        words.split(' ').next_back().map(str::to_owned)
    };
    let mut kinds: Vec<String> = addends.iter().filter_map(last_word).collect();
    let count = kinds.len();
    kinds.sort();
    kinds.dedup();
    let are_alike = kinds.len() < count;
    if addends.len() < 2 || are_alike {
        return None;
    }
    let mut finding = addends
        .iter()
        .find_map(|addend| multiplied(tree, block, aggregate, addend))?;
    if let Some(Probe::Rows { found, .. }) = &mut finding.probe {
        found.severity = Severity::Warning;
    }
    Some(finding)
}

/// What a sum or a difference is made of.
fn addends(expression: &Expr) -> Vec<&Expr> {
    match without_parentheses(expression) {
        Expr::BinaryOp {
            left,
            op: BinaryOperator::Plus | BinaryOperator::Minus,
            right,
        } => [addends(left), addends(right)].concat(),
        other => vec![other],
    }
}

/// `sum(x.a)` where a CTE or sub-query passes on the value of a row that a join inside of it repeats.
fn repeated_below(
    tree: &Tree<'_>,
    block: usize,
    aggregate: &Aggregate<'_>,
    argument: &Expr,
) -> Option<Finding> {
    if !aggregate.counts_duplicates() || !matches!(aggregate.name.as_str(), "sum" | "avg") {
        return None;
    }
    // Where another column takes part, the value may be meant once for each row: a price times a quantity.
    let columns = tree.columns_in(block, argument);
    let repeated = |column: &Reference| tree.passed_on(column)?.repeated.first().copied();
    let (below, source) = columns.first().and_then(repeated)?;
    if columns
        .iter()
        .any(|column| repeated(column) != Some((below, source)))
    {
        return None;
    }
    let inner = tree.block(below)?;
    let owner = inner.sources.get(source)?;
    let others = tree.repeating(below, source, &[]);
    let is_of_others = |column: &Reference| {
        let origin = tree
            .passed_on(column)
            .and_then(|output| output.origin.as_ref());
        origin.is_some_and(|(table, _)| {
            let mut tables = others
                .iter()
                .filter_map(|other| inner.sources.get(*other)?.table());
            tables.any(|other| other.oid == table.oid)
        })
    };
    // A group of one row of the others has no repetition.
    let here = tree.block(block)?;
    if let GroupByExpr::Expressions(groups, _) = &here.select.group_by {
        let mut groups = groups
            .iter()
            .map(|group| meant_by(group, &here.select.projection));
        if groups.any(|group| tree.columns_in(block, group).iter().any(is_of_others)) {
            return None;
        }
    }
    let own_keys = owner.keys();
    let owner_name = called(&owner.name, owner.table().map(|table| table.sql_name()));
    let others = names_of(inner, &others).join(&format!(" {} ", say!("and")));
    let probe = own_keys
        .first()
        .and_then(|key| repetition_query(tree, below, source, key, &[]));
    let call = aggregate.call.to_string();
    Some(taken_often(
        probe,
        &aggregate.name,
        &owner_name,
        &others,
        &call,
    ))
}

/// `sum(a.x) OVER (…)` where a join repeats the rows of `a`.
fn over_window(tree: &Tree<'_>, block: usize, expression: &Expr) -> Option<Finding> {
    let Expr::Function(function) = expression else {
        return None;
    };
    let Some(WindowType::WindowSpec(window)) = &function.over else {
        return None;
    };
    let call = read_call(function);
    let here = tree.block(block)?;
    let is_grouped = !aggregates(here.select, here.query).is_empty()
        || !matches!(&here.select.group_by, GroupByExpr::Expressions(groups, _) if groups.is_empty());
    if !matches!(call.name.as_str(), "sum" | "avg") || call.is_distinct || is_grouped {
        return None;
    }
    let argument = call.arguments.first()?;
    let sources = tree.sources_in(block, argument);
    let [source] = sources.as_slice() else {
        return None;
    };
    let partition: Vec<Reference> = window
        .partition_by
        .iter()
        .filter_map(|part| {
            tree.resolve(block, part)
                .filter(|column| column.block == block)
        })
        .collect();
    let owner = here.sources.get(*source)?;
    let own_keys = owner.keys();
    let own_key = own_keys.first()?;
    let others = names_of(here, &tree.repeating(block, *source, &partition));
    if others.is_empty() {
        return None;
    }
    let owner_name = called(&owner.name, owner.table().map(|table| table.sql_name()));
    let others = others.join(&format!(" {} ", say!("and")));
    let short = text2sql_language::english::shorten(&function.to_string(), 120);
    let probe = repetition_query(tree, block, *source, own_key, &partition);
    Some(taken_often(probe, &call.name, &owner_name, &others, &short))
}

/// A call that takes rows as often as a join repeats them, with a probe that says whether it does in the data. An average
/// over the joined rows can be intended.
fn taken_often(
    probe: Option<String>,
    function: &str,
    owner_name: &str,
    others: &str,
    call: &str,
) -> Finding {
    let finding = Check::JoinFanOut
        .doubt(say!(
            "One row of {owner_name} can meet several rows of {others}, so {call} takes it more than once.",
            owner_name,
            others,
            call
        ))
        .with_fix(say!(
            "aggregate {owner_name} before joining {others}",
            owner_name,
            others
        ));
    let Some(sql) = probe else {
        return finding;
    };
    finding.with_probe(Probe::Rows {
        sql,
        found: Verdict {
            severity: match function {
                "avg" => Severity::Warning,
                _ => Severity::Error,
            },
            evidence: say!("The join with {others} repeats rows of {owner_name} in this data, and {call} takes \
                 each of them more than once.", others, owner_name, call),
        },
        none: Some(Verdict {
            severity: Severity::Note,
            evidence: say!("No key keeps the join with {others} from repeating rows of {owner_name} under {call}; \
                 in the data of this moment it does not.", others, owner_name, call),
        }),
    })
}

/// The names of sources in a sentence.
fn names_of(block: &Block<'_>, sources: &[usize]) -> Vec<String> {
    let sources = sources
        .iter()
        .filter_map(|source| block.sources.get(*source));
    sources
        .map(|source| called(&source.name, source.table().map(|table| table.sql_name())))
        .collect()
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
        let repeated = tree.repeating(position, one.0, &[]);
        let others = counted.iter().skip(place + 1);
        others
            .filter(|other| repeated.contains(&other.0))
            .find(|other| tree.repeating(position, other.0, &[]).contains(&one.0))
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
    let finding = Check::JoinFanOut.doubt(say!("{first} and {second} meet through another table, so {one} counts a row once for each row \
             of {second}, and {other} once for each row of {first}.", first, second, one = one.1, other = other.1))
    .with_fix(say!("count(DISTINCT …) of both, or count {first} and {second} in sub-queries of their own", first, second));
    let keys = block.sources.get(one.0)?.keys();
    let Some(sql) = repetition_query(tree, position, one.0, keys.first()?, &[]) else {
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
        Check::JoinFanOut
            .warning(say!(
                "count(*) counts each combination of rows of {list}: none of them fixes the \
                 other, so every row of one is repeated for each row of the other.",
                list
            ))
            .with_fix(say!("count {list} in sub-queries of their own", list)),
    )
}

/// A query that returns a row if some row of `source` occurs twice in a group.
pub(super) fn repetition_query(
    tree: &Tree<'_>,
    block: usize,
    source: usize,
    key: &[String],
    together: &[Reference],
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
    groups.extend(together.iter().map(|column| tree.sql(column)));
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
