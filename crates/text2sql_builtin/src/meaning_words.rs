//! What a meaning says, in a few words for people: the parts of it, each by itself.

use crate::linking::readable_names::{readable, singular};
use text2sql_domain::schema::Definition;
use text2sql_language::calendar::{parse_date, plus_months};
use text2sql_language::german::nouns;
use text2sql_language::names::plural;
use text2sql_phrases::{Language, say_in};
use text2sql_semantics::{
    Aggregate, Answer, ColumnRef, Condition, DatePart, Dimension, Edit, Expression, Function,
    Literal, Measure, SemanticQuery,
};

/// What the words for a meaning depend on.
#[derive(Clone, Copy)]
pub(crate) struct Wording<'a> {
    pub(crate) language: Language,
    pub(crate) definitions: &'a [Definition],
}

impl Wording<'_> {
    /// The term that an owner gave the expression.
    fn term(self, expression: &str) -> String {
        let mut all = self.definitions.iter();
        let own = all.find(|one| one.sql_expression.as_deref() == Some(expression));
        own.map_or(expression, |one| &one.term).to_owned()
    }
}

/// The meaning in a few words: "revenue by country, 2024".
pub(crate) fn in_words(query: &SemanticQuery, wording: Wording<'_>) -> String {
    let mut text = String::new();
    for part in parts(query, wording) {
        // "revenue by country", and everything else behind a comma.
        text.push_str(match (text.is_empty(), part.kind) {
            (true, _) => "",
            (false, "by") => " ",
            (false, _) => ", ",
        });
        text.push_str(&part.text);
    }
    text
}

pub(crate) struct Part {
    /// What it is of: measure, by, only, period or top.
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    /// Its place among those of its kind.
    pub(crate) at: usize,
    /// What it may be changed to.
    pub(crate) edits: Vec<Edit>,
}

pub(crate) fn parts(query: &SemanticQuery, wording: Wording<'_>) -> Vec<Part> {
    let part = |kind, text, at, edits| Part {
        kind,
        text,
        at,
        edits,
    };
    let things = || noun(&query.subject.name, true, wording);
    let mut all = Vec::new();
    match &query.answer {
        Answer::Figures {
            measures,
            dimensions,
        } => {
            for (at, measure) in measures.iter().enumerate() {
                let edits = match measures.len() {
                    1 => vec![
                        Edit::Combined(Function::Average),
                        Edit::Combined(Function::Sum),
                        Edit::Combined(Function::Maximum),
                        Edit::Counted,
                    ],
                    _ => Vec::new(),
                };
                let text = measure_text(measure, &things(), wording);
                all.push(part("measure", text, at, edits));
            }
            for (at, dimension) in dimensions.iter().enumerate() {
                let text = dimension_text(dimension, &query.subject.name, wording);
                let edits = match (dimension, dimensions.len()) {
                    (Dimension::Date(column, _), 1) => {
                        [DatePart::Year, DatePart::Quarter, DatePart::Month]
                            .into_iter()
                            .map(|of| Edit::By {
                                dimensions: vec![Dimension::Date(column.clone(), of)],
                                is_added: false,
                            })
                            .collect()
                    }
                    _ => Vec::new(),
                };
                all.push(part("by", text, at, edits));
            }
        }
        Answer::Rows { .. } => all.push(part("measure", things(), 0, vec![Edit::Counted])),
        Answer::Exists => all.push(part("measure", things(), 0, Vec::new())),
    }
    for (at, condition) in query.conditions.iter().enumerate() {
        let text = condition_text(condition, wording);
        match condition {
            Condition::Period {
                from: Some(from),
                before: Some(before),
                ..
            } => {
                let edits = year_before(from, before).map(|(first, last)| Edit::Against {
                    from: first,
                    before: last,
                });
                all.push(part("period", text, at, edits.into_iter().collect()));
            }
            Condition::Period { .. } => all.push(part("period", text, at, Vec::new())),
            _ => all.push(part("only", text, at, Vec::new())),
        }
    }
    all.extend(top_text(query, wording).map(|text| part("top", text, 0, Vec::new())));
    all
}

/// What the part is called in the edited meaning.
pub(crate) fn edited_text(edited: &SemanticQuery, part: &Part, wording: Wording<'_>) -> String {
    let own = parts(edited, wording).into_iter();
    let texts: Vec<String> = own
        .filter(|own| own.kind == part.kind)
        .map(|own| own.text)
        .collect();
    match (part.kind, texts.get(part.at)) {
        ("period", _) => say_in!(wording.language, "compared with the previous year"),
        (_, Some(text)) => text.clone(),
        (_, None) => String::new(),
    }
}

/// The noun for a table or a column, in the language of the reader where it is known there.
fn noun(name: &str, is_plural: bool, wording: Wording<'_>) -> String {
    let one = singular(name);
    let known = nouns::in_german(&one).filter(|_| wording.language.tag() == "de");
    match (known, is_plural) {
        (Some(noun), true) => noun.forms.1.clone(),
        (Some(noun), false) => noun.forms.0.clone(),
        // A table called `film` has films.
        (None, true) => plural(&readable(name)),
        (None, false) => one,
    }
}

fn measure_text(measure: &Measure, things: &str, wording: Wording<'_>) -> String {
    use text2sql_semantics::Value as Figure;
    let of = |aggregate: &Aggregate| match (aggregate.function, &aggregate.of) {
        (Function::Count, None) => Some(say_in!(wording.language, "number of {things}", things)),
        (function, Some(Expression::Column(column))) => {
            let value = noun(&column.column, false, wording);
            Some(match function {
                Function::Count => return None,
                Function::CountDistinct => {
                    say_in!(wording.language, "number of different {value}", value)
                }
                Function::Sum => say_in!(wording.language, "total {value}", value),
                Function::Average => say_in!(wording.language, "average {value}", value),
                Function::Minimum => say_in!(wording.language, "smallest {value}", value),
                Function::Maximum => say_in!(wording.language, "largest {value}", value),
                Function::Median => say_in!(wording.language, "median {value}", value),
            })
        }
        _ => None,
    };
    let own = match &measure.value {
        Figure::Aggregate(aggregate) if aggregate.only.is_empty() => of(aggregate),
        Figure::ShareOfAll(_) => Some(say_in!(wording.language, "share of the whole")),
        _ => None,
    };
    let text = own.unwrap_or_else(|| noun(&measure.name, false, wording));
    // The total of a column `total`.
    let mut words: Vec<&str> = text.split(' ').collect();
    words.dedup();
    words.join(" ")
}

fn dimension_text(dimension: &Dimension, subject: &str, wording: Wording<'_>) -> String {
    let thing = match dimension {
        Dimension::Entity { key, label, .. } => {
            let reached = key.first().and_then(|key| key.path.last());
            let table = reached.map_or(subject, |step| &step.to.name);
            noun(label.as_deref().unwrap_or(table), false, wording)
        }
        Dimension::Column(column) => noun(&column.column, false, wording),
        Dimension::Date(_, of) => {
            return match of {
                DatePart::Year => say_in!(wording.language, "by year"),
                DatePart::Quarter | DatePart::QuarterOfYear => {
                    say_in!(wording.language, "by quarter")
                }
                DatePart::Month | DatePart::MonthOfYear => say_in!(wording.language, "by month"),
                DatePart::Week => say_in!(wording.language, "by week"),
                DatePart::Day => say_in!(wording.language, "by day"),
                DatePart::Weekday => say_in!(wording.language, "by weekday"),
                DatePart::Hour => say_in!(wording.language, "by hour"),
            };
        }
    };
    say_in!(wording.language, "by {thing}", thing)
}

fn condition_text(condition: &Condition, wording: Wording<'_>) -> String {
    let of = |column: &ColumnRef| noun(&column.column, false, wording);
    let negated = |text: String, is_negated: bool| match is_negated {
        true => say_in!(wording.language, "not {text}", text),
        false => text,
    };
    let has = |thing: String, is_negated: bool| match is_negated {
        true => say_in!(wording.language, "without {thing}", thing),
        false => say_in!(wording.language, "with {thing}", thing),
    };
    match condition {
        Condition::Compare {
            left,
            operator,
            right,
        } => {
            format!(
                "{} {} {}",
                value_text(left, wording),
                operator.as_sql(),
                literal(right)
            )
        }
        Condition::CompareColumns {
            left,
            operator,
            right,
        } => {
            let (left, right) = (value_text(left, wording), value_text(right, wording));
            format!("{left} {} {right}", operator.as_sql())
        }
        Condition::OneOf {
            values, is_negated, ..
        } => {
            let values: Vec<&str> = values.iter().map(literal).collect();
            negated(values.join(", "), *is_negated)
        }
        Condition::Between { value, low, high } => {
            format!(
                "{} {} – {}",
                value_text(value, wording),
                literal(low),
                literal(high)
            )
        }
        Condition::Like {
            pattern,
            is_negated,
            ..
        } => negated(pattern.replace('%', "…"), *is_negated),
        Condition::Null { column, is_negated } => has(of(column), !is_negated),
        Condition::Truth { column, is_negated } => negated(of(column), *is_negated),
        Condition::Period { from, before, .. } => period_text(from.as_deref(), before.as_deref()),
        Condition::Exists {
            table,
            conditions,
            is_negated,
            ..
        } => {
            let mut thing = noun(&table.name, true, wording);
            if let [only] = conditions.as_slice() {
                thing = format!("{thing} ({})", condition_text(only, wording));
            }
            has(thing, *is_negated)
        }
        Condition::AgainstAverage { column, operator } => {
            let column = of(column);
            format!("{column} {} ⌀", operator.as_sql())
        }
        Condition::AmongAlike {
            each,
            function,
            of: figure,
            than,
        } => {
            let each = each.last().map(of).unwrap_or_default();
            match (figure, than) {
                (Some(column), _) => {
                    let sign = match function {
                        Function::Minimum => "min",
                        _ => "max",
                    };
                    format!("{sign} {} / {each}", of(column))
                }
                (None, Some((operator, number))) => {
                    format!("{} {} / {each}", operator.as_sql(), literal(number))
                }
                (None, None) => each,
            }
        }
        Condition::Any(either) => {
            let either = either.iter().map(|one| condition_text(one, wording));
            either
                .collect::<Vec<_>>()
                .join(&format!(" {} ", say_in!(wording.language, "or")))
        }
        Condition::Defined {
            condition,
            is_negated,
        } => negated(wording.term(&condition.expression), *is_negated),
    }
}

fn value_text(value: &Expression, wording: Wording<'_>) -> String {
    match value {
        Expression::Column(column) => noun(&column.column, false, wording),
        Expression::Related(related) => noun(&related.table.name, true, wording),
        Expression::Days(from, to) => {
            format!("{} – {}", readable(&from.column), readable(&to.column))
        }
        Expression::Difference(from, to) => {
            format!(
                "{} − {}",
                value_text(to, wording),
                value_text(from, wording)
            )
        }
        Expression::Product(factors) => {
            let factors: Vec<String> = factors.iter().map(|one| value_text(one, wording)).collect();
            factors.join(" × ")
        }
        Expression::Remainder { of, .. } => format!("(1 − {})", readable(&of.column)),
        Expression::InUnit { of, divisor } => format!("{} / {divisor}", readable(&of.column)),
        Expression::Defined(defined) => wording.term(&defined.expression),
    }
}

fn literal(value: &Literal) -> &str {
    match value {
        Literal::Number(text) | Literal::Text(text) | Literal::Date(text) => text,
        Literal::Boolean(true) => "true",
        Literal::Boolean(false) => "false",
    }
}

/// Days as few as say it: "2024" for a year, "2024-07" for a month.
fn period_text(from: Option<&str>, before: Option<&str>) -> String {
    match (from, before) {
        (Some(from), Some(before)) => {
            let year = |day: &str| day.get(..4).and_then(|year| year.parse::<i32>().ok());
            let months = |day: &str| Some(year(day)? * 12 + day.get(5..7)?.parse::<i32>().ok()?);
            let is_first = |day: &str, rest: &str| day.ends_with(rest);
            let apart = months(from)
                .zip(months(before))
                .map(|(from, before)| before - from);
            match apart {
                Some(12) if is_first(from, "-01-01") => from.get(..4),
                Some(1) if is_first(from, "-01") && is_first(before, "-01") => from.get(..7),
                _ => None,
            }
            .map_or_else(|| format!("{from} – < {before}"), str::to_owned)
        }
        (Some(from), None) => format!("≥ {from}"),
        (None, Some(before)) => format!("< {before}"),
        (None, None) => String::new(),
    }
}

/// The same days a year before.
fn year_before(from: &str, before: &str) -> Option<(String, String)> {
    let earlier = |day: &str| Some(plus_months(parse_date(day)?, -12).to_string());
    Some((earlier(from)?, earlier(before)?))
}

pub(crate) fn top_text(query: &SemanticQuery, wording: Wording<'_>) -> Option<String> {
    let order = query.order.as_ref()?;
    let count = order.limit?;
    Some(match order.is_descending {
        true => say_in!(wording.language, "top {count}", count),
        false => say_in!(wording.language, "bottom {count}", count),
    })
}
