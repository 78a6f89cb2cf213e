//! The phrases of a question that may refer to stored values.

use std::ops::Range;

use crate::plain_words::NamesNothing;
use crate::terms::fold;

/// Maximum number of words of a phrase.
const MAX_WORDS: usize = 5;

/// Maximum number of phrases, for very long questions.
const MAX_PHRASES: usize = 2_000;

/// Minimum length of a phrase for similarity search: three letters are similar to too many values.
const SHORTEST_FUZZY: usize = 4;

/// Maximum number of words before and after a phrase that may say what it is: "rating of at least 5", "the
/// Lamberton building".
const WORDS_BEFORE: usize = 4;
const WORDS_AFTER: usize = 1;

/// How a phrase is set apart from the words around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mark {
    /// It is not marked.
    #[default]
    None,
    /// By capital letters, in a language in which they mark a name.
    Name,
    /// It is written as a code: "DE", "A-12".
    Code,
    /// By quotation marks.
    Quoted,
}

/// A phrase of a question that may refer to a stored value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpokenPhrase {
    /// The text in the question.
    pub text: String,
    /// Whether a merely similar value may match.
    pub may_be_misspelt: bool,
    /// Whether it is written like a name, so that a value may contain its initials.
    pub is_name: bool,
    /// Whether it may be the prefix of a value.
    pub may_be_short: bool,
    /// How it is set apart.
    pub mark: Mark,
    /// Whether all its words are general ones, such as "average" or "name".
    pub is_general: bool,
    /// Whether it has no letter, or is a number in words: "ten", which "Ten" need not be.
    pub is_number: bool,
    /// The folded words beside it that are not function words.
    pub beside: Vec<String>,
}

/// The phrases of a question that may refer to values: quoted texts, then runs of words, longest
/// first, then single words and numbers.
pub(super) fn phrases(question: &str, plain: &NamesNothing) -> Vec<SpokenPhrase> {
    let mut phrases: Vec<SpokenPhrase> = Vec::new();
    let mut add = |phrase: SpokenPhrase| {
        if phrases.len() < MAX_PHRASES {
            phrases.push(phrase);
        }
    };
    let words = words_of(question);
    for quoted in quoted_parts(question) {
        let start = question.find(quoted).unwrap_or_default();
        add(SpokenPhrase {
            text: quoted.to_owned(),
            may_be_misspelt: true,
            is_name: true,
            mark: Mark::Quoted,
            beside: beside(&words, start..start + quoted.len(), plain),
            ..SpokenPhrase::default()
        });
    }
    let has_small_letters = question.chars().any(char::is_lowercase);
    for count in (1..=MAX_WORDS.min(words.len())).rev() {
        for run in words.windows(count) {
            let (Some(first), Some(last)) = (run.first(), run.last()) else {
                continue;
            };
            let is_code = |word: &Word<'_>| has_small_letters && word.is_code();
            let is_function =
                |word: &Word<'_>| !is_code(word) && plain.is_function(&fold(word.text));
            // "The Hague" and "Of Mice and Men" begin with a capital letter, but so does the question's first
            // word.
            let is_title = first.is_capital && first.start > 0 && count > 1;
            if is_function(last) || (is_function(first) && !is_title) {
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
            let content = || run.iter().filter(|word| !is_function(word));
            let letters = text.chars().filter(|c| c.is_alphabetic()).count();
            let is_name = run.iter().all(|word| word.is_capital);
            let is_general =
                content().all(|word| !is_code(word) && plain.is_general(&fold(word.text)));
            let may_be_misspelt =
                letters >= SHORTEST_FUZZY && (count == 1 || is_name) && !is_general;
            let is_called = is_name || content().all(|word| word.is_capital);
            let has_period = question
                .get(last.end..)
                .is_some_and(|rest| rest.starts_with('.'));
            let is_marked = has_period || (first.is_capital && first.start > 0);
            let mark = match () {
                () if run.iter().all(is_code) => Mark::Code,
                () if is_called && first.start > 0 && plain.capitals_mark_names() => Mark::Name,
                () => Mark::None,
            };
            add(SpokenPhrase {
                text: text.to_owned(),
                may_be_misspelt,
                is_name: is_called,
                may_be_short: count == 1 && is_marked && letters >= SHORTEST_FUZZY,
                mark,
                is_general,
                is_number: letters == 0
                    || content().all(|word| {
                        word.text.starts_with(char::is_lowercase)
                            && plain.is_number(&fold(word.text))
                    }),
                beside: beside(&words, first.start..last.end, plain),
            });
        }
    }
    phrases
}

/// The folded words around a stretch of the question, without function words.
fn beside(words: &[Word<'_>], stretch: Range<usize>, plain: &NamesNothing) -> Vec<String> {
    let first = words.partition_point(|word| word.end <= stretch.start);
    let after = words.partition_point(|word| word.start < stretch.end);
    let before = words.get(first.saturating_sub(WORDS_BEFORE)..first);
    let behind = words.get(after..(after + WORDS_AFTER).min(words.len()));
    let around = before
        .into_iter()
        .flatten()
        .chain(behind.into_iter().flatten());
    let folded = around.map(|word| fold(word.text));
    folded.filter(|word| !plain.is_function(word)).collect()
}

/// A word of a question and its position.
struct Word<'a> {
    text: &'a str,
    start: usize,
    end: usize,
    is_capital: bool,
}

impl Word<'_> {
    /// Whether it is written like a code: several capital letters and no small one, or letters with digits.
    fn is_code(&self) -> bool {
        let letters = || self.text.chars().filter(|c| c.is_alphabetic());
        let digits = self.text.chars().any(|c| c.is_ascii_digit());
        let is_large = letters().all(char::is_uppercase);
        // "I" is a pronoun, and the first letter of a question may be an article.
        let is_letter = self.start > 0 && self.text != "I";
        is_large && (letters().count() > 1 || (letters().count() == 1 && (digits || is_letter)))
    }
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
                let text = with_sign(question, begin, text);
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

/// The word at that place with the sign behind it, if it is a short code: "A+", "B-", "C#".
fn with_sign<'a>(question: &'a str, begin: usize, word: &'a str) -> &'a str {
    let rest = question.get(begin + word.len()..).unwrap_or_default();
    let sign = rest.find(|c| !matches!(c, '+' | '-' | '#'));
    let sign = sign.unwrap_or(rest.len());
    let is_short = word.chars().count() <= 2 && word.chars().all(char::is_uppercase);
    let ends = !rest
        .get(sign..)
        .is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
    match is_short && (1..=2).contains(&sign) && ends {
        true => question
            .get(begin..begin + word.len() + sign)
            .unwrap_or(word),
        false => word,
    }
}

/// The texts between quotes of any kind.
pub(super) fn quoted_parts(question: &str) -> Vec<&str> {
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
