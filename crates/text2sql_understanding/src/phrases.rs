//! What phrases of a follow-up change, whatever the schema: cut off before the rest is linked.

use std::sync::LazyLock;

/// What a phrase changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// The share of the whole.
    Share,
    /// One row of all.
    InTotal,
    /// Only points to the rows before.
    Them,
    /// What there was stays.
    Also,
    /// More of each row.
    Their,
    /// The days before beside those that there are.
    Against(Shift),
    /// The days before.
    Before(Shift),
}

/// How far other days are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shift {
    /// A year.
    Year,
    /// As long as the days are.
    Period,
}

fn change(name: &str) -> Change {
    match name {
        "share" => Change::Share,
        "total" => Change::InTotal,
        "also" => Change::Also,
        "their" => Change::Their,
        "against.year" => Change::Against(Shift::Year),
        "against.period" => Change::Against(Shift::Period),
        "before.year" => Change::Before(Shift::Year),
        "before.period" => Change::Before(Shift::Period),
        _ => Change::Them,
    }
}

/// The phrases as words, the longest first.
static PHRASES: LazyLock<Vec<(Vec<&'static str>, Change)>> = LazyLock::new(|| {
    let lines = include_str!("follow_ups.txt").lines();
    let named = lines.filter_map(|line| line.split_once(':').filter(|_| !line.starts_with('#')));
    let mut phrases: Vec<(Vec<&str>, Change)> = named
        .flat_map(|(name, phrases)| {
            let change = change(name.trim());
            let each = phrases.split('|');
            each.map(move |phrase| (phrase.split_whitespace().collect(), change))
        })
        .collect();
    phrases.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
    phrases
});

/// The text without the phrases, and what they change.
pub(crate) fn cut(text: &str) -> (String, Vec<Change>) {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let mut said = Vec::new();
    for (phrase, change) in PHRASES.iter() {
        let plain = |word: &&str| {
            word.trim_matches([',', '?', '.', '!', ';', ':'])
                .to_lowercase()
        };
        let lower: Vec<String> = words.iter().map(plain).collect();
        let found = lower
            .windows(phrase.len())
            .position(|window| window.iter().zip(phrase).all(|(own, word)| own == word));
        if let Some(at) = found {
            words.drain(at..at + phrase.len());
            said.push(*change);
        }
    }
    (words.join(" "), said)
}
