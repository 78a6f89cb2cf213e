//! The words of a text, and which of them are quoted.

/// A word of the text.
pub(super) struct Word {
    pub(super) lower: String,
    pub(super) is_capitalised: bool,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether it is in quotes or parentheses.
    pub(super) is_quoted: bool,
}

/// The words of a text with their places.
pub(super) fn words_of(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut closing: Option<char> = None;
    let mut depth = 0_usize;
    let mut open: Option<usize> = None;
    let mut before = ' ';
    for (at, letter) in text.char_indices().chain([(text.len(), ' ')]) {
        let is_inside = letter.is_alphanumeric()
            || letter == '_'
            || (open.is_some() && matches!(letter, '-' | '\'' | '’') && closing != Some(letter));
        match (open, is_inside) {
            (None, true) => open = Some(at),
            (Some(start), false) => {
                let word = text.get(start..at).unwrap_or_default();
                words.push(Word {
                    lower: word.to_lowercase(),
                    is_capitalised: word.starts_with(char::is_uppercase),
                    start,
                    end: at,
                    is_quoted: closing.is_some() || depth > 0,
                });
                open = None;
            }
            (None, false) | (Some(_), true) => {}
        }
        match letter {
            _ if closing == Some(letter) => closing = None,
            _ if closing.is_some() => {}
            '"' => closing = Some('"'),
            '“' => closing = Some('”'),
            '„' => closing = Some('“'),
            '«' => closing = Some('»'),
            // An apostrophe inside a word opens nothing.
            '\'' if !before.is_alphanumeric() => closing = Some('\''),
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = letter;
    }
    words
}
