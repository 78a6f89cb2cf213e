//! A column whose name, without quotes, is a word for the role or the clock: the query reads these instead.

use sqlparser::ast::{Expr, FunctionArguments};
use text2sql_phrases::say;

use super::{Check, Finding};
use text2sql_domain::schema::quote_identifier;
use text2sql_domain::words;
use text2sql_sql::tree::walk::{expressions, walk};
use text2sql_sql::tree::{Rows, Tree};

/// Words that are functions without parentheses.
const FUNCTIONS: &[&str] = words!(
    "current_catalog, current_date, current_role, current_schema, current_time, \
     current_timestamp, current_user, localtime, localtimestamp, session_user, system_user, \
     user"
);

pub(super) fn check(tree: &Tree<'_>, found: &mut Vec<Finding>) {
    for block in &tree.blocks {
        for expression in expressions(block.select, block.query) {
            walk(expression, &mut |part| {
                let Some(word) = function_word(part) else {
                    return;
                };
                let owner = block.sources.iter().find_map(|source| match &source.rows {
                    Rows::Table(table) => table.column(&word).map(|_| table),
                    _ => None,
                });
                found.extend(owner.map(|table| {
                    let quoted = format!("\"{word}\"");
                    let column = format!("{}.{quoted}", table.sql_name());
                    Check::NameIsFunction.error(say!(
                        "`{word}` without quotes is a function of PostgreSQL; the column {column} is read with quotes.",
                        word,
                        column
                    ))
                    .with_fix(say!("write {quoted}", quoted))
                }));
            });
        }
    }
}

fn function_word(expression: &Expr) -> Option<String> {
    let word = match expression {
        Expr::Identifier(name) if name.quote_style.is_none() => name.value.to_lowercase(),
        Expr::Function(function) if matches!(function.args, FunctionArguments::None) => {
            function.name.to_string().to_lowercase()
        }
        _ => return None,
    };
    (FUNCTIONS.contains(&word.as_str()) && quote_identifier(&word) != word).then_some(word)
}
