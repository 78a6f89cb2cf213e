//! Ranks only the tables that the caller may read. Privileges are read in batches, for the best tables
//! first, and for no more tables than needed.

use std::collections::HashMap;

use crate::lexical::term_matches::{Match, Matches, Visible};
use crate::ranking::rank_fusion::{Leg, Ranked};
use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::{Readable, SearchIndex};

/// Size of the next batch, when the caller may not read some of the best tables. It doubles with each
/// batch: a caller with access to few of many tables waits for a handful of calls and not for hundreds.
const NEXT_BATCH: usize = 100;

/// The score of an item by the units that the caller may read.
pub type Score<'a> = dyn Fn(&[Match], Visible<'_>) -> f64 + 'a;

/// The caller's privileges on tables, as far as they were read.
pub struct Admission<'a> {
    index: &'a dyn SearchIndex,
    known: HashMap<u32, Option<Readable>>,
}

impl<'a> Admission<'a> {
    /// No privileges were read yet.
    pub fn new(index: &'a dyn SearchIndex) -> Self {
        Self {
            index,
            known: HashMap::new(),
        }
    }

    /// Reads the privileges on tables whose privileges are not known yet.
    pub fn admit(&mut self, tables: &[u32]) -> Result<(), Error> {
        let mut unknown: Vec<u32> = tables.to_vec();
        unknown.retain(|table| !self.known.contains_key(table));
        if unknown.is_empty() {
            return Ok(());
        }
        let readable = self.index.readable(&unknown)?;
        self.known
            .extend(unknown.into_iter().map(|table| (table, None)));
        self.known
            .extend(readable.into_iter().map(|entry| (entry.table, Some(entry))));
        Ok(())
    }

    /// Whether the caller may read the table; false before [`Self::admit`].
    pub fn may_read(&self, table: u32) -> bool {
        matches!(self.known.get(&table), Some(Some(_)))
    }

    /// The units of the table that the caller may read.
    pub fn visible(&self, table: u32) -> Visible<'_> {
        match self.known.get(&table) {
            Some(Some(readable)) => Visible(readable.columns.as_deref()),
            _ => Visible(Some(&[])),
        }
    }

    /// OID of the table's schema; 0 when the caller may not read the table.
    pub fn schema(&self, table: u32) -> u32 {
        match self.known.get(&table) {
            Some(Some(readable)) => readable.schema,
            _ => 0,
        }
    }

    /// The best `depth` readable tables by `score`.
    pub fn leg(
        &mut self,
        (leg, weight): (Leg, f64),
        matches: &Matches,
        score: &Score<'_>,
        depth: usize,
    ) -> Result<Ranked, Error> {
        let best_first = |list: &mut Vec<(u32, f64)>| {
            list.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        };
        let mut all: Vec<(u32, f64)> = matches
            .items()
            .filter_map(|entries| Some((entries.first()?.item, score(entries, Visible::ALL))))
            .collect();
        best_first(&mut all);
        let mut items: Vec<(u32, f64)> = Vec::new();
        let (mut batch_size, mut next_size) = (depth, NEXT_BATCH);
        let mut rest = all.as_slice();
        while items.len() < depth && !rest.is_empty() {
            let (batch, later) = rest.split_at(batch_size.min(rest.len()));
            rest = later;
            (batch_size, next_size) = (next_size, next_size * 2);
            let tables: Vec<u32> = batch.iter().map(|(table, _)| *table).collect();
            self.admit(&tables)?;
            for &(table, full) in batch {
                if !self.may_read(table) {
                    continue;
                }
                let visible = self.visible(table);
                let seen = match visible {
                    Visible::ALL => full,
                    _ => score(matches.item(table), visible),
                };
                if seen > 0.0 {
                    items.push((table, seen));
                }
            }
        }
        best_first(&mut items);
        items.truncate(depth);
        Ok(Ranked { leg, weight, items })
    }
}
