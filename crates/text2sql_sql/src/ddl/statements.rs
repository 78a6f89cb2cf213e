//! Splits DDL text into statements, also where semicolons are missing, and drops the ones that define nothing.

use text2sql_domain::dialect::Dialect;
use text2sql_domain::error::{Error, failure};
use text2sql_domain::interrupts;

use super::tokens::{Token, Tokens};

/// Maximum number of tokens of a statement whose columns are read; PostgreSQL permits 1,600 columns.
const MAX_TOKENS: usize = 200_000;

/// After so many tokens the reader looks whether the statement was cancelled.
const TOKENS_BETWEEN_CHECKS: usize = 1_000;

/// Words that begin a statement that may define something.
const KEPT: [&str; 5] = ["create", "alter", "comment", "exec", "execute"];

/// Words that begin a statement at the beginning of a line even if the one before has no end: scripts of SQL Server.
const BEGINNINGS: [&str; 7] = [
    "create", "alter", "insert", "drop", "exec", "execute", "print",
];

/// Reads statements one after another.
pub(super) struct Statements<'a> {
    text: &'a str,
    tokens: Tokens<'a>,
    /// A token that belongs to the next statement.
    pushed_back: Option<Token>,
    /// Number of tokens read.
    count: usize,
}

impl<'a> Statements<'a> {
    pub(super) fn new(text: &'a str, dialect: Dialect) -> Self {
        Self {
            text,
            tokens: Tokens::new(text, dialect),
            pushed_back: None,
            count: 0,
        }
    }

    fn next_token(&mut self) -> Result<Option<Token>, Error> {
        self.count += 1;
        if self.count.is_multiple_of(TOKENS_BETWEEN_CHECKS) {
            interrupts::check()?;
        }
        Ok(self.pushed_back.take().or_else(|| self.tokens.next()))
    }

    /// Whether the text behind the token begins with one of the words.
    fn is_followed_by(&self, token: &Token, words: &[&str]) -> bool {
        let rest = self.text.get(token.end..).unwrap_or_default();
        let mut next = rest.split_whitespace();
        let next = next.next().unwrap_or_default().to_lowercase();
        words.contains(&next.as_str())
    }

    fn begins_another(&self, token: &Token, depth: usize) -> bool {
        if !token.begins_line || !token.is_any(&BEGINNINGS) {
            return false;
        }
        // An unclosed parenthesis must not swallow the rest of the text.
        depth == 0
            || (token.is("create")
                && self.is_followed_by(token, &["table", "view", "temporary", "temp"]))
    }

    /// Whether the token is a line `GO`.
    fn is_go(&self, token: &Token) -> bool {
        // The rest of the line is read only where it decides: it may be the whole text.
        if !token.begins_line || !token.is("go") {
            return false;
        }
        let rest = self.text.get(token.end..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default().trim();
        line.chars().all(|c| c.is_ascii_digit() || c == ';')
    }

    /// The tokens of the next statement, none of one that defines nothing; `None` behind the last.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] for a statement of too many tokens, [`ErrorKind::Cancelled`].
    pub(super) fn read_next(&mut self) -> Result<Option<Vec<Token>>, Error> {
        let mut kept: Vec<Token> = Vec::new();
        let mut keeps = None;
        let mut is_copy_from_client = false;
        let mut depth = 0_usize;
        loop {
            let Some(token) = self.next_token()? else {
                return Ok(keeps.map(|_: bool| kept));
            };
            if token.is_comment() && keeps.is_none() {
                continue;
            }
            if keeps.is_some() && self.begins_another(&token, depth) {
                self.pushed_back = Some(token);
                return Ok(Some(kept));
            }
            if (token.is_sign(';') && depth == 0) || self.is_go(&token) {
                if is_copy_from_client {
                    self.tokens.skip_copied_rows();
                }
                return Ok(Some(kept));
            }
            match keeps {
                None => {
                    keeps = Some(token.is_any(&KEPT));
                    is_copy_from_client = token.is("copy");
                }
                Some(_) if token.is_sign('(') => depth += 1,
                Some(_) if token.is_sign(')') => depth = depth.saturating_sub(1),
                Some(_) => {}
            }
            if keeps == Some(true) {
                if kept.len() == MAX_TOKENS {
                    return Err(failure!(
                        Limit,
                        "a statement of the schema has more than {MAX_TOKENS} words and signs"
                    ));
                }
                kept.push(token);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(text: &str) -> Vec<usize> {
        let mut all = Statements::new(text, Dialect::TSql);
        std::iter::from_fn(|| all.read_next().unwrap())
            .map(|tokens| tokens.len())
            .filter(|length| *length > 0)
            .collect()
    }

    #[test]
    fn statements_end_with_semicolons_go_or_the_next_one() {
        assert_eq!(
            lengths("CREATE A; CREATE B\nGO\nCREATE C\nCREATE D"),
            [2, 2, 2, 2]
        );
        assert_eq!(
            lengths("INSERT INTO a VALUES ('CREATE x;');\nSELECT 1"),
            [0; 0]
        );
        assert_eq!(
            lengths("COPY a FROM stdin;\nCREATE TABLE x (\n\\.\nCREATE TABLE y (a int);"),
            [7]
        );
        assert_eq!(
            lengths("CREATE TABLE a (b int\nCREATE TABLE c (d int)"),
            [6, 7]
        );
    }
}
