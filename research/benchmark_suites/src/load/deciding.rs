//! Which type a column gets: that of its declaration, if its values are of it.
//!
//! SQLite stores any value in any column. A column keeps the type that is declared for it if at most a tenth of its
//! values are of another one; those become NULL, and are listed. More of them, and the column takes all its values as
//! the nearest type that holds them: whole numbers as numbers, dates as times, anything as text.

use super::column_type::Type;
use crate::value::{Look, Raw};

/// Share of the values that may be of another type than that of the column.
const MOST_BAD: f64 = 0.1;

/// Number of examples that are kept of values of another type.
const EXAMPLES: usize = 3;

/// What the values of a column look like.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    looks: Vec<(Look, u64)>,
    /// Whole numbers other than 0 and 1.
    is_more_than_truth: bool,
    examples: Vec<(Look, String)>,
}

impl Facts {
    pub(crate) fn add(&mut self, value: &Raw) {
        let Some(look) = value.look() else { return };
        match self.looks.iter_mut().find(|(known, _)| *known == look) {
            Some((_, count)) => *count += 1,
            None => self.looks.push((look, 1)),
        }
        if look == Look::Integer {
            let text = value.text().unwrap_or_default();
            self.is_more_than_truth |= !matches!(text.trim(), "0" | "1");
        }
        let known = self.examples.iter().filter(|(known, _)| *known == look);
        if known.count() < EXAMPLES {
            let shown: String = value.text().unwrap_or_default().chars().take(40).collect();
            self.examples.push((look, shown));
        }
    }

    fn count(&self, is_meant: impl Fn(Look) -> bool) -> u64 {
        self.looks
            .iter()
            .filter(|(look, _)| is_meant(*look))
            .map(|(_, count)| count)
            .sum()
    }

    /// Values that are not of the type. An empty text is no value of another type than text.
    fn bad(&self, data_type: Type) -> u64 {
        self.count(|look| look != Look::Empty && !self.takes(data_type, look))
    }

    /// A column of 0 and 1 is one of truth values if it is declared so.
    fn takes(&self, data_type: Type, look: Look) -> bool {
        data_type.takes(look)
            || (data_type == Type::Boolean && look == Look::Integer && !self.is_more_than_truth)
    }
}

/// The type of a column, and what must be said about it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) data_type: Type,
    pub(crate) notes: Vec<String>,
}

/// The type of a column that is declared so and has such values.
pub(crate) fn decide(declared: &str, facts: &Facts) -> Decision {
    let wanted = candidates(declared, facts);
    let values = facts.count(|look| look != Look::Empty);
    let bearable = |data_type: &&Type| facts.bad(**data_type) as f64 <= MOST_BAD * values as f64;
    let first = wanted.first().copied().unwrap_or(Type::Text);
    let chosen = match values {
        0 => first,
        _ => wanted
            .iter()
            .filter(|data_type| **data_type != Type::Text)
            .find(|data_type| facts.bad(**data_type) == 0)
            .or_else(|| wanted.iter().find(bearable))
            .copied()
            .unwrap_or(Type::Text),
    };
    let mut notes = Vec::new();
    let shown = match declared.trim() {
        "" => "nothing",
        declared => declared,
    };
    if chosen != first {
        notes.push(format!(
            "declared {shown}, is {}, because {} of {values} values are of another type{}",
            chosen.name(),
            facts.bad(first),
            examples(facts, first)
        ));
    }
    let bad = facts.bad(chosen);
    if bad > 0 {
        notes.push(format!(
            "{bad} of {values} values are no {} and became NULL{}",
            chosen.name(),
            examples(facts, chosen)
        ));
    }
    let empty = facts.count(|look| look == Look::Empty);
    if empty > 0 && chosen != Type::Text {
        notes.push(format!("{empty} empty texts became NULL"));
    }
    Decision {
        data_type: chosen,
        notes,
    }
}

fn examples(facts: &Facts, data_type: Type) -> String {
    let shown: Vec<String> = facts
        .examples
        .iter()
        .filter(|(look, _)| *look != Look::Empty && !facts.takes(data_type, *look))
        .take(EXAMPLES)
        .map(|(_, text)| format!("'{text}'"))
        .collect();
    match shown.is_empty() {
        true => String::new(),
        false => format!(", as {}", shown.join(", ")),
    }
}

/// The types that a column can have by its declaration, the nearest first. SQLite itself reads a declaration by the
/// letters that are in it.
fn candidates(declared: &str, facts: &Facts) -> &'static [Type] {
    let name = declared.to_uppercase();
    let name = name.split(['(', '\'']).next().unwrap_or_default();
    let has = |part: &str| name.contains(part);
    if has("BOOL") {
        &[Type::Boolean, Type::Bigint, Type::Text]
    } else if has("TIMESTAMP") || has("DATETIME") {
        // SQLite writes a day without a time as it was stored.
        match facts.count(|look| look == Look::Moment) {
            0 if facts.count(|look| look == Look::Date) > 0 => {
                &[Type::Date, Type::Timestamp, Type::Text]
            }
            _ => &[Type::Timestamp, Type::Text],
        }
    } else if has("DATE") {
        &[Type::Date, Type::Timestamp, Type::Text]
    } else if has("INT") || has("YEAR") || has("BIT") || has("SERIAL") {
        &[Type::Bigint, Type::Double, Type::Text]
    } else if has("CHAR") || has("TEXT") || has("CLOB") || has("ENUM") || has("TIME") {
        &[Type::Text, Type::Bytes]
    } else if has("BLOB") {
        match facts.count(|look| look == Look::Blob) {
            0 => &[Type::Text],
            _ => &[Type::Bytes],
        }
    } else if has("REAL") || has("FLOA") || has("DOUB") {
        &[Type::Double, Type::Text]
    } else if has("NUM") || has("DEC") {
        &[Type::Numeric, Type::Text]
    } else {
        &[Type::Bigint, Type::Double, Type::Text]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(declared: &str, values: &[&str]) -> (Type, Vec<String>) {
        let mut facts = Facts::default();
        for value in values {
            facts.add(&Raw::Text((*value).to_owned()));
        }
        let decision = decide(declared, &facts);
        (decision.data_type, decision.notes)
    }

    #[test]
    fn a_column_has_its_declared_type_if_its_values_have_it() {
        let many: Vec<&str> = std::iter::repeat_n("1", 20).chain(["n/a"]).collect();
        for (declared, values, expected) in [
            ("INTEGER", &["1", "2"][..], Type::Bigint),
            ("int", &["1", "2.5"], Type::Double),
            ("INTEGER", &["1", "x"], Type::Text),
            ("INTEGER", many.as_slice(), Type::Bigint),
            ("varchar(20)", &["1", "2"], Type::Text),
            ("DATE", &["2024-01-01"], Type::Date),
            ("DATE", &["2024-01-01 10:00:00"], Type::Timestamp),
            ("DATE", &["1/1/2024"], Type::Text),
            ("datetime", &["2024-01-01"], Type::Date),
            (
                "datetime",
                &["2024-01-01", "2024-01-01 10:00"],
                Type::Timestamp,
            ),
            ("BOOLEAN", &["0", "1"], Type::Boolean),
            ("BOOLEAN", &["0", "2"], Type::Bigint),
            ("DECIMAL(10,2)", &["1.50"], Type::Numeric),
            ("REAL", &["", "1"], Type::Double),
            ("", &["a"], Type::Text),
            ("", &[], Type::Bigint),
            ("TEXT", &[], Type::Text),
        ] {
            assert_eq!(
                decided(declared, values).0,
                expected,
                "{declared} {values:?}"
            );
        }
    }

    #[test]
    fn what_is_not_as_declared_is_said() {
        let many: Vec<&str> = std::iter::repeat_n("1", 20).chain(["n/a", " "]).collect();
        assert_eq!(
            decided("INTEGER", &many).1,
            [
                "1 of 21 values are no bigint and became NULL, as 'n/a'",
                "1 empty texts became NULL"
            ]
        );
        assert_eq!(
            decided("INTEGER", &["1", "x"]).1,
            ["declared INTEGER, is text, because 1 of 2 values are of another type, as 'x'"]
        );
    }
}
