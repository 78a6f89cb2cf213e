//! What each trigger says about right and wrong queries.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::sync::Arc;

use super::broken;
use text2sql_domain::config::RepairTrigger;
use text2sql_domain::schema::Table;
use text2sql_engine::gate::{Judged, in_force};

/// Share of right queries that the default may send back.
const MAX_FALSE_ALARMS: f64 = 0.02;

/// The values of `repair_on` that a query is measured against.
const TRIGGERS: [RepairTrigger; 2] = [RepairTrigger::Findings, RepairTrigger::Gate];

/// A query with what is known about it.
pub(super) struct Graded {
    pub(super) kind: &'static str,
    pub(super) is_right: bool,
    /// The triggers that speak, and what sends it back.
    triggers: BTreeSet<&'static str>,
    sent_back: [bool; TRIGGERS.len()],
    pub(super) topic: Option<f64>,
    pub(super) completeness: Option<f64>,
    /// The weighted mean of the dimensions.
    pub(super) mean: f64,
    /// Checks that speak with a warning, by name and basis.
    doubts: BTreeSet<String>,
}

impl Graded {
    pub(super) fn of(
        kind: &'static str,
        is_right: bool,
        judged: &Judged,
        tables: &[Arc<Table>],
    ) -> Self {
        let failures = judged.failures(tables);
        let score = judged.score.as_ref();
        let doubts = judged
            .findings
            .iter()
            .filter(|finding| finding.severity > text2sql_analysis::findings::Severity::Note);
        Self {
            kind,
            is_right,
            triggers: failures.iter().map(|failure| failure.trigger).collect(),
            sent_back: TRIGGERS
                .map(|trigger: RepairTrigger| in_force(&failures, trigger).next().is_some()),
            topic: score.and_then(|score| score.topic()),
            completeness: score.and_then(|score| score.complete()),
            mean: score.map_or(1.0, |score| score.mean()),
            doubts: doubts
                .map(|finding| {
                    format!(
                        "{} {} {}",
                        finding.check.as_str(),
                        finding.severity.as_str(),
                        finding.basis.as_str()
                    )
                })
                .collect(),
        }
    }

    /// Whether it is a right query about which that trigger speaks, or a wrong one about which none does for `passed`.
    pub(super) fn shows(&self, name: &str) -> bool {
        match name {
            "passed" => !self.is_right && self.triggers.is_empty(),
            name => self.is_right && self.triggers.contains(name),
        }
    }

    /// The column of the report: the right ones, or the kind of fault.
    fn column(&self) -> String {
        match self.is_right {
            true => format!("right: {}", self.kind),
            false => format!("wrong: {}", self.kind),
        }
    }
}

/// All queries of both halves.
#[derive(Default)]
pub(super) struct Report([Vec<Graded>; 2]);

impl Report {
    pub(super) fn add(&mut self, half: usize, graded: Graded) {
        if let Some(half) = self.0.get_mut(half) {
            half.push(graded);
        }
    }

    pub(super) fn print(&self) {
        let mut columns: Vec<String> = ["gold", "built-in engine", "rightly empty"]
            .map(|kind| format!("right: {kind}"))
            .to_vec();
        columns.extend(broken::KINDS.map(|kind| format!("wrong: {kind}")));
        columns.push("wrong: built-in engine".to_owned());
        for (number, half) in self.0.iter().enumerate() {
            println!("half {}", number + 1);
            for column in &columns {
                let own: Vec<&Graded> = half.iter().filter(|one| one.column() == *column).collect();
                println!("  {column}: {} queries", own.len());
                let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
                for trigger in own.iter().flat_map(|one| &one.triggers) {
                    *counts.entry(trigger).or_default() += 1;
                }
                for doubt in own.iter().flat_map(|one| &one.doubts) {
                    *counts.entry(doubt).or_default() += 1;
                }
                for (place, trigger) in TRIGGERS.iter().enumerate() {
                    let sent = own
                        .iter()
                        .filter(|one| one.sent_back.get(place).copied().unwrap_or(false));
                    println!(
                        "    sent back with {:<22} {}",
                        trigger.as_str(),
                        share(sent.count(), own.len())
                    );
                }
                for (trigger, count) in counts {
                    println!("    {trigger:<37} {}", share(count, own.len()));
                }
            }
        }
    }

    /// The queries of both halves.
    pub(super) fn halves(&self) -> &[Vec<Graded>; 2] {
        &self.0
    }

    /// Fails where the default sends back too many right queries.
    pub(super) fn check(&self) -> Result<(), Box<dyn Error>> {
        let right = || {
            let all = self.0.iter().flatten();
            all.filter(|one| one.is_right && one.kind != "rightly empty")
        };
        let alarms = right()
            .filter(|one| one.sent_back.first().copied().unwrap_or(false))
            .count();
        let share = alarms as f64 / right().count().max(1) as f64;
        match share <= MAX_FALSE_ALARMS {
            true => Ok(()),
            false => {
                Err(format!("{:.1} % of the right queries are sent back", 100.0 * share).into())
            }
        }
    }
}

fn share(count: usize, all: usize) -> String {
    format!(
        "{count:>6} ({:.1} %)",
        100.0 * count as f64 / all.max(1) as f64
    )
}
