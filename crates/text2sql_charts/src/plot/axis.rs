//! Axes: a range of values with its divisions.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

use crate::numbers::Scale;
use text2sql_phrases::Language;

/// A division of an axis, with its label.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    pub(crate) at: f64,
    pub(crate) label: String,
}

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Axis {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) ticks: Vec<Tick>,
    /// Whether lines cross the chart at the divisions.
    pub(crate) has_grid: bool,
}

impl Axis {
    /// An axis without divisions.
    pub(crate) fn plain(low: f64, high: f64) -> Self {
        Self {
            low,
            high,
            ticks: Vec::new(),
            has_grid: false,
        }
    }

    /// How wide the widest label is, in pixels.
    pub(crate) fn label_width(&self) -> u32 {
        self.ticks
            .iter()
            .map(|tick| super::text::width(&tick.label))
            .max()
            .unwrap_or(0)
    }

    /// Leaves out divisions whose labels would touch in this many pixels. Zero stays.
    pub(crate) fn thin_out(&mut self, pixels: f64) {
        let Some((first, second)) = self.ticks.first().zip(self.ticks.get(1)) else {
            return;
        };
        let distance = (second.at - first.at) / (self.high - self.low) * pixels;
        let every = (f64::from(self.label_width() + 14) / distance)
            .ceil()
            .max(1.0) as usize;
        let zero = self
            .ticks
            .iter()
            .position(|tick| tick.at == 0.0)
            .unwrap_or(0);
        let mut index = 0_usize;
        self.ticks.retain(|_| {
            index += 1;
            (index - 1).abs_diff(zero).is_multiple_of(every)
        });
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = ((value - self.low) / (self.high - self.low)).clamp(-1.0, 2.0);
        let share = if share.is_finite() { share } else { 0.0 };
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // plotters asks twice, the second time for the lighter lines between the divisions.
        if hint.weight().allow_light_points() {
            return Vec::new();
        }
        self.ticks.iter().map(|tick| tick.at).collect()
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        self.ticks
            .iter()
            .find(|tick| tick.at.to_bits() == value.to_bits())
            .map(|tick| tick.label.clone())
            .unwrap_or_default()
    }
}

/// An axis that has all values, with about `count` divisions at 1, 2 or 5 times a power of ten.
pub(crate) fn nice_axis(low: f64, high: f64, count: usize, language: Language) -> Axis {
    let (low, high) = if low < high {
        (low, high)
    } else if low == 0.0 {
        (0.0, 1.0)
    } else {
        // A single value: the axis goes from zero to it.
        (low.min(0.0), high.max(0.0))
    };
    let wanted = (high - low) / count.max(1) as f64;
    let power = 10_f64.powf(wanted.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= wanted * 0.999)
        .unwrap_or(wanted);
    let (first, last) = ((low / step).floor(), (high / step).ceil());
    let (low, high) = (first * step, last * step);
    let scale = Scale::of(low.abs().max(high.abs()));
    let decimals = scale.decimals(step);
    // Values that differ by less than their sixteenth digit have no divisions that differ.
    let parts = ((last - first) as usize).min(2 * count + 2);
    let mut ticks: Vec<Tick> = (0..=parts)
        .map(|part| {
            let at = (first + part as f64) * step;
            Tick {
                at,
                label: scale.write(at, decimals, language),
            }
        })
        .collect();
    ticks.dedup_by(|one, other| one.label == other.label);
    Axis {
        low,
        high,
        ticks,
        has_grid: true,
    }
}
