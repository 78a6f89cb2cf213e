//! Functions of other dialects, as PostgreSQL writes them.

use sqlparser::ast::{
    DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause,
    FunctionArguments, Value,
};
use text2sql_domain::dialect::Dialect;
use text2sql_domain::schema::quote_literal;
use text2sql_domain::word_pairs;

use super::time_formats::pattern;
use crate::dialects::rules_of;

/// Units that an interval of PostgreSQL has.
const UNITS: [(&str, &str); 22] = *word_pairs!(
    "year = year, yyyy = year, yy = year, month = month, mm = month, m = month, week = week, \
     wk = week, ww = week, day = day, dd = day, d = day, hour = hour, hh = hour, minute = minute, \
     mi = minute, n = minute, second = second, ss = second, s = second, quarter = quarter, \
     qq = quarter"
);

/// A call of another dialect in PostgreSQL.
pub(super) enum Call {
    /// It stays as it is.
    Same,
    /// It is written in another way.
    Other {
        /// The name that is said, such as `len(…)`.
        shown: String,
        /// The expression.
        sql: String,
        /// What a reader is shown of it.
        instead: String,
    },
    /// It has no form that is known here: the name that is said.
    Unknown(String),
}

/// How PostgreSQL writes a call.
pub(super) fn call(dialect: Dialect, function: &Function) -> Call {
    let [name] = function.name.0.as_slice() else {
        return Call::Same;
    };
    let Some(name) = name.as_ident().map(|name| name.value.to_lowercase()) else {
        return Call::Same;
    };
    let shown = format!("{name}(…)");
    // A window, a filter or the like stays only where the call itself is kept.
    let is_plain = function.over.is_none()
        && function.filter.is_none()
        && function.within_group.is_empty()
        && function.null_treatment.is_none();
    let other = arguments(function)
        .filter(|_| is_plain)
        .and_then(|arguments| written(dialect, &name, &arguments, function));
    match other {
        Some((sql, instead)) => Call::Other {
            shown,
            sql,
            instead,
        },
        None if differs(dialect, &name) || !rules_of(Dialect::PostgreSql).has_function(&name) => {
            Call::Unknown(shown)
        }
        None => Call::Same,
    }
}

/// Functions that PostgreSQL has under the same name, and that do something else there.
fn differs(dialect: Dialect, name: &str) -> bool {
    matches!(
        (dialect, name),
        (Dialect::Sqlite, "date" | "datetime" | "printf")
            | (Dialect::MySql, "date" | "char" | "log")
            | (Dialect::TSql, "log" | "format")
    )
}

/// The texts of the arguments; `None` where one of them is no expression.
fn arguments(function: &Function) -> Option<Vec<&Expr>> {
    match &function.args {
        FunctionArguments::None => Some(Vec::new()),
        FunctionArguments::Subquery(_) => None,
        FunctionArguments::List(list) => list
            .args
            .iter()
            .map(|argument| match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
                _ => None,
            })
            .collect(),
    }
}

/// The call in PostgreSQL, and what a reader is shown of it.
fn written(
    dialect: Dialect,
    name: &str,
    arguments: &[&Expr],
    function: &Function,
) -> Option<(String, String)> {
    use Dialect::{DuckDb, MySql, Sqlite, TSql};
    let both = |sql: String, shown: &str| Some((sql, shown.to_owned()));
    match (dialect, name, arguments) {
        (TSql, "isnull", [a, b]) | (MySql | Sqlite | DuckDb, "ifnull", [a, b]) => {
            both(format!("COALESCE({a}, {b})"), "coalesce(a, b)")
        }
        (TSql, "getdate" | "sysdatetime", []) | (MySql, "sysdate", []) => {
            both("now()".to_owned(), "now()")
        }
        (TSql, "getutcdate" | "sysutcdatetime", []) | (MySql, "utc_timestamp", []) => both(
            "now() AT TIME ZONE 'UTC'".to_owned(),
            "now() AT TIME ZONE 'UTC'",
        ),
        (MySql, "curdate", []) | (DuckDb, "today", []) => {
            both("CURRENT_DATE".to_owned(), "current_date")
        }
        (TSql, "newid", []) | (MySql | DuckDb, "uuid", []) => {
            both("gen_random_uuid()".to_owned(), "gen_random_uuid()")
        }
        (TSql | MySql, "rand", []) => both("random()".to_owned(), "random()"),
        (TSql | DuckDb, "len", [a]) => both(format!("length({a})"), "length(a)"),
        (MySql, "char_length" | "character_length", _) => None,
        (MySql, "length", [a]) => both(format!("octet_length({a})"), "octet_length(a)"),
        (TSql, "datalength", [a]) => both(format!("octet_length({a})"), "octet_length(a)"),
        (MySql, "ucase", [a]) => both(format!("upper({a})"), "upper(a)"),
        (MySql, "lcase", [a]) => both(format!("lower({a})"), "lower(a)"),
        (TSql | Sqlite, "iif", [a, b, c]) | (MySql | DuckDb, "if", [a, b, c]) => both(
            format!("CASE WHEN {a} THEN {b} ELSE {c} END"),
            "CASE WHEN a THEN b ELSE c END",
        ),
        (TSql, "charindex", [part, text]) | (MySql, "locate", [part, text]) => {
            both(format!("strpos({text}, {part})"), "strpos(text, part)")
        }
        (MySql | Sqlite | DuckDb, "instr", [text, part]) => {
            both(format!("strpos({text}, {part})"), "strpos(text, part)")
        }
        (TSql | MySql | DuckDb, "year" | "month" | "day" | "quarter", [a])
        | (MySql | DuckDb, "hour" | "minute" | "second" | "week", [a]) => both(
            format!("EXTRACT({name} FROM {a})"),
            &format!("extract({name} FROM a)"),
        ),
        (TSql, "datepart", [part, a]) => {
            let part = unit(part)?;
            both(
                format!("EXTRACT({part} FROM {a})"),
                &format!("extract({part} FROM a)"),
            )
        }
        (TSql, "datetrunc", [part, a]) => {
            let part = unit(part)?;
            both(
                format!("date_trunc('{part}', {a})"),
                &format!("date_trunc('{part}', a)"),
            )
        }
        (TSql, "dateadd", [part, number, a]) => {
            // There is no interval of a quarter.
            let (count, part) = match unit(part)? {
                "quarter" => (3, "month"),
                part => (1, part),
            };
            both(
                format!("({a}) + ({number}) * INTERVAL '{count} {part}'"),
                &format!("a + n * interval '{count} {part}'"),
            )
        }
        (TSql, "datediff", [part, a, b]) if unit(part) == Some("day") => {
            both(format!("({b})::date - ({a})::date"), "b::date - a::date")
        }
        (MySql, "datediff", [a, b]) => {
            both(format!("({a})::date - ({b})::date"), "a::date - b::date")
        }
        (
            MySql,
            "date_add" | "date_sub" | "adddate" | "subdate",
            [a, interval @ Expr::Interval(_)],
        ) => {
            let sign = if name.starts_with("date_sub") || name.starts_with("sub") {
                "-"
            } else {
                "+"
            };
            let sql = format!("({a}) {sign} {}", interval_of(interval)?);
            both(sql, &format!("a {sign} interval '1 day'"))
        }
        (MySql, "date_format", [a, format]) | (DuckDb, "strftime", [a, format]) => {
            let format = quote_literal(&pattern(dialect, text(format)?)?);
            both(
                format!("to_char({a}, {format})"),
                &format!("to_char(a, {format})"),
            )
        }
        (Sqlite, "strftime", [format, a]) => {
            let format = quote_literal(&pattern(dialect, text(format)?)?);
            both(
                format!("to_char(({a})::timestamp, {format})"),
                &format!("to_char(a, {format})"),
            )
        }
        (Sqlite | MySql, "date", [a]) => both(format!("({a})::date"), "a::date"),
        (MySql | Sqlite | DuckDb, "group_concat", [a, ..]) => joined(a, arguments, function),
        _ => None,
    }
}

/// `GROUP_CONCAT` with its separator, order and DISTINCT.
fn joined(value: &Expr, arguments: &[&Expr], function: &Function) -> Option<(String, String)> {
    let FunctionArguments::List(list) = &function.args else {
        return None;
    };
    let mut separator = match arguments {
        [_] => "','".to_owned(),
        [_, separator] => separator.to_string(),
        _ => return None,
    };
    let mut order = String::new();
    for clause in &list.clauses {
        match clause {
            FunctionArgumentClause::Separator(text) => separator = text.to_string(),
            FunctionArgumentClause::OrderBy(_) => order = format!(" {clause}"),
            _ => return None,
        }
    }
    let distinct = match list.duplicate_treatment {
        Some(DuplicateTreatment::Distinct) => "DISTINCT ",
        _ => "",
    };
    Some((
        format!("string_agg({distinct}({value})::text, {separator}{order})"),
        format!("string_agg({distinct}a, {separator}{order})"),
    ))
}

/// A unit of time in the words of PostgreSQL.
fn unit(expr: &Expr) -> Option<&'static str> {
    let name = expr.to_string().to_lowercase();
    UNITS
        .iter()
        .find(|(own, _)| *own == name)
        .map(|(_, unit)| *unit)
}

/// `INTERVAL 1 DAY`, whose number has no quotes in MySQL.
fn interval_of(expr: &Expr) -> Option<String> {
    let Expr::Interval(interval) = expr else {
        return None;
    };
    let field = interval.leading_field.as_ref()?.to_string().to_lowercase();
    let (_, unit) = UNITS.iter().find(|(own, _)| *own == field)?;
    let (count, unit) = match *unit {
        "quarter" => (3, "month"),
        unit => (1, unit),
    };
    Some(format!("({}) * INTERVAL '{count} {unit}'", interval.value))
}

fn text(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) => Some(text),
            _ => None,
        },
        _ => None,
    }
}
