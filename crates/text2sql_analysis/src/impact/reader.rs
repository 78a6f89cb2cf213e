//! Objects, what reads them, and the way to it.

use text2sql_domain::error::Error;
use text2sql_domain::named_enum;

/// Maximum number of objects that are followed: a catalog of views over views, not an attack on memory.
pub const MAX_FOLLOWED: usize = 10_000;

named_enum! {
    /// How certain it is that the object reads the other.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Certainty {
        /// A text contains the name, in a place where it may mean something else.
        Possible = "possible",
        /// A text names it as SQL does, or a project says so.
        Likely = "likely",
        /// PostgreSQL's own record, or one that was checked.
        Certain = "certain",
    }
}

/// The kind of an object that others can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// A table or a view.
    Relation,
    /// A function or a procedure.
    Function,
}

/// An object that others may read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Node {
    /// Its kind.
    pub class: Class,
    /// Its OID.
    pub oid: u32,
    /// The column that is meant; `None` is the object as a whole.
    pub column: Option<i16>,
}

/// One reader of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    /// The place in the list of objects of the one that it reads.
    pub of: usize,
    /// What it is, as written in results: `view`, `policy`.
    pub kind: String,
    /// Its name.
    pub object: String,
    /// Its columns that are computed from what it reads; empty: which rows it has, or not known.
    pub columns: Vec<String>,
    /// How certain that is.
    pub certainty: Certainty,
    /// Whether the caller may see it.
    pub is_visible: bool,
    /// What those that read this reader may read of what it reads.
    pub next: Vec<Node>,
}

/// A reader, and the way to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Impact {
    /// What it is.
    pub kind: String,
    /// Its name.
    pub object: String,
    /// Its columns that are computed from the object.
    pub columns: Vec<String>,
    /// What it reads it through, the nearest to the object first, without what the caller may not see.
    pub via: Vec<String>,
    /// 1 for what reads the object itself.
    pub depth: usize,
    /// How certain the least certain step of the way is.
    pub certainty: Certainty,
}

/// Knows who reads an object.
pub trait Dependencies {
    /// What reads any of the objects, one step away.
    fn readers(&self, nodes: &[Node]) -> Result<Vec<Reader>, Error>;
}
