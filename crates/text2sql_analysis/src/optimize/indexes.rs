//! Index proposals: the planner estimates the cost with each candidate as a hypothetical index.

use super::candidates::{Candidate, candidates};
use super::{Planner, Proposal, ProposalKind, Storage};
use text2sql_domain::error::Error;
use text2sql_sql::tree::Tree;

/// Maximum number of proposed indexes.
const MAX_PROPOSED: usize = 3;

/// Minimum saving for an index to be worth its maintenance.
const MIN_SAVING: f64 = 0.05;

/// Index proposals, and notes on what could not be determined.
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
        for candidate in candidates.iter().take(MAX_PROPOSED) {
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
        if is_used && after <= before * (1.0 - MIN_SAVING) {
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
        // A longer index with the same saving is not proposed.
        let is_known = chosen.iter().any(|other| {
            other.table == candidate.table
                && other.keys.first() == candidate.keys.first()
                && other.columns != candidate.columns
        });
        if is_known || proposals.len() >= MAX_PROPOSED {
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

/// All chosen indexes together, if that is better than the best one alone.
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
    if after > best * (1.0 - MIN_SAVING) {
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
