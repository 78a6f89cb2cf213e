//! Words of a question that say what is wanted, beside the names: comparisons, periods, money, ranks.

use text2sql_domain::words;
use text2sql_language::english::lexicon;
use text2sql_language::words::{Token, TokenKind, stem};

/// Stems of words for money that comes in. A schema has it as an amount or a total of something.
const INCOME: &[&str] = words!(
    "revenu, revenue, sale, sales, turnover, incom, income, earning, umsatz, umsätze, \
     money, spent, spend, einnahmen, pay, paid, pays"
);

/// A comparison with a number: "over 10".
pub(super) struct Compared {
    pub(super) is_more: bool,
    pub(super) number: String,
}

/// "over 10", "less than 5", without a unit behind it, which may be another one than that of the data.
pub(super) fn compared(tokens: &[Token]) -> Option<Compared> {
    let at = tokens
        .iter()
        .position(|token| token.kind == TokenKind::Number)?;
    let before = tokens.get(at.saturating_sub(2)..at)?;
    let says = |words: &[&str]| {
        before
            .iter()
            .any(|token| words.contains(&token.lower.as_str()))
    };
    let unit = tokens
        .get(at + 1)
        .filter(|next| next.kind == TokenKind::Word);
    let is_money = |unit: &Token| CURRENCIES.contains(&unit.lower.as_str());
    if unit.is_some_and(|unit| !is_money(unit) && !lexicon::is_known(&unit.lower)) {
        return None;
    }
    let is_more = says(&["over", "above", "more", "greater", "exceeding", "least"]);
    let is_less = says(&["under", "below", "less", "fewer"]);
    let number = tokens.get(at)?.lower.clone();
    (is_more || is_less).then_some(Compared { is_more, number })
}

/// Units of money, which data rarely name.
pub(super) const CURRENCIES: &[&str] =
    &["dollar", "dollars", "euro", "euros", "usd", "eur", "pounds"];

/// The period after "per", "by" or "each".
pub(super) fn period(tokens: &[Token]) -> Option<&'static str> {
    const PERIODS: [&str; 3] = ["month", "quarter", "year"];
    let pairs = tokens.iter().zip(tokens.iter().skip(1));
    let mut named = pairs.filter_map(|(before, token)| {
        let groups = matches!(before.lower.as_str(), "per" | "by" | "each" | "every");
        let period = PERIODS.into_iter().find(|period| token.stem == *period)?;
        groups.then_some(period)
    });
    named.next()
}

pub(super) fn is_ranking(token: &Token) -> bool {
    token.kind == TokenKind::Word
        && (lexicon::superlative(&token.lower).is_some()
            || matches!(
                token.lower.as_str(),
                "most" | "top" | "best" | "besten" | "beste"
            ))
}

pub(super) fn is_income(token: &Token) -> bool {
    token.kind == TokenKind::Word
        && (INCOME.contains(&stem(&token.lower).as_str()) || INCOME.contains(&token.lower.as_str()))
}
