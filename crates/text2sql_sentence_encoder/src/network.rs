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

/// Entries of a piece after all windows: its own vector and one of each window.
const FEATURES: usize = DIMENSIONS + WINDOWS.len() * WIDTH;

/// Entries of the layers between.
const INNER: usize = 320;

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
    ) -> [f32; DIMENSIONS] {
        let weights = file.section(bytes, Section::Matrices);
        let vectors = self.look_up(file.section(bytes, Section::Table), pieces);
        let mut features = self.features(weights, &vectors, pieces.len());
        self.features.apply(&mut features);

        let mut sum = vec![0.0f32; FEATURES];
        for row in features.chunks_exact(FEATURES) {
            add(&mut sum, row);
        }
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
    fn look_up(&self, table: &[u8], pieces: &[u32]) -> Vec<f32> {
        let (rows, _) = table.as_chunks::<DIMENSIONS>();
        let mut vectors = Vec::with_capacity(pieces.len() * DIMENSIONS);
        for piece in pieces {
            let piece = *piece as usize;
            let row = rows.get(piece).unwrap_or(&[0; DIMENSIONS]);
            let block = piece % BLOCKS;
            let low = self.low.get(block).copied().unwrap_or_default();
            let scale = self.scale.get(block).copied().unwrap_or_default();
            vectors.extend(row.iter().map(|entry| low + scale * f32::from(*entry)));
        }
        vectors
    }

    /// What is known of each piece after all windows.
    fn features(&self, weights: &[u8], vectors: &[f32], count: usize) -> Vec<f32> {
        // The projections of a piece are normalised together.
        let mut projected = vec![0.0f32; count * self.windows.len() * WIDTH];
        for (at, window) in self.windows.iter().enumerate() {
            let rows = window.projection.apply(weights, vectors);
            put(
                &mut projected,
                self.windows.len() * WIDTH,
                at * WIDTH,
                &rows,
                WIDTH,
            );
        }
        for row in projected.chunks_exact_mut(self.windows.len() * WIDTH) {
            standardise(row);
        }
        let mut features = vec![0.0f32; count * FEATURES];
        put(&mut features, FEATURES, 0, vectors, DIMENSIONS);
        for (at, window) in self.windows.iter().enumerate() {
            let mut rows: Vec<f32> = projected
                .chunks_exact(self.windows.len() * WIDTH)
                .flat_map(|row| row.iter().skip(at * WIDTH).take(WIDTH))
                .copied()
                .collect();
            for row in rows.chunks_exact_mut(WIDTH) {
                window.norm.gain_and_bias(row);
            }
            for layer in [&window.first, &window.second] {
                let seen = window.neighbours(&rows, count);
                let mut changes = layer.apply(weights, &seen);
                cut_negative(&mut changes);
                add(&mut rows, &changes);
            }
            put(
                &mut features,
                FEATURES,
                DIMENSIONS + at * WIDTH,
                &rows,
                WIDTH,
            );
        }
        features
    }
}

impl Window {
    /// For each piece the rows of the pieces in its window, zero outside the text.
    fn neighbours(&self, rows: &[f32], count: usize) -> Vec<f32> {
        let mut seen = vec![0.0f32; count * self.pieces * WIDTH];
        for (at, window) in seen.chunks_exact_mut(self.pieces * WIDTH).enumerate() {
            for (place, slot) in (at..).zip(window.chunks_exact_mut(WIDTH)) {
                let row = place
                    .checked_sub(self.left)
                    .and_then(|place| rows.get(place * WIDTH..(place + 1) * WIDTH));
                if let Some(row) = row {
                    slot.copy_from_slice(row);
                }
            }
        }
        seen
    }
}

impl Layer {
    /// The product of rows with the matrix, and the bias.
    fn apply(&self, weights: &[u8], rows: &[f32]) -> Vec<f32> {
        let count = rows.len() / self.matrix.inputs;
        let mut products = self.bias.repeat(count);
        self.matrix.add_product(weights, rows, &mut products);
        products
    }
}

impl Matrix {
    fn add_product(&self, weights: &[u8], rows: &[f32], sums: &mut [f32]) {
        let product = Product {
            rows,
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
    let mean = row.iter().sum::<f32>() / count;
    row.iter_mut().for_each(|entry| *entry -= mean);
    let variance = row.iter().map(|entry| entry * entry).sum::<f32>() / count;
    let factor = 1.0 / (variance + EPSILON).sqrt();
    row.iter_mut().for_each(|entry| *entry *= factor);
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
