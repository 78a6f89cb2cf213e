//! Periods as people say them, where the next or the last one has a part of it: "June and July 2022".

use jiff::civil::Date;
use text2sql_domain::words;
use text2sql_language::calendar::{parse_date, plus_months};
use text2sql_language::periods::{dates, spans};
use text2sql_language::words::{Token, TokenKind};

/// Days from one and before another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Period {
    pub(crate) from: Option<String>,
    pub(crate) before: Option<String>,
}

impl Period {
    /// The same days so many months before, where both ends are known.
    pub(crate) fn months_before(&self, months: i32) -> Option<Self> {
        let moved = |day: &Option<String>| {
            let day = parse_date(day.as_deref()?)?;
            Some(plus_months(day, -months).to_string())
        };
        Some(Self {
            from: Some(moved(&self.from)?),
            before: Some(moved(&self.before)?),
        })
    }
}

/// The period that begins at the word, and how many words it has. Where two are compared, "from" begins none.
pub(crate) fn period_at(
    days: &[Token],
    start: usize,
    today: Date,
    splits: bool,
) -> Option<(Period, usize)> {
    let rest = days.get(start..)?;
    if splits
        && rest
            .first()
            .is_some_and(|first| matches!(first.lower.as_str(), "from" | "between" | "since"))
    {
        return None;
    }
    let before = days.get(..start)?;
    if let Some(found) = month_of_next(rest, today)
        .or_else(|| month_of_last(before, rest, today).filter(|_| splits))
        .or_else(|| half_of_year(rest))
    {
        return Some(found);
    }
    let read = spans::read(rest, today).or_else(|| {
        let (period, taken) = dates::read_period(rest, today)?;
        Some(((Some(period.start), Some(period.end)), taken))
    });
    let ((from, before), taken) = read?;
    let period = Period {
        from: from.map(|day| day.to_string()),
        before: before.map(|day| day.to_string()),
    };
    Some((period, taken))
}

/// "the first half of 2022", "ersten Halbjahr 2022"
fn half_of_year(rest: &[Token]) -> Option<(Period, usize)> {
    let (first, rest) = rest.split_first()?;
    let (half, after) = rest.split_first()?;
    let is_second = match first.lower.as_str() {
        "first" | "1st" => false,
        "second" | "2nd" => true,
        _ => return None,
    };
    let joint = after
        .iter()
        .take_while(|token| matches!(token.lower.as_str(), "of" | "in" | "year" | "the" | "from"))
        .count();
    let year = after.get(joint)?.number.as_ref()?;
    let next: u32 = year.parse::<u32>().ok()? + 1;
    let (from, before) = match is_second {
        false => (format!("{year}-01-01"), format!("{year}-07-01")),
        true => (format!("{year}-07-01"), format!("{next}-01-01")),
    };
    let period = Period {
        from: Some(from),
        before: Some(before),
    };
    (half.lower == "half" && year.len() == 4).then_some((period, joint + 3))
}

/// A month before another one that has the year for both: "June" of "June and July 2022".
fn month_of_next(rest: &[Token], today: Date) -> Option<(Period, usize)> {
    // "im Juni und im Juli 2022"
    let (joint, second, year) = match rest {
        [_, joint, within, second, year, ..] if within.lower == "in" => (joint, second, year),
        [_, joint, second, year, ..] => (joint, second, year),
        _ => return None,
    };
    let first = rest.first()?;
    let is_joint =
        words!("and, to, und, bis, zu, or, vs, versus, with, mit").contains(&joint.lower.as_str());
    let is_year = year.number.as_ref().is_some_and(|number| number.len() == 4);
    let read = |month: &Token| dates::read_period(&[month.clone(), year.clone()], today);
    if !is_joint || !is_year || first.number.is_some() {
        return None;
    }
    let (own, 2) = read(first)? else { return None };
    let (_, 2) = read(second)? else { return None };
    let period = Period {
        from: Some(own.start.to_string()),
        before: Some(own.end.to_string()),
    };
    Some((period, 1))
}

/// A month that is compared with one before it, which has the year for both: "July" of "August 2022 compared with July".
fn month_of_last(before: &[Token], rest: &[Token], today: Date) -> Option<(Period, usize)> {
    let month = rest.first().filter(|month| month.number.is_none())?;
    let is_joint = |token: &&Token| {
        words!("compared, with, to, against, versus, vs, than, over, im, vergleich, zu, zum, mit, gegenüber, verglichen, and, und")
            .contains(&token.lower.as_str())
    };
    let joints = before.iter().rev().take_while(is_joint).count();
    let [.., first, year] = before.get(..before.len().checked_sub(joints)?)? else {
        return None;
    };
    let is_year = year.number.as_ref().is_some_and(|number| number.len() == 4);
    let has_own = rest.get(1).is_some_and(|next| next.number.is_some());
    if joints == 0 || !is_year || has_own {
        return None;
    }
    let read = |month: &Token| dates::read_period(&[month.clone(), year.clone()], today);
    let ((said, 2), (own, 2)) = (read(first)?, read(month)?) else {
        return None;
    };
    // "January 2022 compared with December" is of the year before.
    let of_year = |year: i64| {
        let year = Token {
            number: Some(year.to_string()),
            ..Token::new(&year.to_string(), TokenKind::Number)
        };
        dates::read_period(&[month.clone(), year], today)
    };
    let own = match own.start > said.start {
        true => of_year(i64::from(said.start.year()) - 1)?.0,
        false => own,
    };
    let period = Period {
        from: Some(own.start.to_string()),
        before: Some(own.end.to_string()),
    };
    Some((period, 1))
}
