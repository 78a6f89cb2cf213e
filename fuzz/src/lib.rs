//! Coverage-guided fuzzing of all code that reads a model's reply, SQL or a question.

pub mod checks;
