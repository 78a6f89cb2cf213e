//! What routes answer, for the OpenAPI document. The answers themselves are passed on as PostgreSQL wrote them.

// These types describe, and are never made.
#![expect(dead_code, reason = "only their schemas are used")]

use utoipa::ToSchema;

use crate::problem::Problem;
use crate::questions;

/// A column of a result.
#[derive(ToSchema)]
pub struct Column {
    name: String,
    /// Its type, as PostgreSQL calls it.
    r#type: String,
}

/// The row of `text2sql.ask`.
#[derive(ToSchema)]
pub struct AnswerRow {
    /// `ok`, `ambiguous`, `unanswerable`, `not_permitted`, `blocked`, `failed` or `waiting`.
    status: String,
    /// One sentence.
    #[schema(required)]
    answer: Option<String>,
    #[schema(required)]
    sql: Option<String>,
    #[schema(required)]
    result_columns: Option<Vec<Column>>,
    /// An object for each row, in the order of the columns.
    #[schema(required, value_type = Option<Vec<Object>>)]
    result_rows: Option<Vec<()>>,
    #[schema(required)]
    row_count: Option<u64>,
    #[schema(required)]
    truncated: Option<bool>,
    #[schema(required)]
    confidence: Option<f64>,
    #[schema(required, value_type = Option<Object>)]
    score: Option<()>,
    #[schema(required)]
    plan: Option<String>,
    #[schema(required)]
    engine: Option<String>,
    #[schema(required)]
    warnings: Option<Vec<String>>,
    #[schema(required)]
    withheld: Option<Vec<String>>,
    /// `{"question": …, "readings": […]}`; of an answer without a model `{"meaning": …, "follow_ups": […]}`.
    #[schema(required, value_type = Option<Object>)]
    clarification: Option<()>,
    #[schema(required, value_type = Option<Vec<Object>>)]
    results: Option<Vec<()>>,
    /// The passages of texts that the sentence cites as `[1]`, `[2]`.
    #[schema(required)]
    citations: Option<Vec<Citation>>,
    #[schema(required)]
    verified_by: Option<String>,
    #[schema(required)]
    trace_id: Option<String>,
    #[schema(required)]
    sqlstate: Option<String>,
}

/// The row of `text2sql.generate_sql`.
#[derive(ToSchema)]
pub struct GeneratedSql {
    /// `ok`, `ambiguous`, `unanswerable`, `blocked` or `failed`.
    status: String,
    /// Why there is no SQL.
    #[schema(required)]
    answer: Option<String>,
    #[schema(required)]
    sql: Option<String>,
    /// How the model got to it.
    #[schema(required)]
    reasoning: Option<String>,
    assumptions: Vec<String>,
    #[schema(required)]
    confidence: Option<f64>,
    #[schema(required)]
    engine: Option<String>,
    warnings: Vec<String>,
    #[schema(required, value_type = Option<Object>)]
    clarification: Option<()>,
    #[schema(required)]
    trace_id: Option<String>,
    #[schema(required)]
    sqlstate: Option<String>,
    /// As it was given.
    #[schema(required)]
    task_id: Option<String>,
}

/// What happens while a question runs, as server-sent events: `event:` is the name of the member, `data:` its JSON. The
/// last is `answer` or `error`.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum QuestionEvent {
    /// A stage begins.
    Step(questions::Step),
    /// What the query that is run does. The one that is run last is not always the answer.
    Plan(PlanOfQuery),
    /// Its first rows, before it is known whether they are the answer.
    Rows(FirstRows),
    /// The row of `text2sql.ask`.
    Answer(Box<AnswerRow>),
    /// There is no row.
    Error(Problem),
}

/// What a query does.
#[derive(ToSchema)]
pub struct PlanOfQuery {
    /// A line for each step.
    steps: Vec<String>,
}

/// The first rows of a query.
#[derive(ToSchema)]
pub struct FirstRows {
    result_columns: Vec<Column>,
    /// An object for each row, in the order of the columns.
    #[schema(value_type = Vec<Object>)]
    result_rows: Vec<()>,
}

/// A passage of a document, or of a text in a row.
#[derive(ToSchema)]
pub struct Citation {
    /// The number in the sentence.
    n: u32,
    #[schema(required)]
    title: Option<String>,
    /// Where it is, for people.
    place: String,
    text: String,
    /// The document, if it is of one.
    document: Option<i64>,
    source: Option<String>,
    /// The table, if it is of a row.
    table: Option<String>,
    column: Option<String>,
    /// The key of the row.
    #[schema(value_type = Option<Object>)]
    key: Option<()>,
}

/// Rows of a query.
#[derive(ToSchema)]
pub struct RowsOfQuery {
    result_columns: Vec<Column>,
    /// An object for each row, in the order of the columns.
    #[schema(value_type = Vec<Object>)]
    result_rows: Vec<()>,
    row_count: u64,
    truncated: bool,
}

/// What the guard says.
#[derive(ToSchema)]
pub struct Validation {
    allowed: bool,
    #[schema(required)]
    rule: Option<String>,
    #[schema(required)]
    reason: Option<String>,
    #[schema(required)]
    offender: Option<String>,
    /// Position in the SQL, in characters from 1.
    #[schema(required)]
    error_position: Option<u32>,
    #[schema(required)]
    statement: Option<String>,
    #[schema(required)]
    read_relations: Option<Vec<String>>,
    #[schema(required)]
    read_columns: Option<Vec<String>>,
    #[schema(required)]
    called_functions: Option<Vec<String>>,
    #[schema(required)]
    estimated_cost: Option<f64>,
    #[schema(required)]
    estimated_rows: Option<f64>,
    #[schema(required)]
    sqlstate: Option<String>,
}

/// A query in words.
#[derive(ToSchema)]
pub struct Steps {
    steps: Vec<Step>,
}

/// A step of a query.
#[derive(ToSchema)]
pub struct Step {
    step: u32,
    #[schema(required)]
    clause: Option<String>,
    explanation: String,
}

/// A plan in words.
#[derive(ToSchema)]
pub struct PlanSteps {
    steps: Vec<PlanStep>,
}

/// A step of a plan of PostgreSQL.
#[derive(ToSchema)]
pub struct PlanStep {
    step: u32,
    operation: String,
    explanation: String,
    #[schema(required)]
    problem: Option<String>,
    #[schema(required)]
    cost: Option<f64>,
    #[schema(required)]
    estimated_rows: Option<f64>,
    #[schema(required)]
    actual_rows: Option<f64>,
    #[schema(required)]
    milliseconds: Option<f64>,
}

/// What speaks against a result.
#[derive(ToSchema)]
pub struct Findings {
    findings: Vec<Finding>,
    /// How well the query fits the question, where one was given.
    #[schema(required)]
    scores: Option<Vec<Score>>,
}

/// One thing that speaks against a result.
#[derive(ToSchema)]
pub struct Finding {
    finding: String,
    severity: String,
    #[schema(required)]
    basis: Option<String>,
    #[schema(required)]
    evidence: Option<String>,
    #[schema(required)]
    fix: Option<String>,
}

/// A dimension of a score.
#[derive(ToSchema)]
pub struct Score {
    dimension: String,
    #[schema(required)]
    weight: Option<f64>,
    #[schema(required)]
    score: Option<f64>,
    #[schema(required)]
    reason: Option<String>,
}

/// Why there are no rows.
#[derive(ToSchema)]
pub struct Causes {
    causes: Vec<Cause>,
}

/// One reason why there are no rows.
#[derive(ToSchema)]
pub struct Cause {
    cause: String,
    #[schema(required)]
    part: Option<String>,
    explanation: String,
    #[schema(required)]
    nearest: Option<Vec<String>>,
    #[schema(required)]
    changed_sql: Option<String>,
}

/// Ways to make a query faster.
#[derive(ToSchema)]
pub struct Proposals {
    proposals: Vec<Proposal>,
}

/// The query as it is, a rewrite, or what would have to be made; costs are the planner's.
#[derive(ToSchema)]
pub struct Proposal {
    kind: String,
    explanation: String,
    #[schema(required)]
    sql: Option<String>,
    #[schema(required)]
    cost_before: Option<f64>,
    #[schema(required)]
    cost_after: Option<f64>,
    #[schema(required)]
    size: Option<i64>,
    #[schema(required)]
    caveats: Option<String>,
}

/// A query built up clause by clause.
#[derive(ToSchema)]
pub struct Lesson {
    steps: Vec<LessonStep>,
}

/// A step of a lesson: a query of its own.
#[derive(ToSchema)]
pub struct LessonStep {
    step: i32,
    clause: String,
    in_words: String,
    query: String,
    /// Its first rows, objects by the names of the columns.
    #[schema(required, value_type = Option<Vec<Object>>)]
    first_rows: Option<String>,
    #[schema(required)]
    row_count: Option<i64>,
    /// Why it has no rows to see.
    #[schema(required)]
    note: Option<String>,
}

/// The row of `text2sql.exercise`.
#[derive(ToSchema)]
pub struct GivenExercise {
    exercise: String,
    question: String,
    tables: Vec<String>,
}

/// The row of `text2sql.grade`.
#[derive(ToSchema)]
pub struct MarkedAttempt {
    /// `right`, `partly`, `wrong` or `refused`.
    mark: String,
    score: f64,
    #[schema(required)]
    hint: Option<String>,
}

/// The row of `text2sql.revise`.
#[derive(ToSchema)]
pub struct Revision {
    status: String,
    #[schema(required)]
    sql: Option<String>,
    #[schema(required)]
    changes: Option<Vec<String>>,
    #[schema(required)]
    diff: Option<String>,
    #[schema(required)]
    answer: Option<String>,
    #[schema(required)]
    warnings: Option<Vec<String>>,
    #[schema(required, value_type = Option<Object>)]
    clarification: Option<()>,
    #[schema(required)]
    trace_id: Option<String>,
    /// Those of a script that differ; empty for a query.
    statements: Vec<RevisedStatement>,
}

/// A statement of a script that differs.
#[derive(ToSchema)]
pub struct RevisedStatement {
    /// Its number; of one that was added, that of the statement before it.
    statement: u32,
    /// As it is; null if it was removed.
    #[schema(required)]
    sql: Option<String>,
    changes: Vec<String>,
    diff: String,
    /// What the server says of it, and what was not asked for.
    warnings: Vec<String>,
}

/// How a question would be answered.
#[derive(ToSchema)]
pub struct Plan {
    plan: Vec<StepOfQuestion>,
}

/// A step towards an answer.
#[derive(ToSchema)]
pub struct StepOfQuestion {
    step: u32,
    what: String,
    #[schema(required)]
    depends_on: Option<Vec<u32>>,
    #[schema(required)]
    tables: Option<Vec<String>>,
    #[schema(required)]
    statement: Option<u32>,
    #[schema(required)]
    sql: Option<String>,
    #[schema(required)]
    confidence: Option<f64>,
}

/// What a model would be sent.
#[derive(ToSchema)]
pub struct Prompt {
    #[schema(required)]
    prompt: Option<String>,
}

/// A query that was written and did not run.
#[derive(ToSchema)]
pub struct WrittenSql {
    /// The query.
    sql: String,
}

/// A view that was made.
#[derive(ToSchema)]
pub struct CreatedView {
    /// Its name with its schema.
    view: String,
}

/// What became of feedback.
#[derive(ToSchema)]
pub struct GivenFeedback {
    /// The example that waits for a curator, if there is one.
    #[schema(required)]
    example_id: Option<i64>,
}
