//! Requests that left the server, for the history and the egress log.

use crate::prices::Cost;

/// One request to a model and its reply. Kept in memory only, unless the administrator enabled
/// storing prompts in the history.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Exchange {
    /// The purpose: the stage's name.
    pub purpose: &'static str,
    /// Name of the foreign server.
    pub endpoint: String,
    /// The complete text sent.
    pub prompt: String,
    /// The reply text.
    pub reply: String,
    /// What it discloses of the database.
    pub disclosed: Disclosed,
    /// Input tokens, as counted by the endpoint.
    pub input_tokens: u64,
    /// Output tokens, as counted by the endpoint.
    pub output_tokens: u64,
    /// What it cost, if the model has prices.
    pub cost: Option<Cost>,
    /// Wall-clock milliseconds.
    pub milliseconds: f64,
}

/// What a prompt discloses of the database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Disclosed {
    /// Tables named, as SQL writes them.
    pub tables: Vec<String>,
    /// Columns whose values are shown, as `table.column`.
    pub value_columns: Vec<String>,
    /// Columns with samples by consent of their owner, as `table.column`: values shown although the egress of the
    /// endpoint shows none, and samples that were written or invented.
    pub sample_columns: Vec<String>,
    /// Result rows shown.
    pub result_rows: usize,
    /// Ids of the passages of texts shown.
    pub passages: Vec<i64>,
}
