//! From what the values of the columns have in common to types.

use crate::evidence::Evidence;
use crate::options::{DateOrder, Decimal, Options};
use crate::values::Format;

/// The type of a column.
#[derive(Debug, Clone)]
pub(crate) struct Decision {
    pub(crate) format: Format,
    pub(crate) type_name: String,
    /// Whether texts such as `n/a` are read as NULL.
    pub(crate) takes_null_texts: bool,
    pub(crate) notes: Vec<String>,
}

/// What all columns of a file have in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Conventions {
    decimal: Decimal,
    order: DateOrder,
    is_order_known: bool,
}

impl Conventions {
    /// Finds them: what one column says is believed of the others. `order` is the default where no column says it.
    pub(crate) fn of(
        columns: &[Evidence],
        options: &Options,
        delimiter: Option<u8>,
        order: DateOrder,
    ) -> Self {
        let only = |one: Format, other: Format| {
            columns
                .iter()
                .any(|column| column.reads_all(one) && !column.reads_all(other))
        };
        let (point, comma) = (
            Format::Number(Decimal::Point),
            Format::Number(Decimal::Comma),
        );
        let found = match (only(point, comma), only(comma, point)) {
            (true, false) => Some(Decimal::Point),
            (false, true) => Some(Decimal::Comma),
            _ => None,
        };
        let by_delimiter = match delimiter {
            Some(b';') => Decimal::Comma,
            _ => Decimal::Point,
        };
        let (dmy, mdy) = (
            Format::Timestamp(DateOrder::Dmy),
            Format::Timestamp(DateOrder::Mdy),
        );
        let found_order = match (only(dmy, mdy), only(mdy, dmy)) {
            (true, false) => Some(DateOrder::Dmy),
            (false, true) => Some(DateOrder::Mdy),
            _ => None,
        };
        let known_order = options.date_order.or(found_order);
        let order = match order {
            DateOrder::Ymd => DateOrder::Mdy,
            order => order,
        };
        Self {
            decimal: options.decimal.or(found).unwrap_or(by_delimiter),
            order: known_order.unwrap_or(order),
            is_order_known: known_order.is_some(),
        }
    }

    /// The type of a column.
    pub(crate) fn decide(&self, column: &Evidence, options: &Options) -> Decision {
        let mut notes = Vec::new();
        let format = self.format(column, options);
        if column.filled == 0 && column.null_texts == 0 {
            notes.push("no values".to_owned());
        }
        let type_name = match format {
            Format::Text => "text",
            Format::Json => "jsonb",
            Format::Boolean => "boolean",
            Format::Number(style) => column.number_type(style),
            Format::Date(_) => "date",
            Format::Timestamp(_) => "timestamp",
            Format::Zoned(_) => "timestamptz",
            Format::Uuid => "uuid",
        };
        match format {
            Format::Text if column.has_codes => {
                notes.push("digits that are no numbers stay text".to_owned())
            }
            Format::Number(style) => {
                let other = match style {
                    Decimal::Point => Decimal::Comma,
                    Decimal::Comma => Decimal::Point,
                };
                if let Some(unit) = column.unit() {
                    notes.push(format!("in {unit}"));
                }
                let said_by_caller = options.decimal.is_some();
                match column
                    .ambiguous
                    .filter(|_| column.reads_all(Format::Number(other)))
                {
                    Some(_) if said_by_caller => {}
                    Some(separator) => {
                        let (read, otherwise) = match (style, separator) {
                            (Decimal::Point, '.') | (Decimal::Comma, ',') => ("1.234", "1234"),
                            _ => ("1234", "1.234"),
                        };
                        let mark = match other {
                            Decimal::Point => '.',
                            Decimal::Comma => ',',
                        };
                        notes.push(format!(
                            "1{separator}234 is read as {read}; \"decimal\": \"{mark}\" reads {otherwise}"
                        ));
                    }
                    None if style == Decimal::Comma
                        && column.is_grouped(style)
                        && !column.has_fraction(style)
                        && !said_by_caller =>
                    {
                        notes.push("points between groups of three digits are left out; the type text keeps them".to_owned());
                    }
                    None => {}
                }
            }
            Format::Date(order) | Format::Timestamp(order) | Format::Zoned(order)
                if order != DateOrder::Ymd =>
            {
                let others =
                    [DateOrder::Dmy, DateOrder::Mdy].map(|order| with_order(format, order));
                if others.iter().all(|other| column.reads_all(*other)) && !self.is_order_known {
                    notes.push(match order {
                        DateOrder::Dmy => "01/02/2024 is read as 1 February; \"date_order\": \"mdy\" reads January 2".to_owned(),
                        _ => "01/02/2024 is read as January 2; \"date_order\": \"dmy\" reads 1 February".to_owned(),
                    });
                }
            }
            _ => {}
        }
        let takes_null_texts = format != Format::Text && options.null_texts.is_none();
        if takes_null_texts && column.null_texts > 0 {
            notes.push(format!("{} texts such as n/a are NULL", column.null_texts));
        }
        Decision {
            format,
            type_name: type_name.to_owned(),
            takes_null_texts,
            notes,
        }
    }

    /// How a column of a type that the caller has said is read.
    pub(crate) fn said(&self, column: &Evidence, type_name: &str, options: &Options) -> Decision {
        let lower = type_name.trim().to_lowercase();
        // The name without length and the words behind it. Arrays, ranges and intervals are read by the server.
        let word = lower.split(['(', ' ']).next().unwrap_or_default();
        let is_any = |names: &[&str]| names.contains(&word) && !lower.contains('[');
        let mut notes = Vec::new();
        let orders = |format: fn(DateOrder) -> Format| {
            let all = self.orders().map(format);
            all.into_iter()
                .max_by_key(|format| column.reads(*format))
                .unwrap_or(Format::Text)
        };
        let is_number = is_any(&[
            "int", "int2", "int4", "int8", "integer", "bigint", "smallint", "numeric", "decimal",
            "dec", "real", "double", "float", "float4", "float8",
        ]);
        let is_boolean = is_any(&["bool", "boolean"]);
        let format = if is_number {
            if column.has_units_mixed {
                notes.push("numbers of several units".to_owned());
            } else if let Some(unit) = column.unit() {
                notes.push(format!("in {unit}"));
            }
            self.number_said(column)
        } else if is_boolean {
            // 1 and 0 are read by the server.
            match column.reads_all(Format::Boolean) {
                true => Format::Boolean,
                false => Format::Text,
            }
        } else if lower == "date" {
            orders(Format::Date)
        } else if is_any(&["timestamp", "timestamptz"]) {
            match lower.contains("tz") || lower.contains("with time zone") {
                true if orders(Format::Zoned) != Format::Text
                    && column.reads(orders(Format::Zoned)) > 0 =>
                {
                    orders(Format::Zoned)
                }
                _ => orders(Format::Timestamp),
            }
        } else {
            Format::Text
        };
        Decision {
            format,
            type_name: type_name.to_owned(),
            takes_null_texts: (format != Format::Text || is_number || is_boolean)
                && options.null_texts.is_none(),
            notes,
        }
    }

    /// How numbers of a type that the caller has said are read. Values that are no numbers of a file but of the server, such
    /// as `01` and `1e5`, are read by it, unless others are written as only people write them.
    fn number_said(&self, column: &Evidence) -> Format {
        let styles = self.styles().into_iter();
        let Some(style) = styles.max_by_key(|style| column.reads(Format::Number(*style))) else {
            return Format::Text;
        };
        let is_of_people = column.unit().is_some()
            || column.has_units_mixed
            || column.is_grouped(style)
            || style == Decimal::Comma && column.has_fraction(style);
        match column.reads_all(Format::Number(style)) || is_of_people {
            true => Format::Number(style),
            false => Format::Text,
        }
    }

    fn format(&self, column: &Evidence, options: &Options) -> Format {
        if column.documents > 0 {
            return if column.documents == column.filled {
                Format::Json
            } else {
                Format::Text
            };
        }
        let candidates = self.candidates(column);
        if let Some(format) = candidates.iter().find(|format| column.reads_all(**format)) {
            return *format;
        }
        let is_plain = !column.has_codes && options.null_texts.as_ref().is_none_or(Vec::is_empty);
        let most = candidates
            .into_iter()
            .find(|format| column.reads_most(*format));
        most.filter(|_| is_plain).unwrap_or(Format::Text)
    }

    /// The formats that come into question, best first.
    fn candidates(&self, column: &Evidence) -> Vec<Format> {
        let mut candidates = Vec::new();
        if column.has_booleans() {
            candidates.push(Format::Boolean);
        }
        if !column.has_codes && !column.has_units_mixed {
            candidates.extend(self.styles().map(Format::Number).into_iter().rev());
        }
        for format in [
            Format::Date as fn(DateOrder) -> Format,
            Format::Timestamp,
            Format::Zoned,
        ] {
            candidates.extend(self.orders().map(format).into_iter().rev());
        }
        candidates.push(Format::Uuid);
        candidates
    }

    /// Both styles of numbers, the preferred one last, as `max_by_key` takes the last of equals.
    fn styles(&self) -> [Decimal; 2] {
        match self.decimal {
            Decimal::Point => [Decimal::Comma, Decimal::Point],
            Decimal::Comma => [Decimal::Point, Decimal::Comma],
        }
    }

    fn orders(&self) -> [DateOrder; 3] {
        match self.order {
            DateOrder::Mdy => [DateOrder::Dmy, DateOrder::Mdy, DateOrder::Ymd],
            _ => [DateOrder::Mdy, DateOrder::Dmy, DateOrder::Ymd],
        }
    }
}

fn with_order(format: Format, order: DateOrder) -> Format {
    match format {
        Format::Date(_) => Format::Date(order),
        Format::Timestamp(_) => Format::Timestamp(order),
        Format::Zoned(_) => Format::Zoned(order),
        other => other,
    }
}
