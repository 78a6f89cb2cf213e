//! The cause of an empty result.

/// Why a query returned nothing, found by running it with parts left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmptyCause {
    /// The kind of cause, by its name in the SQL interface.
    pub kind: &'static str,
    /// The explanation, in full sentences, for the caller; it may contain values that the caller may read.
    pub explanation: String,
    /// The same without any value of the data.
    pub without_values: String,
    /// The condition or join, as the query has it.
    pub part: Option<String>,
    /// The existing values that are most similar to one that does not occur.
    pub nearest: Vec<String>,
}
