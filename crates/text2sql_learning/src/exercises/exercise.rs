//! An exercise: a question, the query that answers it, and an identifier that says nothing of the query.

use crate::stable_hash::stable_hash;
use text2sql_domain::error::{Error, failure};
use text2sql_domain::named_enum;
use text2sql_sql::tree::parse::parse_query;

named_enum! {
    /// How hard an exercise is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Level {
        /// One table.
        Easy = "easy",
        /// Groups, or two tables.
        Medium = "medium",
        /// Several steps of thought: what is missing, averages, shares.
        Hard = "hard",
    }
}

impl Level {
    /// The level of a name.
    pub fn named(name: &str) -> Result<Self, Error> {
        match name.trim().to_lowercase().as_str() {
            "easy" => Ok(Self::Easy),
            "medium" => Ok(Self::Medium),
            "hard" => Ok(Self::Hard),
            _ => Err(
                failure!(Setting, "\"{name}\" is not a level of exercises").with_hint(
                    "SELECT * FROM text2sql.exercise(level => 'easy'), or 'medium', or 'hard'.",
                ),
            ),
        }
    }

    /// The level of a query that somebody wrote.
    pub fn of_query(sql: &str) -> Self {
        let text = sql.to_uppercase();
        let counted = |word: &str| text.matches(word).count();
        let blocks = counted("SELECT");
        let joins = counted(" JOIN ");
        if blocks > 1 || joins > 1 || text.contains(" OVER ") || text.contains(" HAVING ") {
            Self::Hard
        } else if joins > 0 || text.contains("GROUP BY") {
            Self::Medium
        } else {
            Self::Easy
        }
    }
}

/// An exercise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exercise {
    /// How hard it is.
    pub level: Level,
    /// The question.
    pub question: String,
    /// The query that answers it. It is never shown.
    pub sql: String,
}

impl Exercise {
    /// Its identifier, such as `medium-5b3c1d0f9e8a7b6c`.
    pub fn id(&self) -> String {
        format!("{}-{:016x}", self.level.as_str(), stable_hash(&self.sql))
    }

    /// The level in an identifier.
    pub fn level_of(id: &str) -> Result<Level, Error> {
        let (level, _) = id.trim().split_once('-').unwrap_or((id, ""));
        Level::named(level).map_err(|_| {
            failure!(Setting, "\"{id}\" is not the identifier of an exercise")
                .with_hint("SELECT exercise, question FROM text2sql.exercise();")
        })
    }

    /// Whether the query can be read.
    pub fn is_readable(&self) -> bool {
        matches!(parse_query(&self.sql), Ok(Some(_)))
    }
}

/// The exercises in the order in which a seed tries them.
pub fn chosen_from(mut exercises: Vec<Exercise>, seed: i64) -> Vec<Exercise> {
    exercises.sort_by_cached_key(|exercise| stable_hash(&format!("{seed} {}", exercise.sql)));
    exercises
}
