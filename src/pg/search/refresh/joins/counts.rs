//! Counts how many values of the referencing columns occur in the referenced ones. Of the values only hashes are
//! held, and only as long as they are compared.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use text2sql_domain::error::Error;
use text2sql_retrieval::joins::inferred::{Candidate, Kind, Overlap, Pair};

use super::facts::Table;
use crate::pg::access::objects::attributes::attributes;
use crate::pg::access::stored_rows::{Read, StoredRow, StoredTable, TextForm, with_stored};
use crate::pg::search::refresh::run::Refresh;
use crate::pg::server::spi::role::with_role;

/// Rows of a referencing table that are looked at, and distinct values of a column that are sampled from them.
const MAX_SOURCE_ROWS: usize = 20_000;
const MAX_SAMPLED: usize = 1_000;

/// Rows of a referenced table that are looked through.
const MAX_TARGET_ROWS: usize = 1_000_000;

/// Values that are held to see whether a column without a key is unique: some megabytes.
const MAX_HELD: usize = 200_000;

/// Characters of a value that are compared.
const MAX_CHARS: usize = 200;

/// Work between two commits: DDL on a table that was read may have to wait this long.
const BETWEEN_COMMITS: Duration = Duration::from_millis(500);

/// The sampled values of some columns.
#[derive(Default)]
struct Sample {
    values: HashSet<u64>,
    /// Whether the table has rows.
    has_rows: bool,
}

impl Refresh {
    /// Counts for the candidates, of which the reading role can read all columns, until the deadline. What is locked or cannot be read
    /// is left out.
    pub(super) fn count(
        &self,
        candidates: &[&Candidate],
        tables: &HashMap<u32, &Table>,
        deadline: Instant,
    ) -> Result<HashMap<Pair, Overlap>, Error> {
        let mut sources: BTreeMap<u32, Vec<&[i16]>> = BTreeMap::new();
        let mut targets: BTreeMap<u32, BTreeMap<&[i16], Vec<&Candidate>>> = BTreeMap::new();
        for candidate in candidates {
            let pair = &candidate.pair;
            let of_source = sources.entry(pair.from).or_default();
            if !of_source.contains(&pair.columns.as_slice()) {
                of_source.push(&pair.columns);
            }
            let of_target = targets.entry(pair.to).or_default();
            let wanted = of_target.entry(&pair.target_columns).or_default();
            wanted.push(candidate);
        }
        let mut since = Instant::now();
        let mut pause = || {
            if since.elapsed() >= BETWEEN_COMMITS {
                since = Instant::now();
                return self.commit();
            }
            Ok(())
        };
        let mut samples: HashMap<(u32, &[i16]), Sample> = HashMap::new();
        for (table, wanted) in &sources {
            if Instant::now() >= deadline {
                break;
            }
            let Some(facts) = tables.get(table) else {
                continue;
            };
            for (columns, sample) in self.sample(facts, wanted)? {
                samples.insert((*table, columns), sample);
            }
            pause()?;
        }
        let mut counted = HashMap::new();
        for (table, wanted) in &targets {
            if Instant::now() >= deadline {
                break;
            }
            let Some(facts) = tables.get(table) else {
                continue;
            };
            let mut lookups: Vec<Lookup<'_>> = wanted
                .iter()
                .map(|(columns, candidates)| Lookup::of(columns, candidates, &samples))
                .collect();
            if self.look_up(facts, &mut lookups, deadline)? {
                counted.extend(lookups.into_iter().flat_map(Lookup::overlaps));
            }
            pause()?;
        }
        Ok(counted)
    }

    /// Distinct values of each list of columns.
    fn sample<'a>(
        &self,
        table: &Table,
        wanted: &[&'a [i16]],
    ) -> Result<Vec<(&'a [i16], Sample)>, Error> {
        let mut samples: Vec<(&'a [i16], Sample)> = wanted
            .iter()
            .map(|columns| (*columns, Sample::default()))
            .collect();
        let mut rows = 0;
        let read = self.each_row(table, wanted, |place, value| {
            if let Some((_, sample)) = samples.get_mut(place) {
                sample.has_rows = true;
                if let Some(value) = value.filter(|_| sample.values.len() < MAX_SAMPLED) {
                    sample.values.insert(value);
                }
            }
            rows += usize::from(place == 0);
            match rows > MAX_SOURCE_ROWS {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })?;
        Ok(if read { samples } else { Vec::new() })
    }

    /// Looks for the sampled values; whether the table could be read.
    fn look_up(
        &self,
        table: &Table,
        lookups: &mut [Lookup<'_>],
        deadline: Instant,
    ) -> Result<bool, Error> {
        let wanted: Vec<&[i16]> = lookups.iter().map(|lookup| lookup.columns).collect();
        let last = wanted.len().saturating_sub(1);
        let (mut rows, mut is_whole) = (0, true);
        let read = self.each_row(table, &wanted, |place, value| {
            if let Some(lookup) = lookups.get_mut(place) {
                lookup.row(value);
            }
            if place < last {
                return ControlFlow::Continue(());
            }
            rows += 1;
            let is_late = rows % 1_000 == 0 && Instant::now() >= deadline;
            if rows >= MAX_TARGET_ROWS || is_late {
                is_whole = false;
                return ControlFlow::Break(());
            }
            match lookups.iter().all(Lookup::is_done) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })?;
        for lookup in lookups {
            lookup.rows = rows;
            lookup.is_whole = is_whole;
        }
        Ok(read)
    }

    /// Calls `each` for every row and every list of columns with its place and a hash of the values; `None` where
    /// one is NULL. Returns whether the table could be read.
    fn each_row(
        &self,
        table: &Table,
        wanted: &[&[i16]],
        mut each: impl FnMut(usize, Option<u64>) -> ControlFlow<()>,
    ) -> Result<bool, Error> {
        let numbers: Vec<i16> = wanted.concat();
        let read = with_role(&self.reader, || {
            let oid = table.facts.oid.into();
            with_stored(oid, false, &self.limits, &self.policy, |stored| {
                let Some(mut forms) = forms(stored, &numbers, table) else {
                    return Read::Refused(String::new());
                };
                stored.for_each_row(&numbers, |row| {
                    let mut at = 0;
                    for (place, columns) in wanted.iter().enumerate() {
                        let places = at..at + columns.len();
                        at = places.end;
                        let value = hash(row, places, &mut forms);
                        if each(place, value).is_break() {
                            return ControlFlow::Break(());
                        }
                    }
                    ControlFlow::Continue(())
                })
            })
        })?;
        Ok(matches!(read, Read::Done(())))
    }
}

/// How the values of the columns are read; `None` where one of them is gone.
fn forms(stored: &StoredTable, numbers: &[i16], table: &Table) -> Option<Vec<(TextForm, Kind)>> {
    // SAFETY: the table is open as long as its columns are looked at.
    let columns = unsafe { attributes(stored.relation()) };
    numbers
        .iter()
        .map(|number| {
            let index = usize::try_from(number - 1).ok()?;
            let attribute = columns.get(index).filter(|known| !known.attisdropped)?;
            let mut facts = table.facts.columns.iter();
            let kind = facts.find(|column| column.number == *number)?.kind;
            Some((TextForm::of(attribute.atttypid), kind))
        })
        .collect()
}

/// A hash of the values at these places.
fn hash(
    row: &StoredRow<'_>,
    places: std::ops::Range<usize>,
    forms: &mut [(TextForm, Kind)],
) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    for place in places {
        let (form, kind) = forms.get_mut(place)?;
        // SAFETY: the form was made for the type of this column.
        let text = unsafe { row.text(place, form, MAX_CHARS) }?;
        // 5 and 5.00 are equal.
        match kind {
            Kind::Number if text.contains('.') => {
                text.trim_end_matches('0')
                    .trim_end_matches('.')
                    .hash(&mut hasher);
            }
            _ => text.hash(&mut hasher),
        }
    }
    Some(hasher.finish())
}

/// What a sample says of the columns that it is of.
#[derive(Clone, Copy)]
struct Sampled {
    values: u32,
    lacks_values: bool,
}

/// The candidates that reference some columns, and which of their values were not found yet.
struct Lookup<'a> {
    columns: &'a [i16],
    candidates: Vec<(&'a Candidate, Sampled)>,
    /// The candidates that wait for a value.
    waiting: HashMap<u64, Vec<usize>>,
    found: Vec<u32>,
    /// Values so far, where it is not known that the columns are unique.
    held: Option<HashSet<u64>>,
    has_duplicates: bool,
    rows: usize,
    is_whole: bool,
}

impl<'a> Lookup<'a> {
    fn of(
        columns: &'a [i16],
        candidates: &[&'a Candidate],
        samples: &HashMap<(u32, &[i16]), Sample>,
    ) -> Self {
        let mut waiting: HashMap<u64, Vec<usize>> = HashMap::new();
        let mut known = Vec::new();
        for candidate in candidates {
            let source = (candidate.pair.from, candidate.pair.columns.as_slice());
            // No sample means that the table could not be read; the join is then judged by names.
            let Some(sample) = samples.get(&source) else {
                continue;
            };
            for value in &sample.values {
                waiting.entry(*value).or_default().push(known.len());
            }
            let sampled = Sampled {
                values: u32::try_from(sample.values.len()).unwrap_or(u32::MAX),
                lacks_values: sample.has_rows && sample.values.is_empty(),
            };
            known.push((*candidate, sampled));
        }
        let is_unique = candidates.iter().all(|candidate| candidate.is_key());
        Self {
            columns,
            found: vec![0; known.len()],
            candidates: known,
            waiting,
            held: (!is_unique).then(HashSet::new),
            has_duplicates: false,
            rows: 0,
            is_whole: false,
        }
    }

    fn row(&mut self, value: Option<u64>) {
        let Some(value) = value else { return };
        for place in self.waiting.remove(&value).into_iter().flatten() {
            if let Some(found) = self.found.get_mut(place) {
                *found += 1;
            }
        }
        if let Some(held) = &mut self.held {
            self.has_duplicates |= !held.insert(value);
            // A column that is not known to be unique counts as not unique.
            if self.has_duplicates || held.len() >= MAX_HELD {
                self.has_duplicates = true;
                self.held = None;
            }
        }
    }

    fn is_done(&self) -> bool {
        self.waiting.is_empty() && self.held.is_none()
    }

    fn overlaps(self) -> impl Iterator<Item = (Pair, Overlap)> {
        let all_found = self.waiting.is_empty();
        let overlap = Overlap {
            target_rows: u32::try_from(self.rows).unwrap_or(u32::MAX),
            is_complete: self.is_whole || all_found,
            has_duplicates: self.has_duplicates || self.held.is_some() && !self.is_whole,
            ..Overlap::default()
        };
        let counts = self.candidates.into_iter().zip(self.found);
        counts.map(move |((candidate, sampled), found)| {
            let counted = Overlap {
                sampled: sampled.values,
                found,
                lacks_values: sampled.lacks_values,
                ..overlap
            };
            (candidate.pair.clone(), counted)
        })
    }
}
