//! How a CSV file is written: what separates and what quotes its values.

use csv::{ReaderBuilder, StringRecord};

use crate::options::Options;

/// How much of a file is looked at.
const SAMPLE: usize = 64 << 10;
/// How many lines of it.
const SAMPLE_LINES: usize = 200;
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// How a CSV file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub(crate) delimiter: u8,
    pub(crate) quote: u8,
}

impl Dialect {
    /// Finds it in the text, where the options do not say it.
    pub(crate) fn of(text: &str, options: &Options) -> Self {
        let sample = text.get(..text.floor_char_boundary(SAMPLE)).unwrap_or(text);
        let quote = options.quote.unwrap_or_else(|| quote(sample));
        let delimiter = options
            .delimiter
            .unwrap_or_else(|| delimiter(sample, quote));
        Self { delimiter, quote }
    }

    /// A reader of the text.
    pub(crate) fn reader<'a>(&self, text: &'a str) -> csv::Reader<&'a [u8]> {
        ReaderBuilder::new()
            .delimiter(self.delimiter)
            .quote(self.quote)
            .flexible(true)
            .has_headers(false)
            .from_reader(text.as_bytes())
    }
}

/// The quote: `"`, or `'` where only that begins values.
fn quote(sample: &str) -> u8 {
    let begins = |quote: char| {
        let after = [",", ";", "\t", "|", "\n"];
        let inner: usize = after
            .iter()
            .map(|after| sample.matches(&format!("{after}{quote}")).count())
            .sum();
        inner + usize::from(sample.starts_with(quote))
    };
    match (begins('"'), begins('\'')) {
        (0, 2..) => b'\'',
        _ => b'"',
    }
}

/// The delimiter with which most lines have the same number of values, and more than one.
fn delimiter(sample: &str, quote: u8) -> u8 {
    let score = |delimiter: u8| {
        let dialect = Dialect { delimiter, quote };
        let mut counts: Vec<usize> = Vec::new();
        let mut record = StringRecord::new();
        let mut reader = dialect.reader(sample);
        while counts.len() < SAMPLE_LINES && matches!(reader.read_record(&mut record), Ok(true)) {
            counts.push(record.len());
        }
        // The last line of the sample may be cut.
        if counts.len() > 2 {
            counts.pop();
        }
        let usual = counts
            .iter()
            .copied()
            .max_by_key(|count| counts.iter().filter(|other| *other == count).count())
            .unwrap_or(0);
        if usual < 2 {
            return (0, 0);
        }
        let same = counts.iter().filter(|count| **count == usual).count();
        (same * 100 / counts.len().max(1), usual)
    };
    DELIMITERS
        .into_iter()
        .rev()
        .map(|delimiter| (score(delimiter), delimiter))
        .max_by_key(|(score, _)| *score)
        .filter(|((same, _), _)| *same > 0)
        .map_or(b',', |(_, delimiter)| delimiter)
}
