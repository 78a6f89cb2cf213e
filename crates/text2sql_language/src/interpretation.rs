//! Facts that a question implies, determined before a query is written.

use crate::periods::mentioned::MentionedPeriod;

/// The facts that a question implies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Periods that are counted from today.
    pub periods: Vec<MentionedPeriod>,
    /// Periods that owners have defined and the question groups by, with what they mean: "fiscal year".
    pub groups: Vec<(String, String)>,
    /// Words for tables and columns: "'PO' is purchase_orders".
    pub names: Vec<String>,
    /// Terms with their meaning: "'AOV' means average order value".
    pub terms: Vec<String>,
    /// What was taken for granted about words that nobody defined: "assumed: 'recent' means the last 30 days".
    pub assumed: Vec<String>,
    /// Words for days that nobody defined, each with a note that says so.
    pub undefined: Vec<(String, String)>,
    /// The question with days instead of words that stand for them by a definition, for the built-in engine.
    pub in_days: Option<String>,
    /// Complete questions that it may mean, of which the rest of it may settle one: no fact, but what a model
    /// has to choose from.
    pub readings: Vec<String>,
}

impl Facts {
    /// All facts as sentences, in the order of the fields, without the readings.
    pub fn statements(&self) -> Vec<String> {
        let periods = self.periods.iter().map(MentionedPeriod::statement);
        let words = self.names.iter().chain(&self.terms).cloned();
        periods.chain(words).collect()
    }
}
