//! A question that continues a conversation which has no earlier question.

use text2sql_builtin::goes_on;
use text2sql_domain::answer::{Answer, Status};
use text2sql_language::understanding::Understanding;
use text2sql_phrases::say_in;

/// Why the questions of a conversation are not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotKept {
    /// The server is a standby.
    Standby,
    /// The transaction is read-only.
    ReadOnly,
}

/// Makes a refusal of the first question of a conversation say so, if the question continues an earlier one.
pub fn explain_missing_beginning(
    question: &str,
    conversation: &str,
    not_kept: Option<NotKept>,
    answer: &mut Answer,
) {
    // The day is irrelevant.
    let understanding = Understanding::of(question, "2000-01-01");
    if answer.status != Status::Unanswerable || !goes_on(&understanding) {
        return;
    }
    let language = understanding.language();
    let why = not_kept.map(|not_kept| match not_kept {
        NotKept::Standby => say_in!(
            language,
            "a standby keeps no questions of conversations: begin it on the primary server"
        ),
        NotKept::ReadOnly => say_in!(
            language,
            "questions of conversations are not kept in a read-only transaction"
        ),
    });
    answer.sentence = Some(say_in!(
        language,
        "this goes on from an earlier question, and conversation \"{conversation}\" has none"
    ));
    let whole = say_in!(language, "ask the whole question");
    answer.hint = Some(match why {
        Some(why) => format!("{whole}; {why}"),
        None => whole,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(question: &str, status: Status, not_kept: Option<NotKept>) -> (String, String) {
        let mut answer = Answer::without_rows(status, "no");
        explain_missing_beginning(question, "monday", not_kept, &mut answer);
        (
            answer.sentence.unwrap_or_default(),
            answer.hint.unwrap_or_default(),
        )
    }

    #[test]
    fn a_follow_up_without_a_beginning_is_told() {
        let (sentence, hint) = explained("and by month?", Status::Unanswerable, None);
        assert_eq!(
            sentence,
            "this goes on from an earlier question, and conversation \"monday\" has none"
        );
        assert_eq!(hint, "ask the whole question");
        let (_, hint) = explained(
            "and by month?",
            Status::Unanswerable,
            Some(NotKept::Standby),
        );
        assert!(hint.contains("on the primary server"), "{hint}");
        let (sentence, hint) = explained(
            "und nach Monat?",
            Status::Unanswerable,
            Some(NotKept::ReadOnly),
        );
        assert!(sentence.contains("das Gespräch „monday“"), "{sentence}");
        assert!(hint.contains("die nur liest"), "{hint}");
    }

    #[test]
    fn other_refusals_stay_as_they_are() {
        let unchanged = ("no".to_owned(), String::new());
        assert_eq!(
            explained(
                "How many unicorns are there?",
                Status::Unanswerable,
                Some(NotKept::Standby)
            ),
            unchanged
        );
        assert_eq!(
            explained("and by month?", Status::Ambiguous, None),
            unchanged
        );
    }
}
