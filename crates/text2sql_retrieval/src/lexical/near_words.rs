//! Near words: words of the catalog that mean what a word of the question means, which the catalog does not have.
//!
//! "Kunden" is searched for as "customers" and "clients". A near word is a guess, so it counts less than a word
//! that is there, and less again where other words of the question are there: questions about an institution
//! have many words that no table is called by.

use std::collections::HashSet;

use text2sql_domain::ports::search_index::NearWord;
use text2sql_language::edit_distance::is_typo;
use text2sql_language::terms::Analyzer;

/// Least cosine of a near word. Of pairs of words, translations have 0.8 and more ("Kunden" and customers 0.94),
/// synonyms mostly 0.6 to 0.8, and what merely belongs together 0.4 to 0.6. With 0.7, the synonyms of the
/// practice sets lose ten points in a catalog of 795 tables.
const LEAST_SIMILARITY: f32 = 0.6;

/// Maximum number of near words for one word. Two lose up to three points on synonyms and translations, eight
/// win nothing.
pub(crate) const MOST: usize = 4;

/// Number of words asked for: those that the index's search for words reaches. A caller who may read little needs
/// them, because the nearest words may be in tables of others.
pub(crate) const ASKED: usize = 40;

/// Number of words looked up first: forms of one word are counted once.
pub(crate) const FIRST: usize = 12;

/// The share that near words count where the catalog has nearly all words of the question; they count in full
/// where it has half of them or fewer. In full everywhere, near words cost long questions about wide tables up to
/// a point; with half everywhere, synonyms lose three points in catalogs of 90 tables and eight in one of 795.
const LEAST_SHARE: f64 = 0.5;

/// How much a word counts that the question misspells.
pub(crate) const MISSPELT: f64 = 0.8;

/// How much a near word counts beside a word that the catalog has, in a question in another language: "pays" is
/// a word of an English catalog, and means something else in French.
const BESIDE_KNOWN: f64 = 0.8;

/// The candidates for near words of one word: near enough, and not another form of the word itself.
pub(crate) fn candidates(
    near: Vec<NearWord>,
    own_term: &str,
    analyzer: &Analyzer,
) -> Vec<(String, NearWord)> {
    let mut terms: HashSet<String> = HashSet::from([own_term.to_owned()]);
    near.into_iter()
        .filter(|word| word.similarity >= LEAST_SIMILARITY)
        .map(|word| (analyzer.stem(&word.word), word))
        .filter(|(term, _)| terms.insert(term.clone()))
        .collect()
}

/// The words that a word, or its stem, is a misspelling of: "statoins" of "station".
pub(crate) fn misspelt(
    similar: Vec<NearWord>,
    word: &str,
    analyzer: &Analyzer,
) -> Vec<(String, NearWord)> {
    let mut terms: HashSet<String> = HashSet::new();
    let stem = analyzer.stem(word);
    similar
        .into_iter()
        .filter(|known| is_typo(&known.word, word) || is_typo(&analyzer.stem(&known.word), &stem))
        .map(|known| (analyzer.stem(&known.word), known))
        .filter(|(term, _)| terms.insert(term.clone()))
        .collect()
}

/// How much a near word counts, compared with a word that is there. `unknown` is the share of the question's
/// words that the catalog does not have.
///
/// The square of the cosine sets a translation (0.9) apart from something related (0.6).
pub(crate) fn weight(similarity: f32, unknown: f64, is_known: bool) -> f64 {
    let earned = (LEAST_SHARE + unknown).min(1.0);
    let beside = if is_known { BESIDE_KNOWN } else { 1.0 };
    f64::from(similarity).powi(2).min(1.0) * earned * beside
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(word: &str, similarity: f32) -> NearWord {
        NearWord {
            word: word.to_owned(),
            similarity,
        }
    }

    #[test]
    fn near_words_are_near_and_of_different_stems() {
        let analyzer = Analyzer::default();
        let found = vec![
            near("kunden", 1.0),
            near("customers", 0.94),
            near("customer", 0.93),
            near("clients", 0.8),
            near("shops", 0.5),
        ];
        let candidates = candidates(found, "kunden", &analyzer);
        let words: Vec<&str> = candidates
            .iter()
            .map(|(_, near)| near.word.as_str())
            .collect();
        assert_eq!(words, ["customers", "clients"]);
    }

    #[test]
    fn a_misspelt_word_is_the_one_that_a_typist_meant() {
        let similar = vec![near("customers", 0.6), near("customs", 0.5)];
        let meant = misspelt(similar, "custmers", &Analyzer::default());
        let words: Vec<&str> = meant.iter().map(|(_, near)| near.word.as_str()).collect();
        assert_eq!(words, ["customers"]);
        let similar = vec![near("station", 0.3), near("status", 0.3)];
        let meant = misspelt(similar, "statoins", &Analyzer::default());
        assert_eq!((meant.len(), meant[0].1.word.as_str()), (1, "station"));
        assert!(misspelt(vec![near("orders", 0.3)], "odds", &Analyzer::default()).is_empty());
    }

    #[test]
    fn a_near_word_counts_more_the_less_of_the_question_is_known() {
        assert!((weight(1.0, 1.0, false) - 1.0).abs() < 1e-9);
        assert!((weight(1.0, 0.0, false) - LEAST_SHARE).abs() < 1e-9);
        assert!(weight(0.9, 1.0, false) > weight(0.7, 1.0, false));
        assert!(weight(0.9, 1.0, true) < weight(0.9, 1.0, false));
    }
}
