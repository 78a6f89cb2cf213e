//! Comments as words, for searches without an index.
//!
//! They are shared by all roles: which of them a role may see is checked when they are used.

use std::borrow::Cow;
use std::collections::HashMap;

use pgrx::pg_sys;
use text2sql_domain::error::Error;

use super::comments::{self, MAX_COMMENT_CHARS};
use crate::pg::server::spi;

/// Reading stops at the comment that brings the total above `$3` bytes.
const COMMENTS: &str = "SELECT c.objoid, c.objsubid, c.text FROM (
         SELECT d.objoid, d.objsubid, left(d.description, $2) AS text,
                sum(octet_length(left(d.description, $2))) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
         FROM pg_description d WHERE d.objoid >= 16384 AND d.classoid = 'pg_class'::regclass LIMIT $1
     ) AS c WHERE c.bytes - octet_length(c.text) <= $3";

/// Maximum number of comments that are searched, and of their bytes.
const MAX_COMMENTS: i64 = 20_000;
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// The comments of tables and columns.
#[derive(Debug, Default)]
pub(super) struct CommentWords {
    /// By table: column numbers, 0 for the table itself, with the comment in lower case, its words separated by
    /// `_`, and a leading `_`.
    tables: HashMap<u32, Vec<(i32, Box<str>)>>,
    /// Whether these are all.
    is_complete: bool,
}

/// All comments up to the maximum.
pub(super) fn read() -> Result<CommentWords, Error> {
    let mut words = CommentWords::default();
    let (mut count, mut bytes) = (0, 0);
    let arguments = [
        (MAX_COMMENTS + 1).into(),
        MAX_COMMENT_CHARS.into(),
        i64::try_from(MAX_BYTES).unwrap_or(i64::MAX).into(),
    ];
    spi::read_rows(COMMENTS, &arguments, 0, |row| {
        let table = row.read::<pg_sys::Oid>(1)?.map_or(0, pg_sys::Oid::to_u32);
        let text: String = row.read(3)?.unwrap_or_default();
        count += 1;
        bytes += text.len();
        if count <= MAX_COMMENTS && bytes <= MAX_BYTES {
            let number = row.read::<i32>(2)?.unwrap_or_default();
            let of_table = words.tables.entry(table).or_default();
            of_table.push((number, joined(&text).into()));
        }
        Ok(())
    })?;
    words.is_complete = count <= MAX_COMMENTS && bytes <= MAX_BYTES;
    Ok(words)
}

impl CommentWords {
    /// Whether a comment of the table or of one of its columns contains one of the words.
    pub(super) fn mention(&self, table: u32, words: &[String]) -> bool {
        let said = self.tables.get(&table).into_iter().flatten();
        let mut said = said.map(|(_, text)| text);
        said.any(|text| words.iter().any(|word| text.contains(word.as_str())))
    }

    /// The comments of the table whose column number, 0 for the table itself, is shown.
    pub(super) fn of_table(
        &self,
        table: pg_sys::Oid,
        is_shown: impl Fn(i32) -> bool,
    ) -> Vec<Cow<'_, str>> {
        if !self.is_complete {
            let said = comments::texts(table).into_iter();
            let said = said.filter(|(number, _)| is_shown(*number));
            return said.map(|(_, text)| joined(&text).into()).collect();
        }
        let said = self.tables.get(&table.to_u32()).into_iter().flatten();
        let said = said.filter(|(number, _)| is_shown(*number));
        said.map(|(_, text)| Cow::Borrowed(&**text)).collect()
    }
}

/// A text in lower case with its words separated by `_`, and a leading `_`.
fn joined(text: &str) -> String {
    let mut joined = String::with_capacity(text.len() + 1);
    joined.push('_');
    let mut is_apart = false;
    for letter in text.chars() {
        if letter.is_alphanumeric() {
            joined.extend(letter.to_lowercase());
        } else if !is_apart {
            joined.push('_');
        }
        is_apart = !letter.is_alphanumeric();
    }
    joined
}
