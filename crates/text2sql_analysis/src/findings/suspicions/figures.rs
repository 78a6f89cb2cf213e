//! Figures: one in place of many, those without names, those that count something else.

use std::sync::Arc;

use sqlparser::ast::{BinaryOperator, Expr, GroupByExpr};
use text2sql_domain::schema::{Column, Table, TypeCategory};
use text2sql_domain::sql_result::Execution;
use text2sql_phrases::say;
use text2sql_sql::tree::syntax::without_parentheses;
use text2sql_sql::tree::walk::{Aggregate, aggregate};
use text2sql_sql::tree::{Block, Place, Tree, aggregates};

use crate::findings::grouping::{MEAN, is_grouped, shows_figures_only};
use crate::findings::said::{Said, each_expression};

/// Words for each of several.
const EACH: [&str; 12] = [
    "per", "each", "every", "pro", "je", "jede", "jeden", "jeder", "jedes", "jedem", "par",
    "chaque",
];

/// First words of questions for a figure or a date.
const FIGURES: [&str; 4] = ["how", "when", "wie", "wann"];

/// Fewer rows than this may differ by chance.
const FEW_ROWS: f64 = 5.0;

/// Parts of time that figures are taken apart by.
const UNITS: [&str; 10] = [
    "day", "weekday", "week", "month", "quarter", "year", "hour", "tag", "monat", "jahr",
];

/// One figure, where the question asks for one for each.
pub(super) fn one_figure(
    tree: &Tree<'_>,
    tables: &[Arc<Table>],
    said: &Said<'_>,
    execution: &Execution,
) -> Option<String> {
    let words = said.question.words();
    let apart = words.windows(2).find(|pair| match pair {
        [before, after] => {
            let is_unit = UNITS.contains(&after.as_str());
            EACH.contains(&before.as_str())
                || before == "by" && (is_unit || is_name_of(tables, said, after))
        }
        _ => false,
    })?;
    let is_one = matches!(execution.rows.as_slice(), [row] if row.len() == 1);
    let is_plain = !tree.blocks.iter().any(is_grouped);
    // "Litres per wine on average" is one figure of the wines.
    let stem = apart.last().map(|word| said.analyzer.stem(word))?;
    let is_mean_of_rows = said.has_any(MEAN) && (divides(tree) || is_over(tree, said, &stem));
    (is_one && is_plain && !is_mean_of_rows).then(|| {
        let words = apart.join(" ");
        say!(
            "the question asks for a figure '{words}', and the query gives one for all",
            words
        )
    })
}

/// All rows, where the question asks for the highest of each.
pub(super) fn not_one_for_each(tree: &Tree<'_>, said: &Said<'_>, sql: &str) -> Option<String> {
    let words = said.question.words().iter();
    let each = words.clone().find(|word| EACH.contains(&word.as_str()))?;
    let is_extreme = words.clone().any(|word| is_superlative(word));
    let is_plain = tree.blocks.len() == 1 && !tree.blocks.iter().any(is_grouped);
    let sql = sql.to_lowercase();
    let takes_apart =
        sql.contains(" over ") || sql.contains(" over(") || sql.contains("distinct on");
    (is_extreme && is_plain && !takes_apart).then(|| {
        say!(
            "the question asks for one of '{each}', and the query takes none apart",
            each
        )
    })
}

/// `count(dock_count)`: how many rows have a number, where the numbers are to be added up.
pub(super) fn counted_numbers(tree: &Tree<'_>) -> Option<String> {
    tree.blocks
        .iter()
        .enumerate()
        .find_map(|(position, block)| {
            let calls = aggregates(block.select, block.query);
            let call = calls.iter().find(|call| {
                let column = call
                    .argument
                    .and_then(|argument| tree.resolve(position, argument));
                let column = column.as_ref().and_then(|column| tree.column(column));
                call.name == "count"
                    && !call.is_distinct
                    && column.is_some_and(|(table, column)| {
                        let name = column.name.to_lowercase();
                        is_figure(table, column)
                            && ["count", "num", "quantity"]
                                .iter()
                                .any(|part| name.contains(part))
                    })
            })?;
            let call = call.call.to_string();
            Some(say!(
                "`{call}` counts rows, and does not add up their numbers",
                call
            ))
        })
}

/// A figure for each group, and nothing that says which group it is of.
pub(super) fn nameless_groups(tree: &Tree<'_>, execution: &Execution) -> Option<String> {
    let top = tree.blocks.iter().find(|block| block.place == Place::Top)?;
    (is_grouped(top) && shows_figures_only(top) && execution.rows.len() > 1)
        .then(|| say!("its figures do not say of which group they are"))
}

/// `count(*)` over stations, where the question asks for docks, and each station has their number.
pub(super) fn number_not_added_up(tree: &Tree<'_>, said: &Said<'_>) -> Option<String> {
    let thing = said.counted_thing()?;
    let stem = said.analyzer.stem(thing);
    let has = |name: &str| said.analyzer.terms_of_name(name).contains(&stem);
    let top = tree.blocks.iter().find(|block| block.place == Place::Top)?;
    let counts_rows = aggregates(top.select, top.query)
        .iter()
        .any(|call| call.name == "count" && !call.is_distinct);
    let mut tables = top.sources.iter().filter_map(|source| source.table());
    let number = tables.clone().find_map(|table| {
        let mut columns = table.columns.iter();
        let column = columns.find(|column| is_figure(table, column) && has(&column.name));
        column.map(|column| column.name.clone())
    })?;
    let is_named = tables.any(|table| {
        let mut names = std::iter::once(&table.name).chain(&table.synonyms);
        names.any(|name| has(name))
    });
    (counts_rows && !is_named).then(|| {
        say!(
            "the question counts {thing}, and the query counts rows that have their number in {column}",
            thing,
            column = number
        )
    })
}

/// Groups of one row each, as far as statistics say: to count them says nothing.
pub(super) fn single_rows(tree: &Tree<'_>) -> Option<String> {
    tree.blocks
        .iter()
        .enumerate()
        .find_map(|(position, block)| {
            let [source] = block.sources.as_slice() else {
                return None;
            };
            let table = source.table()?;
            let GroupByExpr::Expressions(groups, _) = &block.select.group_by else {
                return None;
            };
            let is_unique = groups.iter().any(|group| {
                let Some(column) = tree.resolve(position, group) else {
                    return false;
                };
                let known = tree.column(&column);
                let statistics = known.and_then(|(_, known)| known.statistics.as_ref());
                let distinct = statistics.and_then(|statistics| statistics.distinct_values);
                let rows = table.row_estimate.filter(|rows| *rows >= FEW_ROWS);
                let mut keys = table.foreign_keys.iter().map(|key| &key.columns);
                let is_key = keys.any(|columns| columns.contains(&column.column));
                table.primary_key == [column.column.clone()]
                    || !is_key && matches!((distinct, rows), (Some(distinct), Some(rows)) if distinct >= rows)
            });
            let calls = aggregates(block.select, block.query);
            let counts = calls.iter().any(|call| call.name == "count");
            (is_unique && counts).then(|| {
                say!(
                    "it counts the rows of {table} in groups of one row each",
                    table = table.sql_name()
                )
            })
        })
}

/// An average, divided by a number of rows once more.
pub(super) fn divided_mean(tree: &Tree<'_>) -> Option<String> {
    let is_call = |expression: &Expr, name: &str| {
        aggregate(without_parentheses(expression))
            .is_some_and(|call: Aggregate<'_>| call.name == name)
    };
    let mut divided = None;
    each_expression(tree, &mut |_, part| {
        if let Expr::BinaryOp { left, op, right } = part
            && *op == BinaryOperator::Divide
            && is_call(left, "avg")
            && is_call(right, "count")
        {
            divided = Some(part.to_string());
        }
    });
    divided.map(|division| {
        say!(
            "`{division}` divides an average by a number once more",
            division
        )
    })
}

/// The lowest price, where the question asks for the cheapest product.
pub(super) fn figure_of_thing(tree: &Tree<'_>, said: &Said<'_>) -> Option<String> {
    let top = tree.blocks.iter().find(|block| block.place == Place::Top)?;
    let calls = aggregates(top.select, top.query);
    let is_extreme = calls
        .iter()
        .all(|call| matches!(call.name.as_str(), "min" | "max"));
    if calls.is_empty() || !is_extreme || is_grouped(top) || !shows_figures_only(top) {
        return None;
    }
    let words = said.question.words();
    if words
        .first()
        .is_some_and(|word| FIGURES.contains(&word.as_str()))
    {
        return None;
    }
    let at = words.iter().position(|word| is_superlative(word))?;
    // "The most expensive film".
    let skipped = usize::from(words.get(at).is_some_and(|word| word == "most"));
    let thing = words.get(at + 1 + skipped)?;
    let stem = said.analyzer.stem(thing);
    // "The highest price" and "the highest order value" are figures.
    let is_figure = words.iter().skip(at + 1).take(3).any(|word| {
        let stem = said.analyzer.stem(word);
        calls
            .iter()
            .filter_map(|call| call.argument)
            .any(|argument| {
                let name = argument.to_string().to_lowercase();
                name.contains(stem.as_str())
            })
    });
    let is_noun = !said.question.is_function_word(thing) && stem.chars().count() > 2;
    (is_noun && !is_figure).then(|| {
        say!(
            "the question asks for a {thing}, and the query shows a figure only",
            thing
        )
    })
}

/// Whether a column has numbers that are no keys.
fn is_figure(table: &Table, column: &Column) -> bool {
    let mut keys = table.foreign_keys.iter().map(|key| &key.columns);
    let is_key = table.primary_key.contains(&column.name)
        || keys.any(|columns| columns.contains(&column.name));
    let is_number = matches!(
        column.category,
        TypeCategory::Integer | TypeCategory::Number
    );
    is_number && !is_key
}

fn is_superlative(word: &str) -> bool {
    let ends = ["est", "ste", "sten", "ster", "stes"];
    word == "most" || word.chars().count() > 5 && ends.iter().any(|end| word.ends_with(end))
}

fn divides(tree: &Tree<'_>) -> bool {
    let mut divides = false;
    each_expression(tree, &mut |_, part| {
        divides |= matches!(part, Expr::BinaryOp { op, .. } if *op == BinaryOperator::Divide);
    });
    divides
}

/// Whether the rows of the query are those of one table of that name.
fn is_over(tree: &Tree<'_>, said: &Said<'_>, stem: &String) -> bool {
    let top = tree.blocks.iter().find(|block| block.place == Place::Top);
    let sources = top.map_or(&[][..], |block: &Block<'_>| block.sources.as_slice());
    let [only] = sources else { return false };
    only.table()
        .is_some_and(|table| said.analyzer.terms_of_name(&table.name).contains(stem))
}

/// Whether a word is a part of the name of any table or column that the model was shown.
fn is_name_of(tables: &[Arc<Table>], said: &Said<'_>, word: &str) -> bool {
    let stem = said.analyzer.stem(word);
    tables.iter().any(|table| {
        let columns = table.columns.iter().map(|column| &column.name);
        let mut names = std::iter::once(&table.name)
            .chain(columns)
            .chain(&table.synonyms);
        names.any(|name| said.analyzer.terms_of_name(name).contains(&stem))
    })
}
