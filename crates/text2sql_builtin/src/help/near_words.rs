//! Reads a word that the tables do not have as the one of their words that means the same: "shoppers" as
//! customers, "wages" as salaries.
//!
//! Only where a question would be declined for that word, and only if one word of the tables is clearly the
//! nearest. If the question with that word has no answer, it is declined as before.

use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::NearWord;
use text2sql_domain::proposal::Proposal;
use text2sql_language::english::lexicon;
use text2sql_language::german;
use text2sql_language::terms::is_function_word;
use text2sql_language::words::{stem, tokenise};

use super::lookup::Help;
use super::replaced::{Replaced, Reworded, with_word};
use super::vocabulary::{Vocabulary, Word};

/// Maximum number of words that are replaced in a question: with more, it is about something else.
const MAX_WORDS: usize = 3;

/// Least cosine of a word with the word that replaces it. Of pairs of unrelated nouns 99 % are below 0.65; of 42
/// pairs with the same meaning, in English, German, French and Spanish, 34 are above 0.7.
const MIN_SIMILARITY: f32 = 0.7;

/// The same for a word that names columns only: columns differ by less than tables do.
const MIN_SIMILARITY_OF_COLUMN: f32 = 0.8;

/// Stems of words that say how much or what kind, not of what. The encoder takes them for each other (an amount for a
/// quantity with 0.87), and no schema does.
const VAGUE: &[&str] = &[
    "amount", "code", "count", "date", "kind", "level", "name", "number", "quantiti", "rate",
    "size", "status", "sum", "time", "total", "type", "value",
];

/// Least distance to the next word of the tables that names something else.
const MIN_DISTANCE: f32 = 0.1;

/// Replaces the words for which the question is declined, and asks again, until there is another answer or no word is
/// certain. Words from all of the catalog are ignored unless the tables have them.
pub(super) fn by_meaning(
    question: &mut Reworded,
    declined: Proposal,
    vocabulary: &Vocabulary<'_>,
    help: &dyn Help,
    propose: impl Fn(&Reworded) -> Proposal,
) -> Result<Proposal, Error> {
    let mut latest = declined.clone();
    let mut read = 0;
    while let Proposal::Unanswerable { missing, .. } = &latest
        && !missing.is_empty()
        && read + missing.len() <= MAX_WORDS
    {
        // Words of tables first: the caller may have no time for all.
        let (tables, columns): (Vec<&Word>, Vec<&Word>) =
            vocabulary.words().partition(|word| word.is_of_table());
        let known = tables.iter().chain(&columns);
        let known: Vec<String> = known.map(|word| word.text.clone()).collect();
        // "in" and "aus" name nothing, whatever is near.
        if missing
            .iter()
            .any(|word| is_of_grammar(&word.to_lowercase()))
        {
            return Ok(declined);
        }
        for (word, near) in missing.iter().zip(help.near_words(missing, &known)?) {
            let Some(near) = certain(vocabulary, word, &near) else {
                return Ok(declined);
            };
            // A word that the question already has is not meant a second time: in "what fee do they charge", "charge" is a verb.
            if has_word(&question.text, near) {
                return Ok(declined);
            }
            let Some(replaced) = with_word(&question.text, word, near) else {
                return Ok(declined);
            };
            question.text = replaced;
            let named = vocabulary.get(&stem(near));
            question.replaced.push(Replaced {
                word: word.clone(),
                by: near.to_owned(),
                is: named.and_then(|word| vocabulary.named(word)),
                is_typo: false,
            });
            read += 1;
        }
        latest = propose(question);
    }
    Ok(latest)
}

/// The word that is nearest by far. Forms of one word count as one, and so does another word for the same things.
fn certain<'n>(vocabulary: &Vocabulary<'_>, word: &str, near: &'n [NearWord]) -> Option<&'n str> {
    let mut known = near
        .iter()
        .filter_map(|near| Some((near, vocabulary.get(&stem(&near.word))?)));
    let (best, named) = known.next()?;
    let next = known.find(|(_, others)| !others.names.is_subset(&named.names));
    let is_clear = next.is_none_or(|(next, _)| best.similarity - next.similarity >= MIN_DISTANCE);
    let (least, is_vague) = match named.is_of_table() {
        true => (MIN_SIMILARITY, false),
        false => (
            MIN_SIMILARITY_OF_COLUMN,
            [word, &best.word].into_iter().any(is_vague),
        ),
    };
    let is_other = stem(word) != stem(&best.word);
    (best.similarity >= least && is_clear && is_other && !is_vague).then_some(best.word.as_str())
}

fn has_word(text: &str, word: &str) -> bool {
    let word = stem(word);
    tokenise(text)
        .iter()
        .any(|token| stem(&token.lower) == word)
}

fn is_of_grammar(word: &str) -> bool {
    lexicon::is_known(word)
        || is_function_word(word)
        || german::listed_words().any(|listed| listed == word)
}

fn is_vague(word: &str) -> bool {
    VAGUE.contains(&stem(&word.to_lowercase()).as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::help::propose_with_help;
    use crate::tests::{TODAY, company};
    use text2sql_language::understanding::Understanding;

    struct Near<'a>(&'a [(&'a str, f32)]);

    impl Help for Near<'_> {
        fn near_words(&self, words: &[String], _: &[String]) -> Result<Vec<Vec<NearWord>>, Error> {
            let near = self.0.iter().map(|(word, similarity)| NearWord {
                word: (*word).to_owned(),
                similarity: *similarity,
            });
            let near: Vec<NearWord> = near.collect();
            Ok(vec![near; words.len()])
        }
    }

    /// The SQL and the readings, or nothing if it is declined.
    fn answer(question: &str, words: &[(&str, f32)]) -> Option<(String, Vec<String>)> {
        let understanding = Understanding::of(question, TODAY);
        match propose_with_help(&understanding, &company(), &[], &Near(words))
            .unwrap()
            .proposal
        {
            Proposal::Sql(answer) => Some((answer.sql, answer.links)),
            _ => None,
        }
    }

    #[test]
    fn a_word_is_read_as_the_one_that_is_clearly_nearest() {
        let (sql, links) = answer(
            "How many punters are there?",
            &[("customers", 0.9), ("customer", 0.88), ("products", 0.5)],
        )
        .unwrap();
        assert!(sql.contains("FROM customers"), "{sql}");
        assert_eq!(links, ["'punters' is table customers"]);
    }

    #[test]
    fn nothing_is_guessed() {
        let question = "How many punters are there?";
        // Two are near; the nearest is far; the nearest is no word of the tables; it is in the question.
        for words in [
            &[("customers", 0.9), ("products", 0.85)][..],
            &[("customers", 0.6)],
            &[("visitors", 0.9)],
            &[],
        ] {
            assert_eq!(answer(question, words), None, "{words:?}");
        }
        let charge = answer("What price does each product charge?", &[("price", 0.9)]);
        assert_eq!(charge, None);
    }

    #[test]
    fn a_word_for_a_column_must_be_nearer_and_say_of_what() {
        let of_columns = |question, word, near| answer(question, &[(word, near)]);
        assert!(of_columns("List the municipality of each store", "city", 0.9).is_some());
        assert_eq!(
            of_columns("List the municipality of each store", "city", 0.75),
            None
        );
        assert!(is_vague("quantity") && is_vague("Amount") && is_vague("types"));
        assert!(!is_vague("city"));
    }
}
