//! Which constants of a query a reader of its prompt cannot know.
//!
//! They may be values that must not be sent, and a model could only learn to guess them. What a constant is for is read
//! from the tokens around it: a unit of time, a format and the size of a type say nothing about rows.

use sqlparser::tokenizer::{Token, Word};
use text2sql_domain::words;

use text2sql_language::numbers;
use text2sql_sql::reader as sql_reader;

/// Number of digits up to which anybody may write a number.
const PLAIN_DIGITS: usize = 2;

/// Longer numbers that people write without having been told: percent, days of a year, factors and seconds.
const PLAIN_NUMBERS: [f64; 5] = [100.0, 365.0, 1_000.0, 3_600.0, 86_400.0];

/// Units of time, in the singular.
const UNITS: [&str; 20] = *words!(
    "century, day, decade, dow, doy, epoch, hour, isodow, isoyear, julian, microsecond, \
     millennium, millisecond, min, minute, month, quarter, second, week, year"
);

/// Names of moments, as arguments of types of time.
const MOMENTS: [&str; 7] = *words!("now, today, tomorrow, yesterday, epoch, infinity, -infinity");

/// Whether SQL has a constant that is not in `prompt`: a text, or a number of three digits and more. A date whose year
/// `question` names is known, and so is the first day of the next year, where a period ends. SQL that cannot be read, or
/// has parameters, counts as having one.
pub fn has_hidden_constant(sql: &str, prompt: &str, question: &str) -> bool {
    let Ok(tokens) = sql_reader::tokens(sql) else {
        return true;
    };
    let tokens: Vec<Token> = tokens
        .into_iter()
        .filter(|token| !matches!(token, Token::Whitespace(_)))
        .collect();
    let shown = Shown {
        prompt: prompt.to_lowercase(),
        question: question.to_lowercase(),
        numbers: numbers::stated(question),
    };
    let mut frames: Vec<Frame> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let around = Around {
            before: tokens.get(..at).unwrap_or_default(),
            after: tokens.get(at + 1..).unwrap_or_default(),
            frame: frames.last(),
        };
        let is_hidden = match token {
            Token::Placeholder(_) => true,
            Token::Number(number, _) => {
                !matches!(around.frame, Some(Frame::OfType)) && shown.hides_number(number)
            }
            Token::HexStringLiteral(text) | Token::SingleQuotedByteStringLiteral(text) => {
                shown.hides_text(text)
            }
            Token::SingleQuotedString(text)
            | Token::EscapedStringLiteral(text)
            | Token::UnicodeStringLiteral(text)
            | Token::NationalStringLiteral(text) => shown.hides(text, around.purpose()),
            Token::DollarQuotedString(text) => shown.hides(&text.value, around.purpose()),
            _ => false,
        };
        if is_hidden {
            return true;
        }
        match token {
            Token::LParen => frames.push(around.opened()),
            Token::RParen => {
                frames.pop();
            }
            Token::Comma => {
                if let Some(Frame::Call { argument, .. }) = frames.last_mut() {
                    *argument += 1;
                }
            }
            _ => {}
        }
    }
    false
}

/// What parentheses are for.
enum Frame {
    /// A call of a function, at the argument of this number.
    Call { function: String, argument: usize },
    /// The size of a type, as in `numeric(10, 2)`.
    OfType,
    /// Anything else.
    Group,
}

/// What a text is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// It is compared or shown.
    Value,
    /// A pattern of LIKE.
    Pattern,
    /// The name of a unit of time.
    Unit,
    /// An interval.
    Interval,
    /// A date or time.
    Moment,
    /// A format of dates and numbers.
    Template,
}

/// The tokens around a constant.
struct Around<'a> {
    before: &'a [Token],
    after: &'a [Token],
    frame: Option<&'a Frame>,
}

impl Around<'_> {
    /// What the parentheses are for that open here.
    fn opened(&self) -> Frame {
        match self.before {
            [.., Token::DoubleColon, Token::Word(_)] => Frame::OfType,
            [.., Token::Word(word), Token::Word(_)] if is_word(word, &["as"]) => Frame::OfType,
            [.., Token::Word(word)] => Frame::Call {
                function: word.value.to_lowercase(),
                argument: 0,
            },
            _ => Frame::Group,
        }
    }

    /// What a text in this place is for.
    fn purpose(&self) -> Purpose {
        let cast_to = |names: &[&str]| match self.after {
            [Token::DoubleColon, Token::Word(name), ..] => is_word(name, names),
            [Token::Word(to), Token::Word(name), ..] => {
                is_word(to, &["as"]) && is_word(name, names) && self.is_argument("cast", 0)
            }
            _ => false,
        };
        let follows = |names: &[&str]| match self.before {
            [.., Token::Word(word)] => is_word(word, names),
            _ => false,
        };
        const TIMES: [&str; 5] = ["date", "time", "timestamp", "timestamptz", "timetz"];
        const TEMPLATES: [&str; 4] = ["to_char", "to_date", "to_number", "to_timestamp"];
        if follows(&["interval"]) || cast_to(&["interval"]) {
            Purpose::Interval
        } else if follows(&TIMES) || cast_to(&TIMES) {
            Purpose::Moment
        } else if follows(&["like", "ilike"]) {
            Purpose::Pattern
        } else if ["date_trunc", "date_part", "extract"]
            .iter()
            .any(|name| self.is_argument(name, 0))
        {
            Purpose::Unit
        } else if self.is_argument("generate_series", 2) || self.is_argument("date_bin", 0) {
            Purpose::Interval
        } else if TEMPLATES.iter().any(|name| self.is_argument(name, 1)) {
            Purpose::Template
        } else {
            Purpose::Value
        }
    }

    fn is_argument(&self, name: &str, place: usize) -> bool {
        matches!(self.frame, Some(Frame::Call { function, argument })
            if function == name && *argument == place)
    }
}

fn is_word(word: &Word, names: &[&str]) -> bool {
    word.quote_style.is_none()
        && names
            .iter()
            .any(|name| word.value.eq_ignore_ascii_case(name))
}

/// What a reader of the prompt knows.
struct Shown {
    /// In lower case.
    prompt: String,
    /// In lower case.
    question: String,
    /// The numbers that the question states, in digits and words.
    numbers: Vec<numbers::Stated>,
}

impl Shown {
    fn hides(&self, text: &str, purpose: Purpose) -> bool {
        match purpose {
            Purpose::Template => false,
            Purpose::Unit => !is_unit(text) && self.hides_text(text),
            Purpose::Interval => !is_interval(text) && self.hides_text(text),
            Purpose::Moment => {
                !MOMENTS.contains(&text.to_lowercase().as_str()) && self.hides_text(text)
            }
            Purpose::Pattern => pieces(text).iter().any(|piece| self.hides_text(piece)),
            Purpose::Value => self.hides_text(text),
        }
    }

    /// A text without letters and digits, such as a separator, reveals nothing. A pattern may be put together of texts,
    /// so the signs for any text around one do not count.
    fn hides_text(&self, text: &str) -> bool {
        let text = text.trim_matches(|c: char| c == '%' || c.is_whitespace());
        let text = text.to_lowercase();
        if !text.chars().any(char::is_alphanumeric) || has_words(&self.prompt, &text) {
            return false;
        }
        // As SQL writes it, which is how prompts show values.
        let is_quoted = text.contains('\'') && has_words(&self.prompt, &text.replace('\'', "''"));
        !is_quoted && !self.knows_date(&text)
    }

    /// Whether a text begins with a year and a month in digits, and the question names the year.
    fn knows_date(&self, text: &str) -> bool {
        let is_digits = |part: &str, count| {
            part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        let (date, time) = text.split_once([' ', 't']).unwrap_or((text, ""));
        let parts: Vec<&str> = date.split('-').collect();
        let (year, is_new_year) = match parts.as_slice() {
            [year, month] if is_digits(month, 2) && time.is_empty() => (*year, *month == "01"),
            [year, month, day] if is_digits(month, 2) && is_digits(day, 2) => {
                (*year, *month == "01" && *day == "01")
            }
            _ => return false,
        };
        let is_time = time
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, ':' | '.' | '+' | '-' | 'z'));
        let Some(number) = year.parse::<u32>().ok().filter(|_| is_digits(year, 4)) else {
            return false;
        };
        let before = number.saturating_sub(1).to_string();
        is_time
            && (has_words(&self.question, year)
                || (is_new_year && has_words(&self.question, &before)))
    }

    fn hides_number(&self, number: &str) -> bool {
        let number = number.replace('_', "").to_lowercase();
        let Ok(value) = number.parse::<f64>() else {
            return self.hides_text(&number);
        };
        let number = match number.contains('e') {
            true => value.to_string(),
            false => number,
        };
        let digits = number.replace('.', "");
        let is_plain =
            digits.trim_start_matches('0').len() <= PLAIN_DIGITS || PLAIN_NUMBERS.contains(&value);
        let is_stated = || {
            let written = numbers::stated(&number);
            let known =
                |one: &numbers::Stated| self.numbers.iter().any(|stated| stated.is_same(one));
            matches!(written.as_slice(), [one] if known(one))
        };
        !is_plain && !has_number(&self.prompt, &number) && !is_stated()
    }
}

/// The texts between the signs of a pattern that stand for any text or any character.
fn pieces(pattern: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut characters = pattern.chars();
    while let Some(c) = characters.next() {
        let kept = match c {
            '%' | '_' => {
                pieces.push(String::new());
                continue;
            }
            '\\' => characters.next().unwrap_or(c),
            c => c,
        };
        if let Some(piece) = pieces.last_mut() {
            piece.push(kept);
        }
    }
    pieces
}

fn is_unit(text: &str) -> bool {
    let text = text.to_lowercase();
    UNITS.contains(&text.as_str())
        || text
            .strip_suffix('s')
            .is_some_and(|one| UNITS.contains(&one))
        || matches!(text.as_str(), "centuries" | "timezone")
}

/// Whether a text is an interval: numbers, times and units.
fn is_interval(text: &str) -> bool {
    let mut words = text.split_whitespace().peekable();
    let is_amount = |word: &str| {
        word.chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | ':'))
    };
    words.peek().is_some() && words.all(|word| is_amount(word) || is_unit(word))
}

/// Whether a text has these words: neither a letter nor a digit continues them before or after. Where a script writes no
/// spaces between words, anything may.
fn has_words(text: &str, words: &str) -> bool {
    let continues = |inner: Option<char>, outer: Option<char>| match (inner, outer) {
        (Some(inner), Some(outer)) => {
            inner.is_alphanumeric()
                && outer.is_alphanumeric()
                && !is_unspaced(inner)
                && !is_unspaced(outer)
        }
        _ => false,
    };
    text.match_indices(words).any(|(at, found)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + found.len()..);
        let after = after.and_then(|text| text.chars().next());
        !continues(words.chars().next(), before) && !continues(words.chars().next_back(), after)
    })
}

/// Whether a text has this number and not a longer one: `500` is not in `3.500`.
fn has_number(text: &str, number: &str) -> bool {
    text.match_indices(number).any(|(at, found)| {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + found.len()..).unwrap_or_default();
        let continues = |first: Option<char>, second: Option<char>| match first {
            Some('.' | ',') => second.is_some_and(|c| c.is_ascii_digit()),
            Some(c) => c.is_alphanumeric(),
            None => false,
        };
        let (mut back, mut forth) = (before.chars().rev(), after.chars());
        !continues(back.next(), back.next()) && !continues(forth.next(), forth.next())
    })
}

/// Whether a character is of a script without spaces between words, or with endings joined to names (Korean).
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROMPT: &str = "orders (about 1234 rows)\n  total numeric\n  city text one of 'Graz', 'O''Fallon', 'New York'\n\nQuestion:\n";

    /// Whether the condition hides something from who was asked the question.
    fn hides(condition: &str, question: &str) -> bool {
        let sql = format!("SELECT count(*) FROM orders WHERE {condition}");
        has_hidden_constant(&sql, &format!("{PROMPT}{question}"), question)
    }

    fn check(cases: &[(&str, &str, bool)]) {
        for (condition, question, expected) in cases {
            let found = hides(condition, question);
            assert_eq!(found, *expected, "{condition} for {question}");
        }
    }

    #[test]
    fn texts_in_the_prompt_are_known_however_they_are_quoted() {
        check(&[
            ("city = 'Graz'", "How many in the city?", false),
            ("city = 'graz'", "How many?", false),
            ("city = 'Linz'", "How many?", true),
            ("city = 'Linz'", "How many in Linz?", false),
            ("city = 'Lin'", "How many in Linz?", true),
            ("city = 'New York'", "How many?", false),
            ("city = 'O''Fallon'", "How many?", false),
            ("city = 'O''Fallo'", "How many?", true),
            ("city = 'D''Arcy'", "How many in D'Arcy?", false),
            (r"city = E'Gra\x7a'", "How many?", false),
            (r"city = E'O\'Fallon'", "How many?", false),
            (r"city = E'Lin\x7a'", "How many?", true),
            ("city = $$Graz$$", "How many?", false),
            ("city = $q$Linz$q$", "How many?", true),
            (r"city = U&'Gr\0061z'", "How many?", false),
            ("city = N'Linz'", "How many?", true),
            ("city = X'1FA9'", "How many?", true),
            ("\"Linz\" = city", "How many?", false),
            ("concat(city, ', ', note) <> ''", "How many?", false),
        ]);
    }

    #[test]
    fn comments_hide_nothing_and_neither_do_they_help() {
        check(&[
            ("total > 0 -- Linz 98765", "How many?", false),
            ("total > 0 /* 'Linz' /* 98765 */ */", "How many?", false),
            ("city = 'Linz' -- Linz", "How many?", true),
            ("total > $1", "How many?", true),
            ("city = 'open", "How many?", true),
        ]);
    }

    #[test]
    fn numbers_are_known_if_they_are_short_or_stated() {
        check(&[
            ("total > 42", "How many?", false),
            ("total > -42 AND total * 0.05 < 1.5", "How many?", false),
            ("total > 500", "How many?", true),
            ("total > -500", "How many?", true),
            ("total > 500", "How many above 500?", false),
            ("total > 500", "How many above 3.500?", true),
            ("total > 500", "How many above 1500?", true),
            ("total > 10000", "How many above 10,000?", false),
            ("total > 10000", "Wie viele über 10.000?", false),
            ("total > 2000000", "How many above 2 million?", false),
            ("total > 1234", "How many?", false),
            ("total * 100.0 / 365 > 1000", "How many?", false),
            ("total > 1e6", "How many?", true),
            ("total > 1e6", "How many above 1000000?", false),
            ("orders2024.total > 1 AND t987 > 1", "How many?", false),
            (
                "total::numeric(100, 2) > 1 AND CAST(city AS varchar(255)) = 'Graz'",
                "How many?",
                false,
            ),
            ("round(total, 255) > 1", "How many?", true),
        ]);
    }

    #[test]
    fn dates_are_known_by_their_year() {
        check(&[
            ("at >= '2025-03-01'", "How many in March 2025?", false),
            ("at >= DATE '2025-03-01'", "How many in spring?", true),
            (
                "at >= '2025-01-01' AND at < '2026-01-01'",
                "How many in 2025?",
                false,
            ),
            ("at < '2026-01-02'", "How many in 2025?", true),
            (
                "at < timestamptz '2026-01-01 00:00:00+00'",
                "How many in 2025?",
                false,
            ),
            (
                "to_char(at, 'YYYY-MM') = '2025-03'",
                "How many in March 2025?",
                false,
            ),
            (
                "to_char(at, 'YYYY-MM') = '2024-03'",
                "How many in March 2025?",
                true,
            ),
            ("at >= '2025-03-01'::date", "How many in 12025?", true),
            (
                "at > 'today'::date AND at < TIMESTAMP 'infinity'",
                "How many?",
                false,
            ),
            ("city = 'today'", "How many?", true),
        ]);
    }

    #[test]
    fn units_intervals_and_formats_say_nothing_about_rows() {
        check(&[
            (
                "date_trunc('month', at) > now() - INTERVAL '18 months 3 days'",
                "How many?",
                false,
            ),
            ("at > now() - '90 days'::interval", "How many?", false),
            (
                "at > now() - CAST('1 week' AS interval)",
                "How many?",
                false,
            ),
            ("term = '90 days'", "How many?", true),
            ("term = 'month'", "How many?", true),
            (
                "date_part('dow', at) = 1 AND extract('year' FROM at) = 2025",
                "How many in 2025?",
                false,
            ),
            (
                "to_char(at, 'FMMonth HH24:MI') = to_char(now(), 'FMMonth HH24:MI')",
                "How many?",
                false,
            ),
            ("to_char('Linz', 'x') = city", "How many?", true),
            (
                "at IN (SELECT * FROM generate_series(now(), now(), '1 month'))",
                "How many?",
                false,
            ),
            ("lower('month') = term", "How many?", true),
        ]);
    }

    #[test]
    fn the_pieces_of_a_pattern_are_known() {
        check(&[
            ("city LIKE 'Graz%'", "How many?", false),
            ("city ILIKE '%new%york%'", "How many?", false),
            ("city LIKE '%Linz%'", "How many?", true),
            (r"city LIKE '%Linz\_A%'", "How many like Linz_A?", false),
            (
                "city LIKE '%' || 'Linz' || '%'",
                "How many with Linz?",
                false,
            ),
            ("city = 'Graz%Linz'", "How many?", true),
        ]);
    }

    #[test]
    fn values_in_other_scripts_are_found() {
        check(&[
            ("city = '東京'", "東京の注文はいくつ?", false),
            ("city = '大阪'", "東京の注文はいくつ?", true),
            ("city = '서울'", "서울의 주문은 몇 개?", false),
            ("city = 'Zürich'", "Wie viele in ZÜRICH?", false),
            ("city = 'Москва'", "Сколько заказов в Москва?", false),
            ("city = 'Моск'", "Сколько заказов в Москва?", true),
        ]);
    }
}
