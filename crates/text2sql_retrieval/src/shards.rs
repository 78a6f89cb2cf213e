//! Tables whose rows lie in parts (shards) on several servers: what these report about the parts, put together.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::values::MAX_VALUES;

/// What one server reports about a part that it has.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Its number, the same on all servers.
    pub shard: i64,
    /// The file of its rows, another one after TRUNCATE.
    pub file: i64,
    /// How many rows were ever inserted, updated or deleted.
    pub changes: i64,
    /// The planner's estimate of rows; negative if it was never analysed.
    pub analyzed_rows: f64,
    /// Rows counted as they come and go.
    pub live_rows: f64,
}

impl Part {
    fn rows(&self) -> f64 {
        match self.analyzed_rows >= 0.0 {
            true => self.analyzed_rows,
            false => self.live_rows.max(0.0),
        }
    }
}

/// A table as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Whole {
    /// Estimated number of rows.
    pub rows: f64,
    /// Differs after any change of rows. Its second word is a number that grows with each.
    pub state: String,
}

/// The tables by OID; `None` where no server reported one of the parts. `shards` has the number of each part and the
/// table it belongs to. Of a part that several servers have, the one with most of all counts: another may lag behind.
pub fn tables(shards: &[(i64, u32)], parts: &[Part]) -> HashMap<u32, Option<Whole>> {
    let mut reported: HashMap<i64, (i64, i64, f64)> = HashMap::with_capacity(parts.len());
    for part in parts {
        let known = reported.entry(part.shard).or_default();
        known.0 = known.0.max(part.file);
        known.1 = known.1.max(part.changes);
        known.2 = known.2.max(part.rows());
    }
    let mut sums: HashMap<u32, Option<(i64, i64, f64)>> = HashMap::new();
    for (shard, table) in shards {
        let sum = sums.entry(*table).or_insert(Some((0, 0, 0.0)));
        *sum = sum.zip(reported.get(shard)).map(|(sum, part)| {
            (
                sum.0.wrapping_add(part.0),
                sum.1.saturating_add(part.1),
                sum.2 + part.2,
            )
        });
    }
    let whole = |(files, changes, rows): (i64, i64, f64)| Whole {
        rows,
        state: format!("shards/{files} {changes}"),
    };
    sums.into_iter()
        .map(|(table, sum)| (table, sum.map(whole)))
        .collect()
}

/// By which share a number of rows must differ before the sessions are notified.
const LEAST_CHANGE: f64 = 0.1;

/// Whether a stored number of rows differs enough from the present one for the sessions to be notified.
pub fn is_other_size(stored: Option<f64>, now: f64) -> bool {
    stored.is_none_or(|stored| (stored - now).abs() > LEAST_CHANGE * stored.min(now).max(0.0))
}

/// The rows of a part, counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartCounts {
    /// Its number, the same on all servers.
    pub shard: i64,
    /// How many rows it has.
    pub rows: i64,
    /// How many of them have a value in each of the columns asked for.
    pub filled: Vec<i64>,
}

/// What one server read of the parts of a table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NodeValues {
    /// Whether a part of it was locked.
    pub is_locked: bool,
    /// Why a part of it was not read.
    pub refusal: Option<String>,
    /// The parts.
    pub counts: Vec<PartCounts>,
    /// The distinct values of each of the columns asked for; `None` if there are too many.
    pub values: Vec<Option<HashSet<String>>>,
}

impl NodeValues {
    /// The state before anything is read, for this many columns.
    pub fn of(columns: usize) -> Self {
        Self {
            values: vec![Some(HashSet::new()); columns],
            ..Self::default()
        }
    }

    /// Whether the column at that place has too many values.
    pub fn is_over(&self, place: usize) -> bool {
        self.values.get(place).is_none_or(Option::is_none)
    }

    /// About how much memory the values take.
    pub fn bytes(&self) -> usize {
        let values = self.values.iter().flatten().flatten();
        values.map(|value| size_of::<String>() + value.len()).sum()
    }

    /// Adds values of the column at that place.
    pub fn add(&mut self, place: usize, values: HashSet<String>) {
        if let Some(known) = self.values.get_mut(place) {
            *known = known.take().and_then(|mut known| {
                known.extend(values);
                (known.len() <= MAX_VALUES).then_some(known)
            });
        }
    }

    /// Combines what all servers read of this many columns. A part that several servers have counts once.
    pub fn together(nodes: Vec<Self>, columns: usize) -> Self {
        let mut whole = Self::of(columns);
        let mut parts: HashMap<i64, PartCounts> = HashMap::new();
        for node in nodes {
            whole.is_locked |= node.is_locked;
            whole.refusal = whole.refusal.or(node.refusal);
            for part in node.counts {
                let is_more = parts
                    .get(&part.shard)
                    .is_none_or(|known| known.rows < part.rows);
                if is_more {
                    parts.insert(part.shard, part);
                }
            }
            for (place, values) in node.values.into_iter().enumerate() {
                match values {
                    Some(values) => whole.add(place, values),
                    None => {
                        if let Some(known) = whole.values.get_mut(place) {
                            *known = None;
                        }
                    }
                }
            }
        }
        whole.counts = parts.into_values().collect();
        whole
    }

    /// Whether all these parts were read.
    pub fn has_all(&self, shards: &[i64]) -> bool {
        let is_read = |shard: &i64| self.counts.iter().any(|part| part.shard == *shard);
        shards.iter().all(is_read)
    }

    /// The number of all rows.
    pub fn rows(&self) -> f64 {
        self.counts.iter().map(|part| part.rows as f64).sum()
    }

    /// The share of NULL in the column at that place.
    pub fn null_share(&self, place: usize) -> f64 {
        let filled = self.counts.iter().map(|part| {
            let filled = part.filled.get(place).copied();
            filled.unwrap_or_default() as f64
        });
        let (filled, rows): (f64, f64) = (filled.sum(), self.rows());
        match rows > 0.0 {
            true => (rows - filled) / rows,
            false => 0.0,
        }
    }
}

/// The statistics of a column in one part.
#[derive(Debug, Clone, PartialEq)]
pub struct PartStatistics {
    /// Number of the column in the table.
    pub column: i16,
    /// Rows of the part.
    pub rows: f64,
    /// The share of NULL among them.
    pub null_share: f64,
    /// Distinct values, or if negative their share of the rows, as in `pg_stats`.
    pub distinct: f64,
    /// Values that the statistics have.
    pub values: Vec<String>,
}

/// The statistics of a column in all parts.
#[derive(Debug, Clone, PartialEq)]
pub struct WholeStatistics {
    /// Number of the column in the table.
    pub column: i16,
    /// The share of NULL.
    pub null_share: f64,
    /// A lower bound of the number of distinct values; `None` if it grows with the rows.
    pub distinct_values: Option<f64>,
    /// Values of it.
    pub values: Vec<String>,
}

/// The statistics of a table that is not distributed have the same number.
const MAX_SAMPLE: usize = 200;

/// The columns, in the order of their numbers. Of many values those stay that most of the parts have.
pub fn columns(parts: &[PartStatistics]) -> Vec<WholeStatistics> {
    let mut numbers: Vec<i16> = parts.iter().map(|part| part.column).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
        .into_iter()
        .map(|column| whole_column(column, parts.iter().filter(|part| part.column == column)))
        .collect()
}

fn whole_column<'a>(
    column: i16,
    parts: impl Iterator<Item = &'a PartStatistics> + Clone,
) -> WholeStatistics {
    let rows: f64 = parts.clone().map(|part| part.rows.max(0.0)).sum();
    let nulls: f64 = parts
        .clone()
        .map(|part| part.rows.max(0.0) * part.null_share)
        .sum();
    let most = parts.clone().map(|part| part.distinct).reduce(f64::max);
    let is_limited = parts.clone().all(|part| part.distinct >= 0.0);
    let mut counted: HashMap<&str, usize> = HashMap::new();
    for value in parts.flat_map(|part| &part.values) {
        *counted.entry(value).or_default() += 1;
    }
    let distinct = counted.len() as f64;
    let mut by_parts: Vec<(&str, usize)> = counted.into_iter().collect();
    by_parts.sort_unstable_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
    let mut values: Vec<String> = by_parts
        .into_iter()
        .take(MAX_SAMPLE)
        .map(|(value, _)| value.to_owned())
        .collect();
    values.sort_unstable();
    WholeStatistics {
        column,
        null_share: if rows > 0.0 { nulls / rows } else { 0.0 },
        distinct_values: most.filter(|_| is_limited).map(|most| most.max(distinct)),
        values,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(shard: i64, changes: i64, analyzed_rows: f64, live_rows: f64) -> Part {
        Part {
            shard,
            file: 10,
            changes,
            analyzed_rows,
            live_rows,
        }
    }

    #[test]
    fn parts_are_summed_and_copies_are_not() {
        let shards = [(1, 7), (2, 7), (3, 8)];
        let parts = [
            part(1, 5, 5.0, 5.0),
            // Never analysed.
            part(2, 9, -1.0, 4.0),
            // Two copies; one lags behind.
            part(3, 3, 3.0, 3.0),
            part(3, 2, 2.0, 2.0),
        ];
        let found = tables(&shards, &parts);
        let whole = |rows, state: &str| {
            Some(Whole {
                rows,
                state: state.to_owned(),
            })
        };
        assert_eq!(found[&7], whole(9.0, "shards/20 14"));
        assert_eq!(found[&8], whole(3.0, "shards/10 3"));
    }

    #[test]
    fn a_table_with_a_part_that_nobody_reported_is_unknown() {
        let shards = [(1, 7), (2, 7), (3, 8)];
        let found = tables(&shards, &[part(1, 5, 5.0, 5.0), part(3, 0, 0.0, 0.0)]);
        assert_eq!(found[&7], None);
        assert!(found[&8].is_some());
    }

    #[test]
    fn a_tenth_more_rows_is_no_other_size() {
        assert!(is_other_size(None, 0.0));
        assert!(!is_other_size(Some(0.0), 0.0));
        assert!(is_other_size(Some(0.0), 1.0));
        assert!(!is_other_size(Some(100.0), 109.0));
        assert!(is_other_size(Some(100.0), 112.0));
        assert!(is_other_size(Some(112.0), 100.0));
    }

    #[test]
    fn what_nodes_read_is_put_together_and_a_copy_counts_once() {
        let values = |list: &[&str]| Some(list.iter().map(|v| (*v).to_owned()).collect());
        let counts = |shard, rows, filled| PartCounts {
            shard,
            rows,
            filled: vec![rows, filled],
        };
        let one = NodeValues {
            counts: vec![counts(1, 6, 3), counts(9, 2, 2)],
            values: vec![values(&["a", "b"]), values(&["x"])],
            ..NodeValues::default()
        };
        let other = NodeValues {
            counts: vec![counts(2, 2, 1), counts(9, 2, 2)],
            values: vec![values(&["b", "c"]), None],
            is_locked: true,
            ..NodeValues::default()
        };
        let whole = NodeValues::together(vec![one, other], 2);
        assert!(whole.is_locked);
        assert_eq!(whole.rows(), 10.0);
        assert!(whole.has_all(&[1, 2, 9]) && !whole.has_all(&[1, 3]));
        assert_eq!((whole.null_share(0), whole.null_share(1)), (0.0, 0.4));
        assert_eq!(whole.values, [values(&["a", "b", "c"]), None]);
        assert_eq!(NodeValues::of(1).null_share(0), 0.0);
    }

    #[test]
    fn too_many_values_of_all_parts_are_none() {
        let mut node = NodeValues::of(1);
        node.add(0, (0..MAX_VALUES).map(|n| n.to_string()).collect());
        assert!(!node.is_over(0));
        node.add(0, HashSet::from(["one more".to_owned()]));
        assert!(node.is_over(0));
        node.add(0, HashSet::from(["again".to_owned()]));
        assert!(node.is_over(0) && node.is_over(7));
    }

    #[test]
    fn statistics_of_parts_are_weighted_by_their_rows() {
        let of = |rows, null_share, distinct, values: &[&str]| PartStatistics {
            column: 3,
            rows,
            null_share,
            distinct,
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        };
        let found = columns(&[
            of(300.0, 0.0, 2.0, &["paid", "open"]),
            of(100.0, 0.4, 2.0, &["open", "cancelled"]),
        ]);
        assert_eq!(
            found,
            [WholeStatistics {
                column: 3,
                null_share: 0.1,
                distinct_values: Some(3.0),
                values: vec!["cancelled".into(), "open".into(), "paid".into()],
            }]
        );
        let growing = columns(&[of(10.0, 0.0, 5.0, &[]), of(10.0, 0.0, -1.0, &[])]);
        assert_eq!(growing[0].distinct_values, None);
    }

    #[test]
    fn of_many_values_those_of_most_parts_stay() {
        let of = |shard: usize| PartStatistics {
            column: 1,
            rows: 1000.0,
            null_share: 0.0,
            distinct: 500.0,
            values: (0..200)
                .map(|number| format!("value {shard}-{number}"))
                .chain(["everywhere".to_owned()])
                .collect(),
        };
        let found = columns(&[of(1), of(2), of(3)]);
        assert_eq!(found[0].values.len(), MAX_SAMPLE);
        assert!(found[0].values.contains(&"everywhere".to_owned()));
    }
}
