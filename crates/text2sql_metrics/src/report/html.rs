//! HTML output: escaping, and syntax highlighting for SQL.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;

pub(super) use text2sql_charts::escape;
use text2sql_sql::reader as sql_reader;

/// Maximum length of a statement that is highlighted.
const MAX_COLOURED: usize = 20_000;

/// A statement with highlighted keywords and literals.
pub(super) fn sql(text: &str) -> String {
    if text.len() > MAX_COLOURED {
        return escape(text);
    }
    let Ok(tokens) = sql_reader::tokens(text) else {
        return escape(text);
    };
    tokens
        .iter()
        .map(|token| {
            let plain = escape(&token.to_string());
            match token {
                Token::Word(word)
                    if word.keyword != Keyword::NoKeyword && word.quote_style.is_none() =>
                {
                    format!("<b>{plain}</b>")
                }
                Token::SingleQuotedString(_) | Token::Number(..) => format!("<i>{plain}</i>"),
                _ => plain,
            }
        })
        .collect()
}

/// A fraction as a percentage.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Milliseconds with a suitable number of digits.
pub(super) fn milliseconds(value: f64) -> String {
    match value {
        value if value >= 10_000.0 => format!("{:.1} s", value / 1_000.0),
        value if value >= 100.0 => format!("{value:.0} ms"),
        value if value >= 1.0 => format!("{value:.1} ms"),
        value => format!("{value:.2} ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_statement_is_markup() {
        assert_eq!(
            sql("SELECT '<script>' AS x FROM \"a&b\" LIMIT 5"),
            "<b>SELECT</b> <i>&#39;&lt;script&gt;&#39;</i> <b>AS</b> x <b>FROM</b> &quot;a&amp;b&quot; <b>LIMIT</b> <i>5</i>"
        );
        assert_eq!(sql("it's <b>"), "it&#39;s &lt;b&gt;");
    }

    #[test]
    fn figures_are_short() {
        assert_eq!(percent(0.12345), "12.3 %");
        assert_eq!(milliseconds(0.054), "0.05 ms");
        assert_eq!(milliseconds(12_345.0), "12.3 s");
    }
}
