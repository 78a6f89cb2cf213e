//! The phrases of a question that may refer to stored values.

use crate::terms::{fold, is_function_word};

/// Maximum number of words of a phrase.
const MAX_WORDS: usize = 5;

/// Maximum number of phrases, for very long questions.
const MAX_PHRASES: usize = 2_000;

/// Minimum length of a phrase for similarity search: three letters are similar to too many values.
const SHORTEST_FUZZY: usize = 4;

/// A phrase of a question that may refer to a stored value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpokenPhrase {
    /// The text in the question.
    pub text: String,
    /// Whether a merely similar value may match.
    pub may_be_misspelt: bool,
    /// Whether it is written like a name, so that a value may contain its initials.
    pub is_name: bool,
    /// Whether it may be the prefix of a value.
    pub may_be_short: bool,
}

/// The phrases of a question that may refer to values: quoted texts, then runs of words, longest
/// first, then single words and numbers.
pub(super) fn phrases(question: &str) -> Vec<SpokenPhrase> {
    let mut phrases: Vec<SpokenPhrase> = Vec::new();
    let mut add = |text: &str, may_be_misspelt: bool, is_name: bool, may_be_short: bool| {
        if phrases.len() < MAX_PHRASES {
            phrases.push(SpokenPhrase {
                text: text.to_owned(),
                may_be_misspelt,
                is_name,
                may_be_short,
            });
        }
    };
    for quoted in quoted_parts(question) {
        add(quoted, true, true, false);
    }
    let words = words_of(question);
    for count in (1..=MAX_WORDS.min(words.len())).rev() {
        for run in words.windows(count) {
            let (Some(first), Some(last)) = (run.first(), run.last()) else {
                continue;
            };
            let ends_empty = |word: &Word<'_>| is_function_word(&fold(word.text));
            // "The Hague" and "Of Mice and Men" begin with a capital letter, but so does the question's first
            // word.
            if ends_empty(last) || (ends_empty(first) && !(first.is_capital && first.start > 0)) {
                continue;
            }
            let Some(text) = question.get(first.start..last.end) else {
                continue;
            };
            // A run does not cross a comma or a quote.
            let is_torn = run.windows(2).any(|pair| match pair {
                [one, other] => question.get(one.end..other.start).is_none_or(|gap| {
                    !gap.chars()
                        .all(|c| c.is_whitespace() || matches!(c, '&' | '/'))
                }),
                _ => false,
            });
            if is_torn {
                continue;
            }
            let letters = text.chars().filter(|c| c.is_alphabetic()).count();
            let is_name = run.iter().all(|word| word.is_capital);
            let may_be_misspelt = letters >= SHORTEST_FUZZY && (count == 1 || is_name);
            let is_content = |word: &&Word<'_>| !is_function_word(&fold(word.text));
            let mut content = run.iter().filter(is_content);
            let is_called = is_name || content.all(|word| word.is_capital);
            let has_period = question
                .get(last.end..)
                .is_some_and(|rest| rest.starts_with('.'));
            let is_marked = has_period || (first.is_capital && first.start > 0);
            let may_be_short = count == 1 && is_marked && letters >= SHORTEST_FUZZY;
            add(text, may_be_misspelt, is_called, may_be_short);
        }
    }
    phrases
}

/// A word of a question and its position.
struct Word<'a> {
    text: &'a str,
    start: usize,
    end: usize,
    is_capital: bool,
}

fn words_of(question: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let is_inside =
        |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '-' | '.' | '_' | '&');
    let mut start = None;
    for (at, character) in question.char_indices().chain([(question.len(), ' ')]) {
        match (start, is_inside(character)) {
            (None, true) if character.is_alphanumeric() => start = Some(at),
            (Some(begin), false) => {
                let text = question.get(begin..at).unwrap_or_default();
                let text = text.trim_end_matches(|c: char| !c.is_alphanumeric());
                let text = text
                    .strip_suffix("'s")
                    .or(text.strip_suffix("’s"))
                    .unwrap_or(text);
                words.push(Word {
                    text,
                    start: begin,
                    end: begin + text.len(),
                    is_capital: text.starts_with(char::is_uppercase),
                });
                start = None;
            }
            _ => {}
        }
    }
    words
}

/// The texts between quotes of any kind.
fn quoted_parts(question: &str) -> Vec<&str> {
    const QUOTES: [(char, char); 6] = [
        ('"', '"'),
        ('“', '”'),
        ('„', '“'),
        ('«', '»'),
        ('‘', '’'),
        ('\'', '\''),
    ];
    let mut parts = Vec::new();
    for (open, close) in QUOTES {
        let mut rest = question;
        let mut before = ' ';
        while let Some(at) = rest.find(open) {
            let (head, tail) = rest.split_at(at);
            before = head.chars().next_back().unwrap_or(before);
            let inside = tail.get(open.len_utf8()..).unwrap_or_default();
            // An apostrophe inside a word is not a quote.
            if !before.is_alphanumeric()
                && let Some(end) = inside.find(close)
                && let Some(part) = inside.get(..end).filter(|part| !part.trim().is_empty())
            {
                parts.push(part.trim());
                before = close;
                rest = inside.get(end + close.len_utf8()..).unwrap_or_default();
            } else {
                before = open;
                rest = inside;
            }
        }
    }
    parts
}
