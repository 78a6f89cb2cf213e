//! No word that the parser knows makes a tree deeper than the reader counts: chains of every keyword, in every
//! place, are either refused or survive what is done to a tree on a stack of 2 MB.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails; it parses what was admitted"
)]

use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::keywords::ALL_KEYWORDS;
use sqlparser::parser::Parser;
use text2sql_domain::error::ErrorKind;
use text2sql_sql::reader as sql_reader;

/// Enough levels to overflow a stack of 2 MB if they were not bounded.
const REPEATS: usize = 4_000;

/// More than the bound on depth: what is too deep with as many is too deep with more, which is tried for one shape
/// of each keyword. Reading every long chain as well would take ten times as long.
const FEW: usize = 2 * sql_reader::MAX_DEPTH;

/// What stands before, what is repeated, what stands behind; `@` is the keyword.
const SHAPES: [(&str, &str, &str); 16] = [
    ("SELECT a", " @ a", ""),
    ("SELECT", " @", " a"),
    ("SELECT a", " @", ""),
    ("SELECT a", " NOT @ a", ""),
    ("SELECT a", " IS @ a", ""),
    ("SELECT a", " IS NOT @ FROM a", ""),
    ("SELECT a", " @ ALL SELECT a", ""),
    ("SELECT a", " @ SELECT a", ""),
    ("SELECT a", " @ 1", " FROM a"),
    ("SELECT * FROM a", " @ a", ""),
    ("SELECT * FROM a", " @ JOIN a", ""),
    ("SELECT * FROM a", " @ a ON a", ""),
    ("SELECT * FROM a WHERE", " @ a AND", " a"),
    ("SELECT a", " AND @", ""),
    ("", "@ ", "SELECT 1"),
    ("", "@ a ", ""),
];

#[test]
fn chains_of_every_keyword_end_within_the_stack() {
    let chains = std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(|| {
            let mut admitted = 0;
            for (number, keyword) in ALL_KEYWORDS.iter().enumerate() {
                for (shape, (before, repeated, behind)) in SHAPES.into_iter().enumerate() {
                    let repeated = repeated.replace('@', keyword);
                    let few = format!("{before}{}{behind}", repeated.repeat(FEW));
                    let is_too_deep = sql_reader::admit(&few)
                        .is_err_and(|error| error.kind() == ErrorKind::Complexity);
                    if is_too_deep && shape != number % SHAPES.len() {
                        continue;
                    }
                    let sql = format!("{before}{}{behind}", repeated.repeat(REPEATS));
                    // Short enough for the bounds on length, so that the bound on depth decides.
                    let sql = match sql.len() > sql_reader::MAX_BYTES {
                        true => format!(
                            "{before}{}{behind}",
                            repeated.repeat(60_000 / repeated.len())
                        ),
                        false => sql,
                    };
                    let admission = sql_reader::admit(&sql);
                    assert!(
                        !is_too_deep || admission.is_err(),
                        "only a short chain is too deep: {before}{repeated}…{behind}"
                    );
                    if admission.is_err() {
                        continue;
                    }
                    // Only the last line matters: an overflow ends the process.
                    eprintln!("{before}{repeated}…{behind}");
                    admitted += 1;
                    let parsed = Parser::new(&PostgreSqlDialect {})
                        .with_recursion_limit(50)
                        .try_with_sql(&sql)
                        .and_then(|mut parser| parser.parse_statements());
                    if let Ok(statements) = parsed {
                        let copy = statements.clone();
                        assert!(copy == statements);
                        statements
                            .iter()
                            .for_each(|statement| drop(statement.to_string()));
                    }
                }
            }
            admitted
        })
        .unwrap();
    let admitted = chains.join().unwrap();
    assert!(admitted > 100, "only {admitted} were tried");
}
