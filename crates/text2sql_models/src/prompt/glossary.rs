//! The definitions of business terms in a prompt. They are untrusted text of the database: sanitised, cut
//! to a limit, and only ever between the data markers.

use std::fmt::Write;
use std::sync::Arc;

use super::annotations;
use super::untrusted_text::without_disguise;
use text2sql_domain::schema::{Definition, DefinitionJoin, Table, TableName, from_clause};
use text2sql_retrieval::Context;

/// Maximum length of a definition's meaning and of its expression, in characters. An expression that is
/// cut would be another one, so a longer one is omitted.
const MAX_DEFINITION_CHARS: usize = 500;
const MAX_EXPRESSION_CHARS: usize = 1_000;

/// Maximum length of a definition that is a query, in characters.
const MAX_QUERY_CHARS: usize = 3_000;

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
        push_sql(&mut text, definition, tables);
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

/// The SQL of a definition, with its table or path of tables. SQL over a table that is not shown cannot be used.
fn push_sql(text: &mut String, definition: &Definition, tables: &[Arc<Table>]) {
    let find = |oid: u32| tables.iter().find(|table| table.oid == oid);
    if definition.tables().any(|oid| find(oid).is_none()) {
        return;
    }
    if let Some(query) = &definition.query {
        if query.sql.chars().count() <= MAX_QUERY_CHARS {
            let _ = write!(
                text,
                " := {} [a complete query]",
                without_disguise(&query.sql)
            );
        }
        return;
    }
    let Some(expression) = &definition.sql_expression else {
        return;
    };
    if expression.chars().count() > MAX_EXPRESSION_CHARS {
        return;
    }
    let _ = write!(text, " := {}", without_disguise(expression));
    let Some(table) = definition.applies_to.and_then(find) else {
        return;
    };
    if definition.joins.is_empty() {
        let _ = write!(text, " [over {}]", table.sql_name());
        return;
    }
    let named = |joined: &TableName| {
        find(joined.oid).map_or_else(|| joined.clone(), |table| TableName::of(table))
    };
    let joins: Vec<DefinitionJoin> = definition
        .joins
        .iter()
        .map(|join| DefinitionJoin {
            from: named(&join.from),
            to: named(&join.to),
            columns: join.columns.clone(),
        })
        .collect();
    let clause = without_disguise(&from_clause(&table.sql_name(), &joins));
    let _ = write!(
        text,
        " [over {clause}; counts each row of {} once]",
        table.sql_name()
    );
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
