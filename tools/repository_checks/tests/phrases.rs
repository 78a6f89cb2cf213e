//! Every sentence of `say!` and `template!` has a translation in each language's file, with the same placeholders,
//! and no file translates what nobody says.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The Rust files that may say something, except those that define how.
fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut waiting = vec![root().join("src"), root().join("crates")];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() && !path.ends_with("crates/text2sql_language/src/phrases") {
                waiting.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read_to_string(&path).unwrap_or_default();
                found.push((path, text));
            }
        }
    }
    found
}

/// The text of the string literal that a text begins with, and what follows it.
fn literal(text: &str) -> Option<(String, &str)> {
    let rest = text.trim_start().strip_prefix('"')?;
    let mut said = String::new();
    let mut characters = rest.char_indices();
    while let Some((place, c)) = characters.next() {
        match c {
            '"' => return Some((said, rest.get(place + 1..)?)),
            '\\' => match characters.next()?.1 {
                '\n' => {
                    let rest = characters.as_str();
                    let gap = rest.len() - rest.trim_start().len();
                    for _ in 0..rest.get(..gap)?.chars().count() {
                        characters.next();
                    }
                }
                escaped => said.push(escaped),
            },
            c => said.push(c),
        }
    }
    None
}

/// The sentences of a file.
fn said(text: &str) -> Vec<String> {
    ["say!(", "template!("]
        .iter()
        .flat_map(|name| text.split(name).skip(1))
        .filter_map(|rest| Some(literal(rest)?.0.trim().to_owned()))
        .collect()
}

/// The entries of a language's file.
fn entries(language: &str) -> BTreeMap<String, String> {
    let path = root().join(format!(
        "crates/text2sql_language/src/phrases/{language}.txt"
    ));
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let mut entries = BTreeMap::new();
    while let Some(english) = lines.next() {
        let translation = lines.next().unwrap_or_default();
        assert!(
            !english.starts_with(' ') && translation.starts_with("    "),
            "{language}: \"{english}\" is not followed by its translation, indented by four spaces"
        );
        let before = entries.insert(english.to_owned(), translation.trim().to_owned());
        assert!(before.is_none(), "{language}: \"{english}\" is there twice");
    }
    entries
}

/// The names of the placeholders of a template.
fn placeholders(template: &str) -> BTreeSet<String> {
    template
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'))
        .map(|(name, _)| name.split(':').next().unwrap_or_default().to_owned())
        .filter(|name| {
            name.chars()
                .all(|c| c.is_ascii_lowercase() || c == '_' || c.is_ascii_digit())
        })
        .collect()
}

const LANGUAGES: [&str; 1] = ["german"];

#[test]
fn every_sentence_has_a_translation_with_the_same_placeholders() {
    let sources = sources();
    for language in LANGUAGES {
        let entries = entries(language);
        let mut problems = Vec::new();
        for (path, text) in &sources {
            for english in said(text) {
                let Some(translation) = entries.get(&english) else {
                    problems.push(format!(
                        "{}: no translation of \"{english}\"",
                        path.display()
                    ));
                    continue;
                };
                let (ours, theirs) = (placeholders(&english), placeholders(translation));
                // Only English has articles that depend on the word.
                let missing = ours.difference(&theirs).any(|name| name != "article");
                if missing || !theirs.is_subset(&ours) {
                    problems.push(format!(
                        "other placeholders: \"{english}\" and \"{translation}\""
                    ));
                }
            }
        }
        assert!(
            problems.is_empty(),
            "add to crates/text2sql_language/src/phrases/{language}.txt:\n{}",
            problems.join("\n")
        );
    }
}

#[test]
fn no_translation_is_without_use() {
    let sources = sources();
    let said: BTreeSet<String> = sources.iter().flat_map(|(_, text)| said(text)).collect();
    let is_used = |english: &str| {
        said.contains(english)
            || sources.iter().any(|(_, text)| {
                // A word or a reason that is looked up by a variable, and a context with a variable after it.
                let escaped = english.replace('"', "\\\"");
                let context = english.split_once('^').map(|(context, _)| context);
                text.contains(&format!("\"{escaped}\""))
                    || context.is_some_and(|context| text.contains(&format!("\"{context}^{{")))
            })
    };
    for language in LANGUAGES {
        let unused: Vec<String> = entries(language)
            .into_keys()
            .filter(|english| !is_used(english))
            .collect();
        assert!(
            unused.is_empty(),
            "{language}: nobody says\n{}",
            unused.join("\n")
        );
    }
}
