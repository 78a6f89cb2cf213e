//! The passages that an answer cites.

use serde_json::{Map, Value, json};

use crate::passages::{Origin, Passage};
use crate::schema::quote_identifier;

/// A passage that the sentence of an answer cites by its number.
#[derive(Debug, Clone, PartialEq)]
pub struct Citation {
    /// The number in the sentence, from 1.
    pub n: usize,
    /// The passage, which the caller may read.
    pub passage: Passage,
}

impl Citation {
    /// The passages with numbers, from 1.
    pub fn numbered(passages: impl IntoIterator<Item = Passage>) -> Vec<Self> {
        let numbered = (1..).zip(passages);
        numbered.map(|(n, passage)| Self { n, passage }).collect()
    }

    /// One line for people: `[1] Returns policy › Jackets, part 2 of 5`.
    pub fn line(&self) -> String {
        format!("[{}] {}", self.n, self.passage.citation())
    }

    /// A query that a role can run if it may read the cited column; `None` of a document.
    pub fn query(&self) -> Option<String> {
        let Origin::Row {
            schema,
            name,
            column,
            ..
        } = &self.passage.origin
        else {
            return None;
        };
        let [column, schema, name] = [column, schema, name].map(|name| quote_identifier(name));
        Some(format!("SELECT {column} FROM {schema}.{name}"))
    }

    fn json(&self) -> Value {
        let passage = &self.passage;
        let mut members = json!({
            "n": self.n,
            "title": passage.title,
            "place": passage.citation(),
            "text": passage.text,
        });
        let Some(object) = members.as_object_mut() else {
            return members;
        };
        match &passage.origin {
            Origin::Document { id, source } => {
                object.insert("document".to_owned(), json!(id));
                object.insert("source".to_owned(), json!(source));
            }
            Origin::Row {
                schema,
                name,
                column,
                key,
                ..
            } => {
                let key: Map<String, Value> = key
                    .iter()
                    .map(|(column, value)| (column.clone(), json!(value)))
                    .collect();
                object.insert("table".to_owned(), json!(format!("{schema}.{name}")));
                object.insert("column".to_owned(), json!(column));
                object.insert("key".to_owned(), Value::Object(key));
            }
        }
        members
    }
}

/// The citations as an array of objects: `n`, `title`, `place`, `text`, and `document` and `source` or `table`,
/// `column` and `key`; `None` if there are none.
pub fn citations_json(citations: &[Citation]) -> Option<Value> {
    (!citations.is_empty()).then(|| citations.iter().map(Citation::json).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passages::{Place, TextProtection};

    #[test]
    fn a_citation_leads_to_its_document_or_row() {
        let passage = |origin: Origin| Passage {
            id: 9,
            title: Some("Too small".to_owned()),
            place: Place {
                headings: Vec::new(),
                part: 1,
                parts: 1,
            },
            origin,
            text: "It is too small.".to_owned(),
            score: 1.0,
            similarity: None,
            protection: TextProtection::Open,
        };
        let citations = Citation::numbered([
            passage(Origin::Document {
                id: 4,
                source: Some("handbook".to_owned()),
            }),
            passage(Origin::Row {
                table: 1,
                schema: "shop".to_owned(),
                name: "reviews".to_owned(),
                column: "body".to_owned(),
                key: vec![("review_id".to_owned(), "17".to_owned())],
            }),
        ]);
        assert_eq!(citations_json(&[]), None);
        assert_eq!(
            citations_json(&citations),
            Some(json!([
                {"n": 1, "title": "Too small", "place": "Too small", "text": "It is too small.",
                 "document": 4, "source": "handbook"},
                {"n": 2, "title": "Too small", "place": "Too small, shop.reviews.body of review_id 17",
                 "text": "It is too small.", "table": "shop.reviews", "column": "body",
                 "key": {"review_id": "17"}},
            ]))
        );
        let queries: Vec<_> = citations.iter().map(Citation::query).collect();
        let of_row = Some("SELECT body FROM shop.reviews".to_owned());
        assert_eq!(queries, [None, of_row]);
        let lines: Vec<String> = citations.iter().map(Citation::line).collect();
        assert_eq!(lines[0], "[1] Too small");
    }
}
