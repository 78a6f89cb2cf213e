//! Answers a question with rows. One that consists of several questions is answered part by part, each with a result of its
//! own, or the answer names the parts.
//!
//! A model says which they are, instead of a query. For the built-in engine a rule cuts the question
//! ([`several_questions`]), and only where it answers each part and not the whole.

use std::sync::Arc;

use super::answer::{self, Written};
use super::asked::{Asked, Ended, Failed, Outcome, Parts};
use super::in_order::failed_answer;
use super::solve::solve;
use crate::planned_steps::named_in;
use crate::several_answers::{
    language_of, last_answered, merged, one_approval_each, one_at_a_time,
};
use text2sql_domain::answer::{Answer, AnsweredPart, Status};
use text2sql_domain::config::ModelConfig;
use text2sql_domain::engines::{Engines, NotLessTrusted, OnlyEngine};
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::progress::PartAt;
use text2sql_domain::question::Question;
use text2sql_domain::schema::Table;
use text2sql_domain::trace::Trace;
use text2sql_language::several_questions::{self, MAX_PARTS, Part};

/// Answers a question with rows.
pub(super) fn answer(cx: &Run<'_>, asked: &Asked<'_>) -> Result<Answer, Error> {
    let (chosen, assumptions) = solve(cx, asked)?;
    let ended = match (chosen.given, asked.parts) {
        (
            Ended {
                outcome: Outcome::Several(parts),
                ..
            },
            Parts::Answered(failed),
        ) => {
            let engines = NotLessTrusted::than(&chosen.engine, asked.engines);
            return of_model(cx, &engines, asked, parts, failed);
        }
        (ended, _) => ended,
    };
    cx.with_engine(&chosen.engine, |cx| {
        let answer = answer::with_rows(cx, asked, ended, assumptions)?;
        // Where a query has to wait, only a question that none was written for is taken apart.
        let may_be_named = !cx.config.approval.applies() || answer.status == Status::Unanswerable;
        match asked.parts {
            Parts::Answered(_) => match rule_parts(cx, asked, &answer) {
                Some(parts) => of_rule(cx, asked, &parts, answer),
                None => Ok(answer),
            },
            Parts::Named if may_be_named => {
                or_parts(cx, asked, Box::new(answer)).map(|answer| *answer)
            }
            Parts::Named | Parts::Whole => Ok(answer),
        }
    })
}

/// Writes the SQL for a question without running it.
pub(super) fn write(cx: &Run<'_>, asked: &Asked<'_>) -> Result<Written, Error> {
    let (chosen, assumptions) = solve(cx, asked)?;
    cx.with_engine(&chosen.engine, |cx| {
        let written = answer::with_sql(cx, chosen.given, assumptions)?;
        or_named(cx, asked, written)
    })
}

/// The answer that names the parts of a question, if they are to be answered instead of `answer`.
pub(super) fn or_parts(
    cx: &Run<'_>,
    asked: &Asked<'_>,
    answer: Box<Answer>,
) -> Result<Box<Answer>, Error> {
    let Some(written) = parts_instead(cx, asked, &answer)? else {
        return Ok(answer);
    };
    let parts = written.into_iter().map(|part| part.question).collect();
    Ok(Box::new(Answer {
        trace: answer.trace,
        ..match cx.config.approval.applies() {
            true => one_approval_each(parts),
            false => one_at_a_time(parts),
        }
    }))
}

/// The same for SQL that was written and not run.
pub(super) fn or_named(
    cx: &Run<'_>,
    asked: &Asked<'_>,
    written: Written,
) -> Result<Written, Error> {
    let written = match written {
        Ok(written) => written,
        Err(answer) => return or_parts(cx, asked, answer).map(Err),
    };
    let answer = Box::new(Answer {
        sql: Some(written.sql.clone()),
        ..Answer::without_rows(Status::Ok, "")
    });
    let answer = or_parts(cx, asked, answer)?;
    Ok(match answer.status {
        Status::Ok => Ok(written),
        _ => Err(answer),
    })
}

/// The SQL of each part of a question, if the parts are to be answered instead of the whole as in `answer`.
pub(super) fn parts_instead(
    cx: &Run<'_>,
    asked: &Asked<'_>,
    answer: &Answer,
) -> Result<Option<Vec<WrittenPart>>, Error> {
    let Some(parts) = rule_parts(cx, asked, answer) else {
        return Ok(None);
    };
    let before = tables_only(cx);
    let written = written(cx, asked, &parts)?;
    let is_certain = are_all_questions(&parts);
    let written = written.filter(|written| {
        let mut parts = written.iter();
        answer.sql.as_ref().is_none_or(|whole| {
            is_certain || parts.any(|part| reads_more(&part.sql, whole, &part.tables.context))
        })
    });
    if written.is_none() {
        restore(cx, before);
    }
    Ok(written)
}

/// A part with the SQL that answers it, which was checked and not run.
pub(super) struct WrittenPart {
    pub(super) question: String,
    pub(super) sql: String,
    pub(super) tables: Trace,
}

/// The SQL of each part; `None` unless there is one for each, and they are independent.
fn written(
    cx: &Run<'_>,
    asked: &Asked<'_>,
    parts: &[Part],
) -> Result<Option<Vec<WrittenPart>>, Error> {
    let mut all = Vec::new();
    for (number, part) in (1..).zip(parts) {
        begin_part(cx, number, parts.len());
        let question = Question::new(&part.text)?;
        let engine = OnlyEngine::of(cx.config);
        let part_asked = Asked::for_sql(&engine, &question, asked.turns, Parts::Whole);
        let (chosen, _) = solve(cx, &part_asked)?;
        let Ok(solved) = chosen.given.solved() else {
            end_parts(cx);
            return Ok(None);
        };
        all.push(WrittenPart {
            question: part.text.clone(),
            sql: solved.proposal.sql,
            tables: tables_only(cx),
        });
    }
    end_parts(cx);
    let sql: Vec<Option<&str>> = all.iter().map(|part| Some(part.sql.as_str())).collect();
    Ok(are_independent(parts, &sql).then_some(all))
}

/// The parts of a question that the built-in engine may answer one by one. It may also have answered one of them
/// as if it were the whole.
fn rule_parts(cx: &Run<'_>, asked: &Asked<'_>, answer: &Answer) -> Option<Vec<Part>> {
    let may_be_cut = matches!(cx.config.model, ModelConfig::Builtin)
        && cx.config.meaning.is_none()
        && matches!(answer.status, Status::Unanswerable | Status::Ok);
    may_be_cut
        .then(|| several_questions::split(asked.question.as_str()))
        .flatten()
}

/// The answers to the parts that a model names, at most [`MAX_PARTS`].
fn of_model(
    cx: &Run<'_>,
    engines: &dyn Engines,
    asked: &Asked<'_>,
    mut parts: Vec<String>,
    failed: &Failed<'_>,
) -> Result<Answer, Error> {
    let left_out = parts.split_off(parts.len().min(MAX_PARTS));
    let mut answered = Vec::new();
    let count = parts.len();
    for (number, part) in (1..).zip(parts) {
        begin_part(cx, number, count);
        cx.trace.borrow_mut().standalone = None;
        let question = Question::new(&part)?;
        let asked = Asked::for_rows(cx.config, engines, &question, &[], Parts::Whole);
        let answer = match answer(cx, &asked) {
            Err(error) if error.is_of_endpoint() => failed_answer(cx, &error, failed),
            answer => answer?,
        };
        answered.push(of_part(cx, part, answer));
    }
    end_parts(cx);
    let mut whole = merged(answered, language_of(asked.question.as_str()));
    let left_out = left_out.into_iter();
    whole.warnings.extend(left_out.map(|part| {
        format!("only the first {MAX_PARTS} parts are answered, this one is not: {part}")
    }));
    Ok(finished(cx, whole))
}

/// The answers to the parts that a rule cut, if each of them is answered and `whole` is not what was meant; else
/// `whole`.
fn of_rule(
    cx: &Run<'_>,
    asked: &Asked<'_>,
    parts: &[Part],
    whole: Answer,
) -> Result<Answer, Error> {
    let before = tables_only(cx);
    let mut answered = Vec::new();
    for (number, part) in (1..).zip(parts) {
        begin_part(cx, number, parts.len());
        cx.trace.borrow_mut().standalone = None;
        let (engine, question) = (OnlyEngine::of(cx.config), Question::new(&part.text)?);
        let part_asked = Asked::for_rows(cx.config, &engine, &question, asked.turns, Parts::Whole);
        let answer = answer(cx, &part_asked)?;
        if answer.status != Status::Ok {
            break;
        }
        answered.push(of_part(cx, part.text.clone(), answer));
    }
    end_parts(cx);
    let sql: Vec<Option<&str>> = answered
        .iter()
        .map(|part| part.answer.sql.as_deref())
        .collect();
    let is_meant = whole.sql.as_ref().is_none_or(|whole| {
        are_all_questions(parts)
            || answered.iter().any(|part| {
                let own = part.answer.sql.as_deref().unwrap_or_default();
                reads_more(own, whole, &part.answer.trace.context)
            })
    });
    if answered.len() < parts.len() || !is_meant || !are_independent(parts, &sql) {
        restore(cx, before);
        return Ok(whole);
    }
    let without = without_conditions(parts, &sql);
    let mut several = merged(answered, language_of(asked.question.as_str()));
    several.warnings.extend(without);
    {
        let mut trace = cx.trace.borrow_mut();
        (trace.engines, trace.gave_up) = (before.engines, before.gave_up);
    }
    Ok(finished(cx, several))
}

/// Begins the part with that number, from 1.
fn begin_part(cx: &Run<'_>, part: usize, parts: usize) {
    cx.note(|news| news.part = Some(PartAt { part, parts }));
}

fn end_parts(cx: &Run<'_>) {
    cx.note(|news| news.part = None);
}

/// Whether each part after the first asks which, or how many, of something that it names. Then parts that can be
/// answered are what is meant, even if the engine can also read the whole as one question: "how many orders were
/// placed, and which stores are in Graz" does not ask for the orders of these stores.
fn are_all_questions(parts: &[Part]) -> bool {
    let names = |part: &Part| {
        part.opener.contains(' ')
            || part.opener.starts_with("which")
            || part.opener.starts_with("welch")
            || part.opener.starts_with("wieviel")
    };
    parts.iter().skip(1).all(names)
}

/// Whether the query of a part reads a table that the query of the whole does not read.
fn reads_more(part: &str, whole: &str, tables: &[Arc<Table>]) -> bool {
    let of_whole = named_in(whole, tables);
    let mut of_part = named_in(part, tables).into_iter();
    of_part.any(|table| !of_whole.contains(&table))
}

/// Sets the trace back to what it said before parts were tried.
fn restore(cx: &Run<'_>, before: Trace) {
    let mut trace = cx.trace.borrow_mut();
    trace.context = before.context;
    trace.standalone = before.standalone;
    trace.engines = before.engines;
    trace.engine = before.engine;
    trace.gave_up = before.gave_up;
}

/// Whether no condition or group of one part may be meant of another: "how many orders and how many returns were
/// there in 2025" begin alike, and what stands at the end of one may belong to both.
fn are_independent(parts: &[Part], sql: &[Option<&str>]) -> bool {
    let shape = |at: usize| {
        let sql = sql.get(at).copied().flatten().unwrap_or_default();
        (sql.contains("WHERE"), sql.contains("GROUP BY"))
    };
    (1..parts.len()).all(|at| {
        let pair = at
            .checked_sub(1)
            .and_then(|before| parts.get(before))
            .zip(parts.get(at));
        let is_parallel = pair
            .is_some_and(|(before, part)| part.continues_sentence && part.opener == before.opener);
        !is_parallel || shape(at - 1) == shape(at)
    })
}

/// A note for each part without a condition after one that has some, in the same sentence: a period there may have
/// been meant of both.
fn without_conditions(parts: &[Part], sql: &[Option<&str>]) -> Vec<String> {
    let has = |at: usize| {
        sql.get(at)
            .copied()
            .flatten()
            .is_some_and(|sql| sql.contains("WHERE"))
    };
    let continued = (1..parts.len()).filter(|at| {
        parts.get(*at).is_some_and(|part| part.continues_sentence) && has(at - 1) && !has(*at)
    });
    continued
        .map(|at| {
            format!(
                "part {} is answered without the conditions of part {at}",
                at + 1
            )
        })
        .collect()
}

/// A part with its answer, of whose trace only the tables are still needed.
fn of_part(cx: &Run<'_>, question: String, answer: Answer) -> AnsweredPart {
    AnsweredPart {
        question,
        answer: Answer {
            trace: tables_only(cx),
            ..answer
        },
    }
}

fn tables_only(cx: &Run<'_>) -> Trace {
    let trace = cx.trace.borrow();
    Trace {
        context: trace.context.clone(),
        standalone: trace.standalone.clone(),
        engines: trace.engines.clone(),
        engine: trace.engine.clone(),
        gave_up: trace.gave_up.clone(),
        ..Trace::default()
    }
}

/// The whole answer with its trace. A conversation continues from the last part that was answered.
fn finished(cx: &Run<'_>, mut whole: Answer) -> Answer {
    let mut trace = cx.trace.borrow_mut();
    let last = last_answered(&whole.parts);
    trace.standalone = last.map(|part| {
        let read_as = part.answer.trace.standalone.clone();
        read_as.unwrap_or_else(|| part.question.clone())
    });
    whole.trace = trace.clone();
    whole
}
