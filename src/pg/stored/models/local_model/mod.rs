//! The embedder `local`: an embedding model in this process, loaded when it is first needed and kept for the
//! session.
//!
//! Only builds with the feature `local` have it; in others the same calls raise an error.

#[cfg(feature = "local")]
mod loaded;
#[cfg(not(feature = "local"))]
mod missing;

#[cfg(feature = "local")]
pub(crate) use self::loaded::{embedder, release};
#[cfg(not(feature = "local"))]
pub(crate) use self::missing::{embedder, release};
