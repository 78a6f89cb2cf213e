//! What all requests share.

use super::tasks::Tasks;
use crate::questions::Questions;

/// What an artifact contains: the sentence, the row of `ask`, and the SQL.
pub(super) const OUTPUT_MODES: [&str; 3] = ["text/plain", "application/json", "application/sql"];

/// What runs questions, and the tasks.
pub struct State {
    pub(super) questions: Questions,
    pub(super) tasks: Tasks,
}

impl State {
    /// No tasks yet.
    pub fn new(questions: Questions) -> Self {
        Self {
            questions,
            tasks: Tasks::default(),
        }
    }
}
