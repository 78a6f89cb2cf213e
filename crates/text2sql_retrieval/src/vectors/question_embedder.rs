//! The vectors of the question and of its words, made by the configured embedder.
//!
//! An answer does not need it. When the endpoint fails, retrieval goes on without vectors and says so in
//! a note; only a cancel ends the question. What is sent to an endpoint is recorded, as is everything
//! that leaves the server.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::exchange::Exchange;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::{Embedder, Purpose};

/// The embedder for one question: it computes each vector once, and only if a leg needs it.
pub(crate) struct QuestionEmbedder<'a> {
    cx: &'a Run<'a>,
    embedder: Box<dyn Embedder>,
    /// Length of the index's vectors.
    dimensions: usize,
    /// Known vectors by their texts.
    vectors: RefCell<HashMap<String, Vec<f32>>>,
    /// Whether it failed: it is not asked again.
    has_failed: Cell<bool>,
    note: Cell<Option<String>>,
}

impl<'a> QuestionEmbedder<'a> {
    /// Uses `embedder` for an index with vectors of `dimensions`.
    pub(crate) fn new(cx: &'a Run<'a>, embedder: Box<dyn Embedder>, dimensions: usize) -> Self {
        Self {
            cx,
            embedder,
            dimensions,
            vectors: RefCell::default(),
            has_failed: Cell::default(),
            note: Cell::default(),
        }
    }

    /// Why there was no vector, for the user.
    pub(crate) fn take_note(&self) -> Option<String> {
        self.note.take()
    }

    /// The vectors of the texts; none if they are not available.
    fn ask(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, Error> {
        let start = self.cx.session.elapsed_ms();
        let asked = self.embedder.embed(texts, purpose);
        if let Some(endpoint) = self.embedder.endpoint() {
            let usage = self.embedder.usage();
            let exchange = Exchange {
                purpose: "embed",
                endpoint: endpoint.to_owned(),
                prompt: texts.join("\n"),
                input_tokens: usage.tokens.input,
                cost: usage.cost,
                milliseconds: self.cx.session.elapsed_ms() - start,
                ..Exchange::default()
            };
            self.cx.trace.borrow_mut().exchanges.push(exchange);
        }
        let note = match asked {
            Ok(vectors) => {
                let odd = vectors
                    .iter()
                    .find(|vector| vector.len() != self.dimensions);
                let Some(odd) = odd else {
                    return Ok(vectors);
                };
                format!(
                    "the tables were found without vectors: \"{}\" gives {} dimensions and the search index has {}; CALL text2sql.refresh()",
                    self.embedder.name(),
                    odd.len(),
                    self.dimensions
                )
            }
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(error) => format!("the tables were found without vectors: {}", error.message()),
        };
        self.note.set(Some(note));
        self.has_failed.set(true);
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
        let is_new = |text: &&&str| !self.vectors.borrow().contains_key(**text);
        let new: Vec<&str> = texts.iter().filter(is_new).copied().collect();
        if !new.is_empty() && !self.has_failed.get() {
            let made = self.ask(&new, purpose)?;
            let made = new.into_iter().map(str::to_owned).zip(made);
            self.vectors.borrow_mut().extend(made);
        }
        let known = self.vectors.borrow();
        let vector = |text: &&str| known.get(*text).cloned().unwrap_or_default();
        Ok(texts.iter().map(vector).collect())
    }
}
