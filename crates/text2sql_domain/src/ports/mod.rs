//! The interfaces of the pipeline to the outside. The extension implements them with PostgreSQL,
//! tests implement them with plain data.

mod catalog;
mod collection;
mod database;
mod embedder;
mod passages;
mod reranker;
pub mod search_index;
mod session;
mod transport;

pub use self::catalog::{Catalog, Definitions, ForbiddenName};
pub use self::database::{Database, Outcome};
pub use self::embedder::{Embedder, MIN_SIMILARITY, Purpose, TakeVectors, is_embedded};
pub use self::passages::{NoTexts, PassageSearch};
pub use self::reranker::{Reranker, sent_text};
pub use self::session::{ModelAdvice, Session};
pub use self::transport::{HttpRequest, HttpResponse, Method, Sends, Transport, TransportError};
