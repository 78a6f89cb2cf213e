//! Names that a question writes as SQL does: `orders_by_month`, `reports.customers`, or a name in quotes.

use std::sync::Arc;

use crate::linking::names::{self, address, address_of};
use text2sql_domain::schema::Table;
use text2sql_language::words::{Token, TokenKind};

/// The tokens, with each name in SQL notation merged into one token that refers only to that table:
/// `rep.customers`, `orders_by_month`, "orders_by_month" in quotes.
pub(crate) fn addressed(tokens: Vec<Token>, tables: &[Arc<Table>]) -> Vec<Token> {
    let is_candidate = |token: &Token| {
        token.kind == TokenKind::Quoted
            || (token.kind == TokenKind::Stop && token.text == ".")
            || (token.kind == TokenKind::Word && token.text.contains('_'))
    };
    if !tokens.iter().any(is_candidate) {
        return tokens;
    }
    let mut read: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let dotted = match tokens.get(at..at + 3) {
            Some([schema, dot, name])
                if dot.kind == TokenKind::Stop
                    && dot.text == "."
                    && is_name(schema)
                    && is_name(name) =>
            {
                with_schema(&schema.text, &name.text, tables)
                    .map(|table| (table, format!("{}.{}", schema.text, name.text)))
            }
            _ => None,
        };
        if let Some((table, text)) = dotted {
            read.push(name_token(token, table, &text));
            at += 3;
            continue;
        }
        read.push(match single_token_name(token, tables) {
            Some(table) => name_token(token, table, &token.text),
            None => token.clone(),
        });
        at += 1;
    }
    read
}

fn is_name(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Word | TokenKind::Quoted)
}

fn name_token(token: &Token, table: &Table, text: &str) -> Token {
    let mut named = Token::new(text, TokenKind::Word);
    named.stem = address(table);
    named.number = None;
    named.place = token.place;
    named
}

fn with_schema<'t>(schema: &str, name: &str, tables: &'t [Arc<Table>]) -> Option<&'t Table> {
    let wanted = address_of(schema, name);
    only(tables.iter().filter(|table| address(table) == wanted))
}

/// The table that a single token names: a name with an underscore, or a quoted name of several words. If
/// two tables have the name, it is the one on the search path.
fn single_token_name<'t>(token: &Token, tables: &'t [Arc<Table>]) -> Option<&'t Table> {
    let words = match token.kind {
        TokenKind::Word if token.text.contains('_') => None,
        TokenKind::Quoted => {
            if let Some((schema, name)) = token.text.split_once('.') {
                return with_schema(schema, name, tables);
            }
            let words = names::words_of(&token.text);
            Some(words).filter(|words| words.len() > 1)
        }
        _ => return None,
    };
    let is_same = |table: &&Arc<Table>| match (&words, token.kind) {
        (Some(words), _) => names::words_of(&table.name) == *words,
        (None, TokenKind::Word) => table.name.eq_ignore_ascii_case(&token.text),
        (None, _) => false,
    };
    let same = || tables.iter().filter(is_same);
    only(same()).or_else(|| only(same().filter(|table| table.is_visible)))
}

fn only<'t>(mut tables: impl Iterator<Item = &'t Arc<Table>>) -> Option<&'t Table> {
    let first = tables.next()?;
    tables.next().is_none().then_some(first)
}
