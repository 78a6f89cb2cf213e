//! What the first question of a session costs over later ones, in time and in memory.

use crate::error::Fallible;
use crate::memory::{self, Memory};
use crate::session::Session;
use crate::subject::{AskedQuestion, Subject};

/// Milliseconds in fresh sessions.
#[derive(Debug, Default)]
pub(crate) struct SessionCost {
    /// The first question; loads the library, reads the catalog, starts the helper thread.
    pub(crate) first: Vec<f64>,
    /// The same question again.
    pub(crate) second: Vec<f64>,
    /// Questions that the session had not seen, after the first.
    pub(crate) later_new: Vec<f64>,
    /// Questions that the session had seen.
    pub(crate) later_repeated: Vec<f64>,
    /// The first question's SQL in a session that does nothing else: the server's own caches are
    /// cold too.
    pub(crate) direct_first: Vec<f64>,
    pub(crate) direct_second: Vec<f64>,
}

/// Milliseconds of the parts of a first question, each in its turn in a fresh session.
#[derive(Debug, Default)]
pub(crate) struct ColdParts {
    /// The first call of any function: the library is loaded.
    pub(crate) library: Vec<f64>,
    /// The first prompt: the catalog is read.
    pub(crate) prompt_cold: Vec<f64>,
    /// The prompt of a question about other tables.
    pub(crate) prompt_new: Vec<f64>,
    /// The same prompt again.
    pub(crate) prompt_warm: Vec<f64>,
    /// The first answer after that: helper thread, connection, guard and execution.
    pub(crate) ask_after: Vec<f64>,
}

/// Measures the first and later questions in this number of new sessions.
pub(crate) fn measure(subject: &Subject<'_>, sessions: usize) -> Fallible<SessionCost> {
    let mut cost = SessionCost::default();
    for number in 0..sessions {
        let questions: Vec<&AskedQuestion> = subject
            .rotation(number)
            .take(subject.questions.len())
            .collect();
        let Some((first, others)) = questions.split_first() else {
            continue;
        };
        let mut session = subject.session()?;
        cost.first.push(session.ask(&first.question)?);
        cost.second.push(session.ask(&first.question)?);
        for other in others {
            cost.later_new.push(session.ask(&other.question)?);
        }
        for question in &questions {
            cost.later_repeated.push(session.ask(&question.question)?);
        }
        let mut session = subject.session()?;
        cost.direct_first
            .push(session.timed(&first.question.sql)?.0);
        cost.direct_second
            .push(session.timed(&first.question.sql)?.0);
    }
    Ok(cost)
}

/// Measures the parts of the first question in this number of new sessions.
pub(crate) fn cold_parts(subject: &Subject<'_>, sessions: usize) -> Fallible<ColdParts> {
    let mut parts = ColdParts::default();
    for number in 0..sessions {
        let mut questions = subject.rotation(number).map(|asked| &asked.question);
        let (Some(first), Some(other)) = (questions.next(), questions.next()) else {
            continue;
        };
        let mut session = subject.session()?;
        parts
            .library
            .push(session.timed("SELECT text2sql._version()")?.0);
        parts.prompt_cold.push(session.timed(&first.preview())?.0);
        parts.prompt_new.push(session.timed(&other.preview())?.0);
        parts.prompt_warm.push(session.timed(&first.preview())?.0);
        parts.ask_after.push(session.ask(first)?);
    }
    Ok(parts)
}

/// Memory of one backend as it goes on.
#[derive(Debug)]
pub(crate) struct MemoryGrowth {
    pub(crate) before: Memory,
    pub(crate) after_first: Memory,
    /// After each question was asked once.
    pub(crate) after_each: Memory,
    pub(crate) after_all: Memory,
}

/// Measures the memory of a backend over this number of questions; `None` where the system does
/// not tell.
pub(crate) fn memory_of_asking(
    subject: &Subject<'_>,
    questions: usize,
) -> Fallible<Option<MemoryGrowth>> {
    growth(subject, questions, |session, asked| {
        session.ask(&asked.question).map(drop)
    })
}

/// The same for a backend that only runs the SQL.
pub(crate) fn memory_of_queries(
    subject: &Subject<'_>,
    questions: usize,
) -> Fallible<Option<MemoryGrowth>> {
    growth(subject, questions, |session, asked| {
        session.run(&asked.question.sql).map(drop)
    })
}

fn growth(
    subject: &Subject<'_>,
    questions: usize,
    work: impl Fn(&mut Session, &AskedQuestion) -> Fallible<()>,
) -> Fallible<Option<MemoryGrowth>> {
    let mut session = subject.session()?;
    let backend = session.backend()?;
    let Some(before) = memory::of_process(backend) else {
        return Ok(None);
    };
    let mut growth = MemoryGrowth {
        before,
        after_first: before,
        after_each: before,
        after_all: before,
    };
    for (index, asked) in subject.rotation(0).take(questions).enumerate() {
        work(&mut session, asked)?;
        let done = index + 1;
        if done == 1 || done == subject.questions.len() || done == questions {
            let now = memory::of_process(backend).unwrap_or(before);
            if done == 1 {
                growth.after_first = now;
            }
            if done <= subject.questions.len() {
                growth.after_each = now;
            }
            growth.after_all = now;
        }
    }
    Ok(Some(growth))
}
