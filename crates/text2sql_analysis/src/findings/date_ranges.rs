//! The days that the conditions of a query keep.

use jiff::civil::Date;
use sqlparser::ast::{BinaryOperator, DateTimeField, Expr, Interval, UnaryOperator, Value};

use text2sql_domain::schema::TypeCategory;
use text2sql_language::calendar::{first_of_week, plus_days, plus_months};
use text2sql_phrases::say;
use text2sql_sql::tree::syntax::{
    constant_text, flatten, is_comparison, read_call, without_casts, without_parentheses,
};
use text2sql_sql::tree::walk::{grouped_expressions, walk};
use text2sql_sql::tree::{Reference, Tree};

use super::said::each_expression;

/// A stretch of days: the first one, and the first one after it.
pub(super) type Days = (Option<Date>, Option<Date>);

/// The stretch in words.
pub(super) fn days_in_words((from, before): Days) -> String {
    let day = |day: Option<Date>| day.map(|day| day.to_string());
    match (day(from), day(before)) {
        (Some(from), Some(before)) => say!("{from} up to but without {before}", from, before),
        (Some(from), None) => say!("all from {from} on", from),
        (None, Some(before)) => say!("all before {before}", before),
        (None, None) => say!("all days"),
    }
}

/// What the conditions of a query say of days.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kept {
    /// Nothing.
    All,
    /// For each place with conditions on days, those that it keeps.
    Days(Vec<Days>),
    /// Something that is not read here.
    Unclear,
}

/// Reads all conditions of a query: those in WHERE and ON of each block, in filters of aggregates and in CASE.
pub(super) fn kept(tree: &Tree<'_>, today: Date) -> Kept {
    let mut reader = Reader {
        tree,
        today,
        found: Vec::new(),
        is_unclear: false,
    };
    for (position, block) in tree.blocks.iter().enumerate() {
        let joined = block
            .sources
            .iter()
            .flat_map(|source| source.conditions.iter().copied());
        let together: Vec<&Expr> = block.filters().into_iter().chain(joined).collect();
        reader.together(position, &together);
        let mut outputs = grouped_expressions(block.select, block.query);
        outputs.extend(&block.select.having);
        for expression in outputs {
            walk(expression, &mut |part| match part {
                Expr::Function(function) => {
                    if let Some(filter) = &function.filter {
                        reader.together(position, &flatten(filter, &BinaryOperator::And));
                    }
                }
                Expr::Case { conditions, .. } => {
                    for when in conditions {
                        reader.together(position, &flatten(&when.condition, &BinaryOperator::And));
                    }
                }
                _ => {}
            });
        }
    }
    match (reader.is_unclear, reader.found.is_empty()) {
        (true, _) => Kept::Unclear,
        (false, true) => Kept::All,
        (false, false) => Kept::Days(reader.found),
    }
}

/// The days of each single condition of a query, wherever it stands.
pub(super) fn bounds(tree: &Tree<'_>, today: Date) -> Vec<Days> {
    let reader = Reader {
        tree,
        today,
        found: Vec::new(),
        is_unclear: false,
    };
    let mut found = Vec::new();
    each_expression(tree, &mut |block, part| {
        found.extend(reader.bound(block, part).map(|(_, days)| days));
    });
    found
}

struct Reader<'t, 'q> {
    tree: &'t Tree<'q>,
    today: Date,
    found: Vec<Days>,
    is_unclear: bool,
}

/// What a condition compares, and the days that it keeps.
type Bound = (Reference, Days);

impl Reader<'_, '_> {
    /// Conditions that hold together: the days that all of those on one column keep.
    fn together(&mut self, block: usize, conditions: &[&Expr]) {
        let mut kept: Vec<Bound> = Vec::new();
        let mut parts: Vec<(Reference, i32, i32)> = Vec::new();
        for condition in conditions {
            let condition = without_parentheses(condition);
            if let Expr::BinaryOp {
                op: BinaryOperator::Or,
                ..
            } = condition
            {
                for branch in flatten(condition, &BinaryOperator::Or) {
                    self.together(block, &flatten(branch, &BinaryOperator::And));
                }
                continue;
            }
            if let Some(part) = self.part_of_year(block, condition) {
                parts.push(part);
                continue;
            }
            match self.bound(block, condition) {
                Some((column, days)) => match kept.iter_mut().find(|(known, _)| *known == column) {
                    Some((_, known)) => {
                        known.0 = known.0.max(days.0);
                        known.1 = [known.1, days.1].into_iter().flatten().min();
                    }
                    None => kept.push((column, days)),
                },
                None => self.is_unclear |= self.limits_days(block, condition),
            }
        }
        for (column, number, length) in parts {
            let year = kept.iter_mut().find(|(known, _)| *known == column);
            match year.and_then(|(_, days)| Some((days.0?, days))) {
                Some((first, days)) if first.month() == 1 && first.day() == 1 => {
                    let from = plus_months(first, (number - 1) * length);
                    *days = (Some(from), Some(plus_months(from, length)));
                }
                _ => self.is_unclear = true,
            }
        }
        self.found.extend(kept.into_iter().map(|(_, days)| days));
    }

    /// `extract(month FROM column) = 5`, also of a quarter: its number, and how many months each has.
    fn part_of_year(&self, block: usize, condition: &Expr) -> Option<(Reference, i32, i32)> {
        let Expr::BinaryOp {
            left,
            op: BinaryOperator::Eq,
            right,
        } = condition
        else {
            return None;
        };
        let (field, column) = part_of(left)?;
        let length = match field.as_str() {
            "month" => 1,
            "quarter" => 3,
            _ => return None,
        };
        let number = i32::try_from(number(right)?).ok()?;
        let is_part = (1..=12 / length).contains(&number);
        is_part.then_some((self.dated(block, column)?, number, length))
    }

    /// The column of days that an expression is, through casts.
    fn dated(&self, block: usize, expression: &Expr) -> Option<Reference> {
        let expression = without_casts(expression);
        let reference = self.tree.resolve(block, expression)?;
        let category = self.tree.category(block, expression)?;
        matches!(category, TypeCategory::Date | TypeCategory::Timestamp).then_some(reference)
    }

    /// A column of whole years.
    fn of_years(&self, block: usize, expression: &Expr) -> Option<Reference> {
        let reference = self.tree.resolve(block, without_casts(expression))?;
        let name = reference.column.to_lowercase();
        let is_year = ["year", "yr", "jahr"]
            .into_iter()
            .any(|word| name.split('_').any(|part| part == word));
        let category = self.tree.category(block, without_casts(expression));
        let is_number = matches!(category, Some(TypeCategory::Integer | TypeCategory::Number));
        (is_year && is_number).then_some(reference)
    }

    fn bound(&self, block: usize, condition: &Expr) -> Option<Bound> {
        match condition {
            Expr::Between {
                expr,
                negated: false,
                low,
                high,
            } => {
                let (column, low) = self.compared(block, expr, &BinaryOperator::GtEq, low)?;
                let (_, high) = self.compared(block, expr, &BinaryOperator::LtEq, high)?;
                Some((column, (low.0, high.1)))
            }
            Expr::InList {
                expr,
                list,
                negated: false,
            } => {
                let days: Vec<Bound> = list
                    .iter()
                    .map(|item| self.compared(block, expr, &BinaryOperator::Eq, item))
                    .collect::<Option<_>>()?;
                let from = days.iter().map(|(_, days)| days.0).min()??;
                let before = days.iter().map(|(_, days)| days.1).max()??;
                Some((days.first()?.0.clone(), (Some(from), Some(before))))
            }
            Expr::BinaryOp { left, op, right } if is_comparison(op) => self
                .compared(block, left, op, right)
                .or_else(|| self.compared(block, right, &turned(op), left)),
            _ => None,
        }
    }

    fn compared(
        &self,
        block: usize,
        place: &Expr,
        op: &BinaryOperator,
        value: &Expr,
    ) -> Option<Bound> {
        let (column, first, after) = self.stretch(block, place, value)?;
        let days = match op {
            BinaryOperator::Eq => (Some(first), Some(after)),
            BinaryOperator::GtEq => (Some(first), None),
            BinaryOperator::Gt => (Some(after), None),
            BinaryOperator::Lt => (None, Some(first)),
            BinaryOperator::LtEq => (None, Some(after)),
            _ => return None,
        };
        Some((column, days))
    }

    /// The stretch that one value of `place` stands for: a day, or the unit that it is cut to.
    fn stretch(&self, block: usize, place: &Expr, value: &Expr) -> Option<(Reference, Date, Date)> {
        if let Some((field, column)) = part_of(place) {
            let year = self.year(value).filter(|_| field == "year")?;
            let first = Date::new(year, 1, 1).ok()?;
            return Some((self.dated(block, column)?, first, plus_months(first, 12)));
        }
        if let Expr::Function(function) = without_casts(place) {
            let call = read_call(function);
            return match (call.name.as_str(), call.arguments.as_slice()) {
                ("date_trunc", [unit, column]) => {
                    let first = self.day(value)?;
                    let after = plus_units(first, &constant_text(unit)?.to_lowercase(), 1)?;
                    Some((self.dated(block, column)?, first, after))
                }
                ("to_char", [column, form]) => {
                    let text = constant_text(value)?;
                    let (first, months) = match constant_text(form)? {
                        "YYYY" => (Date::new(text.parse().ok()?, 1, 1).ok()?, 12),
                        "YYYY-MM" => (format!("{text}-01").parse().ok()?, 1),
                        _ => return None,
                    };
                    Some((
                        self.dated(block, column)?,
                        first,
                        plus_months(first, months),
                    ))
                }
                _ => None,
            };
        }
        if let Some(column) = self.of_years(block, place) {
            let first = Date::new(self.year(value)?, 1, 1).ok()?;
            return Some((column, first, plus_months(first, 12)));
        }
        let day = self.day(value)?;
        Some((self.dated(block, place)?, day, plus_days(day, 1)))
    }

    /// A year as a number: written, or that of a day.
    fn year(&self, value: &Expr) -> Option<i16> {
        let value = without_casts(value);
        if let Some((field, day)) = part_of(value) {
            return (field == "year")
                .then(|| self.day(day).map(|day| day.year()))
                .flatten();
        }
        match value {
            Expr::BinaryOp {
                left,
                op: op @ (BinaryOperator::Minus | BinaryOperator::Plus),
                right,
            } => {
                let (year, by) = (self.year(left)?, i16::try_from(number(right)?).ok()?);
                Some(match op {
                    BinaryOperator::Plus => year.checked_add(by)?,
                    _ => year.checked_sub(by)?,
                })
            }
            _ => {
                let year = match constant_text(value) {
                    Some(text) => text.parse().ok()?,
                    None => i16::try_from(number(value)?).ok()?,
                };
                (1000..=9998).contains(&year).then_some(year)
            }
        }
    }

    /// The day that an expression without columns is.
    fn day(&self, value: &Expr) -> Option<Date> {
        let value = without_casts(value);
        if let Some(text) = constant_text(value) {
            let day = text.get(..10)?;
            return match text.len() {
                10 => day.parse().ok(),
                _ if text.get(10..)?.starts_with([' ', 'T']) => day.parse().ok(),
                _ => None,
            };
        }
        match value {
            Expr::Function(function) => {
                let call = read_call(function);
                match (call.name.as_str(), call.arguments.as_slice()) {
                    ("now" | "current_date" | "current_timestamp" | "localtimestamp", []) => {
                        Some(self.today)
                    }
                    ("date_trunc", [unit, day]) => {
                        first_of(self.day(day)?, &constant_text(unit)?.to_lowercase())
                    }
                    ("make_date", [year, month, day]) => Date::new(
                        self.year(year)?,
                        i8::try_from(number(month)?).ok()?,
                        i8::try_from(number(day)?).ok()?,
                    )
                    .ok(),
                    _ => None,
                }
            }
            Expr::Identifier(name)
                if name.quote_style.is_none()
                    && ["current_date", "current_timestamp", "localtimestamp"]
                        .contains(&name.value.to_lowercase().as_str()) =>
            {
                Some(self.today)
            }
            Expr::BinaryOp {
                left,
                op: op @ (BinaryOperator::Plus | BinaryOperator::Minus),
                right,
            } => {
                let day = self.day(left)?;
                let sign = match op {
                    BinaryOperator::Plus => 1,
                    _ => -1,
                };
                match without_parentheses(right) {
                    Expr::Interval(interval) => plus_interval(day, interval, sign),
                    Expr::Cast {
                        expr, data_type, ..
                    } if data_type.to_string().eq_ignore_ascii_case("interval") => {
                        plus_text(day, constant_text(expr)?, sign)
                    }
                    right => Some(plus_days(day, sign * i32::try_from(number(right)?).ok()?)),
                }
            }
            _ => None,
        }
    }

    /// Whether a condition compares days with something that is fixed.
    fn limits_days(&self, block: usize, condition: &Expr) -> bool {
        let mut has_days = false;
        let mut has_fixed = false;
        walk(condition, &mut |part| match part {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
                has_days |=
                    self.dated(block, part).is_some() || self.of_years(block, part).is_some();
            }
            Expr::Value(_)
            | Expr::TypedString(_)
            | Expr::Interval(_)
            | Expr::Function(_)
            | Expr::Subquery(_)
            | Expr::InSubquery { .. } => has_fixed = true,
            _ => {}
        });
        has_days && has_fixed && !matches!(condition, Expr::IsNull(_) | Expr::IsNotNull(_))
    }
}

/// The field and the column of `extract(field FROM column)` and `date_part('field', column)`.
fn part_of(expression: &Expr) -> Option<(String, &Expr)> {
    match without_casts(expression) {
        Expr::Extract { field, expr, .. } => {
            let field = match field {
                DateTimeField::Year => "year".to_owned(),
                DateTimeField::Month => "month".to_owned(),
                other => other.to_string().to_lowercase(),
            };
            Some((field, expr))
        }
        Expr::Function(function) => {
            let call = read_call(function);
            match (call.name.as_str(), call.arguments.as_slice()) {
                ("date_part", [field, column]) => {
                    let field = constant_text(field)?.to_lowercase();
                    Some((field, *column))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

fn number(expression: &Expr) -> Option<i64> {
    match without_casts(expression) {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => digits.parse().ok(),
            _ => None,
        },
        Expr::UnaryOp {
            op: UnaryOperator::Minus,
            expr,
        } => Some(-number(expr)?),
        _ => None,
    }
}

fn plus_interval(day: Date, interval: &Interval, sign: i32) -> Option<Date> {
    let text = match constant_text(&interval.value) {
        Some(text) => text.to_owned(),
        None => number(&interval.value)?.to_string(),
    };
    match &interval.leading_field {
        Some(field) => plus_text(day, &format!("{text} {field}"), sign),
        None => plus_text(day, &text, sign),
    }
}

/// The day so many units away: `1 year 2 months`.
fn plus_text(day: Date, text: &str, sign: i32) -> Option<Date> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut day = day;
    for pair in words.chunks(2) {
        let [count, unit] = pair else {
            return None;
        };
        let unit = unit.to_lowercase();
        let unit = unit.strip_suffix('s').unwrap_or(&unit);
        day = plus_units(day, unit, sign * count.parse::<i32>().ok()?)?;
    }
    Some(day)
}

fn plus_units(day: Date, unit: &str, count: i32) -> Option<Date> {
    Some(match unit {
        "day" => plus_days(day, count),
        "week" => plus_days(day, count.checked_mul(7)?),
        "month" | "mon" => plus_months(day, count),
        "quarter" => plus_months(day, count.checked_mul(3)?),
        "year" => plus_months(day, count.checked_mul(12)?),
        _ => return None,
    })
}

fn first_of(day: Date, unit: &str) -> Option<Date> {
    Some(match unit {
        "day" => day,
        "week" => first_of_week(day),
        "month" => day.first_of_month(),
        "quarter" => {
            let month = (day.month() - 1) / 3 * 3 + 1;
            Date::new(day.year(), month, 1).ok()?
        }
        "year" => day.first_of_year(),
        _ => return None,
    })
}

fn turned(op: &BinaryOperator) -> BinaryOperator {
    match op {
        BinaryOperator::Gt => BinaryOperator::Lt,
        BinaryOperator::GtEq => BinaryOperator::LtEq,
        BinaryOperator::Lt => BinaryOperator::Gt,
        BinaryOperator::LtEq => BinaryOperator::GtEq,
        same => same.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_domain::schema_fixture::Build;
    use text2sql_sql::tree::read_query;

    fn read(condition: &str) -> String {
        let loans = Build::table(1, "loans")
            .columns(
                "loan_id integer!, lent_on date!, back_at timestamp, due_year integer, fee numeric",
            )
            .key(&["loan_id"])
            .done();
        let query = read_query(&format!("SELECT count(*) FROM loans WHERE {condition}")).unwrap();
        let tree = Tree::read(&query, &[loans]);
        let today = Date::constant(2026, 11, 21);
        let shown = |day: Option<Date>| day.map_or("…".to_owned(), |day| day.to_string());
        match kept(&tree, today) {
            Kept::All => "all".to_owned(),
            Kept::Unclear => "unclear".to_owned(),
            Kept::Days(days) => {
                let days: Vec<String> = days
                    .into_iter()
                    .map(|(from, before)| format!("{} {}", shown(from), shown(before)))
                    .collect();
                days.join(", ")
            }
        }
    }

    #[test]
    fn days_are_read_from_conditions() {
        for (condition, days) in [
            (
                "lent_on >= '2025-01-01' AND lent_on < '2026-01-01'",
                "2025-01-01 2026-01-01",
            ),
            (
                "lent_on BETWEEN DATE '2025-01-01' AND DATE '2025-12-31'",
                "2025-01-01 2026-01-01",
            ),
            ("extract(year FROM lent_on) = 2025", "2025-01-01 2026-01-01"),
            (
                "date_part('year', back_at) IN (2024, 2025)",
                "2024-01-01 2026-01-01",
            ),
            (
                "to_char(lent_on, 'YYYY-MM') = '2025-03'",
                "2025-03-01 2025-04-01",
            ),
            (
                "extract(year FROM lent_on) = 2025 AND extract(month FROM lent_on) = 3",
                "2025-03-01 2025-04-01",
            ),
            (
                "extract(year FROM lent_on) = 2025 AND date_part('quarter', lent_on) = 4",
                "2025-10-01 2026-01-01",
            ),
            ("extract(quarter FROM lent_on) = 4", "unclear"),
            ("due_year > 2023", "2024-01-01 …"),
            ("'2025-01-01' > lent_on", "… 2025-01-01"),
            ("lent_on >= current_date - 30", "2026-10-22 …"),
            (
                "back_at >= date_trunc('month', now()) - interval '1 month' AND back_at < date_trunc('month', now())",
                "2026-10-01 2026-11-01",
            ),
            (
                "date_trunc('year', lent_on) = date_trunc('year', CURRENT_DATE) - INTERVAL '1' YEAR",
                "2025-01-01 2026-01-01",
            ),
            (
                "extract(year FROM lent_on) = extract(year FROM current_date) - 1",
                "2025-01-01 2026-01-01",
            ),
            (
                "lent_on = '2025-05-05' OR lent_on = '2025-06-05' AND fee > 2",
                "2025-05-05 2025-05-06, 2025-06-05 2025-06-06",
            ),
            ("back_at >= make_date(2025, 4, 1)", "2025-04-01 …"),
            ("fee > 5 AND back_at IS NULL", "all"),
            ("back_at > lent_on", "all"),
            ("extract(month FROM lent_on) = 3", "unclear"),
            ("extract(dow FROM lent_on) = 3", "unclear"),
            ("lent_on > (SELECT max(lent_on) FROM loans)", "unclear"),
            ("age(lent_on) < interval '1 year'", "unclear"),
        ] {
            assert_eq!(read(condition), days, "{condition}");
        }
    }
}
