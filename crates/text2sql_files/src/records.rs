//! The rows of a CSV file as the texts that they are, for files that are not to become tables.

use crate::cell::{Cell, Found};
use crate::error::FileError;
use crate::options::Options;
use crate::plan::csv_file;

/// Hands over each line of a CSV file with its number: its values, `None` where there is none, or why it is no row. The
/// first line is the first one handed over, whether it has names or values; the other lines have as many values.
/// Delimiter and quote are found where the options do not say them.
///
/// # Errors
///
/// A quote that is not closed, values that are too long, and the errors of `take`, which end it.
pub fn records<E: From<FileError>>(
    text: &str,
    options: &Options,
    mut take: impl FnMut(u64, Result<&[Option<&str>], &str>) -> Result<(), E>,
) -> Result<(), E> {
    csv_file(text, options)?.each(|line, found| match found {
        Found::Row { cells, .. } => {
            let values: Vec<Option<&str>> = cells.iter().copied().map(Cell::text).collect();
            take(line, Ok(&values))
        }
        Found::Ragged { reason, .. } => take(line, Err(&reason)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<String>, FileError> {
        let mut lines = Vec::new();
        records::<FileError>(text, &Options::default(), |line, row| {
            lines.push(match row {
                Ok(values) => {
                    let values: Vec<&str> = values.iter().map(|v| v.unwrap_or("–")).collect();
                    format!("{line}: {}", values.join(" / "))
                }
                Err(reason) => format!("{line}: {reason}"),
            });
            Ok(())
        })?;
        Ok(lines)
    }

    #[test]
    fn values_stay_as_they_are_written() {
        let text = "\u{feff}term;meaning\nnet;\"1.234,50\nnext\"\n\nMRR;\nSP;a;b\n";
        assert_eq!(
            read(text).unwrap(),
            [
                "1: term / meaning",
                "2: net / 1.234,50\nnext",
                "5: MRR / –",
                "6: has 3 values instead of 2"
            ]
        );
        assert_eq!(
            read("sep=|\na|b\n").unwrap(),
            ["2: a / b"],
            "the dialect's own line"
        );
    }

    #[test]
    fn a_quote_that_is_not_closed_ends_it() {
        let error = read("a,b\n1,\"2\n3,4\n").unwrap_err();
        assert_eq!(error.message, "line 2: a quoted value is not closed");
    }
}
