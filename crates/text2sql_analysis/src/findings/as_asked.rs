//! What a question says for certain, against its query: a period, a taught definition, an amount with its unit, and what
//! is to be counted.

use std::sync::Arc;

use jiff::civil::Date;
use sqlparser::ast::{Expr, OrderByKind};

use super::date_ranges::{Days, Kept, days_in_words, kept};
use super::directions;
use super::orders::is_descending;
use super::said::{Asked, Said, Used, is_year};
use super::units::{unit_of_column, unit_of_word};
use super::{
    Basis, Check, Finding, Severity, constants, copies, cuts, definitions, grouping, left_out,
    named, orders, parts, sameness, units, years,
};
use text2sql_domain::schema::{Definition, Table, TableKind, TypeCategory};
use text2sql_domain::sql_result::{Cell, Execution};
use text2sql_language::calendar::{parse_date, plus_days, plus_months};
use text2sql_language::periods::mentioned::MentionedPeriod;
use text2sql_language::understanding::{Understanding, lower_words};
use text2sql_phrases::say;
use text2sql_sql::tree::keys::meant_by;
use text2sql_sql::tree::syntax::{is_comparison, without_parentheses};
use text2sql_sql::tree::walk::{expressions, output_of, walk};
use text2sql_sql::tree::{Place, Tree, aggregates, parse};

/// Faults of a query for a question, with what it gave, if it ran. None where the parser does not support its syntax.
pub fn find_asked(
    sql: &str,
    tables: &[Arc<Table>],
    asked: &Asked<'_>,
    execution: Option<&Execution>,
) -> Vec<Finding> {
    let Ok(Some(query)) = parse(sql) else {
        return Vec::new();
    };
    let alone = asked.understanding.without_notes();
    let question = alone.as_ref().unwrap_or(asked.understanding);
    let tree = Tree::read(&query, tables);
    let mut found = Vec::new();
    found.extend(period(&tree, sql, question, asked));
    found.extend(definitions::find(&tree, sql, question, asked.definitions));
    found.extend(directions::find(&tree, sql, question));
    found.extend(amounts(&tree, question));
    found.extend(units::asked_in(&tree, question.words()));
    found.extend(definitions::calendar_years(&tree, asked.groups));
    let said = Said::of(question);
    found.extend(copies::find(&tree, tables, &said, asked.values));
    found.extend(years::find(&tree, sql, &said, asked));
    found.extend(compared_constants(&tree, sql, tables, &said, asked));
    found.extend(orders::find(&tree, sql, &said, execution));
    found.extend(named::find(&tree, sql, tables, &said));
    found.extend(sameness::find(&tree, &said, execution));
    found.extend(grouping::find(&tree, sql, tables, &said, execution));
    found.extend(cuts::find(&tree, &said));
    found.extend(parts::find(&tree, tables, &said, asked));
    found.extend(execution.and_then(|execution| not_a_number(&tree, execution)));
    found
}

/// What the constants of the query say about the question: others than its own, and where there are none of those, what
/// was left out or added.
fn compared_constants(
    tree: &Tree<'_>,
    sql: &str,
    tables: &[Arc<Table>],
    said: &Said<'_>,
    asked: &Asked<'_>,
) -> Vec<Finding> {
    let Some(used) = Used::of(sql) else {
        return Vec::new();
    };
    let compared = constants::compared(tree);
    let mut found = constants::find(tree, &compared, &used, said, asked);
    if found.is_empty() {
        found.extend(left_out::find(tree, tables, &compared, &used, said, asked));
        found.extend(constants::added(tree, &compared, &used, said, asked));
    }
    found
}

/// A sum, an average or a maximum that is NaN, because a row of many is; and NaN before every number, in falling order.
fn not_a_number(tree: &Tree<'_>, execution: &Execution) -> Option<Finding> {
    let is_nan = |cell: &Cell| cell.text.as_deref() == Some("NaN");
    execution.rows.iter().flatten().find(|cell| is_nan(cell))?;
    let top = tree.blocks.iter().find(|block| block.place == Place::Top)?;
    let finding = |evidence: String| {
        Finding::new(Check::Aggregate, Severity::Error, Basis::Measured, evidence)
            .with_fix(say!("leave out the rows with NaN"))
    };
    let calls = aggregates(top.select, top.query);
    let call = calls
        .iter()
        .find(|call| matches!(call.name.as_str(), "sum" | "avg" | "max"));
    if let Some(call) = call {
        return Some(finding(say!(
            "{call} is NaN, because some of its rows are: it says nothing of the others.",
            call = call.call
        )));
    }
    let order = top.query.and_then(|query| query.order_by.as_ref());
    let Some(OrderByKind::Expressions(items)) = order.map(|order| &order.kind) else {
        return None;
    };
    let first = items.first()?;
    let meant = meant_by(&first.expr, &top.select.projection);
    let mut outputs = top.select.projection.iter().map(output_of);
    let at = outputs.position(|output| output == Some(meant));
    let leads = execution.rows.first()?.get(at?).is_some_and(is_nan);
    (leads && is_descending(&first.options)).then(|| {
        finding(say!(
            "NaN is above every number, so `ORDER BY {order}` begins with rows that have none.",
            order = first.to_string()
        ))
    })
}

/// Words that compare periods, that count up to a day, or that say that a year is of another kind.
const OTHER_PERIODS: [&str; 29] = [
    "due",
    "overdue",
    "expired",
    "fällig",
    "überfällig",
    "compared",
    "compare",
    "versus",
    "vs",
    "than",
    "growth",
    "change",
    "changed",
    "difference",
    "previous",
    "prior",
    "fiscal",
    "fy",
    "financial",
    "season",
    "model",
    "academic",
    "school",
    "each",
    "per",
    "every",
    "by",
    "gegenüber",
    "geschäftsjahr",
];

/// Words before a year that make it the period of the question.
const IN_YEAR: [&str; 11] = [
    "in", "of", "for", "during", "year", "im", "von", "jahr", "en", "année", "año",
];
const SINCE_YEAR: [&str; 4] = ["since", "seit", "desde", "depuis"];
const BEFORE_YEAR: [&str; 4] = ["before", "vor", "avant", "antes"];
const AFTER_YEAR: [&str; 3] = ["after", "nach", "después"];

/// Words before a period with which it is a bound, and those between them.
const BOUNDS: [&str; 11] = [
    "until", "till", "through", "by", "from", "between", "and", "to", "bis", "ab", "zwischen",
];
const ARTICLES: [&str; 9] = [
    "the", "this", "our", "der", "die", "das", "dem", "den", "diesem",
];

/// The only period of the question, with its words: one that owners have defined, a year by itself, or days counted
/// from today.
fn stated_period(
    question: &Understanding,
    worked_out: &[MentionedPeriod],
) -> Option<(String, Days)> {
    let words = question.words();
    let years: Vec<usize> = (0..words.len())
        .filter(|place| words.get(*place).is_some_and(|word| is_year(word)))
        .collect();
    let day = |text: &Option<String>| text.as_deref().and_then(parse_date);
    if let [only] = worked_out
        && only.means.is_some()
    {
        // "Fiscal year 2025" has one reading; "2024 and fiscal year 2025" is not read here.
        let own = lower_words(&only.text);
        let mut others = words.iter().filter(|word| !own.contains(word));
        let is_alone = others.all(|word| !is_year(word) && !OTHER_PERIODS.contains(&word.as_str()));
        let place = words
            .windows(own.len().max(1))
            .position(|words| words == own)?;
        let mut before = words.get(..place)?.iter().rev().map(String::as_str);
        let before = before.find(|word| !ARTICLES.contains(word));
        let (from, until) = (day(&only.from), day(&only.before));
        let days = match before {
            Some(word) if BEFORE_YEAR.contains(&word) => (None, from),
            Some(word) if SINCE_YEAR.contains(&word) => (from, None),
            Some(word) if AFTER_YEAR.contains(&word) => (until, None),
            Some(word) if BOUNDS.contains(&word) => return None,
            _ => (from, until),
        };
        return is_alone.then(|| (only.text.clone(), days));
    }
    if let Some(between) = between_years(question, &years) {
        return Some(between);
    }
    if words
        .iter()
        .any(|word| OTHER_PERIODS.contains(&word.as_str()))
    {
        return None;
    }
    match (years.as_slice(), question.periods()) {
        ([], [only]) => Some((only.text.clone(), (day(&only.from), day(&only.before)))),
        ([place], []) => {
            let word_at = |back: usize| words.get(place.checked_sub(back)?).map(String::as_str);
            let year: i16 = words.get(*place)?.parse().ok()?;
            let (reach, first, months) = match word_at(1).and_then(month_of) {
                Some(month) => (2, Date::new(year, month, 1).ok()?, 1),
                None => (1, Date::new(year, 1, 1).ok()?, 12),
            };
            let next = plus_months(first, months);
            let before = word_at(reach)?;
            // A day, or a part of the year, beside it makes it another period.
            let has_digits = |word: &str| word.chars().any(|c| c.is_ascii_digit());
            let after = words.get(place + 1).map(String::as_str);
            let is_whole = !after.is_some_and(has_digits)
                && word_at(reach + 1)
                    .is_none_or(|word| !has_digits(word) && !PARTS.contains(&word));
            let days = match before {
                _ if !is_whole => return None,
                word if IN_YEAR.contains(&word) => (Some(first), Some(next)),
                word if SINCE_YEAR.contains(&word) => (Some(first), None),
                word if BEFORE_YEAR.contains(&word) => (None, Some(first)),
                word if AFTER_YEAR.contains(&word) => (Some(next), None),
                _ => return None,
            };
            let text = question.as_written(place.checked_sub(reach)?..place + 1);
            Some((text, days))
        }
        _ => None,
    }
}

/// "Between 1998 and 2002", "from 1998 to 2002": the first year up to the end of the last one.
fn between_years(question: &Understanding, years: &[usize]) -> Option<(String, Days)> {
    let words = question.words();
    let [first, last] = *years else {
        return None;
    };
    let word = |place: Option<usize>| words.get(place?).map(String::as_str);
    let link = (word(first.checked_sub(1)), word(first.checked_add(1)));
    let is_range = matches!(
        link,
        (Some("between"), Some("and"))
            | (Some("from"), Some("to" | "until" | "through"))
            | (Some("zwischen"), Some("und"))
            | (Some("von"), Some("bis"))
    );
    if !is_range || last != first + 2 || !question.periods().is_empty() {
        return None;
    }
    let year = |place: usize| words.get(place)?.parse::<i16>().ok();
    let from = Date::new(year(first)?, 1, 1).ok()?;
    let until = Date::new(year(last)?, 1, 1).ok()?;
    let text = question.as_written(first - 1..last + 1);
    Some((text, (Some(from), Some(plus_months(until, 12)))))
}

/// Words before a year or a month that make it a part of it.
const PARTS: [&str; 14] = [
    "first", "second", "third", "fourth", "last", "end", "half", "quarter", "spring", "summer",
    "fall", "autumn", "winter", "semester",
];

/// The number of a month, by its name in English or German.
fn month_of(word: &str) -> Option<i8> {
    const MONTHS: [&[&str]; 12] = [
        &["january", "januar", "jänner"],
        &["february", "februar"],
        &["march", "märz"],
        &["april"],
        &["may", "mai"],
        &["june", "juni"],
        &["july", "juli"],
        &["august"],
        &["september"],
        &["october", "oktober"],
        &["november"],
        &["december", "dezember"],
    ];
    let place = MONTHS.iter().position(|names| names.contains(&word))?;
    i8::try_from(place + 1).ok()
}

/// A query that keeps other days than the question asks for, or all of them.
fn period(
    tree: &Tree<'_>,
    sql: &str,
    question: &Understanding,
    asked: &Asked<'_>,
) -> Option<Finding> {
    let (words, wanted) = stated_period(question, asked.periods)?;
    let today = parse_date(question.today())?;
    let finding = |evidence: String| {
        Finding::new(Check::Period, Severity::Error, Basis::Proved, evidence)
            .with_fix(say!("keep {days}", days = days_in_words(wanted)))
    };
    match kept(tree, today) {
        Kept::Unclear => None,
        Kept::Days(all) => {
            let is_met =
                |days: &Days| is_same(days.0, wanted.0, today) && is_same(days.1, wanted.1, today);
            let [only] = all.as_slice() else {
                return None;
            };
            (!is_met(only)).then(|| {
                finding(say!(
                    "'{words}' is {wanted}, and the query keeps {kept}.",
                    words,
                    wanted = days_in_words(wanted),
                    kept = days_in_words(*only)
                ))
            })
        }
        Kept::All => {
            let sources = || tree.blocks.iter().flat_map(|block| &block.sources);
            let are_tables = sources().all(|source| {
                source.table().is_none_or(|table| {
                    matches!(table.kind, TableKind::Table | TableKind::PartitionedTable)
                })
            });
            let has_days = sources().filter_map(|source| source.table()).any(|table| {
                let mut columns = table.columns.iter();
                columns.any(|column| {
                    matches!(
                        column.category,
                        TypeCategory::Date | TypeCategory::Timestamp
                    )
                })
            });
            // A year may be a part of a name, of a code or of a text.
            let year = wanted.0.or(wanted.1).map(|day| day.year().to_string());
            let is_written = year.is_some_and(|year| sql.contains(year.get(2..).unwrap_or(&year)));
            let reads_clock = ["now(", "current_", "localtime", "today", "yesterday"]
                .into_iter()
                .any(|clock| sql.to_lowercase().contains(clock));
            // Grouped by time, the rows of the period are among those that are shown.
            let shows_time = ["extract(", "date_trunc(", "date_part(", "to_char("]
                .into_iter()
                .any(|call| sql.to_lowercase().contains(call));
            let is_left_out = are_tables
                && has_days
                && !is_written
                && !reads_clock
                && !shows_time
                && !shows_days(tree)
                && !asked.definitions.iter().any(speaks_of_days);
            is_left_out.then(|| {
                finding(say!(
                    "'{words}' is {wanted}, and the query has no condition on days.",
                    words,
                    wanted = days_in_words(wanted)
                ))
            })
        }
    }
}

/// Whether a definition may decide about days by itself.
fn speaks_of_days(definition: &Definition) -> bool {
    let expression = definition.sql_expression.as_deref().unwrap_or_default();
    let expression = expression.to_lowercase();
    definition.period.is_some()
        || definition.query.is_some()
        || expression.contains(|c: char| c.is_ascii_digit())
        || ["current_", "now(", "interval", "date"]
            .into_iter()
            .any(|word| expression.contains(word))
}

/// Whether the result has a column of days.
fn shows_days(tree: &Tree<'_>) -> bool {
    let tops = tree
        .blocks
        .iter()
        .enumerate()
        .filter(|(_, block)| block.place == Place::Top);
    tops.into_iter().any(|(position, block)| {
        block
            .select
            .projection
            .iter()
            .any(|item| match output_of(item) {
                None => true,
                Some(output) => tree.columns_in(position, output).iter().any(|column| {
                    tree.column(column).is_none_or(|(_, column)| {
                        matches!(
                            column.category,
                            TypeCategory::Date | TypeCategory::Timestamp
                        )
                    })
                }),
            })
    })
}

/// Whether two bounds are the same, within a day: words and columns may mean the day or its end. Where a period reaches
/// into the future, an open end keeps the same rows.
fn is_same(kept: Option<Date>, wanted: Option<Date>, today: Date) -> bool {
    let is_future = |day: Option<Date>| day.is_none_or(|day| day > today);
    match (kept, wanted) {
        (Some(kept), Some(wanted))
            if plus_days(kept, -1) <= wanted && wanted <= plus_days(kept, 1) =>
        {
            true
        }
        (None, None) => true,
        (kept, wanted) => {
            is_future(kept)
                && is_future(wanted)
                && (kept.is_some() || wanted.is_some_and(|day| day > today))
                && (wanted.is_some() || kept.is_some_and(|day| day > today))
        }
    }
}

/// An amount of the question compared, as it is, with a column in another unit.
fn amounts(tree: &Tree<'_>, question: &Understanding) -> Vec<Finding> {
    let words = question.words();
    let stated: Vec<(f64, &str, (usize, &'static str))> = words
        .windows(2)
        .filter_map(|pair| match pair {
            [number, unit] => Some((number.parse().ok()?, unit.as_str(), unit_of_word(unit)?)),
            _ => None,
        })
        .collect();
    let mut found = Vec::new();
    if stated.is_empty() {
        return found;
    }
    for (position, block) in tree.blocks.iter().enumerate() {
        for expression in expressions(block.select, block.query) {
            walk(expression, &mut |part| {
                let Expr::BinaryOp { left, op, right } = part else {
                    return;
                };
                if !is_comparison(op) {
                    return;
                }
                for (column, number) in [(left, right), (right, left)] {
                    let number = without_parentheses(number).to_string().parse::<f64>().ok();
                    let stored = tree.resolve(position, column).and_then(|reference| {
                        tree.column(&reference).map(|(_, column)| column.clone())
                    });
                    let unit = stored.as_ref().and_then(unit_of_column);
                    let (Some(number), Some((kind, unit))) = (number, unit) else {
                        continue;
                    };
                    let other = stated.iter().find(|(amount, _, (asked, name))| {
                        *amount == number && *asked == kind && *name != unit
                    });
                    found.extend(other.map(|(_, said, _)| {
                        Finding::new(
                            Check::MixedUnits,
                            Severity::Error,
                            Basis::Proved,
                            say!(
                                "`{part}` compares {unit} with an amount of the question in {said}.",
                                part,
                                unit = say(unit, &[]),
                                said
                            ),
                        )
                        .with_fix(say!("convert the amount to {unit}", unit = say(unit, &[])))
                    }));
                }
            });
        }
    }
    found
}
