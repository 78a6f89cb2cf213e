//! The instructions for writing a query, and those of each strategy.

use super::given_schema;
use super::instructions::section as owners_instructions;
use super::prompt_text::Prompt;
use super::replaceable::{
    GENERATE, RULE_DATES, STRATEGY_CHAIN_OF_THOUGHT, STRATEGY_DECOMPOSE, STRATEGY_DIRECT,
    STRATEGY_ONE_SHOT,
};
use super::template::{self, fill};
use text2sql_domain::config::Config;
use text2sql_domain::own_prompts::OwnPrompts;
use text2sql_domain::schema::{Column, Holds, Table, TypeCategory};
use text2sql_domain::strategy::Strategy;
use text2sql_domain::words;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::Context;
use text2sql_retrieval::schema_budget::ShownTable;

const RULE_PERMISSIONS: &str = template::prompt_file!("prompts/rule_permissions.md");

const RULE_TABLES: &str = template::prompt_file!("prompts/rule_tables.md");

/// How a reply asks for tables, with a line end before it.
pub(super) fn rule_tables() -> String {
    format!("\n{}", fill(RULE_TABLES, &[]))
}

/// The rules of generated SQL.
pub(super) struct Rules {
    /// Those of every question, and the owner's instructions.
    pub(super) of_all: String,
    /// Those that this question needs, each with a line end before it.
    pub(super) of_question: String,
}

/// The rules for a question.
pub(super) fn rules(
    server_version: &str,
    understanding: &Understanding,
    context: &Context,
    shown: &[ShownTable],
    config: &Config,
) -> Rules {
    let own = &config.owner.prompts;
    let mut of_all = match config.given_schema {
        Some(dialect) => given_schema::rules(own, dialect),
        None => GENERATE.fill(own, &[("server_version", server_version)]),
    };
    let mut of_question = String::new();
    if needs_dates(understanding, shown) {
        of_question.push('\n');
        of_question.push_str(&RULE_DATES.fill(own, &[]));
    }
    if config.given_schema.is_none() && asks_for_permissions(understanding.words()) {
        of_question.push('\n');
        of_question.push_str(&fill(RULE_PERMISSIONS, &[]));
    }
    let tables: Vec<&Table> = shown.iter().map(|shown| shown.table.as_ref()).collect();
    of_all.push_str(&owners_instructions(context, &tables));
    Rules {
        of_all,
        of_question,
    }
}

/// Whether a table that is shown has a column of dates or times, or the question a period.
fn needs_dates(understanding: &Understanding, shown: &[ShownTable]) -> bool {
    let has_dates = |column: &Column| {
        let holds = column.statistics.as_ref().and_then(|facts| facts.holds);
        matches!(
            column.category,
            TypeCategory::Date
                | TypeCategory::Timestamp
                | TypeCategory::Time
                | TypeCategory::Interval
        ) || holds == Some(Holds::Dates)
    };
    let mut columns = shown.iter().flat_map(|shown| &shown.table.columns);
    columns.any(has_dates) || !understanding.periods().is_empty()
}

/// Whether a question may ask who may do what, by the beginnings of its words in lower case.
fn asks_for_permissions(words: &[String]) -> bool {
    /// Permission, privilege, grant, access, right and the like.
    const NOUNS: &[&str] = words!(
        "permi, privil, grant, access, allowed, authori, rights, berechtig, zugriff, zugang, \
         rechte, erlaub, autoris, autoriz, accès, acceso, acesso, droits, toegang, rechten"
    );
    /// May and can, and what one may do with a table.
    const MODALS: &[&str] = &[
        "may", "can", "darf", "dürfen", "kann", "können", "peut", "peuvent", "puede", "pueden",
        "può", "possono", "pode", "podem", "mag", "mogen", "kan",
    ];
    const DEEDS: &[&str] = &[
        "read", "see", "chang", "writ", "modif", "updat", "delet", "insert", "lesen", "lies",
        "änder", "schreib", "lösch", "lire", "voir", "leer", "legg", "wijzig",
    ];
    /// The roles of the database; a role alone may be that of an actor.
    const ROLES: &[&str] = &["superuser", "administrator", "admins"];
    let begins = |list: &[&str]| {
        let mut words = words.iter();
        words.any(|word| list.iter().any(|known| word.starts_with(known)))
    };
    let has_modal = words.iter().any(|word| MODALS.contains(&word.as_str()));
    begins(NOUNS) || begins(ROLES) || (has_modal && begins(DEEDS))
}

/// Adds the rules of a strategy to a prompt.
pub fn add_strategy(own: &OwnPrompts, prompt: &mut Prompt, strategy: Strategy) {
    let how = match strategy {
        Strategy::Direct => STRATEGY_DIRECT,
        Strategy::OneShot => STRATEGY_ONE_SHOT,
        Strategy::ChainOfThought => STRATEGY_CHAIN_OF_THOUGHT,
        Strategy::Decompose => STRATEGY_DECOMPOSE,
        // Its prompt asks for no query.
        Strategy::Meaning => return,
    };
    prompt.add_rule(&how.fill(own, &[]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_are_explained_to_questions_about_them() {
        let asks = |text: &str| asks_for_permissions(Understanding::of(text, "2026-11-21").words());
        for text in [
            "Who may read the table orders?",
            "Which roles have access to salaries?",
            "Wer darf Bestellungen ändern?",
            "Qui peut lire la table des commandes ?",
            "Which roles are superusers?",
        ] {
            assert!(asks(text), "{text}");
        }
        for text in [
            "How many orders were there in May?",
            "Can you show the customers of Berlin?",
            "Which actors have the most roles?",
            "Wie viele Kunden kann ein Vertreter haben?",
        ] {
            assert!(!asks(text), "{text}");
        }
    }
}
