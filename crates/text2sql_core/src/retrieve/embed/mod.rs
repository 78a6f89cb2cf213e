//! Turns texts into vectors.

pub mod hash;

use super::index::Collection;
use super::postings::NAME;
use crate::error::Error;

