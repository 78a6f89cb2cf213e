//! Function calls in words: aggregates first, then common functions. An
//! unknown function is named with its arguments.

use sqlparser::ast::{Expr, Function, OrderByExpr};
use text2sql_phrases::{say, template};

use super::category::{category, is_temporal};
use super::narrator::Narrator;
use super::scope::Scope;
use text2sql_domain::schema::TypeCategory;
use text2sql_language::english::{counted, join_phrases};
use text2sql_sql::tree::syntax::{
    Call, constant_text, is_aggregate_name, is_null, is_number, read_call,
};

impl Narrator<'_> {
    /// A call in words.
    pub fn function(&mut self, scope: &Scope<'_>, function: &Function) -> String {
        let call = read_call(function);
        if call.has_more {
            return super::narrator::unexplained(function);
        }
        if let Some(window) = &function.over {
            return self.window(scope, function, &call, window);
        }
        let filter = function.filter.as_deref();
        if let Some(words) = self.aggregate(scope, &call, filter) {
            return words;
        }
        if filter.is_some() || !call.order.is_empty() {
            return super::narrator::unexplained(function);
        }
        self.scalar(scope, &call)
    }

    /// An aggregate in words; `None` if it is not one.
    pub fn aggregate(
        &mut self,
        scope: &Scope<'_>,
        call: &Call<'_>,
        filter: Option<&Expr>,
    ) -> Option<String> {
        if !is_aggregate_name(&call.name) {
            return None;
        }
        if filter.is_none()
            && let Some(words) = self.conditional_aggregate(scope, call)
        {
            return Some(words);
        }
        let words = self.plain_aggregate(scope, call);
        Some(match filter {
            Some(filter) => {
                let condition = self.condition(scope, filter);
                if words == say!("the number of rows") {
                    say!("the number of rows where {condition}")
                } else if words.contains(',') {
                    say!("{words}, over the rows where {condition}")
                } else {
                    say!("{words} over the rows where {condition}")
                }
            }
            None => words,
        })
    }

    /// `sum(CASE WHEN … THEN 1 ELSE 0 END)` and similar: a count of rows that meet a condition.
    fn conditional_aggregate(&mut self, scope: &Scope<'_>, call: &Call<'_>) -> Option<String> {
        let [
            Expr::Case {
                operand: None,
                conditions,
                else_result,
                ..
            },
        ] = call.arguments.as_slice()
        else {
            return None;
        };
        let [when] = conditions.as_slice() else {
            return None;
        };
        let otherwise = else_result.as_deref();
        let is_nothing = otherwise.is_none_or(is_null);
        let is_zero = otherwise.is_some_and(|otherwise| is_number(otherwise, "0"));
        match call.name.as_str() {
            "sum" if is_number(&when.result, "1") && (is_zero || is_nothing) => {
                let condition = self.condition(scope, &when.condition);
                Some(say!("the number of rows where {condition}"))
            }
            "count"
                if is_nothing
                    && !call.is_distinct
                    && text2sql_sql::tree::syntax::is_constant(&when.result) =>
            {
                let condition = self.condition(scope, &when.condition);
                Some(say!("the number of rows where {condition}"))
            }
            "sum" if is_zero || is_nothing => {
                let value = self.operand(scope, &when.result);
                let condition = self.condition(scope, &when.condition);
                Some(say!("the sum of {value} over the rows where {condition}"))
            }
            _ => None,
        }
    }

    fn plain_aggregate(&mut self, scope: &Scope<'_>, call: &Call<'_>) -> String {
        let is_time = call
            .arguments
            .first()
            .and_then(|argument| category(scope, argument))
            .is_some_and(is_temporal);
        let ordered = |narrator: &mut Self| match call.order {
            [] => String::new(),
            order => say!(
                ", sorted by {sorting}",
                sorting = narrator.sorting(scope, order)
            ),
        };
        let first = match (call.arguments.first(), call.name.as_str()) {
            (Some(first), "bool_and" | "bool_or" | "every") => self.condition(scope, first),
            (Some(first), name) if name != "count" && call.is_distinct => {
                say!(
                    "the different values of {values}",
                    values = self.operand(scope, first)
                )
            }
            (Some(first), name) if name != "count" => self.operand(scope, first),
            _ => String::new(),
        };
        match call.name.as_str() {
            "count" => {
                let arguments: Vec<Expr> = call.arguments.iter().map(|&e| e.clone()).collect();
                let [first, ..] = arguments.as_slice() else {
                    return say!("the number of rows");
                };
                if call.is_star
                    || (text2sql_sql::tree::syntax::is_constant(first) && !is_null(first))
                {
                    return say!("the number of rows");
                }
                let values = self.values(scope, &arguments);
                if call.is_distinct {
                    say!("the number of different values of {values}")
                } else {
                    say!("the number of rows with a value in {values}")
                }
            }
            "sum" => say!("the sum of {first}"),
            "avg" => say!("the average of {first}"),
            "min" if is_time => say!("the earliest {first}"),
            "max" if is_time => say!("the latest {first}"),
            "min" => say!("the lowest {first}"),
            "max" => say!("the highest {first}"),
            "bool_and" | "every" => say!("whether in every row {first}"),
            "bool_or" => say!("whether in at least one row {first}"),
            "stddev" | "stddev_samp" => {
                say!("the standard deviation of {first} (as a sample)")
            }
            "stddev_pop" => say!("the standard deviation of {first}"),
            "variance" | "var_samp" => say!("the variance of {first} (as a sample)"),
            "var_pop" => say!("the variance of {first}"),
            "string_agg" => {
                let separator = match call.arguments.get(1) {
                    Some(separator) => match constant_text(separator) {
                        Some(text) if text.trim() == "," => say!("commas"),
                        _ => say!(
                            "{operand} between them",
                            operand = self.operand(scope, separator)
                        ),
                    },
                    None => say!("nothing between them"),
                };
                let order = ordered(self);
                let values = if call.is_distinct {
                    first
                } else {
                    say!("all values of {first}")
                };
                say!("{values} in one text, with {separator}{order}")
            }
            "array_agg" | "json_agg" | "jsonb_agg" => {
                let order = ordered(self);
                let values = if call.is_distinct {
                    first
                } else {
                    say!("all values of {first}")
                };
                say!("{values} as a list{order}")
            }
            "percentile_cont" | "percentile_disc" => {
                let of = match call.order {
                    [one] => self.operand(scope, &one.expr),
                    _ => say!("the values"),
                };
                let is_median = call
                    .arguments
                    .first()
                    .is_some_and(|share| is_number(share, "0.5"));
                if is_median {
                    say!("the median of {of}")
                } else {
                    say!("the percentile {first} of {of}")
                }
            }
            "mode" => {
                let of = match call.order {
                    [one] => self.operand(scope, &one.expr),
                    _ => say!("the values"),
                };
                say!("the most frequent value of {of}")
            }
            "corr" => {
                let second = match call.arguments.get(1) {
                    Some(second) => self.operand(scope, second),
                    None => String::new(),
                };
                say!("the correlation between {first} and {second}")
            }
            _ => {
                let rest = call.arguments.get(1..).unwrap_or_default();
                let rest = rest.iter().map(|argument| self.operand(scope, argument));
                let words: Vec<String> = std::iter::once(first).chain(rest).collect();
                let order = ordered(self);
                format!("{}{order}", named(call, &words))
            }
        }
    }

    fn scalar(&mut self, scope: &Scope<'_>, call: &Call<'_>) -> String {
        // Each argument is described only once: describing it twice at each level would be exponential.
        let all: Vec<String> = call
            .arguments
            .iter()
            .map(|argument| self.operand(scope, argument))
            .collect();
        let words: Vec<&str> = all.iter().map(String::as_str).collect();
        let unit = call
            .arguments
            .first()
            .and_then(|first| constant_text(first));
        match (call.name.as_str(), words.as_slice()) {
            ("now" | "current_timestamp" | "transaction_timestamp" | "localtimestamp", []) => {
                say!("now")
            }
            ("current_date", []) => say!("today"),
            ("current_user", []) => say!("the current user"),
            ("session_user", []) => say!("the user who logged in"),
            ("date_trunc", [_, value, ..]) if unit.is_some() => {
                let unit = unit.unwrap_or_default().to_lowercase();
                let unit = say(&format!("unit^{unit}"), &[]);
                say!("the start of the {unit} of {value}")
            }
            ("date_part", [_, value]) if unit.is_some() => {
                let part = super::expression::part_words(&unit.unwrap_or_default().to_lowercase());
                say!("{part} of {value}")
            }
            ("age", [one]) => say!("the time from {one} until today"),
            ("age", [late, early]) => say!("the time from {early} until {late}"),
            ("to_char", [value, format]) => {
                say!("{value} written in the form {format}")
            }
            ("to_date" | "to_timestamp", [value, format]) => {
                say!("{value} read as a date of the form {format}")
            }
            ("coalesce", [first, rest @ ..]) if !rest.is_empty() => {
                let rest: Vec<String> = rest.iter().map(|&word| word.to_owned()).collect();
                let rest = rest.join(&format!("{} ", say!(", or else")));
                say!("{first} (or {rest} where it has no value)")
            }
            ("nullif", [value, other]) => {
                say!("{value} (no value where it is {other})")
            }
            ("greatest", [_, _, ..]) => say!("the greatest of {joined}", joined = joined(&words)),
            ("least", [_, _, ..]) => say!("the least of {joined}", joined = joined(&words)),
            ("round", [value]) => say!("{value} rounded to a whole number"),
            ("round", [value, places]) => {
                let places = counted(places, "decimal place", "decimal places");
                say!("{value} rounded to {places}")
            }
            ("trunc", [value]) => say!("{value} without its decimals"),
            ("ceil" | "ceiling", [value]) => say!("{value} rounded up"),
            ("floor", [value]) => say!("{value} rounded down"),
            ("abs", [value]) => say!("the absolute value of {value}"),
            ("sqrt", [value]) => say!("the square root of {value}"),
            ("power", [base, exponent]) => {
                say!("{base} to the power of {exponent}")
            }
            ("mod", [left, right]) => {
                say!("the remainder of {left} divided by {right}")
            }
            ("random", []) => say!("a random number"),
            ("lower", [value]) => say!("{value} in lower case"),
            ("upper", [value]) => say!("{value} in upper case"),
            ("initcap", [value]) => say!("{value} with capital initials"),
            ("length" | "char_length" | "character_length", [value]) => {
                say!("the length of {value}")
            }
            ("btrim" | "trim", [value]) => say!("{value} without surrounding spaces"),
            ("concat", [_, _, ..]) => words.join(&format!(" {} ", say!("followed by"))),
            ("concat_ws", [separator, rest @ ..]) if rest.len() > 1 => {
                say!(
                    "{joined} with {separator} between them",
                    joined = joined(rest)
                )
            }
            ("left", [value, count]) => {
                let characters = counted(count, "character", "characters");
                say!("the first {characters} of {value}")
            }
            ("right", [value, count]) => {
                let characters = counted(count, "character", "characters");
                say!("the last {characters} of {value}")
            }
            ("substr", [value, from, count]) => {
                let characters = counted(count, "character", "characters");
                say!("{characters} of {value} from position {from} on")
            }
            ("replace", [value, from, to]) => {
                say!("{value} with {from} replaced by {to}")
            }
            ("split_part", [value, separator, number]) => {
                say!("part {number} of {value} between {separator}")
            }
            ("strpos", [value, part]) => say!("the position of {part} in {value}"),
            ("array_length", [value, ..]) | ("cardinality", [value]) => {
                say!("the number of elements of {value}")
            }
            ("unnest", [value]) => say!("each element of {value}"),
            ("grouping", [value]) => {
                say!("whether {value} is summed up in this row (0 or 1)")
            }
            ("generate_series", [from, to]) => say!("each number from {from} to {to}"),
            _ => named(call, &all),
        }
    }

    /// An ORDER BY list in words: "total from highest to lowest, then name from A to Z".
    pub fn sorting(&mut self, scope: &Scope<'_>, order: &[OrderByExpr]) -> String {
        let words: Vec<String> = order
            .iter()
            .map(|item| {
                let of = category(scope, &item.expr);
                let value = self.operand(scope, &item.expr);
                format!("{value} {}", direction(item, of))
            })
            .collect();
        words.join(&format!("{} ", say!(", then by")))
    }
}

/// A function without specific wording.
fn named(call: &Call<'_>, words: &[String]) -> String {
    let star = if call.is_star { "*" } else { "" };
    format!("{}({star}{})", call.name, words.join("; "))
}

/// The direction of one sort key, in words suitable for its type.
pub(super) fn direction(item: &OrderByExpr, of: Option<TypeCategory>) -> String {
    use sqlparser::ast::OrderBySort;
    let is_descending = match &item.options.sort {
        None | Some(OrderBySort::Asc) => false,
        Some(OrderBySort::Desc) => true,
        Some(OrderBySort::Using(operator)) => {
            return say!("by the operator {operator}");
        }
    };
    let words = match (of, is_descending) {
        (Some(TypeCategory::Text), false) => template!("from A to Z"),
        (Some(TypeCategory::Text), true) => template!("from Z to A"),
        (Some(TypeCategory::Integer | TypeCategory::Number), false) => {
            template!("from lowest to highest")
        }
        (Some(TypeCategory::Integer | TypeCategory::Number), true) => {
            template!("from highest to lowest")
        }
        (Some(TypeCategory::Date | TypeCategory::Timestamp), false) => {
            template!("from earliest to latest")
        }
        (Some(TypeCategory::Date | TypeCategory::Timestamp), true) => {
            template!("from latest to earliest")
        }
        (Some(TypeCategory::Boolean), false) => template!("with false before true"),
        (Some(TypeCategory::Boolean), true) => template!("with true before false"),
        (Some(TypeCategory::Enum), false) => template!("in the order of its labels"),
        (Some(TypeCategory::Enum), true) => template!("in the reverse order of its labels"),
        (_, false) => template!("in ascending order"),
        (_, true) => template!("in descending order"),
    };
    let nulls = match item.options.nulls_first {
        None => String::new(),
        Some(true) => say!(" (missing values first)"),
        Some(false) => say!(" (missing values last)"),
    };
    format!("{}{nulls}", say(words, &[]))
}

fn joined(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
    join_phrases(&words, "and")
}
