//! The embedder without a model: words, pairs of words and pieces of words, hashed into a vector.
//!
//! It does not represent meaning, but it finds that `cust_nbr` and "customer number" share pieces, which
//! equal terms do not. The vectors are stored in the index: any change here needs a new name.

use text2sql_domain::error::Error;
use text2sql_domain::ports::{Embedder, Purpose};
use text2sql_language::terms::{Analyzer, is_function_word, split};

/// Length of the vectors. 384: collisions among the hundreds of features of a table are rare, and
/// 10,000 of them are 15 MB.
const DIMENSIONS: usize = 384;

/// Weights of a word, a pair of adjacent words and a piece of a word. A word has about five pieces, which
/// together weigh twice as much as the word.
const WORD: f32 = 1.0;
const PAIR: f32 = 0.5;
const PIECE: f32 = 0.4;

/// Length of a piece, in characters, with `<` and `>` at the ends of the word.
const PIECE_CHARS: usize = 3;

/// The `hash` embedder.
#[derive(Debug, Default)]
pub struct HashEmbedder {
    analyzer: Analyzer,
}

impl HashEmbedder {
    /// An embedder that stems as `analyzer` does.
    pub fn new(analyzer: Analyzer) -> Self {
        Self { analyzer }
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0f32; DIMENSIONS];
        let words: Vec<_> = split(text)
            .into_iter()
            .filter(|word| !is_function_word(word))
            .collect();
        let stems: Vec<_> = words.iter().map(|word| self.analyzer.stem(word)).collect();
        for stem in &stems {
            add(&mut vector, &["w", stem], WORD);
        }
        for pair in stems.windows(2) {
            if let [first, second] = pair {
                add(&mut vector, &["p", first, second], PAIR);
            }
        }
        for word in &words {
            let letters: Vec<char> = format!("<{word}>").chars().collect();
            for piece in letters.windows(PIECE_CHARS) {
                add(
                    &mut vector,
                    &["c", &piece.iter().collect::<String>()],
                    PIECE,
                );
            }
        }
        normalize(&mut vector);
        vector
    }
}

impl Embedder for HashEmbedder {
    fn name(&self) -> String {
        format!("hash-1-{}", self.analyzer.language())
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embeds_columns(&self) -> bool {
        false
    }

    fn weight(&self) -> f64 {
        0.3
    }

    fn knows_meaning(&self) -> bool {
        false
    }

    /// Measured together with the share of common words, see [`crate::few_shot_examples`].
    fn least_similarity(&self) -> f32 {
        0.25
    }

    fn embed(&self, texts: &[&str], _: Purpose) -> Result<Vec<Vec<f32>>, Error> {
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }
}

/// Adds a feature at the position and with the sign given by its hash.
fn add(vector: &mut [f32], feature: &[&str], weight: f32) {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in feature.iter().flat_map(|part| part.bytes().chain([0])) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    // FNV-1a mixes short texts weakly: the finalizer of SplitMix64 spreads every bit.
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^= hash >> 31;
    let place = (hash % DIMENSIONS as u64) as usize;
    if let Some(entry) = vector.get_mut(place) {
        *entry += if hash >> 63 == 0 { weight } else { -weight };
    }
}

/// Scales a vector to length 1; a vector of zeros stays as it is.
pub fn normalize(vector: &mut [f32]) {
    let length = vector.iter().map(|entry| entry * entry).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|entry| *entry /= length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn similarity(one: &str, other: &str) -> f32 {
        let embedder = HashEmbedder::default();
        let (one, other) = (embedder.vector(one), embedder.vector(other));
        one.iter().zip(&other).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn shared_pieces_of_words_bring_texts_near() {
        assert!((similarity("customer number", "Customer Numbers") - 1.0).abs() < 0.4);
        assert!(similarity("department", "dept") > similarity("department", "salary"));
        assert!(similarity("hometown", "home town") > 0.3);
        assert!(similarity("", "salary").abs() < f32::EPSILON);
    }

    #[test]
    fn vectors_stay_the_same_across_versions() {
        let vector = HashEmbedder::default().vector("customer orders");
        let places: Vec<_> = (0..DIMENSIONS).filter(|&at| vector[at] != 0.0).collect();
        assert_eq!(places.len(), 17);
        assert_eq!(places.iter().sum::<usize>(), 3522);
    }
}
