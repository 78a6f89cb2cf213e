//! Characters that a reader does not see.

/// Whether a character is invisible and changes how its neighbours are shown: control characters,
/// changes of writing direction, line and paragraph separators, zero-width spaces.
///
/// Zero-width joiners do not count: some scripts and many emoji need them.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{00ad}'
                | '\u{061c}'
                | '\u{180e}'
                | '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}
