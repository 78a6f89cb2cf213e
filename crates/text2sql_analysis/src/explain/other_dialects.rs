//! Recognises syntax and functions of other databases in a statement that PostgreSQL rejects, and gives the
//! PostgreSQL equivalent. It is used only after an error of the server, so
//! valid PostgreSQL syntax is never reported as foreign.

use super::Step;

/// Maximum number of remarks about one statement.
const MAX_REMARKS: usize = 5;

/// Maximum number of tokens of a call that are searched for its arguments.
const MAX_LOOKED_AT: usize = 200;

/// SQLSTATEs that another database's SQL may cause: a syntax error; an unknown or ambiguous function, column or
/// operator; a text that is not a number.
const SQLSTATES: [&str; 5] = ["42601", "42883", "42703", "42725", "22P02"];

const T_SQL: &str = "T-SQL (SQL Server)";
const MYSQL: &str = "MySQL";
const ORACLE: &str = "Oracle";

/// Functions of other databases: the name, the database, the PostgreSQL equivalent.
const FUNCTIONS: [(&str, &str, &str); 24] = [
    ("isnull", T_SQL, "coalesce(a, b)"),
    ("getdate", T_SQL, "now()"),
    ("sysdatetime", T_SQL, "now()"),
    ("dateadd", T_SQL, "a + interval '7 days'"),
    ("datediff", T_SQL, "b - a, or extract(epoch FROM b - a)"),
    ("datepart", T_SQL, "extract(month FROM a)"),
    ("iif", T_SQL, "CASE WHEN a THEN b ELSE c END"),
    ("len", T_SQL, "length(a)"),
    ("charindex", T_SQL, "strpos(text, part)"),
    ("convert", T_SQL, "cast(a AS integer)"),
    ("year", "T-SQL and MySQL", "extract(year FROM a)"),
    ("month", "T-SQL and MySQL", "extract(month FROM a)"),
    ("day", "T-SQL and MySQL", "extract(day FROM a)"),
    ("ifnull", MYSQL, "coalesce(a, b)"),
    ("if", MYSQL, "CASE WHEN a THEN b ELSE c END"),
    ("date_add", MYSQL, "a + interval '7 days'"),
    ("date_sub", MYSQL, "a - interval '7 days'"),
    ("curdate", MYSQL, "current_date"),
    ("group_concat", MYSQL, "string_agg(a, ',')"),
    ("nvl", ORACLE, "coalesce(a, b)"),
    ("nvl2", ORACLE, "CASE WHEN a IS NOT NULL THEN b ELSE c END"),
    ("decode", ORACLE, "CASE a WHEN b THEN c ELSE d END"),
    ("listagg", ORACLE, "string_agg(a, ',' ORDER BY a)"),
    ("instr", ORACLE, "strpos(text, part)"),
];

/// SQL keywords after which `[` begins a name instead of a subscript.
const BEFORE_NAMES: [&str; 12] = [
    "select", "from", "join", "where", "and", "or", "on", "by", "as", "into", "having", "distinct",
];

/// The remarks about foreign syntax that may cause the error.
pub(super) fn foreign(sql: &str, sqlstate: &str) -> Vec<Step> {
    if !SQLSTATES.contains(&sqlstate) {
        return Vec::new();
    }
    let pieces = pieces(sql);
    let mut remarks: Vec<String> = Vec::new();
    for place in 0..pieces.len() {
        let remark = pieces.get(place..).and_then(|rest| {
            let before = place.checked_sub(1).and_then(|before| pieces.get(before));
            remark(before, rest)
        });
        if let Some(remark) = remark
            && !remarks.contains(&remark)
            && remarks.len() < MAX_REMARKS
        {
            remarks.push(remark);
        }
    }
    let steps = remarks.into_iter().map(|explanation| Step {
        clause: "DIALECT".to_owned(),
        explanation,
    });
    steps.collect()
}

/// A token, with the details needed here.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    /// An unquoted word in lower case.
    Word(String),
    /// A double-quoted name.
    Quoted,
    /// A text in single quotes or dollar quotes.
    Text,
    /// A name in backticks.
    Backticks(String),
    Number(String),
    Sign(char),
}

impl Piece {
    fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word(own) if own == word)
    }
}

/// A remark about the first of the tokens, with the one before it.
fn remark(before: Option<&Piece>, pieces: &[Piece]) -> Option<String> {
    let equivalent = |what: &str, whose: &str, instead: &str| {
        Some(format!("`{what}` is {whose}; PostgreSQL writes {instead}."))
    };
    let first = pieces.first()?;
    let next = pieces.get(1);
    let is_behind = |word: &str| before.is_some_and(|before| before.is(word));
    match (first, next) {
        (Piece::Word(top), Some(Piece::Number(count)))
            if top == "top" && (is_behind("select") || is_behind("distinct")) =>
        {
            equivalent(
                &format!("TOP {count}"),
                T_SQL,
                &format!("`LIMIT {count}` at the end of the query"),
            )
        }
        (Piece::Word(top), Some(Piece::Sign('(')))
            if top == "top" && (is_behind("select") || is_behind("distinct")) =>
        {
            let count = match pieces.get(2) {
                Some(Piece::Number(count)) => count,
                _ => "n",
            };
            equivalent(
                &format!("TOP ({count})"),
                T_SQL,
                &format!("`LIMIT {count}` at the end of the query"),
            )
        }
        (Piece::Word(limit), Some(Piece::Number(skipped))) if limit == "limit" => {
            match (pieces.get(2), pieces.get(3)) {
                (Some(Piece::Sign(',')), Some(Piece::Number(count))) => equivalent(
                    &format!("LIMIT {skipped}, {count}"),
                    MYSQL,
                    &format!("`LIMIT {count} OFFSET {skipped}`"),
                ),
                _ => None,
            }
        }
        (Piece::Backticks(name), _) => Some(format!(
            "A name in backticks, here {name}, is {MYSQL}; PostgreSQL writes `\"{name}\"`, or the name without quotes."
        )),
        (Piece::Sign('['), Some(Piece::Word(name))) => {
            let begins_name = match before {
                None => true,
                Some(Piece::Word(word)) => BEFORE_NAMES.contains(&word.as_str()),
                Some(Piece::Sign(sign)) => matches!(sign, '.' | ',' | '(' | '=' | '<' | '>'),
                Some(_) => false,
            };
            if !begins_name {
                return None;
            }
            equivalent(
                &format!("[{name}]"),
                T_SQL,
                &format!("`\"{name}\"`, or the name without quotes"),
            )
        }
        (Piece::Word(name), Some(Piece::Sign('('))) => {
            // PostgreSQL has a `decode` with two arguments.
            if name == "decode" && arguments(pieces.get(2..)?) < 3 {
                return None;
            }
            let (_, whose, instead) = FUNCTIONS.iter().find(|(own, _, _)| own == name)?;
            equivalent(&format!("{name}(…)"), whose, &format!("`{instead}`"))
        }
        (Piece::Word(word), _) if word == "rownum" => equivalent(
            "ROWNUM",
            ORACLE,
            "`LIMIT n`, or `row_number() OVER (ORDER BY …)`",
        ),
        (Piece::Word(word), _) if word == "sysdate" => equivalent("SYSDATE", ORACLE, "`now()`"),
        (Piece::Word(word), Some(by)) if word == "connect" && by.is("by") => {
            equivalent("CONNECT BY", ORACLE, "`WITH RECURSIVE`")
        }
        (Piece::Word(word), _) if word == "dual" && is_behind("from") => {
            equivalent("FROM dual", ORACLE, "no FROM at all")
        }
        (Piece::Word(word), Some(next)) if word == "minus" && next.is("select") => {
            equivalent("MINUS", ORACLE, "`EXCEPT`")
        }
        (Piece::Word(word), _) if word == "nolock" => {
            equivalent("NOLOCK", T_SQL, "nothing: readers wait for nobody")
        }
        (Piece::Word(word), Some(apply))
            if matches!(word.as_str(), "cross" | "outer") && apply.is("apply") =>
        {
            let instead = match word.as_str() {
                "cross" => "`CROSS JOIN LATERAL`",
                _ => "`LEFT JOIN LATERAL … ON true`",
            };
            equivalent(&format!("{} APPLY", word.to_uppercase()), T_SQL, instead)
        }
        (Piece::Word(word), _) if word == "qualify" => equivalent(
            "QUALIFY",
            "Snowflake and BigQuery",
            "a sub-query with the window function, and WHERE around it",
        ),
        (Piece::Sign('+'), next) if before == Some(&Piece::Text) || next == Some(&Piece::Text) => {
            equivalent("+", "T-SQL between texts", "`||`")
        }
        _ => None,
    }
}

/// Number of arguments of a call; the tokens begin after its parenthesis.
fn arguments(pieces: &[Piece]) -> usize {
    let (mut depth, mut commas) = (0_usize, 0);
    for piece in pieces.iter().take(MAX_LOOKED_AT) {
        match piece {
            Piece::Sign(')') if depth == 0 => break,
            Piece::Sign('(') => depth += 1,
            Piece::Sign(')') => depth -= 1,
            Piece::Sign(',') if depth == 0 => commas += 1,
            _ => {}
        }
    }
    commas + 1
}

/// The tokens of a statement, without white space and comments.
fn pieces(sql: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            c if c.is_whitespace() => c.len_utf8(),
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '\'' => {
                pieces.push(Piece::Text);
                quoted_length(rest, '\'')
            }
            '"' => {
                pieces.push(Piece::Quoted);
                quoted_length(rest, '"')
            }
            '`' => {
                let length = quoted_length(rest, '`');
                let name = rest.get(1..length).unwrap_or_default();
                pieces.push(Piece::Backticks(name.trim_end_matches('`').to_owned()));
                length
            }
            '$' if dollar_quoted_length(rest).is_some() => {
                pieces.push(Piece::Text);
                dollar_quoted_length(rest).unwrap_or(1)
            }
            c if c.is_ascii_digit() => {
                let length = length_while(rest, |c| c.is_ascii_digit() || c == '.');
                pieces.push(Piece::Number(
                    rest.get(..length).unwrap_or_default().to_owned(),
                ));
                length
            }
            c if c.is_alphabetic() || c == '_' => {
                let length = length_while(rest, |c| c.is_alphanumeric() || matches!(c, '_' | '$'));
                let word = rest.get(..length).unwrap_or_default().to_lowercase();
                pieces.push(Piece::Word(word));
                length
            }
            c => {
                pieces.push(Piece::Sign(c));
                c.len_utf8()
            }
        };
        rest = rest.get(taken.max(1)..).unwrap_or_default();
    }
    pieces
}

fn length_while(text: &str, goes_on: impl Fn(char) -> bool) -> usize {
    text.find(|c: char| !goes_on(c)).unwrap_or(text.len())
}

/// Length of a quoted text including its quotes; without a closing quote, up to the end of the statement.
fn quoted_length(text: &str, quote: char) -> usize {
    text.get(1..)
        .and_then(|inner| inner.find(quote))
        .map_or(text.len(), |end| end + 2)
}

/// Length of a dollar-quoted text, if one begins here.
fn dollar_quoted_length(text: &str) -> Option<usize> {
    let end_of_tag = text.get(1..)?.find('$')? + 2;
    let tag = text.get(..end_of_tag)?;
    let is_tag = tag
        .trim_matches('$')
        .chars()
        .all(|c| c.is_alphanumeric() || c == '_');
    if !is_tag || tag.get(1..2)?.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let length = text
        .get(end_of_tag..)?
        .find(tag)
        .map(|end| end + 2 * end_of_tag);
    Some(length.unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explanations(sql: &str) -> Vec<String> {
        let steps = foreign(sql, "42601").into_iter();
        steps.map(|step| step.explanation).collect()
    }

    #[test]
    fn names_the_database_and_the_postgresql_equivalent() {
        for (sql, expected) in [
            (
                "SELECT TOP 5 name FROM customers",
                "`TOP 5` is T-SQL (SQL Server); PostgreSQL writes `LIMIT 5` at the end of the query.",
            ),
            ("select distinct top(3) name from customers", "`LIMIT 3`"),
            ("SELECT TOP (10) * FROM t", "`TOP (10)` is T-SQL"),
            ("SELECT [name] FROM t", "`[name]` is T-SQL"),
            ("SELECT t.[name] FROM dbo.[t]", "`[name]` is T-SQL"),
            (
                "SELECT `name` FROM t",
                "A name in backticks, here name, is MySQL",
            ),
            ("SELECT a FROM t LIMIT 5, 10", "`LIMIT 10 OFFSET 5`"),
            ("SELECT ISNULL(a, 0) FROM t", "coalesce(a, b)"),
            ("SELECT getdate()", "now()"),
            ("SELECT NVL(a, 0) FROM t", "`nvl(…)` is Oracle"),
            (
                "SELECT DECODE(a, 1, f(b, c), 'x') FROM t",
                "`decode(…)` is Oracle",
            ),
            ("SELECT DATEADD(day, 7, a) FROM t", "interval"),
            ("SELECT a FROM t WHERE ROWNUM < 5", "`ROWNUM` is Oracle"),
            ("SELECT a FROM t CONNECT BY PRIOR a = b", "WITH RECURSIVE"),
            ("SELECT IIF(a, b, c) FROM t", "CASE WHEN"),
            ("SELECT first + ' ' + last FROM t", "`||`"),
            ("SELECT 1 FROM dual", "no FROM"),
            ("SELECT a FROM t CROSS APPLY f(a)", "CROSS JOIN LATERAL"),
        ] {
            let remarks = explanations(sql);
            assert!(
                remarks.iter().any(|remark| remark.contains(expected)),
                "{sql}: {remarks:?}"
            );
        }
    }

    #[test]
    fn what_postgresql_writes_itself_is_not_foreign() {
        for sql in [
            "SELECT a[1], b[i], ARRAY[a, b], (c)[n] FROM t",
            "SELECT top, \"top\" FROM t -- TOP 5 `x` [y]",
            "SELECT 'TOP 5, ISNULL(a)', $$ `x` $$, $t$ [y] $t$ /* NVL(a) */ FROM t LIMIT 5 OFFSET 10",
            "SELECT decode(f(a, b, c), 'hex') FROM t",
            "SELECT year, month FROM t WHERE a + 1 > 2",
            "SELECT coalesce(a, 0) FROM t EXCEPT SELECT 1",
            "",
        ] {
            assert!(
                explanations(sql).is_empty(),
                "{sql}: {:?}",
                explanations(sql)
            );
        }
        // Other errors are not examined.
        assert!(foreign("SELECT TOP 5 a FROM t", "22012").is_empty());
    }

    #[test]
    fn reads_any_text_in_one_pass() {
        for sql in [
            "'", "\"é", "`ü", "$", "$a", "$é$ x", "/*", "--", "[", "[é", "€+'",
        ] {
            let _ = explanations(sql);
        }
        let long = "[a".repeat(200_000);
        assert!(explanations(&long).len() <= MAX_REMARKS);
    }
}
