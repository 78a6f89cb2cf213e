//! What a model is sent.

use text2sql_domain::exchange::Disclosed;

use crate::providers::Names;

/// What is sent to a model for a question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prompt {
    /// The instructions.
    pub system: String,
    /// Schema and question.
    pub user: String,
    /// How many bytes the user's turn begins with that are the same for other questions of a role to a catalog.
    pub shared: usize,
    /// Where the rules of this question end in it; further ones follow there.
    pub rules_end: usize,
    /// Whether the reply may ask for tables.
    pub may_ask_for_tables: bool,
    /// The names and values of the database that are in it.
    pub disclosed: Disclosed,
    /// What a query may name, where the prompt shows all of it.
    pub names: Names,
}

impl Prompt {
    /// Length in characters.
    pub fn chars(&self) -> usize {
        self.system.chars().count() + self.user.chars().count()
    }

    /// Adds a rule for this question, on a line of its own: behind all that is the same for every question.
    pub fn add_rule(&mut self, rule: &str) {
        match self.user.is_char_boundary(self.rules_end) {
            true => self.user.insert_str(self.rules_end, &format!("\n{rule}")),
            false => return,
        }
        self.rules_end += rule.len() + 1;
    }
}
