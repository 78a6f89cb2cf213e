//! What the name of a column says about the table that it references.

use std::collections::HashMap;
use text2sql_domain::words;

use text2sql_language::terms::split;
use text2sql_language::words::stem;

/// Words that say that a column identifies something.
const KEY_WORDS: &[&str] = &[
    "id", "code", "no", "nr", "num", "number", "nbr", "key", "uuid", "guid", "sk", "fk", "pk",
    "cd", "ref", "name", "idx", "seq",
];

/// Beginnings and ends of table names that do not say what the rows are.
const AFFIXES: &[&str] = words!(
    "tbl, table, tab, t, tb, dim, fact, fct, ref, lookup, lkp, lu, mst, master, stg, dwh, dw, \
     dbo, vw, type, info, detail, data, list, record, hdr, header"
);

/// A name, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Name {
    /// Its words, each as its stem.
    pub(super) words: Vec<String>,
    /// The same without boundaries: `customer_id` and `customerid` agree.
    pub(super) whole: String,
    /// Whether its last word is a plural: it counts or lists, and identifies nothing.
    pub(super) is_plural: bool,
}

impl Name {
    pub(super) fn of(name: &str) -> Self {
        let plain = split(name);
        let words: Vec<String> = plain.iter().map(|word| stem(word)).collect();
        let is_plural = match (plain.last(), words.last()) {
            (Some(word), Some(stem)) => word.ends_with('s') && !stem.ends_with('s'),
            _ => false,
        };
        Self {
            whole: words.concat(),
            words,
            is_plural,
        }
    }

    /// The word at its end that says that it identifies something.
    pub(super) fn key_word(&self) -> Option<&str> {
        let last = self.words.last()?;
        KEY_WORDS.contains(&last.as_str()).then_some(last)
    }

    /// The same where the word is glued to what is identified: `stuid`, `deptno`. Also finds words that only end so,
    /// so this is for columns that are known to identify something.
    pub(super) fn glued_key_word(&self) -> Option<&str> {
        let last = self.words.last()?;
        let ends = ["id", "code", "number", "num", "no", "nr", "key"];
        let end = ends
            .iter()
            .find(|end| last.ends_with(*end) && last.len() > end.len());
        self.key_word().or(end.copied())
    }

    /// Whether it is only such a word: `id`, `code`.
    pub(super) fn is_generic(&self) -> bool {
        self.words
            .iter()
            .all(|word| KEY_WORDS.contains(&word.as_str()))
    }

    /// The name without its key word.
    pub(super) fn subject(&self) -> String {
        self.before(self.key_word())
    }

    /// The name without its key word, which may be glued to it.
    pub(super) fn glued_subject(&self) -> String {
        self.before(self.glued_key_word())
    }

    fn before(&self, word: Option<&str>) -> String {
        match word {
            Some(word) => {
                let end = self.whole.len().saturating_sub(word.len());
                self.whole.get(..end).unwrap_or_default().to_owned()
            }
            None => self.whole.clone(),
        }
    }
}

/// How a part of a column's name stands for a table, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Stands {
    /// It is the table's name.
    Whole,
    /// It is the table's name without affixes: `customer` for `tbl_customer`.
    Core,
    /// It is the end of the table's name: `order` for `sales_order`.
    Tail,
    /// It is the beginning of the table's name: `allergy` for `allergy_type`.
    Head,
    /// It is short for the table's name: `dept` for `department`.
    Short,
}

/// The spellings of a table's name.
pub(super) fn spellings(name: &Name, is_common: impl Fn(&str) -> bool) -> HashMap<String, Stands> {
    let mut found: HashMap<String, Stands> = HashMap::new();
    let mut add = |spelling: String, stands: Stands| {
        if spelling.chars().count() > 1 || stands == Stands::Whole {
            let known = found.entry(spelling).or_insert(stands);
            *known = (*known).min(stands);
        }
    };
    add(name.whole.clone(), Stands::Whole);
    let mut core = stripped(&name.words, |_| false);
    if core.len() < name.words.len() {
        add(core.concat(), Stands::Core);
    }
    // The beginning that the tables of the schema share, as well: of `cre_orders` and of `claim_headers`.
    let less = stripped(&name.words, is_common);
    if less.len() < core.len() {
        add(less.concat(), Stands::Core);
        core = less;
    }
    for at in 1..core.len() {
        if let Some((head, tail)) = core.split_at_checked(at) {
            add(tail.concat(), Stands::Tail);
            add(head.concat(), Stands::Head);
        }
    }
    if core.len() > 1 {
        let initials: String = core.iter().filter_map(|word| word.chars().next()).collect();
        add(initials, Stands::Short);
    }
    found
}

/// The words without affixes at both ends, and without common ones at the beginning.
fn stripped(words: &[String], is_common: impl Fn(&str) -> bool) -> &[String] {
    let is_affix = |word: &String| AFFIXES.contains(&word.as_str());
    let mut core = words;
    while let [first, rest @ ..] = core
        && !rest.is_empty()
        && (is_affix(first) || is_common(first))
    {
        core = rest;
    }
    while let [rest @ .., last] = core
        && !rest.is_empty()
        && is_affix(last)
    {
        core = rest;
    }
    core
}

/// The spellings of a stem inside a glued name: the stem of `category` is `categori`, and `categoryid` is one word.
pub(super) fn glued(stem: &str) -> Vec<String> {
    let mut forms = vec![stem.to_owned()];
    if let Some(base) = stem.strip_suffix('i') {
        forms.push(format!("{base}y"));
        forms.push(format!("{base}ie"));
    } else if ["s", "x", "z", "ch", "sh", "o"]
        .iter()
        .any(|end| stem.ends_with(end))
    {
        forms.push(format!("{stem}e"));
    }
    forms
}

/// Whether one word is short for another: it begins alike, its letters follow in the other in the same order, and
/// it is shorter by at least two letters, or by all vowels after the first letter.
pub(super) fn is_short_for(short: &str, long: &str) -> bool {
    let length = short.chars().count();
    let lacks_vowels = || {
        let is_vowel = |letter: &char| "aeiou".contains(*letter);
        let rest = |word: &str| word.chars().skip(1).collect::<Vec<char>>();
        let consonants: Vec<char> = rest(long)
            .into_iter()
            .filter(|one| !is_vowel(one))
            .collect();
        length >= 3 && rest(short) == consonants
    };
    if length < 2
        || length + 2 > long.chars().count() && !lacks_vowels()
        || length >= long.chars().count()
    {
        return false;
    }
    let mut letters = long.chars();
    if short.chars().next() != letters.clone().next() {
        return false;
    }
    // Abbreviations keep the beginning or the consonants.
    let is_beginning = long.starts_with(short);
    let mut follows = short
        .chars()
        .all(|wanted| letters.any(|letter| letter == wanted));
    let vowels = short
        .chars()
        .skip(1)
        .filter(|letter| "aeiou".contains(*letter))
        .count();
    follows &= vowels <= 1 && length >= 3;
    is_beginning || follows
}
