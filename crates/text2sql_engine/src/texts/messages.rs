//! What an answer says about passages beside what a model says.

use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::language::Language;

/// Says that these passages are the nearest to the question and were not summed up.
pub fn passages_only(count: usize, language: Language) -> String {
    let numbers: Vec<String> = (1..=count).map(|n| format!("[{n}]")).collect();
    let numbers = numbers.join(" ");
    match language {
        Language::English => format!(
            "The passages nearest to the question, as they are written (no model has summed them up): {numbers}"
        ),
        Language::German => format!(
            "Die Textstellen, die der Frage am nächsten sind, wie sie dastehen (kein Modell hat sie zusammengefasst): {numbers}"
        ),
    }
}

/// Says that no text was found.
pub fn none_found(language: Language) -> &'static str {
    match language {
        Language::English => "No document or text that you may read says anything about this.",
        Language::German => "Kein Dokument oder Text, den Sie lesen dürfen, sagt etwas dazu.",
    }
}

/// Says that the answer has no rows, with the reason if something failed.
pub fn without_rows(rows: &Answer, language: Language) -> String {
    let failed = [Status::Failed, Status::Blocked, Status::NotPermitted];
    let reason = rows.sentence.as_deref();
    match (reason.filter(|_| failed.contains(&rows.status)), language) {
        (Some(reason), Language::English) => {
            format!("the answer is from texts alone, without rows of the tables: {reason}")
        }
        (Some(reason), Language::German) => {
            format!("die Antwort ist nur aus Texten, ohne Zeilen der Tabellen: {reason}")
        }
        (None, Language::English) => {
            "the tables gave no rows for this question: the answer is from texts alone".to_owned()
        }
        (None, Language::German) => {
            "die Tabellen gaben keine Zeilen zu dieser Frage: Die Antwort ist nur aus Texten"
                .to_owned()
        }
    }
}

/// Says that these are all rows, not only those whose texts were to be found.
pub fn not_narrowed(mentioned: &str, reason: Option<&str>, language: Language) -> String {
    let said = match language {
        Language::English => {
            format!("the rows are not only those whose texts mention \"{mentioned}\"")
        }
        Language::German => {
            format!("die Zeilen sind nicht nur die, deren Texte \"{mentioned}\" erwähnen")
        }
    };
    match reason {
        Some(reason) => format!("{said}: {reason}"),
        None => said,
    }
}

/// Says that the rows are those whose texts were found.
pub fn narrowed_by_texts(texts: usize, mentioned: &str, language: Language) -> String {
    match language {
        Language::English => format!(
            "only rows of the {texts} texts found for \"{mentioned}\" count: the search is not exhaustive"
        ),
        Language::German => format!(
            "nur Zeilen zu den {texts} Texten, die zu \"{mentioned}\" gefunden wurden, zählen: Die Suche ist nicht vollständig"
        ),
    }
}

/// Why no text narrows the rows.
pub fn no_text_found(language: Language) -> &'static str {
    match language {
        Language::English => "no text was found for it",
        Language::German => "dazu wurde kein Text gefunden",
    }
}

/// Says that a model read the rows, instead of a query.
pub fn read_directly(table: &str, rows: usize, language: Language) -> String {
    match language {
        Language::English => format!("a model has read all {rows} rows of {table}"),
        Language::German => format!("ein Modell hat alle {rows} Zeilen von {table} gelesen"),
    }
}
