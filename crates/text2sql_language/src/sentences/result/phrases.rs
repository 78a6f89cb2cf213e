//! What can be said of a result: in the words of the catalogue, or of a language that it does not have.

use super::facts::TimeUnit;
use super::frame::Frame;
use super::kinds::{Groups, List, Nothing, Ranking, Row, Series, Single};
use jiff::civil::Date;

/// What a language says of a result.
pub trait Phrases {
    /// Reads a question.
    fn frame(&self, question: &str) -> Frame;
    /// The sign between thousands, if any, and the one before the fraction.
    fn separators(&self) -> (Option<char>, char);
    /// A share in percent, from its digits.
    fn percent(&self, digits: &str) -> String;
    /// A period that begins on that day.
    fn period(&self, unit: TimeUnit, first: Date) -> String;
    /// A truth value.
    fn truth(&self, is_true: bool) -> String;
    /// The name of a group whose key is NULL.
    fn no_key(&self) -> String;
    /// One value.
    fn single(&self, frame: &Frame, single: &Single) -> String;
    /// One row.
    fn row(&self, frame: &Frame, row: &Row) -> String;
    /// Several rows.
    fn list(&self, frame: &Frame, list: &List) -> String;
    /// A ranking.
    fn ranking(&self, frame: &Frame, ranking: &Ranking) -> String;
    /// Groups.
    fn groups(&self, frame: &Frame, groups: &Groups) -> String;
    /// A series in time.
    fn series(&self, series: &Series) -> String;
    /// Nothing was found.
    fn nothing(&self, frame: &Frame, nothing: &Nothing) -> String;
    /// The note about rows that are equal to the last one shown.
    fn left_out(&self, rows: u64, first_place: Option<u64>) -> String;
    /// What is said of a result of that many rows without any column to name.
    fn rows(&self, count: usize, is_cut: bool) -> String;
}
