//! The marks of a chart.

use super::axis::Axis;

/// What a mark is. Its class in the style sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Axis,
    Grid,
    Label,
    Heading,
    Note,
    /// A series, counted from 0.
    Series(usize),
    /// The lighter mark behind another one.
    Soft,
    Whisker,
    Diagonal,
    /// The mark of a value that is not there.
    Missing,
}

/// Where a text stands at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A place in the coordinates of the axes.
pub(crate) type Place = (f64, f64);

#[derive(Debug, Clone)]
pub(crate) enum Shape {
    Bar {
        from: Place,
        to: Place,
    },
    Line(Vec<Place>),
    /// A circle with a radius in pixels, and pixels to add downwards.
    Dot {
        at: Place,
        radius: i32,
        down: i32,
    },
    /// A text with a distance in pixels.
    Text {
        at: Place,
        offset: (i32, i32),
        text: String,
        align: Align,
    },
}

/// A mark.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    pub(crate) shape: Shape,
    pub(crate) class: Class,
    /// What is said of it when it is pointed at.
    pub(crate) title: Option<String>,
}

impl Mark {
    pub(crate) fn new(class: Class, shape: Shape) -> Self {
        Self {
            shape,
            class,
            title: None,
        }
    }

    pub(crate) fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }
}

/// Something outside the axes, in pixels.
#[derive(Debug, Clone)]
pub(crate) enum Caption {
    Text {
        at: (i32, i32),
        text: String,
        class: Class,
    },
    /// The colour of a series in the legend.
    Swatch { at: (i32, i32), series: usize },
}

/// Pixels around the area of the marks.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Margins {
    pub(crate) left: u32,
    pub(crate) top: u32,
    pub(crate) right: u32,
    pub(crate) bottom: u32,
}

/// A chart that can be drawn.
#[derive(Debug, Clone)]
pub(crate) struct Plot {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) margins: Margins,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) marks: Vec<Mark>,
    pub(crate) captions: Vec<Caption>,
    /// Its name for screen readers.
    pub(crate) title: String,
    /// What it shows, in words.
    pub(crate) description: String,
    /// With a namespace, for a file or a parser of XML. Inside a page of HTML it has none.
    pub(crate) is_document: bool,
}
