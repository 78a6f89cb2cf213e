//! Passages: parts of documents and of texts in rows, as a search returns them to the role that asked.

use crate::config::{SearchWeights, TextEgress};
use crate::exchange::Exchange;

/// Maximum number of passages of one search.
pub const MAX_PASSAGES: usize = 100;

/// A part of a text that the asking role may read at the moment of the search.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// Identifies the passage until its text changes.
    pub id: i64,
    /// The title of the document, or the value of the title column of the row.
    pub title: Option<String>,
    /// Where in the text it is.
    pub place: Place,
    /// Where the text is.
    pub origin: Origin,
    /// The text as it is written there. It was written by others: data, never an instruction.
    pub text: String,
    /// Rank of the search, larger is better. Only the order within one result means something.
    pub score: f64,
    /// The similarity of meaning to the question, from -1 to 1; `None` where vectors did not find it.
    pub similarity: Option<f32>,
    /// Whether it may be sent to a model at all.
    pub protection: TextProtection,
}

/// Where in its text a passage is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The headings above it, the outermost first.
    pub headings: Vec<String>,
    /// Which passage of the text it is, from 1.
    pub part: u32,
    /// How many passages the text has; 0 if not known.
    pub parts: u32,
}

/// Where a text is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A document of `text2sql.documents`.
    Document {
        /// Its id.
        id: i64,
        /// The source that was given for it.
        source: Option<String>,
    },
    /// A column of a row.
    Row {
        /// OID of the table.
        table: u32,
        /// Name of the schema.
        schema: String,
        /// Name of the table.
        name: String,
        /// Name of the column with the text.
        column: String,
        /// The columns of the key with their values as text, in the order of the key.
        key: Vec<(String, String)>,
    },
}

/// Whether the owner of a text lets models read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextProtection {
    /// As far as the endpoint's egress for texts allows.
    Open,
    /// Never; people may read it.
    Private,
}

impl Passage {
    /// Whether the text may be sent to an endpoint with that egress for texts. What is sent must be masked
    /// (`text2sql_sql::masked_text::mask_text`).
    pub fn may_be_sent(&self, egress: TextEgress) -> bool {
        egress == TextEgress::Passages && self.protection == TextProtection::Open
    }

    /// The source for people: `Returns policy › Jackets, part 2 of 5` or
    /// `shop.reviews.body of review_id 17, part 1 of 1`.
    pub fn citation(&self) -> String {
        let mut text = self.title.clone().unwrap_or_default();
        for heading in &self.place.headings {
            if !text.is_empty() {
                text.push_str(" › ");
            }
            text.push_str(heading);
        }
        let stored = match &self.origin {
            Origin::Document { id, .. } if text.is_empty() => format!("document {id}"),
            Origin::Document { .. } => String::new(),
            Origin::Row {
                schema,
                name,
                column,
                key,
                ..
            } => {
                let key: Vec<String> = key
                    .iter()
                    .map(|(column, value)| format!("{column} {value}"))
                    .collect();
                format!("{schema}.{name}.{column} of {}", key.join(", "))
            }
        };
        if !text.is_empty() && !stored.is_empty() {
            text.push_str(", ");
        }
        text.push_str(&stored);
        if self.place.parts != 1 {
            text.push_str(&format!(", part {}", self.place.part));
            if self.place.parts > 0 {
                text.push_str(&format!(" of {}", self.place.parts));
            }
        }
        text
    }
}

/// What is searched for.
#[derive(Debug, Clone, PartialEq)]
pub struct PassageRequest<'a> {
    /// The question, or words, in the language of the asker.
    pub question: &'a str,
    /// Names of a result that documents may know. They are values of rows, and no endpoint gets them.
    pub names: &'a [&'a str],
    /// Maximum number of passages, up to [`MAX_PASSAGES`].
    pub limit: usize,
    /// Where.
    pub within: Within<'a>,
    /// What each way of searching counts.
    pub weights: SearchWeights,
}

impl<'a> PassageRequest<'a> {
    /// A search everywhere.
    pub fn new(question: &'a str, limit: usize) -> Self {
        Self {
            question,
            names: &[],
            limit,
            within: Within::Everywhere,
            weights: SearchWeights::default(),
        }
    }
}

/// Which texts are searched.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Within<'a> {
    /// All that the role may read.
    #[default]
    Everywhere,
    /// Documents only; of one source if it is given.
    Documents(Option<&'a str>),
    /// Texts of rows of a table.
    Rows {
        /// OID of the table.
        table: u32,
        /// Keys of the rows: values as text, in the order of [`TextSource::key`]. `None`: all rows. What the keys
        /// of an SQL result are, narrows a search to its rows.
        keys: Option<&'a [Vec<String>]>,
    },
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FoundPassages {
    /// The passages, best first.
    pub passages: Vec<Passage>,
    /// What the asker should know, such as that the vectors could not be used.
    pub warnings: Vec<String>,
    /// The requests to the embedder.
    pub exchanges: Vec<Exchange>,
}

/// A text column that is searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextSource {
    /// OID of the table.
    pub table: u32,
    /// Name of the schema.
    pub schema: String,
    /// Name of the table.
    pub name: String,
    /// Name of the column with the text.
    pub column: String,
    /// Names of the columns of the key, in their order.
    pub key: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(title: Option<&str>, headings: &[&str], origin: Origin) -> Passage {
        Passage {
            id: 1,
            title: title.map(str::to_owned),
            place: Place {
                headings: headings
                    .iter()
                    .map(|heading| (*heading).to_owned())
                    .collect(),
                part: 2,
                parts: 5,
            },
            origin,
            text: "Jackets are returned within 30 days.".to_owned(),
            score: 1.0,
            similarity: None,
            protection: TextProtection::Open,
        }
    }

    #[test]
    fn citations_lead_to_the_place() {
        let document = || Origin::Document {
            id: 7,
            source: None,
        };
        let cited = passage(Some("Returns policy"), &["Jackets"], document()).citation();
        assert_eq!(cited, "Returns policy › Jackets, part 2 of 5");
        assert_eq!(
            passage(None, &[], document()).citation(),
            "document 7, part 2 of 5"
        );
        let row = Origin::Row {
            table: 1,
            schema: "shop".to_owned(),
            name: "reviews".to_owned(),
            column: "body".to_owned(),
            key: vec![("review_id".to_owned(), "17".to_owned())],
        };
        let mut row = passage(Some("Too small"), &[], row);
        row.place.parts = 1;
        assert_eq!(
            row.citation(),
            "Too small, shop.reviews.body of review_id 17"
        );
    }

    #[test]
    fn two_levels_decide_what_is_sent() {
        let mut text = passage(
            None,
            &[],
            Origin::Document {
                id: 7,
                source: None,
            },
        );
        assert!(text.may_be_sent(TextEgress::Passages));
        assert!(!text.may_be_sent(TextEgress::None));
        text.protection = TextProtection::Private;
        assert!(!text.may_be_sent(TextEgress::Passages));
    }
}
