//! Indexes that would help: candidates from the conditions, joins and sort orders of a query, each
//! priced by the planner as if it were there.

use sqlparser::ast::{BinaryOperator, Expr, OrderByKind, OrderBySort};

use super::{ExistingIndex, Planner, Proposal, ProposalKind, Storage};
use crate::error::Error;
use crate::explain::condition::without_parentheses;
use crate::explain::function::read_call;
use crate::explain::literal::{constant_text, is_constant};
use crate::schema::{Table, TableKind, TypeCategory, quote_identifier};
use crate::sql_tree::keys::meant_by;
use crate::sql_tree::{Tree, walk};

/// Most indexes that are priced.
const MOST_CANDIDATES: usize = 16;

/// Most indexes that are proposed.
const MOST_PROPOSED: usize = 3;

/// An index that saves less is not worth its upkeep.
const LEAST_SAVING: f64 = 0.05;

/// An index that could be made.
#[derive(Debug, Clone, PartialEq)]
struct Candidate {
    table: u32,
    /// The table as SQL names it, with its schema.
    on: String,
    /// Key parts as SQL: columns, or an expression in parentheses.
    keys: Vec<String>,
    /// The bare columns, where every part is one.
    columns: Vec<String>,
    /// What it serves.
    serves: String,
}

impl Candidate {
    fn statement(&self) -> String {
        format!("CREATE INDEX ON {} ({})", self.on, self.keys.join(", "))
    }
}

/// Index proposals, and notes on what could not be found out.
pub(super) fn proposals(
    sql: &str,
    tree: &Tree<'_>,
    storage: &[Storage],
    before: f64,
    planner: &dyn Planner,
) -> Result<(Vec<Proposal>, Vec<Proposal>), Error> {
    let candidates = candidates(tree, storage);
    if candidates.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    if !planner.can_imagine() {
        let mut note = Proposal::new(
            ProposalKind::Note,
            "hypopg is not installed, so indexes cannot be priced: this one could serve the query, \
             or not.",
        );
        let mut unpriced = Vec::new();
        for candidate in candidates.iter().take(MOST_PROPOSED) {
            let mut proposal = Proposal::new(
                ProposalKind::Index,
                format!("It would serve {}.", candidate.serves),
            );
            proposal.sql = Some(concurrently(candidate));
            proposal.caveats = Some("Not priced: hypopg is not installed.".to_owned());
            unpriced.push(proposal);
        }
        note.explanation =
            "hypopg is not installed, so that indexes are proposed without a cost.".to_owned();
        note.sql = Some("CREATE EXTENSION hypopg".to_owned());
        return Ok((unpriced, vec![note]));
    }
    let mut priced = Vec::new();
    for candidate in candidates {
        let Some(imagined) = planner.plan(sql, &[candidate.statement()])? else {
            continue;
        };
        let after = imagined.plan.cost();
        let used = imagined.plan.indexes();
        let is_used = imagined
            .names
            .iter()
            .any(|name| used.contains(&name.as_str()));
        if is_used && after <= before * (1.0 - LEAST_SAVING) {
            priced.push((candidate, after, imagined.sizes.first().copied()));
        }
    }
    priced.sort_by(|a, b| {
        a.1.total_cmp(&b.1)
            .then(a.0.keys.len().cmp(&b.0.keys.len()))
    });
    let mut proposals: Vec<Proposal> = Vec::new();
    let mut chosen: Vec<Candidate> = Vec::new();
    for (candidate, after, size) in priced {
        // The same saving by a longer index is no second proposal.
        let is_known = chosen.iter().any(|other| {
            other.table == candidate.table
                && other.keys.first() == candidate.keys.first()
                && other.columns != candidate.columns
        });
        if is_known || proposals.len() >= MOST_PROPOSED {
            continue;
        }
        let mut proposal = Proposal::new(
            ProposalKind::Index,
            format!("It serves {}.", candidate.serves),
        );
        proposal.sql = Some(concurrently(&candidate));
        proposal.cost_before = Some(before);
        proposal.cost_after = Some(after);
        proposal.size = size;
        proposal.caveats = Some(caveats(&candidate, storage));
        proposals.push(proposal);
        chosen.push(candidate);
    }
    proposals.extend(together(sql, &chosen, before, &proposals, planner)?);
    Ok((proposals, Vec::new()))
}

/// All of the chosen indexes at once, where that is better than the best alone.
fn together(
    sql: &str,
    chosen: &[Candidate],
    before: f64,
    proposals: &[Proposal],
    planner: &dyn Planner,
) -> Result<Option<Proposal>, Error> {
    if chosen.len() < 2 {
        return Ok(None);
    }
    let statements: Vec<String> = chosen.iter().map(Candidate::statement).collect();
    let Some(imagined) = planner.plan(sql, &statements)? else {
        return Ok(None);
    };
    let after = imagined.plan.cost();
    let best = proposals
        .iter()
        .filter_map(|proposal| proposal.cost_after)
        .fold(f64::INFINITY, f64::min);
    if after > best * (1.0 - LEAST_SAVING) {
        return Ok(None);
    }
    let mut proposal = Proposal::new(
        ProposalKind::Index,
        "All of these together serve the query better than one of them.",
    );
    let ddl: Vec<String> = chosen.iter().map(concurrently).collect();
    proposal.sql = Some(ddl.join(";\n"));
    proposal.cost_before = Some(before);
    proposal.cost_after = Some(after);
    proposal.size = Some(imagined.sizes.iter().sum());
    proposal.caveats = Some("Each index makes every INSERT and most UPDATEs slower.".to_owned());
    Ok(Some(proposal))
}

fn concurrently(candidate: &Candidate) -> String {
    candidate
        .statement()
        .replacen("CREATE INDEX ON", "CREATE INDEX CONCURRENTLY ON", 1)
}

fn caveats(candidate: &Candidate, storage: &[Storage]) -> String {
    let mut words = vec![
        "It makes every INSERT and most UPDATEs slower, and only the table's owner can make it."
            .to_owned(),
    ];
    let existing = storage
        .iter()
        .filter(|own| own.table == candidate.table)
        .flat_map(|own| &own.indexes);
    let redundant: Vec<&str> = existing
        .filter(|index| {
            !index.is_unique
                && !index.is_partial
                && index.method == "btree"
                && !candidate.columns.is_empty()
                && index.columns.len() < candidate.columns.len()
                && is_start(&index.columns, &candidate.columns)
        })
        .map(|index| index.name.as_str())
        .collect();
    if !redundant.is_empty() {
        words.push(format!(
            "It would make {} redundant, which begins it.",
            redundant.join(", ")
        ));
    }
    words.join(" ")
}

fn is_start(short: &[Option<String>], long: &[String]) -> bool {
    short
        .iter()
        .zip(long)
        .all(|(one, other)| one.as_ref() == Some(other))
}

/// Whether an index that is there serves the candidate's columns already.
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

/// What a condition does with a column.
#[derive(Default)]
struct Uses {
    /// Compared with `=`: column and how many different values it has.
    equal: Vec<(String, f64)>,
    /// Compared as a range.
    range: Vec<String>,
    /// Equal to a column of another source.
    joined: Vec<String>,
    /// Expressions compared with `=`.
    expressions: Vec<String>,
    /// Sorted by, when LIMIT makes order worth an index.
    sorted: Vec<String>,
}

fn candidates(tree: &Tree<'_>, storage: &[Storage]) -> Vec<Candidate> {
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
                if is_new && found.len() < MOST_CANDIDATES {
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
            uses.sorted.push(format!(
                "{}{direction}{nulls}",
                quote_identifier(&reference.column)
            ));
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
    // A value that is fixed while the table is read: a constant, a sub-query, an outer column.
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

/// `lower(name)` and the like: what an index on an expression can hold.
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

/// The candidates of one table, the most telling first.
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
    // The column that tells most rows apart comes first.
    equal.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut equal: Vec<String> = equal.into_iter().map(|(column, _)| column).collect();
    equal.dedup();
    equal.truncate(3);
    let name = table.sql_name();
    let list = |columns: &[String]| columns.join(", ");
    let mut found = Vec::new();
    for expression in &uses.expressions {
        found.push(make(
            &[],
            std::slice::from_ref(expression),
            format!("the condition on {expression} of {name}"),
        ));
    }
    if !uses.sorted.is_empty() {
        found.push(make(
            &equal,
            &uses.sorted,
            format!("the order and LIMIT on {name}, without a sort"),
        ));
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
