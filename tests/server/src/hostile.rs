//! Texts made to do harm: very long, very deep, or in a form that some reader takes
//! too seriously.

use std::fmt::Write;

/// Labels and texts. `size` is how often the long ones repeat something, such as 100,000.
pub fn texts(size: usize) -> Vec<(&'static str, String)> {
    let mut texts = statements(size);
    texts.extend(documents(size));
    texts.extend(words(size));
    texts
}

/// SQL.
fn statements(size: usize) -> Vec<(&'static str, String)> {
    let chain = |first: &str, part: &str| format!("{first}{}", part.repeat(size));
    let nested = |opening: &str, inner: &str, closing: &str, depth: usize| {
        format!(
            "SELECT {}{inner}{}",
            opening.repeat(depth),
            closing.repeat(depth)
        )
    };
    let numbered = |first: &str, part: &str, last: &str, count: usize| {
        let mut sql = first.to_owned();
        for number in 0..count {
            sql.push_str(&part.replace('#', &number.to_string()));
        }
        sql + last
    };
    // The longest that is read as a statement is 64 kB.
    let below = |first: &str, part: &str| {
        format!(
            "{first}{}",
            part.repeat((65_000 - first.len()) / part.len())
        )
    };
    let grouping: Vec<String> = (0..40).map(|number| format!("c{number}")).collect();
    vec![
        ("plus", chain("SELECT 1", "+1")),
        ("plus below", below("SELECT 1", "+1")),
        ("or below", below("SELECT 1 WHERE true", " OR true")),
        ("and below", below("SELECT 1 WHERE true", " AND a=1")),
        ("concatenations below", below("SELECT 'a'", "||'a'")),
        ("casts", "SELECT 1".to_owned() + &"::int".repeat(2_000)),
        ("casts below", below("SELECT 1", "::int")),
        ("subscripts below", below("SELECT a", "[1]")),
        ("fields below", below("SELECT a", ".a")),
        (
            "is distinct below",
            below("SELECT a", " IS DISTINCT FROM a"),
        ),
        ("minus below", below("SELECT 1", " MINUS SELECT 1")),
        ("union below", below("SELECT 1", " UNION SELECT 1")),
        ("except below", below("VALUES (1)", " EXCEPT VALUES (1)")),
        (
            "joins without condition",
            below("SELECT 1 FROM a", " JOIN a"),
        ),
        ("joins on", below("SELECT 1 FROM a", " JOIN on")),
        (
            "cross joins",
            below("SELECT 1 FROM customers", " CROSS JOIN customers"),
        ),
        ("reserved words as names", below("SELECT a", " AND else")),
        ("operators", below("SELECT a", " @@@@@ a")),
        ("signs", below("SELECT ", "- ")),
        ("nots", below("SELECT ", "NOT ")),
        ("intervals", below("SELECT ", "INTERVAL ")),
        ("explains", below("", "EXPLAIN ")),
        (
            "likes",
            format!("SELECT 'a' LIKE '{}'", "%_".repeat(20_000)),
        ),
        ("comments between", below("SELECT 1", "/**/+/*a*/1")),
        ("nested comments", below("SELECT ", "/*")),
        ("line comments", below("SELECT 1", "--\n+1")),
        ("parentheses", nested("(", "1", ")", size)),
        ("functions", nested("abs(", "1", ")", 5_000)),
        ("cases", nested("CASE WHEN true THEN ", "1", " END", 2_000)),
        ("arrays", nested("ARRAY[", "1", "]", 5_000)),
        (
            "in selects",
            nested("1 WHERE 1 IN (SELECT ", "1", ")", 2_000),
        ),
        (
            "derived tables",
            nested("* FROM (SELECT ", "1", ") s", 2_000),
        ),
        ("rows", nested("ROW(", "1", ")", 5_000)),
        (
            "named expressions",
            numbered(
                "WITH c0 AS (SELECT 1)",
                ", c# AS (SELECT * FROM c0)",
                " SELECT 1",
                2_000,
            ),
        ),
        (
            "expressions of each other",
            numbered(
                "WITH RECURSIVE c0 AS (SELECT 1)",
                ", c# AS (SELECT * FROM c1, c2)",
                " SELECT 1 FROM c1",
                1_500,
            ),
        ),
        ("values", numbered("VALUES (0)", ",(#)", "", size)),
        (
            "in a list",
            numbered("SELECT 1 WHERE 1 IN (0", ",#", ")", size),
        ),
        ("parameters", numbered("SELECT $1", ",$#", "", 9_000)),
        (
            "windows",
            numbered(
                "SELECT 1 OVER w0 FROM a WINDOW w0 AS ()",
                ", w# AS (w0)",
                "",
                3_000,
            ),
        ),
        (
            "outputs",
            numbered("SELECT 0", ", customer_id AS c#", " FROM customers", 3_000),
        ),
        (
            "subqueries",
            numbered(
                "SELECT 0",
                ", (SELECT max(total) FROM orders o# WHERE o#.status = status)",
                " FROM orders",
                900,
            ),
        ),
        (
            "cube",
            format!("SELECT 1 FROM a GROUP BY CUBE ({})", grouping.join(",")),
        ),
        (
            "json path",
            format!("SELECT '{{}}'::jsonb @? '$.{}a'", "a.".repeat(20_000)),
        ),
        (
            "json cast",
            format!("SELECT '{}'::jsonb", "[".repeat(30_000)),
        ),
        (
            "xml cast",
            format!("SELECT '{}'::xml", "<a>".repeat(20_000)),
        ),
        (
            "array literal",
            format!("SELECT '{}'::int[]", "{".repeat(30_000)),
        ),
        (
            "regular expression",
            format!(
                "SELECT 'a' ~ '{}a{}'",
                "(".repeat(15_000),
                ")*".repeat(15_000)
            ),
        ),
        (
            "regular expression that goes back",
            format!("SELECT '{}' ~ '(a*)*b'", "a".repeat(10_000)),
        ),
        ("quotes in quotes", below("SELECT '", "''")),
        ("identifiers in quotes", below("SELECT \"", "\"\"")),
        ("backslashes", below("SELECT E'", "\\\\")),
        ("code points", below("SELECT U&'", "\\0041")),
        ("tags", numbered("SELECT ", "$a#$", "", 8_000)),
        ("statements", chain("SELECT 1", ";SELECT 1")),
        ("blocks", below("", "IF true THEN ")),
        (
            "an interval",
            format!("SELECT interval '{}'", "1 year ".repeat(8_000)),
        ),
        ("a number", format!("SELECT 1e{}", "9".repeat(1_000))),
        ("digits", format!("SELECT {}", "9".repeat(60_000))),
        (
            "a name",
            format!("SELECT {} FROM customers", "n".repeat(60_000)),
        ),
    ]
}

/// JSON, manifests, lines of knowledge.
fn documents(size: usize) -> Vec<(&'static str, String)> {
    let mut members = String::from("{");
    for number in 0..size {
        let _ = write!(members, "\"m{number}\":{number},");
    }
    members.push_str("\"end\":1}");
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let objects = |depth: usize| format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    vec![
        ("an open array", "[".repeat(size)),
        ("arrays of arrays", deep(5_000)),
        ("arrays at the bound", deep(127)),
        ("objects in objects", objects(5_000)),
        ("objects at the bound", objects(126)),
        ("many members", members),
        ("numbers", format!("[{}1]", "1e308,".repeat(size))),
        (
            "a large number",
            format!("{{\"max_result_rows\": 1{}}}", "0".repeat(100_000)),
        ),
        (
            "an exponent",
            "{\"max_result_rows\": 1e99999, \"clock\": 9e400}".to_owned(),
        ),
        ("surrogates", format!("\"{}\"", "\\ud800".repeat(10_000))),
        (
            "a NUL in JSON",
            "{\"a\":\"\\u0000\",\"question\":\"\\u0000\"}".to_owned(),
        ),
        ("lines", "{\"kind\":\"definition\"}\n".repeat(10_000)),
        (
            "a manifest",
            format!("{{\"nodes\":{},\"metrics\":{}}}", objects(60), objects(60)),
        ),
        (
            "lines of cases",
            "{\"question\":\"How many?\",\"gold\":[\"SELECT 1\"]}\n".repeat(2_000),
        ),
    ]
}

/// What is no language at all, or too much of it.
fn words(size: usize) -> Vec<(&'static str, String)> {
    vec![
        ("a word", "a".repeat(size * 10)),
        ("a long question", "customers ".repeat(1_600)),
        ("many words", "customers ".repeat(size)),
        ("many different words", {
            let mut words = String::new();
            for number in 0..2_500 {
                let _ = write!(words, "cu{number}s ");
            }
            words
        }),
        ("a question of one word", "customers".repeat(1_700)),
        ("a question of periods", "last month ".repeat(1_400)),
        (
            "a question of conditions",
            "orders with total above 7 and ".repeat(500),
        ),
        ("a question of groups", "per country ".repeat(1_300)),
        (
            "a German question",
            "wie viele kunden je land im letzten monat ".repeat(380),
        ),
        ("a compound", "bestellungs".repeat(1_400)),
        ("numbers in a question", "7 8 9.5 1,000 ".repeat(1_100)),
        ("question marks", "?".repeat(16_000)),
        ("more question marks", "?".repeat(size * 10)),
        ("quotes", "'".repeat(size)),
        ("quoted words", "\"a\" 'b' „c“ ".repeat(1_000)),
        ("double quotes", "\"".repeat(size)),
        ("dollars", "$$".repeat(size)),
        ("points", "a.".repeat(size)),
        ("commas", ",".repeat(size)),
        ("placeholders", "{{rows[0].x}}".repeat(1_200)),
        ("placeholders of one brace", "{rows[0].x}".repeat(1_400)),
        ("links", "[a](b)".repeat(2_600)),
        ("formats", "%s%n%d%1$*2$s".repeat(1_200)),
        ("combining marks", format!("e{}", "\u{301}".repeat(8_000))),
        (
            "one joined sign",
            format!("👩{}", "\u{200d}👩".repeat(2_300)),
        ),
        ("bidirectional", "\u{202e}\u{2066}\u{200b}".repeat(1_700)),
        ("Arabic", "كم عدد العملاء ".repeat(600)),
        ("Chinese", "每个国家有多少客户".repeat(600)),
        (
            "controls",
            (1..32)
                .filter_map(char::from_u32)
                .collect::<String>()
                .repeat(500),
        ),
        ("long s", "ſßİ".repeat(2_500)),
        ("blanks", " \n\t\u{a0}".repeat(size)),
        ("empty", String::new()),
    ]
}
