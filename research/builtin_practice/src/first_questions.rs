//! First questions of a newcomer over sample databases that nobody has prepared: how many are answered, and how many
//! lead to the answer with one more question.
//!
//! A question is a line with `database`, `question`, `gold` (accepted statements) and, where it is not to be answered
//! at once, `expect`: `ambiguous` or `unanswerable`. An answer may have more columns than the gold statement.

use std::error::Error;
use std::fmt::Write;

use postgres::Client;
use serde_json::Value;
use text2sql_domain::proposal::Proposal;
use text2sql_language::understanding::Understanding;

use crate::compare;
use crate::near::NearWords;
use crate::questions::{self, Case};
use crate::tally::share;

/// What was made of a question.
struct Reply {
    sql: Option<String>,
    /// Complete questions that were offered instead of an answer.
    offered: Vec<String>,
    said: String,
}

/// How far the asker got.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// Answered as expected, or declined where nothing can be answered.
    Right,
    /// One of the questions offered is answered right.
    Led,
    Declined,
    /// Another answer, or one of several without asking which.
    Wrong,
}

const OUTCOMES: [(Outcome, &str); 4] = [
    (Outcome::Right, "right"),
    (Outcome::Led, "led"),
    (Outcome::Declined, "declined"),
    (Outcome::Wrong, "wrong"),
];

/// Asks the questions of each file and prints what became of them; fails if one was answered wrongly. With `encoder`
/// or `is_engine_only` the engine is called directly, otherwise `text2sql.ask` of the cluster's databases.
pub(crate) fn measure(
    files: &[&str],
    is_engine_only: bool,
    encoder: Option<&str>,
    is_shown: impl Fn(&str) -> bool,
) -> Result<(), Box<dyn Error>> {
    let mut wrong = 0;
    for file in files {
        let by_database = questions::read(&std::fs::read_to_string(file)?)?;
        let (mut answerable, mut others) = ([0_usize; 4], [0_usize; 4]);
        for (database, cases) in by_database {
            let mut client = questions::connect(&database)?;
            let mut asker = match is_engine_only || encoder.is_some() {
                true => {
                    let tables = practice_catalog::read_tables(&mut client)?;
                    let near = NearWords::of(&database, &tables, encoder)?;
                    Asker::Engine(tables, Box::new(near))
                }
                false => Asker::Extension(Box::new(questions::connect(&database)?)),
            };
            for case in &cases {
                let reply = asker.ask(&case.question, &case.today)?;
                let (outcome, via) = judge(&mut client, &mut asker, case, &reply)?;
                let counts = match case.expect == "unanswerable" {
                    true => &mut others,
                    false => &mut answerable,
                };
                for ((known, _), count) in OUTCOMES.iter().zip(counts.iter_mut()) {
                    *count += usize::from(*known == outcome);
                }
                wrong += usize::from(outcome == Outcome::Wrong);
                if is_shown(name(outcome)) {
                    println!("{}", shown(case, &reply, outcome, via.as_deref()));
                }
            }
        }
        println!("{file}");
        println!("  to be answered: {}", line(&answerable));
        println!("  not to be answered: {}", line(&others));
    }
    match wrong {
        0 => Ok(()),
        _ => Err(format!("{wrong} wrong").into()),
    }
}

enum Asker {
    Engine(
        Vec<std::sync::Arc<text2sql_domain::schema::Table>>,
        Box<NearWords>,
    ),
    Extension(Box<Client>),
}

impl Asker {
    fn ask(&mut self, question: &str, today: &str) -> Result<Reply, Box<dyn Error>> {
        match self {
            Self::Engine(tables, near) => {
                let helped = near.propose_or_offer(&Understanding::of(question, today), tables)?;
                let mut reply = reply_of(helped.proposal);
                let questions = helped.offer.questions.into_iter();
                reply.offered.extend(questions.map(|one| one.question));
                if !helped.offer.understood.is_empty() {
                    reply.said = format!("{} | {}", reply.said, helped.offer.understood.join("; "));
                }
                Ok(reply)
            }
            Self::Extension(client) => {
                let row = client.query_one(
                    "SELECT status, sql, answer, clarification::text, array_to_string(warnings, ' / ') \
                     FROM text2sql.ask($1)",
                    &[&question],
                )?;
                let text = |at: usize| row.get::<_, Option<String>>(at);
                let clarification: Value =
                    serde_json::from_str(&text(3).unwrap_or_default()).unwrap_or_default();
                let offered = ["readings", "suggestions"]
                    .iter()
                    .filter_map(|key| clarification.get(key)?.as_array())
                    .flatten()
                    .filter_map(Value::as_str)
                    .map(str::to_owned)
                    .collect();
                let is_answer = text(0).as_deref() == Some("ok");
                Ok(Reply {
                    sql: text(1).filter(|_| is_answer),
                    offered,
                    said: [text(0), text(2), text(4)]
                        .into_iter()
                        .flatten()
                        .collect::<Vec<_>>()
                        .join(" | "),
                })
            }
        }
    }
}

fn reply_of(proposal: Proposal) -> Reply {
    match proposal {
        Proposal::Sql(answer) => Reply {
            said: [
                answer.sentence.into_iter().collect(),
                answer.links,
                answer.notes,
            ]
            .concat()
            .join(" | "),
            sql: Some(answer.sql),
            offered: Vec::new(),
        },
        Proposal::Ambiguous { question, readings } => Reply {
            sql: None,
            offered: readings,
            said: question,
        },
        Proposal::Unanswerable { reason, .. } => Reply {
            sql: None,
            offered: Vec::new(),
            said: reason,
        },
    }
}

/// The outcome, and the offered question that led to it.
fn judge(
    client: &mut Client,
    asker: &mut Asker,
    case: &Case,
    reply: &Reply,
) -> Result<(Outcome, Option<String>), Box<dyn Error>> {
    if case.expect == "unanswerable" {
        let outcome = match reply.sql {
            Some(_) => Outcome::Wrong,
            None => Outcome::Right,
        };
        return Ok((outcome, None));
    }
    if let Some(sql) = &reply.sql {
        let is_right = case.expect != "ambiguous" && is_right(client, sql, case);
        return Ok(match is_right {
            true => (Outcome::Right, None),
            false => (Outcome::Wrong, None),
        });
    }
    for question in &reply.offered {
        if let Some(sql) = asker.ask(question, &case.today)?.sql
            && is_right(client, &sql, case)
        {
            return Ok((Outcome::Led, Some(question.clone())));
        }
    }
    Ok((Outcome::Declined, None))
}

fn is_right(client: &mut Client, sql: &str, case: &Case) -> bool {
    compare::holds_gold(client, sql, &case.gold, case.ordered).unwrap_or(false)
}

fn name(outcome: Outcome) -> &'static str {
    OUTCOMES
        .iter()
        .find(|(known, _)| *known == outcome)
        .map_or("", |(_, name)| name)
}

fn line(counts: &[usize; 4]) -> String {
    let all = counts.iter().sum();
    let mut line = format!("{all} asked");
    for ((_, name), count) in OUTCOMES.iter().zip(counts) {
        let _ = write!(line, ", {name} {count} ({:.0} %)", share(*count, all));
    }
    line
}

fn shown(case: &Case, reply: &Reply, outcome: Outcome, via: Option<&str>) -> String {
    let mut text = format!("-- {}: {}\n   {}", name(outcome), case.question, reply.said);
    if let Some(sql) = &reply.sql {
        let _ = write!(text, "\n   sql: {}", sql.replace('\n', " "));
    }
    for offered in &reply.offered {
        let mark = match via == Some(offered.as_str()) {
            true => '>',
            false => '-',
        };
        let _ = write!(text, "\n   {mark} {offered}");
    }
    text
}
