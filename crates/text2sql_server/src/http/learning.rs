//! Lessons and exercises: a query built up clause by clause, questions to practise, and marks of attempts.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::answers::{GivenExercise, Lesson, MarkedAttempt};
use super::routes::Routes;

/// The routes of this family.
pub fn routes(routes: Routes) -> Routes {
    routes
        .family("Learning")
        .answers::<TaughtQuery, Lesson>(
            "/lesson",
            "Build a query up clause by clause, with the first rows of each step",
            LESSON,
        )
        .answers::<WantedExercise, GivenExercise>(
            "/exercise",
            "A question to practise SQL",
            EXERCISE,
        )
        .answers::<Attempt, MarkedAttempt>("/grade", "Mark an attempt at an exercise", GRADE)
}

/// The query of a lesson.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TaughtQuery {
    /// One SELECT.
    #[schema(min_length = 1)]
    sql: String,
    /// `en` or `de`; else that of the session.
    #[serde(default)]
    language: Option<String>,
}

const LESSON: &str = "
SELECT pg_catalog.json_build_object('steps', COALESCE(pg_catalog.json_agg(t), '[]'))::text
FROM text2sql.teach_me(sql => $1::text, language => $2::text) AS t";

/// Which exercise is wanted.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WantedExercise {
    /// `easy`, `medium` or `hard`.
    level: String,
    /// The same number gives the same exercise.
    #[serde(default)]
    seed: Option<i64>,
    /// `en` or `de`; else that of the session.
    #[serde(default)]
    language: Option<String>,
}

const EXERCISE: &str = "
SELECT pg_catalog.row_to_json(e)::text FROM text2sql.exercise($1::text, $2::text::bigint, $3::text) AS e";

/// An attempt at an exercise.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Attempt {
    /// The identifier of the exercise.
    exercise: String,
    /// One SELECT.
    #[schema(min_length = 1)]
    sql: String,
    /// `en` or `de`; else that of the session.
    #[serde(default)]
    language: Option<String>,
}

const GRADE: &str = "
SELECT pg_catalog.row_to_json(g)::text FROM text2sql.grade($1::text, $2::text, $3::text) AS g";
