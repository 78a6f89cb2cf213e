//! German words and numbers that several sentences need.

/// The parts of an enumeration.
pub(super) fn and(parts: &[String]) -> String {
    match parts {
        [front @ .., before, last] => {
            let front: String = front.iter().map(|part| format!("{part}, ")).collect();
            format!("{front}{before} und {last}")
        }
        [only] => only.clone(),
        [] => String::new(),
    }
}

pub(super) fn grouped(count: u64) -> String {
    super::super::format::grouped(&count.to_string(), Some('.'), ',')
}

pub(super) fn number(count: usize) -> String {
    grouped(count as u64)
}

pub(super) fn spaced(rest: &str) -> String {
    if rest.is_empty() {
        String::new()
    } else {
        format!(" {rest}")
    }
}

/// The words that the built-in engine puts before the name of a measure.
pub(super) fn in_german(name: &str) -> String {
    const WORDS: [(&str, &str); 6] = [
        ("number of ", "Anzahl "),
        ("average ", "Durchschnitt von "),
        ("total ", "Summe von "),
        ("minimum ", "Minimum von "),
        ("maximum ", "Maximum von "),
        ("median ", "Median von "),
    ];
    WORDS
        .iter()
        .find_map(|(english, german)| Some(format!("{german}{}", name.strip_prefix(english)?)))
        .unwrap_or_else(|| name.to_owned())
}
