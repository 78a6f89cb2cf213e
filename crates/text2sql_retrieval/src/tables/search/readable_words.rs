//! Which words of the catalog the caller may learn of: those of a table or column that the caller may read.

use std::collections::{BTreeSet, HashSet};

use super::inputs::Search;
use super::question_words::{Candidates, Postings};
use crate::index::postings::{self, Hit};
use crate::lexical::near_words;
use crate::ranking::readable_tables::Admission;
use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::NearWord;

/// Tables looked at to learn whether the caller may read one with a term: first this many, then the rest up to
/// the second number.
const TABLES_LOOKED_AT: [usize; 2] = [20, 500];

impl Search<'_> {
    /// The best candidates of each word that are in a table that the caller may read. Adds their postings.
    pub(super) fn readable_candidates(
        &self,
        mut candidates: Vec<Candidates>,
        postings: &mut Postings,
        admission: &mut Admission<'_>,
    ) -> Result<Vec<Candidates>, Error> {
        let first = near_words::FIRST;
        let mut later: Vec<Vec<(String, NearWord, f64)>> = candidates
            .iter_mut()
            .map(|one| one.words.split_off(first.min(one.words.len())))
            .collect();
        self.retain_readable(&mut candidates, postings, admission)?;
        // The nearest words are those of tables that the caller may not read: the next ones take their places.
        let mut is_short = false;
        for (candidate, later) in candidates.iter_mut().zip(&mut later) {
            if candidate.words.len() < near_words::MOST && !later.is_empty() {
                candidate.words.append(later);
                is_short = true;
            }
        }
        if is_short {
            self.retain_readable(&mut candidates, postings, admission)?;
        }
        for candidate in &mut candidates {
            candidate.words.truncate(near_words::MOST);
        }
        Ok(candidates)
    }

    /// Keeps the words that a table has that the caller may read.
    fn retain_readable(
        &self,
        candidates: &mut [Candidates],
        postings: &mut Postings,
        admission: &mut Admission<'_>,
    ) -> Result<(), Error> {
        let all = candidates.iter().flat_map(|one| &one.words);
        let terms: BTreeSet<String> = all.map(|(term, ..)| term.clone()).collect();
        let terms: Vec<String> = terms.into_iter().collect();
        let new = terms.iter().filter(|term| !postings.contains_key(*term));
        let new: Vec<String> = new.cloned().collect();
        postings.extend(self.read_postings(&new)?);
        let readable = self.readable_terms(&terms, postings, admission)?;
        let readable = terms.iter().zip(readable).filter(|(_, may_read)| *may_read);
        let readable: HashSet<&String> = readable.map(|(term, _)| term).collect();
        for candidate in candidates {
            candidate.words.retain(|(term, ..)| readable.contains(term));
        }
        Ok(())
    }

    /// Whether a table or column that the caller may read has each of the terms. Those that only others have count
    /// as unknown, so that nothing shows that they are there.
    pub(super) fn readable_terms(
        &self,
        terms: &[String],
        postings: &Postings,
        admission: &mut Admission<'_>,
    ) -> Result<Vec<bool>, Error> {
        let items = |term: &String| -> Vec<u32> {
            let segments = postings.get(term).into_iter().flatten();
            let stored = segments.flat_map(|bytes| postings::items(bytes));
            let stored = stored.filter(|item| !self.overlay.replaces(*item));
            self.overlay.items_with(term).chain(stored).collect()
        };
        let items: Vec<Vec<u32>> = terms.iter().map(items).collect();
        let mut readable = vec![false; terms.len()];
        for count in TABLES_LOOKED_AT {
            let open = items.iter().zip(&readable).filter(|(_, known)| !**known);
            let open: Vec<u32> = open
                .flat_map(|(items, _)| items.iter().take(count).copied())
                .collect();
            admission.admit(&open)?;
            for ((term, items), known) in terms.iter().zip(&items).zip(&mut readable) {
                if *known {
                    continue;
                }
                let first = items.iter().take(count).copied();
                let first: Vec<u32> = first.filter(|item| admission.may_read(*item)).collect();
                let is_whole = |item: &u32| !admission.visible(*item).is_partial();
                *known = first.iter().any(is_whole)
                    || self.is_visible(term, &first.into_iter().collect(), postings, admission);
            }
        }
        Ok(readable)
    }

    /// Whether one of the tables has the term where the caller may read it.
    fn is_visible(
        &self,
        term: &String,
        tables: &HashSet<u32>,
        postings: &Postings,
        admission: &Admission<'_>,
    ) -> bool {
        let mut is_visible = false;
        let mut look = |item: u32, hits: &[Hit]| {
            let visible = admission.visible(item);
            is_visible |= tables.contains(&item) && hits.iter().any(|hit| visible.has(hit.unit));
        };
        if tables.is_empty() {
            return false;
        }
        for bytes in postings.get(term).into_iter().flatten() {
            postings::read(bytes, &mut |item, _, hits| {
                if !self.overlay.replaces(item) {
                    look(item, hits);
                }
            });
        }
        self.overlay.each_with(term, &mut look);
        is_visible
    }
}
