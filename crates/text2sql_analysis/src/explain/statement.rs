//! From text to steps: limits, parsing, rejected statements, and the fallback if the parser does
//! not support a part of PostgreSQL's syntax.

use std::sync::Arc;
use text2sql_phrases::say;

use sqlparser::ast::{Query, Statement};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::narrator::{Narrator, unexplained};
use super::scope::Scope;
use super::{Step, changes};
use text2sql_domain::error::Error;
use text2sql_domain::schema::Table;
use text2sql_language::english::capitalise;
use text2sql_sql::reader as sql_reader;
use text2sql_sql::tree::parse::{
    keyword, makes_table, parse_tokens, read_tokens, refusal, refuse_other_statements, try_parse,
    words, writes,
};

/// Explains a statement.
pub(super) fn explain(sql: &str, tables: &[Arc<Table>]) -> Result<Vec<Step>, Error> {
    let tokens = read_tokens(sql)?;
    if let Some(steps) = change(&tokens, tables)? {
        return Ok(steps);
    }
    if let Some(query) = parse_tokens(&tokens)? {
        return Ok(explain_query(&query, tables));
    }
    let branches = split_branches(&tokens);
    let mut steps = Vec::new();
    for (operator, branch) in branches {
        if let Some(operator) = operator {
            steps.push(Step {
                explanation: combined(&operator),
                clause: operator,
            });
        }
        salvage(branch, tables, &mut steps)?;
    }
    Ok(steps)
}

/// Explains a statement that changes something; `None` if it only reads.
fn change(tokens: &[TokenWithSpan], tables: &[Arc<Table>]) -> Result<Option<Vec<Step>>, Error> {
    let refused = refuse_other_statements(tokens);
    if tokens.is_empty() || tokens.iter().any(|token| token.token == Token::SemiColon) {
        return refused.map(|()| None);
    }
    let statement = sql_reader::parse(tokens.to_vec())?
        .and_then(|statements| <[Statement; 1]>::try_from(statements).ok());
    let statement = match statement {
        Some([Statement::Query(query)]) if !writes(&query) && !makes_table(&query) => {
            return Ok(None);
        }
        Some([Statement::Query(query)]) if makes_table(&query) => {
            let mut steps = vec![Step {
                clause: "INTO".to_owned(),
                explanation: say!("Would create a table of the rows of this query."),
            }];
            steps.extend(explain_query(&query, tables));
            return Ok(Some(with_warning(steps)));
        }
        Some([statement]) => statement,
        // A query that the parser does not support is explained clause by clause.
        None if refused.is_ok() => return Ok(None),
        None => {
            return Err(refused
                .err()
                .unwrap_or_else(|| refusal("it cannot be read")));
        }
    };
    let mut narrator = Narrator::new(tables);
    narrator.change(&Scope::default(), &statement);
    Ok(Some(with_warning(narrator.steps)))
}

/// Adds a first step which states that nothing is run.
fn with_warning(steps: Vec<Step>) -> Vec<Step> {
    let first = Step {
        clause: "CHANGES".to_owned(),
        explanation: say!("This statement changes something. It is explained, and nothing is run."),
    };
    std::iter::once(first).chain(steps).collect()
}

/// A query that counts the rows currently affected by an UPDATE or DELETE.
pub(super) fn affected_rows(sql: &str) -> Option<String> {
    let tokens = read_tokens(sql).ok()?;
    let statements = sql_reader::parse(tokens).ok().flatten()?;
    let [statement] = <[Statement; 1]>::try_from(statements).ok()?;
    changes::affected_rows(&statement)
}

fn explain_query(query: &Query, tables: &[Arc<Table>]) -> Vec<Step> {
    let mut narrator = Narrator::new(tables);
    narrator.query(&Scope::default(), query);
    narrator.steps
}

/// Explains the supported clauses of a query that the parser does not support as a whole.
fn salvage(
    tokens: &[TokenWithSpan],
    tables: &[Arc<Table>],
    steps: &mut Vec<Step>,
) -> Result<(), Error> {
    if let Some(query) = parse_tokens(tokens)? {
        steps.extend(explain_query(&query, tables));
        return Ok(());
    }
    let clauses = split_clauses(tokens);
    let mut kept: Vec<TokenWithSpan> = Vec::new();
    let mut broken: Vec<&Clause<'_>> = Vec::new();
    for clause in &clauses {
        if try_parse(clause.alone())?.is_some() {
            kept.extend_from_slice(clause.tokens);
        } else {
            broken.push(clause);
            if clause.name == "SELECT" {
                kept.extend(words("SELECT *"));
            }
        }
    }
    if broken.len() == clauses.len() {
        return Err(refusal("could not read the statement as a SELECT"));
    }
    let Some(query) = parse_tokens(&kept)? else {
        steps.push(Step {
            clause: "SELECT".to_owned(),
            explanation: format!("{}.", capitalise(&unexplained(&text(tokens)))),
        });
        return Ok(());
    };
    let has_outputs = !broken.iter().any(|clause| clause.name == "SELECT");
    let mut explained: Vec<Step> = explain_query(&query, tables)
        .into_iter()
        .filter(|step| has_outputs || step.clause != "SELECT")
        .collect();
    for clause in broken {
        let step = Step {
            clause: clause.name.to_owned(),
            explanation: format!("{}.", capitalise(&unexplained(&text(clause.tokens)))),
        };
        let rank = reading_rank(clause.name);
        let position = explained
            .iter()
            .position(|other| reading_rank(&other.clause) > rank)
            .unwrap_or(explained.len());
        explained.insert(position, step);
    }
    steps.extend(explained);
    Ok(())
}

/// A clause at the top level of a query.
struct Clause<'t> {
    name: &'static str,
    tokens: &'t [TokenWithSpan],
}

impl Clause<'_> {
    /// The smallest statement with this clause, to check whether the parser supports it.
    fn alone(&self) -> Vec<TokenWithSpan> {
        let mut statement = Vec::new();
        match self.name {
            "SELECT" => statement.extend_from_slice(self.tokens),
            "WITH" => {
                statement.extend_from_slice(self.tokens);
                statement.extend(words("SELECT 1"));
            }
            _ => {
                statement.extend(words("SELECT 1"));
                statement.extend_from_slice(self.tokens);
            }
        }
        statement
    }
}

/// Position of a clause in reading order.
fn reading_rank(clause: &str) -> usize {
    const ORDER: [&str; 13] = [
        "WITH", "FROM", "JOIN", "WHERE", "GROUP BY", "HAVING", "WINDOW", "SELECT", "DISTINCT",
        "ORDER BY", "OFFSET", "LIMIT", "FETCH",
    ];
    // Steps of CTEs ("monthly: FROM") and joins ("LEFT JOIN") have the rank of their kind.
    if clause.contains(": ") || clause.starts_with("WITH") || clause.starts_with("sub-query") {
        return 0;
    }
    ORDER
        .iter()
        .position(|name| clause.ends_with(name) || clause.starts_with(name))
        .unwrap_or(ORDER.len())
}

/// Splits a query at its clauses, ignoring those in parentheses and brackets.
fn split_clauses(tokens: &[TokenWithSpan]) -> Vec<Clause<'_>> {
    let mut starts: Vec<(usize, &'static str)> = Vec::new();
    let mut depth = 0usize;
    for (position, token) in tokens.iter().enumerate() {
        depth = depth_after(depth, &token.token);
        let Token::Word(word) = &token.token else {
            continue;
        };
        if depth > 0 {
            continue;
        }
        let before = position
            .checked_sub(1)
            .and_then(|before| tokens.get(before))
            .map(|token| keyword(&token.token));
        let name = match word.keyword {
            Keyword::WITH if position == 0 => "WITH",
            Keyword::SELECT => "SELECT",
            // `IS DISTINCT FROM` is a comparison, `ROWS FROM` is a table.
            Keyword::FROM if !matches!(before, Some(Keyword::DISTINCT | Keyword::ROWS)) => "FROM",
            Keyword::WHERE => "WHERE",
            Keyword::GROUP => "GROUP BY",
            Keyword::HAVING => "HAVING",
            Keyword::WINDOW => "WINDOW",
            Keyword::ORDER => "ORDER BY",
            Keyword::LIMIT => "LIMIT",
            Keyword::OFFSET => "OFFSET",
            Keyword::FETCH => "FETCH",
            Keyword::FOR => "FOR UPDATE",
            _ => continue,
        };
        starts.push((position, name));
    }
    let ends: Vec<usize> = starts
        .iter()
        .skip(1)
        .map(|&(position, _)| position)
        .chain([tokens.len()])
        .collect();
    starts
        .into_iter()
        .zip(ends)
        .filter_map(|((start, name), end)| {
            let tokens = tokens.get(start..end)?;
            Some(Clause { name, tokens })
        })
        .collect()
}

/// Splits a query at its set operations, ignoring those in parentheses; each branch with its preceding operator.
fn split_branches(tokens: &[TokenWithSpan]) -> Vec<(Option<String>, &[TokenWithSpan])> {
    let mut branches = Vec::new();
    let mut start = 0;
    let mut operator: Option<String> = None;
    let mut depth = 0usize;
    for (position, token) in tokens.iter().enumerate() {
        depth = depth_after(depth, &token.token);
        let name = match keyword(&token.token) {
            _ if depth > 0 => continue,
            Keyword::UNION => "UNION",
            Keyword::INTERSECT => "INTERSECT",
            Keyword::EXCEPT => "EXCEPT",
            _ => continue,
        };
        branches.push((operator.take(), tokens.get(start..position).unwrap_or(&[])));
        start = position + 1;
        let follows = tokens.get(start).map(|token| keyword(&token.token));
        let is_all = follows == Some(Keyword::ALL);
        if is_all || follows == Some(Keyword::DISTINCT) {
            start += 1;
        }
        operator = Some(format!("{name}{}", if is_all { " ALL" } else { "" }));
    }
    branches.push((operator, tokens.get(start..).unwrap_or(&[])));
    branches
}

fn combined(operator: &str) -> String {
    match operator {
        "UNION" => say!("Add the rows that the following query gives, and remove duplicates."),
        "UNION ALL" => say!("Add the rows that the following query gives, duplicates included."),
        "INTERSECT" | "INTERSECT ALL" => {
            say!("Keep only the rows that the following query gives as well.")
        }
        _ => say!("Take away the rows that the following query gives."),
    }
}

fn depth_after(depth: usize, token: &Token) -> usize {
    match token {
        Token::LParen | Token::LBracket => depth + 1,
        Token::RParen | Token::RBracket => depth.saturating_sub(1),
        _ => depth,
    }
}

/// The text of tokens, separated by spaces.
fn text(tokens: &[TokenWithSpan]) -> String {
    let mut text = String::new();
    let mut is_glued = true;
    for token in tokens {
        let piece = token.token.to_string();
        let hugs = matches!(
            token.token,
            Token::Comma
                | Token::RParen
                | Token::RBracket
                | Token::LBracket
                | Token::Period
                | Token::DoubleColon
        );
        if !is_glued && !hugs {
            text.push(' ');
        }
        text.push_str(&piece);
        is_glued = matches!(
            token.token,
            Token::LParen | Token::LBracket | Token::Period | Token::DoubleColon
        );
    }
    text
}
