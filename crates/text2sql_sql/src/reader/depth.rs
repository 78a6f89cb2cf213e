//! Estimates the depth of a statement's tree from its tokens.
//!
//! The parser limits nesting, but not chains: `1 + 1 + …` deepens the tree
//! by one level for each operator, and printing, copying, comparing and freeing a tree are recursive.
//! Therefore the depth is limited before anything is parsed.
//!
//! The estimate must be an upper bound for every text that the parser accepts, and it accepts most words as
//! names: `a AND else AND else` is a chain. Therefore a word begins a new part only where it cannot be a name:
//! after a token that ends an operand.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// Levels added by a set operation: a query is deeper than an expression.
const SET_OPERATION_WEIGHT: usize = 2;

/// Nested chains: OR contains chains of AND, which contain all other chains.
#[derive(Default)]
struct Chain {
    ors: usize,
    ands: usize,
    operators: usize,
    /// The deepest group since the last AND or OR.
    inner: usize,
    /// The deepest member of the current chain of AND.
    deepest_of_and: usize,
    /// The deepest member of the current chain of OR.
    deepest_of_or: usize,
}

impl Chain {
    fn end_and_member(&mut self) {
        self.deepest_of_and = self.deepest_of_and.max(self.operators + self.inner);
        self.operators = 0;
        self.inner = 0;
    }

    fn end_or_member(&mut self) {
        self.end_and_member();
        self.deepest_of_or = self.deepest_of_or.max(self.ands + self.deepest_of_and);
        self.ands = 0;
        self.deepest_of_and = 0;
    }

    fn depth(mut self) -> usize {
        self.end_or_member();
        self.ors + self.deepest_of_or
    }
}

/// An open parenthesis, bracket, brace or CASE.
#[derive(Default)]
struct Level {
    /// Number of set operations so far: each adds a level.
    set_operations: usize,
    /// Number of joins without a condition so far: `a JOIN b JOIN c ON … ON …` nests.
    open_joins: usize,
    /// The maximum of `open_joins`.
    deepest_joins: usize,
    /// Whether the current join takes no condition, so that it does not nest.
    is_flat_join: bool,
    /// The current part.
    chain: Chain,
    /// The deepest part before the current one.
    deepest: usize,
    /// Whether it is closed by END.
    is_case: bool,
}

impl Level {
    fn end_part(&mut self) {
        let depth = std::mem::take(&mut self.chain).depth();
        self.deepest = self.deepest.max(depth);
    }

    fn end_select(&mut self) {
        self.end_part();
        self.open_joins = 0;
    }

    fn begin_join(&mut self) {
        self.end_part();
        if !std::mem::take(&mut self.is_flat_join) {
            self.open_joins += 1;
            self.deepest_joins = self.deepest_joins.max(self.open_joins);
        }
    }

    fn depth(mut self) -> usize {
        self.end_part();
        self.deepest + self.deepest_joins + SET_OPERATION_WEIGHT * self.set_operations
    }

    /// Counts an unquoted word. `is_behind_operand`: it cannot be a name.
    fn word(&mut self, keyword: Keyword, is_behind_operand: bool) {
        match keyword {
            keyword if is_mere_name(keyword) => {}
            Keyword::OR => {
                self.chain.end_or_member();
                self.chain.ors += 1;
            }
            Keyword::AND => {
                self.chain.end_and_member();
                self.chain.ands += 1;
            }
            // The parser treats MINUS as EXCEPT.
            Keyword::UNION | Keyword::INTERSECT | Keyword::EXCEPT | Keyword::MINUS => {
                if is_behind_operand {
                    self.end_select();
                }
                self.set_operations += 1;
            }
            Keyword::JOIN | Keyword::STRAIGHT_JOIN => self.begin_join(),
            Keyword::CROSS | Keyword::NATURAL => self.is_flat_join = is_behind_operand,
            Keyword::ON | Keyword::USING if is_behind_operand => {
                self.end_part();
                self.open_joins = self.open_joins.saturating_sub(1);
            }
            Keyword::WHERE | Keyword::GROUP | Keyword::HAVING | Keyword::ORDER | Keyword::LIMIT
                if is_behind_operand =>
            {
                self.end_select();
            }
            Keyword::SELECT | Keyword::FROM | Keyword::WHEN | Keyword::THEN | Keyword::ELSE
                if is_behind_operand =>
            {
                self.end_part();
            }
            _ => self.chain.operators += 1,
        }
    }
}

/// Words that the parser knows but that are not part of an operator.
fn is_mere_name(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::NoKeyword
            | Keyword::NULL
            | Keyword::TRUE
            | Keyword::FALSE
            | Keyword::NAME
            | Keyword::STATUS
            | Keyword::DATE
            | Keyword::VALUE
            | Keyword::TYPE
            | Keyword::ID
    )
}

/// An upper bound of the tree's depth.
pub(super) fn depth(tokens: &[TokenWithSpan]) -> usize {
    let mut open: Vec<Level> = Vec::new();
    let mut level = Level::default();
    let mut is_behind_operand = true;
    for token in tokens {
        let ends_operand = match &token.token {
            Token::Whitespace(_) | Token::EOF => continue,
            Token::LParen | Token::LBracket | Token::LBrace => {
                open.push(std::mem::take(&mut level));
                true
            }
            Token::RParen | Token::RBracket | Token::RBrace => {
                level = close(&mut open, level);
                true
            }
            Token::Comma | Token::SemiColon => {
                level.end_part();
                true
            }
            Token::Word(word) if word.quote_style.is_none() => match word.keyword {
                Keyword::CASE => {
                    open.push(std::mem::take(&mut level));
                    level.is_case = true;
                    true
                }
                Keyword::END if level.is_case => {
                    level = close(&mut open, level);
                    true
                }
                keyword => {
                    level.word(keyword, is_behind_operand);
                    is_mere_name(keyword)
                }
            },
            Token::Number(..)
            | Token::SingleQuotedString(_)
            | Token::EscapedStringLiteral(_)
            | Token::Placeholder(_)
            | Token::Word(_) => true,
            Token::Period => false,
            _ => {
                level.chain.operators += 1;
                false
            }
        };
        is_behind_operand = ends_operand;
    }
    while !open.is_empty() {
        level = close(&mut open, level);
    }
    level.depth()
}

/// Closes a group, which is one part of the enclosing group. A chain such as `a[1][2]` continues there.
fn close(open: &mut Vec<Level>, level: Level) -> Level {
    let depth = level.depth();
    let mut around = open.pop().unwrap_or_default();
    around.chain.inner = around.chain.inner.max(depth + 1);
    around.chain.operators += 1;
    around
}
