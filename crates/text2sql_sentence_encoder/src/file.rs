//! The file of the encoder: a header, then sections that are used where they are.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `pgt2senc` |
//! | 4, 4 | version of the format, number of sections |
//! | 8 | length of the file |
//! | 24 for each section | position, length (8 bytes each), CRC-32, 4 bytes of zero |
//! | 4 | CRC-32 of all above |
//!
//! Numbers are little-endian. Sections begin at multiples of 64 bytes, in the order of [`Section`].

use std::ops::Range;

const MAGIC: &[u8; 8] = b"pgt2senc";

/// Changes with the layout. A change of it or of the model also needs another name of the file, because files stay
/// in caches and installations.
const VERSION: u32 = 1;

const SECTIONS: usize = 7;
const ENTRY: usize = 24;
const ENTRIES_AT: usize = 24;
const HEADER: usize = ENTRIES_AT + SECTIONS * ENTRY + 4;
const ALIGNMENT: usize = 64;

/// What a section holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// Trie of the texts that the normaliser replaces.
    CharacterTrie,
    /// What it replaces them by.
    CharacterTexts,
    /// Trie of the pieces.
    PieceTrie,
    /// Log probability of each piece, `f32`.
    PieceScores,
    /// Biases, scales and the like, `f32`: see [`crate::network::VECTORS`].
    Vectors,
    /// The matrices, a signed byte for each weight: see [`crate::network::MATRICES`].
    Matrices,
    /// The vector of each piece, a byte for each entry.
    Table,
}

impl Section {
    /// All sections, in the order of the file.
    pub const ALL: [Self; SECTIONS] = [
        Self::CharacterTrie,
        Self::CharacterTexts,
        Self::PieceTrie,
        Self::PieceScores,
        Self::Vectors,
        Self::Matrices,
        Self::Table,
    ];
}

/// Why a file cannot be used: a sentence about the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError(pub(crate) String);

impl std::fmt::Display for FileError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for FileError {}

/// Where the sections of a checked file are.
pub(crate) struct EncoderFile {
    places: [Range<usize>; SECTIONS],
    table_checksum: u32,
}

impl EncoderFile {
    /// Reads the header and checks all sections but [`Section::Table`], of which only the length is checked.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, FileError> {
        let error = |why: &str| FileError(why.to_owned());
        let header = bytes
            .get(..HEADER)
            .ok_or_else(|| error("it is too short to be a file of the encoder"))?;
        if !header.starts_with(MAGIC) {
            return Err(error("it is not a file of the encoder"));
        }
        let version = number(header, 8, 4);
        if version != u64::from(VERSION) {
            return Err(FileError(format!(
                "its format has version {version}, and this library reads version {VERSION}"
            )));
        }
        let checked = header.get(..HEADER - 4).unwrap_or_default();
        if u64::from(crc32fast::hash(checked)) != number(header, HEADER - 4, 4)
            || number(header, 12, 4) != SECTIONS as u64
        {
            return Err(error("its header is damaged"));
        }
        let length = number(header, 16, 8);
        if length != bytes.len() as u64 {
            return Err(FileError(format!(
                "it has {} bytes instead of {length}",
                bytes.len()
            )));
        }
        let mut places: [Range<usize>; SECTIONS] = Default::default();
        let mut table_checksum = 0;
        for (at, (place, section)) in places.iter_mut().zip(Section::ALL).enumerate() {
            let entry = ENTRIES_AT + at * ENTRY;
            let start = number(header, entry, 8) as usize;
            *place = start..start.saturating_add(number(header, entry + 8, 8) as usize);
            let content = bytes
                .get(place.clone())
                .ok_or_else(|| error("its header is damaged"))?;
            let checksum = number(header, entry + 16, 4) as u32;
            if section == Section::Table {
                table_checksum = checksum;
            } else if crc32fast::hash(content) != checksum {
                return Err(damaged(section));
            }
        }
        Ok(Self {
            places,
            table_checksum,
        })
    }

    /// Checks [`Section::Table`].
    pub(crate) fn verify(&self, bytes: &[u8]) -> Result<(), FileError> {
        match crc32fast::hash(self.section(bytes, Section::Table)) == self.table_checksum {
            true => Ok(()),
            false => Err(damaged(Section::Table)),
        }
    }

    /// The bytes of a section.
    pub(crate) fn section<'a>(&self, bytes: &'a [u8], section: Section) -> &'a [u8] {
        let place = self.places.get(section as usize).cloned();
        bytes.get(place.unwrap_or_default()).unwrap_or_default()
    }
}

/// The file with the given sections, in the order of [`Section::ALL`].
pub fn assemble(sections: [&[u8]; SECTIONS]) -> Vec<u8> {
    let aligned = |at: usize| at.next_multiple_of(ALIGNMENT);
    let mut ends = aligned(HEADER);
    let places = sections.map(|section| {
        let at = ends;
        ends = aligned(at + section.len());
        at
    });
    let mut bytes = Vec::with_capacity(ends);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&(SECTIONS as u32).to_le_bytes());
    bytes.extend_from_slice(&(ends as u64).to_le_bytes());
    for (at, section) in places.iter().zip(sections) {
        bytes.extend_from_slice(&(*at as u64).to_le_bytes());
        bytes.extend_from_slice(&(section.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&crc32fast::hash(section).to_le_bytes());
        bytes.extend_from_slice(&[0; 4]);
    }
    bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
    for (at, section) in places.iter().zip(sections) {
        bytes.resize(*at, 0);
        bytes.extend_from_slice(section);
    }
    bytes.resize(ends, 0);
    bytes
}

fn damaged(section: Section) -> FileError {
    FileError(format!("its section {section:?} is damaged"))
}

/// The number at a position.
fn number(bytes: &[u8], at: usize, width: usize) -> u64 {
    let read = bytes.get(at..at + width).unwrap_or_default();
    read.iter()
        .rev()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}
