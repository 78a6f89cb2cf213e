//! A value as the file has it.

/// A value as the file has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cell<'a> {
    /// There is none.
    Empty,
    /// A text that may mean anything, as in CSV.
    Written(&'a str),
    /// A text that is a text, as a string in JSON. Only dates and UUIDs are looked for in it.
    Text(&'a str),
    /// A number in JSON's notation.
    Number(&'a str),
    /// `true` or `false` of JSON.
    Boolean(bool),
    /// An object or array of JSON.
    Json(&'a str),
}

impl<'a> Cell<'a> {
    /// A value of CSV.
    pub(crate) fn written(text: &'a str) -> Self {
        match text {
            "" => Self::Empty,
            text => Self::Written(text),
        }
    }

    /// The value as the file has it; `None` where there is none.
    pub(crate) fn text(self) -> Option<&'a str> {
        match self {
            Self::Empty => None,
            Self::Written(text) | Self::Text(text) | Self::Number(text) | Self::Json(text) => {
                Some(text)
            }
            Self::Boolean(true) => Some("true"),
            Self::Boolean(false) => Some("false"),
        }
    }
}

/// A row of a file.
pub(crate) enum Found<'c, 't> {
    Row {
        cells: &'c [Cell<'c>],
        raw: &'t str,
    },
    /// It has not as many values as the table has columns.
    Ragged {
        reason: String,
        raw: &'t str,
    },
}
