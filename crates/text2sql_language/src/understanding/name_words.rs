//! The words of a question for a name search without an index.

use text2sql_domain::words;

/// The words of a question for a name search: in lower case, without function words, with the singular
/// of a plural, and the plural where it changes the word (`salary`, `salaries`).
pub fn name_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut add = |word: &str| {
        let is_useful = word.chars().count() >= 3 && !FUNCTION_WORDS.contains(&word);
        if is_useful && !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
    };
    for word in text
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric() && c != '_')
    {
        add(word);
        if FUNCTION_WORDS.contains(&word) {
            continue;
        }
        if let Some(stem) = word.strip_suffix("ies") {
            add(&format!("{stem}y"));
        } else if let Some(stem) = word.strip_suffix('s').filter(|stem| !stem.ends_with('s')) {
            add(stem);
        } else if let Some(stem) = word.strip_suffix('y').filter(|_| word.len() > 3) {
            add(&format!("{stem}ies"));
        }
    }
    words
}

/// Words of English questions that carry no information about names.
const FUNCTION_WORDS: &[&str] = words!(
    "all, and, any, are, average, between, but, can, count, data, did, does, each, every, find, \
     for, from, get, give, had, has, have, how, into, its, least, less, list, many, maximum, \
     minimum, more, most, much, not, number, over, per, show, some, sum, table, tables, tell, \
     than, that, the, their, them, there, these, they, this, those, top, total, was, were, what, \
     when, where, which, who, whose, why, with, you"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_for_the_words_that_carry_meaning() {
        let check = |text: &str, expect: &[&str]| assert_eq!(name_words(text), expect);
        check("How many orders are there?", &["orders", "order"]);
        check(
            "Which countries have the most customers",
            &["countries", "country", "customers", "customer"],
        );
        check(
            "boss class of order_items",
            &["boss", "class", "order_items", "order_item"],
        );
        check("What is my salary?", &["salary", "salaries"]);
        check("What is it?", &[]);
    }
}
