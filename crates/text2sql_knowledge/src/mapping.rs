//! Lines of glossaries, and of files with questions and their SQL: what each says, and what is wrong with it.

use std::borrow::Cow;
use text2sql_domain::words;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Lines with their numbers: what each says, or why it says nothing.
pub type Lines = Vec<(i64, Result<Mapping, String>)>;

/// One line: a term with its meaning in words, in SQL or as a period, or a question with its SQL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mapping {
    /// The term or the question.
    pub term: String,
    /// The meaning in words.
    pub meaning: Option<String>,
    /// Other words for the term.
    pub synonyms: Vec<String>,
    /// A query, or an expression.
    pub sql: Option<String>,
    /// The table of the expression.
    pub applies_to: Option<String>,
    /// The days that the term stands for.
    pub period: Option<String>,
}

/// What a column of a file, or a member of an object, says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Term,
    Meaning,
    Synonyms,
    Sql,
    Table,
    Period,
}

/// How people call them, in lower case, with underscores.
const NAMES: [(Part, &[&str]); 6] = [
    (
        Part::Term,
        words!("term, question, nl, word, begriff, frage, abbreviation, abkürzung, kürzel"),
    ),
    (
        Part::Meaning,
        words!("meaning, definition, description, bedeutung, beschreibung, erklärung"),
    ),
    (
        Part::Synonyms,
        &["synonyms", "synonym", "synonyme", "aliases", "alias"],
    ),
    (
        Part::Sql,
        words!("sql, sql_expression, expression, query, ausdruck, abfrage"),
    ),
    (Part::Table, &["applies_to", "table", "tabelle"]),
    (Part::Period, &["period", "zeitraum"]),
];

/// The parts of a glossary whose first line does not name them.
const GLOSSARY: [Part; 4] = [Part::Term, Part::Meaning, Part::Synonyms, Part::Sql];
/// The parts of examples whose first line does not name them.
const EXAMPLES: [Part; 2] = [Part::Term, Part::Sql];

impl Part {
    fn of(name: &str) -> Option<Self> {
        let name = name.trim().to_lowercase().replace([' ', '-'], "_");
        let known = NAMES
            .iter()
            .find(|(_, names)| names.contains(&name.as_str()));
        known.map(|(part, _)| *part)
    }
}

/// Which column of a CSV file says what.
#[derive(Debug)]
pub struct Columns(Vec<Option<Part>>);

impl Columns {
    /// By the first line, and whether that has names and not values. Columns with unknown names are ignored.
    pub fn of(first: &[Option<&str>], is_glossary: bool) -> (Self, bool) {
        let named: Vec<Option<Part>> = first.iter().map(|name| name.and_then(Part::of)).collect();
        if named.iter().flatten().count() >= 2 || named.len() == 1 && named != [None] {
            return (Self(named), true);
        }
        let usual: &[Part] = if is_glossary { &GLOSSARY } else { &EXAMPLES };
        let parts = (0..first.len()).map(|place| usual.get(place).copied());
        (Self(parts.collect()), false)
    }

    /// What a line says.
    ///
    /// # Errors
    ///
    /// Why it says nothing.
    pub fn read(&self, values: &[Option<&str>]) -> Result<Mapping, String> {
        let mut mapping = Mapping::default();
        for (part, value) in self.0.iter().zip(values) {
            if let (Some(part), Some(value)) = (part, value) {
                mapping.set(*part, value);
            }
        }
        mapping.checked()
    }
}

/// What each line of JSON says, with its number: one object a line, or an array of objects. In a file of examples other
/// members may be anything, in a glossary they are texts.
///
/// # Errors
///
/// An array that is no JSON, as `line 3: …`.
pub fn of_json(text: &str, is_glossary: bool) -> Result<Lines, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !text.trim_start().starts_with('[') {
        let filled = (1..)
            .zip(text.lines())
            .filter(|(_, line)| !line.trim().is_empty());
        return Ok(filled
            .map(|(number, line)| (number, of_object(line, is_glossary)))
            .collect());
    }
    let objects: Vec<&RawValue> = serde_json::from_str(text)
        .map_err(|error| format!("line {}: it is no JSON: {error}", error.line().max(1)))?;
    let mut lines = Vec::with_capacity(objects.len());
    let (mut line, mut at) = (1, 0);
    for object in objects {
        let start = object
            .get()
            .as_ptr()
            .addr()
            .saturating_sub(text.as_ptr().addr());
        line += line_ends(text.get(at..start).unwrap_or_default());
        at = start;
        lines.push((line, of_object(object.get(), is_glossary)));
    }
    Ok(lines)
}

fn line_ends(text: &str) -> i64 {
    i64::try_from(text.bytes().filter(|byte| *byte == b'\n').count()).unwrap_or(i64::MAX)
}

fn of_object(text: &str, is_glossary: bool) -> Result<Mapping, String> {
    let object: Map<String, Value> = match serde_json::from_str(text) {
        Ok(Value::Object(object)) => object,
        Ok(_) | Err(_) => return Err("it is no JSON object".to_owned()),
    };
    let mut mapping = Mapping::default();
    for (name, value) in &object {
        let Some(part) = Part::of(name) else { continue };
        match (part, value) {
            (_, Value::Null) => {}
            (_, Value::String(text)) => mapping.set(part, text),
            (Part::Synonyms, Value::Array(words)) => {
                for word in words {
                    let word = word
                        .as_str()
                        .ok_or_else(|| format!("\"{name}\" is no array of texts"))?;
                    mapping.synonyms.push(word.trim().to_owned());
                }
            }
            _ if !is_glossary => {}
            _ => return Err(format!("\"{name}\" is no text")),
        }
    }
    mapping.checked()
}

impl Mapping {
    fn set(&mut self, part: Part, value: &str) {
        let text = Some(value.trim().to_owned()).filter(|text| !text.is_empty());
        match part {
            Part::Term => self.term = text.unwrap_or_default(),
            Part::Meaning => self.meaning = text,
            Part::Sql => self.sql = text,
            Part::Table => self.applies_to = text,
            Part::Period => self.period = text,
            Part::Synonyms => self.synonyms.extend(
                value
                    .split([';', '|', ',', '\n'])
                    .map(str::trim)
                    .filter(|word| !word.is_empty())
                    .map(str::to_owned),
            ),
        }
    }

    fn checked(self) -> Result<Self, String> {
        let texts = [Some(&self.term), self.meaning.as_ref(), self.sql.as_ref()];
        let others = [self.applies_to.as_ref(), self.period.as_ref()];
        let all = texts
            .into_iter()
            .chain(others)
            .flatten()
            .chain(&self.synonyms);
        for text in all {
            if let Some(objection) = unreadable(text) {
                return Err(objection.into_owned());
            }
        }
        match self.term.is_empty() {
            true => Err("it has no term or question".to_owned()),
            false => Ok(self.turned()),
        }
    }

    /// With the term first where a sentence explains what stands as SQL: `{"SQL": "SP", "NL": "Sharepoint is a …"}`.
    /// What the sentence is about is another word for it.
    fn turned(self) -> Self {
        let is_explained = self.meaning.is_none()
            && self.is_words()
            && !self.is_statement()
            && self
                .sql
                .as_ref()
                .is_some_and(|sql| sql.split(' ').count() <= MAX_TERM_WORDS);
        let subject = is_explained.then(|| subject_of(&self.term)).flatten();
        match (subject, self.sql.as_deref()) {
            (Some(subject), Some(sql)) => Self {
                synonyms: match subject.eq_ignore_ascii_case(sql) {
                    true => self.synonyms,
                    false => self.synonyms.into_iter().chain([subject]).collect(),
                },
                meaning: Some(self.term),
                term: sql.to_owned(),
                sql: None,
                ..self
            },
            _ => self,
        }
    }

    /// Whether its SQL is a whole statement, and not an expression.
    pub fn is_statement(&self) -> bool {
        self.sql.as_deref().is_some_and(is_statement)
    }

    /// Whether its SQL is nothing but words, which may be no SQL at all.
    pub fn is_words(&self) -> bool {
        let is_inside = |c: char| c.is_alphanumeric() || c == ' ';
        self.sql
            .as_deref()
            .is_some_and(|sql| sql.starts_with(char::is_alphabetic) && sql.chars().all(is_inside))
    }
}

/// Number of words of a term, and of what a sentence that explains one is about.
const MAX_TERM_WORDS: usize = 3;

/// How a sentence that explains a term goes on after it.
const COPULAS: [&str; 8] = [
    " is ",
    " are ",
    " means ",
    " stands for ",
    " ist ",
    " sind ",
    " bedeutet ",
    " steht für ",
];

/// What a sentence that explains something is about.
fn subject_of(sentence: &str) -> Option<String> {
    let end = COPULAS
        .iter()
        .filter_map(|copula| sentence.find(copula))
        .min()?;
    let subject = sentence.get(..end)?.trim();
    let count = subject.split_whitespace().count();
    (1..=MAX_TERM_WORDS)
        .contains(&count)
        .then(|| subject.to_owned())
}

/// Why a text cannot have been meant as it is.
fn unreadable(text: &str) -> Option<Cow<'static, str>> {
    if text.contains('\0') {
        return Some("it has a NUL character, which PostgreSQL cannot store".into());
    }
    if text.contains('\u{fffd}') {
        return Some(
            "it has the character U+FFFD: the file was read in another encoding than it is in"
                .into(),
        );
    }
    // The bytes of an umlaut in UTF-8, read one by one.
    let mut pairs = text.chars().zip(text.chars().skip(1));
    let is_twice = |(one, two): (char, char)| {
        matches!(one, 'Ã' | 'Â')
            && matches!(
                two,
                '\u{80}'
                    ..='\u{bf}'
                        | '€'
                        | '‚'
                        | 'ƒ'
                        | '„'
                        | '…'
                        | 'Œ'
                        | 'œ'
                        | 'Ÿ'
                        | 'Š'
                        | 'š'
                        | 'Ž'
                        | 'ž'
                        | '–'
                        | '—'
                        | '“'
                        | '”'
                        | '‘'
                        | '’'
            )
    };
    pairs
        .any(is_twice)
        .then(|| "it is UTF-8 that was read as windows-1252, such as \"Ã¼\" for \"ü\"".into())
}

/// Whether SQL is a whole statement, by its first word.
fn is_statement(sql: &str) -> bool {
    const FIRST: [&str; 20] = *words!(
        "select, with, values, table, insert, update, delete, merge, create, alter, drop, \
         truncate, grant, revoke, copy, do, call, explain, set, begin"
    );
    let start = without_start(sql);
    let end = start
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(start.len());
    let (word, rest) = start.split_at(end);
    // A column or function of such a name is followed by something else.
    let is_alone = !rest
        .trim_start()
        .starts_with(['=', '<', '>', '.', '+', '-', '/', '!']);
    is_alone && FIRST.contains(&word.to_lowercase().as_str())
}

/// SQL without the comments, blanks and parentheses that it begins with.
fn without_start(sql: &str) -> &str {
    let mut rest = sql;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
        let end = match rest {
            line if line.starts_with("--") => line.find('\n'),
            block if block.starts_with("/*") => block.find("*/").map(|end| end + 2),
            _ => return rest,
        };
        rest = end.and_then(|end| rest.get(end..)).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(line: &str) -> Result<Mapping, String> {
        of_json(line, true).unwrap().remove(0).1
    }

    #[test]
    fn an_object_says_what_its_members_are_called() {
        let read = json(
            r#"{"Term": "MRR", "Bedeutung": " monthly ", "synonyms": ["a", "b"], "SQL": "sum(x)", "level": 3, "table": null}"#,
        );
        let expected = Mapping {
            term: "MRR".to_owned(),
            meaning: Some("monthly".to_owned()),
            synonyms: vec!["a".to_owned(), "b".to_owned()],
            sql: Some("sum(x)".to_owned()),
            ..Mapping::default()
        };
        assert_eq!(read, Ok(expected));
        let check = |line: &str, message: &str| assert_eq!(json(line), Err(message.to_owned()));
        check(r#"{"meaning": "x"}"#, "it has no term or question");
        check(r#"{"term": 1}"#, "\"term\" is no text");
        check(
            r#"{"term": "x", "synonyms": [1]}"#,
            "\"synonyms\" is no array of texts",
        );
        check(r#"{"term": "#, "it is no JSON object");
    }

    #[test]
    fn a_sentence_explains_the_abbreviation_beside_it() {
        let read = json(r#"{"SQL": "SP", "NL": "Sharepoint is a store of documents"}"#).unwrap();
        let expected = Mapping {
            term: "SP".to_owned(),
            meaning: Some("Sharepoint is a store of documents".to_owned()),
            synonyms: vec!["Sharepoint".to_owned()],
            ..Mapping::default()
        };
        assert_eq!(read, expected);
        // A condition of one column, and a question.
        for (question, sql) in [
            ("active customers", "is_active"),
            ("How many are there?", "TABLE film"),
            ("is it late", "late"),
        ] {
            let line = serde_json::json!({"NL": question, "SQL": sql}).to_string();
            assert_eq!(json(&line).unwrap().term, question);
        }
    }

    #[test]
    fn an_array_has_lines_too() {
        let lines = of_json("[\n {\"term\": \"a\"},\n\n {\"term\":\n \"b\"}, 7]", true).unwrap();
        let lines: Vec<_> = lines
            .iter()
            .map(|(line, read)| (*line, read.is_ok()))
            .collect();
        assert_eq!(lines, [(2, true), (4, true), (5, false)]);
        let broken = of_json("[{\"term\": \"a\"},\n{]", true).unwrap_err();
        assert!(broken.starts_with("line 2: it is no JSON"), "{broken}");
    }

    #[test]
    fn columns_are_named_or_in_the_usual_order() {
        let line = |first: &[Option<&str>], values: &[Option<&str>], is_glossary| {
            let (columns, is_header) = Columns::of(first, is_glossary);
            (columns.read(values), is_header)
        };
        let (read, is_header) = line(
            &[Some("SQL"), Some("note"), Some("Begriff")],
            &[Some("sum(x)"), Some("n"), Some("Umsatz")],
            true,
        );
        let read = read.unwrap();
        assert!(is_header);
        assert_eq!(
            (read.term.as_str(), read.sql.as_deref()),
            ("Umsatz", Some("sum(x)"))
        );
        let values = [Some("SP"), Some("Sharepoint"), Some("a; b|c"), None];
        let (read, is_header) = line(&values, &values, true);
        let read = read.unwrap();
        assert!(!is_header);
        assert_eq!(read.meaning.as_deref(), Some("Sharepoint"));
        assert_eq!(read.synonyms, ["a", "b", "c"]);
        let (read, _) = line(
            &[Some("How many?"), Some("SELECT 1")],
            &[Some("x"), Some("SELECT 2")],
            false,
        );
        assert_eq!(read.unwrap().sql.as_deref(), Some("SELECT 2"));
    }

    #[test]
    fn a_wrong_encoding_shows() {
        let check = |text: &str, begin: &str| {
            let line = serde_json::json!({"term": "x", "meaning": text}).to_string();
            assert!(json(&line).unwrap_err().starts_with(begin), "{text}");
        };
        check("a\0b", "it has a NUL");
        check("Umsatz f\u{fffd}r", "it has the character U+FFFD");
        check(
            "Umsatz f\u{c3}\u{bc}r",
            "it is UTF-8 that was read as windows-1252",
        );
        for good in ["Umsatz für", "São Paulo", "NÃO", "Â"] {
            let line = serde_json::json!({"term": good}).to_string();
            assert!(json(&line).is_ok(), "{good}");
        }
    }

    #[test]
    fn statements_are_told_from_expressions_by_their_first_word() {
        for statement in [
            "SELECT 1",
            " with x AS (…) SELECT",
            "select(1)",
            "-- a\n/* b */ (SELECT 1) UNION SELECT 2",
            "DELETE FROM x",
            "values (1)",
        ] {
            assert!(is_statement(statement), "{statement}");
        }
        for expression in [
            "status = 'A'",
            "selected",
            "sum(total)",
            "set = 1",
            "table.x > 3",
        ] {
            assert!(!is_statement(expression), "{expression}");
        }
    }
}
