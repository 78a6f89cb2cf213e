//! Metrics of answers from texts, computed without a model, and those that a model judges.
//!
//! A case names the gold texts: documents or rows, each with words that stand there. A passage is relevant if it is of
//! that document or row and has those words, so that the gold stays the same however texts are cut.
//!
//! - **Context precision**, RAGAS' `Context Precision@K` with gold in place of a judge (Es et al. 2023):
//!   `sum over k of (precision@k if passage k is relevant) / relevant passages`, over the passages that the search
//!   found at its depth, best first; 0 if none is relevant.
//! - **Context recall**: gold texts that a found passage has / gold texts.
//! - **Lexical text faithfulness**: sentences that their cited passages support / sentences that should have a
//!   citation. Support is that of [`text2sql_language::sentences::cited`]: words, names and numbers, no meaning.
//! - **Faithfulness** is RAGAS' faithfulness: statements of the answer that a model finds supported by the
//!   passages / statements. **Answer relevancy** is RAGAS' answer relevancy: the mean cosine of the question and of
//!   questions that a model makes from the answer; 0 if it calls the answer noncommittal.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use text2sql_domain::passages::{Origin, Passage};
use text2sql_language::documents::language::text_search_configuration;
use text2sql_language::sentences::cited::{Support, is_supported};

/// Maximum number of statements and of questions that are read from a judge's reply.
const MAX_JUDGED: usize = 40;

/// A text that answers the question of a case: a document, or a text of a row.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoldText {
    /// The title of the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// The table of the row, with its schema or without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// The values of the key of the row, in their order.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "one_or_more"
    )]
    pub key: Vec<String>,
    /// Words that stand there; all of the text where they are not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
}

fn one_or_more<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let values = match value {
        Value::Array(values) => values,
        one => vec![one],
    };
    Ok(values
        .into_iter()
        .map(|value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        })
        .collect())
}

impl GoldText {
    /// What is wrong with it, in words.
    pub fn problem(&self) -> Option<&'static str> {
        match (&self.document, &self.table, self.key.is_empty()) {
            (Some(_), None, true) | (None, Some(_), false) => None,
            _ => Some(
                "a gold text has either the title of a document or a table and the key of its row",
            ),
        }
    }

    /// Whether a passage is of this text and has its words.
    fn is_in(&self, passage: &Passage) -> bool {
        let is_of = match &passage.origin {
            Origin::Document { .. } => self.document.is_some() && self.document == passage.title,
            Origin::Row {
                schema, name, key, ..
            } => {
                let is_table = self
                    .table
                    .as_ref()
                    .is_some_and(|table| table == name || *table == format!("{schema}.{name}"));
                let values = key.iter().map(|(_, value)| value);
                is_table && values.eq(self.key.iter())
            }
        };
        let has_words = |quote: &String| plain(&passage.text).contains(&plain(quote));
        is_of && self.quote.as_ref().is_none_or(has_words)
    }
}

/// In lower case, with single spaces.
fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

/// Which of the three kinds a question is. The words are part of the interface.
pub const KINDS: [&str; 3] = ["quantitative", "qualitative", "hybrid"];

/// What an answer has from texts.
#[derive(Debug, Clone, Default)]
pub struct FromTexts {
    /// The passages that the search found, best first.
    pub found: Vec<Passage>,
    /// The passages that the answer cites, in the order of their numbers.
    pub cited: Vec<Passage>,
    /// Whether a model wrote sentences about them.
    pub is_written: bool,
}

impl FromTexts {
    /// What the answer says from texts: the sentences with a citation, or the passages themselves where nobody has
    /// written any; `None` without passages.
    pub fn answer(&self, sentence: Option<&str>) -> Option<String> {
        let said: Vec<String> = match sentence.filter(|_| self.is_written) {
            Some(sentence) => cited_sentences(sentence)
                .into_iter()
                .filter(|(_, numbers)| !numbers.is_empty())
                .map(|(sentence, _)| sentence)
                .collect(),
            None => self
                .cited
                .iter()
                .map(|passage| passage.text.clone())
                .collect(),
        };
        (!said.is_empty()).then(|| said.join(" "))
    }
}

/// The figures of an answer from texts. `None` means "does not apply".
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct TextFigures {
    /// Context precision of the passages that were found.
    pub context_precision: Option<f64>,
    /// Context recall of the passages that were found.
    pub context_recall: Option<f64>,
    /// Share of the sentences that their passages support.
    pub lexical_text_faithfulness: Option<f64>,
}

/// Context precision and recall of passages, best first, against the gold texts.
pub fn context(found: &[Passage], gold: &[GoldText]) -> (f64, f64) {
    let (mut relevant, mut precisions) = (0_u32, 0.0);
    for (passage, rank) in found.iter().zip(1_u32..) {
        if gold.iter().any(|gold| gold.is_in(passage)) {
            relevant += 1;
            precisions += f64::from(relevant) / f64::from(rank);
        }
    }
    let is_found = |gold: &&GoldText| found.iter().any(|passage| gold.is_in(passage));
    let recalled = gold.iter().filter(is_found).count() as f64;
    (
        precisions / f64::from(relevant.max(1)),
        recalled / gold.len().max(1) as f64,
    )
}

/// Whether an answer cites one of the gold texts.
pub fn cites_gold(cited: &[Passage], gold: &[GoldText]) -> bool {
    cited
        .iter()
        .any(|passage| gold.iter().any(|gold| gold.is_in(passage)))
}

/// The figures of an answer. `rows` are the rows of the same answer, as text; `None` where it has none.
pub fn figures(
    question: &str,
    sentence: Option<&str>,
    texts: &FromTexts,
    gold: &[GoldText],
    rows: Option<&str>,
) -> TextFigures {
    let measured = (!gold.is_empty()).then(|| context(&texts.found, gold));
    let sentence = sentence.filter(|_| texts.is_written);
    TextFigures {
        context_precision: measured.map(|(precision, _)| precision),
        context_recall: measured.map(|(_, recall)| recall),
        lexical_text_faithfulness: sentence
            .and_then(|sentence| faithfulness(question, sentence, &texts.cited, rows)),
    }
}

/// The share of the sentences that the passages support which they cite. A sentence without a citation counts as not
/// supported, except beside rows, which it may state.
pub fn faithfulness(
    question: &str,
    answer: &str,
    cited: &[Passage],
    rows: Option<&str>,
) -> Option<f64> {
    let (mut count, mut supported) = (0_u32, 0_u32);
    for (sentence, numbers) in cited_sentences(answer) {
        if numbers.is_empty() && rows.is_some() {
            continue;
        }
        let passages: Vec<String> = numbers
            .iter()
            .filter_map(|number| cited.get(number.checked_sub(1)?))
            .map(whole)
            .collect();
        let passages: Vec<&str> = passages.iter().map(String::as_str).collect();
        let support = Support {
            passages: &passages,
            question,
            rows: rows.unwrap_or_default(),
            language: text_search_configuration(&sentence).unwrap_or("english"),
        };
        count += 1;
        supported += u32::from(is_supported(&sentence, &support));
    }
    (count > 0).then(|| f64::from(supported) / f64::from(count))
}

/// A passage with its title and headings.
fn whole(passage: &Passage) -> String {
    let titles = passage.title.iter().chain(&passage.place.headings);
    let parts: Vec<&str> = titles.chain([&passage.text]).map(String::as_str).collect();
    parts.join(": ")
}

/// The sentences of an answer, each with the numbers in brackets that follow it.
fn cited_sentences(answer: &str) -> Vec<(String, Vec<usize>)> {
    let mut found: Vec<(String, Vec<usize>)> = Vec::new();
    let mut rest = answer.trim();
    while !rest.is_empty() {
        let numbers_at = rest.find('[').unwrap_or(rest.len());
        let (before, mut after) = rest.split_at(numbers_at);
        let mut numbers = Vec::new();
        while let Some((number, next)) = after
            .trim_start()
            .strip_prefix('[')
            .and_then(|text| text.split_once(']'))
        {
            numbers.extend(number.trim().parse::<usize>());
            after = next;
        }
        let mut sentences = sentences(before);
        // A citation belongs to the sentence before it.
        let last = sentences.pop();
        found.extend(sentences.into_iter().map(|text| (text, Vec::new())));
        found.extend(last.map(|text| (text, numbers)));
        if after.len() == rest.len() {
            break;
        }
        rest = after.trim();
    }
    found
}

/// The sentences of a text: a full stop, a space, and a capital or a digit end one.
fn sentences(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices() {
        let ends = matches!(c, '.' | '!' | '?');
        let mut after = text.get(at + c.len_utf8()..).unwrap_or_default().chars();
        let is_space = after.next().is_some_and(char::is_whitespace);
        let begins = after
            .find(|c| !c.is_whitespace())
            .is_some_and(|c| c.is_uppercase() || c.is_ascii_digit());
        if ends && is_space && begins {
            found.push(text.get(start..=at).unwrap_or_default().trim().to_owned());
            start = at + 1;
        }
    }
    found.push(text.get(start..).unwrap_or_default().trim().to_owned());
    found.retain(|sentence| sentence.chars().any(char::is_alphanumeric));
    found
}

/// What a model said about an answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judgement {
    /// For each statement of the answer, whether the passages support it.
    pub statements: Vec<bool>,
    /// Questions that the answer answers.
    pub questions: Vec<String>,
    /// Whether the answer evades the question.
    pub is_noncommittal: bool,
}

impl Judgement {
    /// Reads the reply of a judge; `None` if it is none.
    pub fn read(reply: &str) -> Option<Self> {
        let object = reply.get(reply.find('{')?..=reply.rfind('}')?)?;
        let value: Value = serde_json::from_str(object).ok()?;
        let list = |name: &str| value.get(name).and_then(Value::as_array);
        let statements = list("statements")?.iter().take(MAX_JUDGED);
        let questions = list("questions")?.iter().take(MAX_JUDGED);
        Some(Self {
            statements: statements
                .filter_map(|statement| statement.get("supported")?.as_bool())
                .collect(),
            questions: questions
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            is_noncommittal: value.get("noncommittal").and_then(Value::as_bool) == Some(true),
        })
    }

    /// RAGAS' faithfulness; `None` if the answer has no statement.
    pub fn faithfulness(&self) -> Option<f64> {
        let supported = self.statements.iter().filter(|supported| **supported);
        (!self.statements.is_empty())
            .then(|| supported.count() as f64 / self.statements.len() as f64)
    }

    /// RAGAS' answer relevancy, from the cosines of the question and of each question of the judge.
    pub fn relevancy(&self, cosines: &[f64]) -> Option<f64> {
        if self.is_noncommittal {
            return Some(0.0);
        }
        let sum: f64 = cosines.iter().sum();
        (!cosines.is_empty()).then(|| (sum / cosines.len() as f64).clamp(0.0, 1.0))
    }
}

/// The JSON schema of a judge's reply.
pub fn judgement_schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["statements", "questions", "noncommittal"],
        "properties": {
            "statements": {"type": "array", "items": {
                "type": "object",
                "additionalProperties": false,
                "required": ["text", "supported"],
                "properties": {"text": {"type": "string"}, "supported": {"type": "boolean"}}
            }},
            "questions": {"type": "array", "items": {"type": "string"}},
            "noncommittal": {"type": "boolean"}
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_domain::passages::{Place, TextProtection};

    fn passage(title: Option<&str>, origin: Origin, text: &str) -> Passage {
        Passage {
            id: 1,
            title: title.map(str::to_owned),
            place: Place::default(),
            origin,
            text: text.to_owned(),
            score: 1.0,
            similarity: None,
            protection: TextProtection::Open,
        }
    }

    fn document(title: &str, text: &str) -> Passage {
        let origin = Origin::Document {
            id: 1,
            source: None,
        };
        passage(Some(title), origin, text)
    }

    fn row(key: &str, text: &str) -> Passage {
        let origin = Origin::Row {
            table: 1,
            schema: "shop".to_owned(),
            name: "reviews".to_owned(),
            column: "body".to_owned(),
            key: vec![("review_id".to_owned(), key.to_owned())],
        };
        passage(None, origin, text)
    }

    fn gold(json: &str) -> Vec<GoldText> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn context_by_hand() {
        let found = [
            document("Returns", "Shoes\nare not   taken back."),
            document("Returns", "Jackets within 30 days."),
            row("17", "The zip broke."),
            row("18", "The zip broke."),
        ];
        // Relevant at the ranks 2 and 3: (1/2 + 2/3) / 2. One gold text of three is missing.
        let wanted = gold(
            r#"[{"document": "Returns", "quote": "within 30 Days"}, {"table": "reviews", "key": 17},
                {"table": "shop.reviews", "key": ["99"]}]"#,
        );
        let (precision, recall) = context(&found, &wanted);
        assert!((precision - 7.0 / 12.0).abs() < 1e-12, "{precision}");
        assert!((recall - 2.0 / 3.0).abs() < 1e-12, "{recall}");
        assert_eq!(context(&[], &wanted), (0.0, 0.0));
        assert!(cites_gold(&found, &wanted) && !cites_gold(&found[..1], &wanted));
        // White space and case make no difference, another document does.
        let spaced = gold(r#"[{"document": "Returns", "quote": "shoes are not taken back"}]"#);
        assert_eq!(context(&found[..1], &spaced), (1.0, 1.0));
        let other = gold(r#"[{"document": "Shipping", "quote": "shoes are not taken back"}]"#);
        assert_eq!(context(&found[..1], &other), (0.0, 0.0));
    }

    #[test]
    fn a_gold_text_names_one_place() {
        for (json, is_right) in [
            (r#"[{"document": "Returns"}]"#, true),
            (r#"[{"table": "reviews", "key": [1, "a"]}]"#, true),
            (r#"[{"table": "reviews"}]"#, false),
            (r#"[{"document": "Returns", "key": 1}]"#, false),
            (r#"[{"quote": "x"}]"#, false),
        ] {
            assert_eq!(gold(json)[0].problem().is_none(), is_right, "{json}");
        }
        assert!(serde_json::from_str::<GoldText>(r#"{"page": 1}"#).is_err());
    }

    #[test]
    fn sentences_are_measured_against_what_they_cite() {
        let cited = [
            document("Returns", "Jackets can be returned within 30 days."),
            row("17", "The zipper broke after two weeks."),
        ];
        let share = |answer: &str, rows| faithfulness("Why returns?", answer, &cited, rows);
        let right =
            "Jackets can be returned within 30 days. [1] The zipper broke after two weeks. [2]";
        assert_eq!(share(right, None), Some(1.0));
        // Each cites the passage of the other.
        let turned =
            "Jackets can be returned within 30 days. [2] The zipper broke after two weeks. [1]";
        assert_eq!(share(turned, None), Some(0.0));
        let half =
            "Jackets can be returned within 60 days. [1] The zipper broke after two weeks. [2]";
        assert_eq!(share(half, None), Some(0.5));
        let bare = "The moon is made of cheese. The zipper broke after two weeks. [2]";
        assert_eq!(share(bare, None), Some(0.5));
        let beside_rows = "There were 42 returns. The zipper broke after two weeks. [1][2]";
        assert_eq!(share(beside_rows, Some("42")), Some(1.0));
        assert_eq!(share("", None), None);
        assert_eq!(share("There were 42 returns.", Some("42")), None);
    }

    #[test]
    fn a_judgement_is_counted() {
        let judged = Judgement::read(
            r#"Here: {"statements": [{"text": "a", "supported": true}, {"text": "b", "supported": false},
                {"text": "c", "supported": true}, {"text": "d", "supported": true}],
                "questions": ["Why?", "How?"], "noncommittal": false}"#,
        )
        .unwrap();
        assert_eq!(judged.faithfulness(), Some(0.75));
        assert_eq!(judged.questions.len(), 2);
        assert_eq!(judged.relevancy(&[0.5, 1.0]), Some(0.75));
        assert_eq!(judged.relevancy(&[]), None);
        let evades =
            Judgement::read(r#"{"statements": [], "questions": [], "noncommittal": true}"#);
        let evades = evades.unwrap();
        assert_eq!(
            (evades.faithfulness(), evades.relevancy(&[1.0])),
            (None, Some(0.0))
        );
        assert_eq!(Judgement::read("no"), None);
        assert_eq!(Judgement::read("{}"), None);
        assert_eq!(Judgement::read("} {"), None);
    }
}
