//! A question that continues a conversation which has no earlier question.

use text2sql_builtin::goes_on;
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::language::Language;
use text2sql_language::understanding::Understanding;

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
    let (sentence, whole) = match understanding.language() {
        Language::English => (
            format!(
                "this goes on from an earlier question, and conversation \"{conversation}\" has none"
            ),
            "ask the whole question",
        ),
        Language::German => (
            format!(
                "das schließt an eine frühere Frage an, und das Gespräch „{conversation}“ hat keine"
            ),
            "stellen Sie die ganze Frage",
        ),
    };
    let why = not_kept.map(|not_kept| match (not_kept, understanding.language()) {
        (NotKept::Standby, Language::English) => {
            "a standby keeps no questions of conversations: begin it on the primary server"
        }
        (NotKept::Standby, Language::German) => {
            "ein Standby behält keine Fragen von Gesprächen: beginnen Sie es auf dem Primärserver"
        }
        (NotKept::ReadOnly, Language::English) => {
            "questions of conversations are not kept in a read-only transaction"
        }
        (NotKept::ReadOnly, Language::German) => {
            "in einer Transaktion, die nur liest, werden Fragen von Gesprächen nicht behalten"
        }
    });
    answer.sentence = Some(sentence);
    answer.hint = Some(match why {
        Some(why) => format!("{whole}; {why}"),
        None => whole.to_owned(),
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
