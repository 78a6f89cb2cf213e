//! A figure for each month: one figure for all in its place, and groups that have no time.

use jiff::civil::Date;
use sqlparser::ast::{Expr, GroupByExpr};
use text2sql_domain::schema::TypeCategory;
use text2sql_domain::sql_result::Execution;
use text2sql_language::calendar::{parse_date, plus_days, plus_months};
use text2sql_sql::tree::keys::meant_by;
use text2sql_sql::tree::walk::output_of;
use text2sql_sql::tree::{Aggregate, Block, Tree, aggregate, aggregates};

use super::Finding;
use super::date_ranges::{Kept, kept};
use super::grouping::{
    MEAN, groups_of_something_else, is_grouped, one_for_all, shows_figures_only,
};
use super::said::{Said, each_expression, is_year, tables_read};

/// A unit of time, with other terms for it in the names of columns.
struct Unit {
    name: &'static str,
    terms: &'static [&'static str],
    months: i32,
    days: i32,
}

const UNITS: [Unit; 5] = [
    unit("day", &["daili", "date", "tag"], 0, 1),
    unit("week", &["weekli", "woch"], 0, 7),
    unit("month", &["monthli", "monat"], 1, 0),
    unit("quarter", &["quarterli", "quartal"], 3, 0),
    unit(
        "year",
        &["yearli", "annual", "annum", "jahr", "season"],
        12,
        0,
    ),
];

const fn unit(name: &'static str, terms: &'static [&'static str], months: i32, days: i32) -> Unit {
    Unit {
        name,
        terms,
        months,
        days,
    }
}

/// Words before a unit that make it each of several, in the words of the grammar.
const EACH: [&str; 4] = ["per", "each", "every", "by"];

/// "Revenue per month", of which the query gives one figure, or groups without time.
pub(super) fn find(
    tree: &Tree<'_>,
    said: &Said<'_>,
    execution: Option<&Execution>,
) -> Option<Finding> {
    let (words, unit) = asked(said)?;
    let [block] = tree.blocks.as_slice() else {
        return None;
    };
    let calls = aggregates(block.select, block.query);
    let adds_up = |call: &Aggregate<'_>| matches!(call.name.as_str(), "sum" | "count");
    let has_days = tables_read(tree).any(|table| {
        let mut columns = table.columns.iter();
        columns.any(|column| is_time(column.category))
    });
    let is_sum = !calls.is_empty() && calls.iter().all(adds_up) && !said.has_any(MEAN);
    if !has_days || !is_sum || block.select.having.is_some() || names_unit(tree, said, unit) {
        return None;
    }
    if is_grouped(block) {
        return (!has_time(tree, block)).then(|| groups_of_something_else(&words));
    }
    let rows = execution.map(|execution| execution.rows.len());
    let is_one = shows_figures_only(block) && rows == Some(1);
    (is_one && !is_of_one(tree, said, unit)).then(|| one_for_all(&words))
}

/// The only unit that the question asks for a figure for each of, with its words: "per month", "je Monat".
fn asked(said: &Said<'_>) -> Option<(String, &'static Unit)> {
    let tokens = said.question.tokens();
    let word = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
    let mut all = (0..tokens.len()).filter_map(|at| {
        let unit = UNITS.iter().find(|unit| unit.name == word(at + 1))?;
        // "By year of birth" is a year of something, "each month of 2025" and "by day of the week" are not.
        let of_time = |word: &str| is_year(word) || matches!(word, "week" | "month" | "year");
        let is_of_other = match word(at + 2) {
            "of" if word(at + 3) == "the" => !of_time(word(at + 4)),
            "of" => !of_time(word(at + 3)),
            other => other == "the",
        };
        let is_each = EACH.contains(&word(at)) && !is_of_other;
        let words =
            [at, at + 1].map(|at| tokens.get(at).map_or("", |token| token.surface.as_str()));
        is_each.then(|| (words.join(" "), unit))
    });
    let first = all.next()?;
    all.next().is_none().then_some(first)
}

fn is_time(category: TypeCategory) -> bool {
    matches!(category, TypeCategory::Date | TypeCategory::Timestamp)
}

/// Whether a column that the query uses is one of that unit by its name: a monthly fee.
fn names_unit(tree: &Tree<'_>, said: &Said<'_>, unit: &Unit) -> bool {
    let mut names = false;
    each_expression(tree, &mut |block, part| {
        let column = tree.resolve(block, part);
        let origin = column.as_ref().and_then(|column| tree.column(column));
        names |= origin.is_some_and(|(_, column)| {
            let comment = column.comment.as_deref().unwrap_or_default();
            let terms = said.analyzer.terms_of_name(&column.name);
            let comment = said.analyzer.terms(comment);
            let mut terms = terms.iter().chain(comment.iter());
            !is_time(column.category)
                && terms.any(|term| term == unit.name || unit.terms.contains(&term.as_str()))
        });
    });
    names
}

/// Whether anything that is shown or grouped by may be time.
fn has_time(tree: &Tree<'_>, block: &Block<'_>) -> bool {
    let outputs = &block.select.projection;
    let mut parts: Vec<&Expr> = Vec::new();
    let mut is_open = false;
    for item in outputs {
        match output_of(item) {
            Some(output) if aggregate(output).is_none() => parts.push(output),
            Some(_) => {}
            None => is_open = true,
        }
    }
    match &block.select.group_by {
        GroupByExpr::Expressions(groups, _) => {
            parts.extend(groups.iter().map(|group| meant_by(group, outputs)));
        }
        GroupByExpr::All(_) => is_open = true,
    }
    is_open
        || parts.into_iter().any(|part| {
            let columns = tree.columns_in(0, part);
            columns.is_empty()
                || columns.iter().any(|column| {
                    tree.column(column).is_none_or(|(_, column)| {
                        is_time(column.category) || column.category != TypeCategory::Text
                    })
                })
        })
}

/// Whether the query keeps the days of at most one such unit, or days that cannot be told from it.
fn is_of_one(tree: &Tree<'_>, said: &Said<'_>, unit: &Unit) -> bool {
    let after = |day: Date| plus_days(plus_months(day, unit.months), unit.days);
    let Some(today) = parse_date(said.question.today()) else {
        return true;
    };
    match kept(tree, today) {
        Kept::All => false,
        Kept::Unclear => true,
        Kept::Days(all) => all.iter().any(|days| match days {
            (Some(from), Some(before)) => *before <= after(*from),
            _ => false,
        }),
    }
}
