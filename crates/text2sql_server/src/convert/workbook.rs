//! A sheet of a workbook as CSV.

use std::io::{Cursor, Write};

use calamine::{Data, DataRef, ExcelDateTime, Ods, Reader, Xlsx};

use super::archive::refuse_bomb;

/// The most columns that a table of PostgreSQL can have.
const MAX_COLUMNS: usize = text2sql_files::MAX_COLUMNS;

/// A sheet of an Excel workbook. Its cells are read one after another: a sheet with one cell in its last corner would
/// need gigabytes as a rectangle.
pub(super) fn xlsx(
    bytes: &[u8],
    most: u64,
    sheet: Option<&str>,
    output: &mut impl Write,
) -> Result<Vec<String>, String> {
    refuse_bomb(bytes, most)?;
    let mut workbook = Xlsx::new(Cursor::new(bytes)).map_err(damaged)?;
    let names = workbook.sheet_names();
    for name in chosen(&names, sheet)? {
        let mut rows = Rows::new(output);
        let mut cells = workbook.worksheet_cells_reader(&name).map_err(damaged)?;
        while let Some(cell) = cells.next_cell().map_err(damaged)? {
            let (row, column) = cell.get_position();
            if let Some(text) = of_cell(cell.get_value())? {
                rows.put(row, column, text)?;
            }
        }
        if rows.end()? {
            return Ok(notes(&names, &name, sheet));
        }
    }
    Err("the workbook has no cells".to_owned())
}

/// A sheet of a LibreOffice workbook.
pub(super) fn ods(
    bytes: &[u8],
    most: u64,
    sheet: Option<&str>,
    output: &mut impl Write,
) -> Result<Vec<String>, String> {
    refuse_bomb(bytes, most)?;
    let mut workbook = Ods::new(Cursor::new(bytes)).map_err(damaged)?;
    let names = workbook.sheet_names();
    for name in chosen(&names, sheet)? {
        let range = workbook.worksheet_range(&name).map_err(damaged)?;
        let mut rows = Rows::new(output);
        for (row, column, value) in range.used_cells() {
            if let Some(text) = of_cell(&borrowed(value))? {
                let (row, column) = (row as u32, column as u32);
                rows.put(row, column, text)?;
            }
        }
        if rows.end()? {
            return Ok(notes(&names, &name, sheet));
        }
    }
    Err("the workbook has no cells".to_owned())
}

fn damaged(error: impl std::fmt::Display) -> String {
    format!("the workbook cannot be read: {error}")
}

/// The sheets that come into question.
fn chosen(names: &[String], sheet: Option<&str>) -> Result<Vec<String>, String> {
    match sheet {
        None => Ok(names.to_vec()),
        Some(sheet) if names.iter().any(|name| name == sheet) => Ok(vec![sheet.to_owned()]),
        Some(sheet) => Err(format!(
            "there is no sheet \"{sheet}\"; there are {}",
            names.join(", ")
        )),
    }
}

fn notes(names: &[String], read: &str, sheet: Option<&str>) -> Vec<String> {
    if sheet.is_some() || names.len() < 2 {
        return Vec::new();
    }
    let others: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|name| *name != read)
        .collect();
    vec![format!(
        "sheet \"{read}\" was read; others are {}",
        others.join(", ")
    )]
}

/// A cell as CSV has it: dates by ISO 8601, numbers without separators, the result of a formula.
fn of_cell(value: &DataRef<'_>) -> Result<Option<String>, String> {
    Ok(match value {
        DataRef::Empty => None,
        DataRef::Int(number) => Some(number.to_string()),
        DataRef::Float(number) => Some(float(*number)),
        DataRef::String(text) => Some(text.clone()),
        DataRef::SharedString(text) => Some((*text).to_owned()),
        DataRef::Bool(value) => Some(value.to_string()),
        DataRef::DateTime(moment) => Some(moment_text(moment)),
        DataRef::DateTimeIso(text) => Some(text.replace('T', " ")),
        DataRef::DurationIso(text) => Some(duration(text).unwrap_or_else(|| text.clone())),
        DataRef::Error(error) => Some(error.to_string()),
    })
}

fn borrowed(value: &Data) -> DataRef<'_> {
    match value {
        Data::Int(number) => DataRef::Int(*number),
        Data::Float(number) => DataRef::Float(*number),
        Data::String(text) => DataRef::SharedString(text),
        Data::Bool(value) => DataRef::Bool(*value),
        Data::DateTime(moment) => DataRef::DateTime(*moment),
        Data::DateTimeIso(text) => DataRef::DateTimeIso(text.clone()),
        Data::DurationIso(text) => DataRef::DurationIso(text.clone()),
        Data::Error(error) => DataRef::Error(error.clone()),
        Data::Empty => DataRef::Empty,
    }
}

fn float(number: f64) -> String {
    // An integer of a spreadsheet is a float, too.
    format!("{number}")
}

fn moment_text(moment: &ExcelDateTime) -> String {
    let days = moment.as_f64();
    // A time of day is a moment of day 0, which no calendar has.
    if moment.is_duration() || (0.0..1.0).contains(&days) {
        return clock(days * 86_400.0);
    }
    if !moment.is_datetime() {
        return float(days);
    }
    let (year, month, day, hour, minute, second, milli) = moment.to_ymd_hms_milli();
    let mut text = format!("{year:04}-{month:02}-{day:02}");
    if (hour, minute, second, milli) != (0, 0, 0, 0) {
        text.push_str(&format!(" {hour:02}:{minute:02}:{second:02}"));
        if milli > 0 {
            text.push_str(&format!(".{milli:03}"));
        }
    }
    text
}

/// Seconds as a clock shows them; more than a day has more than 24 hours.
fn clock(seconds: f64) -> String {
    let sign = if seconds < 0.0 { "-" } else { "" };
    let millis = (seconds.abs() * 1_000.0).round() as u64;
    let (seconds, rest) = (millis / 1_000, millis % 1_000);
    let fraction = match rest {
        0 => String::new(),
        rest => format!(".{rest:03}"),
    };
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
    format!(
        "{sign}{hours:02}:{minutes:02}:{:02}{fraction}",
        seconds % 60
    )
}

/// A duration of ISO 8601, such as `PT10H30M00S`; `None` for one with months or years, whose length is not certain.
fn duration(text: &str) -> Option<String> {
    let (sign, text) = match text.strip_prefix('-') {
        Some(text) => (-1.0, text),
        None => (1.0, text),
    };
    let (days, times) = text.strip_prefix('P')?.split_once('T')?;
    let mut seconds = match days {
        "" => 0.0,
        days => days.strip_suffix('D')?.parse::<f64>().ok()? * 86_400.0,
    };
    let mut rest = times;
    for (unit, length) in [('H', 3_600.0), ('M', 60.0), ('S', 1.0)] {
        if let Some((number, behind)) = rest.split_once(unit) {
            seconds += number.parse::<f64>().ok()? * length;
            rest = behind;
        }
    }
    rest.is_empty().then(|| clock(sign * seconds))
}

/// Rows of CSV, made of cells in their order.
struct Rows<'w, W: Write> {
    writer: csv::Writer<&'w mut W>,
    row: Option<u32>,
    left: u32,
    width: Option<usize>,
    cells: Vec<String>,
}

impl<'w, W: Write> Rows<'w, W> {
    fn new(output: &'w mut W) -> Self {
        Self {
            writer: csv::WriterBuilder::new().flexible(true).from_writer(output),
            row: None,
            left: u32::MAX,
            width: None,
            cells: Vec::new(),
        }
    }

    fn put(&mut self, row: u32, column: u32, text: String) -> Result<(), String> {
        if self.row != Some(row) {
            self.write()?;
            self.row = Some(row);
        }
        // A table that begins in the third column has no two empty columns before it.
        if self.width.is_none() {
            self.left = self.left.min(column);
        }
        let place = column.checked_sub(self.left).ok_or_else(|| {
            format!(
                "row {} begins further left than the first row of the table",
                row + 1
            )
        })? as usize;
        if place >= MAX_COLUMNS {
            return Err(format!(
                "row {} has more than {MAX_COLUMNS} columns",
                row + 1
            ));
        }
        if self.cells.len() <= place {
            self.cells.resize(place + 1, String::new());
        }
        if let Some(cell) = self.cells.get_mut(place) {
            *cell = text;
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), String> {
        if self.row.is_none() {
            return Ok(());
        }
        let width = *self.width.get_or_insert(self.cells.len());
        if self.cells.len() < width {
            self.cells.resize(width, String::new());
        }
        self.writer
            .write_record(&self.cells)
            .map_err(|error| error.to_string())?;
        self.cells.clear();
        Ok(())
    }

    /// Writes the last row; whether there was any.
    fn end(mut self) -> Result<bool, String> {
        self.write()?;
        self.writer.flush().map_err(|error| error.to_string())?;
        Ok(self.row.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_durations_are_those_of_a_clock() {
        for (iso, expected) in [
            ("PT10H30M00S", Some("10:30:00")),
            ("PT30H00M00S", Some("30:00:00")),
            ("P1DT2H", Some("26:00:00")),
            ("PT1M2.5S", Some("00:01:02.500")),
            ("-PT1H", Some("-01:00:00")),
            ("P1Y", None),
            ("PTxH", None),
        ] {
            assert_eq!(duration(iso).as_deref(), expected, "{iso}");
        }
        assert_eq!(clock(0.4375 * 86_400.0), "10:30:00");
        assert_eq!(clock(1.25 * 86_400.0), "30:00:00");
    }
}
