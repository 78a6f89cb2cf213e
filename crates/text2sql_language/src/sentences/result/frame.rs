//! The question as the first half of its answer: "Which country has the most customers?" becomes "Germany has the
//! most customers." Each language reads its own questions.

/// Maximum length of a question whose words are repeated, in characters.
pub const MAX_QUESTION: usize = 160;

/// How a question can be turned into its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// "How many films have rating R?"
    Count {
        /// "films"
        things: String,
        /// What follows the number and the things in a statement.
        says: Says,
    },
    /// "Which country has the most customers?"
    Which {
        /// "country"
        noun: String,
        /// Whether the noun is in the plural.
        is_plural: bool,
        /// What follows the name in a statement.
        says: Says,
    },
    /// "What is the average price?"
    What {
        /// "is"
        verb: String,
        /// "the average price"
        subject: String,
    },
    /// A noun phrase, also after "show me": "the average price".
    Phrase(String),
    /// A question for yes or no.
    YesNo,
    /// Anything else.
    Unknown,
}

/// What follows the subject in a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Says {
    /// "have rating R"
    Predicate(String),
    /// "in Germany", after "there are … customers".
    Exists {
        /// The verb: "are", "were".
        verb: String,
        /// What follows the things.
        rest: String,
    },
    /// The question's order of words is not that of a statement.
    Inverted,
}

/// The question without its mark, on one line; `None` if it is long, or more than one sentence.
pub(super) fn one_sentence(question: &str) -> Option<String> {
    let line = question.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.trim_end_matches(['?', '.', '!', ' ', ';', ':']);
    let is_short = line.chars().count() <= MAX_QUESTION;
    let is_one = !line.contains(['?', '\n']) && !line.contains(". ") && !line.contains("! ");
    (is_short && is_one && !line.is_empty()).then(|| line.to_owned())
}

/// A word in lower case without signs around it.
pub(super) fn bare(word: &str) -> String {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'');
    bare.to_lowercase()
}

/// A name with its value; a number at the end of a name would run into it.
pub(super) fn named(name: &str, value: &str) -> String {
    match name.ends_with(|c: char| c.is_ascii_digit()) {
        true => format!("{name}: {value}"),
        false => format!("{name} {value}"),
    }
}

impl Frame {
    /// What the question says of what it asks for.
    pub(super) fn statement(&self) -> &str {
        match self {
            Self::Count {
                says: Says::Predicate(says),
                ..
            }
            | Self::Which {
                says: Says::Predicate(says),
                ..
            } => says,
            Self::What { subject, .. } => subject,
            Self::Phrase(phrase) => phrase,
            _ => "",
        }
    }
}

/// The words after one of `leads`, up to the first that `ends` accepts: "films" of "has the most films".
pub(super) fn words_after(
    text: &str,
    leads: &[&str],
    ends: impl Fn(&str) -> bool,
) -> Option<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let start = words
        .iter()
        .position(|word| leads.contains(&bare(word).as_str()))?
        + 1;
    let rest = words.get(start..)?.iter().take(3);
    let length = rest.clone().position(|word| ends(word))? + 1;
    Some(rest.take(length).copied().collect::<Vec<_>>().join(" "))
}

/// Whether a text says a word or a name, in any case.
pub(super) fn says(text: &str, name: &str) -> bool {
    text.to_lowercase().contains(&name.to_lowercase())
}

/// The text with a capital at its beginning.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        format!("{}{}", first.to_uppercase(), letters.as_str())
    })
}
