//! Several questions in one: "How many orders were there in 2025, and which store sold most?"
//!
//! A question is split only where another question or request certainly begins: at a word that opens one, after the
//! end of a sentence or after "and". A part that refers back to another one ("and where do they live?") is not a
//! question of its own, and a list ("orders and customers", "between 1 and 5") has no word that opens one.

#[cfg(test)]
mod tests;
mod vocabulary;
mod written_words;

use self::vocabulary::{
    ANDS, CONNECTORS, COURTESY, FOREIGN_ANDS, FOREIGN_OPENERS, POINTING_BACK, RELATIVE, REQUESTED,
    REQUESTS, TIMES,
};
use self::written_words::{Word, words_of};

/// Maximum number of parts.
pub const MAX_PARTS: usize = 4;

/// One of several questions in one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The question, beginning with a capital letter.
    pub text: String,
    /// The words that open it, in lower case.
    pub opener: String,
    /// Whether it is in the same sentence as the part before it, so that what stands at the end of one may be
    /// meant of both.
    pub continues_sentence: bool,
}

/// The parts of a question, two to [`MAX_PARTS`]; `None` if it may be one question.
pub fn split(text: &str) -> Option<Vec<Part>> {
    let words = words_of(text);
    let first = opener_at(&words, start_of(&words))?;
    let mut cuts = Vec::new();
    let mut at = first.end;
    while at < words.len() {
        match cut_at(text, &words, at) {
            Some(cut) => {
                at = cut.opener.end;
                cuts.push(cut);
            }
            None => at += 1,
        }
    }
    // A comma separates questions only in a list that "and" ends.
    let last_and = cuts.iter().rposition(|cut| cut.kind == CutKind::And);
    let mut number = 0;
    cuts.retain(|cut| {
        let is_before_and = last_and.is_some_and(|last| number < last);
        number += 1;
        cut.kind != CutKind::Comma || is_before_and
    });
    if cuts.is_empty() || cuts.len() >= MAX_PARTS {
        return None;
    }
    let mut parts = Vec::new();
    let mut earlier: Option<(&[Word], Opener)> = None;
    let (mut begin, mut opener, mut continues_sentence) = (first.begin, first, false);
    for next in cuts.into_iter().map(Some).chain([None]) {
        let end = next.as_ref().map_or(words.len(), |cut| cut.before);
        let own = words.get(begin..end)?;
        if let Some((before, opener_before)) = &earlier {
            let shares = continues_sentence && may_share(before, own, &opener, opener_before);
            if points_back(own) || shares {
                return None;
            }
        }
        parts.push(part(text, own, &opener, continues_sentence)?);
        if let Some(cut) = next {
            if occurs_inside(own, begin, &opener, &cut.opener) {
                return None;
            }
            begin = cut.opener.begin;
            continues_sentence = cut.kind != CutKind::Sentence;
            earlier = Some((own, std::mem::replace(&mut opener, cut.opener)));
        }
    }
    Some(parts)
}

/// Whether a question may be several, in any language: then the prompt says what to do about it. That costs a
/// hundred tokens and no answer, so it need not be certain.
pub fn may_be_several(text: &str) -> bool {
    let words = words_of(text);
    (1..words.len()).any(|at| {
        let Some(word) = words.get(at).filter(|word| !word.is_quoted) else {
            return false;
        };
        let is_sentence = ends_sentence(text, &words, at);
        if !is_sentence && !FOREIGN_ANDS.contains(&word.lower.as_str()) {
            return false;
        }
        let begin = match is_sentence {
            true => skip_connectors(&words, at),
            false => skip_connectors(&words, at + 1),
        };
        let end = words.len().min(begin + MAX_LOOKAHEAD);
        let rest = words.get(begin..end).unwrap_or_default();
        // "Which?", "who?" ask for no more than the sentence before.
        if rest.len() < 2 {
            return false;
        }
        let (lead, next) = (lower(&words, begin), lower(&words, begin + 1));
        // "… customers that pay and who live in Graz" goes on about the customers, "…, and who is best" asks.
        let is_free = |lead: &str| {
            let asks_for_one = matches!(lead, "who" | "where" | "when" | "wer" | "wo" | "wann");
            matches!(lead, "what" | "was") || (asks_for_one && follows_comma(text, &words, at))
        };
        let asks = FOREIGN_OPENERS.contains(&lead) && (is_free(lead) || !RELATIVE.contains(&next));
        let requests = opener_at(&words, begin).is_some_and(|opener| {
            let is_added = is_sentence && begin > at;
            opener.is_request && (is_added || is_of_another(&words, &opener, CutKind::Sentence))
        });
        (asks || requests) && !points_back(rest)
    })
}

/// Whether a comma stands before the word at that place.
fn follows_comma(text: &str, words: &[Word], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| words.get(at));
    let gap = before
        .zip(words.get(at))
        .and_then(|(before, word)| text.get(before.end..word.start));
    gap.is_some_and(|gap| gap.contains(','))
}

/// The words that open a question or a request.
struct Opener {
    /// In lower case.
    words: String,
    /// The places of its first word and after its last one.
    begin: usize,
    end: usize,
    is_request: bool,
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum CutKind {
    /// A new sentence.
    Sentence,
    /// After "and".
    And,
    /// After a comma.
    Comma,
}

/// Where another part begins.
struct Cut {
    kind: CutKind,
    /// The place after the last word of the part before it.
    before: usize,
    opener: Opener,
}

/// Maximum number of connecting words in a row, and of words for which the prompt speaks of several questions: a
/// question has up to 16 kB, and is read in linear time.
const MAX_CONNECTORS: usize = 6;
const MAX_LOOKAHEAD: usize = 40;

fn lower(words: &[Word], at: usize) -> &str {
    words.get(at).map_or("", |word| word.lower.as_str())
}

/// The first word of the question itself.
fn start_of(words: &[Word]) -> usize {
    let is_courtesy = |word: &&Word| COURTESY.contains(&word.lower.as_str());
    let first = words.iter().take(MAX_CONNECTORS);
    first.take_while(is_courtesy).count()
}

/// The place after connecting words.
fn skip_connectors(words: &[Word], from: usize) -> usize {
    let mut at = from;
    while at < from + MAX_CONNECTORS {
        if CONNECTORS.contains(&lower(words, at)) {
            at += 1;
        } else if (lower(words, at), lower(words, at + 1), lower(words, at + 2))
            == ("as", "well", "as")
        {
            at += 3;
        } else {
            break;
        }
    }
    at
}

/// The words that open a question or a request at that place.
fn opener_at(words: &[Word], at: usize) -> Option<Opener> {
    let (first, second) = (lower(words, at), lower(words, at + 1));
    if words.get(at)?.is_quoted {
        return None;
    }
    let (length, is_request) = match (first, second) {
        ("how", "many" | "much") | ("wie", "viele" | "viel") => (2, false),
        ("wieviele" | "wieviel", _) => (1, false),
        ("which" | "welche" | "welcher" | "welches" | "welchen", next)
            if !next.is_empty() && !RELATIVE.contains(&next) =>
        {
            (1, false)
        }
        (
            "what",
            "is" | "are" | "was" | "were" | "percentage" | "share" | "proportion" | "number",
        ) => (1, false),
        ("what's", _) => (1, false),
        ("was", "ist" | "sind" | "war" | "waren" | "kostet" | "kosten") => (1, false),
        ("who" | "where" | "when" | "wer" | "wo" | "wann", next) if !next.is_empty() => (1, false),
        (request, next) if REQUESTS.contains(&request) && REQUESTED.contains(&next) => (1, true),
        // The first word of a text may be a request without an article: "Show customers".
        (request, next) if REQUESTS.contains(&request) && at == start_of(words) => {
            (usize::from(!next.is_empty()), true)
        }
        _ => return None,
    };
    let own: Vec<&str> = (at..at + length).map(|at| lower(words, at)).collect();
    (length > 0).then(|| Opener {
        words: own.join(" "),
        begin: at,
        end: at + length,
        is_request,
    })
}

/// Whether a sentence ends before the word at that place.
fn ends_sentence(text: &str, words: &[Word], at: usize) -> bool {
    let (Some(before), Some(word)) = (
        at.checked_sub(1).and_then(|at| words.get(at)),
        words.get(at),
    ) else {
        return false;
    };
    let gap = text.get(before.end..word.start).unwrap_or_default();
    if gap.contains(['?', '!', ';']) {
        return !word.is_quoted && !before.is_quoted;
    }
    // "No. 5", "St. Gallen" and "1. Januar" end no sentence.
    let is_abbreviation = before.lower.chars().count() <= 3
        || before.lower.chars().all(|letter| letter.is_ascii_digit());
    let has_stop = gap.contains(". ") || gap.contains(".\n");
    has_stop && word.is_capitalised && !is_abbreviation && !word.is_quoted
}

/// Another part that begins with or after the word at that place.
fn cut_at(text: &str, words: &[Word], at: usize) -> Option<Cut> {
    let before = at.checked_sub(1).and_then(|at| words.get(at))?;
    let word = words.get(at).filter(|word| !word.is_quoted)?;
    let gap = text.get(before.end..word.start)?;
    let begin = skip_connectors(words, at);
    let joins =
        (at..begin).any(|at| ANDS.contains(&lower(words, at)) || lower(words, at) == "well");
    let kind = if ends_sentence(text, words, at) {
        CutKind::Sentence
    } else if joins || (begin > at && gap.contains(',')) {
        CutKind::And
    } else if gap.trim() == "," && begin == at {
        CutKind::Comma
    } else {
        return None;
    };
    let opener = opener_at(words, begin)?;
    is_of_another(words, &opener, kind).then_some(Cut {
        kind,
        before: at,
        opener,
    })
}

/// Whether what these words open is about something else than what is before it. In questions that
/// people wrote, "Which store sold most? Give me the city" and "… and what is the average price" nearly always go on
/// about the same.
fn is_of_another(words: &[Word], opener: &Opener, kind: CutKind) -> bool {
    let next = lower(words, opener.end);
    let lead = opener.words.split(' ').next().unwrap_or_default();
    match lead {
        "how" | "wie" | "wieviele" | "wieviel" => next == "of" || !RELATIVE.contains(&next),
        "which" => true,
        _ if lead.starts_with("welche") => true,
        "who" | "where" | "when" | "wer" | "wo" | "wann" => kind == CutKind::Sentence,
        // "List all products", "show the ten best customers", but not "give me the names".
        _ if opener.is_request && kind != CutKind::Comma => {
            let at = opener.end + usize::from(matches!(next, "me" | "us" | "mir" | "uns"));
            match lower(words, at) {
                "all" | "every" | "alle" | "jede" | "jeden" | "how" | "which" | "welche"
                | "wie" => true,
                "the" | "die" | "den" | "top" => is_number(lower(words, at + 1)),
                _ => false,
            }
        }
        _ => false,
    }
}

fn is_number(word: &str) -> bool {
    const NUMBERS: [&str; 18] = [
        "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "zwei", "drei",
        "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn",
    ];
    let is_digits = !word.is_empty() && word.chars().all(|letter| letter.is_ascii_digit());
    is_digits || NUMBERS.contains(&word)
}

/// Whether what stands at the end of this part may be meant of the one before it, in the same sentence: "what is
/// the average age, and how many students are there in each city". So is "how many outcomes are there" where the
/// part before it is about outcomes.
fn may_share(before: &[Word], own: &[Word], opener: &Opener, opener_before: &Opener) -> bool {
    const EACH: [&str; 11] = [
        "each", "every", "per", "by", "je", "pro", "jede", "jeder", "jeden", "jedem", "nach",
    ];
    let groups = |words: &[Word]| words.iter().any(|word| EACH.contains(&word.lower.as_str()));
    let counts = opener.words.contains(' ') && opener.words != opener_before.words;
    let noun = own
        .get(opener.end - opener.begin)
        .map_or("", |word| word.lower.as_str());
    let is_named_before = before.iter().any(|word| word.lower == noun);
    (groups(own) && !groups(before)) || (counts && is_named_before)
}

/// Whether the words that open the next part are also inside this one: "which store sold how many coats and how
/// many hats" is one question.
fn occurs_inside(own: &[Word], begin: usize, opener: &Opener, next: &Opener) -> bool {
    let lead = next.words.split(' ').next().unwrap_or_default();
    let after = own
        .get(opener.end.saturating_sub(begin)..)
        .unwrap_or_default();
    // "Show me how many …": the request is followed by the question.
    let skipped = if opener.is_request { 2 } else { 0 };
    after.iter().skip(skipped).any(|word| word.lower == lead)
}

/// A part as a question of its own; `None` if it is too short to be one.
fn part(text: &str, own: &[Word], opener: &Opener, continues_sentence: bool) -> Option<Part> {
    /// "How many orders" may belong to a verb of another part.
    const FEWEST_WORDS_OF_COUNT: usize = 4;
    const FEWEST_WORDS: usize = 3;
    let counts = opener.words.contains(' ') || opener.words.starts_with("wieviel");
    let fewest = match counts {
        true => FEWEST_WORDS_OF_COUNT,
        false => FEWEST_WORDS,
    };
    if own.len() < fewest {
        return None;
    }
    let from = own.first()?.start;
    let to = own.last()?.end;
    // What ends the last word: a closing quote, a percent sign.
    let rest = text.get(to..)?;
    let closing = rest
        .char_indices()
        .find(|(_, letter)| letter.is_whitespace() || matches!(letter, ',' | ';' | '.' | '?' | '!'))
        .map_or(rest.len(), |(at, _)| at);
    let body = text.get(from..to + closing)?;
    let mut letters = body.chars();
    let capital: String = letters.next()?.to_uppercase().collect();
    let end = if opener.is_request { "." } else { "?" };
    Some(Part {
        text: format!("{capital}{}{end}", letters.as_str()),
        opener: opener.words.clone(),
        continues_sentence,
    })
}

/// Whether words refer to something that they do not name.
fn points_back(words: &[Word]) -> bool {
    (0..words.len()).any(|at| {
        if words.get(at).is_none_or(|word| word.is_quoted) {
            return false;
        }
        let before = at.checked_sub(1).map_or("", |at| lower(words, at));
        let next = lower(words, at + 1);
        match lower(words, at) {
            "this" | "these" | "diese" | "dieser" | "dieses" | "diesen" | "diesem" => {
                !TIMES.contains(&next)
            }
            // "customers that live in Berlin" is no reference, "in that month" is one.
            "that" => !matches!(
                next,
                "is" | "are"
                    | "was"
                    | "were"
                    | "have"
                    | "has"
                    | "had"
                    | "live"
                    | "cost"
                    | "costs"
                    | "never"
                    | "contain"
                    | "contains"
                    | "ordered"
                    | "belong"
            ),
            // "are there" and "there are" name no place.
            "there" => {
                const BE: [&str; 6] = ["is", "are", "was", "were", "be", "been"];
                !BE.contains(&before) && !BE.contains(&next)
            }
            "es" => !matches!(before, "gibt" | "gab" | "gäbe") && !matches!(next, "gibt" | "gab"),
            "each" => !matches!(before, "for" | "of" | "in" | "by") || next.is_empty(),
            word => POINTING_BACK.contains(&word),
        }
    })
}
