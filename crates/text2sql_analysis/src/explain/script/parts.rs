//! The statements of a script, one after the other, each with a number: `2`, and `2.1` in the body of the second.

use std::sync::Arc;

use text2sql_domain::error::{Error, ErrorKind, failure};
use text2sql_domain::interrupts;
use text2sql_domain::schema::Table;
use text2sql_phrases::say;
use text2sql_sql::script::{self, Kind};

use super::super::{Step, statement};
use super::flow::{Facts, Written};
use super::plpgsql;

/// Maximum number of statements, those of bodies included.
const MAX_STATEMENTS: usize = 100;

/// Maximum depth of bodies in bodies.
const MAX_BODIES: usize = 3;

/// The steps of a script; `None` for a single statement without a body, which is explained by itself.
///
/// # Errors
/// [`ErrorKind::Limit`] where there are too many statements or bodies in bodies; what a single statement fails with.
pub fn script(sql: &str, tables: &[Arc<Table>]) -> Result<Option<Vec<Step>>, Error> {
    let statements = script::statements(sql);
    let is_script = match statements.as_slice() {
        [] => false,
        [one] => routine(one).is_some(),
        _ => true,
    };
    if !is_script {
        return Ok(None);
    }
    let count = statements.len();
    let mut told = Told {
        tables,
        steps: Vec::new(),
        written: Written::default(),
        count: 0,
    };
    if count > 1 {
        told.push(
            "SCRIPT",
            say!(
                "A script of {count} statements. They are explained in order, and nothing is run."
            ),
        );
    }
    for (place, statement) in statements.iter().enumerate() {
        told.statement(statement, &(place + 1).to_string(), 0)?;
    }
    Ok(Some(told.steps))
}

/// The bare names of the tables that the statements name, those of bodies included.
///
/// # Errors
/// As for [`script()`].
pub fn names(sql: &str) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    let mut waiting: Vec<(String, usize)> = script::statements(sql)
        .into_iter()
        .map(|statement| (statement.to_owned(), 0))
        .collect();
    let mut count = 0;
    while let Some((statement, depth)) = waiting.pop() {
        count += 1;
        within(count, depth)?;
        if let Some(routine) = routine(&statement) {
            waiting.extend(routine.statements().into_iter().map(|sql| (sql, depth + 1)));
            continue;
        }
        for name in facts(&statement)?.names() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    Ok(names)
}

fn within(count: usize, depth: usize) -> Result<(), Error> {
    interrupts::check()?;
    if count > MAX_STATEMENTS {
        return Err(failure!(
            Limit,
            "the script has more than {MAX_STATEMENTS} statements"
        )
        .with_hint("Explain it in parts."));
    }
    if depth > MAX_BODIES {
        return Err(failure!(
            Limit,
            "the script nests bodies of functions more than {MAX_BODIES} levels deep"
        )
        .with_hint("Explain the inner functions by themselves."));
    }
    Ok(())
}

/// What a statement reads and writes. One that is too complex fails when it is explained.
fn facts(statement: &str) -> Result<Facts, Error> {
    match Facts::of(statement) {
        Err(error) if error.kind() == ErrorKind::Setting => Ok(Facts::default()),
        facts => facts,
    }
}

struct Told<'t> {
    tables: &'t [Arc<Table>],
    steps: Vec<Step>,
    written: Written,
    count: usize,
}

impl Told<'_> {
    fn push(&mut self, clause: &str, explanation: String) {
        self.steps.push(Step {
            clause: clause.to_owned(),
            explanation,
        });
    }

    fn statement(&mut self, sql: &str, number: &str, depth: usize) -> Result<(), Error> {
        self.count += 1;
        within(self.count, depth)?;
        if let Some(routine) = routine(sql) {
            self.push(&format!("{number}: {}", routine.clause), routine.in_words());
            return self.body(&routine, number, depth);
        }
        if let Some((clause, explanation)) = transaction(sql) {
            self.push(&format!("{number}: {clause}"), explanation);
            return Ok(());
        }
        for sentence in self.written.after(facts(sql)?, number) {
            self.push(&format!("{number}: FLOW"), sentence);
        }
        let steps = match statement::explain(sql, self.tables) {
            Ok(steps) => steps,
            Err(error) if error.kind() == ErrorKind::Setting => vec![Step {
                clause: first_word(sql),
                explanation: say!("It could not be read."),
            }],
            Err(error) => return Err(error),
        };
        // "Nothing is run" is said only once.
        for step in steps.into_iter().filter(|step| step.clause != "CHANGES") {
            self.push(&format!("{number}: {}", step.clause), step.explanation);
        }
        Ok(())
    }

    fn body(&mut self, routine: &Routine, number: &str, depth: usize) -> Result<(), Error> {
        match routine.language.as_str() {
            "sql" => {
                for (place, sql) in script::statements(&routine.body).iter().enumerate() {
                    self.statement(sql, &format!("{number}.{}", place + 1), depth + 1)?;
                }
            }
            "plpgsql" => {
                let mut place = 0;
                for piece in plpgsql::pieces(&routine.body) {
                    place += 1;
                    let number = format!("{number}.{place}");
                    self.count += 1;
                    within(self.count, depth)?;
                    for step in piece.steps {
                        self.push(&format!("{number}: {}", step.clause), step.explanation);
                    }
                    if let Some(sql) = piece.sql {
                        self.count -= 1;
                        self.statement(&sql, &number, depth + 1)?;
                    }
                }
            }
            language => self.push(
                &format!("{number}: AS"),
                say!("Its body is written in {language} and is not explained."),
            ),
        }
        Ok(())
    }
}

/// A function, a procedure or a DO block.
struct Routine {
    clause: &'static str,
    name: String,
    language: String,
    body: String,
}

impl Routine {
    fn in_words(&self) -> String {
        let name = &self.name;
        match self.clause {
            "DO" => say!("Would run a block of statements once:"),
            "CREATE PROCEDURE" => say!(
                "Would create the procedure {name}, which runs these statements whenever it is called:"
            ),
            _ => say!(
                "Would create the function {name}, which runs these statements whenever it is called:"
            ),
        }
    }

    /// The statements of its body in SQL.
    fn statements(&self) -> Vec<String> {
        match self.language.as_str() {
            "sql" => script::statements(&self.body)
                .into_iter()
                .map(str::to_owned)
                .collect(),
            "plpgsql" => plpgsql::pieces(&self.body)
                .into_iter()
                .filter_map(|piece| piece.sql)
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// The statements in the body of a function, a procedure or a DO block; `None` for a statement without a body.
pub(crate) fn body_statements(sql: &str) -> Option<Vec<String>> {
    routine(sql).map(|routine| routine.statements())
}

/// The language and the text of the body of such a statement.
pub(crate) fn body_language(sql: &str) -> Option<(String, String)> {
    routine(sql).map(|routine| (routine.language, routine.body))
}

/// The statement as one that has a body; `None` for any other.
fn routine(sql: &str) -> Option<Routine> {
    let lexemes = script::lexemes(sql);
    let text = |place: usize| {
        lexemes
            .get(place)
            .and_then(|one| sql.get(one.place.clone()))
    };
    let is = |place: usize, word: &str| {
        lexemes
            .get(place)
            .is_some_and(|one| one.kind == Kind::Word && one.depth == 0)
            && text(place).is_some_and(|text| text.eq_ignore_ascii_case(word))
    };
    let find = |word: &str| (0..lexemes.len()).find(|place| is(*place, word));
    let language = find("LANGUAGE")
        .and_then(|place| text(place + 1))
        .map(|name| name.trim_matches(['\'', '"']).to_lowercase());
    let constant = |from: usize| {
        let found = lexemes
            .iter()
            .skip(from)
            .find(|one| one.kind == Kind::Text)?;
        script::content(sql.get(found.place.clone())?)
    };
    if is(0, "DO") {
        return Some(Routine {
            clause: "DO",
            name: String::new(),
            language: language.unwrap_or_else(|| "plpgsql".to_owned()),
            body: constant(0)?,
        });
    }
    if !is(0, "CREATE") {
        return None;
    }
    let kind = if is(1, "OR") && is(2, "REPLACE") {
        3
    } else {
        1
    };
    let clause = match () {
        () if is(kind, "FUNCTION") => "CREATE FUNCTION",
        () if is(kind, "PROCEDURE") => "CREATE PROCEDURE",
        () => return None,
    };
    let start = lexemes.get(kind + 1)?.place.start;
    let end = lexemes
        .iter()
        .skip(kind + 1)
        .find(|one| sql.get(one.place.clone()) == Some("("))?
        .place
        .start;
    let name = sql.get(start..end)?.trim().to_owned();
    let atomic = (0..lexemes.len()).find(|place| is(*place, "BEGIN") && is(place + 1, "ATOMIC"));
    if let Some(atomic) = atomic {
        let start = lexemes.get(atomic + 1)?.place.end;
        let end = lexemes.last()?.place.start.max(start);
        return Some(Routine {
            clause,
            name,
            language: "sql".to_owned(),
            body: sql.get(start..end)?.to_owned(),
        });
    }
    let returned = (0..lexemes.len())
        .rev()
        .find(|place| is(*place, "RETURN"))
        .and_then(|place| lexemes.get(place))
        .and_then(|one| sql.get(one.place.end..));
    let body = match find("AS") {
        Some(place) => constant(place)?,
        None => format!("SELECT {}", returned?.trim()),
    };
    Some(Routine {
        clause,
        name,
        language: language.unwrap_or_else(|| "sql".to_owned()),
        body,
    })
}

/// A command that begins or ends a transaction, in words.
fn transaction(sql: &str) -> Option<(&'static str, String)> {
    let lexemes = script::lexemes(sql);
    let word = |place: usize| {
        let text = lexemes
            .get(place)
            .and_then(|one| sql.get(one.place.clone()));
        text.map(str::to_uppercase)
    };
    Some(match (word(0)?.as_str(), word(1).as_deref()) {
        ("BEGIN", _) | ("START", Some("TRANSACTION")) => (
            "BEGIN",
            say!("Begins a transaction: what follows is kept together, or not at all."),
        ),
        ("COMMIT" | "END", _) => (
            "COMMIT",
            say!("Ends the transaction and keeps what it changed."),
        ),
        ("ROLLBACK" | "ABORT", None | Some("WORK" | "TRANSACTION" | "AND")) => (
            "ROLLBACK",
            say!("Ends the transaction and undoes what it changed."),
        ),
        _ => return None,
    })
}

fn first_word(sql: &str) -> String {
    let word: String = sql
        .chars()
        .take_while(|c| c.is_ascii_alphabetic())
        .take(40)
        .collect();
    word.to_uppercase()
}
