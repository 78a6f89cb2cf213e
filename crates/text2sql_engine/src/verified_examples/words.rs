//! Classifies the words of a question.

use text2sql_domain::words;

/// Whether a word is a number in digits, without thousands separators.
pub(super) fn is_number(text: &str) -> bool {
    text.chars().next().is_some_and(|c| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || c == '.')
        && text.parse::<f64>().is_ok()
}

/// Whether the word refers to the current date, in English or German.
pub(super) fn is_relative_time(folded: &str) -> bool {
    words!(
        "last, this, previous, past, next, current, currently, today, yesterday, tomorrow, \
         ago, now, recent, recently, since, ytd, mtd, qtd, letzte, letzten, letzter, \
         letztes, diese, diesen, dieser, dieses, vorige, vorigen, nächste, nächsten, \
         aktuell, aktuelle, aktuellen, heute, gestern, morgen, vor, jetzt, seit"
    )
    .contains(&folded)
}
