//! The room that a chart has.

use text2sql_phrases::Language;

/// Below, a chart is drawn for a phone: shorter labels, fewer divisions.
const NARROW: u32 = 480;

/// How a chart is to be drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub(super) width: u32,
    pub(super) language: Language,
}

impl Layout {
    pub(super) fn is_narrow(self) -> bool {
        self.width < NARROW
    }
}
