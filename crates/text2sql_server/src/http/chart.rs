//! `POST /chart`: which chart fits a result, and its SVG. The rows come from the caller; the database is not asked.

use axum::Json;
use text2sql_charts::{Chart, ChartRequest, chart};
use utoipa::ToSchema;

use super::answers::Column;
use super::body::{Body, LARGE};
use super::routes::Routes;
use crate::identity::Identity;
use crate::problem::Problem;

/// The routes of this family.
pub fn routes(routes: Routes) -> Routes {
    routes.family("Questions").post(
        "/chart",
        "Which chart fits a result, and its SVG",
        draw,
        |about| about.takes::<ResultToDraw>().gives::<DrawnChart>(),
    )
}

/// A result that is to be drawn.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub struct ResultToDraw {
    /// As `ask` returns them.
    result_columns: Vec<Column>,
    /// As `ask` returns them.
    #[schema(value_type = Vec<Object>)]
    result_rows: Vec<()>,
    /// `bar`, `grouped_bar`, `stacked_bar`, `line` or `point`; one that does not fit is replaced by the best that does.
    #[schema(inline, value_type = Option<Kind>)]
    kind: Option<Kind>,
    /// `en` or `de`.
    language: Option<String>,
    /// What the chart is called, such as the question.
    title: Option<String>,
    /// Whether the result has more rows.
    truncated: Option<bool>,
    /// Pixels, from 300 to 1200.
    width: Option<u32>,
}

/// A kind of chart.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
pub enum Kind {
    /// A bar for each category.
    Bar,
    /// Several bars for each category.
    GroupedBar,
    StackedBar,
    /// Lines over time.
    Line,
    /// Points.
    Point,
}

/// A chart, or the reason why there is none.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub struct DrawnChart {
    /// The kind that is drawn; none where no chart fits.
    #[schema(required)]
    kind: Option<String>,
    /// The kinds that fit, the best first.
    kinds: Vec<String>,
    /// Why, in a sentence or two.
    reason: String,
    #[schema(required)]
    svg: Option<String>,
}

async fn draw(
    _whoever: Identity,
    Body(result): Body<ChartRequest, LARGE>,
) -> Result<Json<Chart>, Problem> {
    // A result of a megabyte takes milliseconds, during which other requests shall go on.
    tokio::task::spawn_blocking(move || chart(&result))
        .await
        .map(Json)
        .map_err(|_| Problem::unavailable("the chart could not be drawn"))
}
