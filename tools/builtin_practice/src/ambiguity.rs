//! Measures what names and values alone decide about questions with several readings: pairs of an
//! ambiguous question and a clear one, and questions that are all clear.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;

use serde_json::Value;
use text2sql_builtin::ambiguity;
use text2sql_domain::schema::Table;
use text2sql_language::understanding::Understanding;

use crate::catalog;
use crate::questions::Case;
use crate::questions::{self, TODAY};

const PAIRS: &str = include_str!("../questions/ambiguity.jsonl");

/// Prints precision and recall on the pairs, each miss and false alarm; then the false alarms among
/// the practice questions, which have one answer each.
pub(crate) fn measure(
    practice: &BTreeMap<String, Vec<Case>>,
    prefix: &str,
    shows_alarms: bool,
) -> Result<(), Box<dyn Error>> {
    let mut catalogs: BTreeMap<String, Vec<Arc<Table>>> = BTreeMap::new();
    let (mut found, mut alarms, mut pairs) = (0_u32, 0_u32, 0_u32);
    for line in PAIRS.lines().filter(|line| !line.trim().is_empty()) {
        let pair: Value = serde_json::from_str(line)?;
        let text = |key: &str| pair.get(key).and_then(Value::as_str).unwrap_or_default();
        let tables = tables_of(&mut catalogs, text("database"))?;
        pairs += 1;
        match ambiguity(&Understanding::of(text("ambiguous"), TODAY), &tables, &[]) {
            Some((back, readings)) => {
                found += 1;
                println!(
                    "+ {}: {}\n    {back} {readings:?}",
                    text("database"),
                    text("ambiguous")
                );
            }
            None => println!("missed {}: {}", text("database"), text("ambiguous")),
        }
        if let Some((back, readings)) =
            ambiguity(&Understanding::of(text("clear"), TODAY), &tables, &[])
        {
            alarms += 1;
            println!(
                "FALSE ALARM {}: {}\n    {back} {readings:?}",
                text("database"),
                text("clear")
            );
        }
    }
    let (mut asked, mut practice_alarms) = (0_u32, 0_u32);
    for (database, cases) in practice {
        let tables = tables_of(&mut catalogs, &format!("{prefix}{database}"))?;
        for case in cases {
            asked += 1;
            if let Some((back, readings)) =
                ambiguity(&Understanding::of(&case.question, TODAY), &tables, &[])
            {
                practice_alarms += 1;
                if shows_alarms {
                    println!(
                        "alarm {database}: {}\n    {back} {readings:?}",
                        case.question
                    );
                }
            }
        }
    }
    let percent = |part: u32, all: u32| 100.0 * f64::from(part) / f64::from(all.max(1));
    println!(
        "{pairs} pairs: precision {:.1} %, recall {:.1} %; {practice_alarms} of {asked} practice questions ({:.1} %) are asked back",
        percent(found, found + alarms),
        percent(found, pairs),
        percent(practice_alarms, asked)
    );
    Ok(())
}

fn tables_of(
    catalogs: &mut BTreeMap<String, Vec<Arc<Table>>>,
    database: &str,
) -> Result<Vec<Arc<Table>>, Box<dyn Error>> {
    if let Some(tables) = catalogs.get(database) {
        return Ok(tables.clone());
    }
    let tables = catalog::read_tables(&mut questions::connect(database)?)?;
    catalogs.insert(database.to_owned(), tables.clone());
    Ok(tables)
}
