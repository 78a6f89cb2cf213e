//! Cuts a text into the most probable sequence of pieces (the unigram model of SentencePiece).

use crate::normalizer::char_length;
use crate::trie::Trie;

/// Numbers of pieces with a meaning of their own.
const UNKNOWN: u32 = 0;
const BEGIN: u32 = 1;
const END: u32 = 2;

/// Log probability of a character that is no piece: 10 below the least probable piece, which has -18.83.
/// SentencePiece does the same.
const UNKNOWN_SCORE: f64 = -28.833_036_422_729_492;

/// The tables of the file.
pub(crate) struct Pieces<'a> {
    /// The pieces; a value is the number of a piece.
    pub(crate) trie: Trie<'a>,
    /// The log probability of each piece.
    pub(crate) scores: &'a [u8],
}

/// The best way to a position of the text.
#[derive(Clone, Copy)]
struct Way {
    score: f64,
    from: usize,
    piece: u32,
}

impl Pieces<'_> {
    /// The numbers of the pieces of a normalised text, between those of beginning and end; at most `limit`.
    pub(crate) fn of(&self, text: &[u8], limit: usize) -> Vec<u32> {
        let mut pieces = vec![END];
        let ways = self.ways(text);
        let mut at = text.len();
        while let Some(way) = ways.get(at)
            && at > 0
        {
            pieces.push(way.piece);
            at = way.from;
        }
        if text.is_empty() {
            pieces.push(UNKNOWN);
        }
        pieces.push(BEGIN);
        pieces.reverse();
        if pieces.len() > limit {
            pieces.truncate(limit.saturating_sub(1));
            pieces.push(END);
        }
        pieces
    }

    /// The best way to each position, from left to right; of equal ways the one found first.
    fn ways(&self, text: &[u8]) -> Vec<Way> {
        let nothing = Way {
            score: f64::NEG_INFINITY,
            from: 0,
            piece: UNKNOWN,
        };
        let mut ways = vec![nothing; text.len() + 1];
        if let Some(start) = ways.first_mut() {
            start.score = 0.0;
        }
        for from in 0..text.len() {
            let score = ways.get(from).map_or(f64::NEG_INFINITY, |way| way.score);
            if score == f64::NEG_INFINITY {
                continue;
            }
            let mut improve = |length: usize, score: f64, piece: u32| {
                if let Some(way) = ways.get_mut(from + length)
                    && score > way.score
                {
                    *way = Way { score, from, piece };
                }
            };
            let rest = text.get(from..).unwrap_or_default();
            let character = char_length(rest);
            let mut is_piece = false;
            self.trie.prefixes(rest, |length, piece| {
                if let Some(own) = self.score(piece) {
                    improve(length, score + own, piece as u32);
                    is_piece |= length == character;
                }
            });
            if !is_piece {
                improve(character, score + UNKNOWN_SCORE, UNKNOWN);
            }
        }
        ways
    }

    fn score(&self, piece: usize) -> Option<f64> {
        let (scores, _) = self.scores.as_chunks();
        scores
            .get(piece)
            .map(|score| f64::from(f32::from_le_bytes(*score)))
    }
}
