//! What a statement does beside reading, told by its words: also of one that no parser here knows.

use text2sql_domain::object_name;
use text2sql_domain::words;
use text2sql_phrases::say;
use text2sql_sql::script::{Kind, Lexeme, lexemes};

use super::sources::{Checked, checked, written};
use crate::explain::script::{Facts, body_language, body_statements};

/// Maximum length of a statement in a sentence, in characters.
const MAX_SHOWN: usize = 80;

/// Something that a statement does.
pub(super) struct Effect {
    /// In a sentence.
    pub(super) sentence: String,
    /// Whether the user reads it about each statement that changes, and not only about a new one.
    pub(super) is_grave: bool,
}

/// What the statement does, and what those of its body do.
pub(super) fn effects(sql: &str) -> Vec<Effect> {
    let mut found = of_words(sql);
    for inner in body_statements(sql).unwrap_or_default() {
        found.extend(of_words(&inner));
    }
    found.extend(of_body(sql));
    let mut seen: Vec<String> = Vec::new();
    found.retain(|effect| {
        let is_first = !seen.contains(&effect.sentence);
        seen.push(effect.sentence.clone());
        is_first
    });
    found
}

/// How little of a statement can be checked; `None` where its query or its body is.
pub(super) fn unchecked(sql: &str) -> Option<String> {
    let words = Words::of(sql);
    if words.is_any(0, &TRANSACTION) {
        return None;
    }
    let only_syntax =
        |check: &Checked| matches!(check, Checked::Syntax(_)) && body_statements(sql).is_none();
    if !checked(sql).is_ok_and(|checks| checks.iter().all(only_syntax)) {
        return None;
    }
    let is_target_checked = written(sql).is_ok_and(|written| !written.is_empty());
    Some(match is_target_checked {
        true => say!("Only its syntax was checked, and whether you may write its target."),
        false => say!("Only its syntax was checked."),
    })
}

/// What CREATE makes that does something later, without being named again.
const ACTING: [&str; 6] = *words!("EXTENSION, LANGUAGE, RULE, SERVER, SUBSCRIPTION, TRIGGER");

/// What may stand between CREATE and the kind of object.
const BETWEEN: [&str; 6] = *words!("CONSTRAINT, EVENT, OR, PROCEDURAL, REPLACE, TRUSTED");

/// First words of statements that begin, end or divide a transaction.
const TRANSACTION: [&str; 8] =
    *words!("BEGIN, START, COMMIT, END, ROLLBACK, ABORT, SAVEPOINT, RELEASE");

fn of_words(sql: &str) -> Vec<Effect> {
    let words = Words::of(sql);
    let shown = || words.shown();
    let grave = |sentence| {
        vec![Effect {
            sentence,
            is_grave: true,
        }]
    };
    let plain = |sentence| {
        vec![Effect {
            sentence,
            is_grave: false,
        }]
    };
    match words.word(0).as_str() {
        "COPY" => copy(&words),
        "DROP" => grave(say!("It drops objects: {sql}.", sql = shown())),
        "TRUNCATE" => grave(say!("It deletes all rows: {sql}.", sql = shown())),
        "GRANT" | "REVOKE" | "REASSIGN" => {
            grave(say!("It changes who may do what: {sql}.", sql = shown()))
        }
        "CREATE" | "ALTER"
            if words.is_any(1, &["ROLE", "USER", "GROUP", "POLICY", "DEFAULT"])
                || words.sets_owner() =>
        {
            grave(say!("It changes who may do what: {sql}.", sql = shown()))
        }
        "ALTER" if words.is_any(1, &["SYSTEM"]) => grave(say!(
            "It changes a setting of the server: {sql}.",
            sql = shown()
        )),
        "LOAD" => grave(say!("It loads a library into the server.")),
        "DO" => plain(say!("It runs a block of statements.")),
        "CALL" | "EXECUTE" => grave(say!(
            "It runs what is defined elsewhere, which was not looked at: {sql}.",
            sql = shown()
        )),
        "CREATE" if words.creates_any(&ACTING) => grave(say!(
            "It creates something that acts by itself: {sql}.",
            sql = shown()
        )),
        "CREATE" => plain(say!("It creates an object: {sql}.", sql = shown())),
        "ALTER" | "COMMENT" | "SECURITY" | "IMPORT" => {
            plain(say!("It changes a definition: {sql}.", sql = shown()))
        }
        "SET" | "RESET" | "DISCARD" => plain(say!(
            "It changes settings of the session: {sql}.",
            sql = shown()
        )),
        "ANALYZE" | "CHECKPOINT" | "CLUSTER" | "LOCK" | "REFRESH" | "REINDEX" | "VACUUM" => {
            plain(say!("It is maintenance or a lock: {sql}.", sql = shown()))
        }
        first if TRANSACTION.contains(&first) => {
            plain(say!("It begins or ends a transaction, or a part of one."))
        }
        "EXPLAIN" if (1..5).any(|place| words.is_any(place, &["ANALYZE", "ANALYSE"])) => {
            grave(say!("It runs the statement that it explains."))
        }
        "SELECT" | "VALUES" | "TABLE" | "WITH" | "INSERT" | "UPDATE" | "DELETE" | "MERGE"
        | "EXPLAIN" | "SHOW" | "" => writes(sql),
        _ if sql.trim_start().starts_with('(') => writes(sql),
        _ => grave(say!("It is not known what it does: {sql}.", sql = shown())),
    }
}

/// The tables that it writes, as far as it was read. Another warning says that a statement did not write them before.
fn writes(sql: &str) -> Vec<Effect> {
    let names: Vec<String> = match Facts::of(sql) {
        Ok(facts) => facts.writes().map(|name| object_name::join(name)).collect(),
        Err(_) => return Vec::new(),
    };
    names
        .into_iter()
        .map(|name| Effect {
            sentence: say!("It writes {name}."),
            is_grave: false,
        })
        .collect()
}

/// COPY: rows to or from the client, a file of the server, or a program that the server starts.
fn copy(words: &Words<'_>) -> Vec<Effect> {
    let target = words.place_of(&["TO", "FROM"]);
    let is_from = target.is_some_and(|place| words.word(place) == "FROM");
    let mut found = Vec::new();
    let mut tell = |sentence, is_grave| found.push(Effect { sentence, is_grave });
    let other = target.map(|place| words.word(place + 1));
    match other.as_deref() {
        Some("PROGRAM") => {
            tell(
                say!(
                    "It runs a program on the server, as the operating-system user of the server: {sql}.",
                    sql = words.all()
                ),
                true,
            );
        }
        Some("STDOUT") => tell(
            say!("It sends rows to the client: {sql}.", sql = words.shown()),
            false,
        ),
        Some("STDIN") | None => {}
        Some(_) if is_from => tell(
            say!("It reads a file of the server: {sql}.", sql = words.all()),
            true,
        ),
        Some(_) => tell(
            say!("It writes a file of the server: {sql}.", sql = words.all()),
            true,
        ),
    }
    if is_from {
        tell(
            say!("It adds rows to a table: {sql}.", sql = words.shown()),
            false,
        );
    }
    found
}

/// What a body does that its statements do not say.
fn of_body(sql: &str) -> Vec<Effect> {
    let Some((language, body)) = body_language(sql) else {
        return Vec::new();
    };
    let sentence = match language.as_str() {
        "sql" => return Vec::new(),
        "plpgsql" => {
            let words = Words::of(&body);
            let runs_text = words.places("EXECUTE").any(|place| {
                // GRANT EXECUTE ON, and what a trigger executes.
                !words.is_any(place + 1, &["ON", "FUNCTION", "PROCEDURE"])
            });
            if !runs_text {
                return Vec::new();
            }
            say!("It puts statements together as text and runs them: these were not checked.")
        }
        language => say!("Its body is written in {language}: what it does was not checked."),
    };
    vec![Effect {
        sentence,
        is_grave: true,
    }]
}

/// The words of a statement.
struct Words<'t> {
    sql: &'t str,
    lexemes: Vec<Lexeme>,
}

impl<'t> Words<'t> {
    fn of(sql: &'t str) -> Self {
        Words {
            sql,
            lexemes: lexemes(sql),
        }
    }

    /// The word at that place in capitals; empty for anything else.
    fn word(&self, place: usize) -> String {
        self.lexemes
            .get(place)
            .filter(|one| one.kind == Kind::Word)
            .and_then(|one| self.sql.get(one.place.clone()))
            .map(str::to_ascii_uppercase)
            .unwrap_or_default()
    }

    fn is_any(&self, place: usize, words: &[&str]) -> bool {
        words.contains(&self.word(place).as_str())
    }

    fn places(&self, word: &'static str) -> impl Iterator<Item = usize> + '_ {
        (0..self.lexemes.len()).filter(move |place| self.word(*place) == word)
    }

    /// Whether an owner is set, which is no name of a column: they stand in parentheses, or before a type.
    fn sets_owner(&self) -> bool {
        self.place_of(&["OWNER"])
            .is_some_and(|place| self.is_any(place + 1, &["TO"]))
    }

    /// Whether CREATE is followed by one of these, without the words between.
    fn creates_any(&self, objects: &[&str]) -> bool {
        let kind = (1..6).find(|place| !self.is_any(*place, &BETWEEN));
        kind.is_some_and(|place| self.is_any(place, objects))
    }

    /// The first of these words outside of parentheses.
    fn place_of(&self, words: &[&str]) -> Option<usize> {
        let outside = |place: &usize| self.lexemes.get(*place).is_some_and(|one| one.depth == 0);
        (0..self.lexemes.len())
            .filter(outside)
            .find(|place| self.is_any(*place, words))
    }

    /// The statement on one line, up to its first constant, which may be a password.
    fn shown(&self) -> String {
        let constant = self.lexemes.iter().find(|one| one.kind == Kind::Text);
        let Some(constant) = constant else {
            return self.all();
        };
        let before = self.sql.get(..constant.place.start).unwrap_or_default();
        format!("{} …", clipped(before))
    }

    fn all(&self) -> String {
        clipped(self.sql)
    }
}

/// A piece on one line, shortened.
pub(super) fn clipped(piece: &str) -> String {
    let words: Vec<&str> = piece.split_whitespace().collect();
    let line = words.join(" ");
    match line.chars().count() > MAX_SHOWN {
        true => format!("{}…", line.chars().take(MAX_SHOWN).collect::<String>()),
        false => line,
    }
}
