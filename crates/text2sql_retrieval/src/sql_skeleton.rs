//! The skeleton of a query: its SQL without literals and names, so that queries which differ only in
//! these are equal.
//!
//! Made of tokens and not of a parsed tree, so that text which cannot be parsed has a skeleton too.

use sqlparser::tokenizer::Token;
use text2sql_domain::words;

use text2sql_sql::reader as sql_reader;

/// The key words of a skeleton; every other word is a name. Sorted.
const SHAPE_WORDS: &[&str] = words!(
    "ALL, AND, ANY, AS, ASC, BETWEEN, BY, CASE, CROSS, DESC, DISTINCT, ELSE, END, EXCEPT, EXISTS, \
     FETCH, FILTER, FROM, FULL, GROUP, HAVING, ILIKE, IN, INNER, INTERSECT, INTERVAL, IS, JOIN, \
     LATERAL, LEFT, LIKE, LIMIT, NOT, NULL, OFFSET, ON, OR, ORDER, OUTER, OVER, PARTITION, \
     RECURSIVE, RIGHT, SELECT, SIMILAR, SOME, THEN, UNION, USING, VALUES, WHEN, WHERE, WITH"
);

/// The skeleton of a query: key words in upper case, functions by name, `_` for every name, `?` for
/// every literal. Lists of equal elements become one element. Empty for text that is not SQL.
pub fn skeleton(sql: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let tokens = tokens(sql);
    for (at, token) in tokens.iter().enumerate() {
        push(&mut words, token, tokens.get(at + 1));
    }
    words.join(" ")
}

/// The tokens without white space and comments; none for text that ends inside a quote or is too long.
fn tokens(sql: &str) -> Vec<Token> {
    let mut tokens = sql_reader::tokens(sql).unwrap_or_default();
    tokens.retain(|token| !matches!(token, Token::Whitespace(_)));
    tokens
}

fn push(words: &mut Vec<String>, token: &Token, next: Option<&Token>) {
    let word = match token {
        Token::Word(word) => {
            let upper = word.value.to_uppercase();
            let is_part_of_name = words.last().is_some_and(|before| before == ".");
            let is_function = next == Some(&Token::LParen);
            let is_shape = is_function || SHAPE_WORDS.binary_search(&upper.as_str()).is_ok();
            if word.quote_style.is_none() && !is_part_of_name && is_shape {
                upper
            } else {
                "_".to_owned()
            }
        }
        Token::Number(_, _)
        | Token::SingleQuotedString(_)
        | Token::EscapedStringLiteral(_)
        | Token::DollarQuotedString(_)
        | Token::NationalStringLiteral(_)
        | Token::HexStringLiteral(_)
        | Token::Placeholder(_) => "?".to_owned(),
        Token::SemiColon | Token::EOF => return,
        other => other.to_string(),
    };
    // `schema.table.column` is one name; `a, b, c` and `1, 2, 3` become one element.
    let is_item = word == "_" || word == "?";
    let before = words.len().checked_sub(2).and_then(|at| words.get(at));
    let mark = words.last().map(String::as_str);
    let repeats = match mark {
        Some(".") => is_item && before.is_some_and(|before| before == "_"),
        Some(",") => is_item && before == Some(&word),
        _ => false,
    };
    if repeats {
        words.pop();
    } else {
        words.push(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shape_words_are_sorted() {
        assert!(SHAPE_WORDS.is_sorted());
    }

    #[test]
    fn queries_that_differ_in_names_and_literals_are_equal() {
        let check = |sql: &str, expect: &str| assert_eq!(skeleton(sql), expect);
        check(
            "select c.country, count(*) from shop.customers c where c.status in ('A', 'B') \
             group by 1 order by 2 desc limit 5; -- top",
            "SELECT _ , COUNT ( * ) FROM _ _ WHERE _ IN ( ? ) GROUP BY ? ORDER BY ? DESC LIMIT ?",
        );
        check("SELECT a, b, c FROM t", "SELECT _ FROM _");
        assert_eq!(
            skeleton("SELECT \"Name\" FROM \"Film\" WHERE length > 100"),
            skeleton("SELECT title FROM album WHERE price > 9.99"),
        );
    }

    #[test]
    fn broken_text_has_a_skeleton_or_none() {
        assert_eq!(skeleton(""), "");
        assert_eq!(skeleton("SELECT FROM WHERE"), "SELECT FROM WHERE");
        assert_eq!(skeleton("SELECT 'open"), "");
    }
}
