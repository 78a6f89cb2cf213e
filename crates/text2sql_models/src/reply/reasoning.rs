//! Takes the reasoning that some models write away from their replies: what is drafted there is not the answer.

use std::ops::Range;
use text2sql_domain::words;

use super::near_json;

/// Tags of reasoning. One that is never closed goes on to the end.
const REASONING: [&str; 14] = *words!(
    "think, thinking, thought, thoughts, reasoning, reason, reflection, reflect, scratchpad, \
     analysis, draft, monologue, inner_monologue, antthinking"
);

/// Tags of the answer itself: only they go, and what they enclose stays.
const ANSWER: [&str; 10] =
    *words!("sql, query, answer, final, final_answer, output, response, result, json, reply");

/// The text without reasoning, and with each tag of an answer as an empty line.
pub(super) fn without_reasoning(text: &str) -> String {
    let tags = tags(text);
    let mut kept = String::with_capacity(text.len());
    // Where the kept text goes on, and the reasoning that is open.
    let mut from = 0;
    let mut open: Vec<&str> = Vec::new();
    for tag in &tags {
        let is_reasoning = REASONING.contains(&tag.name.as_str());
        let is_paired = || {
            let mut later = tags
                .iter()
                .filter(|other| other.place.start > tag.place.start);
            later.any(|other| other.is_closing && other.name == tag.name)
        };
        match (open.last().copied(), tag.is_closing) {
            (None, false) if ANSWER.contains(&tag.name.as_str()) => {
                kept.push_str(text.get(from..tag.place.start).unwrap_or_default());
                kept.push_str("\n\n");
                from = tag.place.end;
            }
            (None, false) if is_reasoning || (tag.begins_line && is_paired()) => {
                kept.push_str(text.get(from..tag.place.start).unwrap_or_default());
                open.push(&tag.name);
            }
            (Some(name), false) if name == tag.name && is_paired() => open.push(&tag.name),
            (Some(name), true) if name == tag.name => {
                open.pop();
                from = tag.place.end;
            }
            (None, true) if ANSWER.contains(&tag.name.as_str()) => {
                kept.push_str(text.get(from..tag.place.start).unwrap_or_default());
                kept.push_str("\n\n");
                from = tag.place.end;
            }
            // The template of the model had the opening tag.
            (None, true) if is_reasoning => {
                kept.clear();
                from = tag.place.end;
            }
            _ => {}
        }
    }
    if open.is_empty() {
        kept.push_str(text.get(from..).unwrap_or_default());
    }
    kept
}

struct Tag {
    /// In lower case.
    name: String,
    is_closing: bool,
    begins_line: bool,
    place: Range<usize>,
}

/// The tags of a reply that are no text of a constant.
fn tags(text: &str) -> Vec<Tag> {
    let mut found = Vec::new();
    let mut objects: Option<Vec<Range<usize>>> = None;
    let mut from = 0;
    while let Some(start) = text
        .get(from..)
        .and_then(|rest| rest.find('<'))
        .map(|at| from + at)
    {
        from = start + 1;
        let Some(tag) = tag_at(text, start) else {
            continue;
        };
        let objects = objects.get_or_insert_with(|| near_json::strict_objects(text));
        let is_in_object = objects.iter().any(|object| object.contains(&start));
        if !is_in_object && !is_in_constant(text, &tag.place) {
            from = tag.place.end;
            found.push(tag);
        }
    }
    found
}

fn tag_at(text: &str, start: usize) -> Option<Tag> {
    const MAX_TAG: usize = 80;
    let rest = text.get(start + 1..)?;
    let (is_closing, rest) = match rest.strip_prefix('/') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let is_in_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':');
    let length = rest.find(|c: char| !is_in_name(c))?;
    let name = rest.get(..length)?;
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let attributes = rest.get(length..)?;
    let end = attributes.find(['>', '<', '\n'])?;
    let is_tag = attributes.get(end..)?.starts_with('>')
        && end < MAX_TAG
        && (end == 0 || attributes.starts_with([' ', '/']));
    let line = text.get(..start)?.rsplit('\n').next()?;
    is_tag.then(|| Tag {
        name: name.rsplit(':').next().unwrap_or(name).to_lowercase(),
        is_closing,
        begins_line: line.trim().is_empty(),
        place: start..start + 1 + usize::from(is_closing) + length + end + 1,
    })
}

/// Whether the tag is between single quotes of its line.
fn is_in_constant(text: &str, tag: &Range<usize>) -> bool {
    let before = text.get(..tag.start).unwrap_or_default();
    let after = text.get(tag.end..).unwrap_or_default();
    let quotes = |line: &str| line.matches('\'').count();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let rest = after.split('\n').next().unwrap_or_default();
    quotes(line) % 2 == 1 && quotes(rest) % 2 == 1
}
