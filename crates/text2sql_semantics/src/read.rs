//! Reads a meaning that somebody else wrote, and says where it is wrong.

use serde_json::Value;

use crate::query::SemanticQuery;

/// Maximum size of a meaning, in bytes: those of questions have some hundred.
const MAX_BYTES: usize = 65_536;

/// What is wrong with the form of a meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misread {
    /// Where: `answer.figures.measures[0]`; empty for the whole.
    pub path: String,
    /// What, such as "missing field `name`".
    pub problem: String,
}

impl SemanticQuery {
    /// Reads the form that `docs/reference/meaning.json` describes.
    pub fn read(value: &Value) -> Result<Self, Misread> {
        // On one line, so that the column of an error is its place in the text.
        let text = value.to_string();
        if text.len() > MAX_BYTES {
            return Err(Misread {
                path: String::new(),
                problem: format!("it has more than {MAX_BYTES} bytes"),
            });
        }
        serde_json::from_str(&text).map_err(|error| {
            let problem = error.to_string();
            let problem = problem
                .rsplit_once(" at line ")
                .map_or(problem.as_str(), |(what, _)| what);
            Misread {
                path: path_at(&text, error.column().saturating_sub(1)),
                problem: problem.to_owned(),
            }
        })
    }
}

enum Place {
    Member(String),
    Item(usize),
}

/// The path of the value that the character at `end` belongs to.
fn path_at(text: &str, end: usize) -> String {
    let mut path: Vec<Place> = Vec::new();
    let (mut open, mut last, mut is_escaped) = (None::<String>, String::new(), false);
    for (at, c) in text.char_indices() {
        // At the end of an object, something of it is wrong, and not its last member.
        if at >= end {
            if c == '}' && open.is_none() {
                path.pop();
            }
            break;
        }
        if let Some(string) = &mut open {
            match c {
                '"' if !is_escaped => last = open.take().unwrap_or_default(),
                _ => string.push(c),
            }
            is_escaped = c == '\\' && !is_escaped;
            continue;
        }
        match (c, path.last_mut()) {
            ('"', _) => open = Some(String::new()),
            ('{', _) => path.push(Place::Member(String::new())),
            ('[', _) => path.push(Place::Item(0)),
            ('}' | ']', _) => {
                path.pop();
            }
            (':', Some(Place::Member(name))) => *name = std::mem::take(&mut last),
            (',', Some(Place::Member(name))) => name.clear(),
            (',', Some(Place::Item(at))) => *at += 1,
            _ => {}
        }
    }
    let mut told = String::new();
    for place in &path {
        match place {
            Place::Member(name) if name.is_empty() => {}
            Place::Member(name) if told.is_empty() => told.push_str(name),
            Place::Member(name) => told.push_str(&format!(".{name}")),
            Place::Item(at) => told.push_str(&format!("[{at}]")),
        }
    }
    told
}
