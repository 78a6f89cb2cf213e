//! How certain a search is that the tables of a question are among the best that it found.
//!
//! Three things speak for it: the best tables and those joined to them explain the words of the question, few
//! other tables come close to the best, and joins lead to the tables that the question does not name. What a prompt shows follows from that ([`crate::prompt_size`]): few
//! tables where the search is certain, many where it is not.

use crate::ranking::coverage_rerank::Cover;
use text2sql_domain::named_enum;
use text2sql_language::plain_words::NamesNothing;
use text2sql_language::terms::{Analyzer, fold};
use text2sql_language::understanding::Understanding;

named_enum! {
    /// How certain a search is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    pub enum Level {
        /// The words of the question did not settle which tables it is about.
        #[default]
        Uncertain = "uncertain",
        /// The tables are among the usual number that a prompt shows.
        Likely = "likely",
        /// They are among the first few.
        Certain = "certain",
    }
}

/// The share of a question, by the weight of its words, that the best tables have to explain for a search to be
/// certain, and to be likely. It says little where words were read as near words (what explains a question then
/// is not a better guess than what does not), so that it only excludes questions that nothing explains.
const CERTAIN_SHARE: f64 = 0.6;
const LIKELY_SHARE: f64 = 0.35;

/// How many tables may come close to the best, itself included. Over 830 practice questions (plain English,
/// synonyms, other languages, warehouses without keys), each in a catalog of 90 to 110 tables and in one of 180
/// to 795, all tables of a question were shown up to 5 in 100 %, and up to 30 in 95 % and more, with one
/// exception: 89 % of the questions with synonyms in the catalog of 795.
const CERTAIN_CLOSE: usize = 5;
const LIKELY_CLOSE: usize = 30;

/// A table comes close if it is in the upper half of the scores between the best and the last of the ranked
/// ones: what every table scores says nothing. Where fewer than this many are ranked, the last shares something
/// with the question too, and scores count in full.
const RANKED_BY_CHANCE: usize = 40;
const CLOSE_SHARE: f64 = 0.5;

/// A near word of this cosine is a translation, and explains a word like the word itself. One below explains by
/// the square of it: synonyms have 0.6 to 0.8, and so does much that merely belongs together.
const SAME_MEANING: f64 = 0.85;

/// A word with a near word of this cosine names a thing rather than a value.
const NEARLY: f64 = 0.75;

/// How certain a search is, and why.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Certainty {
    /// The result.
    pub level: Level,
    /// The share of the question that the best tables explain, 0 to 1.
    pub explained: f64,
    /// How many tables come close to the best, itself included.
    pub close: usize,
    /// Whether a join of one of the best tables is known.
    pub is_joined: bool,
    /// The words of the question that they do not explain.
    pub unexplained: Vec<String>,
}

impl Certainty {
    /// Judges a search by the words of the question, by the scores of the tables, best first, and by whether a
    /// join of the best is known.
    ///
    /// Without joins, nothing leads from the tables that a question names to the others that it needs: in
    /// warehouses without keys, the first 12 tables have all of them in 84 % where the rest speaks for certainty.
    pub fn of(words: &[Word], scores: &[f64], is_joined: bool) -> Self {
        let all: f64 = words.iter().map(|word| word.weight).sum();
        let explained = words.iter().map(|word| word.weight * word.explained);
        let explained = if all > 0.0 {
            explained.sum::<f64>() / all
        } else {
            0.0
        };
        let close = close(scores);
        let level = match close {
            0 => Level::Uncertain,
            ..=CERTAIN_CLOSE if is_joined && explained >= CERTAIN_SHARE => Level::Certain,
            ..=LIKELY_CLOSE if explained >= LIKELY_SHARE => Level::Likely,
            _ => Level::Uncertain,
        };
        let unexplained = words.iter().filter(|word| word.explained == 0.0);
        Self {
            level,
            explained,
            close,
            is_joined,
            unexplained: unexplained.map(|word| word.text.clone()).collect(),
        }
    }

    /// The reason in words.
    pub fn reason(&self) -> String {
        let share = (self.explained * 100.0).round();
        let close = match self.close {
            0 => "no table was found".to_owned(),
            1 => "no other table comes close to the best".to_owned(),
            many => format!("{many} tables come close to each other"),
        };
        let unexplained = match self.unexplained.as_slice() {
            [] => String::new(),
            words => format!("; nothing near them is called {}", words.join(", ")),
        };
        let joins = match self.is_joined || self.close == 0 {
            true => "",
            false => "; no join of them is known",
        };
        format!("the best tables explain {share} % of the question; {close}{joins}{unexplained}")
    }
}

/// How many scores, best first, come close to the first.
fn close(scores: &[f64]) -> usize {
    let best = scores.first().copied().unwrap_or(0.0);
    let floor = match scores.last() {
        Some(last) if scores.len() >= RANKED_BY_CHANCE => *last,
        _ => 0.0,
    };
    let least = floor + CLOSE_SHARE * (best - floor);
    scores.iter().take_while(|score| **score >= least).count()
}

/// A word of the question that should name something in the schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    /// The word, folded.
    pub text: String,
    /// How rare it is in the catalog: its idf.
    pub weight: f64,
    /// How well the best tables explain it, 0 to 1.
    pub explained: f64,
}

/// What else is known of the words of a question.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// Phrases that are values of the database.
    pub values: &'a [String],
    /// Folded words that were read as near words of the catalog, with their similarity: they explain less.
    pub near: &'a [(String, f64)],
    /// For each term of the question, whether a table that the caller may read has it or a near word. What only
    /// other tables have must not show in the words that nothing explains.
    pub readable: &'a [bool],
}

/// The words of a question that the schema has to explain, and whether `covers`, those of the best tables and of
/// the tables joined to them, explain them.
pub fn words(
    understanding: &Understanding,
    analyzer: &Analyzer,
    weights: &[f64],
    covers: &[Cover],
    known: Known<'_>,
) -> Vec<Word> {
    let terms = understanding.terms(analyzer);
    let parts = understanding.parts();
    let values: Vec<String> = known
        .values
        .iter()
        .flat_map(|value| folded_words(value))
        .collect();
    let plain = NamesNothing::of(understanding.words().iter().map(String::as_str));
    let names = match plain.capitals_mark_names() {
        true => names(understanding),
        false => Vec::new(),
    };
    let place = |term: &str| terms.iter().position(|known| known == term);
    let is_covered = |at: usize| {
        let mut of_table = covers.iter().filter_map(|cover| cover.get(at));
        of_table.any(|strength| *strength > 0.0)
    };
    // Two words of a question are often one name: `birthdate`, `firstname`.
    let is_pair_covered = |pair: &[String]| match pair {
        [one, other] => place(&analyzer.stem(&format!("{one}{other}"))).is_some_and(is_covered),
        _ => false,
    };
    let near_word = |part: &String| {
        let mut near = known.near.iter();
        near.find(|(word, _)| word == part)
            .map(|(_, similarity)| *similarity)
    };
    let mut words: Vec<Word> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let is_number = !part.chars().any(char::is_alphabetic);
        let is_repeated = words.iter().any(|word| word.text == *part);
        if is_number || is_repeated || understanding.is_function_word(part) {
            continue;
        }
        let Some(term) = place(&analyzer.stem(part)) else {
            continue;
        };
        let pairs = parts.get(at.saturating_sub(1)..(at + 2).min(parts.len()));
        // What means the same as a word of the catalog names a thing, also where some value is called so.
        let is_value = values.contains(part) && near_word(part).is_none_or(|near| near < NEARLY);
        let is_explained = is_covered(term)
            || pairs.unwrap_or_default().windows(2).any(is_pair_covered)
            || is_value;
        // Such a word asks for something, or is a value that the index need not hold: it names nothing.
        let is_plain =
            || plain.is_function(part) || plain.is_general(part) || plain.is_number(part);
        let is_readable = known.readable.get(term).copied().unwrap_or(false);
        if !is_explained && !is_readable && (is_plain() || names.contains(part)) {
            continue;
        }
        words.push(Word {
            text: part.clone(),
            weight: weights.get(term).copied().unwrap_or(0.0),
            explained: match near_word(part) {
                _ if !is_explained => 0.0,
                Some(similarity) if !is_value => by_near_word(similarity),
                _ => 1.0,
            },
        });
    }
    words
}

/// How well a near word explains a word.
fn by_near_word(similarity: f64) -> f64 {
    match similarity >= SAME_MEANING {
        true => 1.0,
        false => similarity * similarity,
    }
}

/// The words that are in quotes or written like the name of somebody or something.
fn names(understanding: &Understanding) -> Vec<String> {
    let phrases = understanding.phrases().iter();
    let names = phrases.filter(|phrase| {
        phrase.is_name && !understanding.text().trim_start().starts_with(&phrase.text)
    });
    names.flat_map(|name| folded_words(&name.text)).collect()
}

fn folded_words(text: &str) -> Vec<String> {
    let folded = fold(text);
    let words = folded.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str, explained: f64) -> Word {
        Word {
            text: text.to_owned(),
            weight: 2.0,
            explained,
        }
    }

    fn level(explained: [f64; 4], scores: &[f64]) -> Level {
        let words = explained.map(|share| word("w", share));
        Certainty::of(&words, scores, true).level
    }

    #[test]
    fn few_close_tables_that_explain_the_question_are_certain() {
        let clear = [5.0, 4.0, 1.0, 0.9, 0.8];
        assert_eq!(level([1.0, 1.0, 1.0, 0.0], &clear), Level::Certain);
        assert_eq!(level([1.0, 1.0, 0.0, 0.0], &clear), Level::Likely);
        assert_eq!(level([1.0, 0.0, 0.0, 0.0], &clear), Level::Uncertain);
        assert_eq!(level([1.0; 4], &[]), Level::Uncertain);
    }

    #[test]
    fn many_close_tables_are_not_certain() {
        let tied = |count| vec![3.0; count];
        assert_eq!(level([1.0; 4], &tied(CERTAIN_CLOSE)), Level::Certain);
        assert_eq!(level([1.0; 4], &tied(LIKELY_CLOSE)), Level::Likely);
        assert_eq!(level([1.0; 4], &tied(LIKELY_CLOSE + 1)), Level::Uncertain);
        // What every table scores says nothing.
        let mut shifted = vec![7.0, 6.5];
        shifted.extend(vec![5.0; 60]);
        assert_eq!(level([1.0; 4], &shifted), Level::Certain);
    }

    #[test]
    fn tables_without_a_known_join_are_at_most_likely() {
        let words = [word("orders", 1.0)];
        let certainty = Certainty::of(&words, &[2.0, 0.1], false);
        assert_eq!(certainty.level, Level::Likely);
        assert!(certainty.reason().ends_with("no join of them is known"));
    }

    #[test]
    fn a_translation_explains_a_word_and_something_related_half_of_it() {
        assert_eq!(by_near_word(0.94), 1.0);
        assert!((by_near_word(0.7) - 0.49).abs() < 1e-9);
    }

    #[test]
    fn the_reason_names_the_words() {
        let words = [word("orders", 1.0), word("turnover", 0.0)];
        assert_eq!(
            Certainty::of(&words, &[2.0, 0.1], true).reason(),
            "the best tables explain 50 % of the question; no other table comes close to the best; nothing near them is called turnover"
        );
    }
}
