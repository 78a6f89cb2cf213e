//! Measures what names and values alone decide about questions with several readings: pairs of an
//! ambiguous question and a clear one, and questions that are all clear.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;

use serde_json::Value;
use text2sql_builtin::{Doubt, ambiguity};
use text2sql_domain::schema::Table;
use text2sql_language::understanding::Understanding;

use crate::questions::Case;
use crate::questions::{self, TODAY};

const PAIRS: &str = include_str!("../../../tests/server/cases/ambiguity.jsonl");

/// Prints precision and recall on the pairs, each miss and false alarm; then the false alarms among the practice
/// questions, which have one answer each: asked back, and left to a model where one is configured.
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
        let asked = |question: &str| {
            ambiguity(&Understanding::of(question, TODAY), &tables, &[])
                .filter(|doubt| !doubt.may_be_settled)
        };
        match asked(text("ambiguous")) {
            Some(doubt) => {
                found += 1;
                let (database, question) = (text("database"), text("ambiguous"));
                println!("+ {database}: {question}\n    {}", shown(&doubt));
            }
            None => println!("missed {}: {}", text("database"), text("ambiguous")),
        }
        if let Some(doubt) = asked(text("clear")) {
            alarms += 1;
            let (database, question) = (text("database"), text("clear"));
            println!("FALSE ALARM {database}: {question}\n    {}", shown(&doubt));
        }
    }
    let mut halves = [Alarms::default(), Alarms::default()];
    for (place, (database, cases)) in practice.iter().enumerate() {
        let tables = tables_of(&mut catalogs, &format!("{prefix}{database}"))?;
        for case in cases {
            let doubt = ambiguity(&Understanding::of(&case.question, TODAY), &tables, &[]);
            if let Some(doubt) = doubt.as_ref().filter(|_| shows_alarms) {
                let kind = match doubt.may_be_settled {
                    true => "left to a model",
                    false => "asked back",
                };
                let question = &case.question;
                println!("{kind} {database}: {question}\n    {}", shown(doubt));
            }
            if let Some(half) = halves.get_mut(place % 2) {
                half.add(doubt.as_ref());
            }
        }
    }
    println!(
        "{pairs} pairs: precision {:.1} %, recall {:.1} %",
        percent(found, found + alarms),
        percent(found, pairs),
    );
    let [one, other] = halves;
    println!("practice questions, one half: {}", one.line());
    println!("practice questions, the other half: {}", other.line());
    Ok(())
}

/// Clear questions that look ambiguous.
#[derive(Default)]
struct Alarms {
    questions: u32,
    asked_back: u32,
    left_to_model: u32,
}

impl Alarms {
    fn add(&mut self, doubt: Option<&Doubt>) {
        self.questions += 1;
        match doubt {
            Some(doubt) if doubt.may_be_settled => self.left_to_model += 1,
            Some(_) => self.asked_back += 1,
            None => {}
        }
    }

    fn line(&self) -> String {
        format!(
            "{} of {} are asked back ({:.2} %), {} left to a model",
            self.asked_back,
            self.questions,
            percent(self.asked_back, self.questions),
            self.left_to_model
        )
    }
}

fn percent(part: u32, all: u32) -> f64 {
    100.0 * f64::from(part) / f64::from(all.max(1))
}

fn shown(doubt: &Doubt) -> String {
    format!("{} {:?}", doubt.question, doubt.readings)
}

fn tables_of(
    catalogs: &mut BTreeMap<String, Vec<Arc<Table>>>,
    database: &str,
) -> Result<Vec<Arc<Table>>, Box<dyn Error>> {
    if let Some(tables) = catalogs.get(database) {
        return Ok(tables.clone());
    }
    let tables = practice_catalog::read_tables(&mut questions::connect(database)?)?;
    catalogs.insert(database.to_owned(), tables.clone());
    Ok(tables)
}
