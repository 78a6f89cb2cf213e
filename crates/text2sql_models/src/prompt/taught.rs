//! What people taught, as a prompt shows it. It is text of the database: sanitised, capped, and
//! only ever between the data markers.

use std::fmt::Write;
use std::sync::Arc;

use super::{push_comment, without_disguise};
use text2sql_domain::schema::{Definition, DerivedBy, ForeignKey, Table, quote_literal};
use text2sql_retrieval::Context;

/// Most values of a column whose meaning is shown, the most characters of all, and the longest meaning.
const MAX_MEANINGS: usize = 40;
const MAX_MEANINGS_CHARS: usize = 1_000;
const MAX_MEANING_CHARS: usize = 80;

/// Most synonyms shown, and the longest one.
const MAX_SYNONYMS: usize = 8;
const MAX_SYNONYM_CHARS: usize = 40;

/// Longest meaning and longest expression of a definition. An expression that is cut would be
/// another one, so a longer one is left out.
const MAX_DEFINITION_CHARS: usize = 500;
const MAX_EXPRESSION_CHARS: usize = 1_000;

/// What the head of a table says of a relation that is made of others.
pub(super) fn derived(table: &Table) -> Option<String> {
    match table.derived_by? {
        DerivedBy::Answer => Some("an earlier answer: prefer the tables that it reads".to_owned()),
        DerivedBy::Dbt if table.made_of.is_empty() => None,
        DerivedBy::Dbt => Some("a dbt model: prefer the tables that it is made of".to_owned()),
    }
}

/// How a key is written: as one that the catalog declares, or as one that people taught.
pub(super) fn arrow(key: &ForeignKey) -> &'static str {
    if key.is_taught { "~>" } else { "->" }
}

/// Adds what the values of a column mean: ` ['A' = active, 'C' = closed]`.
pub(super) fn push_meanings(text: &mut String, meanings: &[(String, String)]) {
    if meanings.is_empty() {
        return;
    }
    let mut shown: Vec<String> = Vec::new();
    let mut used = 0;
    for (value, meaning) in meanings.iter().take(MAX_MEANINGS) {
        let quoted = quote_literal(&without_disguise(value));
        // A list of allowed values gives no meaning beside.
        let told = if meaning == value {
            quoted
        } else {
            format!("{quoted} = {}", shortened(meaning, MAX_MEANING_CHARS))
        };
        used += told.chars().count();
        if used > MAX_MEANINGS_CHARS {
            break;
        }
        shown.push(told);
    }
    let more = if shown.len() < meanings.len() {
        ", …"
    } else {
        ""
    };
    let _ = write!(text, " [{}{more}]", shown.join(", "));
}

/// Adds other words for a table or column to the comment, or as one.
pub(super) fn push_synonyms(text: &mut String, synonyms: &[String]) {
    if synonyms.is_empty() {
        return;
    }
    let shown: Vec<String> = synonyms
        .iter()
        .take(MAX_SYNONYMS)
        .map(|word| shortened(word, MAX_SYNONYM_CHARS))
        .collect();
    let shown = shown.join(", ");
    let has_comment = text
        .lines()
        .last()
        .is_some_and(|line| line.contains(" -- "));
    let _ = if has_comment {
        write!(text, " (also called {shown})")
    } else {
        write!(text, " -- also called {shown}")
    };
}

/// The definitions, a line for each.
pub(super) fn definitions(definitions: &[Definition], tables: &[Arc<Table>]) -> String {
    let mut text = String::new();
    for definition in definitions {
        text.push_str(&without_disguise(&definition.term));
        if !definition.synonyms.is_empty() {
            let words = definition.synonyms.iter().take(MAX_SYNONYMS);
            let words: Vec<String> = words
                .map(|word| shortened(word, MAX_SYNONYM_CHARS))
                .collect();
            let _ = write!(text, " (also {})", words.join(", "));
        }
        let table = tables
            .iter()
            .find(|table| Some(table.oid) == definition.applies_to);
        // Over a table that is not shown, an expression is of no use.
        let expression = definition.sql_expression.as_deref().filter(|expression| {
            expression.chars().count() <= MAX_EXPRESSION_CHARS
                && (table.is_some() || definition.applies_to.is_none())
        });
        if let Some(expression) = expression {
            let _ = write!(text, " := {}", without_disguise(expression));
            if let Some(table) = table {
                let _ = write!(text, " [over {}]", table.sql_name());
            }
        }
        push_comment(
            &mut text,
            Some(&shortened(&definition.meaning, MAX_DEFINITION_CHARS)),
        );
        text.push('\n');
    }
    text.trim_end().to_owned()
}

/// The part of the prompt that holds definitions; nothing when there are none.
pub(super) fn section(definitions: &str, fence: &str) -> String {
    if definitions.is_empty() {
        return String::new();
    }
    format!(
        "\nTerms that the question uses, as the owner of this database defines them: `term := SQL [over table] -- meaning`. Use them as defined.\n<data-{fence}>\n{definitions}\n</data-{fence}>\n"
    )
}

/// The definitions of a prompt, a line for each.
pub(super) struct Terms {
    /// Those whose terms the question uses.
    pub(super) used: String,
    /// Those that it may mean.
    pub(super) related: String,
}

impl Terms {
    /// Those that were retrieved.
    pub(super) fn of(context: &Context) -> Self {
        Self {
            used: definitions(&context.definitions, &context.tables),
            related: definitions(&context.related, &context.tables),
        }
    }

    /// The parts of the prompt that hold them.
    pub(super) fn sections(&self, fence: &str) -> String {
        section(&self.used, fence) + &related_section(&self.related, fence)
    }
}

/// The part of the prompt that holds definitions which the question may mean; nothing when there are none.
fn related_section(definitions: &str, fence: &str) -> String {
    if definitions.is_empty() {
        return String::new();
    }
    format!(
        "\nTerms of this database that the question does not use and may mean. Use one only if it is what is asked for, and name it in \"assumptions\".\n<data-{fence}>\n{definitions}\n</data-{fence}>\n"
    )
}

fn shortened(text: &str, most: usize) -> String {
    let tidy = without_disguise(text);
    if tidy.chars().count() <= most {
        return tidy;
    }
    let cut: String = tidy.chars().take(most).collect();
    format!("{cut}…")
}
