//! The packed form of postings: which items contain a term, and in which of their units.
//!
//! One row of storage holds the postings of one term in one *segment*, a range of item numbers, as
//! bytes that only this file reads and writes. A word that occurs in each of 10,000 tables takes ten
//! rows of some kilobytes and not 200,000 rows; a changed table rewrites one segment for each of its
//! terms.
//!
//! An item is a table, a definition or an example; its number is the table's OID, or the id of the
//! definition or example. A unit is a part of an item: a column by its number, [`NAME`] for the
//! table's name (of a definition its term, of an example its question), one for each of its synonyms from
//! [`FIRST_SYNONYM`] on, [`DESCRIPTION`] for its comment, and -1, -2, … for its foreign keys.

use std::collections::BTreeMap;
use text2sql_domain::ports::search_index::DESCRIPTION;
use text2sql_domain::ports::search_index::NAME;

/// The number of the unit for an item's first synonym.
pub const FIRST_SYNONYM: i16 = DESCRIPTION + 1;
/// Maximum number of synonyms of an item.
pub const MAX_SYNONYMS: i16 = 256;

/// Items of one segment: those with equal `item >> SEGMENT_BITS`. OIDs of tables are about ten
/// apart (toast tables, indexes and types take the ones between), so this is about 1,600 tables.
const SEGMENT_BITS: u32 = 14;

/// The segment that an item belongs to.
pub fn segment_of(item: u32) -> u32 {
    item >> SEGMENT_BITS
}

/// A term in one item, without the units that contain it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Posting {
    /// Terms in the name and the synonyms.
    pub name_length: u32,
    /// Terms in all units of the item: the length of the item as one document.
    pub length: u32,
    /// Number of columns and foreign keys of the item.
    pub parts: u32,
    /// Terms in the shortest of them.
    pub shortest_part: u32,
}

/// A unit that contains a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// The unit.
    pub unit: i16,
    /// How often it occurs in the unit.
    pub count: u32,
    /// Whether it is in the name, and not only in a comment or a synonym.
    pub in_name: bool,
    /// Whether the unit has it only where its name is read: as a part of a word, or as what an abbreviation
    /// stands for. `count` and `name_length` are then those of the name as it is read.
    pub is_read: bool,
    /// Terms of the unit.
    pub length: u32,
    /// Terms of the unit's name.
    pub name_length: u32,
}

/// How much a term that a name has only where it is read counts, compared with one that is written there.
const READ: f64 = 0.7;

impl Hit {
    /// How much the hit counts.
    pub fn certainty(&self) -> f64 {
        if self.is_read { READ } else { 1.0 }
    }

    /// How often the term occurs in the unit, less where it is only read.
    pub fn weighted_count(&self) -> f64 {
        self.certainty() * f64::from(self.count)
    }

    /// Whether the unit is the item's name or a synonym.
    pub fn is_called(&self) -> bool {
        is_called(self.unit)
    }

    /// Whether the unit is a column or a foreign key.
    pub fn is_part(&self) -> bool {
        is_part(self.unit)
    }
}

/// Whether a unit is the item's name or a synonym.
pub fn is_called(unit: i16) -> bool {
    unit == NAME || (FIRST_SYNONYM..FIRST_SYNONYM + MAX_SYNONYMS).contains(&unit)
}

/// Whether a unit is a column or a foreign key.
pub fn is_part(unit: i16) -> bool {
    unit != DESCRIPTION && !is_called(unit)
}

/// Packs the posting of one term in one item, without the item number.
pub fn pack(posting: Posting, hits: &[Hit]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 + 4 * hits.len());
    push_number(&mut bytes, posting.name_length);
    push_number(&mut bytes, posting.length);
    push_number(&mut bytes, posting.parts);
    push_number(&mut bytes, posting.shortest_part);
    for hit in hits {
        push_number(&mut bytes, zigzag(hit.unit));
        push_number(
            &mut bytes,
            hit.count << 2 | u32::from(hit.is_read) << 1 | u32::from(hit.in_name),
        );
        push_number(&mut bytes, hit.length);
        push_number(&mut bytes, hit.name_length);
    }
    bytes
}

/// Reads what [`pack`] wrote; nothing from damaged bytes.
pub fn unpack(packed: &[u8], found: &mut dyn FnMut(Posting, &[Hit])) {
    let mut hits = Vec::new();
    if let Some(posting) = unpack_into(packed, &mut hits) {
        found(posting, &hits);
    }
}

fn unpack_into(mut bytes: &[u8], hits: &mut Vec<Hit>) -> Option<Posting> {
    hits.clear();
    let posting = Posting {
        name_length: take_number(&mut bytes)?,
        length: take_number(&mut bytes)?,
        parts: take_number(&mut bytes)?,
        shortest_part: take_number(&mut bytes)?,
    };
    while !bytes.is_empty() {
        let unit = unzigzag(take_number(&mut bytes)?)?;
        let count = take_number(&mut bytes)?;
        hits.push(Hit {
            unit,
            count: count >> 2,
            in_name: count & 1 == 1,
            is_read: count & 2 == 2,
            length: take_number(&mut bytes)?,
            name_length: take_number(&mut bytes)?,
        });
    }
    Some(posting)
}

/// Packs the postings of one term in one segment, item after item in ascending order.
#[derive(Debug, Clone, Default)]
pub struct SegmentWriter {
    bytes: Vec<u8>,
    last: u32,
}

impl SegmentWriter {
    /// Adds the packed posting of an item. Items are added in ascending order.
    pub fn push(&mut self, item: u32, packed: &[u8]) {
        push_number(&mut self.bytes, item.saturating_sub(self.last));
        push_number(&mut self.bytes, u32::try_from(packed.len()).unwrap_or(0));
        self.bytes.extend_from_slice(packed);
        self.last = item;
    }

    /// The bytes to store.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// Replaces the posting of `item`; `None` removes it. The result is empty when nothing is left to store.
pub fn splice(segment: &[u8], item: u32, packed: Option<&[u8]>) -> Vec<u8> {
    let mut writer = SegmentWriter::default();
    let mut waiting = packed;
    for (known, bytes) in entries(segment) {
        if let Some(packed) = waiting
            && known >= item
        {
            writer.push(item, packed);
            waiting = None;
        }
        if known != item {
            writer.push(known, bytes);
        }
    }
    if let Some(packed) = waiting {
        writer.push(item, packed);
    }
    writer.finish()
}

/// Replaces the postings of many items at once; `None` removes one.
pub fn splice_all(segment: &[u8], changes: &BTreeMap<u32, Option<Vec<u8>>>) -> Vec<u8> {
    let mut writer = SegmentWriter::default();
    let mut waiting = changes.iter().peekable();
    for (known, bytes) in entries(segment) {
        while let Some((item, packed)) = waiting.next_if(|(item, _)| **item < known) {
            push_some(&mut writer, *item, packed.as_deref());
        }
        match waiting.next_if(|(item, _)| **item == known) {
            Some((item, packed)) => push_some(&mut writer, *item, packed.as_deref()),
            None => writer.push(known, bytes),
        }
    }
    for (item, packed) in waiting {
        push_some(&mut writer, *item, packed.as_deref());
    }
    writer.finish()
}

fn push_some(writer: &mut SegmentWriter, item: u32, packed: Option<&[u8]>) {
    if let Some(packed) = packed {
        writer.push(item, packed);
    }
}

/// The segment with only the items that `keep` accepts.
pub fn retain(segment: &[u8], keep: impl Fn(u32) -> bool) -> Vec<u8> {
    let mut writer = SegmentWriter::default();
    for (item, bytes) in entries(segment).filter(|(item, _)| keep(*item)) {
        writer.push(item, bytes);
    }
    writer.finish()
}

/// The items of a segment, in ascending order, without their postings.
pub fn items(segment: &[u8]) -> impl Iterator<Item = u32> + '_ {
    entries(segment).map(|(item, _)| item)
}

/// Reads the postings of a segment, item after item. Damaged bytes end it early: the index is
/// derived data, and a question must not fail because of it.
pub fn read(segment: &[u8], found: &mut dyn FnMut(u32, Posting, &[Hit])) {
    // One buffer for all: a word that occurs in every table is read ten thousand times.
    let mut hits = Vec::new();
    for (item, bytes) in entries(segment) {
        let Some(posting) = unpack_into(bytes, &mut hits) else {
            return;
        };
        found(item, posting, &hits);
    }
}

fn entries(mut bytes: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let mut item = 0u32;
    std::iter::from_fn(move || {
        if bytes.is_empty() {
            return None;
        }
        item = item.checked_add(take_number(&mut bytes)?)?;
        let length = take_number(&mut bytes)? as usize;
        let (entry, rest) = bytes.split_at_checked(length)?;
        bytes = rest;
        Some((item, entry))
    })
}

fn push_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take_number(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0u32;
    for shift in [0, 7, 14, 21, 28] {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn zigzag(unit: i16) -> u32 {
    let wide = i32::from(unit);
    ((wide << 1) ^ (wide >> 31)) as u32
}

fn unzigzag(number: u32) -> Option<i16> {
    let wide = (number >> 1) as i32 ^ -((number & 1) as i32);
    i16::try_from(wide).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSTING: Posting = Posting {
        name_length: 2,
        length: 300,
        parts: 20,
        shortest_part: 1,
    };

    fn hit(unit: i16, count: u32) -> Hit {
        Hit {
            unit,
            count,
            in_name: unit != 0,
            is_read: unit == 2,
            length: 130,
            name_length: 2,
        }
    }

    fn packed(unit: i16, count: u32) -> Vec<u8> {
        pack(POSTING, &[hit(unit, count)])
    }

    fn all(bytes: &[u8]) -> Vec<(u32, Posting, Vec<Hit>)> {
        let mut all = Vec::new();
        read(bytes, &mut |item, posting, hits| {
            all.push((item, posting, hits.to_vec()));
        });
        all
    }

    fn items_of(bytes: &[u8]) -> Vec<u32> {
        all(bytes).into_iter().map(|(item, _, _)| item).collect()
    }

    #[test]
    fn what_is_packed_is_read_again() {
        let mut writer = SegmentWriter::default();
        for (item, unit) in [(0, 0), (7, -3), (16_384, 1_600), (u32::MAX, i16::MIN)] {
            writer.push(item, &packed(unit, 1 + item % 200));
        }
        let read = all(&writer.finish());
        let items: Vec<_> = read.iter().map(|(item, _, _)| *item).collect();
        assert_eq!(items, [0, 7, 16_384, u32::MAX]);
        assert_eq!(read[1], (7, POSTING, vec![hit(-3, 8)]));
        assert_eq!(read[3].2, [hit(i16::MIN, 1 + u32::MAX % 200)]);
    }

    #[test]
    fn an_item_is_put_in_replaced_and_taken_out() {
        let mut bytes = Vec::new();
        for item in [5, 1, 9, 5] {
            bytes = splice(&bytes, item, Some(&packed(1, 1)));
        }
        assert_eq!(items_of(&bytes), [1, 5, 9]);
        let bytes = splice(&bytes, 5, Some(&packed(2, 2)));
        assert_eq!(all(&bytes)[1].2, [hit(2, 2)]);
        let bytes = splice(&splice(&bytes, 9, None), 1, None);
        assert_eq!(items_of(&bytes), [5]);
        assert!(splice(&bytes, 5, None).is_empty());
    }

    #[test]
    fn many_changes_at_once_are_as_one_after_another() {
        let mut before = Vec::new();
        for item in [2, 4, 6, 8] {
            before = splice(&before, item, Some(&packed(1, 1)));
        }
        let new = packed(2, 2);
        let changes: BTreeMap<u32, Option<Vec<u8>>> = [
            (1, Some(new.clone())),
            (3, None),
            (4, Some(new.clone())),
            (6, None),
            (9, Some(new)),
        ]
        .into();
        let mut expected = before.clone();
        for (item, packed) in &changes {
            expected = splice(&expected, *item, packed.as_deref());
        }
        assert_eq!(splice_all(&before, &changes), expected);
        assert_eq!(items_of(&expected), [1, 2, 4, 8, 9]);
        assert_eq!(
            items_of(&retain(&expected, |item| item % 2 == 0)),
            [2, 4, 8]
        );
    }

    #[test]
    fn damaged_bytes_end_the_reading() {
        let bytes = splice(&[], 5, Some(&packed(1, 1)));
        for cut in 0..bytes.len() {
            assert!(items_of(&bytes[..cut]).is_empty());
        }
        assert!(items_of(&[0xff; 40]).is_empty());
    }
}
