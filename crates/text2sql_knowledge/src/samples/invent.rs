//! Invents values in the shape of a column: letters and digits are others, everything else stays. The values of
//! numbers, dates and texts without a known shape come from the type alone. An invented value is none of the frequent
//! ones of the column, which only give their shape.

use text2sql_domain::sample::MAX_SAMPLE_COLUMNS;
use text2sql_domain::schema::{Column, Table, TypeCategory};
use text2sql_domain::words;
use text2sql_language::names::private_by_name;
use text2sql_sql::masking::private_kind_in;

use super::given::Given;

/// Longer values have no shape but words.
const MAX_SHAPE_CHARS: usize = 40;

/// Tries for each value, until it is none of the column.
const MAX_TRIES: u64 = 20;

const CONSONANTS: &[u8] = b"bdfgklmnprstvz";
const VOWELS: &[u8] = b"aeiou";
const DIGITS: &[u8] = b"123456789";

/// Up to `count` samples of a column; none for a type that says nothing about its values.
pub fn invent_column(table: &Table, column: &Column, count: usize) -> Vec<Given> {
    let values = values_of(table, column, count);
    let sample = |value| vec![(column.number, Some(value))];
    values.into_iter().map(sample).collect()
}

/// Up to `count` rows of a table, without private columns and those that are private by name.
pub fn invent_rows(table: &Table, count: usize) -> Vec<Given> {
    let invented = table.columns.iter().filter_map(|column| {
        let is_private = column.is_private || private_by_name(&table.name, &column.name).is_some();
        let values = match is_private {
            true => Vec::new(),
            false => values_of(table, column, count),
        };
        (!values.is_empty()).then_some((column.number, values))
    });
    let columns: Vec<(i16, Vec<String>)> = invented.take(MAX_SAMPLE_COLUMNS).collect();
    if columns.len() < 2 {
        return Vec::new();
    }
    let row = |place: usize| {
        let cells = columns.iter().filter_map(|(number, values)| {
            let value = values.get(place % values.len())?;
            Some((*number, Some(value.clone())))
        });
        cells.collect()
    };
    (0..count).map(row).collect()
}

fn values_of(table: &Table, column: &Column, count: usize) -> Vec<String> {
    let fixed = |values: &[&str]| {
        let values = values.iter().take(count);
        values.map(|value| (*value).to_owned()).collect()
    };
    match column.category {
        TypeCategory::Enum => column.enum_labels.iter().take(count).cloned().collect(),
        TypeCategory::Boolean => fixed(&["true", "false"]),
        TypeCategory::Integer => fixed(&["1", "2", "3", "4", "5"]),
        TypeCategory::Number => match has_no_fraction(&column.type_name) {
            true => fixed(&["12", "7", "30", "4", "25"]),
            false => fixed(&["12.50", "7.00", "30.25", "4.75", "25.10"]),
        },
        TypeCategory::Date => fixed(words!(
            "2024-01-15, 2024-03-02, 2024-06-30, 2024-09-11, 2024-12-24"
        )),
        TypeCategory::Timestamp => fixed(words!(
            "2024-01-15 09:30:00, 2024-03-02 14:05:00, 2024-06-30 23:15:00, 2024-09-11 07:45:00, \
             2024-12-24 12:00:00"
        )),
        TypeCategory::Time => fixed(&["09:30:00", "14:05:00", "23:15:00", "07:45:00", "12:00:00"]),
        TypeCategory::Interval => fixed(&["1 day", "02:30:00", "3 months", "45 minutes", "1 year"]),
        TypeCategory::Text => texts(table, column, count),
        _ => Vec::new(),
    }
}

/// `numeric(10,0)`, `numeric(5)`.
fn has_no_fraction(type_name: &str) -> bool {
    let modifier = type_name.split_once('(').map(|(_, modifier)| modifier);
    modifier.is_some_and(|modifier| modifier.ends_with(",0)") || !modifier.contains(','))
}

fn texts(table: &Table, column: &Column, count: usize) -> Vec<String> {
    let facts = column.statistics.as_ref().filter(|_| !column.is_private);
    // Unique columns have no common values in the statistics, only their bounds.
    let known: Vec<&String> = facts.map_or_else(Vec::new, |facts| {
        let bounds = facts.lowest.iter().chain(&facts.highest);
        facts.most_common_values.iter().chain(bounds).collect()
    });
    let is_shape = |value: &&&String| {
        (1..=MAX_SHAPE_CHARS).contains(&value.chars().count())
            && private_kind_in(column.category, value).is_none()
    };
    let shapes = known.iter().filter(is_shape);
    let shapes: Vec<&str> = shapes.map(|value| value.as_str()).collect();
    let default = ["Sample"];
    let shapes = if shapes.is_empty() {
        &default[..]
    } else {
        &shapes
    };
    let mut random = Random::of(&[&table.schema, &table.name, &column.name]);
    let mut made: Vec<String> = Vec::new();
    for place in 0..count {
        let shape = shapes.get(place % shapes.len()).copied().unwrap_or("");
        let mut tries = (0..MAX_TRIES).map(|_| in_shape(shape, &mut random));
        let is_new = |value: &String| {
            !known.contains(&value)
                && !made.contains(value)
                && private_kind_in(column.category, value).is_none()
        };
        let found = tries.find(is_new);
        made.extend(found.map(|value| within(column, value)));
    }
    made
}

/// Cut to the length of the type: `character varying(4)`.
fn within(column: &Column, value: String) -> String {
    let modifier = column.type_name.split_once('(');
    let most = modifier
        .and_then(|(_, modifier)| modifier.strip_suffix(')')?.parse().ok())
        .unwrap_or(usize::MAX);
    value.chars().take(most).collect()
}

/// Other letters and digits in the places of these: words that can be spoken.
fn in_shape(shape: &str, random: &mut Random) -> String {
    let mut is_vowel_next = false;
    let other = |c: char| {
        if !c.is_alphanumeric() {
            is_vowel_next = false;
            return c;
        }
        if c.is_numeric() {
            return random.one_of(DIGITS);
        }
        let letter = random.one_of(if is_vowel_next { VOWELS } else { CONSONANTS });
        is_vowel_next = !is_vowel_next;
        match c.is_uppercase() {
            true => letter.to_ascii_uppercase(),
            false => letter,
        }
    };
    shape.chars().map(other).collect()
}

/// Numbers that are the same for the same column: samples do not change when they are invented again.
struct Random(u64);

impl Random {
    fn of(texts: &[&str]) -> Self {
        let bytes = texts.iter().flat_map(|text| text.bytes().chain([0]));
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self(hash | 1)
    }

    fn one_of(&mut self, letters: &[u8]) -> char {
        // Xorshift.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let place = usize::try_from(self.0 >> 33).unwrap_or(0) % letters.len().max(1);
        letters.get(place).copied().map_or('x', char::from)
    }
}
