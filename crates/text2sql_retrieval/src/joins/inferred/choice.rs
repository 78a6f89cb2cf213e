//! Chooses among the possible joins: for each column the one natural target.

use std::collections::{HashMap, HashSet};

use super::candidate::{Candidate, Reason};
use super::certainty::{LEAST, certainty};
use super::facts::{Overlap, Pair};

/// A proposed join.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// Its two sides.
    pub pair: Pair,
    /// The share of proposals like it that are right.
    pub certainty: f32,
    /// Why, in words, without a value.
    pub evidence: String,
}

/// A table and its referencing columns.
type Source<'a> = (u32, &'a [i16]);

/// Maximum number of proposals for a table, the most certain first.
const MAX_PER_TABLE: usize = 12;

/// Two targets as near as this are as likely.
const MARGIN: f32 = 0.04;

/// The proposals, most certain first for each table.
pub fn propose(candidates: &[Candidate], overlaps: &HashMap<Pair, Overlap>) -> Vec<Proposal> {
    let judged: Vec<(&Candidate, f32)> = candidates
        .iter()
        .map(|candidate| {
            (
                candidate,
                certainty(candidate, overlaps.get(&candidate.pair)),
            )
        })
        .filter(|(_, certainty)| *certainty >= LEAST)
        .collect();
    let mut by_source: HashMap<Source<'_>, Vec<(&Candidate, f32)>> = HashMap::new();
    for (candidate, certainty) in &judged {
        let source = (candidate.pair.from, candidate.pair.columns.as_slice());
        by_source
            .entry(source)
            .or_default()
            .push((*candidate, *certainty));
    }
    let leads: HashSet<(u32, &[i16], u32)> = judged
        .iter()
        .map(|(candidate, _)| {
            let pair = &candidate.pair;
            (pair.from, pair.columns.as_slice(), pair.to)
        })
        .collect();
    let chosen: HashMap<Source<'_>, (&Candidate, f32)> = by_source
        .into_iter()
        .filter_map(|(source, some)| Some((source, best(&some, &leads)?)))
        .collect();
    let by_key: HashSet<(u32, u32)> = chosen
        .values()
        .filter(|(candidate, _)| candidate.is_first)
        .map(|(candidate, _)| (candidate.pair.from, candidate.pair.to))
        .collect();
    let kept = chosen.values().filter(|(candidate, certainty)| {
        let pair = &candidate.pair;
        // A join by name or code adds nothing to the join by the table's key.
        if !candidate.is_first && by_key.contains(&(pair.from, pair.to)) {
            return false;
        }
        // If two tables have the same key, only one references the other; names or values must tell which.
        let turned = chosen.get(&(pair.to, pair.target_columns.as_slice()));
        !turned.is_some_and(|(other, others)| {
            other.pair.to == pair.from
                && other.pair.target_columns == pair.columns
                && match (other.stands, candidate.stands) {
                    (other, own) if other == own => *others > certainty - MARGIN,
                    (Some(other), Some(own)) => other < own,
                    (other, _) => other.is_some(),
                }
        })
    });
    let mut proposals: Vec<Proposal> = kept
        .map(|(candidate, certainty)| Proposal {
            pair: candidate.pair.clone(),
            certainty: *certainty,
            evidence: evidence(candidate, overlaps.get(&candidate.pair)),
        })
        .collect();
    proposals.sort_by(|one, other| {
        let by_table = one.pair.from.cmp(&other.pair.from);
        by_table
            .then(other.certainty.total_cmp(&one.certainty))
            .then(one.pair.cmp(&other.pair))
    });
    let (mut table, mut number) = (0, 0);
    proposals.retain(|proposal| {
        number = if proposal.pair.from == table {
            number + 1
        } else {
            1
        };
        table = proposal.pair.from;
        number <= MAX_PER_TABLE
    });
    proposals
}

/// The target of a column; none where several fit equally well.
fn best<'a>(
    some: &[(&'a Candidate, f32)],
    leads: &HashSet<(u32, &[i16], u32)>,
) -> Option<(&'a Candidate, f32)> {
    let top = some
        .iter()
        .map(|(_, certainty)| *certainty)
        .fold(0.0, f32::max);
    let mut near: Vec<&(&Candidate, f32)> = some
        .iter()
        .filter(|(_, certainty)| *certainty > top - MARGIN)
        .collect();
    near.sort_by(|one, other| {
        let by_name = one.0.stands.is_none().cmp(&other.0.stands.is_none());
        by_name
            .then(one.0.stands.cmp(&other.0.stands))
            .then(other.1.total_cmp(&one.1))
            .then(one.0.pair.cmp(&other.0.pair))
    });
    let [first, others @ ..] = near.as_slice() else {
        return None;
    };
    let leads = |one: &Candidate, to: &Candidate| {
        let between = (one.pair.to, one.pair.target_columns.as_slice(), to.pair.to);
        leads.contains(&between)
    };
    let stands = first.0.stands;
    let rivals: Vec<_> = others
        .iter()
        .filter(|other| other.0.pair.to != first.0.pair.to && other.0.stands == stands)
        .collect();
    if rivals.is_empty() {
        return Some((first.0, first.1));
    }
    // One of them is the table that the others reference by the same key.
    near.iter()
        .find(|one| {
            near.iter().all(|other| {
                other.0.pair.to == one.0.pair.to
                    || other.0.stands != stands
                    || leads(other.0, one.0) && !leads(one.0, other.0)
            })
        })
        .map(|one| (one.0, one.1))
}

/// The evidence in words.
fn evidence(candidate: &Candidate, overlap: Option<&Overlap>) -> String {
    let by_name = match candidate.reason {
        Reason::SameName => "the column is called like the key",
        Reason::TableAndKey => "the column is called like the table and its key",
        Reason::Table => "the column is called like the table",
        Reason::KeyWord => "both columns have the same name",
        Reason::Short => "the column's name is short for the table",
        Reason::OwnTable => "the column's name is a word for another row of the table",
        Reason::Person => "the column's name is a word for a person",
        Reason::AllOfKey => "the columns are called like those of the key",
    };
    let mut parts = vec![by_name.to_owned()];
    parts.push(
        match (
            candidate.is_key_declared,
            candidate.is_key_distinct,
            overlap,
        ) {
            (true, _, _) => "the target is a key".to_owned(),
            (false, true, _) => "the target is unique by the planner's statistics".to_owned(),
            (false, false, Some(counted)) if counted.is_complete && counted.target_rows > 0 => {
                format!("the target is unique in its {} rows", counted.target_rows)
            }
            _ => "the target is not known to be unique".to_owned(),
        },
    );
    if let Some(counted) = overlap.filter(|counted| counted.sampled > 0 && counted.is_complete) {
        parts.push(format!(
            "{} of {} sampled values occur in the target",
            counted.found, counted.sampled
        ));
    }
    parts.join("; ")
}
