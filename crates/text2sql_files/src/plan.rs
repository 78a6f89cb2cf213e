//! The table that a file becomes, and its rows.

use std::borrow::Cow;

use crate::cell::{Cell, Found};
use crate::csv_text::{self, CsvText};
use crate::decision::{Conventions, Decision};
use crate::dialect::Dialect;
use crate::error::FileError;
use crate::evidence::{Evidence, is_null};
use crate::json_text::JsonText;
use crate::limits::{Bounds, MAX_LINE};
use crate::names;
use crate::options::{DateOrder, FileFormat, Options};
use crate::values::{Format, is_null_text};

/// The text of a file.
#[derive(Debug, Clone, Copy)]
pub enum Source<'a> {
    /// Values with a delimiter between them.
    Csv(&'a str),
    /// An array of objects, or one object a line.
    Json(&'a str),
}

impl<'a> Source<'a> {
    /// The text, which is JSON where nobody says what it is and it begins with a bracket.
    pub fn of(text: &'a str, format: Option<FileFormat>) -> Self {
        let is_json = match format {
            Some(format) => format == FileFormat::Json,
            None => text
                .trim_start_matches('\u{feff}')
                .trim_start()
                .starts_with(['{', '[']),
        };
        match is_json {
            true => Self::Json(text),
            false => Self::Csv(text),
        }
    }

    /// Whether the file is within `bounds`. Its values are not looked at.
    ///
    /// # Errors
    ///
    /// Which bound it crosses, and what is wrong with a file whose columns cannot be counted.
    pub fn is_within(self, bounds: Bounds, options: &Options) -> Result<(), FileError> {
        let columns = match self {
            Self::Csv(text) => {
                csv_text::refuse_long_lines(text, bounds.line_bytes)?;
                csv_file(text, options)?.width
            }
            Self::Json(text) => json_file(text)?.names.len(),
        };
        match columns > bounds.columns {
            true => Err(FileError::new(format!(
                "the file has {columns} columns; at most {} are taken here",
                bounds.columns
            ))),
            false => Ok(()),
        }
    }
}

#[derive(Debug)]
enum Rows<'a> {
    Csv(CsvText<'a>),
    Json(JsonText<'a>),
}

/// A column of the table.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its name, which needs no quotes.
    pub name: String,
    /// Its name in the file; `None` where that has none.
    pub original: Option<String>,
    /// Its type, as SQL writes it.
    pub type_name: String,
    /// What the reader should know of how its values were read.
    pub notes: Vec<String>,
    /// Whether the caller has said its type.
    pub is_said: bool,
    format: Format,
    takes_null_texts: bool,
}

/// A line that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bad {
    /// Its number, from 1.
    pub line: u64,
    /// The column, from 0; `None` if the whole line is meant.
    pub column: Option<usize>,
    /// What is wrong, without the value.
    pub reason: String,
}

/// A row, or a line that does not fit.
#[derive(Debug)]
pub enum Read<'r> {
    /// A row: its line and its values in PostgreSQL's notation.
    Row {
        /// The number of its first line, from 1.
        line: u64,
        /// A value for each column; `None` is NULL.
        values: &'r [Option<Cow<'r, str>>],
        /// The row as the file has it.
        raw: &'r str,
    },
    /// A line that does not fit.
    Bad {
        /// Where and why.
        bad: Bad,
        /// The line as the file has it.
        raw: &'r str,
    },
}

/// The table that a file becomes.
#[derive(Debug)]
pub struct Plan<'a> {
    /// Its columns.
    pub columns: Vec<Column>,
    /// What the reader should know of how the file was read.
    pub notes: Vec<String>,
    rows: Rows<'a>,
    options: &'a Options,
}

impl<'a> Plan<'a> {
    /// Reads the whole file and decides. `order` is how the reader writes a date like 01/02/2024, for a file that does
    /// not show it. `check` is called again and again meanwhile, and may unwind.
    ///
    /// # Errors
    ///
    /// No rows, too many columns, JSON that is none, quotes that are not closed, values that are too long, types said
    /// for columns that do not exist.
    pub fn of(
        source: Source<'a>,
        options: &'a Options,
        order: DateOrder,
        check: &dyn Fn(),
    ) -> Result<Self, FileError> {
        let (rows, originals, evidence, mut notes) = match source {
            Source::Csv(text) => of_csv(text, options, check)?,
            Source::Json(text) => of_json(text, options, check)?,
        };
        if originals.is_empty() {
            return Err(FileError::new("the file has no columns")
                .with_hint("Write the names of the columns into its first line."));
        }
        let delimiter = match &rows {
            Rows::Csv(file) => Some(file.delimiter()),
            Rows::Json(_) => None,
        };
        let conventions = Conventions::of(&evidence, options, delimiter, order);
        let originals: Vec<Option<String>> = originals.into_iter().map(shortened).collect();
        let names = names::clean(&originals);
        let said = |name: &str, original: &Option<String>| {
            let original = original.as_deref().unwrap_or_default();
            let mut said = options.types.iter();
            said.find(|(column, _)| *column == name || *column == original)
                .map(|(_, type_name)| type_name)
        };
        for column in options.types.keys() {
            let is_known =
                names.contains(column) || originals.iter().flatten().any(|name| name == column);
            if !is_known {
                return Err(
                    FileError::new(format!("column \"{column}\" in types does not exist"))
                        .with_hint(format!("The columns are {}.", names.join(", "))),
                );
            }
        }
        let mut columns = Vec::with_capacity(names.len());
        for ((name, original), evidence) in names.into_iter().zip(originals).zip(&evidence) {
            let said = said(&name, &original);
            let Decision {
                format,
                type_name,
                takes_null_texts,
                notes,
            } = match said {
                Some(type_name) => conventions.said(evidence, type_name, options),
                None => conventions.decide(evidence, options),
            };
            let is_said = said.is_some();
            columns.push(Column {
                name,
                original,
                type_name,
                notes,
                is_said,
                format,
                takes_null_texts,
            });
        }
        notes.retain(|note| !note.is_empty());
        Ok(Self {
            columns,
            notes,
            rows,
            options,
        })
    }

    /// Makes a column text, because the server does not read its values as its type.
    pub fn make_text(&mut self, column: usize) {
        if let Some(column) = self.columns.get_mut(column) {
            column.notes = vec![format!("some values are no {}", column.type_name)];
            column.format = Format::Text;
            column.takes_null_texts = false;
            "text".clone_into(&mut column.type_name);
        }
    }

    /// Reads the file again and hands over its rows.
    ///
    /// # Errors
    ///
    /// Those of [`Plan::of`], and those of `take`, which end it.
    pub fn rows<E: From<FileError>>(
        &self,
        mut take: impl FnMut(Read<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.rows.each(|line, found| match found {
            Found::Row { cells, raw } => match self.values(line, cells) {
                Ok(values) => take(Read::Row {
                    line,
                    values: &values,
                    raw,
                }),
                Err(bad) => take(Read::Bad { bad, raw }),
            },
            Found::Ragged { reason, raw } => take(Read::Bad {
                bad: Bad {
                    line,
                    column: None,
                    reason,
                },
                raw,
            }),
        })
    }

    fn values<'c>(
        &self,
        line: u64,
        cells: &'c [Cell<'c>],
    ) -> Result<Vec<Option<Cow<'c, str>>>, Bad> {
        let read = self.columns.iter().zip(cells).enumerate();
        read.map(|(place, (column, cell))| {
            column.value(*cell, self.options).map_err(|reason| Bad {
                line,
                column: Some(place),
                reason,
            })
        })
        .collect()
    }

    /// A bad line as an error that ends the loading.
    pub fn refused(&self, bad: &Bad) -> FileError {
        let column = bad.column.and_then(|column| self.columns.get(column));
        let (place, hint) = match column {
            Some(column) => (
                format!("line {}, column \"{}\"", bad.line, column.name),
                format!(
                    "Set such lines aside with {{\"on_error\": \"collect\"}}, or read the column as text with {{\"types\": {{\"{}\": \"text\"}}}}.",
                    column.name
                ),
            ),
            None if self.columns.len() == 1
                && bad.line <= TITLE_LINES
                && self.options.skip == 0 =>
            {
                (
                    format!("line {}", bad.line),
                    format!(
                        "Leave out what stands above the names of the columns with {{\"skip\": {}}}, or set such lines aside with {{\"on_error\": \"collect\"}}.",
                        bad.line.saturating_sub(1)
                    ),
                )
            }
            None => (
                format!("line {}", bad.line),
                "Set such lines aside with {\"on_error\": \"collect\"}.".to_owned(),
            ),
        };
        FileError::new(format!("{place}: {}", bad.reason))
            .with_detail("Nothing was loaded.")
            .with_hint(hint)
    }
}

impl Column {
    /// Whether every value is of its type by how it was read, so that the server's casts could find nothing: its type
    /// was found from all values, and they are written as PostgreSQL writes them.
    pub fn is_certain(&self) -> bool {
        let is_plain = matches!(
            self.format,
            Format::Text | Format::Boolean | Format::Number(_) | Format::Date(_) | Format::Uuid
        );
        is_plain && !self.is_said
    }

    fn value<'c>(&self, cell: Cell<'c>, options: &Options) -> Result<Option<Cow<'c, str>>, String> {
        let text = match cell.text() {
            None => return Ok(None),
            Some(text) => text,
        };
        if !matches!(cell, Cell::Number(_) | Cell::Boolean(_)) {
            if is_null(text, options) || self.takes_null_texts && is_null_text(text.trim()) {
                return Ok(None);
            }
            if text.contains('\0') {
                return Err(
                    "the value has a NUL character, which PostgreSQL cannot store".to_owned(),
                );
            }
        }
        let value = match (cell, self.format) {
            (Cell::Number(text), Format::Number(_)) => Some(Cow::Borrowed(text)),
            _ => self.format.read(text),
        };
        match value {
            Some(value) => Ok(Some(value)),
            None => Err(format!("the value is not {}", self.format.word())),
        }
    }

    /// What its comment says: its name in the file, and what its values mean.
    pub fn comment(&self) -> Option<String> {
        let original = self
            .original
            .as_deref()
            .filter(|original| !original.trim().is_empty());
        let unit = self.notes.iter().find(|note| note.starts_with("in "));
        match (original, unit) {
            (Some(original), Some(unit)) => Some(format!("{original} ({unit})")),
            (Some(original), None) => Some(original.to_owned()),
            (None, unit) => unit.cloned(),
        }
        .map(|comment| comment.replace('\0', ""))
    }
}

/// A line of more than one value that is as near to the top may be the one with the names of the columns.
const TITLE_LINES: u64 = 5;

/// Maximum number of characters of a name in the file: it becomes the comment of its column, which is read for each
/// question.
const MAX_ORIGINAL: usize = 1_000;

fn shortened(original: Option<String>) -> Option<String> {
    original.map(|mut original| {
        if let Some((end, _)) = original.char_indices().nth(MAX_ORIGINAL) {
            original.truncate(end);
        }
        original
    })
}

impl Rows<'_> {
    fn each<E: From<FileError>>(
        &self,
        take: impl FnMut(u64, Found<'_, '_>) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Self::Csv(file) => file.each(take),
            Self::Json(file) => file.each(take),
        }
    }

    fn evidence(
        &self,
        width: usize,
        first: &[String],
        options: &Options,
        check: &dyn Fn(),
    ) -> Result<Vec<Evidence>, FileError> {
        let mut columns = vec![Evidence::default(); width];
        let mut count = 0_u32;
        self.each(|_, found| {
            count = count.wrapping_add(1);
            if count.is_multiple_of(1_024) {
                check();
            }
            let Found::Row { cells, .. } = found else {
                return Ok(());
            };
            for (place, (column, cell)) in columns.iter_mut().zip(cells).enumerate() {
                column.add(*cell, options);
                if let Some(first) = first.get(place) {
                    column.repeats_first |= !first.is_empty() && cell.text() == Some(first);
                }
            }
            Ok::<(), FileError>(())
        })?;
        Ok(columns)
    }
}

type Read1<'a> = (Rows<'a>, Vec<Option<String>>, Vec<Evidence>, Vec<String>);

/// The file without its byte order mark, and without Excel's line about the delimiter.
pub(crate) fn csv_file<'a>(text: &'a str, options: &Options) -> Result<CsvText<'a>, FileError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    csv_text::refuse_long_lines(text, MAX_LINE)?;
    // Excel's own way to say what separates values.
    let said = text
        .get(..6)
        .filter(|line| line.to_lowercase().starts_with("sep=") && line.ends_with(['\n', '\r']));
    let said = said.and_then(|line| line.as_bytes().get(4).copied());
    let (text, first_line) = match said {
        Some(_) => {
            let rest = text.get(6..).unwrap_or_default();
            (rest.strip_prefix('\n').unwrap_or(rest), 2)
        }
        None => (text, 1),
    };
    let (text, first_line) = without_lines(text, first_line, options.skip)?;
    let mut dialect = Dialect::of(text, options);
    if let (None, Some(said)) = (options.delimiter, said) {
        dialect.delimiter = said;
    }
    CsvText::new(text, dialect, first_line)
}

/// The text below its first lines, and the number of the line at which it begins.
fn without_lines(text: &str, first_line: u64, count: u32) -> Result<(&str, u64), FileError> {
    let mut rest = text;
    for _ in 0..count {
        let end = rest.find(['\r', '\n']).ok_or_else(|| {
            FileError::new(format!("the file has no line below the {count} to skip"))
        })?;
        let (_, below) = rest.split_at(end);
        rest = below
            .strip_prefix("\r\n")
            .or_else(|| below.get(1..))
            .unwrap_or_default();
    }
    Ok((rest, first_line + u64::from(count)))
}

fn json_file(text: &str) -> Result<JsonText<'_>, FileError> {
    JsonText::new(text.strip_prefix('\u{feff}').unwrap_or(text))
}

fn of_csv<'a>(text: &'a str, options: &Options, check: &dyn Fn()) -> Result<Read1<'a>, FileError> {
    let mut file = csv_file(text, options)?;
    let first = file.first()?.unwrap_or_default();
    file.has_header = true;
    let rows = Rows::Csv(file);
    let mut evidence = rows.evidence(first.len(), &first, options, check)?;
    let has_header = options
        .header
        .unwrap_or_else(|| is_header(&first, &evidence));
    let Rows::Csv(mut file) = rows else {
        return Err(FileError::new("the file is no CSV"));
    };
    file.has_header = has_header;
    let originals = match has_header {
        true => first
            .iter()
            .map(|name| Some(name.trim().to_owned()).filter(|name| !name.is_empty()))
            .collect(),
        false => {
            for (column, cell) in evidence.iter_mut().zip(&first) {
                column.add(Cell::written(cell), options);
            }
            vec![None; first.len()]
        }
    };
    let notes = match (options.header, has_header) {
        (Some(_), _) => Vec::new(),
        (None, true) => Vec::new(),
        (None, false) => vec!["the first line is a row".to_owned()],
    };
    Ok((Rows::Csv(file), originals, evidence, notes))
}

fn of_json<'a>(text: &'a str, options: &Options, check: &dyn Fn()) -> Result<Read1<'a>, FileError> {
    let file = json_file(text)?;
    let originals: Vec<Option<String>> = file.names.iter().cloned().map(Some).collect();
    let rows = Rows::Json(file);
    let evidence = rows.evidence(originals.len(), &[], options, check)?;
    Ok((rows, originals, evidence, Vec::new()))
}

/// Whether the first line has the names of the columns: its cells are no values of their columns.
fn is_header(first: &[String], columns: &[Evidence]) -> bool {
    let typed = |text: &str| {
        let mut alone = Evidence::default();
        alone.add(Cell::written(text), &Options::default());
        crate::values::FORMATS
            .iter()
            .any(|format| alone.reads_all(*format))
            && boolean_or_more(text)
    };
    let filled: Vec<(&String, &Evidence)> = first
        .iter()
        .zip(columns)
        .filter(|(cell, _)| !cell.trim().is_empty())
        .collect();
    if filled.is_empty() {
        return false;
    }
    if filled.iter().any(|(_, column)| column.repeats_first) {
        return false;
    }
    let is_year = |text: &str| {
        text.len() == 4
            && text
                .parse::<u16>()
                .is_ok_and(|year| (1900..=2100).contains(&year))
    };
    let values: Vec<&String> = filled
        .iter()
        .map(|(cell, _)| *cell)
        .filter(|cell| typed(cell))
        .collect();
    let all_years = values.iter().all(|cell| is_year(cell.trim()));
    values.is_empty() || all_years && values.len() < filled.len()
}

/// Single letters and short words may be names.
fn boolean_or_more(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit()) || matches!(text, "true" | "false")
}
