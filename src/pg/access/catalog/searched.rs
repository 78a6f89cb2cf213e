//! What searches without an index go through, cached by the session: the names of the tables that a role can read,
//! and the words of all comments. In SQL a search of a thousand tables took ten milliseconds, most of it for privileges
//! and for patterns.
//!
//! They are cached and invalidated like the results of searches, which depend on the same: the role, its
//! privileges, and which tables there are.

use std::rc::Rc;

use text2sql_domain::error::Error;

use super::cache::CACHE;
use super::comment_words::{self, CommentWords};
use super::readable_names::{self, ReadableName};

/// The tables that the role, which is the current one, can read, by schema and name. Not filtered by scope and
/// protection.
pub(super) fn names(role: u32) -> Result<Rc<[ReadableName]>, Error> {
    if let Some(names) = CACHE.with_borrow(|cache| cache.names_of(role)) {
        return Ok(names);
    }
    let names: Rc<[ReadableName]> = readable_names::read()?.into();
    CACHE.with_borrow_mut(|cache| cache.store_names(role, Rc::clone(&names)));
    Ok(names)
}

/// All comments up to the maximum. `state` is the state of the comments, where changes of them send no message.
pub(super) fn comments(state: Option<&str>) -> Result<Rc<CommentWords>, Error> {
    if let Some(known) = CACHE.with_borrow(|cache| cache.comment_words(state)) {
        return Ok(known);
    }
    let words = Rc::new(comment_words::read()?);
    CACHE.with_borrow_mut(|cache| cache.store_comment_words(state, Rc::clone(&words)));
    Ok(words)
}
