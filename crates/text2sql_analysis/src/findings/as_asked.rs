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
    named, orders, parts, per_unit, sameness, subjects, units, years,
};
use text2sql_domain::schema::{Definition, Table, TableKind, TypeCategory};
use text2sql_domain::sql_result::{Cell, Execution};
use text2sql_domain::words;
use text2sql_language::calendar::{parse_date, plus_days, plus_months};
use text2sql_language::periods::mentioned::MentionedPeriod;
use text2sql_language::stated_periods::stated_periods;
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
    if !found.iter().any(|finding| finding.check == Check::Name) {
        found.extend(subjects::find(&tree, tables, &said, asked));
    }
    found.extend(sameness::find(&tree, &said, execution));
    found.extend(grouping::find(&tree, sql, tables, &said, execution));
    if !found.iter().any(|finding| finding.check == Check::Grouping) {
        found.extend(per_unit::find(&tree, &said, execution));
    }
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
const OTHER_PERIODS: &[&str] = words!(
    "due, overdue, expired, fällig, überfällig, compared, compare, versus, vs, than, \
     growth, change, changed, difference, previous, prior, fiscal, fy, financial, season, \
     model, academic, school, gegenüber, geschäftsjahr"
);

/// Words before a defined period that make it one end of what is asked for.
const SINCE: [&str; 2] = ["since", "seit"];
const BEFORE: [&str; 2] = ["before", "vor"];
const AFTER: [&str; 2] = ["after", "nach"];

/// Words before a period with which it is a bound, and those between them.
const BOUNDS: [&str; 11] = [
    "until", "till", "through", "by", "from", "between", "and", "to", "bis", "ab", "zwischen",
];
const ARTICLES: [&str; 9] = [
    "the", "this", "our", "der", "die", "das", "dem", "den", "diesem",
];

/// The only period of the question, with its words: one that owners have defined, one of the calendar, or days counted from
/// today.
fn stated_period(
    question: &Understanding,
    worked_out: &[MentionedPeriod],
) -> Option<(String, Days)> {
    let words = question.words();
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
            Some(word) if BEFORE.contains(&word) => (None, from),
            Some(word) if SINCE.contains(&word) => (from, None),
            Some(word) if AFTER.contains(&word) => (until, None),
            Some(word) if BOUNDS.contains(&word) => return None,
            _ => (from, until),
        };
        return is_alone.then(|| (only.text.clone(), days));
    }
    if words
        .iter()
        .any(|word| OTHER_PERIODS.contains(&word.as_str()))
    {
        return None;
    }
    let mut all = stated_periods(question);
    let has_year = words.iter().any(|word| is_year(word));
    match (all.pop(), question.periods()) {
        (None, [only]) if !has_year => {
            Some((only.text.clone(), (day(&only.from), day(&only.before))))
        }
        (Some(only), []) if all.is_empty() => Some(only),
        _ => None,
    }
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
        Check::Period
            .error(evidence)
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
            // "After 2000" may begin with that year.
            let is_after = |word: &str| AFTER.contains(&word.to_lowercase().as_str());
            let may_begin = words.split(' ').next().is_some_and(is_after)
                && only.1.is_none()
                && wanted.0.is_some_and(|day| {
                    day == day.first_of_year()
                        && is_same(only.0, Some(plus_months(day, -12)), today)
                });
            (!is_met(only) && !may_begin).then(|| {
                finding(say!(
                    "'{words}' is {wanted}, and the query keeps {kept}.",
                    words,
                    wanted = days_in_words(wanted),
                    kept = days_in_words(*only)
                ))
            })
        }
        // "So far": nobody said where it begins, and what is to come is rarely stored.
        Kept::All if wanted.0.is_none() && wanted.1.is_some_and(|day| day >= today) => None,
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
                        Check::MixedUnits.error(say!(
                            "`{part}` compares {unit} with an amount of the question in {said}.",
                            part,
                            unit = say(unit, &[]),
                            said
                        ))
                        .with_fix(say!("convert the amount to {unit}", unit = say(unit, &[])))
                    }));
                }
            });
        }
    }
    found
}
