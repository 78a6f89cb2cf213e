//! English words and numbers that several sentences need.

/// The parts of an enumeration.
pub(super) fn and(parts: &[String]) -> String {
    match parts {
        [front @ .., before, last] => {
            let front: String = front.iter().map(|part| format!("{part}, ")).collect();
            format!("{front}{before} and {last}")
        }
        [only] => only.clone(),
        [] => String::new(),
    }
}

pub(super) fn grouped(count: u64) -> String {
    super::super::format::grouped(&count.to_string(), Some(','), '.')
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
