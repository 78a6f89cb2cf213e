//! Units: what a number counts, and what the column holds.

use super::*;
use text2sql_domain::words;

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
    pub(super) fn duration_columns(&self) -> Vec<(usize, usize)> {
        let named: Vec<usize> = (0..self.spans.len())
            .filter_map(|at| self.table_of(at))
            .collect();
        let words = words!("length, duration, runtime, minutes, seconds, milliseconds");
        let all = self.columns_with(words, |_| true);
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
        find(words).or_else(|| find(&said)).or_else(|| {
            // The length of a film is said in minutes.
            let is_film = self
                .schema
                .table_words(table)
                .iter()
                .any(|word| *word == canonical("film"));
            (is_film && comment.is_empty()).then_some((60.0, "minutes", true))
        })
    }

    /// The currency that the question names.
    fn asked_currency(&self) -> Option<&'static str> {
        let asked = self.spans.iter().find(|span| span.is(Concept::Money))?;
        currency(&asked.text.to_lowercase())
    }

    /// "How long is a song on average, in minutes?" over a column in milliseconds.
    pub(super) fn read_asked_unit(&mut self) {
        let asked = (1..self.spans.len()).find_map(|at| {
            let concept = self.span(at).and_then(|span| span.concept);
            let is_said = self
                .span(at - 1)
                .is_some_and(|before| before.text.eq_ignore_ascii_case("in"));
            match concept {
                Some(Concept::Unit(seconds)) if is_said && !self.is_used(at) => Some((at, seconds)),
                _ => None,
            }
        });
        let columns = self.measures.iter().find_map(|one| match &one.what {
            What::Column(columns) => columns.first().copied(),
            _ => None,
        });
        let (Some((at, seconds)), Some((table, column))) = (asked, columns) else {
            return;
        };
        let Some((held, name, is_default)) = self.unit_of(table, column) else {
            return;
        };
        let divisor = (f64::from(seconds) / held).round();
        if divisor < 1.0 {
            return;
        }
        self.take(at);
        let of = self.column_name(table, column);
        self.says(format!("{of} is taken to be in {name}"), is_default);
        if divisor < 2.0 {
            return;
        }
        let unit = self.span(at).map(|span| span.text.to_lowercase());
        self.in_unit = Some(((table, column), divisor as u32, unit.unwrap_or_default()));
    }

    /// The measure of an aggregate, in the unit that is asked for.
    pub(super) fn measure_in_unit(&self, measured: &Measured, aggregate: Aggregate) -> Measure {
        let own = match &measured.what {
            What::Column(columns) => columns.first(),
            _ => None,
        };
        if let Some((of, divisor, unit)) = &self.in_unit
            && own == Some(of)
            && let Some(Expression::Column(column)) = &aggregate.of
        {
            let name = self.name_of(measured);
            let start = name.split('_').next().unwrap_or_default();
            let function = match measured.function {
                Function::Sum | Function::Count | Function::CountDistinct => "total",
                _ => start,
            };
            return Measure {
                name: format!("{function}_{unit}"),
                value: Value::Aggregate(Aggregate {
                    of: Some(Expression::InUnit {
                        of: column.clone(),
                        divisor: *divisor,
                    }),
                    ..aggregate
                }),
            };
        }
        Measure {
            name: self.name_of(measured),
            value: Value::Aggregate(aggregate),
        }
    }

    /// Whether amounts may be in another currency than the one that is asked for, or in several.
    pub(super) fn names_other_currency(&self) -> bool {
        let asked = self.asked_currency();
        let mut tables = self.schema.tables.iter().enumerate();
        self.is_in_cents()
            || tables.any(|(at, table)| {
                (0..table.columns.len()).any(|column| {
                    let words = self.words_of_column(at, column);
                    let is_other = |word: &String| {
                        word == "currency" || currency(word).is_some_and(|held| Some(held) != asked)
                    };
                    self.schema.is_base(at) && words.iter().any(is_other)
                })
            })
    }

    /// The columns in the currency that is asked for, where each names its own: `price_in_euros`, `price_in_dollars`.
    pub(super) fn of_their_currency(
        &self,
        columns: Vec<(usize, usize)>,
        is_money: bool,
    ) -> Vec<(usize, usize)> {
        let asked = self.asked_currency();
        let holds = |(table, column): &(usize, usize)| {
            let held = self.words_of_column(*table, *column);
            held.iter().filter_map(|word| currency(word)).next()
        };
        let all_say = columns.iter().all(|column| holds(column).is_some());
        if !is_money || asked.is_none() || !all_say {
            return columns;
        }
        let own: Vec<_> = columns
            .iter()
            .copied()
            .filter(|column| holds(column) == asked)
            .collect();
        if own.is_empty() { columns } else { own }
    }

    /// A number of euros or dollars as the columns hold it.
    pub(super) fn in_their_unit(
        &mut self,
        columns: &[(usize, usize)],
        is_money: bool,
        low: String,
        high: Option<String>,
    ) -> Result<(String, Option<String>), Stop> {
        let asked = self.asked_currency();
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
        words.extend(words_of(&column.name));
        words
    }

    /// "older than 20"
    pub(super) fn is_about_age(&self, at: usize) -> bool {
        let text = self.span(at).map(|span| span.text.to_lowercase());
        let text = text.unwrap_or_default();
        let is_older = ["older", "younger", "älter", "jünger"]
            .iter()
            .any(|word| text.starts_with(word));
        // "between 18 and 20 years old"
        let reach = if self.is(at, Concept::Between) { 6 } else { 4 };
        is_older || (at..(at + reach).min(self.spans.len())).any(|next| self.is(next, Concept::Age))
    }

    /// Columns with the age of a thing that the question names.
    pub(super) fn age_columns(&self) -> Vec<(usize, usize)> {
        let named: Vec<usize> = (0..self.spans.len())
            .filter_map(|at| self.table_of(at))
            .collect();
        let all = self.columns_with(&["age"], |_| true).into_iter();
        let of_named: Vec<(usize, usize)> =
            all.filter(|(table, _)| named.contains(table)).collect();
        if !of_named.is_empty() || !named.is_empty() {
            return of_named;
        }
        // "student ids" are of students.
        let shown = (0..self.spans.len()).flat_map(|at| self.columns_of(at));
        let tables: Vec<usize> = shown
            .filter(|(_, _, score)| *score > 0.8)
            .map(|(table, _, _)| table)
            .collect();
        let all = self.columns_with(&["age"], |_| true).into_iter();
        all.filter(|(table, _)| tables.contains(table)).collect()
    }

    /// "room 112", "supplier with id 2", "account name 900": a key or a text that is a number.
    fn read_identified(&mut self, at: usize, number: usize, value: &str) {
        let is_plain = self.span(at).is_some_and(|span| span.concept.is_none());
        let is_free = self.span(number).is_some_and(|span| span.names.is_empty());
        if !is_plain || !is_free || number > at + 2 || value.contains('.') {
            return;
        }
        let mut columns: Vec<(usize, usize)> = Vec::new();
        if let Some(table) = self.table_of(at).filter(|_| self.is_noun(at)) {
            let key = self.key_of(table);
            let own = self
                .schema
                .table(table)
                .map(|table| table.columns.as_slice());
            let own = own.unwrap_or_default().iter();
            let at = own
                .enumerate()
                .find(|(_, column)| Some(&column.name) == key.as_ref());
            columns.extend(at.map(|(column, _)| (table, column)));
        } else {
            let named = self.columns_of(at);
            let best = named.first().map_or(0.0, |(_, _, score)| *score);
            let owner = (0..at)
                .rev()
                .take(3)
                .find_map(|before| self.table_of(before).filter(|_| self.is_noun(before)));
            let is_of = |table: usize| owner.is_none_or(|owner| owner == table);
            let has_own = named.iter().any(|(table, _, _)| owner == Some(*table));
            columns.extend(
                named
                    .iter()
                    .filter(|(table, _, score)| match has_own {
                        true => is_of(*table),
                        false => best - score < 0.12,
                    })
                    .map(|(table, column, _)| (*table, *column)),
            );
            if let Some(before) = (0..at)
                .rev()
                .take(3)
                .find(|before| has_own && self.is_noun(*before) && self.table_of(*before) == owner)
                && (0..before).any(|other| self.is_noun(other))
            {
                self.take(before);
            }
        }
        // A column of several tables, none of which is named.
        if columns
            .iter()
            .any(|(table, _)| columns.iter().any(|(other, _)| other != table))
        {
            return;
        }
        let category = |(table, column): &(usize, usize)| {
            self.schema
                .column(*table, *column)
                .map(|column| column.category)
        };
        let is_text = columns
            .iter()
            .all(|one| category(one) == Some(TypeCategory::Text));
        let is_number = columns.iter().all(|one| {
            matches!(
                category(one),
                Some(TypeCategory::Integer | TypeCategory::Number)
            )
        });
        if columns.is_empty() || !is_text && !is_number {
            return;
        }
        self.take(at);
        self.take(number);
        self.asked.push(match is_number {
            true => Asked::Number {
                columns,
                operator: Operator::Equal,
                low: value.to_owned(),
                high: None,
            },
            false => {
                let names = columns.iter().map(|(table, column)| Name {
                    kind: NameKind::Value(*table, *column, value.to_owned()),
                    score: 1.0,
                });
                Asked::Values {
                    names: vec![names.collect()],
                    is_negated: false,
                    near: None,
                    happens: true,
                    is_each: false,
                }
            }
        });
    }

    /// "rooms with two beds": as many as a column says.
    fn read_had_numbers(&mut self) {
        for at in 1..self.spans.len() {
            let has = self.span(at - 1).is_some_and(|span| {
                let text = span.text.to_lowercase();
                words!("have, has, with, mit, haben, hat").contains(&text.as_str())
            });
            let number = self
                .span(at)
                .filter(|span| has && span.names.is_empty())
                .and_then(|span| span.number.clone());
            let Some(low) = number.filter(|_| !self.is_used(at) && !self.is_noun(at + 1)) else {
                continue;
            };
            let owner = (0..at).rev().find_map(|before| self.table_of(before));
            let columns: Vec<(usize, usize)> = self.numeric_columns(at + 1);
            let own = columns
                .into_iter()
                .find(|(table, column)| Some(*table) == owner && self.is_quantity(*table, *column));
            if let Some(own) = own {
                self.take(at);
                self.take(at + 1);
                self.asked.push(Asked::Number {
                    columns: vec![own],
                    operator: Operator::Equal,
                    low,
                    high: None,
                });
            }
        }
    }

    /// "18 years old", "age 18", "credits 3": a column that is equal to a number.
    pub(super) fn read_equal_numbers(&mut self) {
        self.read_had_numbers();
        for at in 0..self.spans.len() {
            if self.is_used(at) {
                continue;
            }
            let is_age = self.is(at, Concept::Age);
            let number = match is_age {
                true => self.before(at),
                // "the zip code of 94107"
                false if self.span(at + 1).is_some_and(|span| span.text == "of") => Some(at + 2),
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
            // "the patient with the ssn 100000001": the patient's own, though it is a key.
            let owner = (0..at).rev().find_map(|before| self.table_of(before));
            let is_of = |(table, _): &(usize, usize)| Some(*table) == owner;
            let named = self.columns_of(at);
            let is_own =
                |(table, _, score): &(usize, usize, f64)| Some(*table) == owner && *score > 0.9;
            let columns = match named.iter().any(is_own) && !columns.iter().any(is_of) {
                true => Vec::new(),
                false => columns,
            };
            let Some(low) = self.span(number).and_then(|span| span.number.clone()) else {
                continue;
            };
            if columns.is_empty() && !is_age {
                self.read_identified(at, number, &low);
                continue;
            }
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
