//! **Lexical relevancy** and **lexical faithfulness** of an answer's sentence: computed from words and
//! numbers alone, without a model, so that the figures are reproducible. They follow
//! the idea of two RAGAS metrics (Es et al. 2023), which are judged by a model, but are not comparable with those.
//!
//! - `relevancy = max(0, cos(words and letters of the question, those of the question that the answer
//!   answers))`. RAGAS lets a model guess that question; here the query in words (`explain`) with the
//!   sentence is used instead.
//! - `faithfulness = claims supported by the rows / claims of the sentence`. A claim is a number or a name: a
//!   quoted text, or capitalised words that do not begin a sentence. In German every noun is
//!   capitalised, so there only cell values and column names count as names. A number is supported by a
//!   cell, the number of rows, the sum, mean, minimum, maximum or range of a column, or a fraction or difference
//!   of two cells, up to the digits that it shows; a name by a cell, a column name or the question. A sentence
//!   without claims has no faithfulness: it may be wrong, but this metric cannot show it.

use super::result_table::{ResultTable, Value};
use super::similarity::{cosine, embed};
use text2sql_domain::words;

/// Maximum number of values of a column for which differences and fractions are searched.
const MAX_NUMBERS_PAIRED: usize = 50;

/// Similarity of the answer to the question.
pub fn lexical_relevancy(question: &str, answered: &str) -> f64 {
    cosine(&embed(question), &embed(answered)).max(0.0)
}

/// The share of the sentence's claims supported by the rows; `None` if it has no claims.
pub fn lexical_faithfulness(sentence: &str, question: &str, rows: &ResultTable) -> Option<f64> {
    let mut claims = claims(sentence);
    if is_german(sentence) {
        claims.retain(|claim| match claim {
            Claim::Number(_) => true,
            Claim::Name(name) => {
                is_quoted(sentence, name) || has_digit(name) || is_in_rows(rows, name)
            }
        });
    }
    if claims.is_empty() {
        return None;
    }
    let supported = claims.iter().filter(|claim| match claim {
        Claim::Number(text) => supports_number(rows, text, question),
        Claim::Name(name) => supports_name(rows, name, question),
    });
    Some(supported.count() as f64 / claims.len() as f64)
}

/// Whether a sentence is German: it contains German function words, and more of them than of English ones.
fn is_german(sentence: &str) -> bool {
    let words = sentence.split(|c: char| !c.is_alphanumeric());
    let (mut german, mut english) = (0, 0);
    for word in words.map(str::to_lowercase) {
        german += usize::from(GERMAN_WORDS.contains(&word.as_str()));
        english += usize::from(ENGLISH_WORDS.contains(&word.as_str()));
    }
    german > english
}

/// German function words that do not exist in English.
const GERMAN_WORDS: &[&str] = words!(
    "aber, als, am, auf, aus, bei, beim, dabei, damit, das, davon, dem, den, der, des, die, dies, \
     diese, dieser, durch, ein, eine, einem, einen, einer, eines, es, gab, gibt, gefolgt, haben, \
     hat, hatte, hatten, im, insgesamt, ist, je, jeder, kein, keine, liegt, mehr, mit, nach, \
     nicht, nur, oder, pro, sich, sind, sowie, um, und, unter, vom, von, vor, waren, wurde, \
     wurden, zu, zum, zur, zwischen"
);
const ENGLISH_WORDS: &[&str] = &[
    "a", "and", "are", "at", "by", "for", "from", "has", "have", "is", "of", "on", "only", "or",
    "than", "that", "the", "there", "these", "this", "to", "were", "with",
];

fn has_digit(name: &str) -> bool {
    name.chars().any(|c| c.is_ascii_digit())
}

/// Whether a name is quoted.
fn is_quoted(sentence: &str, name: &str) -> bool {
    sentence.match_indices(name).any(|(place, _)| {
        sentence
            .get(..place)
            .is_some_and(|before| before.ends_with(['"', '\'', '„', '“', '‚', '‘', '«', '»']))
    })
}

#[derive(Debug, PartialEq)]
enum Claim {
    Number(String),
    Name(String),
}

fn claims(sentence: &str) -> Vec<Claim> {
    let mut claims = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut is_first = true;
    for word in sentence.split_whitespace() {
        let ends = word.ends_with(['.', '!', '?']);
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-');
        let digits = word.chars().filter(char::is_ascii_digit).count();
        let is_number = digits > 0
            && word
                .chars()
                .all(|c| c.is_ascii_digit() || "-.,'’%".contains(c));
        let is_name = !is_first && word.chars().next().is_some_and(char::is_uppercase);
        if is_number && word.matches('-').count() < 2 {
            claims.push(Claim::Number(plain_number(word)));
        } else if is_name
            || (digits > 0 && !is_number)
            || word.matches('-').count() == 2 && digits > 4
        {
            names.push(word.to_owned());
            if !ends {
                is_first = false;
                continue;
            }
        }
        if !names.is_empty() {
            claims.push(Claim::Name(std::mem::take(&mut names).join(" ")));
        }
        is_first = ends && !is_number || (is_first && word.is_empty());
    }
    if !names.is_empty() {
        claims.push(Claim::Name(names.join(" ")));
    }
    claims
}

/// `1,234.5` as `1234.5`; a comma not followed by three digits is a decimal comma.
fn plain_number(word: &str) -> String {
    let word: String = word
        .chars()
        .filter(|c| c.is_ascii_digit() || "-.,".contains(*c))
        .collect();
    match word.rsplit_once(',') {
        Some((whole, rest)) if rest.len() != 3 && !rest.contains('.') => {
            format!("{}.{rest}", whole.replace([',', '.'], ""))
        }
        _ => word.replace(',', ""),
    }
}

fn supports_number(rows: &ResultTable, text: &str, question: &str) -> bool {
    let Ok(claimed) = text.parse::<f64>() else {
        return false;
    };
    let decimals = text.split_once('.').map_or(0, |(_, rest)| rest.len());
    let half = 0.5 * 10f64.powi(-i32::try_from(decimals).unwrap_or(9)) + 1e-9;
    let is_it = |number: f64| (number - claimed).abs() <= half;
    if is_it(rows.rows.len() as f64)
        || question
            .split(|c: char| !c.is_ascii_digit())
            .any(|n| n == text)
    {
        return true;
    }
    (0..rows.width()).any(|index| {
        let numbers: Vec<f64> = rows
            .column(index)
            .filter_map(|value| match value {
                Value::Number(number, _) => Some(*number),
                _ => None,
            })
            .collect();
        let texts: Vec<&str> = rows.column(index).filter_map(Value::as_text).collect();
        if texts.contains(&text) || numbers.iter().any(|number| is_it(*number)) {
            return true;
        }
        // A year or a day inside a date also counts as present in the cell.
        if decimals == 0
            && texts
                .iter()
                .any(|cell| cell.split(|c: char| !c.is_ascii_digit()).any(|n| n == text))
        {
            return true;
        }
        let sum: f64 = numbers.iter().sum();
        let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let count = numbers.len() as f64;
        if !numbers.is_empty() && [sum, sum / count, high - low].into_iter().any(is_it) {
            return true;
        }
        let few: Vec<f64> = numbers.into_iter().take(MAX_NUMBERS_PAIRED).collect();
        few.iter().any(|one| {
            is_it(100.0 * one / sum)
                || few.iter().any(|other| {
                    is_it(one - other)
                        || is_it(100.0 * one / other)
                        || is_it(100.0 * (one / other - 1.0))
                })
        })
    })
}

fn supports_name(rows: &ResultTable, name: &str, question: &str) -> bool {
    question.to_lowercase().contains(&name.to_lowercase()) || is_in_rows(rows, name)
}

/// Whether a name is a cell or the name of a column.
fn is_in_rows(rows: &ResultTable, name: &str) -> bool {
    let name = name.to_lowercase();
    let has = |text: &str| {
        let text = text.to_lowercase();
        text.contains(&name) || (!text.is_empty() && name.contains(&text))
    };
    rows.names
        .iter()
        .any(|column| has(&column.replace('_', " ")))
        || rows
            .rows
            .iter()
            .flatten()
            .filter_map(Value::as_text)
            .any(has)
}

#[cfg(test)]
mod tests {
    use super::super::result_table::tests::table;
    use super::*;

    #[test]
    fn claims_are_numbers_and_names() {
        assert_eq!(
            claims("The 3 best stores: Innsbruck and Sankt Anton lead with 1,234.50 euros."),
            [
                Claim::Number("3".into()),
                Claim::Name("Innsbruck".into()),
                Claim::Name("Sankt Anton".into()),
                Claim::Number("1234.50".into()),
            ]
        );
        assert_eq!(claims("There is no such row."), []);
    }

    #[test]
    fn the_rows_support_what_they_hold_and_what_follows_from_them() {
        let rows = table("country customers", &["Germany|60", "Austria|40"]);
        let share = |sentence: &str| {
            lexical_faithfulness(sentence, "Which countries have most customers?", &rows)
        };
        assert_eq!(share("2 countries; Germany leads with 60."), Some(1.0));
        // Sum, fraction of the sum, difference.
        assert_eq!(
            share(
                "Together they have 100 customers, 60% of them in Germany, 20 more than in Austria."
            ),
            Some(1.0)
        );
        assert_eq!(share("The leader is France with 60 customers."), Some(0.5));
        assert_eq!(share("In all, 61 customers."), Some(0.0));
    }

    #[test]
    fn a_sentence_without_a_claim_is_not_called_faithful() {
        let rows = table("country customers", &["Germany|60", "Austria|40"]);
        for sentence in [
            "Nobody buys anything any more.",
            "See the rows.",
            "Es gibt keine Kunden.",
        ] {
            assert_eq!(
                lexical_faithfulness(sentence, "Who buys?", &rows),
                None,
                "{sentence}"
            );
        }
    }

    #[test]
    fn nouns_of_a_german_sentence_are_no_names() {
        let rows = table("land kunden", &["Deutschland|60", "Österreich|40"]);
        let share = |sentence: &str| {
            lexical_faithfulness(sentence, "Wie viele Kunden gibt es je Land?", &rows)
        };
        for (sentence, expected) in [
            (
                "Die meisten Bestellungen kommen mit 60 aus Deutschland.",
                Some(1.0),
            ),
            (
                "Im Vergleich liegt Österreich mit 40 auf dem zweiten Platz.",
                Some(1.0),
            ),
            (
                "An der Spitze der Tabelle ist Deutschland mit 61.",
                Some(0.5),
            ),
            (
                "Das Ergebnis ist eine Übersicht der Umsätze nach Regionen.",
                None,
            ),
            // A quoted text is a name in every language.
            ("Am meisten hat „Frankreich“ mit 60.", Some(0.5)),
        ] {
            assert_eq!(share(sentence), expected, "{sentence}");
        }
        // An English sentence with a German name.
        assert_eq!(
            share("The leader of these is Frankreich with 60."),
            Some(0.5)
        );
    }

    #[test]
    fn an_answer_to_another_question_is_less_relevant() {
        let question = "How many customers are there in each country?";
        let near = lexical_relevancy(
            question,
            "Counts the customers of each country. Germany has most customers.",
        );
        let far = lexical_relevancy(question, "Reads the highest price among products.");
        assert!(near > far + 0.2, "{near} {far}");
    }
}
