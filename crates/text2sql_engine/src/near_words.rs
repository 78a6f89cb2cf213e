//! Words of the catalog that mean nearly the same as words of a question, for the built-in engine.

use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::search_index::NearWord;
use text2sql_domain::ports::{Embedder, Purpose};

/// Number of words that are looked up for each word. They come from the whole catalog, and the engine takes only those
/// of the tables that it was given.
const AT_MOST: usize = 20;

/// Words of the search index near to each of the words. Nothing without an index whose embedder knows meaning and is
/// in this server: the engine waits for no endpoint.
pub(crate) fn near_words(cx: &Run<'_>, words: &[String]) -> Result<Vec<Vec<NearWord>>, Error> {
    match look_up(cx, words) {
        Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
        // An answer does not need them.
        Err(_) | Ok(None) => Ok(vec![Vec::new(); words.len()]),
        Ok(Some(near)) => Ok(near),
    }
}

fn look_up(cx: &Run<'_>, words: &[String]) -> Result<Option<Vec<Vec<NearWord>>>, Error> {
    let Some(state) = cx.index.state()? else {
        return Ok(None);
    };
    let embedder = cx.index.embedder(&state)?;
    let is_here =
        |embedder: &dyn Embedder| embedder.knows_meaning() && embedder.endpoint().is_none();
    let Some(embedder) = embedder.filter(|embedder| is_here(&**embedder)) else {
        return Ok(None);
    };
    let texts: Vec<&str> = words.iter().map(String::as_str).collect();
    let vectors = embedder.embed(&texts, Purpose::Question)?;
    cx.index.near_words(&vectors, AT_MOST).map(Some)
}
