//! One answer from those to several questions that were asked as one.

use text2sql_domain::answer::{Answer, AnsweredPart, Status};
use text2sql_language::understanding::Understanding;
use text2sql_phrases::{Language, say_in};

/// The answer to a question whose parts were answered: `ok` if one of them is. Its sentence is made of theirs.
pub fn merged(parts: Vec<AnsweredPart>, language: Language) -> Answer {
    let is_ok = |part: &&AnsweredPart| part.answer.status == Status::Ok;
    let answered = parts.iter().filter(is_ok).count();
    let first = parts.first().map(|part| &part.answer);
    let status = match answered {
        0 => first.map_or(Status::Failed, |answer| answer.status),
        _ => Status::Ok,
    };
    let mut whole = Answer::without_rows(status, sentence(&parts, language));
    if parts.iter().all(|part| part.answer.sentence.is_none()) {
        whole.sentence = None;
    }
    whole.links.push(said_about(parts.len(), language));
    let unanswered = (1..).zip(&parts).filter(|(_, part)| !is_ok(part));
    if answered > 0 {
        whole.warnings.extend(unanswered.map(|(number, part)| {
            format!(
                "part {number} has no answer: its status is {}",
                part.answer.status.as_str()
            )
        }));
    } else {
        whole.error = first.and_then(|answer| answer.error.clone());
    }
    for part in &parts {
        for withheld in &part.answer.withheld {
            if !whole.withheld.contains(withheld) {
                whole.withheld.push(withheld.clone());
            }
        }
    }
    // All of it is right only if each part is.
    if answered == parts.len() {
        whole.confidence = parts.iter().map(|part| part.answer.confidence).product();
    }
    whole.verified_by = verified_by(&parts);
    let scores = parts.iter().filter_map(|part| part.answer.score.as_ref());
    let lowest = scores.min_by(|a, b| a.total().total_cmp(&b.total()));
    whole.score = lowest.cloned();
    whole.parts = parts;
    whole
}

/// How the question was read.
fn said_about(parts: usize, language: Language) -> String {
    say_in!(language, "{parts} questions, each answered by itself")
}

/// The sentences of the parts, one after the other; of a part without answer, its question and the reason.
fn sentence(parts: &[AnsweredPart], language: Language) -> String {
    let sentences = parts.iter().filter_map(|part| {
        let own = part.answer.sentence.as_deref();
        if part.answer.status == Status::Ok {
            return own.map(ended);
        }
        let reason = own.unwrap_or(part.answer.status.as_str());
        Some(ended(&say_in!(
            language,
            "No answer to \"{question}\": {reason}",
            question = part.question
        )))
    });
    sentences.collect::<Vec<_>>().join(" ")
}

/// A sentence with its full stop.
fn ended(sentence: &str) -> String {
    let sentence = sentence.trim();
    match sentence.ends_with(['.', '?', '!', ')']) {
        true => sentence.to_owned(),
        false => format!("{sentence}."),
    }
}

/// The curators of all parts, or `None` unless every part is verified.
fn verified_by(parts: &[AnsweredPart]) -> Option<String> {
    let mut curators: Vec<&str> = Vec::new();
    for part in parts {
        let curator = part.answer.verified_by.as_deref()?;
        if !curators.contains(&curator) {
            curators.push(curator);
        }
    }
    (!curators.is_empty()).then(|| curators.join(", "))
}

/// The queries of an answer with several parts as one text, each below its question; `None` if there is none.
pub fn all_sql(parts: &[AnsweredPart]) -> Option<String> {
    let queries = (1..).zip(parts).filter_map(|(number, part)| {
        let sql = part.answer.sql.as_ref()?;
        let question = part.question.replace(['\n', '\r'], " ");
        Some(format!("-- {number}. {question}\n{sql};"))
    });
    let queries: Vec<String> = queries.collect();
    (!queries.is_empty()).then(|| queries.join("\n\n"))
}

/// The part that a conversation continues from: the last one with an answer.
pub fn last_answered(parts: &[AnsweredPart]) -> Option<&AnsweredPart> {
    let mut parts = parts.iter().rev();
    parts.find(|part| part.answer.status == Status::Ok)
}

/// The answer to a question that consists of several, for a caller with room for one result.
pub(crate) fn one_at_a_time(parts: Vec<String>) -> Answer {
    let language = parts.first().map(|part| language_of(part));
    let (language, number) = (language.unwrap_or_default(), parts.len());
    let sentence = say_in!(
        language,
        "these are {number} questions, and there is room for one result"
    );
    let hint = say_in!(
        language,
        "Ask {quoted}, or all of them with text2sql.ask().",
        quoted = quoted(&parts)
    );
    Answer {
        readings: parts,
        hint: Some(hint),
        ..Answer::without_rows(Status::Ambiguous, sentence)
    }
}

/// The answer to a question that consists of several, for a role whose queries may have to wait for approval.
pub(crate) fn one_approval_each(parts: Vec<String>) -> Answer {
    let language = parts.first().map(|part| language_of(part));
    let (language, number) = (language.unwrap_or_default(), parts.len());
    let sentence = say_in!(
        language,
        "these are {number} questions, and a query that waits for approval answers one"
    );
    let hint = say_in!(
        language,
        "Ask them one by one: {quoted}.",
        quoted = quoted(&parts)
    );
    Answer {
        readings: parts,
        hint: Some(hint),
        ..Answer::without_rows(Status::Ambiguous, sentence)
    }
}

fn quoted(parts: &[String]) -> String {
    let quoted: Vec<String> = parts.iter().map(|part| format!("\"{part}\"")).collect();
    quoted.join(", ")
}

pub(crate) fn language_of(question: &str) -> Language {
    // It does not depend on the day.
    Understanding::of(question, "2000-01-01").language()
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_domain::results::{all_warnings, results_json};

    fn part(question: &str, status: Status, sentence: &str) -> AnsweredPart {
        AnsweredPart {
            question: question.to_owned(),
            answer: Answer {
                sql: (status == Status::Ok).then(|| "SELECT 1".to_owned()),
                confidence: (status == Status::Ok).then_some(0.5),
                ..Answer::without_rows(status, sentence)
            },
        }
    }

    #[test]
    fn one_answered_part_is_an_answer() {
        let mut parts = vec![
            part("Weather?", Status::Unanswerable, "no weather"),
            part("Orders?", Status::Ok, "There are 3 orders"),
        ];
        parts[1].answer.warnings.push("a note".to_owned());
        let whole = merged(parts, Language::ENGLISH);
        assert_eq!(whole.status, Status::Ok);
        assert_eq!(
            whole.sentence.as_deref(),
            Some("No answer to \"Weather?\": no weather. There are 3 orders.")
        );
        assert_eq!(whole.confidence, None);
        assert_eq!(whole.main().sql.as_deref(), Some("SELECT 1"));
        assert_eq!(
            all_warnings(&whole),
            [
                "2 questions, each answered by itself",
                "part 1 has no answer: its status is unanswerable",
                "part 2: a note"
            ]
        );
        assert_eq!(
            last_answered(&whole.parts).map(|part| part.question.as_str()),
            Some("Orders?")
        );
        assert_eq!(
            all_sql(&whole.parts).as_deref(),
            Some("-- 2. Orders?\nSELECT 1;")
        );
        let json = results_json(&whole).unwrap_or_default();
        let results: serde_json::Value = serde_json::from_str(&json).unwrap_or_default();
        assert_eq!(results[0]["status"], "unanswerable");
        assert_eq!(results[0]["rows"], serde_json::Value::Null);
        assert_eq!(results[1]["answer"], "There are 3 orders");
        assert_eq!(results[1]["warnings"][0], "a note");
    }

    #[test]
    fn all_parts_must_be_right() {
        let parts = vec![part("a", Status::Ok, "A."), part("b", Status::Ok, "B.")];
        let whole = merged(parts, Language::named("de").unwrap_or_default());
        assert_eq!(whole.confidence, Some(0.25));
        assert_eq!(whole.sentence.as_deref(), Some("A. B."));
        assert_eq!(whole.links, ["2 Fragen, jede für sich beantwortet"]);
        assert_eq!(whole.verified_by, None);
    }

    #[test]
    fn without_an_answer_the_first_part_gives_the_status() {
        let parts = vec![
            part("a", Status::Blocked, "refused"),
            part("b", Status::Failed, "broken"),
        ];
        let whole = merged(parts, Language::ENGLISH);
        assert_eq!(
            (whole.status, whole.main().sql.is_none()),
            (Status::Blocked, true)
        );
        assert!(whole.warnings.is_empty());
    }

    #[test]
    fn a_single_result_has_no_document() {
        assert_eq!(results_json(&Answer::without_rows(Status::Ok, "one")), None);
    }
}
