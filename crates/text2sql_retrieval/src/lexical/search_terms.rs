//! The terms that a question is searched by.
//!
//! Each word of a question is one position: its own term, and beside or instead of it near words of the catalog.
//! Only the best term at a position counts, so that a word with four near words does not weigh as much as four words.

/// The most that a near word counts: less than the question's own.
const BELOW_OWN: f64 = 0.99;

/// Terms with the positions that they stand for.
#[derive(Debug, Clone, Default)]
pub struct SearchTerms {
    terms: Vec<String>,
    /// For each term its position, and how much it counts: 1 for the question's own term.
    places: Vec<(usize, f64)>,
    positions: usize,
}

impl SearchTerms {
    /// Each term at a position of its own.
    pub fn plain(terms: &[String]) -> Self {
        Self {
            terms: terms.to_vec(),
            places: (0..terms.len()).map(|place| (place, 1.0)).collect(),
            positions: terms.len(),
        }
    }

    /// The question's own terms, of which `is_searched` says whether they are searched, with other terms for
    /// some of the positions: position, term, and how much it counts.
    pub fn with_others(
        own: &[String],
        is_searched: impl Fn(usize) -> bool,
        others: Vec<(usize, String, f64)>,
    ) -> Self {
        let mut all: Vec<(usize, String, f64)> = own
            .iter()
            .enumerate()
            .filter(|(place, _)| is_searched(*place))
            .map(|(place, term)| (place, term.clone(), 1.0))
            .collect();
        let own_count = all.len();
        for (position, term, factor) in others {
            let other = (position, term, factor.min(BELOW_OWN));
            // A term stands for one position: its own, or that for which it counts most.
            match all.iter().position(|(_, term, _)| *term == other.1) {
                Some(place) if place >= own_count => {
                    if let Some(known) = all.get_mut(place).filter(|known| known.2 < other.2) {
                        *known = other;
                    }
                }
                Some(_) => {}
                None => all.push(other),
            }
        }
        all.sort_by_key(|(place, ..)| *place);
        Self {
            positions: own.len(),
            places: all
                .iter()
                .map(|(place, _, factor)| (*place, *factor))
                .collect(),
            terms: all.into_iter().map(|(_, term, _)| term).collect(),
        }
    }

    /// The terms to look up, those of one position next to each other.
    pub fn terms(&self) -> &[String] {
        &self.terms
    }

    /// Number of positions.
    pub fn positions(&self) -> usize {
        self.positions
    }

    /// The position of a term, and how much the term counts there.
    pub fn place(&self, term: usize) -> (usize, f64) {
        self.places.get(term).copied().unwrap_or((0, 0.0))
    }
}
