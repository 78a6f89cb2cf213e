//! What is said of answers that are wrong, or seldom right.

use text2sql_phrases::{Language, say_in};

/// The sentence with a warning in front of it, for clients that show nothing else.
pub fn probably_wrong(sentence: &str, language: Language) -> String {
    say_in!(language, "Probably wrong: {sentence}")
}

/// The confidence below which an answer is said to be doubtful, in words and not as a figure alone.
const DOUBTFUL: f64 = 0.65;

/// How often answers with this confidence are right, where that is not often.
pub fn seldom_right(confidence: f64, language: Language) -> Option<String> {
    let right = (confidence * 10.0).round();
    (confidence < DOUBTFUL).then(|| {
        say_in!(
            language,
            "of ten answers like this one, about {right} are right: read its query before you use it",
            right
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_low_confidence_is_said_in_words() {
        let said = seldom_right(0.52, Language::ENGLISH).unwrap_or_default();
        assert!(said.starts_with("of ten answers like this one, about 5 are right"));
        let said = seldom_right(0.3, Language::named("de").unwrap_or_default()).unwrap_or_default();
        assert!(said.contains("etwa 3 richtig"), "{said}");
        assert_eq!(seldom_right(0.9, Language::ENGLISH), None);
    }
}
