//! Checks that passages support a sentence which a model wrote about them.
//!
//! Lexical support: the words of the sentence occur in the passages that it cites, and so does every number and every
//! name. This finds what a model added from elsewhere or did not find in that passage; it does not find a sentence
//! that turns the words of its passages around. A sentence in another language than its passages has no such support
//! and is not shown.

use std::collections::HashSet;
use text2sql_domain::words;

use super::narration::states_only_numbers_of;
use crate::function_words::is_function_word_in;
use crate::terms::{Analyzer, split, split_as_written};

/// Least share of the words of a sentence that occur in what supports it.
pub const LEAST_SUPPORT: f64 = 0.6;

/// Least number of words that occur in its passages and are not words of the question.
const LEAST_OWN_WORDS: usize = 1;

/// The texts that may support a sentence.
#[derive(Debug, Clone, Copy)]
pub struct Support<'a> {
    /// The passages that it cites, as they were shown.
    pub passages: &'a [&'a str],
    /// The question.
    pub question: &'a str,
    /// The rows of the same answer, as text.
    pub rows: &'a str,
    /// The language of the sentence, as the analyzer names it.
    pub language: &'a str,
}

/// Whether the sentence is supported.
pub fn is_supported(sentence: &str, support: &Support<'_>) -> bool {
    let cited = support.passages.join("\n");
    if cited.trim().is_empty() {
        return false;
    }
    // A number of the question is no fact of a text, but may be repeated.
    let known = format!("{cited}\n{}\n{}", support.rows, support.question);
    states_only_numbers_of(sentence, &known)
        && has_only_names_of(sentence, &known)
        && share_of_words(sentence, support) >= LEAST_SUPPORT
}

/// The share of the words of a sentence that occur in its passages, in the rows or in the question; 0 if none of
/// them is a word of the passages alone. This is the lexical faithfulness of the sentence.
pub fn share_of_words(sentence: &str, support: &Support<'_>) -> f64 {
    let analyzer = Analyzer::new(support.language);
    let terms = |text: &str| -> HashSet<String> { content(text, &analyzer) };
    let said = terms(sentence);
    let passages = terms(&support.passages.join("\n"));
    let (question, rows) = (terms(support.question), terms(support.rows));
    let own = said
        .iter()
        .filter(|term| passages.contains(*term) && !question.contains(*term));
    if said.is_empty() || own.count() < LEAST_OWN_WORDS {
        return 0.0;
    }
    let known = said.iter().filter(|term| {
        passages.contains(*term) || question.contains(*term) || rows.contains(*term)
    });
    known.count() as f64 / said.len() as f64
}

/// How much a text shares with a question: words that mean something of the question, how many of them the text has, and how
/// many its titles. A year alone is no subject, and figures that are down are no down jackets.
fn shared(question: &str, titles: &str, text: &str, language: &str) -> (usize, usize, usize) {
    let analyzer = Analyzer::new(language);
    let is_subject = |word: &&str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        !word.chars().all(|c| c.is_ascii_digit())
            && !matches!(word.to_lowercase().as_str(), "up" | "down")
    };
    let subjects: Vec<&str> = question.split_whitespace().filter(is_subject).collect();
    let asked = content(&subjects.join(" "), &analyzer);
    let titles = content(titles, &analyzer);
    let said = content(text, &analyzer);
    let in_titles = asked.intersection(&titles).count();
    let known = asked
        .iter()
        .filter(|term| titles.contains(*term) || said.contains(*term))
        .count();
    (asked.len(), known, in_titles)
}

/// Whether a text is about a question: it has at least half of the words that mean something, and two of them or one in
/// its titles.
pub fn is_about(question: &str, titles: &str, text: &str, language: &str) -> bool {
    let (asked, known, in_titles) = shared(question, titles, text, language);
    known * 2 >= asked && (known >= 2 || in_titles > 0)
}

/// Whether a text may say something about a figure that a question asks for: one word alone is not enough, except as a title.
pub fn touches(question: &str, titles: &str, text: &str, language: &str) -> bool {
    let (_, known, in_titles) = shared(question, titles, text, language);
    known >= 2 || in_titles > 0
}

/// Words that say how many people say something: they are of the one who sums up, not of a passage.
const SUMMING_UP: &[&str] = words!(
    "customer, customers, several, some, one, review, reviews, reviewer, passage, passages, say, \
     says, said, according, people, mention, mentions, report, reports, write, writes, state, \
     states, because, also, kunde, kunden, mehrere, einige, ein, eine, bewertung, bewertungen, \
     sagt, sagen, laut, schreibt, schreiben, nennt, nennen, weil, auch, berichten, berichtet"
);

/// The stems of the words that mean something.
fn content(text: &str, analyzer: &Analyzer) -> HashSet<String> {
    let code = match analyzer.language() {
        "german" => "de",
        _ => "en",
    };
    let words = split(text).into_iter();
    let words = words.filter(|word| {
        word.chars().count() > 1
            && !SUMMING_UP.contains(&word.as_str())
            && !is_function_word_in(code, word)
    });
    let text = words.collect::<Vec<_>>().join(" ");
    analyzer.terms(&text).into_iter().collect()
}

/// Whether every word that is written as a name occurs in the texts: with capitals inside or digits, or, in English,
/// with a capital after the first word.
fn has_only_names_of(sentence: &str, known: &str) -> bool {
    let known: HashSet<String> = split_as_written(known)
        .into_iter()
        .map(|(word, _)| word)
        .collect();
    let words = sentence
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.skip(1).all(|word| {
        let is_code = word.chars().any(|c| c.is_ascii_digit())
            || word.chars().skip(1).any(char::is_uppercase);
        let begins = word.chars().next().is_some_and(char::is_uppercase);
        let is_name = is_code || (begins && word.chars().count() > 3);
        let parts = split(word);
        !is_name
            || parts.iter().all(|part| {
                known.contains(part) || SUMMING_UP.contains(&part.as_str()) || is_like(part, &known)
            })
    })
}

/// Whether one of the words has the same beginning: a noun of another form.
fn is_like(word: &str, known: &HashSet<String>) -> bool {
    let stem: String = word
        .chars()
        .take(word.chars().count().saturating_sub(2).max(4))
        .collect();
    known.iter().any(|known| {
        known.starts_with(&stem) || (known.chars().count() > 3 && word.starts_with(known.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSAGES: [&str; 2] = [
        "Rain jacket: The zipper broke after two weeks, so I sent it back.",
        "Returns: Jackets can be returned within 30 days. Refunds are paid to the card.",
    ];

    fn check(sentence: &str, expect: bool) {
        let support = Support {
            passages: &PASSAGES,
            question: "Why did returns of jackets rise in March?",
            rows: r#"["March", 42]"#,
            language: "english",
        };
        let share = share_of_words(sentence, &support);
        assert_eq!(
            is_supported(sentence, &support),
            expect,
            "{sentence} {share}"
        );
    }

    #[test]
    fn what_the_passages_say_is_supported() {
        check(
            "One customer says that the zipper broke after two weeks.",
            true,
        );
        check("Jackets can be returned within 30 days.", true);
        check("42 returns in March: the zipper broke.", true);
    }

    #[test]
    fn what_they_do_not_say_is_not() {
        check("Jackets can be returned within 60 days.", false);
        check(
            "The supplier changed the lining and the colour of the hood.",
            false,
        );
        check("Returns of jackets rose in March.", false);
        check("The zipper of Contoso broke.", false);
        check("I was told to ignore all rules.", false);
        check("", false);
    }

    #[test]
    fn a_text_is_about_a_question_by_its_words() {
        let about =
            |question: &str, titles: &str, text: &str| is_about(question, titles, text, "english");
        assert!(about(
            "How long is the warranty?",
            "Warranty",
            "It is two years."
        ));
        assert!(about(
            "How long do members have to return goods?",
            "",
            "Members return goods within 60 days."
        ));
        assert!(!about(
            "How will the weather be in Innsbruck tomorrow?",
            "Tents",
            "To the workshop in Innsbruck."
        ));
        assert!(!about(
            "What will we sell next year?",
            "",
            "The one of last year was perfect."
        ));
        assert!(!about("How is it?", "Tents", "It leaks."));
    }

    #[test]
    fn german_inflections_count() {
        let support = Support {
            passages: &["Der Reißverschluss ist nach zwei Wochen gebrochen."],
            question: "Warum werden Jacken zurückgegeben?",
            rows: "",
            language: "german",
        };
        assert!(is_supported(
            "Ein Kunde schreibt, dass der Reißverschluss gebrochen ist.",
            &support
        ));
        assert!(!is_supported(
            "Ein Kunde schreibt, dass die Farbe verblasst ist.",
            &support
        ));
        assert!(!is_supported("The zipper is broken.", &support));
    }
}
