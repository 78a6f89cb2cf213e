//! The text of a page of the web.

use std::io::Write;

/// Width at which lines are broken: large, so that sentences are not torn apart.
const WIDTH: usize = 10_000;

/// Writes the text of a page.
pub(super) fn text(bytes: &[u8], output: &mut impl Write) -> Result<Vec<String>, String> {
    let (page, guess) = text2sql_files::encoding::decoded(bytes, said(bytes).as_deref())
        .map_err(|error| error.message)?;
    let text = html2text::from_read(page.as_bytes(), WIDTH)
        .map_err(|error| format!("the page cannot be read: {error}"))?;
    output
        .write_all(text.as_bytes())
        .map_err(|error| error.to_string())?;
    let note = guess.map(|name| format!("the page is not in UTF-8, and was read as {name}"));
    Ok(note.into_iter().collect())
}

/// The encoding that a page says it has, in its first kilobyte.
fn said(bytes: &[u8]) -> Option<String> {
    let start = String::from_utf8_lossy(bytes.get(..bytes.len().min(1_024)).unwrap_or_default())
        .to_lowercase();
    let (_, after) = start.split_once("charset=")?;
    let name: String = after
        .trim_start_matches(['"', '\''])
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        .collect();
    Some(name).filter(|name| !name.is_empty())
}
