//! Which cases count.

use crate::evaluation_data::AttemptRow;

/// The levels, styles and tags of the cases that count; all where a list is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// One of these levels.
    pub levels: Vec<String>,
    /// One of these styles.
    pub styles: Vec<String>,
    /// At least one of these tags.
    pub tags: Vec<String>,
}

impl Filter {
    /// Whether the case of an attempt counts.
    pub fn admits(&self, row: &AttemptRow) -> bool {
        let is_in = |list: &[String], value: Option<&String>| {
            list.is_empty() || value.is_some_and(|value| list.contains(value))
        };
        let has_tag = self.tags.is_empty() || row.tags.iter().any(|tag| self.tags.contains(tag));
        is_in(&self.levels, row.level.as_ref())
            && is_in(&self.styles, row.style.as_ref())
            && has_tag
    }
}
