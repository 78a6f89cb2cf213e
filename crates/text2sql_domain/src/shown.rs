//! What of the catalog the model of a question is shown: as much as its egress permits, and the ingredients of the
//! configuration.

use std::num::NonZeroUsize;

use crate::config::{Config, Egress};
use crate::ingredients::Ingredients;

/// What a model is shown of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shows {
    /// Whether values may be sent.
    pub egress: Egress,
    /// Which facts are shown.
    pub ingredients: Ingredients,
    /// How many columns of a table, at most.
    pub columns: Option<NonZeroUsize>,
}

impl Shows {
    /// What the model of a question is shown.
    pub fn of(config: &Config) -> Self {
        Self {
            egress: config.model.egress(),
            ingredients: config.ingredients,
            columns: config.shown.columns,
        }
    }
}

impl From<Egress> for Shows {
    /// All that may be sent.
    fn from(egress: Egress) -> Self {
        Self {
            egress,
            ingredients: Ingredients::ALL,
            columns: None,
        }
    }
}
