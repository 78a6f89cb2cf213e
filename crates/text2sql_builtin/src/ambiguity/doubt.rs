//! What is doubtful in a question.

/// What is doubtful in a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// A short question back.
    pub question: String,
    /// Two to four complete questions, one for each reading, likeliest first.
    pub readings: Vec<String>,
    /// Whether the rest of the question may decide it, for a reader who can reason: it names other tables or
    /// values.
    pub may_be_settled: bool,
    /// Whether it is about a stored value: the readings then say in which columns it occurs.
    pub is_about_value: bool,
}
