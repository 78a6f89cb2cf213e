//! The result of a query: rows with their exact text form, or the database error.

use serde_json::value::RawValue;

/// A column of a result, with the name and type that the server reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultColumn {
    /// The name that the query returns; names may repeat.
    pub name: String,
    /// The type as SQL writes it.
    pub type_name: String,
}

/// One value: its text form (`None` is NULL) and its JSON form.
///
/// The text is exactly what the type's output function wrote; the JSON keeps those digits
/// (a `numeric` is not rounded, a `bigint` is not a double).
#[derive(Debug, Clone)]
pub struct Cell {
    /// The text of the output function; `None` is NULL.
    pub text: Option<String>,
    /// The value as JSON.
    pub json: Box<RawValue>,
}

/// The rows of a query that ran, within the limits.
#[derive(Debug, Clone, Default)]
pub struct Execution {
    /// The columns, in order.
    pub columns: Vec<ResultColumn>,
    /// The captured rows.
    pub rows: Vec<Vec<Cell>>,
    /// Whether a limit on rows or bytes truncated the result.
    pub is_truncated: bool,
    /// The planner's cost of the plan.
    pub plan_cost: f64,
    /// The planner's row estimate.
    pub plan_rows: f64,
    /// Tables read, as `schema.name`; views are listed by their own name.
    pub relations: Vec<String>,
    /// Whether a private column was read: then no row of the result may be sent to a model,
    /// whatever the egress level.
    pub is_private: bool,
    /// What the caller should know about where it ran: on a replica, and how far that is behind.
    pub notes: Vec<String>,
}

/// A database error raised while a generated query was analysed, planned or run.
///
/// Outside SQLSTATE class 42 the texts may contain row values: they are shown to the caller, who may
/// read those rows, and enter a prompt only at the egress level `rows`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseError {
    /// The SQLSTATE, five characters.
    pub sqlstate: String,
    /// Primary message.
    pub message: String,
    /// DETAIL.
    pub detail: Option<String>,
    /// HINT.
    pub hint: Option<String>,
    /// Character position in the statement, from 1.
    pub position: Option<usize>,
    /// Whether a table with a private column was read: then the texts never enter a prompt,
    /// whatever the egress level.
    pub is_private: bool,
}
