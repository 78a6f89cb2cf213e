//! Bodies of functions, between dollar signs.

use text2sql_sql::script::{Kind, Lexeme};

/// The mark and the content of a constant between dollar signs.
pub(super) fn body(constant: &str) -> Option<(&str, &str)> {
    let tag = constant.strip_prefix('$')?.find('$')?;
    let mark = constant.get(..tag + 2)?;
    let content = constant.strip_prefix(mark)?.strip_suffix(mark)?;
    Some((mark, content))
}

/// Whether a token is a body that may be changed inside.
pub(super) fn is_body(text: &str, lexeme: &Lexeme) -> bool {
    lexeme.kind == Kind::Text
        && text
            .get(lexeme.place.clone())
            .is_some_and(|piece| body(piece).is_some())
}
