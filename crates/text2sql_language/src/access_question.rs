//! Questions about who may do what in this extension: "Who may use gpt?", "Wer darf Fragen stellen?".
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
}

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

/// A name of one word, or in quotes.
fn name_of(text: &str) -> Option<String> {
    const ARTICLES: &[&str] = &[
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
