//! What the values of a column have in common.

use crate::cell::Cell;
use crate::options::{DateOrder, Decimal, Options};
use crate::values::{FORMATS, Format, boolean, dates, is_null_text, is_uuid, numbers};

/// After this many values, formats that few of them have are no longer tried.
const ENOUGH: u64 = 1_000;

/// What the values of a column have in common.
#[derive(Debug, Clone, Default)]
pub(crate) struct Evidence {
    /// Values that are there and mean something.
    pub(crate) filled: u64,
    /// Values that only say that there is none, such as `n/a`, where the caller has not said which do.
    pub(crate) null_texts: u64,
    /// How many values each format reads.
    counts: [u64; FORMATS.len()],
    /// Objects and arrays.
    pub(crate) documents: u64,
    /// Digits that are no number, such as a postal code.
    pub(crate) has_codes: bool,
    /// Some number has a fraction, read with a full stop and with a comma as the decimal separator.
    has_fraction: [bool; 2],
    /// The longest whole number, in digits.
    digits: usize,
    /// Some number needs more than 32 or 64 bits.
    is_beyond: [bool; 2],
    /// Some number has points or commas between groups of digits, read with a full stop and with a comma as the decimal separator.
    is_grouped: [bool; 2],
    /// The separator of a number that is another one in the other style.
    pub(crate) ambiguous: Option<char>,
    unit: Option<Option<&'static str>>,
    pub(crate) has_units_mixed: bool,
    /// `true`, `false`, and either as a whole word.
    booleans: [bool; 3],
    /// A cell of the first line occurs again.
    pub(crate) repeats_first: bool,
}

impl Evidence {
    /// Looks at one more value.
    pub(crate) fn add(&mut self, cell: Cell<'_>, options: &Options) {
        match cell {
            Cell::Empty => {}
            Cell::Written(text) | Cell::Text(text) if is_null(text, options) => {}
            Cell::Written(text) => self.add_written(text.trim(), options),
            Cell::Text(text) => {
                self.filled += 1;
                self.add_dates(text);
                if is_uuid(text) {
                    self.count(Format::Uuid);
                }
            }
            Cell::Number(text) => {
                self.filled += 1;
                if numbers::is_json_number(text) {
                    self.count(Format::Number(Decimal::Point));
                    self.count(Format::Number(Decimal::Comma));
                    let is_whole = !text.contains(['.', 'e', 'E']);
                    self.has_fraction = self.has_fraction.map(|before| before || !is_whole);
                    self.measure(text);
                    self.note_unit(None);
                }
            }
            Cell::Boolean(value) => {
                self.filled += 1;
                self.count(Format::Boolean);
                self.note_boolean(if value { "true" } else { "false" });
            }
            Cell::Json(_) => {
                self.filled += 1;
                self.documents += 1;
            }
        }
    }

    fn add_written(&mut self, text: &str, options: &Options) {
        if options.null_texts.is_none() && is_null_text(text) {
            self.null_texts += 1;
            return;
        }
        self.filled += 1;
        self.has_codes |= numbers::is_code(text);
        if self.is_tried(Format::Number(Decimal::Point))
            || self.is_tried(Format::Number(Decimal::Comma))
        {
            self.add_number(text);
        }
        self.add_dates(text);
        if self.is_tried(Format::Boolean) && boolean(text).is_some() {
            self.count(Format::Boolean);
            self.note_boolean(text);
        }
        if self.is_tried(Format::Uuid) && is_uuid(text) {
            self.count(Format::Uuid);
        }
    }

    fn add_number(&mut self, text: &str) {
        let styles = [Decimal::Point, Decimal::Comma];
        let numbers = styles.map(|style| numbers::read(text, style));
        if let [Some(with_point), Some(with_comma)] = &numbers
            && with_point.written != with_comma.written
        {
            self.ambiguous = text.chars().find(|c| matches!(c, '.' | ','));
        }
        for (place, (style, number)) in styles.into_iter().zip(numbers).enumerate() {
            let Some(number) = number else {
                continue;
            };
            self.count(Format::Number(style));
            if let Some(has) = self.has_fraction.get_mut(place) {
                *has |= !number.is_whole;
            }
            if let Some(is) = self.is_grouped.get_mut(place) {
                *is |= number.is_grouped && text.contains(['.', ',']);
            }
            self.note_unit(number.unit);
            self.measure(&number.written);
        }
    }

    fn add_dates(&mut self, text: &str) {
        if !text.starts_with(|c: char| c.is_ascii_digit()) || text.len() < 8 {
            return;
        }
        for order in [DateOrder::Ymd, DateOrder::Dmy, DateOrder::Mdy] {
            if !self.is_tried(Format::Timestamp(order)) && !self.is_tried(Format::Zoned(order)) {
                continue;
            }
            let Some(moment) = dates::read(text, order) else {
                continue;
            };
            if moment.is_zoned() {
                self.count(Format::Zoned(order));
            } else {
                self.count(Format::Timestamp(order));
                if moment.time.is_none() {
                    self.count(Format::Date(order));
                }
            }
        }
    }

    fn measure(&mut self, written: &str) {
        self.digits = self.digits.max(written.len());
        if written.len() > 9 {
            let [small, large] = &mut self.is_beyond;
            *small |= written.parse::<i32>().is_err();
            *large |= written.parse::<i64>().is_err();
        }
    }

    fn note_unit(&mut self, unit: Option<&'static str>) {
        self.has_units_mixed |= *self.unit.get_or_insert(unit) != unit;
    }

    fn note_boolean(&mut self, text: &str) {
        let is_true = boolean(text) == Some("true");
        let is_word = text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false");
        let [has_true, has_false, has_word] = &mut self.booleans;
        *has_true |= is_true;
        *has_false |= !is_true;
        *has_word |= is_word;
    }

    fn count(&mut self, format: Format) {
        let place = FORMATS.iter().position(|known| *known == format);
        if let Some(count) = place.and_then(|place| self.counts.get_mut(place)) {
            *count += 1;
        }
    }

    /// How many values this format reads.
    pub(crate) fn reads(&self, format: Format) -> u64 {
        let place = FORMATS.iter().position(|known| *known == format);
        place
            .and_then(|place| self.counts.get(place))
            .copied()
            .unwrap_or(0)
    }

    fn is_tried(&self, format: Format) -> bool {
        self.filled < ENOUGH || self.reads(format) * 2 > self.filled
    }

    /// Whether this format reads all values.
    pub(crate) fn reads_all(&self, format: Format) -> bool {
        self.filled > 0 && self.reads(format) == self.filled
    }

    /// Whether this format reads so many values that the others look like mistakes.
    pub(crate) fn reads_most(&self, format: Format) -> bool {
        self.filled >= 20 && self.reads(format) * 100 >= self.filled * 95
    }

    /// Whether values say yes and no. `no` alone may be Norway, and `f` a grade.
    pub(crate) fn has_booleans(&self) -> bool {
        let [has_true, has_false, has_word] = self.booleans;
        has_word || (has_true && has_false)
    }

    /// The unit of all numbers.
    pub(crate) fn unit(&self) -> Option<&'static str> {
        self.unit.flatten()
    }

    /// Whether some number has a fraction.
    pub(crate) fn has_fraction(&self, style: Decimal) -> bool {
        in_style(self.has_fraction, style)
    }

    /// Whether some number has points or commas between groups of digits.
    pub(crate) fn is_grouped(&self, style: Decimal) -> bool {
        in_style(self.is_grouped, style)
    }

    /// The type of the numbers.
    pub(crate) fn number_type(&self, style: Decimal) -> &'static str {
        let has_fraction = self.has_fraction(style);
        let [beyond_integer, beyond_bigint] = self.is_beyond;
        match (has_fraction, beyond_integer, beyond_bigint) {
            (true, ..) | (_, _, true) => "numeric",
            (_, true, _) => "bigint",
            _ => "integer",
        }
    }
}

fn in_style([with_point, with_comma]: [bool; 2], style: Decimal) -> bool {
    match style {
        Decimal::Point => with_point,
        Decimal::Comma => with_comma,
    }
}

/// Whether the caller has said that a text means that there is no value.
pub(crate) fn is_null(text: &str, options: &Options) -> bool {
    let said = options.null_texts.as_deref().unwrap_or_default();
    !said.is_empty() && said.iter().any(|known| known == text)
}
