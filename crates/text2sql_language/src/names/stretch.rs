//! The two columns between which something lasts.

use super::readable;

const BEGINNINGS: &[&str] = &["start", "starts", "begin", "begins", "from", "checkin"];
const ENDS: &[&str] = &["end", "ends", "until", "to", "till", "checkout"];

/// Which of two names is the beginning of what ends at the other: an appointment is on the day of its `start`.
pub fn beginning(names: [&str; 2]) -> Option<usize> {
    let says = |name: &str, words: &[&str]| {
        let own = readable(name).to_lowercase();
        own.split(' ').any(|word| words.contains(&word))
    };
    let [first, second] = names;
    match (
        says(first, BEGINNINGS) && says(second, ENDS),
        says(second, BEGINNINGS) && says(first, ENDS),
    ) {
        (true, false) => Some(0),
        (false, true) => Some(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lasts_is_on_the_day_it_begins() {
        assert_eq!(beginning(["start", "end"]), Some(0));
        assert_eq!(beginning(["end_time", "start_time"]), Some(1));
        assert_eq!(beginning(["valid_from", "valid_to"]), Some(0));
        assert_eq!(beginning(["opened_on", "closed_on"]), None);
        assert_eq!(beginning(["start_date", "hire_date"]), None);
    }
}
