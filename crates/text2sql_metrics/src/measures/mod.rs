//! The figures of evaluations in one form, whatever they measure: each measure has a name, a kind that says how its
//! mean is tested, and a value for a case. Tables of means by level, style, model and variant ([`table`]), the shares
//! of the elements that are wrong ([`element_errors`]), and the significance of differences ([`compare`]) are made
//! from them.

mod cases;
mod compare;
mod element_errors;
mod filter;
mod list;
mod table;
#[cfg(test)]
mod tests;

pub use compare::{Compared, compare};
pub use element_errors::{ElementErrors, element_errors};
pub use filter::Filter;
pub use list::{Kind, MEASURES, Measure};
pub(crate) use table::level_place;
pub use table::{Cell, Dimension, Group, table};

use serde::Deserialize;

use super::evaluation_data::EvaluationData;

/// An evaluation as a row of a comparison.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Named {
    /// Its name in the table: of the variant, else of the evaluation.
    pub variant: String,
    /// The evaluation.
    #[serde(flatten)]
    pub data: EvaluationData,
}

impl Named {
    /// The model that was asked: the name at its endpoint, else the setting.
    pub fn model(&self) -> String {
        let configured = &self.data.evaluation.configured;
        let text = |path: &str| configured.pointer(path)?.as_str().map(str::to_owned);
        text("/model/model")
            .or_else(|| text("/settings/text2sql.model"))
            .unwrap_or_default()
    }
}
