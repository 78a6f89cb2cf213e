//! Every sentence of `say!` and its like has a translation in each language's file, with the same placeholders,
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

use text2sql_phrases::{Entry, Language};

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
            if path.is_dir() && !path.ends_with("crates/text2sql_phrases") {
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

/// The sentences of a file: the first text of a call, after the language or the number; of `say_count!` also the second.
fn said(text: &str) -> Vec<String> {
    let mut said = Vec::new();
    for (name, texts) in [
        ("say!(", 1),
        ("template!(", 1),
        ("say_in!(", 1),
        ("say_count!(", 2),
    ] {
        for call in text.split(name).skip(1) {
            // Only what stands before the first text of a call may be anything, up to its end.
            let mut rest = match name {
                "say!(" | "template!(" => call,
                _ => &call[..call.find(';').unwrap_or(call.len())],
            };
            if name.starts_with("say_") {
                let Some(start) = rest.find('"').filter(|at| !rest[..*at].contains("say")) else {
                    continue;
                };
                rest = &rest[start..];
            }
            for _ in 0..texts {
                let Some((text, after)) = literal(rest) else {
                    break;
                };
                said.push(text.trim().to_owned());
                rest = after.trim_start().strip_prefix(',').unwrap_or_default();
            }
        }
    }
    said
}

/// The languages that have a file, without English, in which the code writes.
fn languages() -> impl Iterator<Item = Language> {
    Language::all().filter(|language| *language != Language::ENGLISH)
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

/// Contexts of texts that are made in English and told at the end, by `retold`.
const RETOLD: [&str; 3] = ["reason^", "reading^", "measure^"];

/// What one language says and another leaves out: an article, a noun that is clear or in another language.
const MAY_BE_LEFT_OUT: [&str; 4] = ["article", "label", "things", "unit"];

#[test]
fn every_sentence_has_a_translation_with_the_same_placeholders() {
    let sources = sources();
    for language in languages() {
        let entries: BTreeMap<&str, &Entry> = language
            .entries()
            .iter()
            .map(|entry| (entry.key.as_str(), entry))
            .collect();
        let said = sources.iter().flat_map(|(_, text)| said(text));
        let missing: BTreeSet<String> = said
            .filter(|english| {
                let is_there = |entry: &&&Entry| entry.texts.iter().all(|text| !text.is_empty());
                // The second text of a number is found by the first.
                let is_plural = entries.values().any(|e| e.plural.as_ref() == Some(english));
                !is_plural && entries.get(english.as_str()).filter(is_there).is_none()
            })
            .collect();
        // A key of the page is no text.
        let texts = entries
            .values()
            .filter(|entry| !entry.key.starts_with("page^"));
        let other = texts.filter(|entry| {
            let plural = entry.plural.iter().flat_map(|text| placeholders(text));
            let english: BTreeSet<String> =
                placeholders(&entry.key).into_iter().chain(plural).collect();
            let needed = english
                .iter()
                .filter(|name| !MAY_BE_LEFT_OUT.contains(&name.as_str()) && !name.is_empty());
            let needed: Vec<&String> = needed.collect();
            entry.texts.iter().any(|text| {
                let own = placeholders(text);
                // "1 row" needs no number.
                let is_plural = entry.plural.is_some();
                !is_plural && needed.iter().any(|name| !own.contains(*name))
                    || !own.is_subset(&english)
            })
        });
        let other: Vec<&str> = other.map(|entry| entry.key.as_str()).collect();
        assert!(
            missing.is_empty() && other.is_empty(),
            "crates/text2sql_phrases/po/{language:?}.po: no translation of\n{}\nother placeholders in\n{}",
            missing.into_iter().collect::<Vec<_>>().join("\n"),
            other.join("\n")
        );
    }
}

#[test]
fn no_translation_is_without_use() {
    let sources = sources();
    let said: BTreeSet<String> = sources.iter().flat_map(|(_, text)| said(text)).collect();
    let all: String = sources.iter().map(|(_, text)| text.as_str()).collect();
    let is_used = |english: &str| {
        // Those of the page have a test of their own.
        if english.starts_with("page^") {
            return true;
        }
        if let Some(reason) = RETOLD
            .iter()
            .find_map(|context| english.strip_prefix(context))
        {
            // Its longest part without a value.
            let parts = reason.split("{}").max_by_key(|part| part.len());
            let part = parts.unwrap_or_default().replace('"', "\\\"");
            let words: Vec<&str> = part.split(' ').filter(|word| !word.is_empty()).collect();
            return all.contains(&part) || words.windows(3).any(|few| all.contains(&few.join(" ")));
        }
        // A word or a reason that is looked up by a variable, and a context with a variable after it.
        let escaped = english.replace('"', "\\\"");
        let context = english.split_once('^').map(|(context, _)| context);
        said.contains(english)
            || all.contains(&format!("\"{escaped}\""))
            || context.is_some_and(|context| all.contains(&format!("\"{context}^{{")))
    };
    for language in languages() {
        let unused: Vec<&str> = language
            .entries()
            .iter()
            .map(|entry| entry.key.as_str())
            .filter(|english| !is_used(english))
            .collect();
        assert!(
            unused.is_empty(),
            "{language:?}: nobody says\n{}",
            unused.join("\n")
        );
    }
}

#[test]
fn the_page_says_what_each_language_has() {
    let mut waiting = vec![root().join("crates/text2sql_server/page")];
    let mut page = String::new();
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|ending| ending == "js") {
                page.push_str(&fs::read_to_string(&path).unwrap_or_default());
            }
        }
    }
    let known: BTreeMap<&str, &[String]> = Language::ENGLISH.named_texts("page").collect();
    let named = [
        "t(",
        "t: ",
        "tLabel: ",
        "tTitle: ",
        "tPlaceholder: ",
        "button(",
        "spinner(",
    ]
    .into_iter()
    .flat_map(|before| {
        let places = page.match_indices(before).filter(|(at, _)| {
            let letter = page[..*at].chars().next_back();
            !letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '.')
        });
        places.map(|(at, before)| &page[at + before.len()..])
    })
    .filter_map(|rest| rest.strip_prefix('\'')?.split_once('\''))
    .map(|(key, _)| key)
    .filter(|key| {
        key.contains('.')
            && key
                .chars()
                .all(|c| c.is_ascii_lowercase() || "._".contains(c))
    });
    let unknown: BTreeSet<&str> = named.filter(|key| !known.contains_key(key)).collect();
    assert!(
        unknown.is_empty(),
        "crates/text2sql_phrases/po/en.po has no {unknown:?}"
    );
    let names = |texts: &[String]| -> BTreeSet<String> {
        texts.iter().flat_map(|text| placeholders(text)).collect()
    };
    for language in languages() {
        let own: BTreeMap<&str, &Entry> = language
            .entries()
            .iter()
            .filter_map(|entry| Some((entry.key.strip_prefix("page^")?, entry)))
            .collect();
        let missing = known.keys().filter(|key| !own.contains_key(*key));
        let missing: Vec<&&str> = missing.collect();
        assert!(missing.is_empty(), "{language:?} has no {missing:?}");
        for (key, entry) in own {
            let english = known.get(key).copied().unwrap_or_default();
            assert_eq!(names(&entry.texts), names(english), "{language:?}: {key}");
        }
    }
}
