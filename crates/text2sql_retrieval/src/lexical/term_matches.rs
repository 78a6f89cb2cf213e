//! The postings of a question's terms, grouped by item: the terms that each table, definition or example
//! shares with the question.

use crate::index::postings::{self, Hit, Posting, is_part};
use crate::lexical::search_terms::SearchTerms;
use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::{Collection, Joining, PostingSegment, SearchIndex};

/// What the items of a collection share with a question.
#[derive(Debug, Default)]
pub struct Matches {
    /// One entry for each item and term, by item, then by term.
    entries: Vec<Match>,
    hits: Vec<Hit>,
    /// Number of items with each term.
    item_counts: Vec<u64>,
    /// Number of parts with each term; a term of the item's name counts for all its parts.
    part_counts: Vec<u64>,
    terms: SearchTerms,
}

/// One term in one item.
#[derive(Debug, Clone, Copy)]
pub struct Match {
    /// The item.
    pub item: u32,
    /// Position of the term in the question.
    pub term: usize,
    /// The lengths of the item.
    pub posting: Posting,
    first_hit: u32,
    hit_count: u32,
}

impl Matches {
    /// Reads the postings of `terms` from a collection of `collection_items` items.
    ///
    /// In a large collection, items with only common terms are skipped if enough items have a rarer one:
    /// ten thousand tables that share only `name` with the question need not be scored.
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
        let terms = SearchTerms::plain(terms);
        Ok(Self::of(&segments, collection_items, terms, overlay))
    }

    /// The same, from postings that were read: `segments` belong to the terms of `searched`.
    pub fn of(
        segments: &[PostingSegment],
        collection_items: u64,
        searched: SearchTerms,
        overlay: &Overlay,
    ) -> Self {
        let terms = searched.terms();
        let mut matches = Self {
            item_counts: vec![0; terms.len()],
            part_counts: vec![0; terms.len()],
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
                // Both are in ascending order, so one pass over the list is enough for each segment.
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
        // A stable sort: the entries of each term are sorted by item already.
        matches
            .entries
            .sort_by_key(|entry| (entry.item, entry.term));
        matches.terms = searched;
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

    /// Number of terms searched for.
    pub fn terms(&self) -> usize {
        self.terms.terms().len()
    }

    /// A term.
    pub fn term(&self, term: usize) -> &str {
        self.terms.terms().get(term).map_or("", String::as_str)
    }

    /// Number of words searched for; of the terms of one word the best counts.
    pub fn positions(&self) -> usize {
        self.terms.positions()
    }

    /// The word that a term stands for, and how much the term counts for it.
    pub fn place(&self, term: usize) -> (usize, f64) {
        self.terms.place(term)
    }

    /// Whether a term is the word's own, and not a near word.
    pub fn is_own(&self, term: usize) -> bool {
        self.place(term).1 >= 1.0
    }

    /// The sum over the words of what the best of their terms scores. The entries are those of one item.
    pub fn sum_of_best(&self, entries: &[Match], score: impl Fn(&Match) -> f64) -> f64 {
        let of_word =
            entries.chunk_by(|one, other| self.place(one.term).0 == self.place(other.term).0);
        let best = of_word.map(|entries| {
            let scores = entries
                .iter()
                .map(|entry| self.place(entry.term).1 * score(entry));
            scores.fold(0.0, f64::max)
        });
        best.sum()
    }

    /// Number of items with the term.
    pub fn item_count(&self, term: usize) -> u64 {
        self.item_counts.get(term).copied().unwrap_or(0)
    }

    /// Number of parts with the term, in themselves or in their item's name.
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

    /// The units of an entry that contain its term.
    pub fn hits(&self, entry: &Match) -> &[Hit] {
        let first = entry.first_hit as usize;
        let last = first + entry.hit_count as usize;
        self.hits.get(first..last).unwrap_or_default()
    }
}

/// Collections up to this size are read completely.
const MANY_ITEMS: u64 = 1_000;

/// A term is common if more than one item in this many contains it.
const COMMON_SHARE: u64 = 5;

/// Minimum number of items with a rarer term for the others to be skipped.
const ENOUGH_ITEMS: usize = 100;

/// The items with a term that is not common, in ascending order; `None` when all are wanted.
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

/// The units of an item that the caller may read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visible<'a>(pub Option<&'a [i16]>);

impl Visible<'_> {
    /// Everything.
    pub const ALL: Visible<'static> = Visible(None);

    /// Whether only some columns are readable.
    pub fn is_partial(self) -> bool {
        self.0.is_some()
    }

    /// Whether the unit is readable. If only some columns are readable, foreign keys are not: they name
    /// columns.
    pub fn has(self, unit: i16) -> bool {
        self.0
            .is_none_or(|columns| !is_part(unit) || columns.contains(&unit))
    }
}

/// Documents made from the catalog now, which replace those of the index for the same items.
#[derive(Debug, Default)]
pub struct Overlay {
    documents: Vec<(u32, crate::index::document::Document)>,
    /// Items whose postings in the index are ignored; sorted.
    replaced: Vec<u32>,
}

impl Overlay {
    /// The live documents, and all items that are stale in the index. A stale item without a document is no
    /// longer readable.
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

    /// Whether the postings of the item in the index are ignored.
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

    /// Items of the live documents with the term.
    pub fn items_with<'a>(&'a self, term: &'a String) -> impl Iterator<Item = u32> + 'a {
        let with_term = self.postings(std::slice::from_ref(term));
        with_term.map(|(item, ..)| item)
    }

    /// Calls `found` with each item of the live documents that has the term, and where.
    pub fn each_with(&self, term: &String, found: &mut dyn FnMut(u32, &[Hit])) {
        for (item, _, packed) in self.postings(std::slice::from_ref(term)) {
            postings::unpack(packed, &mut |_, hits| found(item, hits));
        }
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
