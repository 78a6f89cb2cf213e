//! A result for the metrics: column names, types, and values that compare equal although one
//! query wrote `5` and the other `5.0`.

use serde::{Deserialize, Serialize};
use text2sql_domain::with_defaults;

use text2sql_domain::sql_result::Execution;

/// One value of a result.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// NULL.
    Null,
    /// A number; the text keeps digits that a double would lose.
    Number(f64, String),
    /// Any other value, normalised.
    Text(String),
}

/// A result: names, types and rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ResultTable {
    /// Column names returned by the query.
    pub names: Vec<String>,
    /// Column types in SQL form.
    pub types: Vec<String>,
    /// Rows, each as wide as `names`.
    pub rows: Vec<Vec<Value>>,
    /// Whether a limit truncated the rows; a truncated result proves nothing about the rest.
    pub is_truncated: bool,
}

with_defaults! {
    /// How two results are compared. By default only what the question asks for is required.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct Comparison {
        /// Columns must be in the gold's order.
        pub column_order: bool = false,
        /// Columns must have the gold's names, ignoring case.
        pub column_names: bool = false,
        /// The candidate may have additional columns.
        pub extra_columns: bool = false,
        /// Ignore how often a row occurs.
        pub ignore_duplicates: bool = false,
        /// Number of decimals to which numbers are rounded before they are compared.
        pub decimals: Option<u32> = None,
        /// Numbers are equal if they differ by no more than this fraction of the larger one. The default
        /// ignores only the differences in how float8 and numeric are printed.
        pub tolerance: f64 = 1e-6,
    }
}

/// More decimals than any number has.
const MAX_PLACES: u32 = 17;

impl Comparison {
    /// Number of decimals to which numbers are rounded.
    pub(super) fn places(&self) -> Option<usize> {
        self.decimals
            .map(|decimals| decimals.min(MAX_PLACES) as usize)
    }
}

impl ResultTable {
    /// Converts the result of a query.
    pub fn from_execution(execution: &Execution) -> Self {
        let types: Vec<String> = execution
            .columns
            .iter()
            .map(|column| column.type_name.clone())
            .collect();
        let rows = execution.rows.iter().map(|row| {
            row.iter()
                .enumerate()
                .map(|(index, cell)| {
                    let type_name = types.get(index).map_or("", String::as_str);
                    Value::read(cell.text.as_deref(), type_name)
                })
                .collect()
        });
        Self {
            names: execution
                .columns
                .iter()
                .map(|column| column.name.clone())
                .collect(),
            rows: rows.collect(),
            is_truncated: execution.is_truncated,
            types,
        }
    }

    /// The cells, one in a line.
    pub fn as_text(&self) -> String {
        let cells: Vec<&str> = self
            .rows
            .iter()
            .flatten()
            .filter_map(Value::as_text)
            .collect();
        cells.join("\n")
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.names.len()
    }

    /// The values of one column.
    pub fn column(&self, index: usize) -> impl Iterator<Item = &Value> {
        self.rows.iter().filter_map(move |row| row.get(index))
    }

    /// A fingerprint that is equal for results with the same rows: of the sorted rows, unless
    /// the order counts. Stable across versions, so that evaluations can be compared.
    pub fn fingerprint(&self, ordered: bool) -> String {
        let mut rows: Vec<String> = self
            .rows
            .iter()
            .map(|row| {
                let cells: Vec<String> = row.iter().map(Value::key).collect();
                cells.join("\u{1f}")
            })
            .collect();
        if !ordered {
            rows.sort_unstable();
        }
        let mut hash = Fnv::new();
        hash.write(&self.width().to_string());
        for row in rows {
            hash.write("\u{1e}");
            hash.write(&row);
        }
        format!("{:016x}", hash.0)
    }
}

/// FNV-1a: small, and the same on every machine and in every version.
pub(super) struct Fnv(pub(super) u64);

impl Fnv {
    pub(super) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(super) fn write(&mut self, text: &str) {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

impl Value {
    /// Reads the text form of a value of this type.
    pub fn read(text: Option<&str>, type_name: &str) -> Self {
        let Some(text) = text else { return Self::Null };
        match family(type_name) {
            Family::Number => match text.parse::<f64>() {
                Ok(number) if number.is_finite() => Self::Number(number, plain_digits(text)),
                _ => Self::Text(text.to_owned()),
            },
            Family::Boolean => Self::Text(
                match text {
                    "t" => "true",
                    "f" => "false",
                    other => other,
                }
                .to_owned(),
            ),
            Family::Moment => Self::Text(without_midnight(text).to_owned()),
            Family::Padded => Self::Text(text.trim_end_matches(' ').to_owned()),
            Family::Other => Self::Text(text.to_owned()),
        }
    }

    /// Whether two values are equal within the comparison's tolerance.
    pub fn equals(&self, other: &Self, comparison: &Comparison) -> bool {
        match (self, other) {
            (Self::Number(a, a_text), Self::Number(b, b_text)) => {
                if a_text == b_text {
                    return true;
                }
                // Integers are compared exactly: a tolerance would hide an order number that is
                // off by one.
                if is_whole(a_text) && is_whole(b_text) && comparison.decimals.is_none() {
                    return false;
                }
                if let Some(places) = comparison.places() {
                    let factor = 10f64.powi(i32::try_from(places).unwrap_or(0));
                    // Equal values at a rounding boundary may round differently because of floating-point
                    // errors; they count as equal.
                    return ((a * factor).round() - (b * factor).round()).abs() < 0.5
                        || (a - b).abs() * factor < 1e-9;
                }
                (a - b).abs() <= comparison.tolerance * a.abs().max(b.abs())
            }
            (a, b) => a == b,
        }
    }

    /// A sort key that places equal values next to each other.
    pub(super) fn key(&self) -> String {
        match self {
            Self::Null => "\u{0}".to_owned(),
            Self::Number(_, text) if is_whole(text) => format!("\u{1}{text}"),
            Self::Number(number, _) => format!("\u{1}{number:.5e}"),
            Self::Text(text) => format!("\u{2}{text}"),
        }
    }

    /// The value as text, to search for it in a sentence; `None` for NULL.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Null => None,
            Self::Number(_, text) | Self::Text(text) => Some(text),
        }
    }
}

enum Family {
    Number,
    Boolean,
    Moment,
    Padded,
    Other,
}

fn family(type_name: &str) -> Family {
    let name = type_name
        .split(['(', '['])
        .next()
        .unwrap_or_default()
        .trim();
    if type_name.ends_with("[]") {
        return Family::Other;
    }
    match name {
        "smallint" | "integer" | "bigint" | "numeric" | "real" | "double precision" | "oid" => {
            Family::Number
        }
        "boolean" => Family::Boolean,
        "date" | "timestamp" | "timestamp without time zone" | "timestamp with time zone" => {
            Family::Moment
        }
        "character" | "bpchar" => Family::Padded,
        _ => Family::Other,
    }
}

/// Whether it is a numeric type.
pub(super) fn is_numeric(type_name: &str) -> bool {
    matches!(family(type_name), Family::Number)
}

/// Normalises a number: `1.50` and `1.5` are equal; so are `1e3` and `1000` up to the precision of a double.
fn plain_digits(text: &str) -> String {
    if text.contains(['e', 'E']) {
        return text
            .parse::<f64>()
            .map_or_else(|_| text.to_owned(), |n| n.to_string());
    }
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    };
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

fn is_whole(digits: &str) -> bool {
    digits
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'-')
}

/// Removes a time of midnight: a date and its midnight are the same answer to "on which day".
fn without_midnight(text: &str) -> &str {
    let (day, time) = text.split_once(' ').unwrap_or((text, ""));
    let clock = time.split(['+', '-']).next().unwrap_or_default();
    if !clock.is_empty() && clock.bytes().all(|byte| matches!(byte, b'0' | b':' | b'.')) {
        day
    } else {
        text
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A table from lines of values split by `|`; a value that parses is a number, `∅` is NULL.
    pub(in super::super) fn table(names: &str, rows: &[&str]) -> ResultTable {
        let names: Vec<String> = names.split_whitespace().map(str::to_owned).collect();
        let types = vec![String::new(); names.len()];
        let value = |text: &str| match text.trim() {
            "∅" => Value::Null,
            text if text.parse::<f64>().is_ok() => Value::read(Some(text), "numeric"),
            text => Value::Text(text.to_owned()),
        };
        let rows = rows.iter().map(|row| row.split('|').map(value).collect());
        ResultTable {
            rows: rows.collect(),
            names,
            types,
            is_truncated: false,
        }
    }

    fn number(text: &str) -> Value {
        Value::read(Some(text), "numeric")
    }

    #[test]
    fn numbers_are_equal_as_numbers() {
        let exact = Comparison::default();
        for (a, b, equal) in [
            ("1.50", "1.5", true),
            ("1000", "1e3", true),
            ("0.333333333333", "0.33333334", true),
            ("0.333", "0.334", false),
            ("9007199254740993", "9007199254740992", false),
            ("1000000", "1000001", false),
            ("-0", "0", true),
        ] {
            assert_eq!(number(a).equals(&number(b), &exact), equal, "{a} {b}");
        }
        let rounded = Comparison {
            decimals: Some(1),
            ..Comparison::default()
        };
        assert!(number("2.44").equals(&number("2.4"), &rounded));
        assert!(!number("2.46").equals(&number("2.4"), &rounded));
    }

    #[test]
    fn spelling_is_no_difference() {
        assert_eq!(
            Value::read(Some("t"), "boolean"),
            Value::read(Some("true"), "text")
        );
        assert_eq!(
            Value::read(Some("ab  "), "character(4)"),
            Value::read(Some("ab"), "text")
        );
        assert_eq!(
            Value::read(Some("2024-01-01 00:00:00+00"), "timestamp with time zone"),
            Value::read(Some("2024-01-01"), "date")
        );
        assert_ne!(
            Value::read(Some("2024-01-01 10:00:00"), "timestamp without time zone"),
            Value::read(Some("2024-01-01"), "date")
        );
        assert_eq!(Value::read(None, "integer"), Value::Null);
        assert_eq!(
            Value::read(Some("NaN"), "numeric"),
            Value::Text("NaN".into())
        );
    }

    #[test]
    fn a_fingerprint_is_of_the_rows_not_of_their_order() {
        let one = table("a b", &["1|x", "2|y"]);
        let other = table("c d", &["2.0|y", "1|x"]);
        assert_eq!(one.fingerprint(false), other.fingerprint(false));
        assert_ne!(one.fingerprint(true), other.fingerprint(true));
        assert_ne!(
            one.fingerprint(false),
            table("a", &["1", "2"]).fingerprint(false)
        );
        assert_eq!(one.fingerprint(false), "93a5ce671ed65171");
    }
}
