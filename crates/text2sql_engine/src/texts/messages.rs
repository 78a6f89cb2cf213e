//! What an answer says about passages beside what a model says.

use text2sql_domain::answer::{Answer, Status};
use text2sql_phrases::{Language, say_in};

/// Says that these passages are the nearest to the question and were not summed up.
pub fn passages_only(count: usize, language: Language) -> String {
    let numbers: Vec<String> = (1..=count).map(|n| format!("[{n}]")).collect();
    say_in!(
        language,
        "The passages nearest to the question, as they are written (no model has summed them up): {numbers}",
        numbers = numbers.join(" ")
    )
}

/// Says that no text was found.
pub fn none_found(language: Language) -> String {
    say_in!(
        language,
        "No document or text that you may read says anything about this."
    )
}

/// Says that the answer has no rows, with the reason if something failed.
pub fn without_rows(rows: &Answer, language: Language) -> String {
    let failed = [Status::Failed, Status::Blocked, Status::NotPermitted];
    let reason = rows.sentence.as_deref();
    match reason.filter(|_| failed.contains(&rows.status)) {
        Some(reason) => say_in!(
            language,
            "the answer is from texts alone, without rows of the tables: {reason}"
        ),
        None => say_in!(
            language,
            "the tables gave no rows for this question: the answer is from texts alone"
        ),
    }
}

/// Says that these are all rows, not only those whose texts were to be found.
pub fn not_narrowed(mentioned: &str, reason: Option<&str>, language: Language) -> String {
    let said = say_in!(
        language,
        "the rows are not only those whose texts mention \"{mentioned}\""
    );
    match reason {
        Some(reason) => format!("{said}: {reason}"),
        None => said,
    }
}

/// Says that the rows are those whose texts were found.
pub fn narrowed_by_texts(texts: usize, mentioned: &str, language: Language) -> String {
    say_in!(
        language,
        "only rows of the {texts} texts found for \"{mentioned}\" count: the search is not exhaustive"
    )
}

/// Why no text narrows the rows.
pub fn no_text_found(language: Language) -> String {
    say_in!(language, "no text was found for it")
}

/// Says that a model read the rows, instead of a query.
pub fn read_directly(table: &str, rows: usize, language: Language) -> String {
    say_in!(language, "a model has read all {rows} rows of {table}")
}
