//! Turns texts into vectors.

pub mod hash;

use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::{Collection, NAME};
