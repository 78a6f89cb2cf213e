//! Files as texts, and what they become.

mod csv;
mod hostile;
mod json;

use crate::{DateOrder, Options, Plan, Read, Source};

/// The columns, the notes and the rows of a file, as text.
fn shown(source: Source<'_>, options: &str) -> String {
    let options = Options::read(&serde_json::from_str(options).unwrap());
    let options = match options {
        Ok(options) => options,
        Err(error) => return format!("error: {error}"),
    };
    let plan = match Plan::of(source, &options, DateOrder::Mdy, &|| {}) {
        Ok(plan) => plan,
        Err(error) => return format!("error: {error}"),
    };
    let mut lines: Vec<String> = plan
        .columns
        .iter()
        .map(|column| {
            let mut line = format!("{} {}", column.name, column.type_name);
            for note in &column.notes {
                line.push_str(&format!(" -- {note}"));
            }
            line
        })
        .collect();
    let outcome = plan.rows(|read| {
        lines.push(match read {
            Read::Row { line, values, .. } => {
                let values: Vec<String> = values
                    .iter()
                    .map(|value| {
                        value
                            .as_ref()
                            .map_or("NULL".to_owned(), |value| format!("{value:?}"))
                    })
                    .collect();
                format!("{line}: {}", values.join(" "))
            }
            Read::Bad { bad, .. } => format!("bad: {}", plan.refused(&bad)),
        });
        Ok::<(), crate::FileError>(())
    });
    if let Err(error) = outcome {
        lines.push(format!("error: {error}"));
    }
    lines.join("\n")
}

fn csv(text: &str) -> String {
    shown(Source::Csv(text), "{}")
}

fn csv_with(text: &str, options: &str) -> String {
    shown(Source::Csv(text), options)
}

/// The types of the columns of a file.
fn types(text: &str) -> String {
    let options = Options::default();
    let plan = Plan::of(Source::Csv(text), &options, DateOrder::Mdy, &|| {}).unwrap();
    let types: Vec<&str> = plan
        .columns
        .iter()
        .map(|column| column.type_name.as_str())
        .collect();
    types.join(" ")
}

/// The names of the columns of a file.
fn names(header: &str) -> String {
    let text = format!("{header}\n");
    let options = Options::read(&serde_json::json!({"header": true})).unwrap();
    let plan = Plan::of(Source::Csv(&text), &options, DateOrder::Mdy, &|| {}).unwrap();
    let names: Vec<&str> = plan
        .columns
        .iter()
        .map(|column| column.name.as_str())
        .collect();
    names.join(" ")
}
