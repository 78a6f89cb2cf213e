//! Pairs of question and SQL as JSON Lines, in the format of public data sets and of our own export.

use serde::Deserialize;

use text2sql_domain::question::Question;

/// A question with its SQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The question.
    pub question: String,
    /// The SQL, without trailing semicolon.
    pub sql: String,
}

#[derive(Deserialize)]
struct Line {
    #[serde(alias = "NL", alias = "nl")]
    question: Option<String>,
    #[serde(alias = "SQL", alias = "query")]
    sql: Option<String>,
}

impl Pair {
    /// Checks question and SQL; the error says what is wrong.
    pub fn new(question: &str, sql: &str) -> Result<Self, String> {
        let question = Question::new(question).map_err(|error| error.message().to_owned())?;
        let sql = sql.trim().trim_end_matches(';').trim_end();
        if sql.is_empty() {
            return Err("SQL must not be empty".to_owned());
        }
        Ok(Self {
            question: question.as_str().to_owned(),
            sql: sql.to_owned(),
        })
    }

    /// Reads a line: `{"question": …, "sql": …}` or `{"NL": …, "SQL": …}`. Other members are ignored.
    /// `None` for an empty line.
    pub fn read(line: &str) -> Option<Result<Self, String>> {
        let line = line.trim();
        if line.is_empty() {
            return None;
        }
        Some(match serde_json::from_str::<Line>(line) {
            Ok(Line {
                question: Some(question),
                sql: Some(sql),
            }) => Self::new(&question, &sql),
            Ok(Line { question: None, .. }) => Err("it has no \"question\" or \"NL\"".to_owned()),
            Ok(_) => Err("it has no \"sql\" or \"SQL\"".to_owned()),
            Err(error) if error.is_data() => Err("it is no object of two texts".to_owned()),
            Err(_) => Err("it is no JSON object".to_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_pair_or_an_error() {
        let check = |line: &str, expect: Result<(&str, &str), &str>| {
            let found = Pair::read(line).unwrap();
            let found = found
                .as_ref()
                .map(|pair| (pair.question.as_str(), pair.sql.as_str()));
            assert_eq!(found.map_err(String::as_str), expect, "{line}");
        };
        check(
            r#"{"NL": "How many?", "SQL": "SELECT 1;"}"#,
            Ok(("How many?", "SELECT 1")),
        );
        check(
            r#"{"question": "Wie viele?", "sql": "SELECT 1", "difficulty": 3}"#,
            Ok(("Wie viele?", "SELECT 1")),
        );
        check(r#"{"NL": "x"}"#, Err("it has no \"sql\" or \"SQL\""));
        check(r#"{"SQL": "x"}"#, Err("it has no \"question\" or \"NL\""));
        check(
            r#"{"NL": 1, "SQL": 2}"#,
            Err("it is no object of two texts"),
        );
        check(r#"["a"]"#, Err("it is no object of two texts"));
        check(r#"{"NL": "#, Err("it is no JSON object"));
        check(
            r#"{"NL": "?", "SQL": "SELECT 1"}"#,
            Err("question must not be empty"),
        );
        check(r#"{"NL": "x", "SQL": " ; "}"#, Err("SQL must not be empty"));
        assert_eq!(Pair::read("  "), None);
    }
}
