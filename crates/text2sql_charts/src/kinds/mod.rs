//! The kinds of charts: each makes marks from a design.

mod bars;
mod captions;
pub mod drawing;
mod layout;
mod lines;
mod points;

use self::layout::Layout;
use crate::plot::render;
use crate::request::{ChartRequest, Kind};
use crate::rule::Design;
use text2sql_phrases::Language;

/// Room of a chart that is drawn for a desktop.
const WIDTH: u32 = 720;
const NARROWEST: u32 = 300;
const WIDEST: u32 = 1_200;

/// Draws a design in one of the kinds that fit it.
pub(crate) fn draw(
    design: &Design,
    kind: Kind,
    request: &ChartRequest,
    language: Language,
) -> Option<String> {
    let layout = Layout {
        width: request.width.unwrap_or(WIDTH).clamp(NARROWEST, WIDEST),
        language,
    };
    let mut plot = match (design, kind) {
        (
            Design::Categories {
                measure,
                category,
                labels,
                series,
            },
            kind,
        ) => bars::across(measure, category, labels, series, kind, layout),
        (Design::Times { .. }, Kind::Bar | Kind::GroupedBar | Kind::StackedBar) => {
            bars::upright(design, kind == Kind::StackedBar, layout)?
        }
        (Design::Times { .. }, kind) => lines::lines(design, kind == Kind::Line, layout)?,
        (Design::Pairs { x, y, points }, _) => points::points(x, y, points, layout),
    };
    if let Some(title) = request
        .title
        .as_ref()
        .filter(|title| !title.trim().is_empty())
    {
        plot.title.clone_from(title);
    }
    render(&plot)
}
