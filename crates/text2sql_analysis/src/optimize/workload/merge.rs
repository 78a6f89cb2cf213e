//! The candidates of all statements as one list, in which each knows the statements of those that it begins with.

use std::collections::BTreeMap;

use super::super::candidates::Candidate;

/// A candidate, and the statements that it may serve.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Merged {
    pub(super) candidate: Candidate,
    pub(super) statements: Vec<usize>,
    /// Estimated size in bytes, once it is known.
    pub(super) size: f64,
}

/// An index whose keys begin those of another serves nothing that the longer one does not serve: the longer one is tried
/// for its statements, too, and never chosen beside it.
pub(super) fn merged(found: BTreeMap<usize, Vec<Candidate>>) -> Vec<Merged> {
    let mut all: Vec<Merged> = Vec::new();
    for (statement, candidates) in found {
        for candidate in candidates {
            let same = all.iter_mut().find(|other| {
                other.candidate.table == candidate.table && other.candidate.keys == candidate.keys
            });
            match same {
                Some(same) => same.statements.push(statement),
                None => all.push(Merged {
                    candidate,
                    statements: vec![statement],
                    size: 0.0,
                }),
            }
        }
    }
    // The shortest first: of two that save the same, the first is chosen.
    all.sort_by_key(|one| one.candidate.keys.len());
    let short = all.clone();
    for one in &mut all {
        let beginnings = short.iter().filter(|other| other.is_beginning_of(one));
        let statements: Vec<usize> = beginnings
            .flat_map(|other| other.statements.clone())
            .collect();
        one.statements.extend(statements);
        one.statements.sort_unstable();
        one.statements.dedup();
    }
    all
}

impl Merged {
    /// Whether the keys of the other index begin with those of this one.
    pub(super) fn is_beginning_of(&self, other: &Self) -> bool {
        let (short, long) = (&self.candidate, &other.candidate);
        short.table == long.table
            && short.keys.len() < long.keys.len()
            && long.keys.starts_with(&short.keys)
    }
}
