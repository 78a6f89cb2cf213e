//! The postings of a question's terms, put together by item: what each table, definition or example
//! shares with the question.

use crate::index::postings::{self, Hit, Posting, is_part};
use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::{Collection, Joining, PostingSegment, SearchIndex};

/// What the items of a collection share with a question.
#[derive(Debug, Default)]
pub struct Matches {
    /// One entry for each item and term, by item, then by term.
    entries: Vec<Match>,
    hits: Vec<Hit>,
    /// How many items hold each term.
    item_counts: Vec<u64>,
    /// How many parts hold each term; one of the item's name counts with all its parts.
    part_counts: Vec<u64>,
    terms: usize,
}

/// What one item says about one term.
#[derive(Debug, Clone, Copy)]
pub struct Match {
    /// The item.
    pub item: u32,
    /// Position of the term in the question.
    pub term: usize,
    /// What is so for the item whatever the term is.
    pub posting: Posting,
    first_hit: u32,
    hit_count: u32,
}

impl Matches {
    /// Reads the postings of `terms` from a collection of so many items.
    ///
    /// In a large one, an item that holds none but common terms is left out as long as enough hold a
    /// rarer one: ten thousand tables that share only `name` with the question need not be scored.
    pub fn read(
        index: &dyn SearchIndex,
        collection: Collection,
        collection_items: u64,
        terms: &[String],
        overlay: &Overlay,
    ) -> Result<Self, Error> {
        let segments = if terms.is_empty() {
            Vec::new()
        } else {
            index.postings(collection, terms)?
        };
        Ok(Self::of(&segments, collection_items, terms, overlay))
    }

    fn of(
        segments: &[PostingSegment],
        collection_items: u64,
        terms: &[String],
        overlay: &Overlay,
    ) -> Self {
        let mut matches = Self {
            item_counts: vec![0; terms.len()],
            part_counts: vec![0; terms.len()],
            terms: terms.len(),
            ..Self::default()
        };
        let wanted = wanted_items(segments, collection_items, terms.len());
        for segment in segments.iter().filter(|segment| segment.term < terms.len()) {
            let mut rest = wanted.as_deref();
            postings::read(&segment.bytes, &mut |item, posting, hits| {
                if overlay.replaces(item) {
                    return;
                }
                matches.count(segment.term, posting, hits);
                // Both ascend, so the list is gone through once for each segment.
                let is_wanted = rest.as_mut().is_none_or(|rest| {
                    let before = rest.partition_point(|known| *known < item);
                    *rest = rest.get(before..).unwrap_or_default();
                    rest.first() == Some(&item)
                });
                if is_wanted {
                    matches.push(item, segment.term, posting, hits);
                }
            });
        }
        for (item, term, packed) in overlay.postings(terms) {
            postings::unpack(packed, &mut |posting, hits| {
                matches.count(term, posting, hits);
                matches.push(item, term, posting, hits);
            });
        }
        // Stable: each term's entries come in order of their items already, which it makes use of.
        matches
            .entries
            .sort_by_key(|entry| (entry.item, entry.term));
        matches
    }

    fn count(&mut self, term: usize, posting: Posting, hits: &[Hit]) {
        if let Some(count) = self.item_counts.get_mut(term) {
            *count += 1;
        }
        if let Some(count) = self.part_counts.get_mut(term) {
            *count += if hits.iter().any(Hit::is_called) {
                u64::from(posting.parts)
            } else {
                hits.iter().filter(|hit| hit.is_part()).count() as u64
            };
        }
    }

    fn push(&mut self, item: u32, term: usize, posting: Posting, hits: &[Hit]) {
        let size = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        self.entries.push(Match {
            item,
            term,
            posting,
            first_hit: size(self.hits.len()),
            hit_count: size(hits.len()),
        });
        self.hits.extend_from_slice(hits);
    }

    /// How many terms were looked for.
    pub fn terms(&self) -> usize {
        self.terms
    }

    /// How many items hold the term.
    pub fn item_count(&self, term: usize) -> u64 {
        self.item_counts.get(term).copied().unwrap_or(0)
    }

    /// How many parts hold the term, themselves or by their item's name.
    pub fn part_count(&self, term: usize) -> u64 {
        self.part_counts.get(term).copied().unwrap_or(0)
    }

    /// The entries of each item.
    pub fn items(&self) -> impl Iterator<Item = &[Match]> {
        self.entries.chunk_by(|one, other| one.item == other.item)
    }

    /// The entries of one item.
    pub fn item(&self, item: u32) -> &[Match] {
        let start = self.entries.partition_point(|entry| entry.item < item);
        let rest = self.entries.get(start..).unwrap_or_default();
        let end = rest.partition_point(|entry| entry.item == item);
        rest.get(..end).unwrap_or_default()
    }

    /// The units of an entry that hold its term.
    pub fn hits(&self, entry: &Match) -> &[Hit] {
        let first = entry.first_hit as usize;
        let last = first + entry.hit_count as usize;
        self.hits.get(first..last).unwrap_or_default()
    }
}

/// Collections up to this size are read whole.
const MANY_ITEMS: u64 = 1_000;

/// A term is common that more than one in so many items hold.
const COMMON_SHARE: u64 = 5;

/// So many items must hold a rarer term before the others are left out.
const ENOUGH_ITEMS: usize = 100;

/// The items that hold a term that is not common, ascending; `None` when all are wanted.
fn wanted_items(
    segments: &[PostingSegment],
    collection_items: u64,
    terms: usize,
) -> Option<Vec<u32>> {
    if collection_items <= MANY_ITEMS {
        return None;
    }
    let mut counts = vec![0u64; terms];
    for segment in segments {
        if let Some(count) = counts.get_mut(segment.term) {
            *count += postings::items(&segment.bytes).count() as u64;
        }
    }
    let is_rare = |segment: &&PostingSegment| {
        let count = counts.get(segment.term).copied().unwrap_or(0);
        count <= collection_items / COMMON_SHARE
    };
    let rare = segments.iter().filter(is_rare);
    let mut wanted: Vec<u32> = rare
        .flat_map(|segment| postings::items(&segment.bytes))
        .collect();
    wanted.sort_unstable();
    wanted.dedup();
    (wanted.len() >= ENOUGH_ITEMS).then_some(wanted)
}

/// Which units of an item the caller may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visible<'a>(pub Option<&'a [i16]>);

impl Visible<'_> {
    /// Everything.
    pub const ALL: Visible<'static> = Visible(None);

    /// Whether the unit may be seen. Where only some columns may, foreign keys may not: they name
    /// columns.
    pub fn has(self, unit: i16) -> bool {
        self.0
            .is_none_or(|columns| !is_part(unit) || columns.contains(&unit))
    }
}

/// Documents made live from the catalog, in the place of what the index says of the same items.
#[derive(Debug, Default)]
pub struct Overlay {
    documents: Vec<(u32, crate::index::document::Document)>,
    /// Items whose postings do not count; sorted.
    replaced: Vec<u32>,
}

impl Overlay {
    /// The live documents, and all items that the index knows wrongly, those without a document
    /// included: nobody may read them any more.
    pub fn new(
        documents: Vec<(u32, crate::index::document::Document)>,
        mut replaced: Vec<u32>,
    ) -> Self {
        replaced.sort_unstable();
        Self {
            documents,
            replaced,
        }
    }

    /// Whether the index's postings of the item do not count.
    pub fn replaces(&self, item: u32) -> bool {
        self.replaced.binary_search(&item).is_ok()
    }

    /// Joins of the live documents that touch any of the tables.
    pub fn joins<'a>(&'a self, tables: &'a [u32]) -> impl Iterator<Item = &'a Joining> + 'a {
        let joins = self
            .documents
            .iter()
            .flat_map(|(_, document)| &document.joins);
        joins.filter(|join| tables.contains(&join.from) || tables.contains(&join.to))
    }

    fn postings<'a>(
        &'a self,
        terms: &'a [String],
    ) -> impl Iterator<Item = (u32, usize, &'a [u8])> + 'a {
        self.documents.iter().flat_map(move |(item, document)| {
            terms.iter().enumerate().filter_map(move |(at, term)| {
                let find = |(known, _): &(String, Vec<u8>)| known.as_str().cmp(term);
                let found = document.postings.binary_search_by(find).ok()?;
                let (_, packed) = document.postings.get(found)?;
                Some((*item, at, packed.as_slice()))
            })
        })
    }
}
