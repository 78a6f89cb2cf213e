//! What retrieval asks of endpoints: the vector of the question, and the order of the tables.
//!
//! Neither is needed for an answer. When an endpoint fails, the question goes on with what needs
//! none, and the reader is told; only a cancel ends it. What was sent is on record as everything is
//! that leaves the server: the question, and of the tables names and comments, whatever the
//! endpoint's egress.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use super::document;
use super::fuse::{Leg, LegRank};
use super::search::FoundTable;
use text2sql_domain::context::Run;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::ports::{Embedder, Purpose, sent_text as rerank_text};
use text2sql_domain::schema::Table;
use text2sql_domain::trace::{Disclosed, Exchange};
use text2sql_language::understanding::Understanding;

/// The embedder for one question: it makes the question's vector once, and only when a leg wants it.
pub(super) struct QuestionEmbedder<'a> {
    cx: &'a Run<'a>,
    embedder: Box<dyn Embedder>,
    /// Length of the index's vectors.
    dimensions: usize,
    /// The vector, empty where none can be had; `None` until a leg wants it.
    vector: RefCell<Option<Vec<f32>>>,
    note: Cell<Option<String>>,
}

impl<'a> QuestionEmbedder<'a> {
    /// Makes vectors with `embedder`, to be compared with those of `dimensions` in the index.
    pub(super) fn new(cx: &'a Run<'a>, embedder: Box<dyn Embedder>, dimensions: usize) -> Self {
        Self {
            cx,
            embedder,
            dimensions,
            vector: RefCell::default(),
            note: Cell::default(),
        }
    }

    /// Why there was no vector, for the reader.
    pub(super) fn take_note(&self) -> Option<String> {
        self.note.take()
    }

    fn ask(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<f32>, Error> {
        let start = self.cx.session.elapsed_ms();
        let asked = self.embedder.embed(texts, purpose);
        if let Some(endpoint) = self.embedder.endpoint() {
            let exchange = Exchange {
                purpose: "embed",
                endpoint: endpoint.to_owned(),
                prompt: texts.join("\n"),
                milliseconds: self.cx.session.elapsed_ms() - start,
                ..Exchange::default()
            };
            self.cx.trace.borrow_mut().exchanges.push(exchange);
        }
        let note = match asked {
            Ok(vectors) => {
                let vector = vectors.into_iter().next().unwrap_or_default();
                if vector.len() == self.dimensions {
                    return Ok(vector);
                }
                format!(
                    "the tables were found without vectors: \"{}\" gives {} dimensions and the search index has {}; CALL text2sql.refresh()",
                    self.embedder.name(),
                    vector.len(),
                    self.dimensions
                )
            }
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(error) => format!("the tables were found without vectors: {}", error.message()),
        };
        self.note.set(Some(note));
        Ok(Vec::new())
    }
}

impl Embedder for QuestionEmbedder<'_> {
    fn name(&self) -> String {
        self.embedder.name()
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embeds_columns(&self) -> bool {
        self.embedder.embeds_columns()
    }

    fn weight(&self) -> f64 {
        self.embedder.weight()
    }

    fn knows_meaning(&self) -> bool {
        self.embedder.knows_meaning()
    }

    fn least_similarity(&self) -> f32 {
        self.embedder.least_similarity()
    }

    fn endpoint(&self) -> Option<&str> {
        self.embedder.endpoint()
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, Error> {
        let known = self.vector.borrow().clone();
        let vector = match known {
            Some(vector) => vector,
            None => {
                let vector = self.ask(texts, purpose)?;
                self.vector.replace(Some(vector.clone()));
                vector
            }
        };
        Ok(vec![vector])
    }
}

/// Lets the model that is configured for it put the tables in order; gives what the reader should
/// know when it could not.
pub(super) fn rerank(
    cx: &Run<'_>,
    understanding: &Understanding,
    tables: &mut [Arc<Table>],
    found: &mut [FoundTable],
) -> Result<Option<String>, Error> {
    let scores = match scores(cx, understanding, tables) {
        Ok(None) => return Ok(None),
        Ok(Some(scores)) => scores,
        Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
        Err(error) => {
            return Ok(Some(format!(
                "the tables were put in order without text2sql.rerank_model: {}",
                error.message()
            )));
        }
    };
    let mut order: Vec<(u32, f64)> = tables
        .iter()
        .zip(scores)
        .filter_map(|(table, score)| Some((table.oid, score?)))
        .collect();
    order.sort_by(|one, other| other.1.total_cmp(&one.1));
    let place = |oid: u32| order.iter().position(|(table, _)| *table == oid);
    tables.sort_by_key(|table| place(table.oid).unwrap_or(usize::MAX));
    found.sort_by_key(|entry| place(entry.table).unwrap_or(usize::MAX));
    for entry in found {
        if let Some(place) = place(entry.table) {
            entry.ranks.push(LegRank {
                leg: Leg::Reranker,
                rank: place + 1,
                score: order.get(place).map_or(0.0, |(_, score)| *score),
            });
        }
    }
    Ok(None)
}

/// The score of each table; `None` where no model is configured or there is nothing to order.
fn scores(
    cx: &Run<'_>,
    understanding: &Understanding,
    tables: &[Arc<Table>],
) -> Result<Option<Vec<Option<f64>>>, Error> {
    if tables.len() < 2 {
        return Ok(None);
    }
    let Some(reranker) = cx.index.reranker()? else {
        return Ok(None);
    };
    let texts: Vec<String> = tables
        .iter()
        .map(|table| document::text_of(table))
        .collect();
    let documents: Vec<&str> = texts.iter().map(String::as_str).collect();
    let start = cx.session.elapsed_ms();
    let scores = reranker.rerank(understanding.text(), &documents);
    let names = tables.iter().map(|table| table.sql_name());
    let exchange = Exchange {
        purpose: "rerank",
        endpoint: reranker.endpoint().to_owned(),
        prompt: rerank_text(understanding.text(), &documents),
        disclosed: Disclosed {
            tables: names.collect(),
            ..Disclosed::default()
        },
        milliseconds: cx.session.elapsed_ms() - start,
        ..Exchange::default()
    };
    cx.trace.borrow_mut().exchanges.push(exchange);
    scores.map(Some)
}
