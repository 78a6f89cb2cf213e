//! How deep a statement's tree can get, told from its tokens alone.
//!
//! The parser limits nesting, but `1 + 1 + …` deepens the tree by one level for each sign, and
//! printing, copying and freeing a tree are recursive: a long enough chain would end the whole
//! server. So depth is bounded before anything is parsed.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// Deepest tree read. Printing takes about 8 kB of stack a level in a debug build, less in a
/// release build, and a backend has 8 MB; people write conditions of dozens of parts, not hundreds.
pub(super) const MAX_DEPTH: usize = 500;

/// One open parenthesis, bracket or CASE.
#[derive(Default)]
struct Level {
    /// Set operations so far: each is a level above everything else.
    set_operations: usize,
    /// Tokens that can deepen the tree since the last comma or clause.
    operators: usize,
    /// The deepest group since then.
    inner: usize,
    /// The deepest part before that.
    deepest: usize,
    /// Whether END closes it.
    is_case: bool,
}

impl Level {
    fn end_part(&mut self) {
        self.deepest = self.deepest.max(self.operators + self.inner);
        self.operators = 0;
        self.inner = 0;
    }

    fn depth(mut self) -> usize {
        self.end_part();
        self.deepest + self.set_operations
    }
}

/// An upper bound of the depth of the tree.
pub(super) fn depth(tokens: &[TokenWithSpan]) -> usize {
    let mut open: Vec<Level> = Vec::new();
    let mut level = Level::default();
    for token in tokens {
        match &token.token {
            Token::LParen | Token::LBracket => open.push(std::mem::take(&mut level)),
            Token::RParen | Token::RBracket => level = close(&mut open, level),
            Token::Comma | Token::SemiColon => level.end_part(),
            Token::Word(word) if word.quote_style.is_none() => match word.keyword {
                Keyword::NoKeyword
                | Keyword::NULL
                | Keyword::TRUE
                | Keyword::FALSE
                | Keyword::NAME
                | Keyword::STATUS
                | Keyword::DATE
                | Keyword::VALUE
                | Keyword::TYPE
                | Keyword::ID => {}
                Keyword::CASE => {
                    open.push(std::mem::take(&mut level));
                    level.is_case = true;
                }
                Keyword::END if level.is_case => level = close(&mut open, level),
                Keyword::SELECT
                | Keyword::FROM
                | Keyword::WHERE
                | Keyword::GROUP
                | Keyword::HAVING
                | Keyword::ORDER
                | Keyword::LIMIT
                | Keyword::JOIN
                | Keyword::ON
                | Keyword::WHEN
                | Keyword::THEN
                | Keyword::ELSE => level.end_part(),
                Keyword::UNION | Keyword::INTERSECT | Keyword::EXCEPT => {
                    level.end_part();
                    level.set_operations += 1;
                }
                _ => level.operators += 1,
            },
            Token::Number(..)
            | Token::SingleQuotedString(_)
            | Token::EscapedStringLiteral(_)
            | Token::Period
            | Token::Placeholder(_)
            | Token::Word(_) => {}
            _ => level.operators += 1,
        }
    }
    while !open.is_empty() {
        level = close(&mut open, level);
    }
    level.depth()
}

/// Ends a group: it is one part of the group around it. A chain such as `a[1][2]` goes on there.
fn close(open: &mut Vec<Level>, level: Level) -> Level {
    let depth = level.depth();
    let mut around = open.pop().unwrap_or_default();
    around.inner = around.inner.max(depth + 1);
    around.operators += 1;
    around
}

#[cfg(test)]
mod tests {
    use sqlparser::dialect::PostgreSqlDialect;
    use sqlparser::tokenizer::Tokenizer;

    use super::*;

    #[test]
    fn bounds_the_depth_of_chains_and_groups() {
        let check = |sql: &str, expect: usize| {
            let mut tokens = Tokenizer::new(&PostgreSqlDialect {}, sql)
                .tokenize_with_location()
                .unwrap();
            tokens.retain(|token| !matches!(token.token, Token::Whitespace(_)));
            assert_eq!(depth(&tokens), expect, "{sql}");
        };
        check("SELECT a", 0);
        check("SELECT a + 1 + 2", 2);
        check("SELECT a + 1, b + 2 + 3 + 4, c", 3);
        check("SELECT (a + 1) + 1", 4);
        check("SELECT 1 UNION SELECT 2 UNION SELECT 3", 2);
        check("SELECT CASE WHEN a THEN 1 + 1 ELSE 2 END + 3", 4);
        check("SELECT a WHERE b IN (1, 2, 3, 4, 5, 6, 7, 8)", 3);
        check("SELECT ((((", 8);
        check("SELECT )))) + 1", 9);
    }
}
