//! Fills the files of `prompts/`.

/// Fills a prompt file: drops its header, then replaces each `{{variable}}`, once, in one pass, so
/// that a value cannot introduce another variable.
pub(super) fn fill(template: &str, variables: &[(&str, &str)]) -> String {
    let body = template
        .split_once("-->\n")
        .map_or(template, |(_, body)| body);
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
    text.trim_end().to_owned()
}
