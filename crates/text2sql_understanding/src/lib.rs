//! Finds what a question means, whatever the order of its words: spans of it are linked to concepts of business
//! questions and to what the schema has, and composed to a [`SemanticQuery`], which is compiled.
//!
//! A question is answered only if each of its words is explained. What it does not say and is needed all the same,
//! such as the date by which a year is meant, is a note.
//!
//! The words are data: `concepts.txt`, `nouns.txt`, `stand_ins.txt`, `verb_dates.txt`, `places.txt`,
//! `days.txt`, `german_names.txt`.

#![forbid(unsafe_code)]

#[cfg(test)]
mod club_tests;
mod compose;
mod conditions;
mod days;
mod follow;
#[cfg(test)]
mod garage_tests;
mod german_names;
#[cfg(test)]
mod haulier_tests;
mod lexicon;
mod link;
mod money;
mod named;
mod noun_list;
mod phrases;
mod rates;
mod references;
#[cfg(test)]
mod rental_tests;
mod restated;
mod routes;
mod said_periods;
mod schema;
mod second_figures;
mod short;
#[cfg(test)]
mod statements;
#[cfg(test)]
mod stock_tests;
mod table_names;
mod term;
mod terms;
#[cfg(test)]
mod tests;
mod wording;

use std::sync::Arc;

use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::calendar::parse_date;
use text2sql_language::several_questions::may_be_several;
use text2sql_language::understanding::Understanding;
use text2sql_semantics::{Answer, Function, Refusal, SemanticQuery, Value, compile};

pub use self::follow::{Followed, follow};
pub use self::named::named_tables;
pub use self::rates::sums_a_rate;
pub use self::short::read_short;
pub use self::terms::has_query;

use self::compose::Composer;
use self::schema::Schema;

/// Whether the word, in lower case, means something in questions, whatever the tables are.
pub fn is_word_of_questions(word: &str) -> bool {
    lexicon::concept(word).is_some() || lexicon::is_noun(word)
}

/// Whether the word, in lower case, says a state that the days of rows may say as well: "open", "overdue".
pub fn is_state(word: &str) -> bool {
    use lexicon::Concept::{Current, Late, Open, Overdue};
    matches!(
        lexicon::concept(word),
        Some(Open | Overdue | Late | Current)
    )
}

/// What was made of a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Understood {
    /// What it means, and the statement for it.
    Meaning(Box<SemanticQuery>, Box<SqlProposal>),
    /// Nothing that is sure enough.
    Nothing {
        /// The words that were not understood.
        missing: Vec<String>,
        /// What stood in the way.
        reason: &'static str,
        /// Questions of which one may be meant.
        readings: Vec<String>,
    },
}

/// Maximum number of words: longer texts are not simple questions.
const MAX_SPANS: usize = 60;

/// Understands the question over the tables.
pub fn understand(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Understood {
    let nothing = |reason| Understood::Nothing {
        missing: Vec::new(),
        reason,
        readings: Vec::new(),
    };
    let Some(today) = parse_date(understanding.today()) else {
        return nothing("today is not known");
    };
    if understanding.words().len() > 2 * MAX_SPANS {
        return nothing("too short or too long");
    }
    let joined = second_figures::with_total(understanding.text())
        .map(|text| Understanding::of(&text, understanding.today()));
    let alone = second_figures::without_own_figure(understanding.text())
        .map(|text| Understanding::of(&text, understanding.today()));
    let understanding = joined.as_ref().or(alone.as_ref()).unwrap_or(understanding);
    // One statement for several would join what they count.
    if asks_several(understanding) {
        return nothing("several questions");
    }
    let is_german = understanding.is_german() || wording::is_german(understanding);
    let mut schema = Schema::of(tables);
    schema.terms = terms::applicable(definitions, &schema);
    if let Some(missing) = unusable_term(understanding, definitions, &schema) {
        let reason = "a term of the glossary has no expression";
        return Understood::Nothing {
            missing,
            reason,
            readings: Vec::new(),
        };
    }
    let spans = link::link(understanding.text(), is_german, today, &schema);
    if spans.is_empty() || spans.len() > MAX_SPANS {
        return nothing("too short or too long");
    }
    let says = |sign: &str| spans.iter().any(|span| span.text.contains(sign));
    let text = understanding.text();
    if ["<", ">", "="]
        .iter()
        .any(|sign| text.contains(sign) && !says(sign))
    {
        return nothing("a sign is not understood");
    }
    if ends_in_particle(understanding.words()) {
        return nothing("a verb is not understood");
    }
    // What has not happened yet is not in the data.
    let today = today.to_string();
    let is_future = |span: &link::Span| {
        span.period
            .as_ref()
            .is_some_and(|period| period.from.as_ref().is_some_and(|from| *from > today))
    };
    let is_future = spans.iter().any(is_future);
    let mut composer = Composer::new(&schema, spans);
    if is_future {
        return Understood::Nothing {
            missing: composer.unknown_words(),
            reason: "the period has not begun",
            readings: Vec::new(),
        };
    }
    let query = match composer.compose() {
        Ok(query) => query,
        Err(stop) => {
            return Understood::Nothing {
                missing: stop.missing,
                reason: stop.reason,
                readings: match is_german {
                    true => Vec::new(),
                    false => stop.readings,
                },
            };
        }
    };
    // Rows of another table that have none of these rows would not be counted.
    if joined.is_some() && counts_related_rows(&query) {
        return nothing("the parts are not related");
    }
    match compile(&query, tables) {
        Ok(compiled) => {
            let mut proposal = wording::proposal(&query, compiled);
            proposal.corrected_question = composer.corrected(understanding.text());
            Understood::Meaning(Box::new(query), Box::new(proposal))
        }
        Err(_) => nothing("it has no safe statement"),
    }
}

/// Whether rows are counted that others refer to.
fn counts_related_rows(query: &SemanticQuery) -> bool {
    let Answer::Figures { measures, .. } = &query.answer else {
        return false;
    };
    measures.iter().any(|measure| {
        matches!(&measure.value, Value::Aggregate(one) if one.function == Function::CountDistinct)
    })
}

/// The statement of a meaning, with what is said about it.
pub fn compiled(query: &SemanticQuery, tables: &[Arc<Table>]) -> Result<SqlProposal, Refusal> {
    Ok(wording::proposal(query, compile(query, tables)?))
}

/// Whether the text asks for several numbers, or may be several questions.
fn asks_several(understanding: &Understanding) -> bool {
    let words = understanding.words();
    let pairs = words.windows(2).filter(|pair| match pair {
        [how, much] => matches!(
            (how.as_ref(), much.as_ref()),
            ("how", "many" | "much") | ("wie", "viel" | "viele")
        ),
        _ => false,
    });
    pairs.count() > 1
        || understanding.text().matches('?').count() > 1
        || may_be_several(understanding.text())
        || asks_on(understanding.text())
        || asks_amount_too(understanding.text())
}

/// "Which customer has the most rentals, and how much did they pay?"
fn asks_amount_too(text: &str) -> bool {
    let lower = text.to_lowercase();
    let asks_first = ["how ", "wie "].iter().any(|how| lower.starts_with(how));
    !asks_first
        && [" and how much ", " und wie viel "]
            .iter()
            .any(|too| lower.contains(too))
}

/// "The biggest order - who placed it?": a question follows another one behind a dash.
fn asks_on(text: &str) -> bool {
    const ASK: &[&str] = &[
        "who", "what", "how", "which", "when", "where", "wer", "was", "wie", "welche", "wann", "wo",
    ];
    let lower = text.to_lowercase();
    let behind = [" - ", " – ", " — ", "; "]
        .iter()
        .filter_map(|dash| lower.split_once(dash));
    let mut asked = behind.filter(|(before, _)| before.split(' ').count() > 3);
    asked.any(|(_, rest)| {
        rest.split(' ')
            .next()
            .is_some_and(|word| ASK.contains(&word))
    })
}

/// "Which players got in?": words that say nothing by themselves are a verb together. "When did it come in?" is about
/// the day all the same.
fn ends_in_particle<T: AsRef<str>>(words: &[T]) -> bool {
    let [.., verb, particle] = words else {
        return false;
    };
    let is_verb = matches!(
        verb.as_ref(),
        "get"
            | "gets"
            | "got"
            | "go"
            | "goes"
            | "went"
            | "come"
            | "comes"
            | "came"
            | "take"
            | "takes"
            | "took"
            | "taken"
            | "make"
            | "makes"
            | "made"
            | "give"
            | "gave"
            | "keep"
            | "kept"
    );
    let particles = [
        "in", "on", "out", "off", "up", "down", "over", "through", "away", "back",
    ];
    let asks_when = words.iter().any(|word| word.as_ref() == "when");
    is_verb && !asks_when && particles.contains(&particle.as_ref())
}

/// The words of a term of the glossary that has no expression over these tables, if the question has one.
fn unusable_term(
    understanding: &Understanding,
    definitions: &[Definition],
    schema: &Schema<'_>,
) -> Option<Vec<String>> {
    let text = format!(" {} ", understanding.words().join(" "));
    let is_usable = |definition: &Definition| {
        let mut usable = schema.terms.iter();
        usable.any(|term| term.name == definition.term)
    };
    let unusable = definitions.iter().filter(|one| !is_usable(one));
    let mut names = unusable.flat_map(|one| std::iter::once(&one.term).chain(&one.synonyms));
    names.find_map(|term| {
        let words = text2sql_language::understanding::lower_words(term);
        let name = words.join(" ");
        let is_said = !name.is_empty()
            && (text.contains(&format!(" {name} ")) || text.contains(&format!(" {name}s ")));
        is_said.then(|| words.to_vec())
    })
}
