//! Planner statistics of a table, read from `pg_statistic` directly. The view `pg_stats` writes the whole
//! histogram of each column as text, of which only the bounds are needed: it took ten times as long as
//! everything else read for a table.
//!
//! Like the view, it returns only columns that the current user can read, and nothing under row-level security.
//! For a table with children the inherited statistics are used: a query on the parent reads them all. Of a table whose
//! rows are in shards there are only the counts of `refresh()`.

use std::collections::HashMap;
use std::ffi::{c_char, c_int};

use pgrx::pg_sys;
use text2sql_domain::schema::{Column, ColumnStatistics, Holds, Table, TypeCategory};

use super::privileges::{has_row_security, reads_column, reads_table};
use super::rows::{CatalogRow, for_each, for_each_column};
use crate::pg::server::citus;
use crate::pg::server::spi::encoding::text_of;

/// Maximum length of a value, in characters; a shortened value would be one that does not exist.
const LONGEST_VALUE: usize = 100;

/// Maximum number of most common values.
const MAX_COMMON: usize = 100;

/// Bytes of the common values of one table; columns beyond them have none.
const MAX_TABLE_BYTES: usize = 512 * 1024;

/// Maximum number of values that are read as all of a column; a statistics target may be 10,000.
const MAX_KNOWN: usize = 1_000;

/// Numbers and dates are keys and measures, whose most common values are of no use, unless there are at most
/// this many.
const FEW_DISTINCT: f32 = 100.0;

/// Adds the statistics to the table's columns.
pub(super) fn add(table: &mut Table) {
    let mut facts = read(table);
    for column in &mut table.columns {
        column.statistics = facts.remove(&column.number);
    }
}

/// The statistics by column number, of columns that the table has.
fn read(table: &Table) -> HashMap<i16, ColumnStatistics> {
    let relation = pg_sys::Oid::from(table.oid);
    if has_row_security(relation) {
        return HashMap::new();
    }
    let reads_all = reads_table(relation);
    if let Some(counts) = citus::counts(relation) {
        let readable = counts
            .columns
            .into_iter()
            .filter(|(number, ..)| reads_all || reads_column(relation, *number));
        return readable
            .map(|(number, null_share, distinct_values)| {
                let facts = ColumnStatistics {
                    null_share,
                    distinct_values,
                    ..ColumnStatistics::default()
                };
                (number, facts)
            })
            .collect();
    }
    let mut types = HashMap::with_capacity(table.columns.len());
    let mut found: HashMap<i16, (bool, ColumnStatistics)> = HashMap::new();
    let mut bytes = 0;
    let key = (pg_sys::Anum_pg_statistic_starelid, relation);
    let mut read = |row: &CatalogRow| {
        // SAFETY: a row of this catalog.
        let form = unsafe { row.form::<pg_sys::FormData_pg_statistic>() };
        if types.is_empty() {
            // Read at once: the cache would look each one up.
            for_each_column(relation, |column| {
                types.insert(column.attnum, column.atttypid);
            });
        }
        let number = form.staattnum;
        let is_known = found
            .get(&number)
            .is_some_and(|(is_inherited, _)| *is_inherited);
        let column = table.columns.iter().find(|column| column.number == number);
        if let Some(column) = column
            && let Some(own) = types.get(&number)
            && !is_known
            && (reads_all || reads_column(relation, number))
        {
            // SAFETY: a row about this column.
            let mut facts = unsafe { of_column(table, column, OwnType::of(*own), row.tuple, form) };
            bytes += bytes_of(&facts.most_common_values);
            if bytes > MAX_TABLE_BYTES {
                facts.most_common_values.clear();
                facts.most_common_shares.clear();
            }
            found.insert(number, (form.stainherit, facts));
        }
    };
    // SAFETY: the catalog and its index by relation and column. What is allocated meanwhile is in a
    // context of its own, which an ERROR ends with its parent.
    unsafe {
        let before = pg_sys::CurrentMemoryContext;
        let memory = pg_sys::AllocSetContextCreateInternal(
            before,
            c"text2sql statistics".as_ptr(),
            pg_sys::ALLOCSET_DEFAULT_MINSIZE as usize,
            pg_sys::ALLOCSET_DEFAULT_INITSIZE as usize,
            pg_sys::ALLOCSET_DEFAULT_MAXSIZE as usize,
        );
        pg_sys::MemoryContextSwitchTo(memory);
        for_each(
            pg_sys::StatisticRelationId,
            pg_sys::StatisticRelidAttnumInhIndexId,
            key,
            &mut read,
        );
        pg_sys::MemoryContextSwitchTo(before);
        pg_sys::MemoryContextDelete(memory);
    }
    let facts = found
        .into_iter()
        .map(|(number, (_, facts))| (number, facts));
    facts.collect()
}

/// # Safety
///
/// `tuple` must be a row of `pg_statistic`, about this column, `own` its type, and `form` the row's fixed part.
unsafe fn of_column(
    table: &Table,
    column: &Column,
    own: OwnType,
    tuple: pg_sys::HeapTuple,
    form: &pg_sys::FormData_pg_statistic,
) -> ColumnStatistics {
    // SAFETY: by contract; the slots are filled from this row and are used while it is there.
    unsafe {
        let common = slot(tuple, pg_sys::STATISTIC_KIND_MCV, true);
        let histogram = slot(tuple, pg_sys::STATISTIC_KIND_HISTOGRAM, false);
        let is_ordered = matches!(
            column.category,
            TypeCategory::Integer
                | TypeCategory::Number
                | TypeCategory::Date
                | TypeCategory::Timestamp
        );
        let is_list = own.delimiter == b',';
        let is_measure = matches!(own.category, b'N' | b'D' | b'T');
        let is_telling =
            is_list && (!is_measure || (1.0..=FEW_DISTINCT).contains(&form.stadistinct));
        let mut facts = ColumnStatistics {
            null_share: as_written(form.stanullfrac),
            distinct_values: distinct(form.stadistinct, table.row_estimate),
            ..ColumnStatistics::default()
        };
        let mut bounds = Values::of(&histogram);
        let ends = [0, bounds.count.wrapping_sub(1)].map(|place| {
            let end = bounds.text(place).filter(|_| is_list);
            end.filter(|end| is_short(end))
        });
        let mut seen: Vec<String> = ends.iter().flatten().cloned().collect();
        let mut values = Values::of(&common);
        let is_read = is_telling || (is_list && is_ordered);
        for place in 0..if is_read { values.count } else { 0 } {
            let Some(value) = values.text(place) else {
                continue;
            };
            if is_telling && place < MAX_COMMON && is_short(&value) {
                facts.most_common_values.push(value.clone());
                facts.most_common_shares.push(values.share(place));
            }
            if is_ordered {
                seen.push(value);
            }
        }
        if column.category == TypeCategory::Text && is_list {
            let common = (0..values.count).filter_map(|place| values.text(place));
            let rarer = (0..bounds.count).filter_map(|place| bounds.text(place));
            facts.holds = Holds::of(common.chain(rarer));
        }
        // The histogram omits the most common values, so the range covers both.
        let [lowest, highest] = ends;
        let (first, last) = range(column.category, &seen);
        facts.lowest = first.or(lowest);
        facts.highest = last.or(highest);
        // Where a column has so few values that the histogram holds all others, as with the unique names of a
        // small table, those are known as well.
        let known = bounds.count + values.shares;
        let are_all_known = known <= MAX_KNOWN
            && facts
                .distinct_values
                .is_some_and(|distinct| bounds.count > 0 && known as f64 >= distinct);
        if is_telling && are_all_known && matches!(own.category, b'S' | b'E' | b'U') {
            let rarer: Vec<String> = (0..bounds.count)
                .filter_map(|place| bounds.text(place))
                .filter(|bound| is_short(bound))
                .collect();
            let told: f64 = facts.most_common_shares.iter().sum();
            let share = (1.0 - facts.null_share - told).max(0.0) / rarer.len().max(1) as f64;
            facts.most_common_shares.extend(rarer.iter().map(|_| share));
            facts.most_common_values.extend(rarer);
        }
        facts
    }
}

fn bytes_of(values: &[String]) -> usize {
    values
        .iter()
        .map(|value| value.len() + size_of::<String>())
        .sum()
}

fn is_short(value: &str) -> bool {
    value.chars().count() <= LONGEST_VALUE
}

/// The minimum and maximum of numbers or dates; unknown for other types.
fn range(category: TypeCategory, values: &[String]) -> (Option<String>, Option<String>) {
    let known: Vec<(SortKey, &String)> = values
        .iter()
        .filter_map(|value| Some((sort_key(category, value)?, value)))
        .collect();
    let by_key = |a: &&(SortKey, &String), b: &&(SortKey, &String)| {
        a.0.partial_cmp(&b.0).unwrap_or(std::cmp::Ordering::Equal)
    };
    let text = |found: Option<&(SortKey, &String)>| found.map(|(_, value)| (*value).clone());
    (
        text(known.iter().min_by(by_key)),
        text(known.iter().max_by(by_key)),
    )
}

#[derive(PartialEq, PartialOrd)]
enum SortKey {
    Number(f64),
    /// ISO text, which sorts as the date does in the years 0 to 9999.
    Date(String),
}

fn sort_key(category: TypeCategory, value: &str) -> Option<SortKey> {
    match category {
        TypeCategory::Integer | TypeCategory::Number => value
            .parse::<f64>()
            .ok()
            .filter(|number| number.is_finite())
            .map(SortKey::Number),
        TypeCategory::Date | TypeCategory::Timestamp => (value.get(4..5) == Some("-")
            && !value.ends_with("BC"))
        .then(|| SortKey::Date(value.to_owned())),
        _ => None,
    }
}

/// A number as the server writes it: the shortest decimal that reads back as the same number.
pub(super) fn as_written(share: f32) -> f64 {
    share.to_string().parse().unwrap_or(f64::from(share))
}

/// Number of distinct values; a negative number is a fraction of the rows.
fn distinct(number: f32, rows: Option<f64>) -> Option<f64> {
    match number {
        number if number > 0.0 => Some(f64::from(number)),
        number if number < 0.0 => rows.map(|rows| (as_written(-number) * rows).round()),
        _ => None,
    }
}

/// The properties of a column's own type that decide what is returned.
struct OwnType {
    category: u8,
    delimiter: u8,
}

impl OwnType {
    /// # Safety
    ///
    /// The type must be there.
    unsafe fn of(oid: pg_sys::Oid) -> Self {
        let (mut category, mut is_preferred): (c_char, bool) = (0, false);
        // SAFETY: look-ups in the caches.
        unsafe {
            pg_sys::get_type_category_preferred(oid, &raw mut category, &raw mut is_preferred);
            Self {
                category: category.cast_unsigned(),
                delimiter: output_of(oid).0,
            }
        }
    }
}

/// The delimiter of a type's values in an array, and the function that writes them.
///
/// # Safety
///
/// The type must be there.
unsafe fn output_of(type_oid: pg_sys::Oid) -> (u8, pg_sys::Oid) {
    let (mut length, mut by_value) = (0i16, false);
    let (mut alignment, mut delimiter): (c_char, c_char) = (0, 0);
    let (mut parameter, mut function) = (pg_sys::InvalidOid, pg_sys::InvalidOid);
    // SAFETY: a look-up in the cache that writes what it found.
    unsafe {
        pg_sys::get_type_io_data(
            type_oid,
            pg_sys::IOFuncSelector::IOFunc_output,
            &raw mut length,
            &raw mut by_value,
            &raw mut alignment,
            &raw mut delimiter,
            &raw mut parameter,
            &raw mut function,
        );
    }
    (delimiter.cast_unsigned(), function)
}

/// # Safety
///
/// `tuple` must be a row of `pg_statistic`.
unsafe fn slot(tuple: pg_sys::HeapTuple, kind: u32, has_numbers: bool) -> pg_sys::AttStatsSlot {
    let mut slot = pg_sys::AttStatsSlot::default();
    let numbers = if has_numbers {
        pg_sys::ATTSTATSSLOT_NUMBERS
    } else {
        0
    };
    let flags = (pg_sys::ATTSTATSSLOT_VALUES | numbers) as c_int;
    // SAFETY: by contract; a slot that is not there leaves it empty.
    unsafe {
        pg_sys::get_attstatsslot(
            &raw mut slot,
            tuple,
            kind as c_int,
            pg_sys::InvalidOid,
            flags,
        );
    }
    slot
}

/// The values of a slot, and how they are written.
struct Values<'s> {
    slot: &'s pg_sys::AttStatsSlot,
    output: Option<pg_sys::FmgrInfo>,
    count: usize,
    shares: usize,
}

impl<'s> Values<'s> {
    /// # Safety
    ///
    /// The slot must be as it was filled.
    unsafe fn of(slot: &'s pg_sys::AttStatsSlot) -> Self {
        let count = usize::try_from(slot.nvalues).unwrap_or(0);
        let output = (count > 0).then(|| {
            let mut output = pg_sys::FmgrInfo::default();
            // SAFETY: the type of values that are there.
            unsafe { pg_sys::fmgr_info(output_of(slot.valuetype).1, &raw mut output) };
            output
        });
        Self {
            slot,
            output,
            count,
            shares: usize::try_from(slot.nnumbers).unwrap_or(0),
        }
    }

    /// The value at an index, as its type writes it.
    ///
    /// # Safety
    ///
    /// As for [`Values::of`].
    unsafe fn text(&mut self, place: usize) -> Option<String> {
        let output = self.output.as_mut().filter(|_| place < self.count)?;
        // SAFETY: there are as many values as said, of the type that the function writes.
        unsafe {
            let value = *self.slot.values.add(place);
            let text = pg_sys::OutputFunctionCall(output, value);
            Some(text_of(text))
        }
    }

    /// The fraction of the rows that have the value.
    ///
    /// # Safety
    ///
    /// As for [`Values::of`].
    unsafe fn share(&self, place: usize) -> f64 {
        if place >= self.shares {
            return 0.0;
        }
        // SAFETY: there are as many numbers as said.
        as_written(unsafe { *self.slot.numbers.add(place) })
    }
}
