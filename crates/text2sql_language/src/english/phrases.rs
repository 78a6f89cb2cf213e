//! English phrases: lists, singular and plural, shortened texts. Independent of SQL.

use std::fmt::Display;
use text2sql_domain::{word_pairs, words};

use text2sql_phrases::{Language, current, finished, say};

/// Joins phrases with commas and a last "and" or "or"; with semicolons where a phrase has commas.
pub fn join_phrases(phrases: &[String], last_word: &str) -> String {
    let Some((last, rest)) = phrases.split_last() else {
        return String::new();
    };
    if rest.is_empty() {
        return last.clone();
    }
    let has_inner_commas = phrases.iter().any(|phrase| has_bare_comma(phrase));
    let separator = if has_inner_commas { "; " } else { ", " };
    let before_last = match (rest.len(), has_inner_commas) {
        (1, false) => " ",
        (_, false) => ", ",
        _ => "; ",
    };
    let before_last = match before_last {
        // In other languages no comma stands before the last word.
        ", " if current() != Language::ENGLISH => " ",
        other => other,
    };
    let last_word = say(last_word, &[]);
    format!("{}{before_last}{last_word} {last}", rest.join(separator))
}

/// Whether there is a comma or semicolon outside parentheses and quotes.
fn has_bare_comma(phrase: &str) -> bool {
    let mut depth = 0usize;
    let mut is_quoted = false;
    for character in phrase.chars() {
        match character {
            '\'' => is_quoted = !is_quoted,
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted => depth = depth.saturating_sub(1),
            ',' | ';' if !is_quoted && depth == 0 => return true,
            _ => {}
        }
    }
    false
}

/// Upper case for the first letter of a sentence.
pub fn capitalise(text: &str) -> String {
    let text = finished(text.to_owned());
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}

/// Makes one line of a text: white space collapsed, control characters dropped, at most
/// `most` characters.
pub fn shorten(text: &str, most: usize) -> String {
    let line = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let mut kept: String = line.chars().take(most).collect();
    kept.truncate(kept.trim_end().len());
    kept.push_str(" ...");
    kept
}

/// `count` of something: "1 row", "3 rows".
pub fn counted(count: impl Display, one: &str, many: &str) -> String {
    let count = count.to_string();
    let noun = say(if count == "1" { one } else { many }, &[]);
    format!("{count} {noun}")
}

/// The noun after "the first": "row", "5 rows".
pub fn first_rows(count: &str) -> String {
    if count == "1" {
        say!("first^row")
    } else {
        say!("first^{count} rows")
    }
}

/// Singular and plural of what a table holds: "order" and "orders" for `orders` or `order`.
pub struct Nouns {
    /// One of them.
    pub one: String,
    /// Several of them.
    pub many: String,
}

/// Nouns for a table name that reads as English, else "row of …".
pub fn nouns(name: &str) -> Nouns {
    let is_word = current() == Language::ENGLISH
        && name.chars().all(|c| c == '_' || c.is_ascii_lowercase())
        && name.len() > 2
        && !name.starts_with('_')
        && !name.ends_with('_');
    let words = name.replace('_', " ");
    let (start, last) = match words.rsplit_once(' ') {
        Some((start, last)) => (format!("{start} "), last.to_owned()),
        None => (String::new(), words.clone()),
    };
    if !is_word || UNCOUNTABLE.contains(&last.as_str()) {
        return rows_of(name);
    }
    let one = singular(&last);
    let many = if one == last {
        plural(&last)
    } else {
        last.clone()
    };
    Nouns {
        one: format!("{start}{one}"),
        many: format!("{start}{many}"),
    }
}

/// "row of x" and "rows of x".
pub fn rows_of(name: &str) -> Nouns {
    Nouns {
        one: say!("row of {name}"),
        many: say!("rows of {name}"),
    }
}

/// "a" or "an" before a word.
pub fn article(word: &str) -> &'static str {
    let sounds_like_consonant = ["uni", "use", "eu", "one"]
        .iter()
        .any(|start| word.starts_with(start));
    match word.chars().next() {
        Some('a' | 'e' | 'i' | 'o' | 'u') if !sounds_like_consonant => "an",
        _ => "a",
    }
}

/// Words without a plural, and words whose last letter misleads.
const UNCOUNTABLE: &[&str] = words!(
    "data, details, equipment, history, info, information, inventory, media, news, series, sales, \
     staff, stock, stuff"
);

const IRREGULAR: &[(&str, &str)] = word_pairs!(
    "person = people, child = children, man = men, woman = women, movie = movies, \
     cookie = cookies, analysis = analyses, status = statuses, bus = buses"
);

fn singular(word: &str) -> String {
    if let Some((one, _)) = IRREGULAR.iter().find(|(_, many)| *many == word) {
        return (*one).to_owned();
    }
    let is_singular = ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    if is_singular {
        return word.to_owned();
    }
    if let Some(stem) = word.strip_suffix("ies") {
        return format!("{stem}y");
    }
    for end in ["sses", "shes", "ches", "xes", "zzes"] {
        if word.ends_with(end) {
            return word.strip_suffix("es").unwrap_or(word).to_owned();
        }
    }
    word.strip_suffix('s').unwrap_or(word).to_owned()
}

fn plural(word: &str) -> String {
    if let Some((_, many)) = IRREGULAR.iter().find(|(one, _)| *one == word) {
        return (*many).to_owned();
    }
    let ends_in_consonant_y = word.ends_with('y')
        && !["ay", "ey", "oy", "uy"]
            .iter()
            .any(|end| word.ends_with(end));
    if ends_in_consonant_y {
        return format!("{}ies", word.strip_suffix('y').unwrap_or(word));
    }
    let hisses = ["s", "x", "z", "ch", "sh"]
        .iter()
        .any(|end| word.ends_with(end));
    format!("{word}{}", if hisses { "es" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_names_give_nouns() {
        let check = |name: &str, expect: &str| {
            let nouns = nouns(name);
            assert_eq!(format!("{} / {}", nouns.one, nouns.many), expect);
        };
        check("orders", "order / orders");
        check("order_items", "order item / order items");
        check("companies", "company / companies");
        check("addresses", "address / addresses");
        check("address", "address / addresses");
        check("boxes", "box / boxes");
        check("warehouses", "warehouse / warehouses");
        check("people", "person / people");
        check("album", "album / albums");
        check("category", "category / categories");
        check("status", "status / statuses");
        check("staff", "row of staff / rows of staff");
        check("Order Items", "row of Order Items / rows of Order Items");
        check("t1", "row of t1 / rows of t1");
    }

    #[test]
    fn lists_stay_readable() {
        let check = |phrases: &[&str], expect: &str| {
            let phrases: Vec<String> = phrases.iter().map(|&p| p.to_owned()).collect();
            assert_eq!(join_phrases(&phrases, "and"), expect);
        };
        check(&[], "");
        check(&["a"], "a");
        check(&["a", "b"], "a and b");
        check(&["a", "b", "c"], "a, b, and c");
        check(&["a, or b", "c"], "a, or b; and c");
        check(&["f(a, b)", "c"], "f(a, b) and c");
    }

    #[test]
    fn articles_follow_the_sound() {
        assert_eq!(article("order"), "an");
        assert_eq!(article("user"), "a");
        assert_eq!(article("customer"), "a");
    }
}
