//! Charts as SVG: which kind fits a result, by rule, and how it is drawn.
//!
//! [`chart`] takes the columns and rows of an answer as `text2sql.ask` returns them. Rules decide; no model and
//! no code of anybody else is asked. [`drawing`] draws figures that are known beforehand, as a report has them.
//!
//! A chart has no colours and no fonts of its own, only classes, which [`STYLE`] describes: so it follows the light
//! or dark colours of its page, and needs no inline style, which a strict content security policy refuses.

#![forbid(unsafe_code)]

mod kinds;
mod moments;
mod numbers;
mod plot;
mod reason;
mod request;
mod roles;
mod rule;
mod table;
#[cfg(test)]
mod tests;
pub mod text_bars;
pub mod text_table;

use serde::Serialize;

pub use kinds::drawing;
pub use plot::text::escape;
pub use request::{ChartRequest, Kind};
pub use table::{ResultColumn, Row};

/// The style sheet of every chart. It defines colours for light and dark, and selects below the class `chart` only.
pub const STYLE: &str = include_str!("style.css");

/// A chart, or the reason why there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Chart {
    /// The kind that is drawn, none where no chart fits.
    pub kind: Option<Kind>,
    /// The kinds that fit, the best first.
    pub kinds: Vec<Kind>,
    /// Why this chart, or why none, in a sentence or two.
    pub reason: String,
    /// The chart.
    pub svg: Option<String>,
}

/// Decides which chart fits a result, and draws it.
pub fn chart(request: &ChartRequest) -> Chart {
    let language = request.language.unwrap_or_default();
    let decision = rule::decide(request);
    let reason = reason::in_words(&decision, language);
    let none = |reason| Chart {
        kind: None,
        kinds: Vec::new(),
        reason,
        svg: None,
    };
    let Some(design) = &decision.design else {
        return none(reason);
    };
    let chosen = request
        .kind
        .filter(|kind| decision.kinds.contains(kind))
        .or(decision.kinds.first().copied());
    let drawn = chosen.and_then(|kind| Some((kind, kinds::draw(design, kind, request, language)?)));
    match drawn {
        Some((kind, svg)) => Chart {
            kind: Some(kind),
            kinds: decision.kinds,
            reason,
            svg: Some(svg),
        },
        None => none(reason::not_drawn(language)),
    }
}
