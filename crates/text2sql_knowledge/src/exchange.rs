//! Export and import of all stored knowledge for review and version control. The format is JSON Lines in
//! a stable order, without timestamps and ids, so that a diff of two exports shows what changed.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::metric::Metric;
use text2sql_domain::error::{Error, ErrorKind, failure};

/// The format version. Later versions are refused.
const VERSION: u64 = 1;

/// One entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Entry {
    /// Knowledge about a schema, table or column.
    Object {
        /// Its qualified name.
        object: String,
        /// Its description.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// The source, unless a person entered it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<String>,
        /// The meanings of its values.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value_meanings: Option<Map<String, Value>>,
        /// Its synonyms.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        synonyms: Vec<String>,
        /// `low` if few questions need it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        priority: Option<String>,
        /// The tables it is built from, according to dbt.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        derived_from: Vec<String>,
    },
    /// A business term.
    Definition {
        /// The term.
        term: String,
        /// Its meaning.
        meaning: String,
        /// Its SQL expression.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sql_expression: Option<String>,
        /// The days that it stands for, in words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        period: Option<String>,
        /// Its table.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        applies_to: Option<String>,
        /// The joins of its path, as equal columns.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        joins: Vec<String>,
        /// How it is made of other definitions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        metric: Option<Metric>,
        /// The columns that the metric names.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        columns: Vec<String>,
        /// Its synonyms.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        synonyms: Vec<String>,
        /// The source, unless a person entered it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<String>,
    },
    /// A join that no foreign key declares.
    Join {
        /// The referencing columns.
        columns: Vec<String>,
        /// The referenced columns.
        target_columns: Vec<String>,
        /// `accepted`, `suggested` or `rejected`.
        status: String,
        /// The evidence for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        evidence: Option<String>,
        /// The source, unless a person entered it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<String>,
    },
    /// A question with its SQL.
    Example {
        /// The question.
        question: String,
        /// The SQL.
        sql: String,
        /// Whether a person verified it.
        #[serde(default, skip_serializing_if = "is_false")]
        verified: bool,
        /// A model's opinion of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        intent: Option<String>,
        /// The reason for that opinion.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        intent_reason: Option<String>,
        /// The source, unless a person entered it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<String>,
    },
    /// An instruction for models that write SQL.
    Instruction {
        /// The instruction.
        instruction: String,
        /// The schema or table that it is about, as `schema shop` or `table shop.orders`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        applies_to: Option<String>,
        /// The role for whose members it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        role_name: Option<String>,
    },
}

fn is_false(truth: &bool) -> bool {
    !truth
}

impl Entry {
    /// What it is, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Object { .. } => "object",
            Self::Definition { .. } => "definition",
            Self::Join { .. } => "join",
            Self::Example { .. } => "example",
            Self::Instruction { .. } => "instruction",
        }
    }

    /// What it is about: an object, a term, a column, a question, or the instruction itself.
    pub fn name(&self) -> &str {
        self.order().1
    }

    /// The sort key of an entry: its kind, then its subject.
    fn order(&self) -> (u8, &str, &str) {
        match self {
            Self::Object { object, .. } => (0, object, ""),
            Self::Definition {
                term, applies_to, ..
            } => (1, term, applies_to.as_deref().unwrap_or_default()),
            Self::Join {
                columns,
                target_columns,
                ..
            } => (
                2,
                columns.first().map_or("", String::as_str),
                target_columns.first().map_or("", String::as_str),
            ),
            Self::Example { question, sql, .. } => (3, question, sql),
            Self::Instruction {
                instruction,
                applies_to,
                ..
            } => (4, applies_to.as_deref().unwrap_or_default(), instruction),
        }
    }
}

/// Maximum number of metrics that are made of each other.
const MAX_DEPTH: usize = 8;

/// Sorted entries, with each metric after the definitions that it is made of.
fn parts_first(entries: Vec<Entry>) -> Vec<Entry> {
    let mut by_term: HashMap<String, &Entry> = HashMap::new();
    for entry in &entries {
        if let Entry::Definition { term, .. } = entry {
            by_term.insert(term.to_lowercase(), entry);
        }
    }
    let depths: Vec<usize> = entries
        .iter()
        .map(|entry| depth(entry, &by_term, 0))
        .collect();
    let mut placed: Vec<(usize, Entry)> = depths.into_iter().zip(entries).collect();
    placed.sort_by_key(|(depth, entry)| (entry.order().0, *depth));
    placed.into_iter().map(|(_, entry)| entry).collect()
}

/// 0 for what is made of nothing, 1 for a metric of such definitions, and so on.
fn depth(entry: &Entry, by_term: &HashMap<String, &Entry>, level: usize) -> usize {
    let Entry::Definition {
        metric: Some(metric),
        ..
    } = entry
    else {
        return 0;
    };
    if level >= MAX_DEPTH {
        return level;
    }
    let parts = metric.parts();
    let parts = parts
        .iter()
        .filter_map(|(_, term)| by_term.get(&term.to_lowercase()));
    let deepest = parts.map(|part| depth(part, by_term, level + 1)).max();
    deepest.unwrap_or_default() + 1
}

/// Writes entries.
pub fn write(mut entries: Vec<Entry>) -> Result<String, Error> {
    entries.sort_by(|a, b| a.order().cmp(&b.order()));
    let entries = parts_first(entries);
    let mut text = format!("{{\"text2sql_knowledge\": {VERSION}}}\n");
    for entry in &entries {
        let line = serde_json::to_string(entry)
            .map_err(|error| failure!(Internal, "an entry cannot be written").with_source(error))?;
        text.push_str(&line);
        text.push('\n');
    }
    Ok(text)
}

/// The lines of an export with their numbers, each as an entry or an error message.
pub fn read(text: &str) -> Result<impl Iterator<Item = (usize, Result<Entry, String>)>, Error> {
    let foreign = |message: String| {
        Error::new(ErrorKind::Setting, message)
            .with_hint("SELECT text2sql.export_knowledge() writes what import_knowledge() reads")
    };
    let mut lines = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty());
    let head = lines
        .next()
        .and_then(|(_, line)| serde_json::from_str::<Value>(line).ok());
    match head.and_then(|head| head.get("text2sql_knowledge")?.as_u64()) {
        Some(version) if version <= VERSION => {}
        Some(version) => {
            return Err(foreign(format!(
                "the text has form {version}, this version knows {VERSION}"
            )));
        }
        None => {
            return Err(foreign(
                "the text is no export of text2sql knowledge".to_owned(),
            ));
        }
    }
    Ok(lines.map(|(number, line)| {
        let entry = serde_json::from_str(line).map_err(|error| match error.classify() {
            serde_json::error::Category::Data => {
                let message = error.to_string();
                let cut = message.rfind(" at line").unwrap_or(message.len());
                message.get(..cut).unwrap_or_default().to_owned()
            }
            _ => "it is no JSON object".to_owned(),
        });
        (number, entry)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<Entry> {
        vec![
            Entry::Example {
                question: "How many?".into(),
                sql: "SELECT 1\nFROM x".into(),
                verified: true,
                intent: None,
                intent_reason: None,
                origin: None,
            },
            Entry::Definition {
                term: "revenue".into(),
                meaning: "what \"we\" get".into(),
                sql_expression: Some("sum(total)".into()),
                period: None,
                applies_to: Some("shop.orders".into()),
                joins: Vec::new(),
                metric: None,
                columns: Vec::new(),
                synonyms: vec!["Umsatz".into()],
                origin: Some("dbt".into()),
            },
            Entry::Instruction {
                instruction: "Leave out test orders.".into(),
                applies_to: Some("table shop.orders".into()),
                role_name: None,
            },
            Entry::Object {
                object: "shop.orders.\"Größe\"".into(),
                description: Some("how large".into()),
                origin: None,
                value_meanings: None,
                synonyms: Vec::new(),
                priority: Some("low".to_owned()),
                derived_from: Vec::new(),
            },
        ]
    }

    #[test]
    fn an_export_round_trips() {
        let text = write(entries()).unwrap();
        assert_eq!(
            text,
            "{\"text2sql_knowledge\": 1}\n\
             {\"kind\":\"object\",\"object\":\"shop.orders.\\\"Größe\\\"\",\"description\":\"how large\",\"priority\":\"low\"}\n\
             {\"kind\":\"definition\",\"term\":\"revenue\",\"meaning\":\"what \\\"we\\\" get\",\"sql_expression\":\"sum(total)\",\"applies_to\":\"shop.orders\",\"synonyms\":[\"Umsatz\"],\"origin\":\"dbt\"}\n\
             {\"kind\":\"example\",\"question\":\"How many?\",\"sql\":\"SELECT 1\\nFROM x\",\"verified\":true}\n\
             {\"kind\":\"instruction\",\"instruction\":\"Leave out test orders.\",\"applies_to\":\"table shop.orders\"}\n"
        );
        let back: Vec<Entry> = read(&text)
            .unwrap()
            .map(|(_, entry)| entry.unwrap())
            .collect();
        assert_eq!(write(back).unwrap(), text);
    }

    #[test]
    fn a_metric_follows_its_parts() {
        let definition = |term: &str, made_of: Option<&str>| Entry::Definition {
            term: term.into(),
            meaning: term.into(),
            sql_expression: None,
            period: None,
            applies_to: None,
            joins: Vec::new(),
            metric: made_of.map(|part| Metric::Ratio {
                numerator: part.into(),
                denominator: part.into(),
            }),
            columns: Vec::new(),
            synonyms: Vec::new(),
            origin: None,
        };
        let text = write(vec![
            definition("a", Some("B")),
            definition("b", Some("c")),
            definition("c", None),
            definition("d", Some("d")),
        ])
        .unwrap();
        let terms: Vec<String> = read(&text)
            .unwrap()
            .map(|(_, entry)| match entry.unwrap() {
                Entry::Definition { term, .. } => term,
                other => format!("{other:?}"),
            })
            .collect();
        assert_eq!(terms, ["c", "b", "a", "d"]);
    }

    #[test]
    fn a_bad_line_is_reported_by_its_number() {
        let text =
            "\n{\"text2sql_knowledge\": 1}\n{\"kind\": \"song\"}\n\n{\"kind\": \"object\"}\nx\n";
        let found: Vec<String> = read(text)
            .unwrap()
            .map(|(number, entry)| format!("{number}: {}", entry.unwrap_err()))
            .collect();
        assert_eq!(
            found,
            [
                "3: unknown variant `song`, expected one of `object`, `definition`, `join`, `example`, `instruction`",
                "5: missing field `object`",
                "6: it is no JSON object"
            ]
        );
        assert!(read("{}").is_err());
        assert!(read("{\"text2sql_knowledge\": 2}").is_err());
    }
}
