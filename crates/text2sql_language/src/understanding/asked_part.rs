//! The part of a text that asks: notes, evidence and formulas beside a question say how to read it, and are not what
//! is asked for.

use text2sql_domain::words;

/// Labels that begin a note, at the start of a line or sentence.
const LABELS: [&str; 16] = *words!(
    "note, notes, hint, hints, evidence, formula, definition, definitions, context, hinweis, \
     anmerkung, definición, nota, remarque, indice, tip"
);

/// The text without brackets, labelled notes, and what follows the last question mark.
pub(super) fn asked_part(text: &str) -> String {
    let open = without_brackets(text);
    let mut asked = String::new();
    for line in open.lines() {
        match label_in(line) {
            Some(at) => {
                asked.push_str(line.get(..at).unwrap_or_default());
                break;
            }
            None => asked.push_str(line),
        }
        asked.push('\n');
    }
    let end = asked.rfind(['?', '？']).map(|at| at + 1);
    let ended = end
        .and_then(|end| asked.get(..end))
        .unwrap_or(&asked)
        .trim();
    match ended.chars().any(char::is_alphanumeric) {
        true => ended.to_owned(),
        // All of it is in brackets, so that is the question.
        false => text.to_owned(),
    }
}

/// Leaves a blank for each bracket that is closed, with all that it contains.
fn without_brackets(text: &str) -> String {
    let mut open = String::new();
    let mut closing: Vec<(char, usize)> = Vec::new();
    for character in text.chars() {
        match character {
            '(' => closing.push((')', open.len())),
            '[' => closing.push((']', open.len())),
            '{' => closing.push(('}', open.len())),
            _ => {}
        }
        open.push(character);
        if closing.last().is_some_and(|(close, _)| *close == character)
            && let Some((_, start)) = closing.pop()
        {
            open.truncate(start);
            open.push(' ');
        }
    }
    open
}

/// Where a labelled note begins in a line.
fn label_in(line: &str) -> Option<usize> {
    line.match_indices(':').find_map(|(colon, _)| {
        let before = line.get(..colon)?;
        let start = before
            .char_indices()
            .rev()
            .find(|(_, character)| !character.is_alphabetic())
            .map_or(0, |(at, character)| at + character.len_utf8());
        let label = before.get(start..)?.to_lowercase();
        let sentence = before.get(..start)?.trim_end();
        let begins = sentence.is_empty() || sentence.ends_with(['.', '?', '!', ';', '-', '*', '#']);
        (begins && LABELS.contains(&label.as_str())).then_some(start)
    })
}

#[cfg(test)]
mod tests {
    use super::asked_part;

    #[test]
    fn notes_beside_a_question_are_not_the_question() {
        for (text, asked) in [
            ("How many boats?", "How many boats?"),
            (
                "List the boats (only those with at least 7 seats, see fleet)",
                "List the boats",
            ),
            (
                "Which boat is longest? Length is in feet; 100 feet are long.",
                "Which boat is longest?",
            ),
            (
                "Average crew [crew_size / 2 (halved)] of the boats",
                "Average crew   of the boats",
            ),
            (
                "How many boats? evidence: tall refers to mast > 30",
                "How many boats?",
            ),
            (
                "Boats of the harbour\nHinweis: crews und ports sind Tabellen",
                "Boats of the harbour",
            ),
            (
                "Boats at 10:30 in the harbour",
                "Boats at 10:30 in the harbour",
            ),
            ("boats with a note: which?", "boats with a note: which?"),
            ("(how many boats?)", "(how many boats?)"),
            ("boats :-) now", "boats :-) now"),
        ] {
            let spaced = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(spaced(&asked_part(text)), spaced(asked), "{text}");
        }
    }
}
