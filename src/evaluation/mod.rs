//! From a case to its grade: pins the clock, executes the gold statements, asks the question as `ask` does, and
//! passes the facts to the metrics. Stores nothing; `sql/schema/text2sql_eval/evaluations.sql` stores the
//! result.

mod results;
mod texts;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use text2sql_analysis::explain;
use text2sql_domain::answer::Answer;
use text2sql_domain::config::Limits;
use text2sql_domain::error::{Error, ErrorKind, failure};
use text2sql_domain::ports::{Database, Outcome};
use text2sql_domain::prices::Cost;
use text2sql_domain::schema::quote_identifier;
use text2sql_domain::score::Score;
use text2sql_domain::sql_result::DatabaseError;
use text2sql_domain::trace::Trace;
use text2sql_domain::validate::CLOCK_REFUSED;
use text2sql_metrics::execution_accuracy::cuts_a_tie;
use text2sql_metrics::grade::{Candidate, Expected, Gold, Grade, grade};
use text2sql_metrics::opinion;
use text2sql_metrics::passages::GoldText;
use text2sql_metrics::result_table::{Comparison, ResultTable};
use text2sql_models::prompt::render_opinion;

use crate::pg::access::execution::database::GuardedDatabase;
use crate::pg::access::execution::execute::CopyRows;
use crate::pg::server::session::clock::PinnedClock;
use crate::pg::server::settings::{self, Overrides};
use crate::pg::stored::evaluation::perturbed_tables;
use crate::pg::stored::teaching::adviser::Adviser;
use crate::question;

use self::results::ResultFigures;
use self::texts::Opinions;

/// A case as passed by the procedure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Task {
    question: String,
    #[serde(default)]
    previous: Vec<String>,
    #[serde(default)]
    evidence: Option<String>,
    gold: Vec<String>,
    expected_status: String,
    #[serde(default)]
    ordered: Option<bool>,
    #[serde(default)]
    comparison: Option<Comparison>,
    /// Microseconds since 2000-01-01.
    #[serde(default)]
    clock: Option<i64>,
    /// The texts that answer the question.
    #[serde(default)]
    gold_texts: Vec<GoldText>,
    /// Whether a model judges the answers.
    #[serde(default)]
    judged: bool,
    /// Whether vectors are compared.
    #[serde(default)]
    vectors: bool,
    /// Whether a correct answer must also be correct on the perturbed copies. The caller cannot choose which
    /// copies are read.
    #[serde(default)]
    copies: bool,
}

/// The outcome of an attempt.
#[derive(Debug, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub(crate) enum Attempted {
    /// The attempt was graded.
    Done(Box<Graded>),
    /// No gold statement runs: the question was not asked, and the case is not counted.
    Broken {
        /// The reason.
        problem: String,
    },
}

#[derive(Debug, Serialize)]
pub(crate) struct Graded {
    status: String,
    sql: Option<String>,
    /// Why there is no answer, without values from rows.
    message: Option<String>,
    #[serde(flatten)]
    grade: Grade,
    /// Which kind the router took the question for.
    kind: String,
    #[serde(flatten)]
    opinions: Opinions,
    #[serde(flatten)]
    figures: ResultFigures,
    /// Whether correct rows are correct on every copy that can tell the difference.
    robust: Option<bool>,
    /// The engine that gave the answer.
    engine: Option<String>,
    /// Confidence of the answer.
    confidence: Option<f64>,
    /// Score of its query, and share of the candidates that agreed.
    score: Option<f64>,
    agreement: Option<f64>,
    /// Number of copies that could tell the difference.
    copies: usize,
    /// How often a query went back to the model.
    repairs: usize,
    model_calls: u32,
    requests: u32,
    input_tokens: u64,
    output_tokens: u64,
    cost: Option<f64>,
    currency: Option<String>,
    prompt_chars: usize,
    stages: BTreeMap<&'static str, f64>,
}

/// Asks the question and grades the answer.
pub(crate) fn attempt(task: &Task) -> Result<Attempted, Error> {
    let _clock = task.clock.map(PinnedClock::at).transpose()?;
    let database = GuardedDatabase::new()?;
    let overrides = overrides();
    let limits = settings::limits(&overrides);
    let (gold, problem) = run_gold(&database, &limits, &task.gold)?;
    if let (true, Some(problem)) = (gold.is_empty(), problem) {
        return Ok(Attempted::Broken { problem });
    }
    let mut figures = ResultFigures::default();
    let (candidate, message, trace, belief) =
        match question::converse::ask_in_turn("evaluate", &task.asked(), &overrides) {
            Ok(ran) => {
                let message = ran.value.execution.is_none().then(|| said(&ran.value));
                let trace = ran.value.trace.clone();
                let belief = Belief::of(&ran.value);
                if task.judged {
                    figures = ResultFigures::judged(&task.question, &ran.value)?;
                }
                (candidate(ran.value), message.flatten(), trace, belief)
            }
            // An endpoint failure is the result of the case. A missing setup would fail every case.
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::ModelReply | ErrorKind::ModelUnreachable | ErrorKind::Limit
                ) =>
            {
                let candidate = Candidate {
                    status: "failed".to_owned(),
                    ..Candidate::default()
                };
                (
                    candidate,
                    Some(error.message().to_owned()),
                    Trace::default(),
                    Belief::default(),
                )
            }
            Err(error) => return Err(error),
        };
    let comparison = task.comparison.clone().unwrap_or_default();
    let expected = Expected {
        question: &task.question,
        status: &task.expected_status,
        gold: &gold,
        ordered: task.ordered,
        comparison: &comparison,
        texts: &task.gold_texts,
    };
    let grade = grade(&expected, &candidate);
    if task.vectors && candidate.status == "ok" {
        let of_gold = grade.gold_number.and_then(|number| gold.get(number));
        let of_gold = of_gold.or(gold.first()).map(|gold| gold.sql.as_str());
        let statements = candidate.sql.as_deref().zip(of_gold);
        figures.compare(&task.question, candidate.sentence.as_deref(), statements)?;
    }
    let mut opinions = texts::opinions(
        &task.question,
        &candidate.texts,
        candidate.sentence.as_deref(),
        task.judged,
    )?;
    opinions.judge_calls += figures.judge_calls;
    let (robust, copies) = match (&candidate.sql, grade.gold_number.and_then(|n| gold.get(n))) {
        (Some(sql), Some(gold)) if grade.ex == Some(true) => {
            on_copies(&database, &limits, task, gold, sql, &comparison)?
        }
        _ => (None, 0),
    };
    let cost = trace.costs().into_iter().next();
    let mut stages = BTreeMap::new();
    for stage in &trace.stages {
        *stages.entry(stage.stage).or_insert(0.0) += stage.milliseconds;
    }
    Ok(Attempted::Done(Box::new(Graded {
        status: candidate.status,
        sql: candidate.sql,
        message,
        grade,
        kind: texts::kind(&trace),
        opinions,
        figures,
        robust,
        engine: belief.engine,
        confidence: belief.confidence,
        score: belief.score,
        agreement: belief.agreement,
        copies,
        repairs: repairs(&trace),
        model_calls: trace.model_calls,
        requests: trace.requests,
        input_tokens: trace.input_tokens,
        output_tokens: trace.output_tokens,
        cost: cost.as_ref().map(Cost::amount),
        currency: cost.map(|cost| cost.currency),
        prompt_chars: trace.prompt_chars,
        stages,
    })))
}

/// How often a query went back to the model. Where it let its query stand, nothing went back again.
fn repairs(trace: &Trace) -> usize {
    let stages = trace.stages.iter();
    stages
        .filter(|stage| stage.stage == "repair" && stage.output.get("stands").is_none())
        .count()
}

/// What gave an answer, its confidence, and the inputs from which confidence is fitted.
#[derive(Default)]
struct Belief {
    engine: Option<String>,
    confidence: Option<f64>,
    score: Option<f64>,
    agreement: Option<f64>,
}

impl Belief {
    fn of(answer: &Answer) -> Self {
        let score = answer.score.as_deref();
        Self {
            engine: answer.engine().map(str::to_owned),
            confidence: answer.confidence,
            score: score.map(Score::total),
            agreement: score.map(Score::agreement_share),
        }
    }
}

/// The error of each gold statement, `None` for one that runs.
pub(crate) fn check_gold(
    gold: &[String],
    clock: Option<i64>,
) -> Result<Vec<Option<String>>, Error> {
    let _clock = clock.map(PinnedClock::at).transpose()?;
    let database = GuardedDatabase::new()?;
    let limits = settings::limits(&overrides());
    gold.iter()
        .map(|sql| Ok(run_one(&database, &limits, sql)?.err()))
        .collect()
}

/// Asks the model for the cause of the error.
pub(crate) fn opinion(
    question: &str,
    gold: &str,
    candidate: &str,
    reasons: &str,
) -> Result<String, Error> {
    let prompt = render_opinion(question, gold, candidate, reasons);
    let subject = format!("opinion: {question}");
    let reply = Adviser::new()?.ask(&subject, prompt, opinion::json_schema())?;
    Ok(opinion::read(&reply))
}

/// Grades a given statement.
pub(crate) fn grade_statement(task: &Task, sql: &str) -> Result<Grade, Error> {
    let _clock = task.clock.map(PinnedClock::at).transpose()?;
    let database = GuardedDatabase::new()?;
    let limits = settings::limits(&overrides());
    let (gold, problem) = run_gold(&database, &limits, &task.gold)?;
    if let Some(problem) = problem {
        if problem.starts_with(CLOCK_REFUSED) {
            return Err(Error::new(ErrorKind::Denied, problem)
                .with_hint("Omit \"clock\" from the options."));
        }
        return Err(failure!(
            Setting,
            "the gold statement does not run: {problem}"
        ));
    }
    let mut candidate = Candidate {
        status: "ok".to_owned(),
        sql: Some(sql.to_owned()),
        explanation: in_words(sql),
        ..Candidate::default()
    };
    match database.run(sql, &limits)? {
        Outcome::Passed(execution) => {
            candidate.rows = Some(ResultTable::from_execution(&execution));
        }
        Outcome::Rejected(_) => candidate.status = "blocked".to_owned(),
        Outcome::Failed(error) => {
            candidate.status = "failed".to_owned();
            candidate.sqlstate = Some(error.sqlstate);
        }
    }
    let comparison = task.comparison.clone().unwrap_or_default();
    let expected = Expected {
        question: &task.question,
        status: &task.expected_status,
        gold: &gold,
        ordered: task.ordered,
        comparison: &comparison,
        texts: &[],
    };
    Ok(grade(&expected, &candidate))
}

impl Task {
    /// The questions to ask, in order: the earlier ones, then the question with its evidence.
    fn asked(&self) -> Vec<String> {
        let mut asked = self.previous.clone();
        asked.push(match &self.evidence {
            Some(evidence) => format!("{} ({evidence})", self.question),
            None => self.question.clone(),
        });
        asked
    }
}

/// As many rows as the maximum result size allows: a truncated result proves nothing.
fn overrides() -> Overrides {
    Overrides {
        max_result_rows: Some(usize::MAX),
        ..Overrides::default()
    }
}

/// The gold statements that run, and the error of the first one that does not.
fn run_gold(
    database: &GuardedDatabase,
    limits: &Limits,
    statements: &[String],
) -> Result<(Vec<Gold>, Option<String>), Error> {
    let (mut gold, mut problem) = (Vec::new(), None);
    for sql in statements {
        match run_one(database, limits, sql)? {
            Ok(rows) => {
                let contents = database.inspect(sql, limits)?.contents;
                let set = |names: Vec<String>| names.into_iter().collect::<BTreeSet<String>>();
                let (tables, columns) = contents
                    .map(|contents| (set(contents.relations), set(contents.columns)))
                    .unwrap_or_default();
                gold.push(Gold {
                    sql: sql.clone(),
                    rows,
                    tables,
                    columns,
                });
            }
            Err(reason) => problem = problem.or(Some(reason)),
        }
    }
    Ok((gold, problem))
}

fn run_one(
    database: &GuardedDatabase,
    limits: &Limits,
    sql: &str,
) -> Result<Result<ResultTable, String>, Error> {
    Ok(match database.run(sql, limits)? {
        Outcome::Passed(execution) => Ok(ResultTable::from_execution(&execution)),
        Outcome::Rejected(rejection) => {
            Err(format!("{} (rule {})", rejection.reason, rejection.rule))
        }
        Outcome::Failed(error) => Err(without_values(&error)),
    })
}

/// The database's message, unless it may contain values from rows.
fn without_values(error: &DatabaseError) -> String {
    if error.sqlstate.starts_with("42") || error.sqlstate == "57014" {
        error.message.clone()
    } else {
        format!("SQLSTATE {}", error.sqlstate)
    }
}

fn said(answer: &Answer) -> Option<String> {
    match &answer.error {
        Some(error) => Some(without_values(error)),
        None => answer.sentence.clone(),
    }
}

fn candidate(answer: Answer) -> Candidate {
    let mut shown_columns = Vec::new();
    let shown_tables = answer.trace.context.iter().map(|table| {
        let name = format!(
            "{}.{}",
            quote_identifier(&table.schema),
            quote_identifier(&table.name)
        );
        let columns = table
            .columns
            .iter()
            .map(|column| quote_identifier(&column.name));
        shown_columns.extend(columns.map(|column| format!("{name}.{column}")));
        name
    });
    let shown_tables: Vec<String> = shown_tables.collect();
    let texts = texts::of_answer(&answer);
    Candidate {
        status: answer.status.as_str().to_owned(),
        explanation: answer.sql.as_deref().and_then(in_words),
        sql: answer.sql,
        rows: answer.execution.as_ref().map(ResultTable::from_execution),
        sentence: answer.sentence,
        sqlstate: answer.error.map(|error| error.sqlstate),
        shown_tables: Some(shown_tables),
        shown_columns: Some(shown_columns),
        texts,
    }
}

fn in_words(sql: &str) -> Option<String> {
    let steps = explain::explain(sql, &[]).ok()?;
    let sentences: Vec<String> = steps.into_iter().map(|step| step.explanation).collect();
    Some(sentences.join(" "))
}

/// Whether gold and candidate agree on the copies too, and the number of copies that could tell the difference:
/// those on which both ran and the gold result has rows.
fn on_copies(
    database: &GuardedDatabase,
    limits: &Limits,
    task: &Task,
    gold: &Gold,
    sql: &str,
    comparison: &Comparison,
) -> Result<(Option<bool>, usize), Error> {
    let (mut telling, mut agreeing) = (0, 0);
    let copies = match task.copies {
        true => perturbed_tables::stand_ins()?,
        false => Vec::new(),
    };
    for stand_ins in &copies {
        let on_copy =
            database.run_on_copies(&gold.sql, limits, &|table| stand_ins.of(table), true)?;
        let Outcome::Passed(Some(CopyRows { execution, limit })) = on_copy else {
            continue;
        };
        let mut rows = ResultTable::from_execution(&execution);
        let has_tie = limit.is_some_and(|limit| cuts_a_tie(&mut rows, limit, &gold.sql));
        if rows.rows.is_empty() {
            continue;
        }
        let gold_on_copy = Gold {
            rows,
            ..gold.clone()
        };
        let rows = match database.run_on_copies(sql, limits, &|table| stand_ins.of(table), false)? {
            Outcome::Passed(None) => continue,
            Outcome::Passed(Some(CopyRows { execution, .. })) => {
                Some(ResultTable::from_execution(&execution))
            }
            Outcome::Rejected(_) | Outcome::Failed(_) => None,
        };
        let candidate = Candidate {
            status: "ok".to_owned(),
            sql: Some(sql.to_owned()),
            rows,
            ..Candidate::default()
        };
        let expected = Expected {
            question: &task.question,
            status: "ok",
            gold: std::slice::from_ref(&gold_on_copy),
            ordered: task.ordered,
            comparison,
            texts: &[],
        };
        let agrees = grade(&expected, &candidate).ex == Some(true);
        // A LIMIT may omit any of several equal rows.
        if agrees || !has_tie {
            telling += 1;
            agreeing += usize::from(agrees);
        }
    }
    Ok(((telling > 0).then_some(agreeing == telling), telling))
}
