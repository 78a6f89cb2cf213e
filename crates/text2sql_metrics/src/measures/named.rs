//! An evaluation with the name that a table gives it.

use serde::Deserialize;

use crate::evaluation_data::EvaluationData;

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
