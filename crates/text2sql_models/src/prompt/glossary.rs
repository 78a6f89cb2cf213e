//! The definitions of business terms in a prompt. They are untrusted text of the database: sanitised, cut
//! to a limit, and only ever between the data markers.

use std::fmt::Write;
use std::sync::Arc;

use super::annotations;
use super::untrusted_text::without_disguise;
use text2sql_domain::schema::{Definition, Table};
use text2sql_retrieval::Context;

/// Maximum length of a definition's meaning and of its expression, in characters. An expression that is
/// cut would be another one, so a longer one is omitted.
const MAX_DEFINITION_CHARS: usize = 500;
const MAX_EXPRESSION_CHARS: usize = 1_000;

/// The definitions, a line for each.
pub(super) fn definitions(definitions: &[Definition], tables: &[Arc<Table>]) -> String {
    let mut text = String::new();
    for definition in definitions {
        text.push_str(&without_disguise(&definition.term));
        if !definition.synonyms.is_empty() {
            let words = definition.synonyms.iter().take(annotations::MAX_SYNONYMS);
            let words: Vec<String> = words
                .map(|word| annotations::shortened(word, annotations::MAX_SYNONYM_CHARS))
                .collect();
            let _ = write!(text, " (also {})", words.join(", "));
        }
        let table = tables
            .iter()
            .find(|table| Some(table.oid) == definition.applies_to);
        // An expression over a table that is not shown cannot be used.
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
        annotations::push_comment(
            &mut text,
            Some(&annotations::shortened(
                &definition.meaning,
                MAX_DEFINITION_CHARS,
            )),
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
    /// Definitions of terms in the question.
    pub(super) used: String,
    /// Definitions that the question may mean.
    pub(super) related: String,
}

impl Terms {
    /// The definitions that were retrieved.
    pub(super) fn of(context: &Context) -> Self {
        Self {
            used: definitions(&context.definitions, &context.tables),
            related: definitions(&context.related, &context.tables),
        }
    }

    /// Their sections of the prompt.
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
