//! Grades the triggers of the gate, each by itself: how often it speaks about a right query, and how many wrong ones
//! it catches. The wrong ones are right ones that were broken, right ones of other questions, and wrong ones of the
//! built-in engine. No model is asked.

pub(crate) mod broken;
mod graded;
mod sweep;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use port_contracts::memory_index::MemoryIndex;
use postgres::{Client, SimpleQueryMessage};
use text2sql_analysis::findings::Asked;
use text2sql_domain::config::{Egress, Limits};
use text2sql_domain::ports::search_index::{NoIndex, SearchIndex, ValueHit};
use text2sql_domain::ports::{Database, Outcome};
use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::Table;
use text2sql_domain::score::ScoreConfig;
use text2sql_domain::sql_result::Execution;
use text2sql_engine::empty_result::EmptyResult;
use text2sql_engine::gate::{EmptyReason, Judged};
use text2sql_engine::query_judge::{Sight, judge_result};
use text2sql_engine::scoring::{self, Ending, Facts};
use text2sql_language::terms::Analyzer;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::values::{Phrases, Scene, choose};

use self::graded::{Graded, Report};
use crate::findings::PlainDatabase;
use crate::near::NearWords;
use crate::questions::{self, Case, TODAY};
use crate::{compare, values};

/// Every how many of the other questions is asked with a query that belongs to another one.
const STEP: usize = 17;

/// Values of one phrase, as on a server.
const PER_PHRASE: usize = 8;

const LIMITS: Limits = Limits {
    max_result_rows: 10_000,
    max_result_bytes: 1 << 24,
    max_cost: 0.0,
    query_timeout: Duration::from_secs(10),
    memory_limit: 0,
};

/// Prints the figures of both halves of the databases. With `shows`, prints the right queries that a trigger of that
/// name would send back.
pub(crate) fn measure(
    by_database: &BTreeMap<String, Vec<Case>>,
    prefix: &str,
    shows: Option<&str>,
) -> Result<(), Box<dyn Error>> {
    let mut report = Report::default();
    for (place, (database, cases)) in by_database.iter().enumerate() {
        let mut world = World::of(questions::connect(&format!("{prefix}{database}"))?)?;
        let near = NearWords::of(&format!("{prefix}{database}"), &world.tables, None)?;
        for (number, case) in cases.iter().enumerate() {
            for (kind, is_right, question, sql) in world.versions(case, number, cases, &near) {
                let Some(judged) = world.judge(&question, &sql)? else {
                    continue;
                };
                let graded = Graded::of(kind, is_right, &judged, &world.tables);
                if let Some(name) = shows
                    && graded.shows(name)
                {
                    println!("-- {database}: {question} [{kind}]\n   {sql}");
                    for failure in judged.failures(&world.tables) {
                        println!("   {}: {}", failure.trigger, failure.warning);
                    }
                }
                report.add(place % 2, graded);
            }
        }
    }
    report.print();
    sweep::print(report.halves());
    report.check()
}

/// A database with its index, and the statements that ran.
pub(crate) struct World {
    pub(crate) client: Client,
    pub(crate) tables: Vec<Arc<Table>>,
    /// The day of the question that is judged next.
    pub(crate) today: String,
    index: MemoryIndex,
    ran: HashMap<String, Option<Execution>>,
}

impl World {
    /// The world of a database.
    pub(crate) fn of(mut client: Client) -> Result<Self, Box<dyn Error>> {
        let tables = practice_catalog::read_tables(&mut client)?;
        let index = values::index_of(&mut client, &tables)?;
        Ok(Self {
            client,
            tables,
            index,
            today: TODAY.to_owned(),
            ran: HashMap::new(),
        })
    }

    /// Right and wrong queries for a question: kind, whether it is right, question, SQL.
    fn versions(
        &mut self,
        case: &Case,
        number: usize,
        cases: &[Case],
        near: &NearWords,
    ) -> Vec<(&'static str, bool, String, String)> {
        let Some(gold) = case.gold.first() else {
            return Vec::new();
        };
        let mut all = vec![("gold", true, case.question.clone(), gold.clone())];
        let mut wrong = broken::versions(gold, &self.tables);
        let others = cases.iter().enumerate();
        let others =
            others.filter(|(own, _)| *own != number && (own + number).is_multiple_of(STEP));
        wrong.extend(
            others.filter_map(|(_, other)| Some(("another question", other.gold.first()?.clone()))),
        );
        for (kind, sql) in wrong {
            let verdict = compare::is_right(&mut self.client, &sql, &case.gold, case.ordered);
            if verdict == Ok(false) {
                all.push((kind, false, case.question.clone(), sql));
            }
        }
        let understanding = Understanding::of(&case.question, TODAY);
        if let Ok(Proposal::Sql(own)) = near.propose(&understanding, &self.tables) {
            let verdict = compare::is_right(&mut self.client, &own.sql, &case.gold, case.ordered);
            if let Ok(is_right) = verdict {
                all.push(("built-in engine", is_right, case.question.clone(), own.sql));
            }
        }
        let empty = self.rightly_empty(&case.question, gold);
        all.extend(empty.map(|(question, sql)| ("rightly empty", true, question, sql)));
        all
    }

    /// A question for what does not occur, with its query, which rightly finds nothing.
    pub(crate) fn rightly_empty(&mut self, question: &str, gold: &str) -> Option<(String, String)> {
        let versions = broken::empty_versions(question, gold, &self.tables);
        versions.into_iter().find(|(_, sql)| {
            let execution = self.run(sql);
            execution.is_some_and(|execution| execution.rows.is_empty())
        })
    }

    fn run(&mut self, sql: &str) -> Option<Execution> {
        if let Some(known) = self.ran.get(sql) {
            return known.clone();
        }
        let database = PlainDatabase(RefCell::new(&mut self.client));
        let execution = match database.run(sql, &LIMITS) {
            Ok(Outcome::Passed(mut execution)) => {
                (execution.plan_cost, execution.plan_rows) =
                    planned(database.0.into_inner(), sql).unwrap_or_default();
                Some(execution)
            }
            _ => None,
        };
        self.ran.insert(sql.to_owned(), execution.clone());
        execution
    }

    /// What the gate knows about a query, by the same code as on a server.
    pub(crate) fn judge(
        &mut self,
        question: &str,
        sql: &str,
    ) -> Result<Option<Judged>, Box<dyn Error>> {
        let Some(execution) = self.run(sql) else {
            return Ok(None);
        };
        let understanding = Understanding::of(question, &self.today);
        let values = self.linked(&understanding);
        let tables = &self.tables;
        let database = PlainDatabase(RefCell::new(&mut self.client));
        let asked = Asked {
            values: &values,
            ..Asked::alone(&understanding)
        };
        let findings = judge_result(
            sql,
            &execution,
            tables,
            &NoIndex,
            &database,
            &LIMITS,
            Some(&asked),
        )?;
        let facts = Facts {
            understanding: &understanding,
            sql,
            ending: Ending::Ran(&execution),
            findings: &findings,
            tables,
            values: &values,
            definitions: &[],
            is_follow_up: false,
            max_cost: 0.0,
        };
        let score = scoring::score(&facts, &ScoreConfig::default());
        let empty = EmptyResult::of(sql, &execution, tables, &database, &LIMITS)?;
        let reason = empty.as_ref().map(|empty| EmptyReason::of(empty, &facts));
        Ok(Some(Judged {
            score: Some(score),
            empty,
            reason: reason.unwrap_or_default(),
            sight: Sight {
                egress: Egress::Schema,
                is_private: false,
            },
            findings,
            unjudged: Vec::new(),
            suspicions: Default::default(),
        }))
    }

    /// The values that the question is linked to.
    fn linked(&self, understanding: &Understanding) -> Vec<(String, ValueHit)> {
        let analyzer = Analyzer::default();
        let phrases = Phrases::of(understanding, &analyzer);
        let hits = self
            .index
            .values(&phrases.wanted, PER_PHRASE)
            .unwrap_or_default();
        let scene = Scene::new(understanding, &self.tables, &[], &analyzer);
        choose(&phrases, &hits, &scene)
            .into_iter()
            .filter_map(|hit| Some((phrases.of_hit(&hit)?.text.clone(), hit)))
            .collect()
    }
}

/// The planner's cost and number of rows.
fn planned(client: &mut Client, sql: &str) -> Option<(f64, f64)> {
    let plan = client.simple_query(&format!("EXPLAIN {sql}")).ok()?;
    let line = plan.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    })?;
    let number = |before: &str, end: char| {
        let rest = line.split_once(before)?.1;
        rest.split_once(end)?.0.parse().ok()
    };
    Some((number("..", ' ')?, number("rows=", ' ')?))
}
