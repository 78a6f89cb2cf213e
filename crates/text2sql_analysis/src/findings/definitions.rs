//! A term that owners have defined, and a query that has something else in its place.

use sqlparser::ast::{BinaryOperator, DateTimeField, Expr, GroupByExpr};
use sqlparser::tokenizer::Token;

use text2sql_domain::schema::{Definition, TableKind};
use text2sql_language::names::singular;
use text2sql_language::periods::defined::DefinedPeriod;
use text2sql_language::understanding::{Understanding, lower_words};
use text2sql_phrases::say;
use text2sql_sql::reader;
use text2sql_sql::tree::keys::meant_by;
use text2sql_sql::tree::syntax::{
    constant_text, fold, is_comparison, is_constant, read_call, without_parentheses,
};
use text2sql_sql::tree::walk::{expressions, walk};
use text2sql_sql::tree::{Tree, read_query};

use super::said::{Said, each_expression};
use super::{Check, Finding};

/// A term with a taught expression, of which the query lacks a column or a constant.
pub(super) fn find(
    tree: &Tree<'_>,
    sql: &str,
    question: &Understanding,
    definitions: &[Definition],
) -> Option<Finding> {
    // Each word may stand in the plural.
    let spaced = |words: &[String]| {
        let words = words.iter().map(|word| singular(word));
        format!(" {} ", words.collect::<Vec<_>>().join(" "))
    };
    let asked = spaced(question.words());
    let used = Written::of(sql)?;
    definitions.iter().find_map(|definition| {
        let expression = definition.sql_expression.as_deref()?;
        let words = std::iter::once(&definition.term).chain(&definition.synonyms);
        let is_asked = words
            .into_iter()
            .any(|term| asked.contains(&spaced(&lower_words(term))));
        let is_only = definitions
            .iter()
            .filter(|other| other.term == definition.term)
            .count()
            == 1;
        let mut sources = tree.blocks.iter().flat_map(|block| &block.sources);
        let is_read = sources.any(|source| {
            source.table().is_some_and(|table| {
                Some(table.oid) == definition.applies_to
                    && matches!(table.kind, TableKind::Table | TableKind::PartitionedTable)
            })
        });
        let is_plain = definition.query.is_none() && definition.joins.is_empty();
        if !is_asked || !is_only || !is_read || !is_plain {
            return None;
        }
        let own = Written::of(expression)?;
        let mut missing = own.names.iter().filter(|name| !used.names.contains(name));
        let mut constants = own
            .constants
            .iter()
            .filter(|text| !used.constants.contains(text));
        let mut numbers = own
            .numbers
            .iter()
            .filter(|number| !used.numbers.contains(number));
        let missing = missing
            .next()
            .or_else(|| constants.next())
            .cloned()
            .or_else(|| numbers.next().map(f64::to_string));
        let evidence = match missing {
            Some(missing) => say!(
                "'{term}' is defined as {expression}, and the query does not have {missing}.",
                term = definition.term,
                expression = expression.trim(),
                missing
            ),
            None => say!(
                "'{term}' is defined as {expression}, and the query has `{other}`.",
                term = definition.term,
                expression = expression.trim(),
                other = compared_otherwise(tree, question, expression)?
            ),
        };
        Some(
            Check::Definition
                .error(evidence)
                .with_fix(say!("use the definition")),
        )
    })
}

/// The names and the constants of a text of SQL.
struct Written {
    names: Vec<String>,
    constants: Vec<String>,
    numbers: Vec<f64>,
}

impl Written {
    fn of(sql: &str) -> Option<Self> {
        let tokens: Vec<Token> = reader::tokens(sql).ok()?;
        let tokens: Vec<Token> = tokens
            .into_iter()
            .filter(|token| !matches!(token, Token::Whitespace(_)))
            .collect();
        let mut written = Self {
            names: Vec::new(),
            constants: Vec::new(),
            numbers: Vec::new(),
        };
        for (place, token) in tokens.iter().enumerate() {
            match token {
                Token::Word(word) => {
                    let next = tokens.get(place + 1);
                    let is_name = word.quote_style.is_some()
                        || (word.keyword == sqlparser::keywords::Keyword::NoKeyword
                            && !matches!(next, Some(Token::LParen | Token::Period)));
                    if is_name {
                        written.names.push(word.value.to_lowercase());
                    }
                }
                Token::SingleQuotedString(text) => written.constants.push(text.clone()),
                Token::Number(digits, _) => written.numbers.extend(digits.parse::<f64>()),
                _ => {}
            }
        }
        Some(written)
    }
}

/// A comparison of two sides.
struct Comparison {
    left: String,
    op: BinaryOperator,
    right: String,
}

impl Comparison {
    /// A comparison of a column with another one or with a constant, its sides in order.
    fn of(part: &Expr, is_of_columns: bool) -> Option<Self> {
        let Expr::BinaryOp { left, op, right } = part else {
            return None;
        };
        if !is_comparison(op) {
            return None;
        }
        let (first, second) = (side(left)?, side(right)?);
        let are_columns = column(left).is_some() && column(right).is_some();
        let has_column = column(left).is_some() || column(right).is_some();
        if !has_column || (is_of_columns && !are_columns) {
            return None;
        }
        Some(match first <= second {
            true => Self {
                left: first,
                op: op.clone(),
                right: second,
            },
            false => Self {
                left: second,
                op: turned(op),
                right: first,
            },
        })
    }
}

/// The operator with its sides exchanged.
fn turned(op: &BinaryOperator) -> BinaryOperator {
    match op {
        BinaryOperator::Gt => BinaryOperator::Lt,
        BinaryOperator::Lt => BinaryOperator::Gt,
        BinaryOperator::GtEq => BinaryOperator::LtEq,
        BinaryOperator::LtEq => BinaryOperator::GtEq,
        other => other.clone(),
    }
}

/// The name of a column, without its table.
fn column(side: &Expr) -> Option<String> {
    match without_parentheses(side) {
        Expr::Identifier(name) => Some(fold(name)),
        Expr::CompoundIdentifier(names) => names.last().map(fold),
        Expr::Cast { expr, .. } => column(expr),
        _ => None,
    }
}

fn side(side: &Expr) -> Option<String> {
    column(side).or_else(|| is_constant(side).then(|| without_parentheses(side).to_string()))
}

/// A column moved by a constant: `promised_on + 1`.
fn moved(side: &Expr) -> Option<String> {
    match without_parentheses(side) {
        Expr::BinaryOp {
            left,
            op: BinaryOperator::Plus | BinaryOperator::Minus,
            right,
        } if is_constant(right) => column(left),
        _ => None,
    }
}

/// A comparison of the query of what the definition compares, in another direction or by more. A question that negates
/// the term, or says a number, has one of its own.
fn compared_otherwise(
    tree: &Tree<'_>,
    question: &Understanding,
    expression: &str,
) -> Option<String> {
    let said = Said::of(question);
    if said.is_negated() {
        return None;
    }
    let defined = read_query(&format!("SELECT {expression}"))?;
    let defined = Tree::read(&defined, &[]);
    let mut wanted: Vec<(Comparison, bool)> = Vec::new();
    for block in &defined.blocks {
        for part in expressions(block.select, block.query) {
            walk(part, &mut |part| {
                let are_columns = Comparison::of(part, true).is_some();
                wanted.extend(Comparison::of(part, false).map(|own| (own, are_columns)));
            });
        }
    }
    let mut compared: Vec<(Comparison, String)> = Vec::new();
    let mut by_more: Vec<(String, String, String)> = Vec::new();
    each_expression(tree, &mut |_, part| {
        if let Some(own) = Comparison::of(part, false) {
            compared.push((own, part.to_string()));
        }
        if let Expr::BinaryOp { left, op, right } = part
            && is_comparison(op)
        {
            for (plain, other) in [(left, right), (right, left)] {
                if let (Some(plain), Some(other)) = (column(plain), moved(other)) {
                    by_more.push((plain, other, part.to_string()));
                }
            }
        }
    });
    let says_amount = !question.numbers().is_empty() || !said.counts().is_empty();
    wanted.iter().find_map(|(wanted, are_columns)| {
        let is_of = |one: &str, other: &str| {
            (one == wanted.left && other == wanted.right)
                || (one == wanted.right && other == wanted.left)
        };
        let mut same = compared
            .iter()
            .filter(|(own, _)| own.left == wanted.left && own.right == wanted.right)
            .peekable();
        if same.peek().is_some() {
            let mut others = same.clone();
            return same
                .all(|(own, _)| own.op != wanted.op)
                .then(|| others.next().map(|(_, text)| text.clone()))?;
        }
        let mut moved = by_more.iter().filter(|_| *are_columns && !says_amount);
        let moved = moved.find(|(plain, other, _)| is_of(plain, other));
        moved.map(|(_, _, text)| text.clone())
    })
}

/// Groups of calendar years for a year that owners have defined to begin in another month.
pub(super) fn calendar_years(tree: &Tree<'_>, groups: &[(String, String)]) -> Option<Finding> {
    groups.iter().find_map(|(term, period)| {
        let Some(DefinedPeriod::Yearly(yearly)) = DefinedPeriod::read(period) else {
            return None;
        };
        let starts = yearly.starting_in(2024).start;
        if !yearly.is_whole_year() || (starts.month(), starts.day()) == (1, 1) {
            return None;
        }
        let mut blocks = tree.blocks.iter().enumerate();
        let group = blocks.find_map(|(position, block)| {
            let GroupByExpr::Expressions(groups, _) = &block.select.group_by else {
                return None;
            };
            let mut meant = groups
                .iter()
                .map(|group| meant_by(group, &block.select.projection));
            meant.find(|group| {
                year_of(group).is_some_and(|column| tree.resolve(position, column).is_some())
            })
        })?;
        Some(
            Check::Period
                .error(say!(
                    "'{term}' is defined as {period}, and `{group}` are calendar years.",
                    term,
                    period,
                    group
                ))
                .with_fix(say!("use the definition")),
        )
    })
}

/// What `extract(year FROM x)` and `date_trunc('year', x)` take the year of.
fn year_of(expression: &Expr) -> Option<&Expr> {
    match without_parentheses(expression) {
        Expr::Cast { expr, .. } => year_of(expr),
        Expr::Extract {
            field: DateTimeField::Year,
            expr,
            ..
        } => Some(expr),
        Expr::Function(function) => {
            let call = read_call(function);
            match (call.name.as_str(), call.arguments.as_slice()) {
                ("date_trunc" | "date_part", [unit, column]) => constant_text(unit)?
                    .eq_ignore_ascii_case("year")
                    .then_some(*column),
                _ => None,
            }
        }
        _ => None,
    }
}
