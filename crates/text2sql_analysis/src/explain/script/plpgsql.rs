//! The statements of a body in PL/pgSQL, and the control structures before each.
//!
//! The text is read word by word, not parsed: what is not known is shown as it stands.

use std::ops::Range;

use text2sql_phrases::say;
use text2sql_sql::script::{self, Kind, Lexeme};

use super::super::Step;
use super::super::narrator::{snippet, unexplained};

/// One piece of a body: control structures in words, and the statement in SQL that follows.
#[derive(Debug, Default)]
pub(super) struct Piece {
    /// Control structures, and statements that are not SQL.
    pub(super) steps: Vec<Step>,
    /// The statement, without what only PL/pgSQL has.
    pub(super) sql: Option<String>,
}

/// The pieces of a body, in order.
pub(super) fn pieces(body: &str) -> Vec<Piece> {
    let mut is_declaring = false;
    let mut is_handling = false;
    let mut variables: Vec<String> = Vec::new();
    let mut found = Vec::new();
    for statement in script::statements(body) {
        let mut reader = Reader::new(statement);
        let mut piece = Piece::default();
        if reader.is("DECLARE") {
            is_declaring = true;
            reader.skip(1);
        }
        if is_declaring && !reader.is("BEGIN") {
            variables.extend(reader.text(0).map(str::to_owned));
            continue;
        }
        if is_declaring {
            is_declaring = false;
            if !variables.is_empty() {
                let names = std::mem::take(&mut variables).join(", ");
                piece.push("DECLARE", say!("It has the variables {names}."));
            }
        }
        reader.control(&mut piece, &mut is_handling);
        reader.statement(&mut piece);
        if piece.sql.is_some() || !piece.steps.is_empty() {
            found.push(piece);
        }
    }
    found
}

impl Piece {
    fn push(&mut self, clause: &str, explanation: String) {
        self.steps.push(Step {
            clause: clause.to_owned(),
            explanation,
        });
    }
}

/// A statement, read word by word.
struct Reader<'t> {
    text: &'t str,
    lexemes: Vec<Lexeme>,
    place: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            lexemes: script::lexemes(text),
            place: 0,
        }
    }

    fn skip(&mut self, count: usize) {
        self.place += count;
    }

    /// The n-th word or sign from here.
    fn text(&self, ahead: usize) -> Option<&'t str> {
        let lexeme = self.lexemes.get(self.place + ahead)?;
        self.text.get(lexeme.place.clone())
    }

    fn is(&self, word: &str) -> bool {
        self.has(0, word)
    }

    fn has(&self, ahead: usize, word: &str) -> bool {
        let lexeme = self.lexemes.get(self.place + ahead);
        lexeme.is_some_and(|lexeme| lexeme.kind == Kind::Word)
            && self
                .text(ahead)
                .is_some_and(|text| text.eq_ignore_ascii_case(word))
    }

    /// What is left.
    fn rest(&self) -> &'t str {
        let start = self.lexemes.get(self.place);
        start
            .and_then(|lexeme| self.text.get(lexeme.place.start..))
            .unwrap_or_default()
            .trim_end()
    }

    /// The number of words before the next `word` outside of parentheses and CASE expressions.
    fn until(&self, word: &str) -> Option<usize> {
        let mut cases = 0_usize;
        for ahead in 0..self.lexemes.len().saturating_sub(self.place) {
            let depth = self.lexemes.get(self.place + ahead)?.depth;
            if cases == 0 && depth == 0 && self.has(ahead, word) {
                return Some(ahead);
            }
            if self.has(ahead, "CASE") {
                cases += 1;
            } else if self.has(ahead, "END") {
                cases = cases.saturating_sub(1);
            }
        }
        None
    }

    /// The text of the next `count` words, which are taken.
    fn take(&mut self, count: usize) -> &'t str {
        let last = count.checked_sub(1).map(|last| self.place + last);
        let start = self
            .lexemes
            .get(self.place)
            .map(|lexeme| lexeme.place.start);
        let end = last.and_then(|last| self.lexemes.get(last));
        let range = start.zip(end.map(|lexeme| lexeme.place.end));
        self.skip(count);
        range
            .and_then(|(start, end)| self.text.get(Range { start, end }))
            .unwrap_or_default()
    }

    /// Control structures before a statement.
    fn control(&mut self, piece: &mut Piece, is_handling: &mut bool) {
        while self.text(0).is_some() {
            if self.text(0) == Some("<") && self.text(1) == Some("<") {
                // A label: << name >>.
                self.skip(5);
            } else if self.is("BEGIN") {
                self.skip(1);
            } else if self.is("EXCEPTION") && self.has(1, "WHEN") {
                self.skip(1);
                *is_handling = true;
            } else if *is_handling && self.is("WHEN") {
                let Some(count) = self.until("THEN") else {
                    return;
                };
                self.skip(1);
                let condition = self.take(count.saturating_sub(1));
                self.skip(1);
                let explanation = say!(
                    "If the error {condition} occurs:",
                    condition = snippet(&condition)
                );
                piece.push("EXCEPTION", explanation);
            } else if self.is("IF") || self.is("ELSIF") || self.is("ELSEIF") {
                let is_first = self.is("IF");
                let Some(count) = self.until("THEN") else {
                    return;
                };
                self.skip(1);
                let condition = snippet(&self.take(count.saturating_sub(1)));
                self.skip(1);
                piece.push(
                    if is_first { "IF" } else { "ELSIF" },
                    if is_first {
                        say!("Only if {condition}:")
                    } else {
                        say!("Otherwise, if {condition}:")
                    },
                );
            } else if self.is("ELSE") {
                self.skip(1);
                piece.push("ELSE", say!("Otherwise:"));
            } else if self.is("FOR") || self.is("FOREACH") || self.is("WHILE") || self.is("LOOP") {
                let Some(count) = self.until("LOOP") else {
                    return;
                };
                let head = snippet(&self.take(count));
                self.skip(1);
                let explanation = match count {
                    0 => say!("Repeats what follows until it is left:"),
                    _ => say!("Repeats what follows, {head}:"),
                };
                piece.push("LOOP", explanation);
            } else {
                return;
            }
        }
    }

    /// The statement itself.
    fn statement(&mut self, piece: &mut Piece) {
        let Some(first) = self.text(0) else {
            return;
        };
        let word = first.to_uppercase();
        match word.as_str() {
            "END" => match self.text(1).map(str::to_uppercase).as_deref() {
                Some("IF" | "CASE") => {
                    piece.push("END IF", say!("Here the condition ends."));
                }
                Some("LOOP") => piece.push("END LOOP", say!("Here the repetition ends.")),
                _ => {}
            },
            "RETURN" if self.has(1, "QUERY") && !self.has(2, "EXECUTE") => {
                self.skip(2);
                piece.push("RETURN", say!("Returns the rows of this query."));
                piece.sql = Some(self.rest().to_owned());
            }
            "RETURN" => {
                self.skip(1);
                let value = self.rest();
                piece.push(
                    "RETURN",
                    match value {
                        "" => say!("Ends the call."),
                        value => say!("Returns {value}.", value = snippet(&value)),
                    },
                );
            }
            "PERFORM" => {
                self.skip(1);
                piece.push("PERFORM", say!("Runs this query and throws its rows away."));
                piece.sql = Some(format!("SELECT {}", self.rest()));
            }
            "EXECUTE" => {
                self.skip(1);
                let text = snippet(&self.rest());
                piece.push(
                    "EXECUTE",
                    say!("Runs a statement that is only put together then: {text}."),
                );
            }
            "RAISE" => {
                self.skip(1);
                let text = snippet(&self.rest());
                piece.push("RAISE", say!("Reports {text}."));
            }
            "NULL" => piece.push("NULL", say!("Does nothing.")),
            "SELECT" | "WITH" | "INSERT" | "UPDATE" | "DELETE" | "MERGE" | "CREATE" | "DROP"
            | "ALTER" | "TRUNCATE" | "TABLE" | "VALUES" | "DO" | "CALL" | "COPY" | "GRANT"
            | "REVOKE" | "LOCK" | "ANALYZE" | "REFRESH" | "COMMENT" | "COMMIT" | "ROLLBACK" => {
                let (sql, targets) = self.without_into(&word);
                if let Some(names) = targets {
                    piece.push("INTO", say!("Puts the first row of this into {names}."));
                }
                piece.sql = Some(sql);
            }
            _ => {
                let is_assignment = |reader: &Self, ahead| {
                    reader.text(ahead) == Some(":") && reader.text(ahead + 1) == Some("=")
                        || reader.text(ahead) == Some("=")
                };
                let place = (1..self.lexemes.len()).find(|ahead| is_assignment(self, *ahead));
                match place {
                    Some(count) => {
                        let target = self.take(count);
                        let signs = if self.text(0) == Some(":") { 2 } else { 1 };
                        self.skip(signs);
                        let value = snippet(&self.rest());
                        piece.push("SET", say!("{target} becomes {value}."));
                    }
                    None => piece.push(&word, format!("{}.", unexplained(&self.rest()))),
                }
            }
        }
    }

    /// The statement without the variables that it fills, and these.
    fn without_into(&self, word: &str) -> (String, Option<String>) {
        let whole = self.rest().to_owned();
        let from = match word {
            "SELECT" | "WITH" | "TABLE" | "VALUES" => Some(0),
            _ => self.until("RETURNING"),
        };
        let is_into = |ahead: &usize| {
            self.has(*ahead, "INTO")
                && self
                    .lexemes
                    .get(self.place + ahead)
                    .is_some_and(|lexeme| lexeme.depth == 0)
                // `WITH … INSERT INTO`.
                && !ahead.checked_sub(1).is_some_and(|before| self.has(before, "INSERT") || self.has(before, "MERGE"))
        };
        let Some(into) = from.and_then(|from| (from..self.lexemes.len()).find(is_into)) else {
            return (whole, None);
        };
        let mut end = into + 1;
        if self.has(end, "STRICT") {
            end += 1;
        }
        let first = end;
        let is_name = |ahead: usize| {
            let lexeme = self.lexemes.get(self.place + ahead);
            lexeme.is_some_and(|lexeme| matches!(lexeme.kind, Kind::Word | Kind::Name))
        };
        while is_name(end) {
            end += 1;
            if matches!(self.text(end), Some("." | ",")) {
                end += 1;
            } else {
                break;
            }
        }
        let place = |ahead: usize| {
            self.lexemes
                .get(self.place + ahead)
                .map(|lexeme| &lexeme.place)
        };
        let start = place(0).map_or(0, |place| place.start);
        let before = place(into).and_then(|into| self.text.get(start..into.start));
        let names = place(first)
            .zip(end.checked_sub(1).and_then(place))
            .and_then(|(first, last)| self.text.get(first.start..last.end));
        let after = place(end).and_then(|next| self.text.get(next.start..));
        let sql = format!(
            "{} {}",
            before.unwrap_or_default().trim_end(),
            after.unwrap_or_default()
        );
        (sql.trim_end().to_owned(), names.map(str::to_owned))
    }
}
