//! The only module that parses SQL with `sqlparser`; `clippy.toml` forbids its entry points elsewhere.
//!
//! The parser limits nesting only. A long chain (`1 + 1 + …`)
//! becomes a tree as deep as the chain is long, and a tree that is too deep overflows the stack and crashes
//! the server: printing, copying, comparing and freeing it are recursive. Therefore length, number of tokens
//! and depth are limited before anything is parsed, whatever the source of the statement: the caller, a
//! model, a curator, or an application seen by `pg_stat_statements`.

use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Query, Statement, TableFactor, Visitor};
use sqlparser::dialect::{
    self, DuckDbDialect, MsSqlDialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect,
};
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer};

use text2sql_domain::dialect::Dialect;
use text2sql_domain::error::{Error, failure};
use text2sql_domain::interrupts;

use crate::visit;

mod depth;

/// Maximum length of a statement, in bytes: the guard rejects longer ones.
pub const MAX_BYTES: usize = 64 * 1024;

/// Maximum number of tokens of a statement: enough for a list of 10,000 numbers. Parsing them takes 20 ms.
const MAX_TOKENS: usize = 20_000;

/// Maximum number of relations and subqueries of a statement. Each is compared with the others; the guard permits
/// 100 relations.
const MAX_RELATIONS: usize = 200;

/// Maximum depth of the tree. In a debug build each level takes up to 8 kB of stack, and a thread has
/// 2 MB. Hand-written conditions have dozens of parts, not hundreds.
pub const MAX_DEPTH: usize = 150;

/// Maximum recursion depth of the parser.
const MAX_RECURSION: usize = 50;

/// Fails if a statement exceeds the limit on length or depth, or ends inside a
/// quote or a comment.
///
/// # Errors
/// [`ErrorKind::Limit`], [`ErrorKind::Complexity`], [`ErrorKind::Setting`].
pub fn admit(sql: &str) -> Result<(), Error> {
    parser(located_tokens(sql)?).map(drop)
}

/// The tokens of a statement, including white space and comments.
pub fn tokens(sql: &str) -> Result<Vec<Token>, Error> {
    let tokens = located_tokens(sql)?;
    Ok(tokens.into_iter().map(|token| token.token).collect())
}

/// The tokens with their positions.
pub fn located_tokens(sql: &str) -> Result<Vec<TokenWithSpan>, Error> {
    let tokens = read_tokens(Dialect::PostgreSql, sql, true)?;
    tokens.map_err(unreadable)
}

/// The tokens, literals in their original form, each with its text in the statement. A token is not always written as its
/// `Display` writes it: `E'\\'` is not.
pub(crate) fn tokens_as_written(sql: &str) -> Result<Vec<(Token, &str)>, Error> {
    let tokens = read_tokens(Dialect::PostgreSql, sql, false)?;
    let tokens = tokens.map_err(unreadable)?;
    let starts = tokens.iter().map(|token| token.span.start);
    let mut places = places(sql, starts).into_iter().peekable();
    let mut written = Vec::with_capacity(tokens.len());
    for token in tokens {
        let start = places.next().unwrap_or(sql.len());
        let end = places.peek().copied().unwrap_or(sql.len());
        written.push((token.token, sql.get(start..end).unwrap_or_default()));
    }
    Ok(written)
}

/// The bytes at which the locations are, which are in order: lines, and characters of a line, from 1.
fn places(sql: &str, locations: impl Iterator<Item = Location>) -> Vec<usize> {
    let (mut line, mut column) = (1, 1);
    let mut characters = sql.char_indices().peekable();
    let places = locations.map(|wanted| {
        while (line, column) != (wanted.line, wanted.column) {
            match characters.next() {
                Some((_, '\n')) => (line, column) = (line + 1, 1),
                Some(_) => column += 1,
                None => break,
            }
        }
        characters.peek().map_or(sql.len(), |(place, _)| *place)
    });
    places.collect()
}

/// The statements of a text; `None` if the parser does not support the syntax.
pub fn statements(sql: &str) -> Result<Option<Vec<Statement>>, Error> {
    parse(located_tokens(sql)?)
}

/// The statements of the tokens; `None` if the parser does not support the syntax.
pub fn parse(tokens: Vec<TokenWithSpan>) -> Result<Option<Vec<Statement>>, Error> {
    let Ok(statements) = parser(tokens)?.parse_statements() else {
        return Ok(None);
    };
    within_bounds(statements).map(Some)
}

/// Why a text is not SQL of a dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// What is wrong: lower case, without the name of the parser.
    pub message: String,
    /// The line, from 1, if known.
    pub line: Option<u64>,
    /// The column in the line, from 1.
    pub column: Option<u64>,
}

impl SyntaxError {
    fn in_words(&self) -> String {
        match (self.line, self.column) {
            (Some(line), Some(column)) => format!("line {line}, column {column}"),
            _ => "its end".to_owned(),
        }
    }

    /// From a message of the parser, which ends with the place.
    fn of_parser(message: &str) -> Self {
        let message = message
            .trim_start_matches("sql parser error: ")
            .trim_start();
        let place = message.rsplit_once(" at Line: ").and_then(|(text, place)| {
            let (line, column) = place.split_once(", Column: ")?;
            Some((text, line.parse().ok()?, column.trim().parse().ok()?))
        });
        let (text, line, column) = match place {
            Some((text, line, column)) => (text, Some(line), Some(column)),
            None => (message, None, None),
        };
        let mut chars = text.chars();
        let first = chars.next().map(|first| first.to_lowercase().to_string());
        Self {
            message: format!("{}{}", first.unwrap_or_default(), chars.as_str()),
            line,
            column,
        }
    }
}

/// The statements of a text in a dialect, or why it is not SQL of it.
pub fn statements_in(
    dialect: Dialect,
    sql: &str,
) -> Result<Result<Vec<Statement>, SyntaxError>, Error> {
    let tokens = match read_tokens(dialect, sql, true)? {
        Ok(tokens) => tokens,
        Err(error) => return Ok(Err(error)),
    };
    match parser_in(dialect, tokens)?.parse_statements() {
        Ok(statements) => within_bounds(statements).map(Ok),
        Err(error) => Ok(Err(SyntaxError::of_parser(&error.to_string()))),
    }
}

/// The statements, unless they have too many relations.
fn within_bounds(statements: Vec<Statement>) -> Result<Vec<Statement>, Error> {
    let mut counted = Counted(0);
    if visit::statements(&statements, &mut counted).is_break() {
        return Err(failure!(
            Complexity,
            "the statement has more than {MAX_RELATIONS} relations and subqueries"
        ));
    }
    Ok(statements)
}

/// Counts relations and queries, and stops at the limit.
struct Counted(usize);

impl Counted {
    fn one_more(&mut self) -> ControlFlow<()> {
        self.0 += 1;
        if self.0 > MAX_RELATIONS {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

impl Visitor for Counted {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.one_more()
    }

    fn pre_visit_table_factor(&mut self, _: &TableFactor) -> ControlFlow<()> {
        self.one_more()
    }
}

/// The expression at the beginning of a text; `None` if the parser does not support the syntax.
pub fn expression(text: &str) -> Result<Option<Expr>, Error> {
    Ok(parser(located_tokens(text)?)?.parse_expr().ok())
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads SQL, within the bounds on its length"
)]
fn read_tokens(
    dialect: Dialect,
    sql: &str,
    unescapes: bool,
) -> Result<Result<Vec<TokenWithSpan>, SyntaxError>, Error> {
    if sql.len() > MAX_BYTES {
        return Err(too_long(sql.len(), "bytes", MAX_BYTES));
    }
    interrupts::check()?;
    let tokens = Tokenizer::new(parser_dialect(dialect), sql)
        .with_unescape(unescapes)
        .tokenize_with_location();
    let tokens = match tokens {
        Ok(tokens) => tokens,
        Err(error) => {
            return Ok(Err(SyntaxError {
                message: error.message,
                line: Some(error.location.line),
                column: Some(error.location.column),
            }));
        }
    };
    if tokens.len() > MAX_TOKENS {
        return Err(too_long(tokens.len(), "words and signs", MAX_TOKENS));
    }
    Ok(Ok(tokens))
}

fn unreadable(error: SyntaxError) -> Error {
    failure!(
        Setting,
        "could not read the statement at {}",
        error.in_words()
    )
}

fn parser_dialect(dialect: Dialect) -> &'static dyn dialect::Dialect {
    match dialect {
        Dialect::PostgreSql => &PostgreSqlDialect {},
        Dialect::Sqlite => &SQLiteDialect {},
        Dialect::DuckDb => &DuckDbDialect {},
        Dialect::MySql => &MySqlDialect {},
        Dialect::TSql => &MsSqlDialect {},
    }
}

fn parser(tokens: Vec<TokenWithSpan>) -> Result<Parser<'static>, Error> {
    parser_in(Dialect::PostgreSql, tokens)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that parses SQL, within the bounds on its depth"
)]
fn parser_in(dialect: Dialect, tokens: Vec<TokenWithSpan>) -> Result<Parser<'static>, Error> {
    if tokens.len() > MAX_TOKENS {
        return Err(too_long(tokens.len(), "words and signs", MAX_TOKENS));
    }
    let depth = depth::depth(&tokens);
    if depth > MAX_DEPTH {
        return Err(failure!(Complexity, "the statement joins or nests up to {depth} parts, and at most {MAX_DEPTH} are read")
        .with_hint(
            "Write many conditions on one column as a list, such as `status IN ('a', 'b')`, and many \
             parts as several statements.",
        ));
    }
    interrupts::check()?;
    Ok(Parser::new(parser_dialect(dialect))
        .with_recursion_limit(MAX_RECURSION)
        .with_tokens_with_locations(tokens))
}

fn too_long(length: usize, unit: &str, bound: usize) -> Error {
    failure!(
        Limit,
        "the statement has {length} {unit}, and at most {bound} are read"
    )
}
