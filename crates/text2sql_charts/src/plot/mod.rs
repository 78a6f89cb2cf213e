//! A chart as marks in the coordinates of its data, and from there to SVG.

mod axis;
mod marks;
mod svg;
pub(crate) mod text;

pub(crate) use axis::{Axis, Tick, nice_axis};
pub(crate) use marks::{Align, Caption, Class, Margins, Mark, Plot, Shape};
pub(crate) use svg::render;
