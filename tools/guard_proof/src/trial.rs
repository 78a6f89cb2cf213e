//! Statements through `text2sql.validate` and `text2sql.run_json`, and what came of them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use postgres::{Client, Statement};

use crate::catalog;
use crate::database::Database;
use crate::error::Fallible;
use crate::state::{self, State};

/// What came of many statements.
#[derive(Debug, Default)]
pub struct Tally {
    /// The server's major version.
    pub major: u32,
    /// Statements judged.
    pub statements: usize,
    /// Allowed by `validate`, so executed.
    pub allowed: usize,
    /// Allowed statements that ran to completion.
    pub completed: usize,
    /// Refused, by rule; `error` is wrong SQL.
    pub refused: BTreeMap<String, usize>,
    /// Allowed ones that ended with an error, by SQLSTATE.
    pub failed: BTreeMap<String, usize>,
    /// Functions that statements called that ran to their end.
    pub functions: BTreeSet<String>,
    /// Internal errors that PostgreSQL raises in the same words when the statement is typed.
    pub internal: usize,
    /// What must not be, in words.
    pub findings: Vec<String>,
    /// Slowest statement, in milliseconds.
    pub slowest_ms: u128,
    /// Things compared before and after.
    pub compared: usize,
}

impl Tally {
    /// Adds another one.
    pub fn add(&mut self, other: Self) {
        self.major = self.major.max(other.major);
        self.statements += other.statements;
        self.allowed += other.allowed;
        self.completed += other.completed;
        for (rule, count) in other.refused {
            *self.refused.entry(rule).or_default() += count;
        }
        for (code, count) in other.failed {
            *self.failed.entry(code).or_default() += count;
        }
        self.functions.extend(other.functions);
        self.internal += other.internal;
        self.findings.extend(other.findings);
        self.slowest_ms = self.slowest_ms.max(other.slowest_ms);
        self.compared = self.compared.max(other.compared);
    }
}

/// What `validate` says of a statement.
struct Verdict {
    is_allowed: bool,
    rule: Option<String>,
    reason: Option<String>,
    /// With their volatility.
    functions: Vec<String>,
}

/// A session that judges and runs.
pub struct Session {
    client: Client,
    validate: Statement,
    run: Statement,
    before: State,
    tally: Tally,
}

/// How often a session looks whether anything stuck to it.
const LOOK_EVERY: usize = 1_000;

/// Libraries bring settings along when they are loaded, with the first call of one of their functions.
const LIBRARIES: &str = "SELECT text2sql._version();
    DO $$BEGIN PERFORM public.show_trgm('x'); EXCEPTION WHEN undefined_function THEN NULL; END$$;
    DO $$BEGIN PERFORM public.isn_weak(); EXCEPTION WHEN undefined_function THEN NULL; END$$;
    DO $$BEGIN PERFORM public.vector_dims('[1]'::public.vector); EXCEPTION WHEN undefined_object THEN NULL; END$$;";

/// Errors that no statement may raise: internal ones (including panics of the extension), lost or broken
/// servers, corrupted data.
fn is_broken(code: &str) -> bool {
    ["XX", "58", "57P", "F0", "08"]
        .iter()
        .any(|class| code.starts_with(class))
}

impl Session {
    /// Prepares a session of the database, as the superuser or as another role. The limits keep one bad
    /// statement from taking all the time; only a superuser may set them.
    pub fn new(database: &Database, user: Option<&str>, limit_ms: u32) -> Fallible<Self> {
        let mut client = database.connect(None)?;
        client.batch_execute(&format!(
            "{LIBRARIES} SET text2sql.query_timeout = '{limit_ms}ms'; \
             SET text2sql.max_cost = 200000; SET text2sql.memory_limit = '256MB'"
        ))?;
        if let Some(user) = user {
            client.batch_execute(&format!("SET SESSION AUTHORIZATION {user}"))?;
        }
        let validate = client
            .prepare("SELECT allowed, rule, reason, called_functions FROM text2sql.validate($1)")?;
        let run = client.prepare("SELECT row_count FROM text2sql.run_json($1)")?;
        let major = catalog::major_version(&mut client)?;
        let before = state::of_session(&mut client)?;
        Ok(Self {
            client,
            validate,
            run,
            before,
            tally: Tally {
                major,
                ..Tally::default()
            },
        })
    }

    /// Judges a statement and runs it whatever the verdict: what was refused must be refused again.
    pub fn try_statement(&mut self, sql: &str) -> Fallible<()> {
        // A NUL byte cannot be sent.
        if sql.contains('\0') {
            return Ok(());
        }
        self.tally.statements += 1;
        let start = Instant::now();
        let verdict = self.validate(sql)?;
        let code = self.run(sql)?;
        self.tally.slowest_ms = self.tally.slowest_ms.max(start.elapsed().as_millis());
        let Some(verdict) = verdict else {
            return Ok(());
        };
        if verdict.is_allowed {
            self.tally.allowed += 1;
            match &code {
                None => {
                    self.tally.completed += 1;
                    self.tally
                        .functions
                        .extend(verdict.functions.iter().map(|called| {
                            called
                                .rsplit_once(' ')
                                .map_or(called.as_str(), |(signature, _)| signature)
                                .to_owned()
                        }));
                }
                Some(code) => *self.tally.failed.entry(code.clone()).or_default() += 1,
            }
        } else {
            let rule = verdict.rule.clone().unwrap_or_default();
            // A statement that took too long to plan may be quicker the second time.
            let was_slow = verdict
                .reason
                .as_deref()
                .is_some_and(|reason| reason.contains("_limit"));
            if code.is_none() && !was_slow {
                self.tally.findings.push(format!(
                    "refused ({rule}: {}), yet it ran: {sql}",
                    verdict.reason.as_deref().unwrap_or_default()
                ));
            }
            *self.tally.refused.entry(rule).or_default() += 1;
        }
        if self.tally.statements.is_multiple_of(LOOK_EVERY) {
            self.look()?;
        }
        Ok(())
    }

    fn validate(&mut self, sql: &str) -> Fallible<Option<Verdict>> {
        match self.client.query_one(&self.validate, &[&sql]) {
            Ok(row) => Ok(Some(Verdict {
                is_allowed: row.get(0),
                rule: row.get(1),
                reason: row.get(2),
                functions: row.get::<_, Option<Vec<String>>>(3).unwrap_or_default(),
            })),
            Err(error) => {
                let code = self.code_of(&error, sql)?;
                *self
                    .tally
                    .refused
                    .entry(format!("raised {code}"))
                    .or_default() += 1;
                Ok(None)
            }
        }
    }

    fn run(&mut self, sql: &str) -> Fallible<Option<String>> {
        match self.client.query(&self.run, &[&sql]) {
            Ok(_) => Ok(None),
            Err(error) => self.code_of(&error, sql).map(Some),
        }
    }

    /// The SQLSTATE; a lost connection ends the trial.
    fn code_of(&mut self, error: &postgres::Error, sql: &str) -> Fallible<String> {
        let Some(error) = error.as_db_error() else {
            return Err(format!("the server is gone ({error}) after: {sql}").into());
        };
        let code = error.code().code().to_owned();
        if is_broken(&code) && !self.says_the_same_typed(sql, error.message())? {
            let finding = format!("{code} {}: {sql}", error.message());
            self.tally.findings.push(finding);
        }
        Ok(code)
    }

    /// Whether PostgreSQL raises the same internal error on the statement when it is typed: parts of aggregates
    /// and odd comparisons do. It has passed the checks on its tree, else it would have been refused.
    fn says_the_same_typed(&mut self, sql: &str, message: &str) -> Fallible<bool> {
        self.client.batch_execute("BEGIN READ ONLY")?;
        let typed = self.client.simple_query(sql);
        self.client.batch_execute("ROLLBACK")?;
        let says = typed
            .err()
            .and_then(|error| error.as_db_error().map(|error| error.message().to_owned()));
        let is_same = says.as_deref() == Some(message);
        if is_same {
            self.tally.internal += 1;
        }
        Ok(is_same)
    }

    /// Compares the session with what it was.
    fn look(&mut self) -> Fallible<()> {
        let now = state::of_session(&mut self.client)?;
        let differences = self.before.differences(&now);
        self.tally
            .findings
            .extend(differences.into_iter().map(|d| format!("session: {d}")));
        Ok(())
    }

    /// Looks a last time and gives what came of it.
    pub fn finish(mut self) -> Fallible<Tally> {
        self.look()?;
        self.tally.compared = self.before.len();
        Ok(self.tally)
    }
}
