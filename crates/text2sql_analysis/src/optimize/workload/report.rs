//! What is proposed for a workload, in words: what it gains, what it costs, and what is there already.

use serde::{Deserialize, Serialize};
use text2sql_phrases::say;

use super::proposals::{ProposedIndex, ProposedRewrite, WorkloadProposals};

/// Number of times that an index must have been used, to count as used.
const USED: f64 = 1.0;

/// A statement of the workload as it was recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Its number in `pg_stat_statements`.
    pub queryid: i64,
    /// Its text, with `$n` instead of constants.
    pub text: String,
    /// How often it ran.
    pub calls: f64,
    /// Its share of the time of all statements of the database.
    pub share: f64,
    /// The columns that it changes, with their table.
    pub changes: Vec<(u32, String)>,
}

/// What the server has counted of a table, and its indexes.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
pub struct TableFacts {
    /// OID of the table.
    pub table: u32,
    /// Its name as SQL writes it.
    pub name: String,
    /// Rows inserted.
    pub inserted: f64,
    /// Rows updated.
    pub updated: f64,
    /// Rows updated without new entries in indexes.
    pub hot_updated: f64,
    /// Rows deleted.
    pub deleted: f64,
    /// Its indexes.
    pub indexes: Vec<IndexFacts>,
}

/// What the server has counted of an index.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
pub struct IndexFacts {
    /// Its name as SQL writes it.
    pub name: String,
    /// Key columns; `None` for an expression.
    pub columns: Vec<Option<String>>,
    /// Whether it is a plain B-tree over all rows that no constraint needs.
    pub is_plain: bool,
    /// Whether rows depend on it: unique, of a constraint, or the identity of replicated rows.
    pub is_needed: bool,
    /// Scans.
    pub scans: f64,
    /// Size in bytes.
    pub size: f64,
    /// Another index with the same definition.
    pub same_as: Option<String>,
}

/// A line of the report.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Line {
    /// `workload`, `index`, `rewrite`, `unused`, `duplicate` or `note`.
    pub kind: &'static str,
    /// What it does.
    pub explanation: String,
    /// SQL to run.
    pub sql: Option<String>,
    /// The planner's cost times the calls, before.
    pub cost_before: Option<f64>,
    /// The same after.
    pub cost_after: Option<f64>,
    /// Size in bytes.
    pub size: Option<f64>,
    /// What it costs, and what to consider.
    pub caveats: Option<String>,
    /// The statements that gain.
    pub statements: Vec<Gain>,
}

/// A statement that gains.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gain {
    /// Its number in `pg_stat_statements`.
    pub queryid: i64,
    /// Its calls.
    pub calls: f64,
    /// Its share of the time of all statements.
    pub share: f64,
    /// The cost of a call before.
    pub cost_before: f64,
    /// The cost of a call after.
    pub cost_after: f64,
    /// Its text.
    pub query: String,
}

/// A note without anything to run.
pub fn note(explanation: String) -> Line {
    Line {
        kind: "note",
        explanation,
        ..Line::default()
    }
}

/// The lines of the report. `since` is when the server began to count.
pub fn report(
    proposals: &WorkloadProposals,
    recorded: &[Recorded],
    tables: &[TableFacts],
    since: &str,
) -> Vec<Line> {
    let mut lines = vec![workload(proposals, recorded)];
    let indexes = proposals.indexes.iter();
    lines.extend(
        indexes.map(|index| of_index(index, proposals.is_planned, recorded, tables, since)),
    );
    lines.extend(
        proposals
            .rewrites
            .iter()
            .filter_map(|one| of_rewrite(one, recorded)),
    );
    lines.extend(tables.iter().flat_map(|table| existing(table, since)));
    if proposals.is_cut {
        lines.push(note(say!(
            "There were too many combinations to plan them all: fewer statements give a more exact choice."
        )));
    }
    if !proposals.is_planned {
        lines.push(Line {
            sql: Some("CREATE EXTENSION hypopg".to_owned()),
            ..note(say!(
                "hypopg is not installed: the costs with an index are guessed from the plans, and only for conditions that now read a whole table."
            ))
        });
    }
    lines
}

fn workload(proposals: &WorkloadProposals, recorded: &[Recorded]) -> Line {
    let total = |costs: &[Option<f64>]| -> f64 {
        let costs = costs.iter().zip(recorded);
        costs
            .map(|(cost, one)| cost.unwrap_or(0.0) * one.calls)
            .sum()
    };
    let planned = proposals.before.iter().zip(recorded);
    let planned: Vec<&Recorded> = planned
        .filter(|(cost, _)| cost.is_some())
        .map(|(_, one)| one)
        .collect();
    let share: f64 = planned.iter().map(|one| one.share).sum();
    let explanation = match proposals.indexes.len() {
        0 => say!(
            "Planned: {count} of the statements, with {share} % of the time. No index was found that is worth its upkeep.",
            count = planned.len(),
            share = percent(share)
        ),
        indexes => say!(
            "Planned: {count} of the statements, with {share} % of the time. New indexes proposed for all of them together: {indexes}.",
            count = planned.len(),
            share = percent(share)
        ),
    };
    Line {
        kind: "workload",
        explanation,
        cost_before: Some(total(&proposals.before)),
        cost_after: Some(total(&proposals.after)),
        size: Some(proposals.indexes.iter().map(|index| index.size).sum()),
        ..Line::default()
    }
}

fn percent(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}

fn of_index(
    index: &ProposedIndex,
    is_planned: bool,
    recorded: &[Recorded],
    tables: &[TableFacts],
    since: &str,
) -> Line {
    let gains: Vec<Gain> = index
        .gains
        .iter()
        .filter_map(|(place, before, after)| gain(recorded.get(*place)?, *before, *after))
        .collect();
    let share: f64 = gains.iter().map(|gain| gain.share).sum();
    let explanation = say!(
        "It would be used by {count} of the statements, with {share} % of the time.",
        count = gains.len(),
        share = percent(share)
    );
    let total =
        |cost: fn(&Gain) -> f64| -> f64 { gains.iter().map(|gain| cost(gain) * gain.calls).sum() };
    let table = tables.iter().find(|table| table.table == index.table);
    let mut caveats: Vec<String> = Vec::new();
    if !is_planned {
        caveats.push(say!("Its costs are guessed."));
    }
    caveats.extend(table.map(|table| writes(table, since)));
    caveats.extend(hot(index, table, recorded));
    if !index.redundant.is_empty() {
        caveats.push(say!(
            "It would make {names} redundant, which begins it.",
            names = index.redundant.join(", ")
        ));
    }
    Line {
        kind: "index",
        explanation,
        sql: Some(
            index
                .statement
                .replacen("CREATE INDEX ON", "CREATE INDEX CONCURRENTLY ON", 1),
        ),
        cost_before: Some(total(|gain| gain.cost_before)),
        cost_after: Some(total(|gain| gain.cost_after)),
        size: Some(index.size),
        caveats: Some(caveats.join(" ")),
        statements: gains,
    }
}

fn gain(recorded: &Recorded, cost_before: f64, cost_after: f64) -> Option<Gain> {
    Some(Gain {
        queryid: recorded.queryid,
        calls: recorded.calls,
        share: (recorded.share * 10_000.0).round() / 10_000.0,
        cost_before,
        cost_after,
        query: recorded.text.clone(),
    })
}

/// What every row that is written would pay for.
fn writes(table: &TableFacts, since: &str) -> String {
    say!(
        "Each row that is written needs an entry: since {since} {name} had {inserted} rows inserted, {updated} updated and {deleted} deleted, and it has {count} indexes.",
        name = table.name,
        inserted = table.inserted,
        updated = table.updated,
        deleted = table.deleted,
        count = table.indexes.len()
    )
}

/// Whether updates that now touch no index would have to.
fn hot(index: &ProposedIndex, table: Option<&TableFacts>, recorded: &[Recorded]) -> Option<String> {
    let table = table?;
    let is_indexed = |column: &str| {
        let mut columns = table.indexes.iter().flat_map(|index| &index.columns);
        columns.any(|known| known.as_deref() == Some(column))
    };
    let changed = |column: &&String| {
        let mut changes = recorded.iter().flat_map(|one| &one.changes);
        changes.any(|(oid, name)| *oid == table.table && name == *column)
    };
    let columns: Vec<&str> = index
        .columns
        .iter()
        .filter(|column| !is_indexed(column))
        .filter(changed)
        .map(String::as_str)
        .collect();
    match columns.as_slice() {
        [] if table.hot_updated > 0.0 && index.columns.is_empty() => Some(say!(
            "An expression was not compared with the columns that UPDATEs change."
        )),
        [] => None,
        columns => Some(say!(
            "Statements of the workload change {columns}, which no index has yet: their updates could no longer be HOT ({hot} of {updated} were).",
            columns = columns.join(", "),
            hot = table.hot_updated,
            updated = table.updated
        )),
    }
}

fn of_rewrite(one: &ProposedRewrite, recorded: &[Recorded]) -> Option<Line> {
    let statement = recorded.get(one.statement)?;
    let explanation = say!(
        "{what} Same rows because {because}.",
        what = one.rewrite.what,
        because = one.rewrite.because
    );
    Some(Line {
        kind: "rewrite",
        explanation,
        sql: Some(one.rewrite.sql.clone()),
        cost_before: Some(one.before * statement.calls),
        cost_after: Some(one.after * statement.calls),
        caveats: one.rewrite.caveat.clone(),
        statements: gain(statement, one.before, one.after).into_iter().collect(),
        ..Line::default()
    })
}

/// Indexes that nothing used, and those that another one makes superfluous.
fn existing(table: &TableFacts, since: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    for index in &table.indexes {
        let line = |kind, explanation| Line {
            kind,
            explanation,
            size: Some(index.size),
            ..Line::default()
        };
        if let Some(other) = &index.same_as {
            lines.push(line(
                "duplicate",
                say!(
                    "{name} has the same definition as {other}.",
                    name = index.name
                ),
            ));
            continue;
        }
        let longer = table
            .indexes
            .iter()
            .find(|other| is_beginning(index, other));
        if let Some(other) = longer {
            lines.push(line(
                "duplicate",
                say!(
                    "{name} has the columns with which {other} begins.",
                    name = index.name,
                    other = other.name
                ),
            ));
        } else if index.scans < USED && !index.is_needed {
            lines.push(Line {
                caveats: Some(say!(
                    "A standby counts for itself, and an index may be for work that is rare."
                )),
                ..line(
                    "unused",
                    say!(
                        "Nothing on this server has used {name} since {since}.",
                        name = index.name
                    ),
                )
            });
        }
    }
    lines
}

fn is_beginning(short: &IndexFacts, long: &IndexFacts) -> bool {
    short.is_plain
        && long.is_plain_or_needed_tree()
        && short.columns.len() < long.columns.len()
        && long.columns.starts_with(&short.columns)
        && short.columns.iter().all(Option::is_some)
}

impl IndexFacts {
    /// A longer B-tree over all rows, which may belong to a constraint.
    fn is_plain_or_needed_tree(&self) -> bool {
        self.is_plain || self.is_needed
    }
}
