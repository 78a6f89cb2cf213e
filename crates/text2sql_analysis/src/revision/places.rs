//! Where a change would have to be made: views, functions and procedures that the words of a request name, and those that
//! read them.

use std::collections::{BTreeSet, HashMap};

use serde::Deserialize;
use text2sql_language::names::readable;
use text2sql_language::terms::is_function_word;
use text2sql_language::understanding::lower_words;
use text2sql_language::words::stem;

/// A view, function or procedure with the statement that makes it.
#[derive(Debug, Clone, Deserialize)]
pub struct Definition {
    /// What it is.
    pub kind: String,
    /// Its name as SQL writes it.
    pub object: String,
    /// Its name without schema and arguments.
    pub name: String,
    /// Its comment.
    pub comment: Option<String>,
    /// The statement, without a semicolon at its end.
    pub statement: String,
}

/// One of them that a request concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Where it is among the definitions.
    pub at: usize,
    /// Why, in words.
    pub why: String,
}

/// Maximum number of places that the words of a request name, and of all.
const MAX_NAMED: usize = 5;
const MAX_PLACES: usize = 10;

/// Maximum number of characters of their statements.
const MAX_CHARS: usize = 60_000;

/// What a name, a comment and a text weigh.
const OF_NAME: f64 = 3.0;
const OF_COMMENT: f64 = 2.0;
const OF_TEXT: f64 = 1.0;

/// A place needs at least this share of the best one's score.
const LEAST: f64 = 0.4;

/// Words of every request.
#[rustfmt::skip]
const GENERAL: &[&str] = &[
    "add", "remove", "drop", "change", "include", "exclude", "show", "use", "new", "also", "only", "column", "field", "table",
    "view", "function", "procedure", "script", "pipeline", "report", "want", "need", "please", "should", "must", "instead",
    "additional", "row", "value", "data", "load", "neu", "spalte", "feld", "tabelle", "sicht", "funktion", "prozedur", "auch",
    "nur", "hinzufügen", "entfernen", "ändern", "bitte", "soll", "statt", "daten",
];

/// What is written in a definition, as stems.
struct Written {
    name: BTreeSet<String>,
    comment: BTreeSet<String>,
    identifiers: BTreeSet<String>,
    text: BTreeSet<String>,
}

fn stems_of(text: &str) -> BTreeSet<String> {
    let words = readable(text);
    let words = words
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.map(|word| stem(&word.to_lowercase())).collect()
}

impl Written {
    fn of(definition: &Definition) -> Self {
        let is_part = |c: char| !c.is_alphanumeric() && c != '_';
        // The clause LANGUAGE of a function names no table of languages.
        let lines = definition.statement.lines();
        let lines = lines.filter(|line| !line.trim_start().starts_with("LANGUAGE "));
        let identifiers: BTreeSet<String> = lines
            .flat_map(|line| line.split(is_part))
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        Self {
            name: stems_of(&definition.name),
            comment: stems_of(definition.comment.as_deref().unwrap_or_default()),
            text: identifiers.iter().flat_map(|name| stems_of(name)).collect(),
            identifiers,
        }
    }
}

/// The places that a request concerns, in the order of the definitions. `near` are names of tables that mean what it says.
pub fn places(request: &str, near: &[String], definitions: &[Definition]) -> Vec<Place> {
    let written: Vec<Written> = definitions.iter().map(Written::of).collect();
    let asked: BTreeSet<String> = lower_words(request)
        .iter()
        .filter(|word| !is_function_word(word) && !GENERAL.contains(&word.as_str()))
        .map(|word| stem(word))
        .filter(|word| word.len() > 2)
        .collect();
    let near: BTreeSet<String> = near.iter().map(|name| name.to_lowercase()).collect();
    let has = |one: &Written, word: &String| {
        one.name.contains(word) || one.comment.contains(word) || one.text.contains(word)
    };
    let all = f64::from(u32::try_from(definitions.len()).unwrap_or(u32::MAX));
    let rarity: HashMap<&String, f64> = asked
        .iter()
        .map(|word| {
            let count = written.iter().filter(|one| has(one, word)).count();
            let count = f64::from(u32::try_from(count).unwrap_or(u32::MAX));
            (word, (1.0 + all / count.max(1.0)).ln())
        })
        .collect();
    let mut scored: Vec<(usize, f64, String)> = Vec::new();
    for (at, one) in written.iter().enumerate() {
        let (mut score, mut why) = (0.0, Vec::new());
        for (of, said, weight) in [
            (&one.name, "its name has", OF_NAME),
            (&one.comment, "its comment has", OF_COMMENT),
            (&one.text, "its text has", OF_TEXT),
        ] {
            let shared: Vec<&String> = asked.iter().filter(|word| of.contains(*word)).collect();
            if shared.is_empty() {
                continue;
            }
            score += weight
                * shared
                    .iter()
                    .filter_map(|word| rarity.get(*word))
                    .sum::<f64>();
            let words: Vec<String> = shared.iter().map(|word| format!("\"{word}\"")).collect();
            why.push(format!("{said} {}", words.join(", ")));
        }
        let tables: Vec<&str> = near
            .iter()
            .filter(|name| one.identifiers.contains(*name))
            .map(String::as_str)
            .collect();
        if !tables.is_empty() && score > 0.0 {
            score += OF_TEXT;
            why.push(format!("it names {}", tables.join(", ")));
        }
        if score > 0.0 {
            scored.push((at, score, why.join("; ")));
        }
    }
    scored.sort_by(|one, other| other.1.total_cmp(&one.1));
    let best = scored.first().map_or(0.0, |(_, score, _)| *score);
    let named = scored
        .into_iter()
        .filter(|(_, score, _)| *score >= best * LEAST);
    let mut places: Vec<Place> = named
        .take(MAX_NAMED)
        .map(|(at, _, why)| Place { at, why })
        .collect();
    // What reads a place may have to change with it.
    let mut next = 0;
    while let Some(place) = places.get(next).cloned() {
        next += 1;
        let Some(changed) = definitions.get(place.at) else {
            continue;
        };
        let name = changed.name.to_lowercase();
        for (at, one) in written.iter().enumerate() {
            let is_known = places.iter().any(|known| known.at == at);
            if places.len() < MAX_PLACES && !is_known && one.identifiers.contains(&name) {
                let why = format!("it reads {}", changed.object);
                places.push(Place { at, why });
            }
        }
    }
    let mut chars = 0;
    places.retain(|place| {
        let length = definitions
            .get(place.at)
            .map_or(0, |one| one.statement.chars().count());
        chars += length;
        chars <= MAX_CHARS
    });
    places.sort_by_key(|place| place.at);
    places
}

/// Whether the statement has a constant of text, which is a value of somebody's rows perhaps.
pub fn has_text_constant(statement: &str) -> bool {
    // The body of a function stands between two dollar signs, or is a constant itself.
    statement.replace("''", "").matches('\'').count() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(object: &str, comment: Option<&str>, statement: &str) -> Definition {
        let name = object.split('(').next().unwrap_or(object);
        Definition {
            kind: "view".to_owned(),
            object: object.to_owned(),
            name: name.rsplit('.').next().unwrap_or(name).to_owned(),
            comment: comment.map(str::to_owned),
            statement: statement.to_owned(),
        }
    }

    fn warehouse() -> Vec<Definition> {
        vec![
            definition(
                "dg.dim_owner",
                None,
                "CREATE VIEW dg.dim_owner AS SELECT owner_id, display_name FROM src.users",
            ),
            definition(
                "dg.fact_sites",
                Some("sites with their owners"),
                "CREATE VIEW dg.fact_sites AS SELECT s.site_id, s.quota FROM src.sites s",
            ),
            definition(
                "dg.load_dim_owner()",
                None,
                "CREATE PROCEDURE dg.load_dim_owner() AS $$ INSERT INTO dg.owners SELECT * FROM dg.dim_owner $$",
            ),
            definition(
                "dg.sales",
                None,
                "CREATE VIEW dg.sales AS SELECT amount FROM src.sales",
            ),
            definition(
                "dg.top_sales",
                None,
                "CREATE VIEW dg.top_sales AS SELECT amount FROM dg.sales",
            ),
        ]
    }

    #[test]
    fn the_language_of_a_function_is_no_table() {
        let function = definition(
            "dg.sites(integer)",
            None,
            "CREATE FUNCTION dg.sites(integer) RETURNS integer\n LANGUAGE sql\nAS $$ SELECT 1 FROM dg.quota $$",
        );
        let near = ["language".to_owned(), "quota".to_owned()];
        let found = places("Double the sites", &near, &[function]);
        assert_eq!(
            found[0].why,
            "its name has \"site\"; its text has \"site\"; it names quota"
        );
    }

    fn found(request: &str) -> Vec<(String, String)> {
        let all = warehouse();
        let found = places(request, &[], &all).into_iter();
        found
            .map(|place| (all[place.at].object.clone(), place.why))
            .collect()
    }

    #[test]
    fn words_of_the_request_name_the_places() {
        let places = found("Add the e-mail of each owner to the owners dimension");
        let objects: Vec<&str> = places.iter().map(|(object, _)| object.as_str()).collect();
        assert_eq!(
            objects,
            ["dg.dim_owner", "dg.fact_sites", "dg.load_dim_owner()"]
        );
        assert_eq!(places[1].1, "its comment has \"owner\"");
        assert!(
            places[0].1.starts_with("its name has \"owner\""),
            "{places:?}"
        );
    }

    #[test]
    fn what_reads_a_place_comes_with_it() {
        let places = found("sales without returns");
        assert!(
            places.iter().any(|(object, _)| object == "dg.top_sales"),
            "{places:?}"
        );
        assert_eq!(found("weather of Berlin"), []);
    }

    #[test]
    fn constants_of_text_are_seen() {
        assert!(has_text_constant("SELECT 1 FROM a WHERE b = 'x'"));
        assert!(!has_text_constant("SELECT 1 FROM a WHERE b = 1"));
        assert!(!has_text_constant("SELECT ''"));
    }
}
