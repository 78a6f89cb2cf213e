//! Errors about names that the caller may not read are shown to the model as errors about names that do
//! not exist.
//!
//! If the model could distinguish "permission denied" from "does not exist", it could find out which
//! objects exist by trying names. The user gets the real error.

use text2sql_domain::ports::ForbiddenName;
use text2sql_domain::sql_result::DatabaseError;
use text2sql_domain::validate::{HIDDEN_ROWS, Rejection, Rule};

/// Shown to the model when the refusal is not about a name that the query contains.
pub(super) const HIDDEN_OBJECT_PROBLEM: &str = "it reads more than the schema above holds: name each column that is needed, and only tables and columns of the schema";

/// The replacement for a refusal that would reveal whether an object exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ShownError {
    /// An error about a name that does not exist.
    Unknown(DatabaseError),
    /// A text without any name.
    Nameless,
}

/// The replacement for a refusal in the model's prompt; `None` if the refusal reveals nothing.
pub(super) fn of_rejection(rejection: &Rejection, sql: &str) -> Option<ShownError> {
    let reason = rejection.reason.as_str();
    let name = match rejection.rule {
        Rule::Permission if reason.starts_with(HIDDEN_ROWS) => return None,
        Rule::Permission => denied(reason),
        // "relation "x" is not available", "x is a foreign table".
        Rule::Relation if reason.contains("is not available") => quoted(reason),
        Rule::Relation if reason.ends_with(" is a foreign table") => {
            let name = reason.strip_suffix(" is a foreign table")?;
            Some(Name::Table(name.rsplit('.').next().unwrap_or(name)))
        }
        _ => return None,
    };
    Some(
        name.and_then(|name| unknown(name, sql))
            .map_or(ShownError::Nameless, ShownError::Unknown),
    )
}

/// The replacement for an error about an unknown name, when the statement also contains a name that
/// exists and may not be read. If that name did not exist, the server would have reported it first.
pub(crate) fn replacement_for(
    error: &DatabaseError,
    forbidden: &[ForbiddenName],
    sql: &str,
) -> Option<DatabaseError> {
    let is_about_tables = error.sqlstate == "42P01";
    let place_of = |error: &DatabaseError| error.position.unwrap_or(usize::MAX);
    let bare = |name: &str| {
        let last = name.rsplit('.').next().unwrap_or(name);
        last.trim_matches('"').to_owned()
    };
    let mut candidates: Vec<DatabaseError> = Vec::new();
    for name in forbidden {
        let (bare, is_table) = match &name.column {
            None => (bare(&name.table), true),
            Some(column) => (bare(column), false),
        };
        let name = match is_table {
            true => Name::Table(&bare),
            false => Name::Column(&bare),
        };
        let found = unknown(name, sql);
        // The server looks up tables before all other names, and names of one kind from left to right.
        candidates.extend(found.filter(|found| match (is_table, is_about_tables) {
            (true, false) => true,
            (false, true) => false,
            _ => place_of(found) < place_of(error),
        }));
    }
    candidates
        .into_iter()
        .min_by_key(|error| (error.sqlstate != "42P01", place_of(error)))
}

/// All names in a statement, folded like the server folds them.
pub(crate) fn words(sql: &str) -> Vec<String> {
    let mut words: Vec<String> = chains(sql)
        .into_iter()
        .flat_map(|chain| chain.names)
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// A catalog name without its qualifier.
#[derive(Debug, Clone, Copy)]
enum Name<'a> {
    Table(&'a str),
    Column(&'a str),
}

/// The object of a "permission denied for …" message.
fn denied(reason: &str) -> Option<Name<'_>> {
    let what = reason.strip_prefix("permission denied for ")?;
    if let Some(rest) = what.strip_prefix("column ") {
        return rest.split(" of ").next().map(Name::Column);
    }
    const KINDS: [&str; 5] = [
        "table ",
        "view ",
        "materialized view ",
        "foreign table ",
        "sequence ",
    ];
    KINDS
        .iter()
        .find_map(|kind| what.strip_prefix(kind))
        .map(Name::Table)
}

/// The object of `relation "x"` or `column "x"`.
fn quoted(reason: &str) -> Option<Name<'_>> {
    let (kind, rest) = reason.split_once(" \"")?;
    let (name, _) = rest.rsplit_once('"')?;
    match kind {
        "relation" => Some(Name::Table(name.rsplit('.').next().unwrap_or(name))),
        "column" => Some(Name::Column(name)),
        _ => None,
    }
}

/// The server's error if the name, at its place in the statement, did not exist; `None` if the statement
/// does not contain it.
fn unknown(name: Name<'_>, sql: &str) -> Option<DatabaseError> {
    let (Name::Table(wanted) | Name::Column(wanted)) = name;
    let chain = chains(sql)
        .into_iter()
        .find(|chain| chain.names.last().is_some_and(|last| last == wanted))?;
    let written = chain.names.join(".");
    let (sqlstate, message) = match name {
        Name::Table(_) => ("42P01", format!("relation \"{written}\" does not exist")),
        Name::Column(_) if chain.names.len() == 1 => {
            ("42703", format!("column \"{written}\" does not exist"))
        }
        Name::Column(_) => ("42703", format!("column {written} does not exist")),
    };
    Some(DatabaseError {
        sqlstate: sqlstate.to_owned(),
        message,
        detail: None,
        hint: None,
        position: Some(chain.position),
        is_private: false,
    })
}

/// A qualified name, folded like the server folds it, and the position of its first character, counted
/// from 1.
struct Chain {
    names: Vec<String>,
    position: usize,
}

/// Finds the names in a statement. Also returns keywords and words in constants, which do no harm.
fn chains(sql: &str) -> Vec<Chain> {
    let mut chains: Vec<Chain> = Vec::new();
    let mut characters = sql.chars().enumerate().peekable();
    let mut is_after_dot = false;
    while let Some((place, character)) = characters.next() {
        let name = if character == '"' {
            let mut name = String::new();
            while let Some((_, character)) = characters.next() {
                let is_doubled =
                    character == '"' && characters.next_if(|(_, next)| *next == '"').is_some();
                if character == '"' && !is_doubled {
                    break;
                }
                name.push(character);
            }
            name
        } else if is_in_name(character) {
            let mut name = String::from(character);
            while let Some((_, character)) = characters.next_if(|(_, next)| is_in_name(*next)) {
                name.push(character);
            }
            name.to_lowercase()
        } else {
            is_after_dot = character == '.' || (is_after_dot && character.is_whitespace());
            continue;
        };
        match chains.last_mut() {
            Some(chain) if is_after_dot => chain.names.push(name),
            _ => chains.push(Chain {
                names: vec![name],
                position: place + 1,
            }),
        }
        is_after_dot = false;
    }
    chains
}

fn is_in_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(rule: Rule, reason: &str, sql: &str) -> String {
        let rejection = Rejection {
            rule,
            reason: reason.to_owned(),
            offender: None,
            position: None,
        };
        match of_rejection(&rejection, sql) {
            None => reason.to_owned(),
            Some(ShownError::Nameless) => "nameless".to_owned(),
            Some(ShownError::Unknown(error)) => format!("{} {}", error.sqlstate, error.message),
        }
    }

    #[test]
    fn forbidden_names_look_unknown() {
        let permission = |reason, sql| shown(Rule::Permission, reason, sql);
        assert_eq!(
            permission(
                "permission denied for table salaries",
                "SELECT * FROM Salaries s"
            ),
            "42P01 relation \"salaries\" does not exist"
        );
        assert_eq!(
            permission(
                "permission denied for view pay roll",
                "SELECT 1 FROM hr . \"pay roll\""
            ),
            "42P01 relation \"hr.pay roll\" does not exist"
        );
        assert_eq!(
            permission(
                "permission denied for column iban of table customers",
                "SELECT iban FROM customers"
            ),
            "42703 column \"iban\" does not exist"
        );
        assert_eq!(
            permission(
                "permission denied for column iban of table customers",
                "SELECT c.IBAN FROM customers c"
            ),
            "42703 column c.iban does not exist"
        );
        let relation = |reason, sql| shown(Rule::Relation, reason, sql);
        assert_eq!(
            relation("relation \"hr.plans\" is not available", "TABLE hr.plans"),
            "42P01 relation \"hr.plans\" does not exist"
        );
        assert_eq!(
            relation("public.far is a foreign table", "SELECT 1 FROM far"),
            "42P01 relation \"far\" does not exist"
        );
    }

    #[test]
    fn a_name_not_in_the_query_is_not_shown() {
        for (rule, reason) in [
            (
                Rule::Permission,
                "permission denied for column iban of table customers",
            ),
            (Rule::Permission, "permission denied for function f"),
            (
                Rule::Relation,
                "part of customers, which is read as a whole here, is not available: name the columns that are needed",
            ),
        ] {
            assert_eq!(shown(rule, reason, "SELECT * FROM customers"), "nameless");
        }
        // Refusals that reveal nothing are passed on unchanged.
        let system = "pg_catalog.pg_class is part of the system catalog";
        assert_eq!(shown(Rule::Relation, system, "TABLE pg_class"), system);
    }

    #[test]
    fn an_error_next_to_a_forbidden_name_does_not_reveal_it() {
        let error = |sqlstate: &str, message: &str, position| DatabaseError {
            sqlstate: sqlstate.to_owned(),
            message: message.to_owned(),
            detail: None,
            hint: None,
            position: Some(position),
            is_private: false,
        };
        let salaries = [ForbiddenName::of_table("public.salaries".to_owned())];
        let sql = "SELECT nosuch FROM salaries";
        let unknown = error("42703", "column \"nosuch\" does not exist", 8);
        let shown = replacement_for(&unknown, &salaries, sql).unwrap();
        assert_eq!(shown.message, "relation \"salaries\" does not exist");
        // An unknown table to the left is reported first.
        let sql = "SELECT 1 FROM nosuch, salaries";
        let unknown = error("42P01", "relation \"nosuch\" does not exist", 15);
        assert_eq!(replacement_for(&unknown, &salaries, sql), None);
        let sql = "SELECT 1 FROM salaries, nosuch";
        let unknown = error("42P01", "relation \"nosuch\" does not exist", 25);
        assert!(replacement_for(&unknown, &salaries, sql).is_some());
        let iban = [ForbiddenName {
            table: "public.customers".to_owned(),
            column: Some("iban".to_owned()),
        }];
        let sql = "SELECT iban, nosuch FROM customers";
        let unknown = error("42703", "column \"nosuch\" does not exist", 14);
        let shown = replacement_for(&unknown, &iban, sql).unwrap();
        assert_eq!(shown.message, "column \"iban\" does not exist");
        let sql = "SELECT nosuch, iban FROM customers";
        let unknown = error("42703", "column \"nosuch\" does not exist", 8);
        assert_eq!(replacement_for(&unknown, &iban, sql), None);
    }
}
