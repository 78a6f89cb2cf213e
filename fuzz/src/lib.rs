//! Coverage-guided fuzzing of everything in core that reads a model's reply, SQL or a question.

pub mod checks;
