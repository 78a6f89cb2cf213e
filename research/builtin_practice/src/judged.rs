//! How many right queries the judge complains of, and how many mutants of them and wrong answers of the built-in engine it
//! catches: by class, with intervals.
//!
//! Right are the gold queries, with their own questions, with a note about something else beside them, and with the
//! same questions in other words and languages. A mutant has one fault and gives another result than the gold.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;

use text2sql_domain::config::RepairTrigger;
use text2sql_domain::proposal::Proposal;
use text2sql_engine::gate::in_force;
use text2sql_language::understanding::Understanding;

use crate::curve::{Curve, RIGHTLY_EMPTY};
use crate::gate::World;
use crate::near::NearWords;
use crate::questions::{self, Case, TODAY};
use crate::{compare, mutants, provable};

/// Mutants of one class in one database.
const MAX_OF_CLASS: usize = 150;

/// Asks about right queries and their mutants; with `shows`, prints the right ones that are complained of, or with
/// `passed` the mutants that are not.
pub(crate) fn measure(
    by_database: &BTreeMap<String, Vec<Case>>,
    prefix: &str,
    shows: Option<&str>,
    only: Option<&str>,
) -> Result<(), Box<dyn Error>> {
    let mut report = Report::default();
    let is_wanted =
        |class: &str| only.is_none_or(|only| only.split(',').any(|one| class.starts_with(one)));
    for (place, (database, cases)) in by_database.iter().enumerate() {
        report.half = place % 2;
        let mut world = World::of(questions::connect(&format!("{prefix}{database}"))?)?;
        let near = NearWords::of(&format!("{prefix}{database}"), &world.tables, None)?;
        let mut of_class: BTreeMap<&str, usize> = BTreeMap::new();
        for (number, case) in cases.iter().enumerate() {
            let Some(gold) = case.gold.first() else {
                continue;
            };
            world.today.clone_from(&case.today);
            let other = cases.get((number + 7) % cases.len());
            let note = other.map_or("", |other| other.question.as_str());
            let with_note = format!(
                "{} (over 7 of 250 are meant where it says: {note})",
                case.question
            );
            for (class, question) in [
                ("right", &case.question),
                ("right, with a note", &with_note),
            ] {
                let class = match case.kind.as_str() {
                    "" => class.to_owned(),
                    kind => format!("{class}, {kind}"),
                };
                if !is_wanted(&class) {
                    continue;
                }
                report.add(
                    &mut world,
                    database,
                    &class,
                    question,
                    gold,
                    shows == Some("right"),
                )?;
            }
            if !case.kind.is_empty() {
                continue;
            }
            if is_wanted(RIGHTLY_EMPTY)
                && let Some((question, sql)) = world.rightly_empty(&case.question, gold)
            {
                let is_shown = shows == Some("right");
                report.add(
                    &mut world,
                    database,
                    RIGHTLY_EMPTY,
                    &question,
                    &sql,
                    is_shown,
                )?;
            }
            let understanding = Understanding::of(&case.question, TODAY);
            if is_wanted("right, of the built-in engine")
                && let Ok(Proposal::Sql(own)) = near.propose(&understanding, &world.tables)
                && let Ok(is_right) =
                    compare::is_right(&mut world.client, &own.sql, &case.gold, case.ordered)
            {
                let class = match is_right {
                    true => "right, of the built-in engine",
                    false => "wrong, of the built-in engine",
                };
                report.add(
                    &mut world,
                    database,
                    class,
                    &case.question,
                    &own.sql,
                    shows.is_some_and(|shows| shows == "right" || shows == "built-in"),
                )?;
            }
            for (class, sql) in mutants::of(gold, &world.tables) {
                let count = of_class.entry(class).or_default();
                if *count >= MAX_OF_CLASS || !is_wanted(class) {
                    continue;
                }
                let verdict = compare::is_right(&mut world.client, &sql, &case.gold, case.ordered);
                if verdict == Ok(false) {
                    *count += 1;
                    let (tables, client) = (&world.tables, &mut world.client);
                    let class =
                        provable::class_of(class, &case.question, gold, &sql, tables, client);
                    report.add(
                        &mut world,
                        database,
                        class,
                        &case.question,
                        &sql,
                        shows == Some("passed"),
                    )?;
                }
            }
        }
    }
    report.print();
    Ok(())
}

#[derive(Default)]
struct Class {
    queries: usize,
    /// Sent back, or said to be wrong.
    caught: usize,
    triggers: BTreeMap<&'static str, usize>,
}

#[derive(Default)]
struct Report {
    classes: BTreeMap<String, Class>,
    /// The half of the databases that is asked about.
    half: usize,
    curve: Curve,
}

impl Report {
    fn add(
        &mut self,
        world: &mut World,
        database: &str,
        class: &str,
        question: &str,
        sql: &str,
        is_shown: bool,
    ) -> Result<(), Box<dyn Error>> {
        let Some(judged) = world.judge(question, sql)? else {
            return Ok(());
        };
        let failures = judged.failures(&world.tables);
        let triggers: BTreeSet<&'static str> = in_force(&failures, RepairTrigger::Findings)
            .map(|failure| failure.trigger)
            .collect();
        let entry = self.classes.entry(class.to_owned()).or_default();
        entry.queries += 1;
        entry.caught += usize::from(!triggers.is_empty());
        for trigger in &triggers {
            *entry.triggers.entry(trigger).or_default() += 1;
        }
        if let Some(score) = &judged.score {
            self.curve.add(self.half, class, score);
        }
        if is_shown && class.starts_with("right") != triggers.is_empty() {
            println!("-- {database}: {question} [{class}]\n   {sql}");
            for failure in failures {
                println!("   {}: {}", failure.trigger, failure.problem);
            }
        }
        Ok(())
    }

    fn print(&self) {
        let mut mutants = Class::default();
        for (name, class) in &self.classes {
            println!("{}", line(name, class));
            if !name.starts_with("right") && !name.starts_with("wrong") {
                mutants.queries += class.queries;
                mutants.caught += class.caught;
            }
        }
        println!("{}", line("all mutants", &mutants));
        self.curve.print();
    }
}

fn line(name: &str, class: &Class) -> String {
    let (low, high) = interval(class.caught, class.queries);
    let triggers: Vec<String> = class
        .triggers
        .iter()
        .map(|(trigger, count)| format!("{trigger} {count}"))
        .collect();
    format!(
        "{name:<36} {:>5} of {:>5}  {:>5.1} % ({low:.1} to {high:.1})  {}",
        class.caught,
        class.queries,
        percent(class.caught, class.queries),
        triggers.join(", ")
    )
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// The interval that the share is in, with a confidence of 95 %, in percent (Wilson).
fn interval(part: usize, whole: usize) -> (f64, f64) {
    const Z: f64 = 1.96;
    let (part, whole) = (part as f64, whole.max(1) as f64);
    let share = part / whole;
    let middle = share + Z * Z / (2.0 * whole);
    let reach = Z * (share * (1.0 - share) / whole + Z * Z / (4.0 * whole * whole)).sqrt();
    let scale = 1.0 + Z * Z / whole;
    (
        100.0 * (middle - reach).max(0.0) / scale,
        100.0 * (middle + reach) / scale,
    )
}
