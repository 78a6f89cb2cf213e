//! Numbers as people write them: `1,234.5`, `1.234,5`, `12 %`, `3.2 million`, `twelve`, `twice`.

use crate::terms::fold;

/// A number that a text states.
#[derive(Debug, Clone, PartialEq)]
pub struct Stated {
    /// Where it begins, in bytes.
    pub start: usize,
    /// Whether it is a percentage.
    pub is_percent: bool,
    /// Whether it only compares, as "twice" does.
    pub is_ratio: bool,
    /// What it may mean: `1.234` is two numbers to two readers.
    readings: Vec<Reading>,
}

/// A value, and the step to the next one that would be written with as many digits.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Reading {
    value: f64,
    step: f64,
}

impl Stated {
    /// Whether it measures something by itself.
    pub fn is_plain(&self) -> bool {
        !self.is_percent && !self.is_ratio
    }

    /// Whether it is `value`, rounded to the digits that are written. A sign may be in the words.
    pub fn matches(&self, value: f64) -> bool {
        self.readings.iter().any(|reading| {
            let slack = 1e-9 * value.abs().max(1.0);
            (reading.value - value.abs()).abs() <= reading.step / 2.0 + slack
        })
    }

    /// Whether both state one number.
    pub fn is_same(&self, other: &Self) -> bool {
        self.is_percent == other.is_percent
            && self.readings.iter().any(|reading| {
                other
                    .readings
                    .iter()
                    .any(|read| read.value == reading.value)
            })
    }
}

/// The number that a cell's text is.
pub fn of_cell(text: &str) -> Option<f64> {
    let is_numeric = text
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E'));
    let number: f64 = is_numeric.then(|| text.parse().ok()).flatten()?;
    number.is_finite().then_some(number)
}

/// The numbers in a text, in order.
pub fn stated(text: &str) -> Vec<Stated> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let Some(first) = rest.chars().next() else {
            break;
        };
        if first.is_ascii_digit() {
            let length = digits_length(rest);
            let (written, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
            found.push(with_unit(at, readings_of(written), after));
            at += length;
        } else if first.is_numeric() {
            // Another script's digit or a fraction: nothing here reads it, so nothing supports it.
            found.push(Stated {
                start: at,
                is_percent: false,
                is_ratio: false,
                readings: Vec::new(),
            });
            at += first.len_utf8();
        } else if first.is_alphabetic() {
            let length = rest
                .find(|c: char| !c.is_alphanumeric())
                .unwrap_or(rest.len());
            let (word, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
            found.extend(of_word(at, word, after));
            at += length;
        } else {
            at += first.len_utf8();
        }
    }
    found
}

/// How far digits and the separators between them reach.
fn digits_length(text: &str) -> usize {
    let mut end = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((position, c)) = characters.next() {
        let goes_on = characters
            .peek()
            .is_some_and(|(_, next)| next.is_ascii_digit());
        match c {
            '0'..='9' => end = position + 1,
            '.' | ',' | '\'' | '’' | '\u{a0}' | '\u{202f}' if goes_on => {}
            _ => break,
        }
    }
    end
}

fn readings_of(written: &str) -> Vec<Reading> {
    let mut readings = Vec::new();
    for decimal_mark in ['.', ','] {
        let (whole, decimals) = match written.rsplit_once(decimal_mark) {
            Some((whole, decimals)) if decimals.chars().all(|c| c.is_ascii_digit()) => {
                (whole, decimals)
            }
            Some(_) => continue,
            None => (written, ""),
        };
        if whole.contains(decimal_mark) || !is_grouped(whole) {
            continue;
        }
        let digits: String = whole.chars().filter(char::is_ascii_digit).collect();
        let Ok(value) = format!("{digits}.{decimals}0").parse::<f64>() else {
            continue;
        };
        let step = 10_f64.powi(-i32::try_from(decimals.len()).unwrap_or(0));
        let reading = Reading { value, step };
        if !readings.contains(&reading) {
            readings.push(reading);
        }
    }
    readings
}

/// Whether the separators, if any, precede groups of three digits.
fn is_grouped(whole: &str) -> bool {
    let mut groups = whole.split(|c: char| !c.is_ascii_digit());
    let first_is_short = groups.next().is_some_and(|group| !group.is_empty());
    let mut others = groups.peekable();
    let has_separators = others.peek().is_some();
    first_is_short
        && others.all(|group| group.len() == 3)
        && (!has_separators
            || whole
                .find(|c: char| !c.is_ascii_digit())
                .is_some_and(|at| at <= 3))
}

/// Includes what follows: a percent sign, "million".
fn with_unit(start: usize, mut readings: Vec<Reading>, after: &str) -> Stated {
    let after = after.trim_start_matches([' ', '\u{a0}', '\u{202f}']);
    let word: String = after
        .chars()
        .take_while(|c| c.is_alphabetic())
        .collect::<String>()
        .to_lowercase();
    let factor = match word.as_str() {
        "k" | "thousand" | "tausend" => 1e3,
        "m" | "mn" | "million" | "millions" | "millionen" | "mio" => 1e6,
        "bn" | "billion" | "billions" | "milliarde" | "milliarden" | "mrd" => 1e9,
        _ => 1.0,
    };
    for reading in &mut readings {
        reading.value *= factor;
        reading.step *= factor;
    }
    let is_percent = after.starts_with('%')
        || after.starts_with("per cent")
        || word == "percent"
        || word == "prozent";
    Stated {
        start,
        is_percent,
        is_ratio: false,
        readings,
    }
}

/// Numbers in words, folded, English and German. "One" and "ein" are left out: they are articles, too.
const NUMBER_WORDS: [(&str, f64); 25] = [
    ("zero", 0.0),
    ("two", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("five", 5.0),
    ("six", 6.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
    ("eleven", 11.0),
    ("twelve", 12.0),
    ("zwei", 2.0),
    ("drei", 3.0),
    ("vier", 4.0),
    ("funf", 5.0),
    ("sechs", 6.0),
    ("sieben", 7.0),
    ("acht", 8.0),
    ("neun", 9.0),
    ("zehn", 10.0),
    ("elf", 11.0),
    ("zwolf", 12.0),
    ("twenty", 20.0),
    ("zwanzig", 20.0),
];

/// The number that a folded word is.
pub fn of_folded(word: &str) -> Option<f64> {
    let (_, value) = NUMBER_WORDS.iter().find(|(name, _)| *name == word)?;
    Some(*value)
}

/// Words that compare two numbers, folded.
const RATIO_WORDS: [(&str, f64); 10] = [
    ("twice", 2.0),
    ("double", 2.0),
    ("doubled", 2.0),
    ("triple", 3.0),
    ("half", 0.5),
    ("doppelt", 2.0),
    ("doppelte", 2.0),
    ("dreifach", 3.0),
    ("halb", 0.5),
    ("halfte", 0.5),
];

fn of_word(start: usize, word: &str, after: &str) -> Option<Stated> {
    let word = fold(word);
    if let Some(value) = of_folded(&word) {
        let readings = vec![Reading { value, step: 1.0 }];
        return Some(with_unit(start, readings, after));
    }
    let (_, value) = RATIO_WORDS.iter().find(|(name, _)| *name == word)?;
    Some(Stated {
        start,
        is_percent: false,
        is_ratio: true,
        readings: vec![Reading {
            value: *value,
            // "Twice" is also used for approximately twice.
            step: value / 10.0,
        }],
    })
}

/// The numbers in a text, with thousands separators left out: "1,000" is "1000".
pub fn in_digits(text: &str) -> Vec<String> {
    let mut numbers = Vec::new();
    let mut number = String::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character.is_numeric() {
            number.push(character);
            continue;
        }
        let continues = !number.is_empty() && characters.peek().is_some_and(|c| c.is_numeric());
        match character {
            ',' | '\'' | '\u{a0}' | '\u{202f}' if continues => {}
            '.' if continues => number.push('.'),
            _ => {
                if !number.is_empty() {
                    numbers.push(std::mem::take(&mut number));
                }
            }
        }
    }
    if !number.is_empty() {
        numbers.push(number);
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_numbers_as_people_write_them() {
        let check = |text: &str, value: f64| {
            let found = stated(text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert!(found[0].matches(value), "{text}: {found:?}");
        };
        check("1,234.5 units", 1234.5);
        check("1.234,5 Stück", 1234.5);
        check("12\u{a0}345\u{a0}678", 12_345_678.0);
        check("3.2 million", 3_200_000.0);
        check("3,2 Mio.", 3_200_000.0);
        check("twelve", 12.0);
        check("about 12.35", 12.3456);
        check("(-7)", 7.0);
    }

    #[test]
    fn rounds_to_the_digits_written() {
        let number = |text: &str| stated(text).remove(0);
        assert!(number("5").matches(4.6));
        assert!(!number("5").matches(4.4));
        assert!(!number("5.0").matches(4.6));
        assert!(!number("1.234").matches(1235.0));
        assert!(number("1.234").matches(1234.0) && number("1.234").matches(1.2341));
    }

    #[test]
    fn tells_percentages_and_comparisons() {
        assert!(stated("40 %")[0].is_percent && stated("40 percent")[0].is_percent);
        assert!(stated("twice as many")[0].is_ratio);
        assert!(stated("one of them, oder eine").is_empty());
        assert!(!stated("½")[0].matches(0.5));
    }
}
