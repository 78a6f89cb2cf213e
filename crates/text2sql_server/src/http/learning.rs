//! Lessons and exercises: a query built up clause by clause, questions to practise, and marks of attempts.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::App;
use super::answers::{GivenExercise, Lesson, MarkedAttempt};
use super::body::Body;
use super::description::About;
use super::routes::Routes;
use crate::identity::Identity;
use crate::problem::Problem;

type Answer = Result<Json<Box<RawValue>>, Problem>;

const TAG: &str = "Learning";

/// The routes of this family.
pub fn routes(routes: Routes) -> Routes {
    let about = |summary| About::new(TAG, summary);
    routes
        .post(
            "/lesson",
            lesson,
            about("Build a query up clause by clause, with the first rows of each step")
                .takes::<TaughtQuery>()
                .gives::<Lesson>(),
        )
        .post(
            "/exercise",
            exercise,
            about("A question to practise SQL")
                .takes::<WantedExercise>()
                .gives::<GivenExercise>(),
        )
        .post(
            "/grade",
            grade,
            about("Mark an attempt at an exercise")
                .takes::<Attempt>()
                .gives::<MarkedAttempt>(),
        )
}

/// The query of a lesson.
#[derive(Deserialize, ToSchema)]
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

async fn lesson(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(query): Body<TaughtQuery>,
) -> Answer {
    let parameters = [Some(query.sql.as_str()), query.language.as_deref()];
    app.answer(&identity, LESSON, &parameters).await
}

/// Which exercise is wanted.
#[derive(Deserialize, ToSchema)]
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

async fn exercise(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(wanted): Body<WantedExercise>,
) -> Answer {
    let seed = wanted.seed.map(|seed| seed.to_string());
    let parameters = [
        Some(wanted.level.as_str()),
        seed.as_deref(),
        wanted.language.as_deref(),
    ];
    app.answer(&identity, EXERCISE, &parameters).await
}

/// An attempt at an exercise.
#[derive(Deserialize, ToSchema)]
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

async fn grade(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(attempt): Body<Attempt>,
) -> Answer {
    let parameters = [
        Some(attempt.exercise.as_str()),
        Some(&attempt.sql),
        attempt.language.as_deref(),
    ];
    app.answer(&identity, GRADE, &parameters).await
}
