//! What a question takes for granted, found out before a query is written.

use crate::periods::mentioned::MentionedPeriod;

/// What the question takes for granted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// The whole question that a follow-up was read as: "'and by month?' is …".
    pub whole: Option<String>,
    /// Periods that are counted from today.
    pub periods: Vec<MentionedPeriod>,
    /// Words for tables and columns: "'PO' is purchase_orders".
    pub names: Vec<String>,
    /// Terms with their meaning: "'AOV' means average order value".
    pub terms: Vec<String>,
}

impl Facts {
    /// All of them, a sentence each, in the order of this struct.
    pub fn statements(&self) -> Vec<String> {
        let periods = self.periods.iter().map(MentionedPeriod::statement);
        let words = self.names.iter().chain(&self.terms).cloned();
        let whole = self.whole.clone().into_iter();
        whole.chain(periods).chain(words).collect()
    }
}
