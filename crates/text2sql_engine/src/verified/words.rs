//! The words of a question, for comparing it with another one.

/// A word as written, and in the form that is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    pub(super) folded: String,
}

/// The words: runs of letters and digits, and each sign that is more than punctuation. Case,
/// spaces, quotation marks and the full stop or question mark at the end make no difference.
pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut start = None;
    let characters: Vec<(usize, char)> = text.char_indices().collect();
    for (place, (position, c)) in characters.iter().copied().enumerate() {
        let neighbour = |offset: usize| characters.get(offset).map(|(_, c)| *c);
        let before = place.checked_sub(1).and_then(neighbour);
        let after = neighbour(place + 1);
        let inside_number = matches!(c, '.' | ',')
            && before.is_some_and(|c| c.is_ascii_digit())
            && after.is_some_and(|c| c.is_ascii_digit());
        let is_word = c.is_alphanumeric() || c == '_' || inside_number;
        match (is_word, start) {
            (true, None) => start = Some(position),
            (false, Some(from)) => {
                push(&mut words, text, from, position);
                start = None;
            }
            _ => {}
        }
        let is_sign = !is_word
            && !c.is_whitespace()
            && !matches!(
                c,
                '?' | '!'
                    | '.'
                    | ','
                    | ';'
                    | ':'
                    | '"'
                    | '\''
                    | '“'
                    | '”'
                    | '„'
                    | '’'
                    | '‘'
                    | '«'
                    | '»'
            );
        if is_sign {
            push(&mut words, text, position, position + c.len_utf8());
        }
    }
    if let Some(from) = start {
        push(&mut words, text, from, text.len());
    }
    words
}

fn push<'t>(words: &mut Vec<Word<'t>>, text: &'t str, start: usize, end: usize) {
    if let Some(text) = text.get(start..end) {
        words.push(Word {
            text,
            folded: text.to_lowercase(),
        });
    }
}

/// Whether a word is a number in digits, without separators of thousands.
pub(super) fn is_number(text: &str) -> bool {
    text.chars().next().is_some_and(|c| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || c == '.')
        && text.parse::<f64>().is_ok()
}

/// Whether a word makes a question mean something else tomorrow: English, German.
pub(super) fn is_relative_time(folded: &str) -> bool {
    [
        "last",
        "this",
        "previous",
        "past",
        "next",
        "current",
        "currently",
        "today",
        "yesterday",
        "tomorrow",
        "ago",
        "now",
        "recent",
        "recently",
        "since",
        "ytd",
        "mtd",
        "qtd",
        "letzte",
        "letzten",
        "letzter",
        "letztes",
        "diese",
        "diesen",
        "dieser",
        "dieses",
        "vorige",
        "vorigen",
        "nächste",
        "nächsten",
        "aktuell",
        "aktuelle",
        "aktuellen",
        "heute",
        "gestern",
        "morgen",
        "vor",
        "jetzt",
        "seit",
    ]
    .contains(&folded)
}
