//! Units: what a number counts, and what the column holds.

use super::*;

/// The currency that a word names.
fn currency(word: &str) -> Option<&'static str> {
    Some(match word {
        "euro" | "euros" | "eur" | "€" => "EUR",
        "dollar" | "dollars" | "usd" | "$" => "USD",
        "pound" | "pounds" | "gbp" => "GBP",
        "franken" | "chf" | "francs" => "CHF",
        _ => return None,
    })
}

impl Composer<'_> {
    /// "longer than 10 minutes" over a column whose unit is known.
    pub(super) fn read_duration(
        &mut self,
        at: usize,
        (operator, low, high): (Operator, String, Option<String>),
        unit: usize,
    ) -> Result<bool, Stop> {
        let Some(Concept::Unit(seconds)) = self.span(unit).and_then(|span| span.concept) else {
            return Ok(false);
        };
        let own = self.numeric_columns(unit);
        let found = self.duration_columns();
        if found.is_empty() && !own.is_empty() {
            return Ok(false);
        }
        let [(table, column)] = found.as_slice() else {
            return stop("which duration is meant is not clear");
        };
        let (table, column) = (*table, *column);
        let Some((held, name, is_default)) = self.unit_of(table, column) else {
            return stop("the unit of the duration is not known");
        };
        self.take(unit);
        for other in 0..at {
            if self.numeric_columns(other).contains(&(table, column)) && !self.is_used(other) {
                self.take(other);
            }
        }
        let of = self.column_name(table, column);
        self.says(format!("{of} is taken to be in {name}"), is_default);
        let convert = |number: &str| -> Result<String, Stop> {
            match number.parse::<f64>() {
                Ok(number) => Ok((number * f64::from(seconds) / held).to_string()),
                Err(_) => stop("a number is not understood"),
            }
        };
        let high = high.as_deref().map(convert).transpose()?;
        self.asked.push(Asked::Number {
            columns: vec![(table, column)],
            operator,
            low: convert(&low)?,
            high,
        });
        Ok(true)
    }

    pub(super) fn column_name(&self, table: usize, column: usize) -> String {
        let name = self.schema.column(table, column);
        format!(
            "{}.{}",
            self.table_name(table),
            name.map(|column| column.name.as_str()).unwrap_or_default()
        )
    }

    /// The durations of the things that the question names; the plainest where there are several.
    fn duration_columns(&self) -> Vec<(usize, usize)> {
        let named: Vec<usize> = (0..self.spans.len())
            .filter_map(|at| self.table_of(at))
            .collect();
        let words = [
            "length",
            "duration",
            "runtime",
            "minutes",
            "seconds",
            "milliseconds",
        ];
        let all = self.columns_with(&words, |_| true);
        let found: Vec<(usize, usize)> = all
            .into_iter()
            .filter(|(table, _)| named.contains(table))
            .collect();
        let is_plain = |(table, column): &&(usize, usize)| {
            self.schema.column_words(*table, *column).len() == 1
        };
        match found.iter().filter(is_plain).copied().collect::<Vec<_>>() {
            plain if !plain.is_empty() => plain,
            _ => found,
        }
    }

    /// The unit of a duration in seconds, its name, and whether that is only custom.
    fn unit_of(&self, table: usize, column: usize) -> Option<(f64, &'static str, bool)> {
        const UNITS: &[(&str, f64, &str)] = &[
            ("milliseconds", 0.001, "milliseconds"),
            ("ms", 0.001, "milliseconds"),
            ("seconds", 1.0, "seconds"),
            ("secs", 1.0, "seconds"),
            ("sec", 1.0, "seconds"),
            ("minutes", 60.0, "minutes"),
            ("mins", 60.0, "minutes"),
            ("min", 60.0, "minutes"),
            ("hours", 3600.0, "hours"),
        ];
        let described = self.schema.column(table, column)?;
        let comment = described.comment.as_deref().unwrap_or_default();
        let said = text2sql_language::understanding::lower_words(comment);
        let words = self.schema.column_words(table, column);
        let find = |words: &[String]| {
            let of = |(unit, seconds, name): &(&str, f64, &'static str)| {
                words
                    .iter()
                    .any(|word| word == unit)
                    .then_some((*seconds, *name, false))
            };
            UNITS.iter().find_map(of)
        };
        find(&words).or_else(|| find(&said)).or_else(|| {
            // The length of a film is said in minutes.
            let is_film = self
                .schema
                .table_words(table)
                .iter()
                .any(|word| *word == canonical("film"));
            (is_film && comment.is_empty()).then_some((60.0, "minutes", true))
        })
    }

    /// A number of euros or dollars as the columns hold it.
    pub(super) fn in_their_unit(
        &mut self,
        columns: &[(usize, usize)],
        is_money: bool,
        low: String,
        high: Option<String>,
    ) -> Result<(String, Option<String>), Stop> {
        let asked = self.spans.iter().find(|span| span.is(Concept::Money));
        let asked = asked.and_then(|span| currency(&span.text.to_lowercase()));
        let is_other = |(table, column): &(usize, usize)| {
            let held = self.words_of_column(*table, *column);
            let mut held = held.iter().filter_map(|word| currency(word));
            asked.is_some_and(|asked| held.any(|held| held != asked))
        };
        if is_money && columns.iter().any(is_other) {
            return stop("the currency is another one");
        }
        let in_cents = columns
            .iter()
            .filter(|(table, column)| self.holds_cents(*table, *column))
            .count();
        if !is_money || in_cents == 0 {
            return Ok((low, high));
        }
        if in_cents < columns.len() {
            return stop("the unit of the amount is not clear");
        }
        let convert = |number: &str| -> Result<String, Stop> {
            match number.parse::<f64>() {
                Ok(number) => Ok((number * 100.0).to_string()),
                Err(_) => stop("a number is not understood"),
            }
        };
        if let [(table, column), ..] = columns {
            let says = format!(
                "{} is taken to be in cents",
                self.column_name(*table, *column)
            );
            self.says(says, false);
        }
        Ok((convert(&low)?, high.as_deref().map(convert).transpose()?))
    }

    pub(super) fn holds_cents(&self, table: usize, column: usize) -> bool {
        let words = self.words_of_column(table, column);
        let is_part =
            |word: &String| matches!(word.as_str(), "cent" | "cents" | "pence" | "rappen");
        words.iter().any(is_part)
    }

    /// The words of the name and of the comment.
    fn words_of_column(&self, table: usize, column: usize) -> Vec<String> {
        let Some(column) = self.schema.column(table, column) else {
            return Vec::new();
        };
        let comment = column.comment.as_deref().unwrap_or_default();
        let mut words = text2sql_language::understanding::lower_words(comment);
        words.extend(crate::table_names::words_of(&column.name));
        words
    }

    /// "older than 20"
    pub(super) fn is_about_age(&self, at: usize) -> bool {
        let text = self.span(at).map(|span| span.text.to_lowercase());
        let text = text.unwrap_or_default();
        let is_older = ["older", "younger", "älter", "jünger"]
            .iter()
            .any(|word| text.starts_with(word));
        is_older || (at..(at + 4).min(self.spans.len())).any(|next| self.is(next, Concept::Age))
    }

    /// Columns with the age of a thing that the question names.
    pub(super) fn age_columns(&self) -> Vec<(usize, usize)> {
        let named: Vec<usize> = (0..self.spans.len())
            .filter_map(|at| self.table_of(at))
            .collect();
        let all = self.columns_with(&["age"], |_| true).into_iter();
        all.filter(|(table, _)| named.contains(table)).collect()
    }

    /// "18 years old", "age 18", "credits 3": a column that is equal to a number.
    pub(super) fn read_equal_numbers(&mut self) {
        for at in 0..self.spans.len() {
            if self.is_used(at) {
                continue;
            }
            let is_age = self.is(at, Concept::Age);
            let number = match is_age {
                true => self.before(at),
                false => Some(at + 1),
            };
            let columns = match is_age {
                true => self.age_columns(),
                false if self.span(at).is_some_and(|span| span.concept.is_none()) => {
                    self.numeric_columns(at)
                }
                false => Vec::new(),
            };
            let Some(number) = number.filter(|number| !self.is_used(*number)) else {
                continue;
            };
            let Some(low) = self.span(number).and_then(|span| span.number.clone()) else {
                continue;
            };
            if columns.is_empty() || self.after(number).is_some_and(|next| self.is_noun(next)) {
                continue;
            }
            self.take(at);
            self.take(number);
            self.asked.push(Asked::Number {
                columns,
                operator: Operator::Equal,
                low,
                high: None,
            });
        }
    }
}
