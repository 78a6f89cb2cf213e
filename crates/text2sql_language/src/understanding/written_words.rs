//! The words of a question in their original spelling, for comparing it with another question.

/// A word in its original spelling and in the form used for comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenWord {
    /// The original spelling.
    pub text: String,
    /// In lower case.
    pub folded: String,
}

/// The words: runs of letters and digits, and each sign that is more than punctuation. Case,
/// spaces, quotation marks and the full stop or question mark at the end make no difference.
pub fn written_words(text: &str) -> Vec<WrittenWord> {
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

fn push(words: &mut Vec<WrittenWord>, text: &str, start: usize, end: usize) {
    if let Some(text) = text.get(start..end) {
        words.push(WrittenWord {
            text: text.to_owned(),
            folded: text.to_lowercase(),
        });
    }
}
