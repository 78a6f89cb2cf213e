//! A remark on an answer that defines a term: `active customer := ordered within 90 days`, or `"active
//! customer" means ordered within 90 days`.
//!
//! Only these two forms are read, because they are not written by accident.

/// Maximum length of a term, in characters, as in the table that stores it.
const MAX_TERM_CHARS: usize = 200;

/// A term with its meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinedTerm {
    /// The term.
    pub term: String,
    /// What it means.
    pub meaning: String,
}

/// The term that a remark defines, if any.
pub fn defined_term(remark: &str) -> Option<DefinedTerm> {
    let (term, meaning) = match remark.split_once(":=") {
        Some((term, meaning)) => (unquoted(term.trim()).unwrap_or(term.trim()), meaning),
        None => {
            let (term, meaning) = remark.split_once(" means ")?;
            (unquoted(term.trim())?, meaning)
        }
    };
    let (term, meaning) = (term.trim(), meaning.trim());
    let is_term = !term.is_empty()
        && term.chars().count() <= MAX_TERM_CHARS
        && term.chars().any(char::is_alphanumeric)
        && !term.contains(['\n', '"', ';']);
    (is_term && !meaning.is_empty()).then(|| DefinedTerm {
        term: term.to_owned(),
        meaning: meaning.to_owned(),
    })
}

/// The text between quotation marks of any language.
fn unquoted(text: &str) -> Option<&str> {
    [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»')]
        .into_iter()
        .find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_written_as_a_definition_is_one() {
        for (remark, expected) in [
            (
                "active customer := ordered within 90 days",
                Some(("active customer", "ordered within 90 days")),
            ),
            (
                "\"active customer\" means ordered within 90 days",
                Some(("active customer", "ordered within 90 days")),
            ),
            (
                "„Stammkunde“ := drei Bestellungen",
                Some(("Stammkunde", "drei Bestellungen")),
            ),
            ("This means that the sum is wrong", None),
            ("the sum is wrong", None),
            (":= nothing", None),
            ("term :=  ", None),
            ("\"\" means nothing", None),
        ] {
            let found = defined_term(remark);
            let found = found
                .as_ref()
                .map(|found| (found.term.as_str(), found.meaning.as_str()));
            assert_eq!(found, expected, "{remark}");
        }
    }
}
