//! The loaded model, where the build has the feature `local`.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use text2sql_domain::error::{Error, failure};
use text2sql_domain::ports::{Embedder, Purpose};
use text2sql_http::SignalsBlocked;
use text2sql_local::LocalEmbedder;

use crate::pg::server::settings;

thread_local! {
    /// The model, with its directory.
    static LOADED: RefCell<Option<(String, Rc<LocalEmbedder>)>> = const { RefCell::new(None) };
}

/// The embedder of the configured directory. It is loaded when a vector is first needed.
pub(crate) fn embedder() -> Result<Box<dyn Embedder>, Error> {
    let Some(directory) = settings::local_model_directory() else {
        return Err(failure!(Setup, "the embedder \"local\" has no model")
        .with_hint("As a superuser, name a directory with config.json, tokenizer.json and model.safetensors: SET text2sql.local_model_directory = '/path/of/the/model';"));
    };
    Ok(Box::new(OfDirectory(directory)))
}

fn loaded(directory: &str) -> Result<Rc<LocalEmbedder>, Error> {
    let known = LOADED.with_borrow(|loaded| {
        let same = loaded.as_ref().filter(|(of, _)| of == directory);
        same.map(|(_, model)| Rc::clone(model))
    });
    if let Some(model) = known {
        return Ok(model);
    }
    let loaded = with_blocked_signals(|| LocalEmbedder::load(Path::new(directory)));
    let model = Rc::new(loaded.map_err(|error| {
        error.with_hint("The operating system user of the server must be able to read that directory. As a superuser, run: SHOW text2sql.local_model_directory;")
    })?);
    LOADED.replace(Some((directory.to_owned(), Rc::clone(&model))));
    Ok(model)
}

/// Frees the memory of a loaded model; returns whether there was one.
pub(crate) fn release() -> bool {
    LOADED.take().is_some()
}

/// The model of a directory.
struct OfDirectory(String);

impl Embedder for OfDirectory {
    fn name(&self) -> String {
        LocalEmbedder::name_of(Path::new(&self.0))
    }

    fn dimensions(&self) -> usize {
        // Unknown until it is loaded; the first vector shows it.
        0
    }

    fn embeds_columns(&self) -> bool {
        true
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, Error> {
        let model = loaded(&self.0)?;
        let mut vectors = Vec::with_capacity(texts.len());
        for text in texts {
            // A text takes a few milliseconds: a cancel need not wait for all of them.
            pgrx::check_for_interrupts!();
            vectors.extend(with_blocked_signals(|| model.embed(&[text], purpose))?);
        }
        Ok(vectors)
    }
}

/// The library may start threads for its arithmetic; they inherit the mask, so that no signal of the server
/// reaches them.
fn with_blocked_signals<T>(work: impl FnOnce() -> T) -> T {
    let _blocked = SignalsBlocked::new();
    work()
}
