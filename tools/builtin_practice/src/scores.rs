//! Measures how well a score separates correct queries from wrong ones: each practice question with its own gold
//! query, which is right, and with the gold queries of the other questions about the same database, which
//! are off topic wherever they give other rows.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use postgres::Client;
use text2sql_analysis::findings::{Effort, Finding, find, measure as decide};
use text2sql_domain::config::Limits;
use text2sql_domain::ports::{Database, Outcome};
use text2sql_domain::schema::Table;
use text2sql_domain::score::{Score, ScoreConfig};
use text2sql_domain::sql_result::Execution;
use text2sql_engine::scoring::{Ending, Facts, score};
use text2sql_language::understanding::Understanding;

use crate::catalog;
use crate::findings::PlainDatabase;
use crate::questions::{self, Case};

/// Share of right queries that have to pass.
const MIN_RIGHT: f64 = 0.98;

/// Share of queries off topic that may.
const MAX_WRONG: f64 = 0.40;

/// A statement that ran, with what the checks say about it.
struct Ran {
    sql: String,
    execution: Execution,
    findings: Vec<Finding>,
}

/// How many of some pairs the gate lets through.
#[derive(Default)]
struct Count {
    pairs: usize,
    passed: usize,
}

impl Count {
    fn add(&mut self, score: &Score) {
        self.pairs += 1;
        self.passed += usize::from(score.passes());
    }

    fn share(&self) -> f64 {
        self.passed as f64 / self.pairs.max(1) as f64
    }

    fn line(&self, what: &str) -> String {
        let share = 100.0 * self.share();
        format!(
            "{what:<12}{:>8} pairs, {:>7} pass ({share:.1} %)",
            self.pairs, self.passed
        )
    }
}

/// Measures all databases; with `shows_right`, shows the right queries that do not pass, with
/// `shows_wrong` the wrong ones that do.
pub(crate) fn measure(
    by_database: &BTreeMap<String, Vec<Case>>,
    prefix: &str,
    shows_right: bool,
    shows_wrong: bool,
) -> Result<(), Box<dyn Error>> {
    let (mut right, mut wrong) = (Count::default(), Count::default());
    for (database, cases) in by_database {
        let mut client = questions::connect(&format!("{prefix}{database}"))?;
        let tables = catalog::read_tables(&mut client)?;
        let mut statements: Vec<Ran> = Vec::new();
        for sql in cases.iter().filter_map(|case| case.gold.first()) {
            if !statements.iter().any(|known| known.sql == *sql) {
                statements.extend(run(&mut client, &tables, sql)?);
            }
        }
        for case in cases {
            let Some(own) = statements
                .iter()
                .find(|ran| case.gold.first() == Some(&ran.sql))
            else {
                continue;
            };
            for ran in &statements {
                let is_right = ran.sql == own.sql;
                if !is_right && same_rows(&ran.execution, &own.execution) {
                    continue;
                }
                let given = scored(case, &tables, ran);
                if is_right {
                    right.add(&given);
                } else {
                    wrong.add(&given);
                }
                if is_right && shows_right && !given.passes()
                    || !is_right && shows_wrong && given.passes()
                {
                    println!("-- {database}: {}\n   {}", case.question, ran.sql);
                    println!("   {:.3} {:?}", given.total(), given.complaints());
                }
            }
        }
    }
    println!("{}\n{}", right.line("right"), wrong.line("off topic"));
    match right.share() >= MIN_RIGHT && wrong.share() <= MAX_WRONG {
        true => Ok(()),
        false => Err(format!(
            "at least {MIN_RIGHT} of the right queries have to pass, and at most {MAX_WRONG} of the others"
        )
        .into()),
    }
}

fn run(
    client: &mut Client,
    tables: &[Arc<Table>],
    sql: &str,
) -> Result<Option<Ran>, Box<dyn Error>> {
    let limits = Limits {
        max_result_rows: 10_000,
        max_result_bytes: 1 << 24,
        max_cost: 0.0,
        query_timeout: Duration::from_secs(10),
        memory_limit: 0,
    };
    let database = PlainDatabase(RefCell::new(client));
    let Outcome::Passed(mut execution) = database.run(sql, &limits)? else {
        return Ok(None);
    };
    // Neither is measured here, so neither counts for or against a query.
    execution.plan_rows = execution.rows.len() as f64;
    let findings = match find(sql, tables)? {
        Some(found) => decide(found, &database, &Effort::within(&limits))?,
        None => Vec::new(),
    };
    Ok(Some(Ran {
        sql: sql.to_owned(),
        execution,
        findings,
    }))
}

fn scored(case: &Case, tables: &[Arc<Table>], ran: &Ran) -> Score {
    let facts = Facts {
        understanding: &Understanding::of(&case.question, crate::TODAY),
        sql: &ran.sql,
        ending: Ending::Ran(&ran.execution),
        findings: &ran.findings,
        tables,
        values: &[],
        definitions: &[],
        is_follow_up: false,
        max_cost: 0.0,
    };
    score(&facts, &ScoreConfig::default())
}

/// Whether both give the same rows in any order.
fn same_rows(a: &Execution, b: &Execution) -> bool {
    let rows = |execution: &Execution| {
        let mut rows: Vec<Vec<Option<String>>> = execution
            .rows
            .iter()
            .map(|row| row.iter().map(|cell| cell.text.clone()).collect())
            .collect();
        rows.sort();
        rows
    };
    rows(a) == rows(b)
}
