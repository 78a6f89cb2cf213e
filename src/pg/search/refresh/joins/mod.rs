//! Joins that nobody declared: read what they may be inferred from, count values, store what is proposed. The
//! inference itself is `text2sql_retrieval::joins::inferred`.
//!
//! Names and keys are those that the reading role can read. Rows are read as for the values of the index: as stored, so that no code of
//! others runs, never of a table with row-level security, a foreign table or a protected column; of a value nothing is kept
//! but that it occurs on both sides. Counts are stored and taken again when rows change.

mod counts;
mod facts;
mod store;

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use text2sql_domain::error::Error;
use text2sql_retrieval::joins::inferred::{Candidate, Overlap, Pair, candidates, propose};

use super::run::Refresh;
use facts::Table;

/// Maximum time in which values are counted in one refresh; the next one continues.
const MAX_TIME: Duration = Duration::from_secs(60);

/// Possible joins whose values are sampled at the same time: a thousand hashes each.
const BATCH: usize = 500;

impl Refresh {
    /// Infers joins anew and stores what changed; `changed` are the tables whose values were read anew. A worker
    /// counts again for these only: most changes of rows change no join.
    pub(super) fn joins(&self, changed: &HashSet<u32>) -> Result<(), Error> {
        let tables = facts::read(self)?;
        let facts: Vec<_> = tables.iter().map(|table| table.facts.clone()).collect();
        let possible = candidates(&facts);
        drop(facts);
        let by_oid: HashMap<u32, &Table> = tables
            .iter()
            .map(|table| (table.facts.oid, table))
            .collect();
        let known = self.as_owner(store::counts)?;
        let known_before = known.len();
        let mut overlaps: HashMap<Pair, Overlap> = HashMap::new();
        let mut missing: Vec<(&Candidate, String)> = Vec::new();
        let is_due = |pair: &Pair| {
            self.has_caller() || changed.contains(&pair.from) || changed.contains(&pair.to)
        };
        for candidate in &possible {
            let Some(state) = state_of(&candidate.pair, &by_oid) else {
                continue;
            };
            match known.get(&candidate.pair) {
                Some((then, overlap)) if *then == state || !is_due(&candidate.pair) => {
                    overlaps.insert(candidate.pair.clone(), *overlap);
                }
                _ => missing.push((candidate, state)),
            }
        }
        drop(known);
        let kept = overlaps.len();
        let start = Instant::now();
        for some in missing.chunks(BATCH) {
            if start.elapsed() >= MAX_TIME {
                break;
            }
            let pairs: Vec<&Candidate> = some.iter().map(|(candidate, _)| *candidate).collect();
            let counted = self.count(&pairs, &by_oid, start + MAX_TIME)?;
            self.as_owner(|| store::add_counts(some, &counted))?;
            overlaps.extend(counted);
            self.commit()?;
        }
        let proposals = propose(&possible, &overlaps);
        if known_before > kept {
            let pairs: HashSet<&Pair> = possible.iter().map(|candidate| &candidate.pair).collect();
            self.as_owner(|| store::forget_counts(&pairs))?;
        }
        let looked_at = tables.iter().map(|table| table.facts.oid);
        let changes = self.as_owner(|| store::proposals(&proposals, looked_at, &self.reader))?;
        if changes {
            self.start()?;
        }
        self.commit()
    }
}

/// The state of the rows of both tables; `None` where values may not be counted.
fn state_of(pair: &Pair, tables: &HashMap<u32, &Table>) -> Option<String> {
    let state = |table: u32, columns: &[i16]| {
        let table = tables.get(&table)?;
        let is_open = columns.iter().all(|column| !table.private.contains(column));
        table.rows.as_deref().filter(|_| is_open)
    };
    let from = state(pair.from, &pair.columns)?;
    let to = state(pair.to, &pair.target_columns)?;
    Some(format!("{from}/{to}"))
}
