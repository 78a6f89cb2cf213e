//! Constants of a query against those of the question: another value of the same column, another number, a condition
//! turned into its opposite, a value that the query does not have.

use std::sync::Arc;

use sqlparser::ast::{BinaryOperator, Expr, GroupByExpr};
use text2sql_domain::ports::search_index::ValueHit;
use text2sql_domain::schema::{Table, TableKind, TypeCategory, quote_identifier, quote_literal};
use text2sql_language::numbers::Stated;
use text2sql_language::terms::{fold, is_function_word};
use text2sql_language::understanding::Mark;
use text2sql_phrases::say;
use text2sql_sql::tree::keys::meant_by;
use text2sql_sql::tree::syntax::{constant_text, is_comparison, is_constant, without_parentheses};
use text2sql_sql::tree::{Reference, Rows, Tree};

use super::said::{Asked, Said, Used, each_expression, tables_read};
use super::{Basis, Check, Finding, Probe, Severity, Verdict};

/// A column compared with a constant.
struct Compared {
    column: Reference,
    text: String,
    is_number: bool,
    is_pattern: bool,
    is_negated: bool,
    /// The comparison, as it is written.
    shown: String,
}

/// Minimum length of a value that counts as named: shorter ones are codes or words of some language.
const MIN_CHARS: usize = 3;

pub(super) fn find(
    tree: &Tree<'_>,
    sql: &str,
    tables: &[Arc<Table>],
    said: &Said<'_>,
    asked: &Asked<'_>,
) -> Vec<Finding> {
    let Some(used) = Used::of(sql) else {
        return Vec::new();
    };
    let compared = compared(tree);
    let mut found = Vec::new();
    found.extend(other_value(tree, &compared, &used, said, asked));
    found.extend(turned(tree, &compared, &used, said));
    found.extend(misplaced(tree, &compared, said, asked));
    if found.is_empty() {
        found.extend(other_number(tree, &used, said, asked));
    }
    if found.is_empty() {
        found.extend(left_out(tree, tables, &compared, &used, said, asked));
        found.extend(added(tree, &compared, &used, said, asked));
    }
    found
}

fn compared(tree: &Tree<'_>) -> Vec<Compared> {
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
fn named<'a>(said: &Said<'_>, asked: &Asked<'a>) -> Vec<(String, &'a ValueHit)> {
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
            Finding::new(
                Check::Value,
                Severity::Error,
                Basis::Proved,
                say!(
                    "The question names {named}, a value of {column}, and the query has `{condition}` instead.",
                    named = quote_literal(&hit.value),
                    column = tree.label(&one.column),
                    condition = one.shown
                ),
            )
            .with_fix(quote_literal(&hit.value)),
        )
    })
}

fn is_taught(asked: &Asked<'_>, text: &str) -> bool {
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
        Finding::new(
            Check::Direction,
            Severity::Error,
            Basis::Proved,
            say!(
                "The question asks for {value}, and `{condition}` leaves it out.",
                value = quote_literal(&one.text),
                condition = one.shown
            ),
        )
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
fn stands_for(stated: &Stated, own: f64) -> bool {
    [own, own - 1.0, own + 1.0, own * 100.0]
        .into_iter()
        .any(|own| stated.matches(own))
}

/// The word that a text begins with, with the points and commas of a number.
fn number_text(text: &str) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | ',');
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let word = text.get(..end).unwrap_or_default();
    word.trim_end_matches(['.', ','])
}

fn is_in_digits(text: &str) -> bool {
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
    Some(Finding::new(
        Check::Value,
        Severity::Error,
        Basis::Proved,
        say!(
            "The question says {number}, and the query has `{condition}` and no {number}.",
            number = text,
            condition
        ),
    ))
}

/// Units of time, by their beginnings, in English and German: 24 hours are a day.
const UNITS_OF_TIME: [&str; 18] = [
    "second", "minute", "hour", "day", "week", "month", "quarter", "year", "sekunde", "stunde",
    "tag", "woche", "monat", "quartal", "jahr", "uhr", "am", "pm",
];

fn is_of_time(after: &str) -> bool {
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

/// Words before a number of things that are all there are: "the 50 states".
const ALL_OF: [&str; 9] = [
    "the", "these", "those", "all", "our", "its", "die", "alle", "unsere",
];

/// A value or a number of the question that no constant of the query has, where the query has none that could stand for
/// it in other words.
fn left_out(
    tree: &Tree<'_>,
    tables: &[Arc<Table>],
    compared: &[Compared],
    used: &Used,
    said: &Said<'_>,
    asked: &Asked<'_>,
) -> Option<Finding> {
    let sources = || tree.blocks.iter().flat_map(|block| &block.sources);
    let are_tables = sources().all(|source| match source.table() {
        Some(table) => {
            matches!(table.kind, TableKind::Table | TableKind::PartitionedTable)
                && table.made_of.is_empty()
        }
        None => matches!(source.rows, Rows::Result(_)),
    });
    let states = |number: f64| {
        said.question.numbers().iter().any(|stated| {
            [number, number - 1.0, number + 1.0]
                .into_iter()
                .any(|number| stated.matches(number))
        })
    };
    let all_asked = compared.iter().all(|one| match one.is_number {
        true => one
            .text
            .parse()
            .is_ok_and(|number| number == 0.0 || number == 1.0 || states(number)),
        false => said.says(&one.text),
    }) && used.texts.iter().all(|text| said.says(text))
        && used
            .numbers
            .iter()
            .all(|number| *number == 0.0 || *number == 1.0 || states(*number) || *number < 5.0);
    if !are_tables {
        return None;
    }
    let is_clear = all_asked && asked.definitions.is_empty();
    value_left_out(tree, tables, compared, used, said, asked, is_clear)
        .or_else(|| is_clear.then(|| number_left_out(tree, used, said))?)
}

/// Maximum number of foreign keys from a table that the query reads to one that holds a value.
const MAX_STEPS: usize = 2;

/// The tables that a query reads, and those to which foreign keys lead from them.
fn tables_near(tree: &Tree<'_>, tables: &[Arc<Table>]) -> Vec<u32> {
    let mut near: Vec<u32> = tables_read(tree).map(|table| table.oid).collect();
    for _ in 0..MAX_STEPS {
        let keys = tables
            .iter()
            .filter(|table| near.contains(&table.oid))
            .flat_map(|table| &table.foreign_keys);
        let targets: Vec<u32> = keys.map(|key| key.target).collect();
        near.extend(targets);
    }
    near
}

/// Whether a constant that the question does not have may stand for the row with the value: it is compared with another
/// column of that table, or with a column that refers to it. "Österreich" is 'Austria', or 'AT'.
fn may_be_the_same(tree: &Tree<'_>, one: &Compared, hit: &ValueHit, said: &Said<'_>) -> bool {
    let Some((table, column)) = tree.column(&one.column) else {
        return true;
    };
    let refers = table
        .foreign_keys
        .iter()
        .any(|key| key.target == hit.table && key.columns.contains(&column.name));
    let is_of_the_row = table.oid == hit.table && column.number != hit.column;
    !said.says(&one.text) && (refers || is_of_the_row)
}

/// A value that no constant of the query has. Where it is set apart as one and a single column holds it, nothing else can
/// be meant; else the query must have nothing that could stand for it, `is_clear`, and show no column that holds it.
fn value_left_out(
    tree: &Tree<'_>,
    tables: &[Arc<Table>],
    compared: &[Compared],
    used: &Used,
    said: &Said<'_>,
    asked: &Asked<'_>,
    is_clear: bool,
) -> Option<Finding> {
    let read: Vec<&Arc<Table>> = tables_read(tree).collect();
    let mut columns: Vec<(u32, i16)> = Vec::new();
    each_expression(tree, &mut |block, part| {
        let column = tree.resolve(block, part);
        let origin = column.as_ref().and_then(|column| tree.column(column));
        columns.extend(origin.map(|(table, column)| (table.oid, column.number)));
    });
    // A group for each value has one for that of the question.
    let mut grouped: Vec<(u32, i16)> = Vec::new();
    for (position, block) in tree.blocks.iter().enumerate() {
        if let GroupByExpr::Expressions(groups, _) = &block.select.group_by {
            let groups = groups
                .iter()
                .map(|group| meant_by(group, &block.select.projection));
            for column in groups.flat_map(|group| tree.columns_in(position, group)) {
                let origin = tree.column(&column);
                grouped.extend(origin.map(|(table, column)| (table.oid, column.number)));
            }
        }
    }
    let plain = said.question.plain_words();
    let is_plain = |word: &str| plain.is_general(word) || plain.is_function(word);
    let near = tables_near(tree, tables);
    let named = named(said, asked);
    named.iter().find_map(|(phrase, hit)| {
        let is_set_apart = said
            .question
            .phrases()
            .iter()
            .any(|spoken| spoken.mark != Mark::None && fold(&spoken.text) == *phrase);
        let all = || named.iter().filter(|(own, _)| own == phrase);
        let is_used = used.texts.iter().any(|text| {
            text.contains(phrase.as_str())
                || (text.chars().count() >= MIN_CHARS && phrase.contains(text.as_str()))
        });
        // "Steven Buchanan", of whom the query has the family name.
        let is_part = used.texts.iter().any(|text| {
            let folded = said.question.folded();
            folded.contains(&format!("{phrase} {text}"))
                || folded.contains(&format!("{text} {phrase}"))
        });
        let terms = said.analyzer.terms(phrase);
        let is_name = read.iter().any(|table| {
            let columns = table.columns.iter().map(|column| &column.name);
            std::iter::once(&table.name).chain(columns).any(|name| {
                let name = said.analyzer.terms_of_name(name);
                terms.iter().all(|term| name.contains(term))
            })
        });
        let is_alone = all().all(|(_, other)| (other.table, other.column) == (hit.table, hit.column))
            && !grouped.contains(&(hit.table, hit.column))
            && !is_taught(asked, &hit.value)
            && !compared
                .iter()
                .any(|one| may_be_the_same(tree, one, hit, said));
        let shows = |hit: &ValueHit| columns.contains(&(hit.table, hit.column));
        let is_read = || read.iter().any(|table| table.oid == hit.table);
        let is_unshown = is_clear && is_read() && !all().any(|(_, hit)| shows(hit));
        let owner = tables
            .iter()
            .find(|table| table.oid == hit.table && near.contains(&table.oid))?;
        let column = owner
            .columns
            .iter()
            .find(|column| column.number == hit.column)?;
        // A word that is not set apart: several rows have it, as a kind, and it names nothing. A track is called "Belong".
        let is_kind = || {
            let statistics = column.statistics.as_ref();
            let is_common = statistics.is_some_and(|facts| {
                facts.most_common_values.contains(&hit.value)
            });
            let mut names = tables.iter().flat_map(|table| {
                let columns = table.columns.iter().map(|column| &column.name);
                std::iter::once(&table.name).chain(columns).chain(&table.synonyms)
            });
            let mut words = phrase.split(|c: char| !c.is_alphanumeric());
            phrase.chars().count() > MIN_CHARS
                && is_common
                && !words.any(is_plain)
                && !names.any(|name| {
                    let name = said.analyzer.terms_of_name(name);
                    terms.iter().any(|term| name.contains(term))
                })
        };
        let is_meant = match is_set_apart {
            true => is_alone || is_unshown,
            false => is_alone && is_unshown && is_kind(),
        };
        let is_whole = (owner.columns.len() > 1 || read.len() > 1) && !terms.is_empty();
        (is_whole && !is_used && !is_part && !is_name && is_meant).then(|| {
            Finding::new(
                Check::LeftOut,
                Severity::Error,
                Basis::Proved,
                say!(
                    "The question names {value}, a value of {column}, and the query has no condition with it.",
                    value = quote_literal(&hit.value),
                    column = format!("{}.{}", owner.sql_name(), quote_identifier(&column.name))
                ),
            )
            .with_fix(format!(
                "{} = {}",
                quote_identifier(&column.name),
                quote_literal(&hit.value)
            ))
        })
    })
}

/// A number that is compared, or stands behind the name of what it is a number of: "order 4711", not "case 17: …".
fn number_left_out(tree: &Tree<'_>, used: &Used, said: &Said<'_>) -> Option<Finding> {
    let folded = said.question.folded();
    let has_constants = !used.texts.is_empty() || used.numbers.iter().any(|number| *number > 1.0);
    // A number of minutes may stand there as seconds or as an interval, but not as nothing.
    let has_any = !used.texts.is_empty() || !used.numbers.is_empty();
    said.question.numbers().iter().find_map(|number| {
        let after = folded.get(number.start..).unwrap_or_default();
        let text = number_text(after);
        let before = folded.get(..number.start).unwrap_or_default();
        let before =
            before.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '$' | '€' | '£'));
        let word = before
            .rsplit(|c: char| !c.is_alphanumeric())
            .next()
            .unwrap_or_default();
        // "18 years old" is an age.
        let rest = after.get(text.len()..).unwrap_or_default();
        let is_age = [" years old", " year old", " jahre alt"]
            .iter()
            .any(|age| rest.starts_with(age));
        let is_compared = is_age
            || super::directions::is_compared(before)
            || (word == "and"
                && folded
                    .get(..number.start)
                    .is_some_and(|before| before.contains("between ")));
        let is_small = [0.0, 1.0].into_iter().any(|few| number.matches(few))
            || (number.matches(2.0) && !is_compared);
        // Where years are compared as numbers, so is the other one.
        let compares_years = used
            .numbers
            .iter()
            .any(|number| (1900.0..2100.0).contains(number))
            && used.texts.is_empty();
        let mut periods = said.question.periods().iter();
        let is_of_period =
            !compares_years && periods.any(|period| fold(&period.text).contains(text));
        let is_used = used.numbers.iter().any(|own| stands_for(number, *own));
        let is_span = has_any && is_of_time(rest);
        let is_clear = number.is_plain()
            && is_in_digits(text)
            && !is_small
            && !is_used
            && !is_of_period
            && !is_span
            && !ALL_OF.contains(&word)
            && (is_compared || (!has_constants && (word == "id" || said.is_name(tree, word))));
        is_clear.then(|| {
            Finding::new(
                Check::LeftOut,
                Severity::Error,
                Basis::Proved,
                say!(
                    "The question says {number}, and nothing of the query compares with it.",
                    number = text
                ),
            )
        })
    })
}

/// Columns by which owners set rows apart that do not count: a condition on them may be a habit.
const HABITS: [&str; 26] = [
    "status", "stat", "state", "type", "kind", "categori", "flag", "activ", "valid", "delet",
    "mode", "phase", "stage", "channel", "role", "level", "unit", "currenc", "languag", "local",
    "version", "class", "segment", "group", "flg", "cd",
];

/// A condition with a value that no word of the question can mean: all of them are said by the rest of the query.
fn added(
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
        Finding::new(
            Check::Value,
            Severity::Error,
            Basis::Proved,
            say!(
                "Nothing in the question asks for `{condition}`: all of its words are said by the rest of the query.",
                condition = one.shown
            ),
        )
        .with_fix(say!("leave out the condition"))
    })
}
