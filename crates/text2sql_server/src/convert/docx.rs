//! The text of a Word document: paragraphs, headings as Markdown has them, cells of tables with tabs between them.

use std::io::{Cursor, Read, Write};

use quick_xml::Reader;
use quick_xml::events::Event;

use super::archive::refuse_bomb;

/// Writes the text of a document.
pub(super) fn text(
    bytes: &[u8],
    most: u64,
    output: &mut impl Write,
) -> Result<Vec<String>, String> {
    refuse_bomb(bytes, most)?;
    let mut archive =
        zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| error.to_string())?;
    let part = archive
        .by_name("word/document.xml")
        .map_err(|_| "the file is no Word document: it has no word/document.xml".to_owned())?;
    let mut xml = Vec::new();
    part.take(most)
        .read_to_end(&mut xml)
        .map_err(|error| format!("the document is damaged: {error}"))?;
    let mut reader = Reader::from_reader(xml.as_slice());
    let mut paragraph = Paragraph::default();
    let mut buffer = Vec::new();
    let mut is_text = false;
    loop {
        let event = reader
            .read_event_into(&mut buffer)
            .map_err(|error| format!("the document is damaged: {error}"))?;
        match event {
            Event::Start(tag) | Event::Empty(tag) if tag.name().as_ref() == "w:pStyle" => {
                let style = tag
                    .attributes()
                    .flatten()
                    .find(|attribute| attribute.key.as_ref() == "w:val");
                paragraph.heading = style.and_then(|style| level(&style.value));
            }
            Event::Start(tag) if tag.name().as_ref() == "w:t" => is_text = true,
            Event::End(tag) if tag.name().as_ref() == "w:t" => is_text = false,
            Event::Empty(tag) if matches!(tag.name().as_ref(), "w:br" | "w:cr") => {
                paragraph.text.push('\n')
            }
            Event::Empty(tag) if tag.name().as_ref() == "w:tab" => paragraph.text.push('\t'),
            Event::Text(text) if is_text => {
                paragraph.text.push_str(&text);
            }
            Event::GeneralRef(entity) if is_text => {
                paragraph.text.push_str(&resolved(&entity));
            }
            Event::End(tag) if tag.name().as_ref() == "w:p" => paragraph.write(output)?,
            Event::Eof => break,
            _ => {}
        }
        buffer.clear();
    }
    paragraph.write(output)?;
    Ok(Vec::new())
}

/// The character that a reference of XML stands for. Those of a document's own are left as they are: nothing expands.
fn resolved(entity: &str) -> String {
    let number = entity
        .strip_prefix('#')
        .map(|number| match number.strip_prefix('x') {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        });
    match (entity, number) {
        ("amp", _) => "&".to_owned(),
        ("lt", _) => "<".to_owned(),
        ("gt", _) => ">".to_owned(),
        ("quot", _) => "\"".to_owned(),
        ("apos", _) => "'".to_owned(),
        (_, Some(Ok(code))) => char::from_u32(code).map(String::from).unwrap_or_default(),
        _ => format!("&{entity};"),
    }
}

/// The level of a heading by the name of its style, in English and German documents.
fn level(style: &str) -> Option<usize> {
    let style = style.to_lowercase();
    if style == "title" || style == "titel" {
        return Some(1);
    }
    let number = ["heading", "berschrift"]
        .iter()
        .find_map(|name| style.split_once(name))?
        .1;
    number
        .trim()
        .parse::<usize>()
        .ok()
        .filter(|level| (1..=6).contains(level))
}

#[derive(Default)]
struct Paragraph {
    text: String,
    heading: Option<usize>,
}

impl Paragraph {
    fn write(&mut self, output: &mut impl Write) -> Result<(), String> {
        let text = self.text.trim();
        let marks = self
            .heading
            .map(|level| format!("{} ", "#".repeat(level)))
            .unwrap_or_default();
        if !text.is_empty() {
            write!(output, "{marks}{text}\n\n").map_err(|error| error.to_string())?;
        }
        *self = Self::default();
        Ok(())
    }
}
