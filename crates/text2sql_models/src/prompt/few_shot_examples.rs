//! Verified examples as a prompt shows them.

use super::untrusted_text::without_disguise;
use text2sql_domain::ports::search_index::Example;

/// Maximum length of an example's SQL, in characters.
const MAX_EXAMPLE_CHARS: usize = 2_000;

/// The examples: question and SQL of each.
pub(super) fn examples(examples: &[Example]) -> String {
    let fits = |example: &&Example| example.sql.chars().count() <= MAX_EXAMPLE_CHARS;
    let shown = examples.iter().filter(fits).map(|example| {
        format!(
            "Question: {}\nSQL: {}",
            without_disguise(&example.question),
            without_disguise(&example.sql)
        )
    });
    shown.collect::<Vec<_>>().join("\n\n")
}

/// The part of the prompt that holds examples; nothing when there are none.
pub(super) fn section(examples: &str, fence: &str) -> String {
    if examples.is_empty() {
        return String::new();
    }
    format!(
        "\nQuestions about this database with SQL that people verified. Follow their ways where they apply.\n<data-{fence}>\n{examples}\n</data-{fence}>\n"
    )
}
