//! Parses one read-only statement, within the limits on length and depth.

use std::cell::RefCell;
use std::collections::VecDeque;

use sqlparser::ast::{Query, SetExpr, Statement};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::reader as sql_reader;
use text2sql_domain::error::{Error, ErrorKind};

/// Maximum number of statements whose tree is kept, and their length in bytes: half a dozen checks read the query of a
/// question one after the other, and copying its tree takes a fifth of the time of parsing it.
const MAX_STATEMENTS: usize = 8;
const MAX_BYTES: usize = 10_000;

/// A text and its tree.
type Parsed = (String, Option<Box<Query>>);

thread_local! {
    /// Latest first.
    static RECENT: RefCell<VecDeque<Parsed>> = const { RefCell::new(VecDeque::new()) };
}

/// Parses exactly one read-only statement, within the limits on length and depth; `None` if the
/// parser does not support its syntax.
pub fn parse_query(sql: &str) -> Result<Option<Box<Query>>, Error> {
    let known = RECENT.with_borrow(|recent| {
        let mut recent = recent.iter();
        let known = recent.find(|(text, _)| text == sql);
        known.map(|(_, query)| query.clone())
    });
    if let Some(query) = known {
        return Ok(query);
    }
    let tokens = read_tokens(sql)?;
    refuse_other_statements(&tokens)?;
    let query = parse_tokens(&tokens)?;
    if sql.len() <= MAX_BYTES {
        RECENT.with_borrow_mut(|recent| {
            recent.push_front((sql.to_owned(), query.clone()));
            recent.truncate(MAX_STATEMENTS);
        });
    }
    Ok(query)
}

/// Splits the text into tokens, without white space, comments and trailing semicolons.
pub fn read_tokens(sql: &str) -> Result<Vec<TokenWithSpan>, Error> {
    let mut tokens = sql_reader::located_tokens(sql).map_err(|error| match error.kind() {
        ErrorKind::Setting => refusal(error.message()),
        _ => error,
    })?;
    tokens.retain(|token| !matches!(token.token, Token::Whitespace(_) | Token::EOF));
    while tokens
        .last()
        .is_some_and(|token| token.token == Token::SemiColon)
    {
        tokens.pop();
    }
    Ok(tokens)
}

/// Rejects anything other than one read-only statement.
pub fn refuse_other_statements(tokens: &[TokenWithSpan]) -> Result<(), Error> {
    let Some(first) = tokens.iter().find(|token| token.token != Token::LParen) else {
        return Err(refusal("there is no statement to explain"));
    };
    if tokens.iter().any(|token| token.token == Token::SemiColon) {
        return Err(refusal(
            "explain takes one statement, and there are several",
        ));
    }
    let Token::Word(word) = &first.token else {
        return Err(refusal("the statement does not begin with SELECT"));
    };
    match word.keyword {
        Keyword::SELECT | Keyword::WITH | Keyword::VALUES | Keyword::TABLE => Ok(()),
        _ => Err(refusal(format!(
            "explain takes a SELECT, and this statement begins with {}",
            word.value
                .to_uppercase()
                .chars()
                .take(40)
                .collect::<String>()
        ))),
    }
}

/// Parses a query. `None` if the parser does not support it; an error if it would write.
pub fn parse_tokens(tokens: &[TokenWithSpan]) -> Result<Option<Box<Query>>, Error> {
    let Some(query) = try_parse(without_table_command(tokens))? else {
        return Ok(None);
    };
    if writes(&query) {
        return Err(refusal(
            "explain takes a SELECT, and this statement changes data",
        ));
    }
    if makes_table(&query) {
        return Err(refusal(
            "explain takes a SELECT, and SELECT INTO creates a table",
        ));
    }
    Ok(Some(query))
}

/// Rewrites `TABLE name` as the equivalent SELECT, because the parser does not support it.
fn without_table_command(tokens: &[TokenWithSpan]) -> Vec<TokenWithSpan> {
    let mut rewritten = Vec::with_capacity(tokens.len());
    let mut before = None;
    for token in tokens {
        let begins_query = before.is_none_or(|before: &Token| {
            *before == Token::LParen
                || matches!(
                    keyword(before),
                    Keyword::UNION | Keyword::ALL | Keyword::INTERSECT | Keyword::EXCEPT
                )
        });
        if begins_query && keyword(&token.token) == Keyword::TABLE {
            rewritten.extend(words("SELECT * FROM"));
        } else {
            rewritten.push(token.clone());
        }
        before = Some(&token.token);
    }
    rewritten
}

/// The single query of the tokens; `None` if it is another statement or not supported by the parser.
pub fn try_parse(tokens: Vec<TokenWithSpan>) -> Result<Option<Box<Query>>, Error> {
    let statements = sql_reader::parse(tokens)?.unwrap_or_default();
    Ok(match <[Statement; 1]>::try_from(statements) {
        Ok([Statement::Query(query)]) => Some(query),
        _ => None,
    })
}

/// Whether it is SELECT INTO.
pub fn makes_table(query: &Query) -> bool {
    matches!(&*query.body, SetExpr::Select(select) if select.into.is_some())
}

/// The keyword of a token; a quoted name is not a keyword.
pub fn keyword(token: &Token) -> Keyword {
    match token {
        Token::Word(word) if word.quote_style.is_none() => word.keyword,
        _ => Keyword::NoKeyword,
    }
}

/// Tokens of a fixed text.
pub fn words(sql: &str) -> Vec<TokenWithSpan> {
    let mut tokens = sql_reader::located_tokens(sql).unwrap_or_default();
    tokens.retain(|token| !matches!(token.token, Token::Whitespace(_) | Token::EOF));
    tokens
}

/// Whether a query has a data-modifying CTE.
pub fn writes(query: &Query) -> bool {
    let writes = |body: &SetExpr| {
        matches!(
            body,
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_)
        )
    };
    let helpers = query.with.iter().flat_map(|with| &with.cte_tables);
    writes(&query.body) || helpers.into_iter().any(|helper| writes(&helper.query.body))
}

/// An error about the user's statement.
pub fn refusal(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Setting, message)
        .with_hint("Explain one SELECT, such as SELECT name FROM customers.")
}
