//! Decides, before any SQL is written, whether none is needed: the question asks to change data, is not
//! about data, or is ambiguous by its names and values alone.
//!
//! Only certain cases are decided here. The rest is left to the model or the built-in engine.

use serde_json::json;
use text2sql_domain::words;

use text2sql_builtin as builtin;
use text2sql_builtin::Doubt;
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::config::{Egress, ModelConfig};
use text2sql_domain::pipeline_run::Run;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::Context;

/// Maximum number of tables named in the hint when the question is not about data.
const MAX_SUBJECTS: usize = 6;

/// The answer to a question that needs no SQL. A doubt that the rest of the question may settle is left to the
/// model, which reads its candidates in the prompt.
pub(crate) fn route(
    cx: &Run<'_>,
    understanding: &Understanding,
    context: &Context,
    doubt: Option<Doubt>,
) -> Option<Answer> {
    if !cx.config.reading.enable_routing {
        return None;
    }
    let stage = cx.stage("route");
    let (found, answer) = match (no_data(understanding), doubt) {
        (Some(reason), _) => ("no_data", Some(without_data(reason, context))),
        (None, Some(doubt)) if !doubt.may_be_settled => ("ambiguous", Some(ask_back(doubt))),
        (None, Some(_)) => ("doubt_left_to_model", None),
        (None, None) => ("onward", None),
    };
    stage.end(json!({}), json!({"route": found}));
    answer
}

/// What is doubtful by names and values alone. Not of a follow-up, whose names may refer to earlier turns, and
/// not for the built-in engine, which looks for it itself.
pub(crate) fn doubt(
    cx: &Run<'_>,
    understanding: &Understanding,
    context: &Context,
    is_alone: bool,
) -> Option<Doubt> {
    let is_looked_for = cx.config.reading.enable_routing
        && is_alone
        && !matches!(cx.config.model, ModelConfig::Builtin);
    is_looked_for
        .then(|| builtin::ambiguity(understanding, &context.tables, &context.definitions))
        .flatten()
}

/// The readings that a model is shown. Those of a value say where it is stored.
pub(crate) fn left_to_model(doubt: &Doubt, egress: Egress) -> &[String] {
    match doubt.may_be_settled && (egress >= Egress::Values || !doubt.is_about_value) {
        true => &doubt.readings,
        false => &[],
    }
}

fn ask_back(doubt: Doubt) -> Answer {
    Answer {
        readings: doubt.readings,
        ..Answer::without_rows(Status::Ambiguous, doubt.question)
    }
}

fn without_data(reason: &str, context: &Context) -> Answer {
    if CHANGES_OF_CODE.contains(&reason) {
        return Answer {
            hint: Some(HOW_TO_CHANGE_CODE.to_owned()),
            ..Answer::without_rows(Status::Unanswerable, reason.to_owned())
        };
    }
    let names: Vec<String> = context
        .tables
        .iter()
        .take(MAX_SUBJECTS)
        .map(|table| table.sql_name())
        .collect();
    Answer {
        hint: (!names.is_empty()).then(|| format!("there is data in {}", names.join(", "))),
        ..Answer::without_rows(Status::Unanswerable, reason.to_owned())
    }
}

/// A change of what is made of the data, in English and German.
const CHANGES_OF_CODE: [&str; 2] = [
    "this asks to change a view, function or procedure: questions only read",
    "das verlangt, eine Sicht, Funktion oder Prozedur zu ändern: Fragen lesen nur",
];

const HOW_TO_CHANGE_CODE: &str = "To find where, and to have the change proposed: SELECT * FROM text2sql.revise(request => '…');";

/// Why no query can answer it; `None` if it may be about data.
fn no_data(understanding: &Understanding) -> Option<&'static str> {
    let words: Vec<&str> = understanding.words().iter().map(String::as_str).collect();
    let asked = without_courtesy(&words);
    if let Some(is_german) = asks_for_change(asked) {
        return Some(match is_german {
            false => "this asks to change data: questions only read",
            true => "das verlangt eine Änderung: Fragen lesen nur",
        });
    }
    if let Some(is_german) = asks_for_change_of_code(asked, understanding.text()) {
        let [english, german] = CHANGES_OF_CODE;
        return Some(if is_german { german } else { english });
    }
    let is_small_talk = asked.is_empty() || GREETINGS.contains(&asked.join(" ").as_str());
    if is_small_talk || asks_for_text(asked) {
        let is_german = words.iter().any(|word| GERMAN.contains(word));
        return Some(match is_german {
            false => "this is not a question about the data",
            true => "das ist keine Frage zu den Daten",
        });
    }
    None
}

/// The words after "please", "can you", "kannst du".
fn without_courtesy<'w>(words: &'w [&'w str]) -> &'w [&'w str] {
    const COURTESY: &[&str] = words!(
        "please, hey, hi, hello, ok, okay, can, could, would, will, you, i, want, to, bitte, \
         hallo, kannst, können, könntest, du, sie, mal"
    );
    let first = words.iter().position(|word| !COURTESY.contains(word));
    words
        .get(first.unwrap_or(words.len())..)
        .unwrap_or_default()
}

/// Whether it starts with a command to change data; the value says whether it is German.
fn asks_for_change(words: &[&str]) -> Option<bool> {
    const OBJECTS: &[&str] = words!(
        "table, tables, column, columns, view, views, index, indexes, schema, schemas, database, \
         databases, role, roles, user, users, function"
    );
    let has_object = |within: usize| {
        words
            .iter()
            .skip(1)
            .take(within)
            .any(|word| OBJECTS.contains(word))
    };
    let next = |list: &[&str]| {
        let word = words.get(1)?;
        list.contains(word).then_some(false)
    };
    match *words.first()? {
        "delete" | "erase" | "truncate" => next(&[
            "all", "every", "the", "from", "this", "that", "these", "those", "any", "my", "our",
            "table",
        ]),
        "insert" => next(&["into", "a", "an", "new"]),
        "drop" | "alter" | "create" | "rename" => has_object(3).then_some(false),
        "grant" | "revoke" => next(&[
            "select", "insert", "update", "delete", "all", "usage", "execute", "access",
        ]),
        "update" => (words.get(2) == Some(&"set")).then_some(false),
        "lösche" | "lösch" | "löschen" => Some(true),
        _ => {
            let asks = words.last() == Some(&"löschen") && words.len() > 1;
            asks.then_some(true)
        }
    }
}

/// Whether it asks to change what is made of the data: "Add a column for the e-mail to the owner dimension", "Extend
/// load_owner", "Where do I have to change the SQL if a name is split?".
fn asks_for_change_of_code(words: &[&str], text: &str) -> Option<bool> {
    const ENGLISH: &[&str] = words!(
        "add, extend, change, modify, adapt, adjust, rewrite, refactor, split, remove, rename, replace"
    );
    const GERMAN: &[&str] =
        words!("füge, ergänze, erweitere, ändere, passe, teile, entferne, ersetze, benenne");
    const CODE: &[&str] = words!(
        "column, dimension, view, procedure, function, pipeline, script, etl, ssis, sql, spalte, sicht, view, \
         prozedur, funktion, skript"
    );
    // What loads or shows is called so.
    const BEGINNINGS: &[&str] =
        words!("load_, etl_, dim_, fact_, fct_, stg_, v_, vw_, sp_, usp_, p_, f_, fn_");
    const WHERE: [(&[&str], &[&str], bool); 2] = [
        (words!("where, how, what, which"), ENGLISH, false),
        (
            words!("wo, wie, was, welche"),
            words!("ändern, anpassen, erweitern, ergänzen"),
            true,
        ),
    ];
    let first = words.first()?;
    let text = text.to_lowercase();
    let mut names = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let names_code = words.iter().skip(1).any(|word| CODE.contains(word))
        || names.any(|name| BEGINNINGS.iter().any(|start| name.starts_with(start)));
    for (asking, verbs, is_german) in WHERE {
        let must = words.iter().skip(1).any(|word| {
            matches!(
                *word,
                "have" | "need" | "must" | "should" | "to" | "muss" | "müssen" | "soll" | "sollen"
            )
        });
        let changes = words.iter().skip(1).any(|word| verbs.contains(word));
        if asking.contains(first) && must && changes && names_code {
            return Some(is_german);
        }
    }
    let is_german = GERMAN.contains(first);
    let is_command = is_german || ENGLISH.contains(first);
    // "Change of the view counts per month" is a question.
    let is_noun = matches!(
        words.get(1),
        Some(&("in" | "of" | "per" | "since" | "over"))
    );
    (is_command && names_code && !is_noun).then_some(is_german)
}

/// Whether it asks for a text: "write me a poem", "erzähle einen Witz".
fn asks_for_text(words: &[&str]) -> bool {
    const VERBS: &[&str] = &[
        "write", "compose", "tell", "sing", "schreib", "schreibe", "erzähl", "erzähle", "dichte",
    ];
    const FILLERS: &[&str] = &[
        "me", "us", "a", "an", "some", "short", "funny", "nice", "mir", "uns", "ein", "eine",
        "einen", "kurzes", "kurze", "lustigen",
    ];
    const TEXTS: &[&str] = words!(
        "poem, poems, story, song, joke, jokes, essay, haiku, rhyme, email, gedicht, geschichte, \
         lied, witz, witze, aufsatz"
    );
    let Some((verb, rest)) = words.split_first() else {
        return false;
    };
    let text = rest.iter().find(|word| !FILLERS.contains(word));
    VERBS.contains(verb) && text.is_some_and(|word| TEXTS.contains(word))
}

/// Complete inputs that are small talk.
const GREETINGS: &[&str] = words!(
    "thanks, thank you, thank you very much, good morning, good evening, good night, how are you, \
     how do you do, who are you, what are you, what is your name, bye, goodbye, nice, cool, \
     great, danke, vielen dank, danke schön, guten morgen, guten tag, guten abend, \
     wie geht es dir, wie geht s, wer bist du, tschüss, auf wiedersehen, how s it going, \
     what s up, are you there"
);

/// Words that mark such a sentence as German.
const GERMAN: &[&str] = &[
    "danke", "dank", "guten", "wie", "wer", "bist", "tschüss", "hallo", "bitte", "schreib",
    "schreibe", "erzähl", "erzähle", "dichte", "mir", "kannst", "auf",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(text: &str) -> Option<&'static str> {
        no_data(&Understanding::of(text, "2026-11-21"))
    }

    #[test]
    fn changes_and_small_talk_are_declined() {
        let change = Some("this asks to change data: questions only read");
        for text in [
            "Delete all customers",
            "please delete the orders of 2019",
            "DROP TABLE customers",
            "update customers set name = 'x'",
            "Can you insert into orders a row?",
            "Grant select on orders to bob",
        ] {
            assert_eq!(reason(text), change, "{text}");
        }
        for text in [
            "Add the e-mail of each owner to the owner dimension",
            "Please extend the view dim_owner by the phone number",
            "Add the kind of the owner to dim_owner",
            "Extend load_dim_owner with the kind",
            "How do I have to change the procedure so that the kind is loaded as well?",
            "Where do I have to change the SQL if display_name is split into first and last name?",
            "Split the display name into two columns in the owner dimension",
        ] {
            assert_eq!(reason(text), Some(CHANGES_OF_CODE[0]), "{text}");
        }
        assert_eq!(
            reason("Ergänze die Prozedur load_owner um die E-Mail"),
            Some(CHANGES_OF_CODE[1])
        );
        for text in [
            "Change in view counts per month",
            "Which view has the most rows?",
        ] {
            assert_eq!(reason(text), None, "{text}");
        }
        let no_data = Some("this is not a question about the data");
        for text in [
            "hello",
            "Hi!",
            "Thank you.",
            "Write me a poem",
            "tell us a funny joke",
            "How are you?",
        ] {
            assert_eq!(reason(text), no_data, "{text}");
        }
        assert_eq!(
            reason("Lösche alle Kunden"),
            Some("das verlangt eine Änderung: Fragen lesen nur")
        );
        assert_eq!(
            reason("Erzähl mir einen Witz"),
            Some("das ist keine Frage zu den Daten")
        );
    }

    #[test]
    fn possible_questions_about_data_continue() {
        for text in [
            "How many customers were deleted last month?",
            "drop in revenue by month",
            "Show set prices",
            "Set of customers that went to Paris",
            "Delete requests by month",
            "Create a list of all customers",
            "Update times of orders",
            "Write a list of all products",
            "Tell me the number of stories",
            "Which users can delete orders?",
            "Grants by year",
            "Set of customers without orders",
            "Who are our best customers?",
            "What is your best product?",
            "Hi, how many orders are there?",
            "Wie viele Kunden gibt es?",
        ] {
            assert_eq!(reason(text), None, "{text}");
        }
    }
}
