//! Conditions: what a query compares with, and what the question says of it.

use sqlparser::ast::{BinaryOperator, Expr, LimitClause};
use text2sql_domain::schema::quote_literal;
use text2sql_language::stated_periods::stated_periods;
use text2sql_language::terms::fold;
use text2sql_phrases::say;
use text2sql_sql::tree::Tree;
use text2sql_sql::tree::syntax::{constant_text, is_comparison, is_number, without_parentheses};

use crate::findings::constants::{is_taught, number_text, stands_for};
use crate::findings::said::{Asked, Said, Used, each_expression, is_year};

/// Words for which a column has 'M' or 'F'.
const SEXES: [&str; 12] = [
    "male", "female", "men", "women", "man", "woman", "boys", "girls", "manner", "frauen",
    "jungen", "madchen",
];

/// Minimum length of a value that counts as named.
const MIN_CHARS: usize = 3;

/// Numbers that convert units or cut texts, and those of codes for yes and no.
const COMMON: [f64; 9] = [0.0, 1.0, 7.0, 12.0, 24.0, 60.0, 100.0, 365.0, 1_000.0];

/// A stored value of the question that the query does not have.
pub(super) fn value_missing(
    tree: &Tree<'_>,
    used: &Used,
    said: &Said<'_>,
    asked: &Asked<'_>,
) -> Option<String> {
    let plain = said.question.plain_words();
    let has = |text: &str| {
        used.texts.iter().any(|own| {
            let own = own.trim_matches(['%', '_', ' ']);
            !own.is_empty() && (own.contains(text) || text.contains(own))
        })
    };
    let missing = asked.values.iter().find(|(phrase, _)| {
        let phrase = fold(phrase);
        let is_word = |word: &str| {
            plain.is_general(word) || plain.is_function(word) || said.is_name(tree, word)
        };
        let is_value = phrase.chars().count() >= MIN_CHARS
            && phrase.chars().any(char::is_alphabetic)
            && !phrase.split(|c: char| !c.is_alphanumeric()).all(is_word);
        let mut hits = asked.values.iter().filter(|(own, _)| fold(own) == phrase);
        is_value && !has(&phrase) && !hits.any(|(_, hit)| has(&fold(&hit.value)))
    });
    missing.map(|(phrase, _)| {
        say!(
            "the question names {value}, and the query does not",
            value = quote_literal(phrase)
        )
    })
}

/// A number of the question that the query does not have.
pub(super) fn number_missing(used: &Used, said: &Said<'_>) -> Option<String> {
    let mut numbers = said.question.numbers().iter();
    let missing = numbers.find(|number| {
        let is_used = |own: &f64| {
            [*own, own - 1.0, own + 1.0, own * 100.0, own / 100.0]
                .into_iter()
                .any(|own| number.matches(own))
        };
        number.is_plain() && !number.matches(1.0) && !used.numbers.iter().any(is_used)
    })?;
    let text = said
        .question
        .folded()
        .get(missing.start..)
        .unwrap_or_default();
    let text = number_text(text);
    Some(say!(
        "the question says {number}, and the query does not",
        number = text
    ))
}

/// One of several years of the question that the query does not have.
pub(super) fn year_missing(used: &Used, said: &Said<'_>) -> Option<String> {
    let words = said.question.words().iter();
    let years: Vec<&String> = words.filter(|word| is_year(word)).collect();
    let has = |year: f64| used.numbers.contains(&year);
    let missing = years.iter().find(|year| {
        // "To 2010" may be before the next.
        let is_used = |year: f64| has(year) || has(year + 1.0);
        !year.parse().is_ok_and(is_used)
    })?;
    (years.len() > 1).then(|| {
        say!(
            "the question says {number}, and the query does not",
            number = missing
        )
    })
}

/// A comparison with what the question does not say.
pub(super) fn constant_added(
    tree: &Tree<'_>,
    said: &Said<'_>,
    asked: &Asked<'_>,
) -> Option<String> {
    let has_period = !(asked.periods.is_empty()
        && said.question.periods().is_empty()
        && stated_periods(said.question).is_empty());
    // "Rustikal" is 'rustic': where the query finds rows, the model may know.
    let is_translated = said.question.written_language() != Some("en");
    let is_meant = |text: &str| {
        let is_in_question = match text.chars().count() < MIN_CHARS {
            true => is_code_of(said, text),
            false => said.says(text),
        };
        is_in_question
            || is_taught(asked, text)
            || asked
                .values
                .iter()
                .any(|(_, hit)| fold(&hit.value) == fold(text))
    };
    let is_stated = |number: f64| {
        let mut stated = said.question.numbers().iter();
        COMMON.contains(&number)
            || has_period && number.fract() == 0.0
            || stated.any(|stated| stands_for(stated, number))
    };
    // Which days they are is judged by the period.
    let has_days = has_period || said.question.words().iter().any(|word| is_year(word));
    let is_said = |constant: &Expr| match constant_text(constant) {
        Some(text) if text.starts_with(|c: char| c.is_ascii_digit()) => {
            has_days || is_meant(text) || text.parse().is_ok_and(is_stated)
        }
        Some(text) => is_translated || is_meant(text),
        None => {
            let text = without_parentheses(constant).to_string();
            text.parse().map_or(true, is_stated)
        }
    };
    let mut added = None;
    each_expression(tree, &mut |_, part| {
        let constants: Vec<&Expr> = match part {
            Expr::BinaryOp { left, op, right } if is_comparison(op) => {
                vec![left, right]
            }
            Expr::InList { list, .. } => list.iter().collect(),
            Expr::Between { low, high, .. } => vec![low, high],
            Expr::Like { pattern, .. } | Expr::ILike { pattern, .. } => vec![pattern],
            _ => return,
        };
        if added.is_none() && constants.into_iter().any(|constant| !is_said(constant)) {
            added = Some(part.to_string());
        }
    });
    let limits = tree
        .blocks
        .iter()
        .filter_map(|block| match &block.query?.limit_clause {
            Some(LimitClause::LimitOffset {
                limit: Some(limit), ..
            }) => Some(limit),
            _ => None,
        });
    for limit in limits {
        if added.is_none() && !is_said(limit) {
            added = Some(format!("LIMIT {limit}"));
        }
    }
    added.map(|condition| say!("the question says nothing of `{condition}`", condition))
}

/// `discontinued = 1`, of which the question says nothing: a code for yes is never said, its column is.
pub(super) fn code_added(tree: &Tree<'_>, said: &Said<'_>, asked: &Asked<'_>) -> Option<String> {
    let mut added = None;
    each_expression(tree, &mut |block, part| {
        let Expr::BinaryOp { left, op, right } = part else {
            return;
        };
        let is_code = |side: &Expr| is_number(side, "1");
        let column = match (is_code(left), is_code(right)) {
            (true, false) => right,
            (false, true) => left,
            _ => return,
        };
        let is_unsaid = tree.resolve(block, column).is_some_and(|reference| {
            let terms = said.analyzer.terms_of_name(&reference.column);
            let is_key = tree.column(&reference).is_some_and(|(table, column)| {
                table.primary_key.contains(&column.name) || !column.value_meanings.is_empty()
            });
            !is_key && !terms.iter().any(|term| said.has_term(term))
        });
        if added.is_none() && *op == BinaryOperator::Eq && is_unsaid && asked.definitions.is_empty()
        {
            added = Some(part.to_string());
        }
    });
    added.map(|condition| say!("the question says nothing of `{condition}`", condition))
}

/// A test for NULL on a column that the question does not name.
pub(super) fn null_added(tree: &Tree<'_>, said: &Said<'_>) -> Option<String> {
    let mut added = None;
    each_expression(tree, &mut |block, part| {
        let (Expr::IsNull(column) | Expr::IsNotNull(column)) = part else {
            return;
        };
        let is_named = tree.resolve(block, column).is_none_or(|reference| {
            let terms = said.analyzer.terms_of_name(&reference.column);
            let is_optional = tree.is_optional(reference.block, reference.source);
            is_optional || terms.iter().any(|term| said.has_term(term))
        });
        if added.is_none() && !is_named && matches!(part, Expr::IsNull(_)) {
            added = Some(part.to_string());
        }
    });
    added.map(|condition| say!("the question says nothing of `{condition}`", condition))
}

/// Whether a code of one or two letters may stand for a word of the question: it begins so, or says a sex. 'R' is in "are",
/// too, but is no code of it.
fn is_code_of(said: &Said<'_>, text: &str) -> bool {
    let code = fold(text);
    let code = code.trim_matches(|c: char| !c.is_alphanumeric());
    let is_sex = matches!(code, "m" | "f" | "w") && said.has_any(&SEXES);
    is_sex || said.words().iter().any(|word| word.starts_with(code))
}
