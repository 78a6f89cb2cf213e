//! What a query gave: rows with their exact text form, or the error the database raised.

use serde_json::value::RawValue;

/// A column of a result, as the server names and types it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultColumn {
    /// The name as the query gives it; names may repeat.
    pub name: String,
    /// The type as SQL writes it.
    pub type_name: String,
}

/// One value: its text form (`None` is NULL) and its JSON form.
///
/// The text is what the type's output function wrote, byte for byte; the JSON keeps those digits
/// (a `numeric` is not rounded, a `bigint` is not a double).
#[derive(Debug, Clone)]
pub struct Cell {
    /// The output function's text; `None` is NULL.
    pub text: Option<String>,
    /// The value as JSON.
    pub json: Box<RawValue>,
}

/// The rows of a query that ran, within the caps.
#[derive(Debug, Clone, Default)]
pub struct Execution {
    /// The columns, in order.
    pub columns: Vec<ResultColumn>,
    /// The captured rows.
    pub rows: Vec<Vec<Cell>>,
    /// Whether a cap on rows or bytes cut the result.
    pub is_truncated: bool,
    /// The planner's cost of the plan.
    pub plan_cost: f64,
    /// How many rows the planner expected.
    pub plan_rows: f64,
    /// Tables read, as `schema.name`, views resolved one level (the names in the statement).
    pub relations: Vec<String>,
    /// Whether a column was read whose values are never in a prompt: then no row of this may be
    /// sent to a model, whatever the egress.
    pub is_private: bool,
}

/// An error that the database raised while it analysed, planned or ran a generated query.
///
/// Outside SQLSTATE class 42 the texts can hold row values: they go to the caller, who may read
/// those rows, and never into a prompt below the egress level `rows`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseError {
    /// Five characters.
    pub sqlstate: String,
    /// Primary message.
    pub message: String,
    /// DETAIL.
    pub detail: Option<String>,
    /// HINT.
    pub hint: Option<String>,
    /// Character position in the statement, from 1.
    pub position: Option<usize>,
    /// Whether a table with a private column was read: then the texts never go into a prompt,
    /// whatever the egress.
    pub is_private: bool,
}
