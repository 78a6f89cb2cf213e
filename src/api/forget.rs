//! `text2sql.forget(kind, name, …)` and `forget(kind, id)`: takes away what was taught, imported or kept.

use pgrx::default;
use pgrx::prelude::*;
use text2sql_domain::error::{Error, ErrorKind};

use super::array_argument::elements_if_given;
use crate::pg::access::objects::families;
use crate::pg::search::{documents, refresh};
use crate::pg::server::array_argument::Texts;
use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::spi;
use crate::pg::server::text_argument::Text;
use crate::pg::stored::evaluation::require_evaluator;
use crate::pg::stored::models::local_model;
use crate::pg::stored::queue::store;
use crate::pg::stored::record::{boards, conversation, kept_answers};
use crate::pg::stored::teaching::{
    annotations, definitions, examples, feedback, imports, instructions, joins, required, samples,
    unknown_kind,
};

/// What can be forgotten, in the order of an error message.
const KINDS: [Kind; 24] = [
    Kind::of_asker("answer"),
    Kind::of_evaluator("case"),
    Kind::of_curator("confidence"),
    Kind::of_asker("conversation"),
    Kind::of_evaluator("copies"),
    Kind::of_curator("definition"),
    Kind::of_curator("description"),
    Kind::of_curator("document"),
    Kind::of_evaluator("evaluation"),
    Kind::of_curator("example"),
    Kind::of_asker("feedback"),
    Kind::of_curator("import"),
    Kind::of_curator("instruction"),
    Kind::of_curator("join"),
    Kind::of_asker("kept_answers"),
    Kind::of_curator("meanings"),
    Kind::of_asker("memory"),
    Kind::of_asker("model"),
    Kind::of_asker("pin"),
    Kind::of_curator("sample"),
    Kind::of_evaluator("suite"),
    Kind::of_curator("synonyms"),
    Kind::of_curator("text_index"),
    Kind::of_curator("vectors"),
];

struct Kind {
    name: &'static str,
    whose: Whose,
}

#[derive(PartialEq)]
enum Whose {
    /// Every role forgets what is its own.
    Asker,
    Curator,
    /// Measurements: the privileges in the database decide.
    Evaluator,
}

impl Kind {
    const fn of_asker(name: &'static str) -> Self {
        let whose = Whose::Asker;
        Self { name, whose }
    }

    const fn of_curator(name: &'static str) -> Self {
        let whose = Whose::Curator;
        Self { name, whose }
    }

    const fn of_evaluator(name: &'static str) -> Self {
        let whose = Whose::Evaluator;
        Self { name, whose }
    }

    fn named(name: Option<&str>) -> Result<Self, Error> {
        let mut kinds = KINDS.into_iter();
        kinds.find(|kind| Some(kind.name) == name).ok_or_else(|| {
            unknown_kind(name, &KINDS.map(|kind| kind.name))
                .with_hint("For example: SELECT text2sql.forget('example', 17);")
        })
    }
}

/// What a call names besides kind and name: each argument is for one kind.
#[derive(Default)]
struct Narrowed<'a> {
    applies_to: Option<&'a str>,
    synonyms: Option<Vec<String>>,
    includes_verified: bool,
}

impl Narrowed<'_> {
    fn check(&self, kind: &Kind) -> Result<(), Error> {
        let given = [
            (self.applies_to.is_some(), "applies_to", "definition"),
            (self.synonyms.is_some(), "synonyms", "synonyms"),
            (self.includes_verified, "include_verified", "import"),
        ];
        let wrong = given
            .into_iter()
            .find(|(is_given, _, of)| *is_given && *of != kind.name);
        match wrong {
            None => Ok(()),
            Some((_, argument, of)) => {
                let problem = format!("{argument} is not for kind \"{}\"", kind.name);
                Err(Error::new(ErrorKind::Setting, problem)
                    .with_hint(format!("It is for forget('{of}', …).")))
            }
        }
    }
}

type Forgotten = (String, String, String, Option<String>);

const FORGET_MEASUREMENT: &str = "SELECT text2sql_eval._forget($1, $2)";

/// Takes away what has a name; ids are accepted as text, as drivers send them.
#[pg_extern(volatile, parallel_unsafe, name = "forget")]
fn forget_named(
    kind: Option<Text<'_>>,
    name: default!(Option<Text<'_>>, "NULL"),
    applies_to: default!(Option<Text<'_>>, "NULL"),
    synonyms: default!(Option<Texts>, "NULL"),
    include_verified: default!(Option<bool>, "false"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(kind, String),
            name!(name, String),
            name!(outcome, String),
            name!(reason, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let narrowed = Narrowed {
        applies_to: applies_to.as_deref(),
        synonyms: elements_if_given(synonyms, "synonyms")?,
        includes_verified: include_verified.unwrap_or(false),
    };
    let forgotten = forget(kind.as_deref(), name.as_deref(), narrowed).map_err(report)?;
    Ok(TableIterator::new(forgotten))
}

/// Takes away what has an id.
#[pg_extern(volatile, parallel_unsafe, name = "forget")]
fn forget_by_id(
    kind: Option<Text<'_>>,
    id: Option<i64>,
) -> Result<
    TableIterator<
        'static,
        (
            name!(kind, String),
            name!(name, String),
            name!(outcome, String),
            name!(reason, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let name = id.map(|id| id.to_string());
    let forgotten = forget(kind.as_deref(), name.as_deref(), Narrowed::default());
    Ok(TableIterator::new(forgotten.map_err(report)?))
}

fn forget(
    kind: Option<&str>,
    name: Option<&str>,
    narrowed: Narrowed<'_>,
) -> Result<Vec<Forgotten>, Error> {
    let kind = Kind::named(kind)?;
    narrowed.check(&kind)?;
    let refused = format!("nothing of kind \"{}\" can be forgotten", kind.name);
    if kind.whose == Whose::Curator {
        examples::require_curator(&refused)?;
    }
    // What was taught of a family at once is taken away at once.
    if matches!(kind.name, "description" | "meanings" | "synonyms")
        && let Some(members) = name.map(families::members).transpose()?.flatten()
    {
        let mut forgotten = Vec::new();
        for member in &members {
            let narrowed = Narrowed {
                synonyms: narrowed.synonyms.clone(),
                ..Narrowed::default()
            };
            forgotten.extend(forget(Some(kind.name), Some(member), narrowed)?);
        }
        return Ok(forgotten);
    }
    let id = || match name {
        None => Ok(None),
        Some(name) => name.trim().parse().map(Some).map_err(|_| {
            let problem = format!("invalid id \"{name}\" of kind \"{}\"", kind.name);
            Error::new(ErrorKind::Setting, problem).with_hint(format!(
                "For example: SELECT text2sql.forget('{}', 17);",
                kind.name
            ))
        }),
    };
    if kind.whose == Whose::Evaluator {
        require_evaluator(&refused)?;
    }
    if kind.whose == Whose::Evaluator || kind.name == "confidence" {
        if matches!(kind.name, "case" | "evaluation") {
            id()?;
        }
        let arguments = [kind.name.into(), name.into()];
        let forgotten = spi::write(FORGET_MEASUREMENT, &arguments, |row| row.read(1))?;
        let (kind, name, outcome, _) = dropped(kind.name, name.unwrap_or_default().to_owned());
        return Ok(vec![(
            kind,
            name,
            outcome,
            forgotten.into_iter().flatten().next(),
        )]);
    }
    match kind.name {
        "answer" => store::delete(id()?)?,
        "conversation" => {
            let turns = conversation::forget(required(name, "name")?)?;
            return Ok(turns
                .into_iter()
                .map(|question| dropped("turn", question))
                .collect());
        }
        "definition" => definitions::drop_definition(name, narrowed.applies_to)?,
        "description" => annotations::describe(name, None)?,
        "document" => documents::drop_document(id()?)?,
        "example" => examples::drop_example(id()?)?,
        "feedback" => feedback::drop_feedback(name)?,
        "import" => {
            let taken_back = imports::take_back(name, narrowed.includes_verified)?;
            let rows = taken_back.into_iter();
            return Ok(rows
                .map(|entry| {
                    (
                        entry.entry,
                        entry.subject,
                        entry.outcome.to_owned(),
                        entry.reason,
                    )
                })
                .collect());
        }
        "instruction" => instructions::drop_instruction(id()?)?,
        "join" => joins::drop_join(id()?)?,
        "meanings" => annotations::describe_values(name, None)?,
        "kept_answers" => {
            let questions = kept_answers::forget(name)?;
            return Ok(questions
                .into_iter()
                .map(|question| dropped("kept answer", question))
                .collect());
        }
        "memory" => {
            let name = required(name, "name")?;
            if name != "local" {
                let problem = format!("\"{name}\" holds no memory of this session");
                return Err(Error::new(ErrorKind::Setting, problem)
                    .with_hint("SELECT text2sql.forget('memory', 'local');"));
            }
            let was_loaded = local_model::release();
            return Ok(was_loaded
                .then(|| dropped("memory", name.to_owned()))
                .into_iter()
                .collect());
        }
        "model" => spi::write(
            "SELECT text2sql._drop_model($1)",
            &[name.into()],
            |_| Ok(()),
        )
        .map(drop)?,
        "pin" => boards::unpin(id()?)?,
        "sample" => samples::drop_sample(id()?)?,
        "synonyms" => annotations::drop_synonyms(name, narrowed.synonyms)?,
        "text_index" => documents::drop_text_index(name)?,
        _ => refresh::drop_vectors(required(name, "name")?)?,
    }
    Ok(vec![dropped(
        kind.name,
        name.unwrap_or_default().to_owned(),
    )])
}

fn dropped(kind: &str, name: String) -> Forgotten {
    (kind.to_owned(), name, "dropped".to_owned(), None)
}
