//! The reason for a chart, or for none, in words.

use crate::plot::text::short;
use crate::rule::{Decision, MAX_CATEGORIES, MAX_SERIES, Reason};
use text2sql_phrases::{Language, say_count, say_in};

/// Longer names are cut.
const MAX_NAME: usize = 60;

fn named(name: &str, language: Language) -> String {
    say_in!(language, "“{name}”", name = short(name, MAX_NAME))
}

/// What is said where drawing failed.
pub(crate) fn not_drawn(language: Language) -> String {
    say_in!(language, "No chart: it could not be drawn.")
}

/// One or two sentences.
pub(crate) fn in_words(decision: &Decision, language: Language) -> String {
    let mut text = reason(&decision.reason, language);
    let mut add = |sentence: String| {
        text.push(' ');
        text.push_str(&sentence);
    };
    if !decision.left_out.is_empty() && decision.design.is_some() {
        let names: Vec<_> = decision
            .left_out
            .iter()
            .map(|name| named(name, language))
            .collect();
        add(say_in!(
            language,
            "Not shown, because one axis would mislead: {names}.",
            names = names.join(", ")
        ));
    }
    if decision.rows_left_out > 0 {
        let count = decision.rows_left_out;
        add(say_count!(
            language,
            count as u64,
            "One row has no value here and is not shown.",
            "{count} rows have no value here and are not shown."
        ));
    }
    if decision.truncated {
        add(say_in!(
            language,
            "The result has more rows than these: the chart shows only the first ones."
        ));
    }
    text
}

fn reason(reason: &Reason, language: Language) -> String {
    let named = |name: &str| named(name, language);
    match reason {
        Reason::NoRows => say_in!(language, "No chart: there are no rows."),
        Reason::OneRow => say_in!(
            language,
            "No chart: a single row is read faster than a chart."
        ),
        Reason::NoMeasure => say_in!(language, "No chart: no column has numbers to compare."),
        Reason::OnlyIdentifiers => say_in!(
            language,
            "No chart: the numbers are only names of things, such as ids."
        ),
        Reason::NothingToCompare => say_in!(
            language,
            "No chart: there are too few values to compare, or nothing to compare them by."
        ),
        Reason::MixedUnits { column } => say_in!(
            language,
            "No chart: {column} says that the numbers are in different units.",
            column = named(column)
        ),
        Reason::MostlyNull { column } => say_in!(
            language,
            "No chart: most values of {column} are missing.",
            column = named(column)
        ),
        Reason::TooManyCategories { column, count } => say_in!(
            language,
            "No chart: {column} has {count} values, and more than {most} bars cannot be read.",
            column = named(column),
            most = MAX_CATEGORIES
        ),
        Reason::TooManySeries { column, count } => say_in!(
            language,
            "No chart: {column} has {count} values, and more than {most} lines cannot be told apart.",
            column = named(column),
            most = MAX_SERIES
        ),
        Reason::TooManyPoints { count } => {
            say_in!(language, "No chart: {count} points would cover each other.")
        }
        Reason::TooManyColumns => say_in!(
            language,
            "No chart: the result has more columns than a chart can show."
        ),
        Reason::RowsShareAMark { column } => say_in!(
            language,
            "No chart: several rows have the same {column}, and a chart would hide some.",
            column = named(column)
        ),
        Reason::Bars {
            category,
            count,
            measure,
        } => say_in!(
            language,
            "Bars, because {category} has {count} values, each with a number in {measure}.",
            category = named(category),
            measure = named(measure)
        ),
        Reason::GroupedBars {
            category,
            count,
            series,
        } => say_in!(
            language,
            "Grouped bars, because {category} has {count} values, each with {series} numbers.",
            category = named(category)
        ),
        Reason::TimeBars { time, count } => say_in!(
            language,
            "Bars, because {time} has only {count} points in time.",
            time = named(time)
        ),
        Reason::Line {
            time,
            count,
            series: 1,
        } => say_in!(
            language,
            "A line, because {time} has {count} points in time.",
            time = named(time)
        ),
        Reason::Line {
            time,
            count,
            series,
        } => say_in!(
            language,
            "{series} lines, because {time} has {count} points in time.",
            time = named(time)
        ),
        Reason::Points { x, y, count } => say_in!(
            language,
            "Points, because each of {count} rows has two numbers, {x} and {y}.",
            x = named(x),
            y = named(y)
        ),
    }
}
