//! Questions about who may do what, in this extension and with tables: "Who may use gpt?", "Wer darf Fragen stellen?",
//! "Who may read customer?", "Which roles are superusers?".
//!
//! Whole questions only, word by word: anything more in them, and they are about tables or texts as any other.

use crate::understanding::lower_words;
use text2sql_domain::words;

/// What is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccessQuestion {
    /// Asks for the roles that have a right: `ask`, `teach`, `approve`, `evaluate` or `spend`.
    Holders(&'static str),
    /// Asks for the roles that may use a model; whether one of that name exists is not known here.
    UsersOf(String),
    /// Asks for the models that a role may use; whether one of that name exists is not known here.
    ModelsOf(String),
    /// What what may be a role of that name may do.
    RightsOf(String),
    /// Asks for the roles that may do this with a table; whether one of that name exists is not known here.
    RolesOfTable(TableRight, String),
    /// Asks for the tables with which a role may do this; whether one of that name exists is not known here.
    TablesOf(TableRight, String),
    /// Asks for the roles with an attribute, by its column of `text2sql.roles`.
    RolesWith(&'static str),
}

/// What is done with a table, by its column of `text2sql.permissions`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableRight(pub &'static str);

/// What is done with a table: English, and German at the end of the question.
const TABLE_RIGHTS: &[(&str, &[&str], &[&str])] = &[
    (
        "may_read",
        &["read", "see", "query", "select from"],
        &["lesen", "sehen", "abfragen"],
    ),
    ("may_insert", &["insert into", "add to"], &["ergänzen"]),
    ("may_update", &["update", "change"], &["ändern"]),
    ("may_delete", &["delete from"], &["löschen"]),
];

/// What a role is or may do by itself.
const ATTRIBUTES: &[(&str, &[&str])] = &[
    (
        "is_superuser",
        words!("superuser, superusers, a superuser, superuser rights, superuser privileges"),
    ),
    (
        "can_login",
        words!("log in, login, connect, anmelden, sich anmelden"),
    ),
    (
        "may_create_roles",
        words!("create roles, create users, rollen anlegen, benutzer anlegen"),
    ),
    (
        "may_create_databases",
        words!("create databases, datenbanken anlegen"),
    ),
    (
        "bypasses_row_security",
        words!("bypass row security, bypass row-level security, bypass policies"),
    ),
];

/// Rights with the words that name them.
const RIGHTS: &[(&str, &[&str])] = &[
    ("ask", &["ask", "ask questions", "fragen", "fragen stellen"]),
    (
        "teach",
        words!("teach, teach terms, define terms, begriffe definieren, begriffe lehren"),
    ),
    (
        "approve",
        words!(
            "approve queries, approve questions, abfragen genehmigen, abfragen freigeben, \
             fragen genehmigen, fragen freigeben"
        ),
    ),
    (
        "evaluate",
        words!("evaluate, run evaluations, evaluieren, auswertungen starten"),
    ),
    (
        "spend",
        &["spend how much", "wie viel ausgeben", "wieviel ausgeben"],
    ),
];

/// Recognises such a question.
pub fn access_question(question: &str) -> Option<AccessQuestion> {
    // Names are compared without regard to case.
    let text = question
        .trim()
        .trim_end_matches(['?', '.', '!', ' '])
        .to_lowercase();
    let words = lower_words(&text);
    if !(2..=10).contains(&words.len()) {
        return None;
    }
    let said = words.join(" ");
    let after = |openers: &[&str]| {
        let found = openers.iter().find_map(|opener| said.strip_prefix(opener));
        found.map(str::trim)
    };
    let who = after(&[
        "who may ",
        "who is allowed to ",
        "who has the right to ",
        "which roles may ",
        "which users may ",
        "wer darf ",
        "welche rollen dürfen ",
        "welche benutzer dürfen ",
    ]);
    if let Some(what) = who {
        let right = RIGHTS.iter().find(|(_, names)| names.contains(&what));
        if let Some((right, _)) = right {
            return Some(AccessQuestion::Holders(right));
        }
    }
    let between = |openers: &[&str], endings: &[&str]| {
        let rest = openers
            .iter()
            .find_map(|opener| text.strip_prefix(opener))?;
        let name = endings
            .iter()
            .find_map(|ending| rest.strip_suffix(ending))?;
        name_of(name)
    };
    let users = between(
        &[
            "who may use ",
            "who can use ",
            "who is allowed to use ",
            "which roles may use ",
        ],
        &[""],
    )
    .or_else(|| {
        between(
            &["wer darf ", "wer kann ", "welche rollen dürfen "],
            &[" benutzen", " verwenden", " nutzen"],
        )
    });
    if let Some(name) = users {
        return Some(AccessQuestion::UsersOf(name));
    }
    if let Some(asked) = of_tables(&text) {
        return Some(asked);
    }
    let with = after(&[
        "who is ",
        "who are the ",
        "who has ",
        "which roles are ",
        "which roles have ",
        "which roles may ",
        "which roles can ",
        "which users are ",
        "list all ",
        "list the ",
        "show all ",
        "show the ",
        "who may ",
        "who can ",
        "wer ist ",
        "wer hat ",
        "wer darf ",
        "wer kann ",
        "welche rollen sind ",
        "welche benutzer sind ",
        "welche rollen dürfen ",
        "welche rollen können ",
    ]);
    if let Some(what) = with {
        let attribute = ATTRIBUTES.iter().find(|(_, names)| names.contains(&what));
        if let Some((attribute, _)) = attribute {
            return Some(AccessQuestion::RolesWith(attribute));
        }
    }
    let models = between(&["which models may ", "which models can "], &[" use"]).or_else(|| {
        between(
            &["welche modelle darf ", "welche modelle kann "],
            &[" benutzen", " verwenden", " nutzen"],
        )
    });
    if let Some(name) = models {
        return Some(AccessQuestion::ModelsOf(name));
    }
    between(&["what may "], &[" do"])
        .or_else(|| between(&["was darf "], &[" tun", ""]))
        .map(AccessQuestion::RightsOf)
}

/// "Who may read customer?", "Which tables may ana read?", "Wer darf customer lesen?".
fn of_tables(text: &str) -> Option<AccessQuestion> {
    const WHO: &[&str] = &[
        "who may ",
        "who can ",
        "who is allowed to ",
        "which roles may ",
        "which roles can ",
        "which users may ",
        "which users can ",
    ];
    const WER: &[&str] = &[
        "wer darf ",
        "wer kann ",
        "welche rollen dürfen ",
        "welche rollen können ",
        "welche benutzer dürfen ",
        "welche benutzer können ",
    ];
    const WHAT: &[&str] = &[
        "which tables may ",
        "which tables can ",
        "what may ",
        "what can ",
    ];
    const WAS: &[&str] = &[
        "welche tabellen darf ",
        "welche tabellen kann ",
        "was darf ",
        "was kann ",
    ];
    fn rest_of<'t>(text: &'t str, openers: &[&str]) -> Option<&'t str> {
        openers.iter().find_map(|opener| text.strip_prefix(opener))
    }
    for (column, verbs, german) in TABLE_RIGHTS {
        let right = TableRight(column);
        let begins = |rest: &str| {
            let after = verbs
                .iter()
                .find_map(|verb| rest.strip_prefix(verb)?.strip_prefix(' '));
            after.and_then(name_of)
        };
        let ends = |rest: &str, verbs: &[&str]| {
            let before = verbs
                .iter()
                .find_map(|verb| rest.strip_suffix(verb)?.strip_suffix(' '));
            before.and_then(name_of)
        };
        let table = rest_of(text, WHO).and_then(begins);
        let table = table.or_else(|| rest_of(text, WER).and_then(|rest| ends(rest, german)));
        if let Some(table) = table {
            return Some(AccessQuestion::RolesOfTable(right, table));
        }
        let role = rest_of(text, WHAT).and_then(|rest| ends(rest, verbs));
        let role = role.or_else(|| rest_of(text, WAS).and_then(|rest| ends(rest, german)));
        if let Some(role) = role {
            return Some(AccessQuestion::TablesOf(right, role));
        }
    }
    let access = rest_of(
        text,
        &[
            "who has access to ",
            "which roles have access to ",
            "wer hat zugriff auf ",
        ],
    );
    let table = access.and_then(name_of)?;
    Some(AccessQuestion::RolesOfTable(TableRight("may_read"), table))
}

/// A name of one word, or in quotes.
fn name_of(text: &str) -> Option<String> {
    const ARTICLES: &[&str] = &[
        "the table ",
        "table ",
        "die tabelle ",
        "tabelle ",
        "the model ",
        "model ",
        "das modell ",
        "modell ",
        "the role ",
        "role ",
        "die rolle ",
        "rolle ",
    ];
    let text = text.trim();
    let text = ARTICLES
        .iter()
        .find_map(|article| text.strip_prefix(article))
        .unwrap_or(text);
    let name = text.trim_matches(['"', '\'', '„', '“', '”']);
    let is_quoted = name.len() < text.len();
    let is_name = !name.is_empty() && (is_quoted || !name.contains(char::is_whitespace));
    is_name.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_questions_are_recognised() {
        let users = |name: &str| Some(AccessQuestion::UsersOf(name.to_owned()));
        for (question, expected) in [
            ("who may use gpt?", users("gpt")),
            ("Who may use the model \"GPT 5\"?", users("gpt 5")),
            ("Who can use gpt-4.1", users("gpt-4.1")),
            ("Wer darf gpt benutzen?", users("gpt")),
            ("Wer darf das Modell gpt verwenden?", users("gpt")),
            ("Who may ask?", Some(AccessQuestion::Holders("ask"))),
            (
                "Wer darf Fragen stellen?",
                Some(AccessQuestion::Holders("ask")),
            ),
            (
                "Who is allowed to teach?",
                Some(AccessQuestion::Holders("teach")),
            ),
            (
                "Which roles may evaluate?",
                Some(AccessQuestion::Holders("evaluate")),
            ),
            (
                "Who may approve queries?",
                Some(AccessQuestion::Holders("approve")),
            ),
            (
                "Wer darf wie viel ausgeben?",
                Some(AccessQuestion::Holders("spend")),
            ),
            (
                "Which models may demo_analyst use?",
                Some(AccessQuestion::ModelsOf("demo_analyst".to_owned())),
            ),
            (
                "Welche Modelle darf ana benutzen?",
                Some(AccessQuestion::ModelsOf("ana".to_owned())),
            ),
            (
                "What may demo_analyst do?",
                Some(AccessQuestion::RightsOf("demo_analyst".to_owned())),
            ),
            (
                "Who may read customer?",
                Some(AccessQuestion::RolesOfTable(
                    TableRight("may_read"),
                    "customer".to_owned(),
                )),
            ),
            (
                "Wer darf die Tabelle shop.orders ändern?",
                Some(AccessQuestion::RolesOfTable(
                    TableRight("may_update"),
                    "shop.orders".to_owned(),
                )),
            ),
            (
                "Who has access to payment?",
                Some(AccessQuestion::RolesOfTable(
                    TableRight("may_read"),
                    "payment".to_owned(),
                )),
            ),
            (
                "Which tables may ana read?",
                Some(AccessQuestion::TablesOf(
                    TableRight("may_read"),
                    "ana".to_owned(),
                )),
            ),
            (
                "Which roles are superusers?",
                Some(AccessQuestion::RolesWith("is_superuser")),
            ),
            (
                "Wer ist Superuser?",
                Some(AccessQuestion::RolesWith("is_superuser")),
            ),
            (
                "Which roles may create databases?",
                Some(AccessQuestion::RolesWith("may_create_databases")),
            ),
            (
                "Was darf ana?",
                Some(AccessQuestion::RightsOf("ana".to_owned())),
            ),
        ] {
            assert_eq!(access_question(question), expected, "{question}");
        }
    }

    #[test]
    fn others_are_not() {
        for question in [
            "Who may approve a refund of 400 euros?",
            "Who may approve refunds?",
            "Who may use the car park behind the store?",
            "Who asked?",
            "Who may read old maps in the library?",
            "Who is a superuser of the old system?",
            "Who can change a tyre?",
            "How many customers may use the workshop?",
            "Which products may be returned?",
            "Wer darf im Laden einen Hund mitbringen?",
            "What may customers do with old skins?",
            "",
            "who may",
        ] {
            assert_eq!(access_question(question), None, "{question}");
        }
    }
}
