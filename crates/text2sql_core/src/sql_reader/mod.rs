//! The one place that reads SQL with `sqlparser`; `clippy.toml` forbids its entry points elsewhere.
//!
//! The parser itself bounds only how deeply a statement nests. What it makes of a long chain
//! (`1 + 1 + …`) is a tree that is as deep as the chain is long, and a tree that is too deep ends the
//! whole server: printing, copying, comparing and freeing it are recursive. So length, number of tokens
//! and depth are bounded before anything is parsed, for whoever wrote the statement: the caller, a
//! model, a curator, or an application that `pg_stat_statements` saw.

use sqlparser::ast::{Expr, Statement};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

use crate::error::{Error, ErrorKind};
use crate::interrupts;

mod depth;

/// Longest statement that is read, in bytes: the longest that the guard lets run.
pub const MAX_BYTES: usize = 64 * 1024;

/// Most tokens of a statement: as many as a list of 20,000 numbers has. They are parsed in 30 ms.
pub const MAX_TOKENS: usize = 40_000;

/// Deepest tree. In a debug build each level takes up to 8 kB of stack, and 2 MB of it is what every
/// thread has; people write conditions of dozens of parts, not hundreds.
pub const MAX_DEPTH: usize = 150;

/// How deeply the parser may call itself.
const MAX_RECURSION: usize = 50;

/// Fails for a statement that is longer or deeper than what is read, and for one that breaks off inside a
/// quote or a comment.
///
/// # Errors
/// [`ErrorKind::Limit`], [`ErrorKind::Complexity`], [`ErrorKind::Setting`].
pub fn admit(sql: &str) -> Result<(), Error> {
    parser(located_tokens(sql)?).map(drop)
}

/// The tokens of a statement, white space and comments among them.
pub(crate) fn tokens(sql: &str) -> Result<Vec<Token>, Error> {
    let tokens = located_tokens(sql)?;
    Ok(tokens.into_iter().map(|token| token.token).collect())
}

/// The tokens with their places.
pub(crate) fn located_tokens(sql: &str) -> Result<Vec<TokenWithSpan>, Error> {
    read_tokens(sql, true)
}

/// The tokens with literals as they are written: `''` stays `''`.
pub(crate) fn tokens_as_written(sql: &str) -> Result<Vec<Token>, Error> {
    let tokens = read_tokens(sql, false)?;
    Ok(tokens.into_iter().map(|token| token.token).collect())
}

/// The statements of a text; `None` where the parser does not know the grammar.
pub(crate) fn statements(sql: &str) -> Result<Option<Vec<Statement>>, Error> {
    parse(located_tokens(sql)?)
}

/// The statements that tokens make; `None` where the parser does not know the grammar.
pub(crate) fn parse(tokens: Vec<TokenWithSpan>) -> Result<Option<Vec<Statement>>, Error> {
    Ok(parser(tokens)?.parse_statements().ok())
}

/// The expression that a text begins with; `None` where the parser does not know the grammar.
pub(crate) fn expression(text: &str) -> Result<Option<Expr>, Error> {
    Ok(parser(located_tokens(text)?)?.parse_expr().ok())
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads SQL, within the bounds on its length"
)]
fn read_tokens(sql: &str, unescapes: bool) -> Result<Vec<TokenWithSpan>, Error> {
    if sql.len() > MAX_BYTES {
        return Err(too_long(sql.len(), "bytes", MAX_BYTES));
    }
    interrupts::check()?;
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, sql)
        .with_unescape(unescapes)
        .tokenize_with_location()
        .map_err(|error| {
            Error::new(
                ErrorKind::Setting,
                format!(
                    "could not read the statement at line {}, column {}",
                    error.location.line, error.location.column
                ),
            )
        })?;
    if tokens.len() > MAX_TOKENS {
        return Err(too_long(tokens.len(), "words and signs", MAX_TOKENS));
    }
    Ok(tokens)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that parses SQL, within the bounds on its depth"
)]
fn parser(tokens: Vec<TokenWithSpan>) -> Result<Parser<'static>, Error> {
    if tokens.len() > MAX_TOKENS {
        return Err(too_long(tokens.len(), "words and signs", MAX_TOKENS));
    }
    let depth = depth::depth(&tokens);
    if depth > MAX_DEPTH {
        return Err(Error::new(
            ErrorKind::Complexity,
            format!(
                "the statement joins or nests up to {depth} parts, and at most {MAX_DEPTH} are read"
            ),
        )
        .with_hint(
            "Write many conditions on one column as a list, such as `status IN ('a', 'b')`, and many \
             parts as several statements.",
        ));
    }
    interrupts::check()?;
    Ok(Parser::new(&PostgreSqlDialect {})
        .with_recursion_limit(MAX_RECURSION)
        .with_tokens_with_locations(tokens))
}

fn too_long(length: usize, unit: &str, bound: usize) -> Error {
    Error::new(
        ErrorKind::Limit,
        format!("the statement has {length} {unit}, and at most {bound} are read"),
    )
}
