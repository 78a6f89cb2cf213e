//! Products of matrices: where nearly all of the time of a vector goes.
//!
//! A matrix is stored in strips of [`STRIP`] columns, so that it is read in order. The inner loops are
//! written such that the compiler turns them into vector instructions; `pulp` chooses those of the processor.

use pulp::{Arch, Simd, WithSimd};

/// Number of columns that are summed at once: two registers of AVX2, one of AVX-512.
pub const STRIP: usize = 16;

/// Maximum number of rows that are multiplied at once: with [`STRIP`] columns, their sums fill 12 of 16
/// registers of AVX2. With 8 or 12 for the 32 of AVX-512 the compiler sums across rows, which takes longer.
const ROWS: usize = 6;

/// Rows of inputs times a matrix of signed bytes.
pub(crate) struct Product<'a> {
    /// Rows of `inputs` numbers, each beginning `stride` numbers after the one before it.
    pub(crate) rows: &'a [f32],
    pub(crate) stride: usize,
    pub(crate) inputs: usize,
    /// Strips of `inputs` times [`STRIP`] weights.
    pub(crate) weights: &'a [u8],
    pub(crate) outputs: usize,
    /// What a weight is multiplied by.
    pub(crate) scale: f32,
}

impl Product<'_> {
    /// Adds the product to rows of `outputs` numbers.
    pub(crate) fn add_to(self, sums: &mut [f32]) {
        Arch::new().dispatch(Work {
            product: self,
            sums,
        });
    }
}

struct Work<'a> {
    product: Product<'a>,
    sums: &'a mut [f32],
}

impl WithSimd for Work<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { product, sums } = self;
        // Without vector instructions `mul_add` calls a slow function.
        let (at_once, fused) = if S::IS_SCALAR {
            (1, false)
        } else {
            (ROWS, true)
        };
        let mut rows = product.rows;
        for sums in sums.chunks_mut(product.outputs * at_once) {
            match (sums.len() / product.outputs.max(1), fused) {
                (1, true) => block::<1, true>(&product, rows, sums),
                (2, true) => block::<2, true>(&product, rows, sums),
                (3, true) => block::<3, true>(&product, rows, sums),
                (4, true) => block::<4, true>(&product, rows, sums),
                (5, true) => block::<5, true>(&product, rows, sums),
                (_, true) => block::<ROWS, true>(&product, rows, sums),
                (_, false) => block::<1, false>(&product, rows, sums),
            }
            rows = rows.get(product.stride * at_once..).unwrap_or_default();
        }
    }
}

/// Multiplies `R` rows.
#[inline(always)]
fn block<const R: usize, const FUSED: bool>(product: &Product<'_>, rows: &[f32], sums: &mut [f32]) {
    // The numbers that meet the same weights side by side.
    let mut columns = vec![[0.0f32; R]; product.inputs];
    for row in 0..R {
        let values = rows.get(row * product.stride..).unwrap_or_default();
        for (column, value) in columns.iter_mut().zip(values) {
            if let Some(entry) = column.get_mut(row) {
                *entry = *value;
            }
        }
    }
    let (weights, _) = product.weights.as_chunks::<STRIP>();
    for (strip, weights) in weights.chunks_exact(product.inputs).enumerate() {
        let products = strip_product::<R, FUSED>(&columns, weights);
        for (row, product_row) in sums.chunks_exact_mut(product.outputs).zip(&products) {
            if let Some(row) = row.get_mut(strip * STRIP..(strip + 1) * STRIP) {
                for (sum, value) in row.iter_mut().zip(product_row) {
                    *sum += product.scale * value;
                }
            }
        }
    }
}

#[inline(always)]
fn strip_product<const R: usize, const FUSED: bool>(
    columns: &[[f32; R]],
    weights: &[[u8; STRIP]],
) -> [[f32; STRIP]; R] {
    let mut sums = [[0.0f32; STRIP]; R];
    for (column, weights) in columns.iter().zip(weights) {
        let weights = weights.map(|weight| f32::from(weight as i8));
        for (sums, value) in sums.iter_mut().zip(column) {
            for (sum, weight) in sums.iter_mut().zip(&weights) {
                *sum = match FUSED {
                    true => weight.mul_add(*value, *sum),
                    false => weight * value + *sum,
                };
            }
        }
    }
    sums
}
