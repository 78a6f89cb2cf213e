//! What a model is sent.

use text2sql_domain::exchange::Disclosed;

/// What is sent to a model for a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// The instructions.
    pub system: String,
    /// Schema and question.
    pub user: String,
    /// The names and values of the database that are in it.
    pub disclosed: Disclosed,
}

impl Prompt {
    /// Length in characters.
    pub fn chars(&self) -> usize {
        self.system.chars().count() + self.user.chars().count()
    }
}
