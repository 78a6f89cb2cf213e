//! The rows of a CSV file.

use csv::StringRecord;

use crate::cell::{Cell, Found};
use crate::dialect::Dialect;
use crate::error::FileError;
use crate::limits::{MAX_COLUMNS, MAX_VALUE, too_long};

/// A CSV file.
#[derive(Debug)]
pub(crate) struct CsvText<'a> {
    text: &'a str,
    dialect: Dialect,
    /// The line at which the text begins.
    first_line: u64,
    pub(crate) has_header: bool,
    pub(crate) width: usize,
}

impl<'a> CsvText<'a> {
    pub(crate) fn new(text: &'a str, dialect: Dialect, first_line: u64) -> Result<Self, FileError> {
        let mut file = Self {
            text,
            dialect,
            first_line,
            has_header: false,
            width: 0,
        };
        let first = file.first()?;
        file.width = first.map_or(0, |first| first.len());
        if file.width > MAX_COLUMNS {
            return Err(FileError::new(format!(
                "line {first_line} has {} values; a table has at most {MAX_COLUMNS} columns",
                file.width
            ))
            .with_hint("Say what separates the values: {\"delimiter\": \";\"}"));
        }
        Ok(file)
    }

    /// The first line.
    pub(crate) fn first(&self) -> Result<Option<Vec<String>>, FileError> {
        let mut record = StringRecord::new();
        let found = self
            .dialect
            .reader(self.text)
            .read_record(&mut record)
            .map_err(unreadable)?;
        if found {
            refuse_long_values(&record, self.first_line)?;
        }
        Ok(found.then(|| record.iter().map(str::to_owned).collect()))
    }

    pub(crate) fn delimiter(&self) -> u8 {
        self.dialect.delimiter
    }

    /// Hands over each row after the header.
    pub(crate) fn each<E: From<FileError>>(
        &self,
        mut take: impl FnMut(u64, Found<'_, '_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut reader = self.dialect.reader(self.text);
        let mut record = StringRecord::new();
        let mut is_header = self.has_header;
        let mut line = Lines::new(self.text, self.first_line);
        loop {
            let begin = position(&reader);
            if !reader.read_record(&mut record).map_err(unreadable)? {
                return Ok(());
            }
            // Empty lines before a record belong to the reader's position.
            let start = record.position().map_or(begin, |position| {
                usize::try_from(position.byte()).unwrap_or(begin)
            });
            let end = position(&reader);
            let start = start + blank(self.text.get(start..end).unwrap_or_default());
            if self.width == 1 && !is_header {
                // In a file of one column an empty line is a row.
                for empty in empty_lines(self.text, begin, start) {
                    let cells = [Cell::Empty];
                    let raw = "";
                    take(line.of(empty), Found::Row { cells: &cells, raw })?;
                }
            }
            let number = line.of(start);
            let raw = self
                .text
                .get(start..end)
                .unwrap_or_default()
                .trim_end_matches(['\r', '\n']);
            if std::mem::take(&mut is_header) {
                if has_text_behind_quote(raw, &self.dialect) {
                    return Err(FileError::new(format!(
                        "line {number} has text behind the quote that ends a value"
                    ))
                    .with_hint("A quote inside of a value is written twice.")
                    .into());
                }
                continue;
            }
            let last = record.iter().next_back().unwrap_or_default();
            if end == self.text.len() && is_open(raw, last, &self.dialect) {
                return Err(
                    FileError::new(format!("line {number}: a quoted value is not closed"))
                        .with_hint("Close the quote, or say what quotes values: {\"quote\": \"'\"}")
                        .into(),
                );
            }
            if has_text_behind_quote(raw, &self.dialect) {
                let reason = "has text behind the quote that ends a value".to_owned();
                take(number, Found::Ragged { reason, raw })?;
                continue;
            }
            refuse_long_values(&record, number)?;
            let extra = record
                .iter()
                .skip(self.width)
                .any(|value| !value.trim().is_empty());
            if record.len() < self.width || extra {
                let reason = format!("has {} values instead of {}", record.len(), self.width);
                take(number, Found::Ragged { reason, raw })?;
                continue;
            }
            let cells: Vec<Cell<'_>> = record.iter().take(self.width).map(Cell::written).collect();
            take(number, Found::Row { cells: &cells, raw })?;
        }
    }
}

fn refuse_long_values(record: &StringRecord, line: u64) -> Result<(), FileError> {
    match record.iter().any(|value| value.len() > MAX_VALUE) {
        false => Ok(()),
        true => Err(too_long(line)),
    }
}

/// Refuses a text with a line of more than that many bytes, as an editor counts lines.
pub(crate) fn refuse_long_lines(text: &str, most: usize) -> Result<(), FileError> {
    let end = line_end(text);
    let mut lines = text.as_bytes().split(|byte| *byte == end);
    match lines.position(|line| line.len() > most) {
        None => Ok(()),
        Some(before) => Err(FileError::new(format!(
            "line {} is longer than {} MB",
            before + 1,
            most >> 20
        ))
        .with_hint("A file of rows has a line for each of them.")),
    }
}

/// What ends the lines of a text: on some systems a carriage return alone.
fn line_end(text: &str) -> u8 {
    match text.contains('\n') {
        true => b'\n',
        false => b'\r',
    }
}

fn position(reader: &csv::Reader<&[u8]>) -> usize {
    usize::try_from(reader.position().byte()).unwrap_or(usize::MAX)
}

/// How many line ends a text begins with, in bytes.
fn blank(text: &str) -> usize {
    text.len() - text.trim_start_matches(['\r', '\n']).len()
}

/// Where the empty lines between two records begin. The reader may stop inside of the line end of a record.
fn empty_lines(text: &str, from: usize, to: usize) -> Vec<usize> {
    let is_at = |place: usize, byte: u8| text.as_bytes().get(place) == Some(&byte);
    let mut place = from;
    if place > 0 && is_at(place - 1, b'\r') && is_at(place, b'\n') {
        place += 1;
    }
    let mut found = Vec::new();
    while place < to {
        found.push(place);
        place += if is_at(place, b'\r') && is_at(place + 1, b'\n') {
            2
        } else {
            1
        };
    }
    found
}

/// Whether a line that begins a quoted value does not end it: an odd number of quotes over several lines, or a quote
/// before the last value and none behind it.
fn is_open(raw: &str, last: &str, dialect: &Dialect) -> bool {
    let quotes = raw.bytes().filter(|byte| *byte == dialect.quote);
    if raw.contains('\n') && quotes.count() % 2 == 1 {
        return true;
    }
    let quote = char::from(dialect.quote).to_string();
    let last = last.trim_end_matches(['\r', '\n']);
    let opened = format!("{quote}{}", last.replace(&quote, &quote.repeat(2)));
    let before = raw.strip_suffix(opened.as_str());
    let is_begin =
        |before: &str| before.is_empty() || before.ends_with(char::from(dialect.delimiter));
    before.is_some_and(is_begin)
}

/// Whether a quoted value goes on behind the quote that ends it: `"Disk 5"",200` or `"a \"b\""`. The reader would take the
/// text, and with it whatever stands before the next quote, be it the next row.
fn has_text_behind_quote(raw: &str, dialect: &Dialect) -> bool {
    let is_blank = |byte: u8| byte == b' ' || (byte == b'\t' && dialect.delimiter != b'\t');
    let ends = |byte: u8| byte == dialect.delimiter || byte == b'\r' || byte == b'\n';
    let mut bytes = raw.bytes().peekable();
    let mut begins = true;
    while let Some(byte) = bytes.next() {
        if !(begins && byte == dialect.quote) {
            begins = ends(byte);
            continue;
        }
        // To the quote that is not doubled.
        while let Some(inner) = bytes.next() {
            if inner == dialect.quote && bytes.next_if_eq(&dialect.quote).is_none() {
                break;
            }
        }
        while bytes.next_if(|byte| is_blank(*byte)).is_some() {}
        begins = false;
        if bytes.peek().is_some_and(|byte| !ends(*byte)) {
            return true;
        }
    }
    false
}

fn unreadable(error: csv::Error) -> FileError {
    FileError::new("the file cannot be read as CSV").with_detail(error.to_string())
}

/// Numbers of lines, asked for in order.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: u64,
    end: u8,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str, first: u64) -> Self {
        Self {
            text,
            at: 0,
            line: first,
            end: line_end(text),
        }
    }

    /// The number of the line of this byte, which is not before the last one that was asked for.
    pub(crate) fn of(&mut self, byte: usize) -> u64 {
        let between = self.text.as_bytes().get(self.at..byte).unwrap_or_default();
        let ends = between.iter().filter(|byte| **byte == self.end).count();
        self.line += u64::try_from(ends).unwrap_or(0);
        self.at = byte.max(self.at);
        self.line
    }
}
