//! What is understood of business questions without help. An answer may have more columns than the gold statement.

use std::collections::BTreeMap;
use std::error::Error;
use std::time::{Duration, Instant};

use text2sql_language::understanding::Understanding;
use text2sql_understanding::{Understood, understand};

use crate::compare;
use crate::questions;

/// Asks the questions of each file over the databases with that prefix, and prints what became of them.
pub(crate) fn measure(
    files: &[&str],
    prefix: &str,
    is_shown: impl Fn(&str) -> bool,
) -> Result<(), Box<dyn Error>> {
    for file in files {
        let by_database = questions::read(&std::fs::read_to_string(file)?)?;
        let mut all: BTreeMap<String, [usize; 3]> = BTreeMap::new();
        let (mut spent, mut longest, mut asked) = (Duration::ZERO, Duration::ZERO, 0);
        for (database, cases) in by_database {
            let mut client = questions::connect(&format!("{prefix}{database}"))?;
            let tables = practice_catalog::read_tables(&mut client)?;
            for case in &cases {
                let started = Instant::now();
                let understood = understand(
                    &Understanding::of(&case.question, &case.today),
                    &tables,
                    &[],
                );
                let took = started.elapsed();
                spent += took;
                longest = longest.max(took);
                asked += 1;
                let (outcome, text) = match &understood {
                    Understood::Nothing {
                        missing, reason, ..
                    } => ("declined", format!("{reason}: {missing:?}")),
                    Understood::Meaning(_, proposal) => {
                        let is_right = case.expect != "unanswerable"
                            && case.expect != "ambiguous"
                            && compare::holds_gold(
                                &mut client,
                                &proposal.sql,
                                &case.gold,
                                case.ordered,
                            )
                            .unwrap_or_else(|error| {
                                println!("   error: {error}");
                                false
                            });
                        let says = format!(
                            "{}\n   {:?} {:?}",
                            proposal.sql.replace('\n', " "),
                            proposal.links,
                            proposal.notes
                        );
                        (if is_right { "right" } else { "wrong" }, says)
                    }
                };
                let kind = match case.expect.as_str() {
                    "unanswerable" | "ambiguous" => "not to be answered",
                    _ => "to be answered",
                };
                for name in [kind.to_owned(), format!("  {database}")] {
                    let counts = all.entry(name).or_default();
                    let at = ["right", "declined", "wrong"]
                        .iter()
                        .position(|one| *one == outcome);
                    if let Some(count) = at.and_then(|at| counts.get_mut(at)) {
                        *count += 1;
                    }
                }
                if is_shown(outcome) {
                    println!("-- {outcome} {database}: {}\n   {text}", case.question);
                    if outcome == "wrong" {
                        println!("   gold: {}", case.gold.first().map_or("", String::as_str));
                    }
                }
            }
        }
        println!("{file}");
        for (name, [right, declined, wrong]) in &all {
            println!(
                "  {name:<28} asked {:>4} right {right:>4} declined {declined:>4} wrong {wrong:>3}",
                right + declined + wrong
            );
        }
        println!(
            "  {:.2} ms a question, at most {:.2} ms",
            spent.as_secs_f64() * 1e3 / f64::from(asked.max(1)),
            longest.as_secs_f64() * 1e3
        );
    }
    Ok(())
}
