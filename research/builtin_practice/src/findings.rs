//! Measures the false alarms of the checks: gold queries are right, so what a check says about them
//! is a false alarm at most.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

use postgres::{Client, SimpleQueryMessage};
use text2sql_analysis::findings::{Check, Effort, Finding, Severity, find, measure};
use text2sql_domain::config::Limits;
use text2sql_domain::error::Error;
use text2sql_domain::ports::{Database, Outcome};
use text2sql_domain::schema::Table;
use text2sql_domain::sql_result::{Cell, DatabaseError, Execution, ResultColumn};

/// A database without the guard: the queries are known to only read.
pub(crate) struct PlainDatabase<'c>(pub(crate) RefCell<&'c mut Client>);

impl Database for PlainDatabase<'_> {
    fn run(&self, sql: &str, limits: &Limits) -> Result<Outcome<Execution>, Error> {
        let mut client = self.0.borrow_mut();
        match client.simple_query(sql) {
            Ok(messages) => {
                let rows = messages
                    .iter()
                    .filter_map(|message| match message {
                        SimpleQueryMessage::Row(row) => Some(row),
                        _ => None,
                    })
                    .take(limits.max_result_rows)
                    .map(|row| (0..row.len()).map(|at| cell(row.get(at))).collect())
                    .collect();
                Ok(Outcome::Passed(Execution {
                    rows,
                    ..Execution::default()
                }))
            }
            Err(error) => Ok(Outcome::Failed(DatabaseError {
                sqlstate: "XX000".to_owned(),
                message: error.to_string(),
                detail: None,
                hint: None,
                position: None,
                is_private: false,
            })),
        }
    }

    fn check(&self, _: &str, _: &Limits) -> Result<Outcome<Vec<ResultColumn>>, Error> {
        Ok(Outcome::Passed(Vec::new()))
    }
}

fn cell(text: Option<&str>) -> Cell {
    Cell {
        text: text.map(str::to_owned),
        json: serde_json::value::RawValue::NULL.to_owned(),
    }
}

/// How often each check spoke, by severity.
#[derive(Default)]
pub(crate) struct Alarms {
    queries: usize,
    unread: usize,
    without_data: BTreeMap<(Check, Severity), usize>,
    with_data: BTreeMap<(Check, Severity), usize>,
}

impl Alarms {
    /// Checks one gold query; with `show`, prints the findings.
    pub(crate) fn add(
        &mut self,
        client: &mut Client,
        tables: &[Arc<Table>],
        sql: &str,
        show: Option<&str>,
    ) -> Result<(), Box<dyn StdError>> {
        self.queries += 1;
        let Some(found) = find(sql, tables)? else {
            self.unread += 1;
            return Ok(());
        };
        let stated: Vec<Finding> = found.iter().filter(|f| !f.is_question()).cloned().collect();
        count(&mut self.without_data, &stated);
        let effort = Effort::within(&Limits {
            max_result_rows: 10_000,
            max_result_bytes: 1 << 24,
            max_cost: 0.0,
            query_timeout: Duration::from_secs(10),
            memory_limit: 0,
        });
        let decided = measure(found, &PlainDatabase(RefCell::new(client)), &effort)?;
        count(&mut self.with_data, &decided);
        for finding in decided.iter().chain(&stated) {
            if show == Some(finding.check.as_str()) && finding.severity > Severity::Note {
                println!(
                    "{} {} ({}): {sql}\n    {}",
                    finding.severity,
                    finding.check.as_str(),
                    finding.basis.as_str(),
                    finding.evidence
                );
            }
        }
        Ok(())
    }

    /// Prints a line for each check; returns those with false alarms on more than `most` of the queries.
    pub(crate) fn print(&self, most: f64) -> Vec<&'static str> {
        println!(
            "{} gold queries, {} not read\n{:<24}{:>28}{:>28}",
            self.queries, self.unread, "queries with an alarm", "without data", "with data"
        );
        println!(
            "{:<24}{:>28}{:>28}",
            "", "warning+   note", "warning+   note"
        );
        for check in Check::ALL {
            let side = |counts: &BTreeMap<(Check, Severity), usize>| {
                let of = |severity| counts.get(&(check, severity)).copied().unwrap_or(0);
                let alarms = of(Severity::Warning) + of(Severity::Error);
                let share = 100.0 * alarms as f64 / self.queries.max(1) as f64;
                format!("{alarms:>5} ({share:>4.1} %) {:>6}", of(Severity::Note))
            };
            println!(
                "{:<24}{:>28}{:>28}",
                check.as_str(),
                side(&self.without_data),
                side(&self.with_data)
            );
        }
        let alarms = |check: Check| -> usize {
            let severities = [Severity::Warning, Severity::Error];
            let of = |severity| self.with_data.get(&(check, severity)).copied();
            severities.into_iter().filter_map(of).sum()
        };
        Check::ALL
            .into_iter()
            .filter(|check| alarms(*check) as f64 > most * self.queries as f64)
            .map(Check::as_str)
            .collect()
    }
}

/// Counts each check once for a query, by its worst finding.
fn count(counts: &mut BTreeMap<(Check, Severity), usize>, findings: &[Finding]) {
    let mut worst: BTreeMap<Check, Severity> = BTreeMap::new();
    for finding in findings {
        let entry = worst.entry(finding.check).or_insert(finding.severity);
        *entry = (*entry).max(finding.severity);
    }
    for key in worst {
        *counts.entry(key).or_default() += 1;
    }
}
