//! The loaded model, where the build has the feature `local`.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use text2sql_core::error::{Error, ErrorKind};
use text2sql_core::retrieve::embed::{Embedder, Purpose};
use text2sql_http::SignalsBlocked;
use text2sql_local::LocalEmbedder;

use crate::settings;

thread_local! {
    /// The model, with the directory that it is of.
    static LOADED: RefCell<Option<(String, Rc<LocalEmbedder>)>> = const { RefCell::new(None) };
}

/// The embedder of the directory that is set; loads it when it is not loaded yet.
pub(crate) fn embedder() -> Result<Box<dyn Embedder>, Error> {
    let Some(directory) = settings::local_model_dir() else {
        return Err(Error::new(
            ErrorKind::Setup,
            "the embedder \"local\" has no model",
        )
        .with_hint("as superuser: SET text2sql.local_model_dir = '/path/of/the/model', a directory with config.json, tokenizer.json and model.safetensors"));
    };
    let known = LOADED.with_borrow(|loaded| {
        let same = loaded.as_ref().filter(|(of, _)| *of == directory);
        same.map(|(_, model)| Rc::clone(model))
    });
    if let Some(model) = known {
        return Ok(Box::new(Shared(model)));
    }
    let loaded = with_blocked_signals(|| LocalEmbedder::load(Path::new(&directory)));
    let model = Rc::new(loaded.map_err(|error| {
        error.with_hint("as superuser: SHOW text2sql.local_model_dir; the user that the server runs as must be able to read that directory")
    })?);
    LOADED.replace(Some((directory, Rc::clone(&model))));
    Ok(Box::new(Shared(model)))
}

/// Gives the memory of a loaded model back; says whether there was one.
pub(crate) fn release() -> bool {
    LOADED.take().is_some()
}

/// The session's model in the hands of one question.
struct Shared(Rc<LocalEmbedder>);

impl Embedder for Shared {
    fn name(&self) -> String {
        self.0.name()
    }

    fn dimensions(&self) -> usize {
        self.0.dimensions()
    }

    fn embeds_columns(&self) -> bool {
        self.0.embeds_columns()
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, Error> {
        let mut vectors = Vec::with_capacity(texts.len());
        for text in texts {
            // A text takes some milliseconds: a cancel need not wait for all of them.
            pgrx::check_for_interrupts!();
            vectors.extend(with_blocked_signals(|| self.0.embed(&[text], purpose))?);
        }
        Ok(vectors)
    }
}

/// The library may start threads for its arithmetic; they inherit the mask, so that no signal of the
/// server's reaches them.
fn with_blocked_signals<T>(work: impl FnOnce() -> T) -> T {
    let _blocked = SignalsBlocked::new();
    work()
}
