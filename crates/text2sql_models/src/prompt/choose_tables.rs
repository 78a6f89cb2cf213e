//! Asks a model which tables a question is about, by their names and a line about each.

use super::annotations::shortened;
use super::prompt_text::Prompt;
use super::replaceable::{CHOOSE_TABLES, CHOOSE_TABLES_LIST};
use super::untrusted_text::{fence_for, without_disguise};
use text2sql_domain::ingredients::Ingredients;
use text2sql_domain::own_prompts::OwnPrompts;
use text2sql_domain::schema::Table;

use text2sql_domain::exchange::Disclosed;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::Context;

/// Limits of the line about a table: characters of its description, or columns where it has none.
const MAX_COMMENT_CHARS: usize = 120;
const MAX_COLUMNS: usize = 8;

/// Renders the prompt for a choice among the tables of the context, best first, as many as fit into `budget`
/// characters. At most `max_tables` may be chosen.
pub fn render_table_choice(
    own: &OwnPrompts,
    understanding: &Understanding,
    context: &Context,
    ingredients: Ingredients,
    max_tables: usize,
    budget: usize,
) -> Prompt {
    let mut text = String::new();
    let mut disclosed = Disclosed::default();
    let mut used = 0;
    let described = context
        .tables
        .iter()
        .map(|table| (table.sql_name(), line(&ingredients.of(table))));
    let named = context.others.iter().map(|table| {
        let name = table.sql_name();
        (name.clone(), without_disguise(&name))
    });
    for (name, line) in described.chain(named) {
        used += line.chars().count() + 1;
        if used > budget {
            break;
        }
        text.push_str(&line);
        text.push('\n');
        disclosed.tables.push(name);
    }
    let question = without_disguise(understanding.text());
    let text = text.trim_end();
    let fence = fence_for(&[&question, text]);
    Prompt {
        system: CHOOSE_TABLES.fill(own, &[("max_tables", &max_tables.to_string())]),
        user: CHOOSE_TABLES_LIST.fill(
            own,
            &[("fence", &fence), ("question", &question), ("tables", text)],
        ),
        disclosed,
        ..Prompt::default()
    }
}

fn line(table: &Table) -> String {
    let name = without_disguise(&table.sql_name());
    let comment = table.comment.as_deref().unwrap_or_default();
    let comment = shortened(comment, MAX_COMMENT_CHARS);
    if !comment.is_empty() {
        return format!("{name} -- {comment}");
    }
    let columns = table.columns.iter().take(MAX_COLUMNS);
    let columns: Vec<String> = columns
        .map(|column| without_disguise(&column.name))
        .collect();
    match columns.is_empty() {
        true => name,
        false => format!("{name} ({})", columns.join(", ")),
    }
}
