//! The network: from pieces to one vector.
//!
//! Each piece has a vector, and sees its neighbours in windows of 2, 3 and 5 pieces. The sum over all pieces
//! then goes through four layers.

use std::ops::Range;

use crate::file::{EncoderFile, FileError, Section};
use crate::product::{Product, STRIP};

/// Entries of what a window sees.
const WIDTH: usize = 256;

/// Number of dimensions of a vector.
pub const DIMENSIONS: usize = 512;

/// Entries of what a piece has seen in all windows.
const SEEN: usize = WINDOWS.len() * WIDTH;

/// Entries of a piece after all windows: its own vector and what it has seen.
const FEATURES: usize = DIMENSIONS + SEEN;

/// Entries of the layers between.
const INNER: usize = 320;

/// Entries that are summed side by side.
const LANES: usize = 16;

/// Number of blocks that the table of pieces was quantised in: piece `p` is in block `p % BLOCKS`.
const BLOCKS: usize = 17;

/// What keeps a division from one by zero, in the model.
pub const EPSILON: f32 = 1e-12;

/// Number of pieces in each window, and how many of them are to the left of its own piece.
const WINDOWS: [(usize, usize); 3] = [(2, 0), (3, 1), (5, 2)];

/// The matrices in the order of the file: name in the package, inputs, outputs.
pub const MATRICES: [(&str, usize, usize); 16] = [
    ("proj2", DIMENSIONS, WIDTH),
    ("w1_2", 2 * WIDTH, WIDTH),
    ("w2_2", 2 * WIDTH, WIDTH),
    ("proj3", DIMENSIONS, WIDTH),
    ("w1_3", 3 * WIDTH, WIDTH),
    ("w2_3", 3 * WIDTH, WIDTH),
    ("proj5", DIMENSIONS, WIDTH),
    ("w1_5", 5 * WIDTH, WIDTH),
    ("w2_5", 5 * WIDTH, WIDTH),
    ("cnn_W", FEATURES, DIMENSIONS),
    ("d0", DIMENSIONS, INNER),
    ("p1", DIMENSIONS, INNER),
    ("d1", INNER, INNER),
    ("d2", INNER, DIMENSIONS),
    ("p3", INNER, DIMENSIONS),
    ("d3", DIMENSIONS, DIMENSIONS),
];

/// The vectors in the order of the file, after one scale for each of [`MATRICES`]: name in the package, length.
pub const VECTORS: [(&str, usize); 20] = [
    ("lo", BLOCKS),
    ("scale", BLOCKS),
    ("proj_b2", WIDTH),
    ("ln_g2", WIDTH),
    ("ln_b2", WIDTH),
    ("b1_2", WIDTH),
    ("b2_2", WIDTH),
    ("proj_b3", WIDTH),
    ("ln_g3", WIDTH),
    ("ln_b3", WIDTH),
    ("b1_3", WIDTH),
    ("b2_3", WIDTH),
    ("proj_b5", WIDTH),
    ("ln_g5", WIDTH),
    ("ln_b5", WIDTH),
    ("b1_5", WIDTH),
    ("b2_5", WIDTH),
    ("ln_g", FEATURES),
    ("ln_b", FEATURES),
    ("cnn_b", DIMENSIONS),
];

/// The weights of a matrix in the order of the file, from `inputs` rows of `outputs` weights.
pub fn in_strips(weights: &[i8], outputs: usize) -> Vec<u8> {
    let mut strips = Vec::with_capacity(weights.len());
    for strip in 0..outputs / STRIP {
        for row in weights.chunks_exact(outputs) {
            let columns = row.iter().skip(strip * STRIP).take(STRIP);
            strips.extend(columns.map(|weight| *weight as u8));
        }
    }
    strips
}

/// Everything of the network that is not in the two large sections.
pub(crate) struct Network {
    low: Vec<f32>,
    scale: Vec<f32>,
    windows: [Window; 3],
    features: Norm,
    sum: Layer,
    into_inner: [Matrix; 2],
    inner: Matrix,
    out_of_inner: [Matrix; 2],
    last: Matrix,
}

/// What is computed on the way, kept from one text to the next: a quarter of a text's time went into memory of the
/// operating system. At most 2 MB for the longest text.
#[derive(Default)]
pub(crate) struct Scratch {
    vectors: Vec<f32>,
    seen: Vec<f32>,
    padded: Vec<f32>,
    changes: Vec<f32>,
}

/// Sets the first `length` entries to zero and returns them.
fn zeros(entries: &mut Vec<f32>, length: usize) -> &mut [f32] {
    entries.clear();
    entries.resize(length, 0.0);
    entries
}

struct Window {
    pieces: usize,
    left: usize,
    projection: Layer,
    norm: Norm,
    first: Layer,
    second: Layer,
}

struct Layer {
    matrix: Matrix,
    bias: Vec<f32>,
}

struct Norm {
    gain: Vec<f32>,
    bias: Vec<f32>,
}

struct Matrix {
    place: Range<usize>,
    inputs: usize,
    outputs: usize,
    scale: f32,
}

/// Hands out the parts of the two small sections in their order.
struct Parts<'a> {
    vectors: &'a [u8],
    scales: std::vec::IntoIter<f32>,
    matrices_end: usize,
}

impl Parts<'_> {
    fn vector(&mut self, length: usize) -> Vec<f32> {
        let (vector, rest) = self
            .vectors
            .split_at_checked(4 * length)
            .unwrap_or_default();
        self.vectors = rest;
        let (entries, _) = vector.as_chunks();
        entries.iter().copied().map(f32::from_le_bytes).collect()
    }

    fn matrix(&mut self, inputs: usize, outputs: usize) -> Matrix {
        let start = self.matrices_end;
        self.matrices_end += inputs * outputs;
        Matrix {
            place: start..self.matrices_end,
            inputs,
            outputs,
            scale: self.scales.next().unwrap_or_default(),
        }
    }
}

impl Network {
    pub(crate) fn read(file: &EncoderFile, bytes: &[u8]) -> Result<Self, FileError> {
        let vectors = file.section(bytes, Section::Vectors);
        let numbers = MATRICES.len() + VECTORS.iter().map(|(_, length)| length).sum::<usize>();
        let weights: usize = MATRICES
            .iter()
            .map(|(_, rows, columns)| rows * columns)
            .sum();
        let table = file.section(bytes, Section::Table).len();
        if vectors.len() != 4 * numbers
            || file.section(bytes, Section::Matrices).len() != weights
            || !table.is_multiple_of(DIMENSIONS)
            || file.section(bytes, Section::PieceScores).len() / 4 * DIMENSIONS > table
        {
            return Err(FileError(
                "its sections have other sizes than the model's".to_owned(),
            ));
        }
        let mut parts = Parts {
            vectors,
            scales: Vec::new().into_iter(),
            matrices_end: 0,
        };
        parts.scales = parts.vector(MATRICES.len()).into_iter();
        let (low, scale) = (parts.vector(BLOCKS), parts.vector(BLOCKS));
        let windows = WINDOWS.map(|(pieces, left)| {
            let projection = parts.matrix(DIMENSIONS, WIDTH);
            let [first, second] = [(); 2].map(|()| parts.matrix(pieces * WIDTH, WIDTH));
            let mut vector = || parts.vector(WIDTH);
            Window {
                pieces,
                left,
                projection: Layer {
                    matrix: projection,
                    bias: vector(),
                },
                norm: Norm {
                    gain: vector(),
                    bias: vector(),
                },
                first: Layer {
                    matrix: first,
                    bias: vector(),
                },
                second: Layer {
                    matrix: second,
                    bias: vector(),
                },
            }
        });
        Ok(Self {
            low,
            scale,
            windows,
            features: Norm {
                gain: parts.vector(FEATURES),
                bias: parts.vector(FEATURES),
            },
            sum: Layer {
                matrix: parts.matrix(FEATURES, DIMENSIONS),
                bias: parts.vector(DIMENSIONS),
            },
            into_inner: [(); 2].map(|()| parts.matrix(DIMENSIONS, INNER)),
            inner: parts.matrix(INNER, INNER),
            out_of_inner: [(); 2].map(|()| parts.matrix(INNER, DIMENSIONS)),
            last: parts.matrix(DIMENSIONS, DIMENSIONS),
        })
    }

    /// The vector of a text with these pieces.
    pub(crate) fn forward(
        &self,
        file: &EncoderFile,
        bytes: &[u8],
        pieces: &[u32],
        scratch: &mut Scratch,
    ) -> [f32; DIMENSIONS] {
        let weights = file.section(bytes, Section::Matrices);
        self.look_up(file.section(bytes, Section::Table), pieces, scratch);
        self.see_neighbours(weights, pieces.len(), scratch);
        let sum = self.sum_of_features(scratch);
        let count = pieces.len().max(1) as f32;
        let mut mean = vec![0.0f32; DIMENSIONS];
        self.sum.matrix.add_product(weights, &sum, &mut mean);
        for (entry, bias) in mean.iter_mut().zip(&self.sum.bias) {
            *entry = (*entry + count * bias) / count.sqrt();
        }
        self.last_layers(weights, &mean)
    }

    fn last_layers(&self, weights: &[u8], mean: &[f32]) -> [f32; DIMENSIONS] {
        let [first, short_cut] = &self.into_inner;
        let mut one = vec![0.0f32; INNER];
        first.add_product(weights, mean, &mut one);
        cut_negative(&mut one);
        let mut two = vec![0.0f32; INNER];
        short_cut.add_product(weights, mean, &mut two);
        self.inner.add_product(weights, &one, &mut two);
        cut_negative(&mut two);
        let [third, short_cut] = &self.out_of_inner;
        let mut three = vec![0.0f32; DIMENSIONS];
        third.add_product(weights, &two, &mut three);
        cut_negative(&mut three);
        let mut vector = [0.0f32; DIMENSIONS];
        short_cut.add_product(weights, &two, &mut vector);
        self.last.add_product(weights, &three, &mut vector);
        vector.iter_mut().for_each(|entry| *entry = entry.tanh());
        let length = vector.iter().map(|entry| entry * entry).sum::<f32>();
        let factor = 1.0 / length.max(EPSILON).sqrt();
        vector.iter_mut().for_each(|entry| *entry *= factor);
        match factor.is_finite() {
            true => vector,
            // Only a damaged file comes to this.
            false => [0.0; DIMENSIONS],
        }
    }

    /// The vectors of the pieces, one after the other.
    fn look_up(&self, table: &[u8], pieces: &[u32], scratch: &mut Scratch) {
        let (rows, _) = table.as_chunks::<DIMENSIONS>();
        let vectors = zeros(&mut scratch.vectors, pieces.len() * DIMENSIONS);
        for (piece, vector) in pieces.iter().zip(vectors.chunks_exact_mut(DIMENSIONS)) {
            let piece = *piece as usize;
            let row = rows.get(piece).unwrap_or(&[0; DIMENSIONS]);
            let block = piece % BLOCKS;
            let low = self.low.get(block).copied().unwrap_or_default();
            let scale = self.scale.get(block).copied().unwrap_or_default();
            for (entry, quantised) in vector.iter_mut().zip(row) {
                *entry = low + scale * f32::from(*quantised);
            }
        }
    }

    /// What each piece knows after all windows, side by side, in `scratch.seen`.
    fn see_neighbours(&self, weights: &[u8], count: usize, scratch: &mut Scratch) {
        let Scratch {
            vectors,
            seen,
            padded,
            changes,
        } = scratch;
        // The projections of a piece are normalised together.
        let seen = zeros(seen, count * SEEN);
        for (at, window) in self.windows.iter().enumerate() {
            window
                .projection
                .apply(weights, vectors, DIMENSIONS, changes);
            put(seen, SEEN, at * WIDTH, changes, WIDTH);
        }
        seen.chunks_exact_mut(SEEN).for_each(standardise);
        for (at, window) in self.windows.iter().enumerate() {
            window.run(weights, at, seen, padded, changes);
        }
    }

    /// The sum of the normalised features of all pieces: of their own vectors and of what they have seen.
    fn sum_of_features(&self, scratch: &Scratch) -> [f32; FEATURES] {
        let mut sum = [0.0f32; FEATURES];
        let mut row = [0.0f32; FEATURES];
        let vectors = scratch.vectors.chunks_exact(DIMENSIONS);
        for (vector, seen) in vectors.zip(scratch.seen.chunks_exact(SEEN)) {
            let (own, others) = row.split_at_mut(DIMENSIONS);
            own.copy_from_slice(vector);
            others.copy_from_slice(seen);
            self.features.apply(&mut row);
            add(&mut sum, &row);
        }
        sum
    }
}

impl Window {
    /// Runs the two layers of the window over its columns of `seen`. The rows of a piece's neighbours lie one after
    /// the other in `padded`, which has zeros before and after the text, so that nothing is copied for a window.
    fn run(
        &self,
        weights: &[u8],
        at: usize,
        seen: &mut [f32],
        padded: &mut Vec<f32>,
        changes: &mut Vec<f32>,
    ) {
        let count = seen.len() / SEEN;
        let padded = zeros(padded, (count + self.pieces - 1) * WIDTH);
        let inner = self.left * WIDTH..(self.left + count) * WIDTH;
        if let Some(rows) = padded.get_mut(inner.clone()) {
            for (row, all) in rows.chunks_exact_mut(WIDTH).zip(seen.chunks_exact(SEEN)) {
                if let Some(own) = all.get(at * WIDTH..(at + 1) * WIDTH) {
                    row.copy_from_slice(own);
                }
                self.norm.gain_and_bias(row);
            }
        }
        for layer in [&self.first, &self.second] {
            layer.apply(weights, padded, WIDTH, changes);
            cut_negative(changes);
            if let Some(rows) = padded.get_mut(inner.clone()) {
                add(rows, changes);
            }
        }
        let rows = padded.get(inner).unwrap_or_default();
        put(seen, SEEN, at * WIDTH, rows, WIDTH);
    }
}

impl Layer {
    /// The products of rows with the matrix, and the bias. A row begins `stride` entries after the one before it.
    fn apply(&self, weights: &[u8], rows: &[f32], stride: usize, products: &mut Vec<f32>) {
        let overlap = self.matrix.inputs.saturating_sub(stride);
        let count = rows.len().saturating_sub(overlap) / stride.max(1);
        products.clear();
        for _ in 0..count {
            products.extend_from_slice(&self.bias);
        }
        self.matrix.add_products(weights, rows, stride, products);
    }
}

impl Matrix {
    /// Adds the product of one row.
    fn add_product(&self, weights: &[u8], row: &[f32], sums: &mut [f32]) {
        self.add_products(weights, row, self.inputs, sums);
    }

    fn add_products(&self, weights: &[u8], rows: &[f32], stride: usize, sums: &mut [f32]) {
        let product = Product {
            rows,
            stride,
            inputs: self.inputs,
            weights: weights.get(self.place.clone()).unwrap_or_default(),
            outputs: self.outputs,
            scale: self.scale,
        };
        product.add_to(sums);
    }
}

impl Norm {
    fn apply(&self, rows: &mut [f32]) {
        for row in rows.chunks_exact_mut(self.gain.len().max(1)) {
            standardise(row);
            self.gain_and_bias(row);
        }
    }

    fn gain_and_bias(&self, row: &mut [f32]) {
        for ((entry, gain), bias) in row.iter_mut().zip(&self.gain).zip(&self.bias) {
            *entry = *entry * gain + bias;
        }
    }
}

/// Shifts and scales a row to mean 0 and variance 1.
fn standardise(row: &mut [f32]) {
    let count = row.len().max(1) as f32;
    let mean = sum_of(row, |entry| entry) / count;
    row.iter_mut().for_each(|entry| *entry -= mean);
    let variance = sum_of(row, |entry| entry * entry) / count;
    let factor = 1.0 / (variance + EPSILON).sqrt();
    row.iter_mut().for_each(|entry| *entry *= factor);
}

/// A sum in the lanes of a register: one after the other, each addition would wait for the one before it.
fn sum_of(row: &[f32], value: impl Fn(f32) -> f32) -> f32 {
    let (whole, rest) = row.as_chunks::<LANES>();
    let mut lanes = [0.0f32; LANES];
    for entries in whole {
        for (lane, entry) in lanes.iter_mut().zip(entries) {
            *lane += value(*entry);
        }
    }
    lanes.iter().sum::<f32>() + rest.iter().map(|entry| value(*entry)).sum::<f32>()
}

fn add(sums: &mut [f32], values: &[f32]) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value;
    }
}

fn cut_negative(values: &mut [f32]) {
    values.iter_mut().for_each(|value| *value = value.max(0.0));
}

/// Writes rows of `width` entries into wider rows of `stride` entries, `at` entries from their start.
fn put(target: &mut [f32], stride: usize, at: usize, rows: &[f32], width: usize) {
    for (wide, row) in target
        .chunks_exact_mut(stride)
        .zip(rows.chunks_exact(width))
    {
        if let Some(place) = wide.get_mut(at..at + width) {
            place.copy_from_slice(row);
        }
    }
}
