//! The figures of evaluations in one form, whatever they measure: each measure has a name, a kind that says how its
//! mean is tested, and a value for a case. Tables of means by level, style, model and variant ([`table`]), the shares
//! of the elements that are wrong ([`element_errors`]), and the significance of differences ([`compare`]) are made
//! from them.

mod cases;
mod compare;
mod element_errors;
mod filter;
mod list;
mod named;
mod table;
#[cfg(test)]
mod tests;

pub use compare::{Compared, Phrasings, compare};
pub use element_errors::{ElementErrors, element_errors};
pub use filter::Filter;
pub use list::{Kind, MEASURES, Measure};
pub use named::Named;
pub(crate) use table::level_place;
pub use table::{Cell, Dimension, Group, table};
