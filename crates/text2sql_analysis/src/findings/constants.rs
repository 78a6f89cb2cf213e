//! Constants of a query against those of the question: another value of the same column, another number, a condition
//! turned into its opposite, a value that the query does not have.

use std::sync::Arc;

use sqlparser::ast::{BinaryOperator, Expr};
use text2sql_domain::ports::search_index::ValueHit;
use text2sql_domain::schema::{Table, TypeCategory, quote_identifier, quote_literal};
use text2sql_language::numbers::Stated;
use text2sql_language::terms::{fold, is_function_word};
use text2sql_phrases::say;
use text2sql_sql::tree::syntax::{constant_text, is_comparison, is_constant, without_parentheses};
use text2sql_sql::tree::{Reference, Tree};

use super::said::{Asked, Said, Used, each_expression, tables_read};
use super::{Basis, Check, Finding, Probe, Severity, Verdict};

/// A column compared with a constant.
pub(super) struct Compared {
    pub(super) column: Reference,
    pub(super) text: String,
    pub(super) is_number: bool,
    pub(super) is_pattern: bool,
    pub(super) is_negated: bool,
    /// The comparison, as it is written.
    pub(super) shown: String,
}

/// Minimum length of a value that counts as named: shorter ones are codes or words of some language.
pub(super) const MIN_CHARS: usize = 3;

/// Constants of the query that the question does not have, where it has others.
pub(super) fn find(
    tree: &Tree<'_>,
    compared: &[Compared],
    used: &Used,
    said: &Said<'_>,
    asked: &Asked<'_>,
) -> Vec<Finding> {
    let mut found = Vec::new();
    found.extend(other_value(tree, compared, used, said, asked));
    found.extend(turned(tree, compared, used, said));
    found.extend(misplaced(tree, compared, said, asked));
    if found.is_empty() {
        found.extend(other_number(tree, used, said, asked));
    }
    found
}

pub(super) fn compared(tree: &Tree<'_>) -> Vec<Compared> {
    let mut all = Vec::new();
    each_expression(tree, &mut |block, part| {
        let (column, constants, is_negated, is_pattern): (&Expr, Vec<&Expr>, bool, bool) =
            match part {
                Expr::BinaryOp { left, op, right } => {
                    let is_negated = match op {
                        BinaryOperator::Eq => false,
                        BinaryOperator::NotEq => true,
                        _ => return,
                    };
                    match (is_constant(left), is_constant(right)) {
                        (false, true) => (&**left, vec![&**right], is_negated, false),
                        (true, false) => (&**right, vec![&**left], is_negated, false),
                        _ => return,
                    }
                }
                Expr::InList {
                    expr,
                    list,
                    negated,
                } => (&**expr, list.iter().collect(), *negated, false),
                Expr::Like {
                    negated,
                    expr,
                    pattern,
                    ..
                }
                | Expr::ILike {
                    negated,
                    expr,
                    pattern,
                    ..
                } => (&**expr, vec![&**pattern], *negated, true),
                _ => return,
            };
        let columns = tree.columns_in(block, column);
        let [reference] = columns.as_slice() else {
            return;
        };
        for constant in constants {
            let number = without_parentheses(constant).to_string();
            let text = constant_text(constant).map(str::to_owned);
            let is_number = text.is_none() && number.parse::<f64>().is_ok();
            if let Some(text) = text.or_else(|| is_number.then_some(number)) {
                all.push(Compared {
                    column: reference.clone(),
                    is_number,
                    text,
                    is_pattern,
                    is_negated,
                    shown: part.to_string(),
                });
            }
        }
    });
    all
}

/// The column of a reference that a hit of the question is in.
fn is_in(tree: &Tree<'_>, column: &Reference, hit: &ValueHit) -> bool {
    tree.column(column)
        .is_some_and(|(table, column)| table.oid == hit.table && column.number == hit.column)
}

/// Values of the question, each with its phrase, that are whole and no names of the schema.
pub(super) fn named<'a>(said: &Said<'_>, asked: &Asked<'a>) -> Vec<(String, &'a ValueHit)> {
    let whole = asked.values.iter().filter(|(phrase, hit)| {
        let phrase = fold(phrase);
        hit.similarity >= 1.0
            && phrase.chars().count() >= MIN_CHARS
            && fold(&hit.value) == phrase
            && said.question.folded().contains(&phrase)
            && phrase.chars().any(char::is_alphabetic)
    });
    whole.map(|(phrase, hit)| (fold(phrase), hit)).collect()
}

/// A comparison with a value that the question does not have, where it has another value of the same column, which the
/// query does not have.
fn other_value(
    tree: &Tree<'_>,
    compared: &[Compared],
    used: &Used,
    said: &Said<'_>,
    asked: &Asked<'_>,
) -> Option<Finding> {
    let named = named(said, asked);
    compared.iter().find_map(|one| {
        let (table, column) = tree.column(&one.column)?;
        let is_meant = said.says(&one.text)
            || asked.values.iter().any(|(_, hit)| hit.value == one.text)
            || is_taught(asked, &one.text)
            || column.value_meanings.iter().any(|(value, _)| *value == one.text);
        if one.is_negated || one.is_number || one.is_pattern || is_meant || !table.made_of.is_empty() {
            return None;
        }
        let (_, hit) = named.iter().find(|(phrase, hit)| {
            is_in(tree, &one.column, hit)
                && !used.texts.iter().any(|text| text.contains(phrase.as_str()))
        })?;
        Some(
            Check::Value.error(say!(
                "The question names {named}, a value of {column}, and the query has `{condition}` instead.",
                named = quote_literal(&hit.value),
                column = tree.label(&one.column),
                condition = one.shown
            ))
            .with_fix(quote_literal(&hit.value)),
        )
    })
}

pub(super) fn is_taught(asked: &Asked<'_>, text: &str) -> bool {
    asked.definitions.iter().any(|definition| {
        let expression = definition.sql_expression.as_deref().unwrap_or_default();
        expression.contains(text) || definition.meaning.contains(text)
    })
}

/// `<>` with a value that the question names, without a word that negates.
fn turned(tree: &Tree<'_>, compared: &[Compared], used: &Used, said: &Said<'_>) -> Option<Finding> {
    if said.is_negated() || !matches!(said.question.written_language(), Some("en" | "de")) {
        return None;
    }
    let is_kept = |one: &Compared| {
        compared
            .iter()
            .any(|other| !other.is_negated && fold(&other.text) == fold(&one.text))
    };
    let one = compared.iter().find(|one| {
        let text = fold(&one.text);
        let is_named = match (one.is_number, one.text.parse::<f64>()) {
            (true, Ok(value)) => {
                value > 1.0
                    && said
                        .question
                        .numbers()
                        .iter()
                        .any(|number| number.matches(value))
            }
            _ => {
                let is_code = one.text.chars().count() <= 2
                    && one.text.chars().all(char::is_uppercase)
                    && said
                        .question
                        .text()
                        .split(|c: char| !c.is_alphanumeric())
                        .skip(1)
                        .any(|word| word == one.text);
                (text.chars().count() >= MIN_CHARS || is_code)
                    && said.question.folded().contains(&text)
                    && used.texts.iter().filter(|other| **other == text).count() == 1
            }
        };
        one.is_negated && is_named && !is_kept(one)
    })?;
    Some(
        Check::Direction
            .error(say!(
                "The question asks for {value}, and `{condition}` leaves it out.",
                value = quote_literal(&one.text),
                condition = one.shown
            ))
            .with_fix(format!(
                "{} = {}",
                tree.label(&one.column),
                quote_literal(&one.text)
            )),
    )
}

/// Factors between units, and between a share and its percentage.
const FACTORS: [f64; 13] = [
    7.0,
    10.0,
    12.0,
    24.0,
    60.0,
    100.0,
    365.0,
    1_000.0,
    1_024.0,
    3_600.0,
    86_400.0,
    1_000_000.0,
    1.609,
];

/// Whether a number of the query can stand for one of the question: "more than 3" is 4 or more, and 5 % are 0.05.
pub(super) fn stands_for(stated: &Stated, own: f64) -> bool {
    [own, own - 1.0, own + 1.0, own * 100.0]
        .into_iter()
        .any(|own| stated.matches(own))
}

/// The word that a text begins with, with the points and commas of a number.
pub(super) fn number_text(text: &str) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | ',');
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let word = text.get(..end).unwrap_or_default();
    word.trim_end_matches(['.', ','])
}

pub(super) fn is_in_digits(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
}

/// A comparison of a column with a number that the question does not have, where the only number of the question is not
/// in the query.
fn other_number(
    tree: &Tree<'_>,
    used: &Used,
    said: &Said<'_>,
    asked: &Asked<'_>,
) -> Option<Finding> {
    if !asked.definitions.is_empty() {
        return None;
    }
    let stated = said.question.numbers();
    let is_in_query = |number: &&Stated| used.numbers.iter().any(|own| stands_for(number, *own));
    let unused: Vec<_> = stated
        .iter()
        .filter(|number| number.is_plain() && !number.matches(1.0) && !is_in_query(number))
        .collect();
    let [only] = unused.as_slice() else {
        return None;
    };
    let after = said.question.folded().get(only.start..).unwrap_or_default();
    let text = number_text(after);
    if text.is_empty()
        || !is_in_digits(text)
        || is_of_time(after.get(text.len()..).unwrap_or_default())
    {
        return None;
    }
    let mut unasked: Vec<(f64, String)> = Vec::new();
    let mut is_clear = true;
    each_expression(tree, &mut |block, part| {
        if let Expr::Between { low, high, .. } = part {
            is_clear &= is_number_said(low, said) && is_number_said(high, said);
        }
        if let Expr::InList { list, .. } = part {
            is_clear &= list.iter().all(|one| is_number_said(one, said));
        }
        let Expr::BinaryOp { left, op, right } = part else {
            return;
        };
        if !is_comparison(op) {
            return;
        }
        for (column, constant) in [(left, right), (right, left)] {
            let number = without_parentheses(constant)
                .to_string()
                .trim_matches('\'')
                .parse::<f64>();
            let Ok(number) = number else { continue };
            let is_asked = stated.iter().any(|stated| stands_for(stated, number));
            let holds_numbers = matches!(
                tree.category(block, column),
                Some(TypeCategory::Integer | TypeCategory::Number)
            );
            if number == 0.0 || number == 1.0 || is_asked {
                continue;
            }
            match holds_numbers {
                true if unasked.iter().any(|(known, _)| *known == number) => {}
                true => unasked.push((number, part.to_string())),
                false => is_clear = false,
            }
        }
    });
    let [(number, condition)] = unasked.as_slice() else {
        return None;
    };
    let is_converted = FACTORS
        .iter()
        .any(|factor| only.matches(number * factor) || only.matches(number / factor));
    // "The 90s" are from 1990 on.
    let ends = |long: &str, short: &str| long.ends_with(short);
    let digits = format!("{number}");
    let is_year = |number: f64| (1900.0..2100.0).contains(&number) && number.fract() == 0.0;
    let are_years = is_year(*number) && text.parse().is_ok_and(is_year);
    if !said.question.periods().is_empty() && !are_years {
        return None;
    }
    if !is_clear || is_converted || ends(&digits, text) || ends(text, &digits) {
        return None;
    }
    Some(Check::Value.error(say!(
        "The question says {number}, and the query has `{condition}` and no {number}.",
        number = text,
        condition
    )))
}

/// Units of time, by their beginnings, in English and German: 24 hours are a day.
const UNITS_OF_TIME: [&str; 18] = [
    "second", "minute", "hour", "day", "week", "month", "quarter", "year", "sekunde", "stunde",
    "tag", "woche", "monat", "quartal", "jahr", "uhr", "am", "pm",
];

pub(super) fn is_of_time(after: &str) -> bool {
    let rest = after.trim_start_matches([' ', '-', ':']);
    UNITS_OF_TIME.iter().any(|unit| rest.starts_with(unit))
}

/// Whether a constant is no number, or one that the question says.
fn is_number_said(constant: &Expr, said: &Said<'_>) -> bool {
    let text = without_parentheses(constant).to_string();
    text.parse::<f64>().map_or(true, |value| {
        said.question
            .numbers()
            .iter()
            .any(|number| number.matches(value))
    })
}

/// A value of the question compared with a column that does not hold it, where another column of the tables that are read
/// does.
fn misplaced(
    tree: &Tree<'_>,
    compared: &[Compared],
    said: &Said<'_>,
    asked: &Asked<'_>,
) -> Option<Finding> {
    let read: Vec<&Arc<Table>> = tables_read(tree).collect();
    let named = named(said, asked);
    compared.iter().find_map(|one| {
        let (table, column) = tree.column(&one.column)?;
        let text = fold(&one.text);
        let hits = || named.iter().filter(|(phrase, _)| *phrase == text);
        let is_text = column.category == TypeCategory::Text;
        if one.is_number
            || one.is_pattern
            || one.is_negated
            || !is_text
            || hits().any(|(_, hit)| is_in(tree, &one.column, hit))
        {
            return None;
        }
        let (owner, hit) = hits().find_map(|(_, hit)| {
            let owner = read.iter().find(|table| table.oid == hit.table)?;
            Some((owner, hit))
        })?;
        let holder = owner
            .columns
            .iter()
            .find(|column| column.number == hit.column)?;
        let (table, own) = (table.sql_name(), quote_identifier(&column.name));
        let evidence = say!(
            "{value} is a value of {holder}, and no row of {table} has it in {own}.",
            value = quote_literal(&one.text),
            holder = format!("{}.{}", owner.sql_name(), quote_identifier(&holder.name)),
            table,
            own
        );
        let nothing = Verdict {
            severity: Severity::Note,
            evidence: String::new(),
        };
        Some(
            Finding::new(Check::Value, Severity::Note, Basis::Possible, String::new())
                .with_fix(format!(
                    "{} = {}",
                    quote_identifier(&holder.name),
                    quote_literal(&one.text)
                ))
                .with_probe(Probe::Rows {
                    sql: format!(
                        "SELECT 1 FROM {table} WHERE {own} = {} LIMIT 1",
                        quote_literal(&one.text)
                    ),
                    found: nothing,
                    none: Some(Verdict {
                        severity: Severity::Error,
                        evidence,
                    }),
                }),
        )
    })
}

/// Columns by which owners set rows apart that do not count: a condition on them may be a habit.
const HABITS: [&str; 26] = [
    "status", "stat", "state", "type", "kind", "categori", "flag", "activ", "valid", "delet",
    "mode", "phase", "stage", "channel", "role", "level", "unit", "currenc", "languag", "local",
    "version", "class", "segment", "group", "flg", "cd",
];

/// A condition with a value that no word of the question can mean: all of them are said by the rest of the query.
pub(super) fn added(
    tree: &Tree<'_>,
    compared: &[Compared],
    used: &Used,
    said: &Said<'_>,
    asked: &Asked<'_>,
) -> Option<Finding> {
    if asked.is_instructed
        || !asked.definitions.is_empty()
        || said.question.written_language() != Some("en")
    {
        return None;
    }
    let one = compared.iter().find(|one| {
        let terms = said.analyzer.terms_of_name(&one.column.column);
        let is_habit = terms.iter().any(|term| HABITS.contains(&term.as_str()));
        let is_word = one.text.chars().filter(|c| c.is_alphabetic()).count() > 3;
        !one.is_number
            && !one.is_negated
            && !one.is_pattern
            && is_word
            && !is_habit
            && !said.says(&one.text)
    })?;
    let (_, column) = tree.column(&one.column)?;
    let is_hit = asked.values.iter().any(|(_, hit)| hit.value == one.text);
    let has_meaning = column
        .value_meanings
        .iter()
        .any(|(value, _)| *value == one.text);
    let mut names: Vec<String> = Vec::new();
    for source in tree.blocks.iter().flat_map(|block| &block.sources) {
        names.extend(source.table().map(|table| table.name.clone()));
        let synonyms = source.table().into_iter().flat_map(|table| &table.synonyms);
        names.extend(synonyms.cloned());
    }
    each_expression(tree, &mut |block, part| {
        if let Some(reference) = tree.resolve(block, part)
            && reference.column != one.column.column
        {
            names.push(reference.column);
        }
    });
    let terms: Vec<String> = names
        .iter()
        .flat_map(|name| said.analyzer.terms_of_name(name).to_vec())
        .chain(
            used.texts
                .iter()
                .filter(|text| **text != fold(&one.text))
                .flat_map(|text| said.analyzer.terms(text)),
        )
        .collect();
    let is_said = |word: &String| {
        let stem = said.analyzer.stem(word);
        is_function_word(word)
            || said.question.plain_words().is_function(word)
            || said.question.plain_words().is_general(word)
            || said.question.plain_words().is_number(word)
            || word.chars().all(|c| c.is_ascii_digit())
            || terms.contains(&stem)
    };
    (!is_hit && !has_meaning && said.words().iter().all(is_said)).then(|| {
        Check::Value.error(say!(
            "Nothing in the question asks for `{condition}`: all of its words are said by the rest of the query.",
            condition = one.shown
        ))
        .with_fix(say!("leave out the condition"))
    })
}
