//! Cuts a text into sentences, and what is no sentence into pieces of a bounded length.

/// A piece of a text: a sentence, a line, or part of one that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    /// Byte where it begins.
    pub(super) start: usize,
    /// Byte after it, with the white space that follows it.
    pub(super) end: usize,
    /// Its length in characters.
    pub(super) length: usize,
    /// Whether a paragraph or an item of a list begins with it.
    pub(super) begins_paragraph: bool,
}

/// The pieces of `text[start..end]`, without gaps, none longer than `longest` characters.
pub(super) fn pieces(text: &str, start: usize, end: usize, longest: usize) -> Vec<Piece> {
    let longest = longest.max(1);
    let mut pieces = Vec::new();
    let mut piece = Piece {
        start,
        end: start,
        length: 0,
        begins_paragraph: true,
    };
    // The last place in the piece after white space, with the length up to it.
    let mut blank: Option<(usize, usize)> = None;
    let mut characters = text
        .get(start..end)
        .unwrap_or_default()
        .char_indices()
        .peekable();
    let mut newlines = 0;
    while let Some((at, character)) = characters.next() {
        let after = start + at + character.len_utf8();
        piece.length += 1;
        piece.end = after;
        if character.is_whitespace() {
            newlines += usize::from(character == '\n');
            blank = Some((after, piece.length));
        } else {
            newlines = 0;
        }
        let next = characters.peek().map(|(_, next)| *next);
        let is_last_blank = next.is_none_or(|next| !next.is_whitespace());
        let ends = match character {
            _ if !character.is_whitespace() => is_wide_end(character) && is_last_blank,
            _ if !is_last_blank => false,
            _ if newlines > 1 || newlines == 1 && next.is_some_and(begins_item) => true,
            _ => ends_sentence(text.get(piece.start..piece.end).unwrap_or_default(), next),
        };
        let is_paragraph = newlines > 1 || newlines == 1 && next.is_some_and(begins_item);
        if ends {
            pieces.push(piece);
            piece = empty(after, is_paragraph);
            blank = None;
        } else if piece.length >= longest {
            // At a blank in its second half, else in the middle of a word.
            let (cut, length) = blank
                .filter(|(_, length)| *length > longest / 2)
                .unwrap_or((after, piece.length));
            pieces.push(Piece {
                end: cut,
                length,
                ..piece
            });
            piece = Piece {
                end: after,
                length: piece.length - length,
                ..empty(cut, false)
            };
            blank = None;
        }
    }
    if piece.length > 0 {
        pieces.push(piece);
    }
    pieces
}

fn empty(start: usize, begins_paragraph: bool) -> Piece {
    Piece {
        start,
        end: start,
        length: 0,
        begins_paragraph,
    }
}

/// Ends of sentences that no blank follows, in Chinese and Japanese.
fn is_wide_end(character: char) -> bool {
    matches!(character, '。' | '！' | '？')
}

fn begins_item(next: char) -> bool {
    matches!(next, '-' | '*' | '•' | '|')
}

/// Whether the text, which ends with a blank, ends a sentence. Not after an abbreviation of one letter (`z. B.`) or a
/// number (`am 3. März`).
fn ends_sentence(text: &str, next: Option<char>) -> bool {
    let text = text.trim_end();
    let text = text.trim_end_matches(['"', '\'', ')', '”', '“', '»', '’']);
    if text.ends_with(['!', '?', '…', '؟', '।']) {
        return true;
    }
    let Some(before) = text.strip_suffix('.') else {
        return false;
    };
    if next.is_some_and(char::is_lowercase) {
        return false;
    }
    let mut letters = before.chars().rev().take_while(|c| c.is_alphanumeric());
    let last = letters.next();
    let is_short = letters.next().is_none() && last.is_some_and(char::is_alphabetic);
    let is_number = last.is_some_and(char::is_numeric);
    !is_short && !is_number
}

#[cfg(test)]
mod tests {
    use super::pieces;

    fn cut(text: &str, longest: usize) -> Vec<&str> {
        let pieces = pieces(text, 0, text.len(), longest);
        let mut end = 0;
        for piece in &pieces {
            assert_eq!(piece.start, end, "no gap");
            assert_eq!(text[piece.start..piece.end].chars().count(), piece.length);
            assert!(piece.length <= longest.max(1));
            end = piece.end;
        }
        assert_eq!(end, text.len());
        pieces
            .iter()
            .map(|piece| &text[piece.start..piece.end])
            .collect()
    }

    #[test]
    fn sentences() {
        assert_eq!(
            cut(
                "It broke. Why? We met on 3. May, z. B. in Ulm. \"No.\" He left",
                100
            ),
            [
                "It broke. ",
                "Why? ",
                "We met on 3. May, z. B. in Ulm. ",
                "\"No.\" ",
                "He left"
            ]
        );
        assert_eq!(cut("壊れた。返品する。", 100), ["壊れた。", "返品する。"]);
        assert_eq!(
            cut("One\ntwo\n\nthree\n- a\n- b", 100),
            ["One\ntwo\n\n", "three\n", "- a\n", "- b"]
        );
    }

    #[test]
    fn what_has_no_end_is_cut() {
        assert_eq!(cut("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(cut("ab cdef gh", 5), ["ab ", "cdef ", "gh"]);
        assert_eq!(cut("ääää", 0).len(), 4);
        assert!(cut("", 5).is_empty());
        let blanks = " \n\t".repeat(10);
        assert_eq!(cut(&blanks, 1000).concat(), blanks);
    }
}
