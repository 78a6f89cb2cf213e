//! The parts of a question that an answer does not cover, because the caller lacks a privilege or because
//! the data does not exist.
//!
//! The model reports what it could not answer. In addition, words of the question that match only
//! forbidden tables or columns are looked up here. Those names go into the answer, never into a prompt.

use std::sync::Arc;

use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::config::ModelConfig;
use text2sql_domain::error::Error;
use text2sql_domain::missing_privilege;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::ForbiddenName;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::schema::Table;
use text2sql_language::understanding::{Understanding, name_words};
use text2sql_phrases::{Language, say_in};
use text2sql_retrieval::Context;

/// Maximum number of forbidden names in an answer.
pub(crate) const MAX_FORBIDDEN_NAMES: usize = 3;

/// The parts of a question that an answer with rows does not cover.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Omitted {
    /// Because the caller lacks a privilege.
    pub withheld: Vec<String>,
    /// Because no table or column for it was found.
    pub missing: Vec<String>,
}

impl Omitted {
    /// The lines to store with the SQL, in a saved query or the comment of a view. Other users and models
    /// read them, so forbidden tables and columns are counted, not named.
    pub fn lines(&self, user: &str) -> Vec<String> {
        let mut lines = Vec::new();
        match self.withheld.len() {
            0 => {}
            1 => lines.push(format!(
                "withheld: a table or column in the question on which {user} lacks SELECT"
            )),
            many => lines.push(format!(
                "withheld: {many} tables or columns in the question on which {user} lacks SELECT"
            )),
        }
        lines.extend(self.missing.iter().cloned());
        for line in &mut lines {
            // A line break in a name would end the SQL comment.
            *line = line
                .split(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'))
                .collect::<Vec<_>>()
                .join(" ");
        }
        lines
    }
}

/// Finds the parts that the answer does not cover. Not needed for the built-in engine, which answers a
/// question completely or not at all, nor for verified examples.
pub(crate) fn find_omitted(
    cx: &Run<'_>,
    understanding: &Understanding,
    context: &Context,
    proposal: &SqlProposal,
) -> Result<Omitted, Error> {
    let mut omitted = Omitted::default();
    if matches!(cx.config.model, ModelConfig::Builtin) || proposal.verified_by.is_some() {
        return Ok(omitted);
    }
    let user = cx.session.user();
    let push = |omitted: &mut Omitted, table: &str, grant: &str| {
        let hint = missing_privilege::grant_hint(&format!("SELECT{grant}"), &user);
        let entry = format!("{table}: permission denied. {hint}");
        if !omitted.withheld.contains(&entry) {
            omitted.withheld.push(entry);
        }
    };
    for phrase in &proposal.missing {
        let words = unexplained(&name_words(phrase), context, "");
        let mut found = find_forbidden_names(cx, &words, context)?;
        if found.is_empty() && !words.is_empty() {
            let tables = cx.catalog.find_forbidden(&words, MAX_FORBIDDEN_NAMES)?;
            found.extend(tables.into_iter().map(ForbiddenName::of_table));
        }
        if found.is_empty() {
            let note = format!("not answered: the schema does not hold {phrase}");
            omitted.missing.push(note);
        }
        for name in found {
            push(&mut omitted, &name.to_string(), &name.grant());
        }
    }
    let named = names_in(understanding);
    let words = unexplained(&named, context, &proposal.sql.to_lowercase());
    for name in find_forbidden_names(cx, &words, context)? {
        push(&mut omitted, &name.to_string(), &name.grant());
    }
    Ok(omitted)
}

/// Which of the tables that were read have rows that the caller may not see. How many is not said: that is theirs, too.
pub(crate) fn by_policy(read: &[String], tables: &[Arc<Table>], language: Language) -> Vec<String> {
    let hides = |table: &&Arc<Table>| {
        table.has_row_security && read.contains(&format!("{}.{}", table.schema, table.name))
    };
    let said = |table: &Arc<Table>| {
        let table = table.sql_name();
        say_in!(
            language,
            "{table}: a policy decides which rows you see; others are not in this answer"
        )
    };
    tables.iter().filter(hides).map(said).collect()
}

/// The "not permitted" answer if `words` are columns that the caller may not read.
pub(crate) fn forbidden_columns(
    cx: &Run<'_>,
    words: &[String],
    context: &[Arc<Table>],
) -> Result<Option<Answer>, Error> {
    let tables: Vec<u32> = context.iter().map(|table| table.oid).collect();
    let found = match words {
        [] => Vec::new(),
        words => cx.catalog.forbidden_names(words, &tables)?,
    };
    let Some(first) = found.first() else {
        return Ok(None);
    };
    let names: Vec<String> = found
        .iter()
        .take(MAX_FORBIDDEN_NAMES)
        .map(ToString::to_string)
        .collect();
    let user = cx.session.user();
    Ok(Some(Answer {
        hint: Some(missing_privilege::grant_hint(
            &format!("SELECT{}", first.grant()),
            &user,
        )),
        ..Answer::without_rows(
            Status::NotPermitted,
            missing_privilege::required_message(&names),
        )
    }))
}

fn find_forbidden_names(
    cx: &Run<'_>,
    words: &[String],
    context: &Context,
) -> Result<Vec<ForbiddenName>, Error> {
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let tables: Vec<u32> = context.tables.iter().map(|table| table.oid).collect();
    cx.catalog.forbidden_names(words, &tables)
}

/// Possible column names for these words: the words themselves, and the word sequences of the question
/// that contain one of them ("date of birth" is `date_of_birth`).
pub(crate) fn names_of(understanding: &Understanding, words: Vec<String>) -> Vec<String> {
    if words.is_empty() {
        return words;
    }
    let holds = |run: &String| {
        run.split('_')
            .any(|part| words.iter().any(|word| part == word))
    };
    let runs = names_in(understanding).into_iter().filter(holds);
    let runs: Vec<String> = runs.collect();
    words.into_iter().chain(runs).collect()
}

/// Possible names of tables and columns: the words of the question, and sequences of two or three words
/// joined by `_`.
fn names_in(understanding: &Understanding) -> Vec<String> {
    let mut names = understanding.name_words().to_vec();
    let words = understanding.words();
    for length in [2, 3] {
        names.extend(words.windows(length).map(|run| run.join("_")));
    }
    names
}

/// The words that match no readable name and do not occur in the query.
fn unexplained(words: &[String], context: &Context, sql: &str) -> Vec<String> {
    let has = |text: &str, word: &str| text.to_lowercase().contains(word);
    let is_explained = |word: &str| {
        let mut tables = context.tables.iter();
        sql.contains(word)
            || tables.any(|table| is_called(table, word))
            || context.definitions.iter().any(|definition| {
                has(&definition.term, word)
                    || definition.synonyms.iter().any(|synonym| has(synonym, word))
            })
            || context.values.iter().any(|(phrase, _)| has(phrase, word))
    };
    let unexplained = words.iter().filter(|word| !is_explained(word));
    unexplained.cloned().collect()
}

/// The names and synonyms of a table and its columns, in lower case, one per line.
struct Names(String);

/// Whether `word`, in lower case, is part of a name or synonym of the table or its columns.
fn is_called(table: &Table, word: &str) -> bool {
    let names = table.cache.get_or_make(|| {
        let columns = table.columns.iter();
        let own = std::iter::once(&table.name).chain(&table.synonyms);
        let names = own.chain(
            columns.flat_map(|column| std::iter::once(&column.name).chain(&column.synonyms)),
        );
        let mut text = String::new();
        for name in names {
            text.push_str(&name.to_lowercase());
            // A separator that no word contains.
            text.push('\n');
        }
        Names(text)
    });
    names.0.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_domain::schema_fixture::shop;

    #[test]
    fn rows_hidden_by_a_policy_are_said_of_the_tables_that_were_read() {
        let mut tables = shop();
        let protected = Arc::make_mut(&mut tables[0]);
        protected.has_row_security = true;
        let name = protected.name.clone();
        let said = |read: &[&str]| {
            let read: Vec<String> = read.iter().map(|one| format!("public.{one}")).collect();
            by_policy(&read, &tables, Language::ENGLISH)
        };
        let expected =
            format!("{name}: a policy decides which rows you see; others are not in this answer");
        let other = tables[1].name.as_str();
        assert_eq!(said(&[&name, other]), [expected]);
        assert!(said(&[other]).is_empty());
    }

    #[test]
    fn stored_lines_name_no_forbidden_table_and_have_no_line_break() {
        let omitted = Omitted {
            withheld: vec!["hr.salaries: permission denied".into()],
            missing: vec!["not answered: the schema does not hold a\r\n; DROP b".into()],
        };
        assert_eq!(
            omitted.lines("ann\nbob"),
            [
                "withheld: a table or column in the question on which ann bob lacks SELECT",
                "not answered: the schema does not hold a  ; DROP b"
            ]
        );
        assert!(Omitted::default().lines("ann").is_empty());
    }

    #[test]
    fn words_of_readable_names_or_of_the_query_are_explained() {
        let context = Context {
            tables: shop(),
            ..Context::default()
        };
        let named = names_in(&Understanding::of(
            "How many customers, and what are their wages and pay slips?",
            "2026-11-21",
        ));
        let left = unexplained(&named, &context, "select count(*) from customers");
        assert!(left.contains(&"wages".to_owned()), "{left:?}");
        assert!(left.contains(&"pay_slips".to_owned()), "{left:?}");
        assert!(!left.contains(&"customers".to_owned()), "{left:?}");
        let aliased = unexplained(&named, &context, "select sum(total) as wages from orders");
        assert!(!aliased.contains(&"wages".to_owned()), "{aliased:?}");
    }

    #[test]
    fn a_column_name_may_consist_of_several_words() {
        let question = Understanding::of("What is the date of birth of customer 5?", "2026-11-21");
        let names = names_of(&question, vec!["date".to_owned(), "birth".to_owned()]);
        assert!(names.contains(&"date_of_birth".to_owned()), "{names:?}");
        assert!(!names.contains(&"customer_5".to_owned()), "{names:?}");
        assert!(names_of(&question, Vec::new()).is_empty());
    }
}
