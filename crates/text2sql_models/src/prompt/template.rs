//! Reads and fills the files of `prompts/`.

/// The text of a file, by its path in the repository.
macro_rules! prompt_file {
    ($path:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../", $path))
    };
}
pub(super) use prompt_file;

/// Fills a prompt file: drops its header, then fills the rest.
pub(super) fn fill(template: &str, variables: &[(&str, &str)]) -> String {
    fill_body(body(template), variables)
}

/// The text of a prompt file behind its header.
pub(super) fn body(file: &str) -> &str {
    file.split_once("-->\n").map_or(file, |(_, body)| body)
}

/// Replaces each `{{variable}}`, once, in one pass, so that a value cannot introduce another variable; without the white
/// space at the end.
pub(super) fn fill_body(body: &str, variables: &[(&str, &str)]) -> String {
    let mut text = fill_whole(body, variables);
    text.truncate(text.trim_end().len());
    text
}

/// The same with the white space at the end.
pub(super) fn fill_whole(body: &str, variables: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(body.len());
    let mut rest = body;
    while let Some((before, after)) = rest.split_once("{{") {
        text.push_str(before);
        let variable = after.split_once("}}").and_then(|(name, tail)| {
            let (_, value) = variables.iter().find(|(known, _)| *known == name)?;
            Some((value, tail))
        });
        match variable {
            Some((value, tail)) => {
                text.push_str(value);
                rest = tail;
            }
            None => {
                text.push_str("{{");
                rest = after;
            }
        }
    }
    text.push_str(rest);
    text
}
