//! What a chart is asked for.

use serde::{Deserialize, Deserializer, Serialize};

use crate::table::{ResultColumn, Row};
use text2sql_phrases::Language;

/// A way to draw a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A bar for each category or time.
    Bar,
    /// A bar for each series, side by side for each category or time.
    GroupedBar,
    /// A bar for each category or time, in which the series stand on each other.
    StackedBar,
    /// A line over time for each series.
    Line,
    /// A point for each row.
    Point,
}

/// A result for which a chart is wanted.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ChartRequest {
    /// Names and types of the columns.
    pub result_columns: Vec<ResultColumn>,
    /// The rows. Their values are read as they are written, so digits of numbers stay.
    pub result_rows: Vec<Row>,
    /// The kind that somebody chose. One that does not fit is not drawn: the first that fits is.
    #[serde(default)]
    pub kind: Option<Kind>,
    /// The language of numbers, dates and words.
    #[serde(default, deserialize_with = "language")]
    pub language: Option<Language>,
    /// What the chart is about, such as the question. By default the names of the columns.
    #[serde(default)]
    pub title: Option<String>,
    /// Whether the result has more rows than these.
    #[serde(default)]
    pub truncated: bool,
    /// The room for the chart, in pixels. Texts keep their size, so a chart for a phone is drawn for it.
    #[serde(default)]
    pub width: Option<u32>,
}

/// The language of a tag such as `de` or `de-AT`; English, where the catalogue has none.
fn language<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Language>, D::Error> {
    let tag = Option::<String>::deserialize(from)?;
    Ok(tag.map(|tag| Language::named(&tag).unwrap_or_default()))
}
