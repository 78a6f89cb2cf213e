//! The embedder `local`: a sentence model in this process, loaded when it is first needed and kept
//! for the session.
//!
//! Only builds with the feature `local` have it; in others the same calls say so.

#[cfg(feature = "local")]
mod loaded;
#[cfg(not(feature = "local"))]
mod missing;

#[cfg(feature = "local")]
pub(crate) use self::loaded::{embedder, release};
#[cfg(not(feature = "local"))]
pub(crate) use self::missing::{embedder, release};
