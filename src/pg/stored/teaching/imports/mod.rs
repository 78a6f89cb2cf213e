//! Imports glossaries and files of examples under the name of a source, and takes them back.
//!
//! A file is one unit: with `on_error => 'abort'` an invalid line ends the call, after all lines were judged, and nothing
//! is stored. Importing a source again is an update: what is no longer in the file is dropped, unless somebody changed or
//! verified it since.

mod content;
mod definition_lines;
mod example_lines;
mod file;
pub(crate) mod provenance;
mod take_back;

use std::collections::HashMap;

use pgrx::check_for_interrupts;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_knowledge::circles;
use text2sql_knowledge::mapping::Mapping;

use self::example_lines::Examples;
use self::file::subject;
use self::provenance::Before;
use super::{definitions, required};

pub(crate) use self::file::{File, Line};
pub(crate) use self::take_back::take_back;

/// How many invalid lines an error lists.
const MAX_LISTED: usize = 20;

/// Imports a file.
pub(crate) fn import(file: &File<'_>) -> Result<Vec<Line>, Error> {
    let content = required(file.content, "text to import")?;
    let source = match (file.source, file.is_glossary) {
        (None, false) => None,
        (source, _) => Some(required(source, "source")?),
    };
    let read = content::read(content, file)?;
    definitions::take_all_turns();
    let before = match source {
        Some(source) => Before::read(source)?,
        None => Before::default(),
    };
    let mut lines = taken(&read, file.is_glossary, &before)?;
    if !file.skips {
        refuse_all(&lines, file.is_glossary)?;
    }
    if let Some(source) = source {
        before.drop_gone(&mut lines)?;
        provenance::keep(source, file.is_glossary, &lines)?;
    }
    Ok(lines)
}

/// Takes every line that can be taken.
fn taken(
    read: &[(i64, Result<Mapping, String>)],
    is_glossary: bool,
    before: &Before,
) -> Result<Vec<Line>, Error> {
    let objections = objections(read, is_glossary)?;
    let mut lines = Vec::with_capacity(read.len());
    let mut examples = Examples::new(before)?;
    for (place, (number, mapping)) in read.iter().enumerate() {
        check_for_interrupts!();
        let mapping = match mapping {
            Ok(mapping) => mapping,
            Err(message) => {
                lines.push(Line::refused(*number, String::new(), message.clone()));
                continue;
            }
        };
        if let Some(message) = objections.get(&place) {
            lines.push(Line::refused(*number, subject(mapping), message.clone()));
            continue;
        }
        let is_example = mapping.is_statement() || !is_glossary && mapping.sql.is_none();
        if !is_example || is_glossary && mapping.meaning.is_some() {
            lines.push(definition_lines::take(*number, mapping, before)?);
        }
        if is_example {
            examples.take(*number, mapping, &mut lines)?;
        }
    }
    examples.finish(&mut lines)?;
    Ok(lines)
}

/// Why lines that define a term cannot be taken, by their place.
fn objections(
    read: &[(i64, Result<Mapping, String>)],
    is_glossary: bool,
) -> Result<HashMap<usize, String>, Error> {
    let (places, defining): (Vec<usize>, Vec<(i64, &Mapping)>) = read
        .iter()
        .enumerate()
        .filter_map(|(place, (number, mapping))| Some((place, (*number, mapping.as_ref().ok()?))))
        .filter(|(_, (_, mapping))| match is_glossary {
            true => mapping.meaning.is_some() || !mapping.is_statement(),
            false => mapping.sql.is_some() && !mapping.is_statement(),
        })
        .unzip();
    if defining.is_empty() {
        return Ok(HashMap::new());
    }
    let objections = circles::objections(&defining, &definitions::short_meanings()?);
    let of_line = |(place, message): (usize, String)| Some((*places.get(place)?, message));
    Ok(objections.into_iter().filter_map(of_line).collect())
}

/// An error that lists the lines that were refused, if there are any.
fn refuse_all(lines: &[Line], is_glossary: bool) -> Result<(), Error> {
    let mut refused = lines.iter().filter(|line| line.outcome == "refused");
    let Some(first) = refused.next() else {
        return Ok(());
    };
    let others: Vec<String> = refused.map(Line::problem).collect();
    let mut detail = "Nothing was imported.".to_owned();
    if !others.is_empty() {
        detail.push_str(&format!(" {} more cannot be imported:", others.len()));
        for other in others.iter().take(MAX_LISTED) {
            detail.push('\n');
            detail.push_str(other);
        }
        if others.len() > MAX_LISTED {
            detail.push_str("\n…");
        }
    }
    let kind = match is_glossary {
        true => "glossary",
        false => "examples",
    };
    Err(Error::new(ErrorKind::Setting, first.problem())
        .with_detail(detail)
        .with_hint(format!(
            "Import the other lines: SELECT * FROM text2sql.import_knowledge(…, '{kind}', …, on_error => 'skip');"
        )))
}
