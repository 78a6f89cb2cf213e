//! Everything at once: the figures and examples of `docs/reference/builtin.md`.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use text2sql_domain::proposal::Proposal;
use text2sql_language::understanding::Understanding;

use crate::compare;
use crate::near::NearWords;
use crate::questions::{self, TODAY};
use crate::tally::{Tally, kind_of, share};

const HEAD: &str = "| | asked | answered | right | right of answered |\n|---|---|---|---|---|";

/// Measures and writes the page; gives the figures back.
pub(crate) fn write(practice: &str) -> Result<String, Box<dyn Error>> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = |name: &str| fs::read_to_string(own.join("questions").join(name));
    let figures = [
        practice_figures(&fs::read_to_string(practice)?)?,
        german_figures(&file("german.jsonl")?)?,
        unanswerable_figures(&file("unanswerable.jsonl")?)?,
    ]
    .join("\n\n");
    let page = fs::read_to_string(own.join("builtin.md"))?
        .replace("{figures}", &figures)
        .replace("{examples}", &examples(&file("examples.jsonl")?)?);
    fs::write(own.join("../../docs/reference/builtin.md"), page)?;
    Ok(figures)
}

fn practice_figures(text: &str) -> Result<String, Box<dyn Error>> {
    let mut halves = [Tally::default(), Tally::default()];
    let mut all = Tally::default();
    let mut kinds: BTreeMap<&str, Tally> = BTreeMap::new();
    for (place, (database, cases)) in questions::read(text)?.iter().enumerate() {
        let name = format!("practice_{database}");
        let mut client = questions::connect(&name)?;
        let tables = practice_catalog::read_tables(&mut client)?;
        let engine = NearWords::of(&name, &tables, None)?;
        for case in cases {
            let proposal = engine.propose(&Understanding::of(&case.question, TODAY), &tables)?;
            let verdict = compare::verdict(&mut client, &proposal, case);
            let gold = case.gold.first().map_or("", String::as_str);
            kinds
                .entry(kind_of(gold))
                .or_default()
                .add(verdict.as_ref());
            all.add(verdict.as_ref());
            if let Some(half) = halves.get_mut(place % 2) {
                half.add(verdict.as_ref());
            }
        }
    }
    let mut lines = vec![
        "Practice questions in English: the answer's rows are compared with those of the gold query, as multisets, in order where the gold orders; an answer may have more columns.\n".to_owned(),
        HEAD.to_owned(),
        all.row("**all**"),
    ];
    for (half, name) in halves.iter().zip(["developed on", "checked on"]) {
        lines.push(half.row(name));
    }
    lines.extend(kinds.iter().map(|(kind, tally)| tally.row(kind)));
    Ok(lines.join("\n"))
}

fn german_figures(text: &str) -> Result<String, Box<dyn Error>> {
    let mut all = Tally::default();
    for (database, cases) in questions::read(text)? {
        let mut client = questions::connect(&database)?;
        let tables = practice_catalog::read_tables(&mut client)?;
        let engine = NearWords::of(&database, &tables, None)?;
        for case in cases {
            let proposal = engine.propose(&Understanding::of(&case.question, TODAY), &tables)?;
            let verdict = compare::verdict(&mut client, &proposal, &case);
            all.add(verdict.as_ref());
        }
    }
    Ok(format!(
        "German questions over the practice schemas and the demo company:\n\n{HEAD}\n{}",
        all.row("**all**")
    ))
}

fn unanswerable_figures(text: &str) -> Result<String, Box<dyn Error>> {
    let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (database, cases) in questions::read(text)? {
        let tables = practice_catalog::read_tables(&mut questions::connect(&database)?)?;
        let engine = NearWords::of(&database, &tables, None)?;
        for case in cases {
            let declined = !matches!(
                engine.propose(&Understanding::of(&case.question, TODAY), &tables)?,
                Proposal::Sql(_)
            );
            for name in [case.kind, "**all**".to_owned()] {
                let (asked, right) = kinds.entry(name).or_default();
                *asked += 1;
                *right += usize::from(declined);
            }
        }
    }
    let rows: Vec<String> = kinds
        .iter()
        .map(|(kind, (asked, declined))| {
            format!(
                "| {kind} | {asked} | {declined} ({:.1} %) |",
                share(*declined, *asked)
            )
        })
        .collect();
    Ok(format!(
        "Questions that the data cannot answer:\n\n| | asked | declined |\n|---|---|---|\n{}",
        rows.join("\n")
    ))
}

fn examples(text: &str) -> Result<String, Box<dyn Error>> {
    let tables = practice_catalog::read_tables(&mut questions::connect("demo")?)?;
    let engine = NearWords::of("demo", &tables, None)?;
    let mut shown = vec!["Over the demo company:".to_owned()];
    for case in questions::read(text)?.into_values().flatten() {
        let answer = match engine.propose(&Understanding::of(&case.question, TODAY), &tables)? {
            Proposal::Sql(sql) => {
                let links: Vec<String> = sql
                    .links
                    .iter()
                    .chain(&sql.notes)
                    .map(|note| format!("-- {note}"))
                    .collect();
                format!("```sql\n{}\n{}\n```", sql.sql, links.join("\n"))
                    .replace("\n\n```", "\n```")
            }
            Proposal::Ambiguous { question, readings } => {
                format!("> {question}\n> - {}", readings.join("\n> - "))
            }
            Proposal::Unanswerable { reason, .. } => format!("> {reason}"),
        };
        shown.push(format!("**{}** – {}\n\n{answer}", case.kind, case.question));
    }
    Ok(shown.join("\n\n"))
}
