//! Candidate indexes for a query's conditions, joins and sort orders.

use sqlparser::ast::{BinaryOperator, Expr, OrderByKind, OrderBySort};

use super::{ExistingIndex, Storage};
use text2sql_domain::schema::{Table, TableKind, TypeCategory, quote_identifier};
use text2sql_sql::tree::keys::meant_by;
use text2sql_sql::tree::syntax::{constant_text, is_constant, read_call, without_parentheses};
use text2sql_sql::tree::{Tree, walk};

/// Maximum number of indexes whose cost is estimated.
const MAX_CANDIDATES: usize = 16;

/// A possible index.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    /// The table's OID.
    pub(super) table: u32,
    /// The SQL name of the table, with its schema.
    on: String,
    /// Key parts as SQL: columns, or an expression in parentheses.
    pub(super) keys: Vec<String>,
    /// The columns, if every key part is a column.
    pub(super) columns: Vec<String>,
    /// The clause that it supports.
    pub(super) serves: String,
}

impl Candidate {
    /// One of these columns, for tests.
    #[cfg(test)]
    pub(super) fn named(table: u32, columns: &[&str]) -> Self {
        let columns: Vec<String> = columns.iter().map(|&column| column.to_owned()).collect();
        Self {
            table,
            on: format!("t{table}"),
            keys: columns.clone(),
            columns,
            serves: String::new(),
        }
    }

    /// The CREATE INDEX statement.
    pub(super) fn statement(&self) -> String {
        format!("CREATE INDEX ON {} ({})", self.on, self.keys.join(", "))
    }
}

/// Whether an existing index already covers the candidate's columns.
fn is_served(candidate: &Candidate, indexes: &[ExistingIndex]) -> bool {
    !candidate.columns.is_empty()
        && indexes.iter().any(|index| {
            !index.is_partial
                && index.method == "btree"
                && index.columns.len() >= candidate.columns.len()
                && candidate
                    .columns
                    .iter()
                    .zip(&index.columns)
                    .all(|(own, known)| known.as_ref() == Some(own))
        })
}

/// How a query uses the columns of a table.
#[derive(Default)]
struct Uses {
    /// Compared with `=`: column and number of distinct values.
    equal: Vec<(String, f64)>,
    /// Compared as a range.
    range: Vec<String>,
    /// Joined with a column of another source.
    joined: Vec<String>,
    /// Expressions compared with `=`.
    expressions: Vec<String>,
    /// Sorted with a LIMIT, so that an index helps: column and SQL direction.
    sorted: Vec<(String, String)>,
}

/// Missing indexes that could help a query, the most selective of each table first.
pub(super) fn candidates(tree: &Tree<'_>, storage: &[Storage]) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for (position, block) in tree.blocks.iter().enumerate() {
        for (number, source) in block.sources.iter().enumerate() {
            let Some(table) = source.table() else {
                continue;
            };
            if !matches!(table.kind, TableKind::Table | TableKind::MaterializedView) {
                continue;
            }
            let indexes = storage
                .iter()
                .find(|own| own.table == table.oid)
                .map_or(&[][..], |own| &own.indexes);
            let uses = uses(tree, position, number, table);
            for candidate in of_table(table, &uses) {
                let is_new = !is_served(&candidate, indexes)
                    && !found.iter().any(|other| {
                        other.table == candidate.table && other.keys == candidate.keys
                    });
                if is_new && found.len() < MAX_CANDIDATES {
                    found.push(candidate);
                }
            }
        }
    }
    found
}

fn uses(tree: &Tree<'_>, block: usize, source: usize, table: &Table) -> Uses {
    let mut uses = Uses::default();
    let Some(here) = tree.block(block) else {
        return uses;
    };
    let conditions = here.filters().into_iter().chain(
        here.sources
            .iter()
            .flat_map(|own| own.conditions.iter().copied()),
    );
    for condition in conditions {
        add(tree, block, source, table, condition, &mut uses);
    }
    for (position, own) in here.sources.iter().enumerate() {
        for (left, column) in &own.shared {
            if position == source || *left == source {
                uses.joined.push(column.clone());
            }
        }
    }
    let order = here.query.and_then(|query| query.order_by.as_ref());
    let is_cut = here
        .query
        .is_some_and(|query| query.limit_clause.is_some() || query.fetch.is_some());
    if let Some(OrderByKind::Expressions(items)) = order.map(|order| &order.kind)
        && is_cut
    {
        for item in items {
            let meant = meant_by(&item.expr, &here.select.projection);
            let Some(reference) = tree
                .resolve(block, meant)
                .filter(|reference| reference.block == block && reference.source == source)
            else {
                uses.sorted.clear();
                break;
            };
            let descending = matches!(item.options.sort, Some(OrderBySort::Desc));
            let nulls = match item.options.nulls_first {
                Some(true) if !descending => " NULLS FIRST",
                Some(false) if descending => " NULLS LAST",
                _ => "",
            };
            let direction = if descending { " DESC" } else { "" };
            uses.sorted
                .push((reference.column, format!("{direction}{nulls}")));
        }
    }
    uses
}

fn add(
    tree: &Tree<'_>,
    block: usize,
    source: usize,
    table: &Table,
    condition: &Expr,
    uses: &mut Uses,
) {
    let own = |expression: &Expr| {
        tree.resolve(block, expression)
            .filter(|reference| reference.block == block && reference.source == source)
            .map(|reference| reference.column)
    };
    // A value that does not depend on the row: a constant, a sub-query, an outer column.
    let is_fixed = |expression: &Expr| {
        let mut is_free = true;
        walk(expression, &mut |part| {
            if let Some(reference) = tree.resolve(block, part) {
                is_free &= reference.block != block;
            }
        });
        is_free
    };
    match without_parentheses(condition) {
        Expr::BinaryOp { left, op, right } => {
            for (side, other) in [(left, right), (right, left)] {
                let Some(column) = own(side) else {
                    if let Some(text) = indexable_call(tree, block, source, side)
                        && is_fixed(other)
                        && *op == BinaryOperator::Eq
                    {
                        uses.expressions.push(text);
                    }
                    continue;
                };
                match op {
                    BinaryOperator::Eq if is_fixed(other) => {
                        uses.equal.push((column.clone(), distinct(table, &column)));
                    }
                    BinaryOperator::Eq if own(other).is_none() => uses.joined.push(column),
                    BinaryOperator::Lt
                    | BinaryOperator::LtEq
                    | BinaryOperator::Gt
                    | BinaryOperator::GtEq
                        if is_fixed(other) =>
                    {
                        uses.range.push(column);
                    }
                    _ => {}
                }
            }
        }
        Expr::Between {
            expr,
            negated: false,
            low,
            high,
        } if is_fixed(low) && is_fixed(high) => uses.range.extend(own(expr)),
        Expr::InList {
            expr,
            negated: false,
            list,
        } if list.iter().all(is_constant) => {
            if let Some(column) = own(expr) {
                uses.equal.push((column.clone(), distinct(table, &column)));
            }
        }
        Expr::InSubquery {
            expr,
            negated: false,
            ..
        } => uses.joined.extend(own(expr)),
        Expr::IsNull(expr) => {
            if let Some(column) = own(expr) {
                uses.equal.push((column.clone(), distinct(table, &column)));
            }
        }
        Expr::Like {
            expr,
            pattern,
            negated: false,
            ..
        } => {
            let has_start = constant_text(pattern)
                .is_some_and(|text| !text.starts_with(['%', '_']) && !text.is_empty());
            if let Some(column) = own(expr)
                && has_start
                && table
                    .column(&column)
                    .is_some_and(|column| column.category == TypeCategory::Text)
            {
                uses.expressions
                    .push(format!("{} text_pattern_ops", quote_identifier(&column)));
            }
        }
        _ => {}
    }
}

/// `lower(name)` and similar: calls that an expression index supports.
fn indexable_call(
    tree: &Tree<'_>,
    block: usize,
    source: usize,
    expression: &Expr,
) -> Option<String> {
    let Expr::Function(function) = without_parentheses(expression) else {
        return None;
    };
    let call = read_call(function);
    let [argument] = call.arguments.as_slice() else {
        return None;
    };
    let reference = tree.resolve(block, argument)?;
    let fits = matches!(call.name.as_str(), "lower" | "upper")
        && reference.block == block
        && reference.source == source;
    fits.then(|| format!("{}({})", call.name, quote_identifier(&reference.column)))
}

fn distinct(table: &Table, column: &str) -> f64 {
    table
        .column(column)
        .and_then(|column| column.statistics.as_ref())
        .and_then(|facts| facts.distinct_values)
        .unwrap_or(1.0)
}

/// The candidates of one table, the most selective first.
fn of_table(table: &Table, uses: &Uses) -> Vec<Candidate> {
    let on = format!(
        "{}.{}",
        quote_identifier(&table.schema),
        quote_identifier(&table.name)
    );
    let make = |columns: &[String], extra: &[String], serves: String| Candidate {
        table: table.oid,
        on: on.clone(),
        keys: columns
            .iter()
            .map(|column| quote_identifier(column))
            .chain(extra.iter().cloned())
            .collect(),
        columns: if extra.is_empty() {
            columns.to_vec()
        } else {
            Vec::new()
        },
        serves,
    };
    let mut equal = uses.equal.clone();
    // The column with the most distinct values comes first.
    equal.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut equal: Vec<String> = equal.into_iter().map(|(column, _)| column).collect();
    equal.dedup();
    equal.truncate(3);
    let name = table.sql_name();
    let list = |columns: &[String]| columns.join(", ");
    // An index with all directions reversed is scanned backwards.
    let is_turned = uses.sorted.iter().all(|(_, order)| order == " DESC");
    let sorted: Vec<(&String, &str)> = uses
        .sorted
        .iter()
        .map(|(column, order)| (column, if is_turned { "" } else { order.as_str() }))
        .collect();
    let mut found = Vec::new();
    for expression in &uses.expressions {
        found.push(make(
            &[],
            std::slice::from_ref(expression),
            format!("the condition on {expression} of {name}"),
        ));
    }
    if !sorted.is_empty() {
        let serves = format!("the order and LIMIT on {name}, without a sort");
        if sorted.iter().all(|(_, order)| order.is_empty()) {
            let mut columns = equal.clone();
            columns.extend(sorted.iter().map(|(column, _)| (*column).clone()));
            found.push(make(&columns, &[], serves));
        } else {
            let keys: Vec<String> = sorted
                .iter()
                .map(|(column, order)| format!("{}{order}", quote_identifier(column)))
                .collect();
            found.push(make(&equal, &keys, serves));
        }
    }
    for column in &uses.joined {
        if !equal.is_empty() && !equal.contains(column) {
            let mut both = equal.clone();
            both.push(column.clone());
            found.push(make(
                &both,
                &[],
                format!("the condition and the join on {name} ({})", list(&both)),
            ));
            let mut turned = vec![column.clone()];
            turned.extend(equal.iter().cloned());
            found.push(make(
                &turned,
                &[],
                format!("the join and the condition on {name} ({})", list(&turned)),
            ));
        }
        found.push(make(
            std::slice::from_ref(column),
            &[],
            format!("the join on {name}.{column}"),
        ));
    }
    for column in &uses.range {
        let mut both = equal.clone();
        if !both.contains(column) {
            both.push(column.clone());
        }
        found.push(make(
            &both,
            &[],
            format!("the conditions on {name} ({})", list(&both)),
        ));
        found.push(make(
            std::slice::from_ref(column),
            &[],
            format!("the range of {name}.{column}"),
        ));
    }
    if !equal.is_empty() {
        found.push(make(
            &equal,
            &[],
            format!("the conditions on {name} ({})", list(&equal)),
        ));
        if equal.len() > 1 {
            found.extend(equal.first().map(|first| {
                make(
                    std::slice::from_ref(first),
                    &[],
                    format!("the condition on {name}.{first}"),
                )
            }));
        }
    }
    found
}
