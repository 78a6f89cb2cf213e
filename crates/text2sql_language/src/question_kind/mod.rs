//! Which side answers a question: the tables, the texts beside them, or both.
//!
//! Decided by words alone, in English and German, and carefully: what only tables can answer (counts, sums, lists of
//! rows) never goes to the texts, because a passage is no count. Only a phrase that asks for a reason, for what a text
//! says, or for what people think leads there.

mod cues;
mod sql_part;
#[cfg(test)]
mod tests;

use crate::understanding::lower_words;
use cues::Cues;
use text2sql_domain::named_enum;
use text2sql_phrases::Language;

named_enum! {
    /// Which side answers a question.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Kind {
        /// The tables.
        Quantitative = "quantitative",
        /// The texts.
        Qualitative = "qualitative",
        /// Both.
        Hybrid = "hybrid",
    }
}

/// The decision, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Which side answers.
    pub kind: Kind,
    /// What in the question says so, for the record.
    pub reason: &'static str,
    /// The question to the tables, where both sides answer.
    pub tables: Option<String>,
    /// What the texts of the rows say that count: "zippers" of "products whose reviews mention zippers". Where it
    /// is given, the texts narrow the rows.
    pub mentioned: Option<String>,
    /// Whether a question to the tables may be one to the texts after all, if no table answers it.
    pub may_be_texts: bool,
}

impl Decision {
    fn of(kind: Kind, reason: &'static str) -> Self {
        Self {
            kind,
            reason,
            tables: None,
            mentioned: None,
            may_be_texts: kind != Kind::Quantitative,
        }
    }
}

/// Decides for a question in a language.
pub fn decide(question: &str, language: Language) -> Decision {
    let words = lower_words(question);
    let cues = Cues::of(&words);
    if let Some((tables, mentioned)) = sql_part::of_mention(question, &cues) {
        return Decision {
            tables: Some(tables),
            mentioned: Some(mentioned),
            ..Decision::of(Kind::Hybrid, "rows whose texts mention something")
        };
    }
    if let Some(tables) = sql_part::beside_texts(question) {
        return Decision {
            tables: Some(tables),
            ..Decision::of(
                Kind::Hybrid,
                "a question about rows, and what texts say of it",
            )
        };
    }
    if cues.begins_with_quantity() {
        return Decision::of(Kind::Quantitative, "it begins as a question about rows");
    }
    if cues.asks_for_reason() {
        if !cues.has_change() {
            return Decision::of(Kind::Qualitative, "it asks for a reason");
        }
        return match sql_part::of_reason(question, language) {
            Some(tables) => Decision {
                tables: Some(tables),
                ..Decision::of(
                    Kind::Hybrid,
                    "it asks for the reason of a change in figures",
                )
            },
            None => Decision::of(Kind::Qualitative, "it asks for a reason"),
        };
    }
    if cues.asks_what_texts_say() {
        return Decision::of(Kind::Qualitative, "it asks what texts or people say");
    }
    if cues.asks_for_rule() {
        return Decision::of(
            Kind::Qualitative,
            "it asks how something is done, or whether it is allowed",
        );
    }
    if cues.asks_how_it_went() {
        return Decision {
            tables: Some(question.to_owned()),
            ..Decision::of(
                Kind::Hybrid,
                "it asks how something went, of which texts may report",
            )
        };
    }
    Decision {
        may_be_texts: cues.may_be_texts(),
        ..Decision::of(Kind::Quantitative, "nothing in it asks for a text")
    }
}

/// Whether it asks to judge, to sum up or to compare texts, which no query expresses.
pub fn is_judgement(question: &str) -> bool {
    let words = lower_words(question);
    Cues::of(&words).asks_for_judgement()
}
